"""A gait made symmetric: its second half becomes the mirror image of its first (Simulation for Control, 3.5).

The paper sets one stride and its mirror image end to end. Here both strides count, so that no seam appears: with m a cycle of duration
D and M the mirror along the line of travel,

    s(t) = ( m(t) + M m(t + D / 2) ) / 2          so that     M s(t + D / 2) = s(t), one half stride on

where the sum of two poses is the pose half way between them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from surefoot.errors import InputError
from surefoot.motion.anatomy import Anatomy, anatomy
from surefoot.motion.edit.close import repeat, stride
from surefoot.motion.edit.cycle import Cycle, close_cycle
from surefoot.motion.edit.join import blend
from surefoot.motion.edit.measure import facing, wrap
from surefoot.motion.edit.mirror import mirror
from surefoot.motion.edit.planar import Planar, move
from surefoot.motion.edit.resample import at_times
from surefoot.motion.motion import Motion

Array = NDArray[np.float64]


def symmetric_gait(motion: Motion, cycle: Cycle | None = None, *, body: Anatomy | None = None) -> Motion:
    """One cycle of a gait (found when not given), closed and symmetric; it must go straight on."""
    body = body or anatomy(motion.skeleton, motion)
    closed = close_cycle(motion, cycle, body=body)
    step = stride(closed)
    if abs(float(wrap(step.yaw))) > 1e-6:
        raise InputError(
            f"a gait that turns by {np.degrees(step.yaw):.0f}° a cycle cannot be made symmetric; one that goes straight on can."
        )
    away = float(np.hypot(step.x, step.y))
    along = float(np.arctan2(step.y, step.x)) if away > 0.2 * motion.skeleton.height else float(np.mean(facing(closed, body)))
    twice = repeat(closed, 2)
    later = at_times(twice, closed.times + 0.5 * closed.duration, closed.frame_time, interpolation="cubic")
    image = mirror(later, heading=along, body=body)
    root = motion.skeleton.chain(body.trunk)[0]
    apart = np.mean(closed.joint_positions[:, root] - image.joint_positions[:, root], axis=0)
    out = blend(closed, move(image, Planar(x=float(apart[0]), y=float(apart[1]))), 0.5)
    if closed.contacts is not None and image.contacts is not None:
        out = out.replace(contacts=closed.contacts | image.contacts)
    return out
