"""Where a motion stands and how large it is: scale, turn the up axis, shift, face a heading, put onto the floor."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.errors import InputError, unknown_name
from surefoot.motion.anatomy import Anatomy, anatomy
from surefoot.motion.axes import UpAxis, upright
from surefoot.motion.edit.measure import facing, floor_level, lowest
from surefoot.motion.edit.planar import Planar, move, place
from surefoot.motion.motion import Motion
from surefoot.motion.skeleton import Skeleton, Tip

Array = NDArray[np.float64]


def scale(motion: Motion, factor: float) -> Motion:
    """All lengths times `factor`: bones, tips, travel. Time stays as it is."""
    if not (np.isfinite(factor) and factor > 0.0):
        raise InputError(f"a scale must be a positive number, got {factor}.")
    old = motion.skeleton
    tips = tuple(Tip(joint=tip.joint, offset=tip.offset * factor, name=tip.name) for tip in old.tips)
    skeleton = Skeleton(old.names, old.parents, old.translations * factor, old.rotations, tips)
    return motion.replace(skeleton=skeleton, translations=motion.translations * factor)


def turn_up(motion: Motion, up: UpAxis) -> Motion:
    """The motion, whose up axis is `up` as it stands, turned so that up is +Z; the rest pose turns with it."""
    axes = ("X", "Y", "Z", "-X", "-Y", "-Z")
    if up not in axes:
        raise unknown_name("axis", up, axes)
    return motion if up == "Z" else place(motion, upright(up), np.zeros(3), rest=True)


def translate(motion: Motion, shift: ArrayLike) -> Motion:
    """The motion shifted by (3,) [m]."""
    by = np.asarray(shift, dtype=float)
    if by.shape != (3,) or not np.isfinite(by).all():
        raise InputError(f"a shift is three finite numbers of metres, got {np.asarray(shift).tolist()!r}.")
    return place(motion, np.array([1.0, 0.0, 0.0, 0.0]), by)


def face(motion: Motion, heading: float = 0.0, *, body: Anatomy | None = None) -> Motion:
    """The motion turned about Z so that its first frame faces `heading`, an angle from +X [rad]; the root's first place stays."""
    if not np.isfinite(heading):
        raise InputError(f"a heading is a finite angle in radians, got {heading}.")
    body = body or anatomy(motion.skeleton, motion)
    return turn_about(motion, heading - float(facing(motion, body)[0]), motion.joint_positions[0, body.trunk])


def turn_about(motion: Motion, yaw: float, centre: Array) -> Motion:
    """The motion turned by `yaw` [rad] about the vertical line through `centre` (3,) [m]."""
    turn = Planar(yaw=yaw)
    back = centre - turn.points(centre)
    return move(motion, Planar(x=float(back[0]), y=float(back[1]), yaw=yaw))


def ground(motion: Motion, *, body: Anatomy | None = None) -> Motion:
    """The motion lifted or lowered as a whole so that the floor it stands on is z = 0."""
    body = body or anatomy(motion.skeleton, motion)
    return translate(motion, [0.0, 0.0, -floor_level(motion, body)])


def lift(motion: Motion, clearance: float = 0.0, *, body: Anatomy | None = None) -> Motion:
    """The motion raised only as far as needed for no point of it ever to lie lower than `clearance` [m]."""
    body = body or anatomy(motion.skeleton, motion)
    return translate(motion, [0.0, 0.0, max(0.0, clearance - float(lowest(motion, body).min()))])
