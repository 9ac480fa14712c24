"""Frames in front of the motion: a T-pose that an exporter put there, from which all joints snap away at once.

With m_t the mean over the joints of the angle from frame t to t + 1, the first k frames are none of the motion when they are alike and

    m_(k-1) > 3 degrees,        m_(k-1) > 6 max(m_k .. m_(k+12))        (2.5 where they are the rest pose)
"""

from __future__ import annotations

import numpy as np

from surefoot.motion import quaternion
from surefoot.motion.motion import Motion

MOST = 3
"""More frames that hold still at the beginning are a part of the motion."""


def leading_frames(motion: Motion) -> int:
    """How many frames stand in front of the motion, 0 when it begins at once."""
    turned = motion.rotations[: 14 + MOST]
    steps = quaternion.angle(quaternion.multiply(quaternion.conjugate(turned[:-1]), turned[1:])).mean(axis=1)
    still = quaternion.angle(quaternion.multiply(quaternion.conjugate(motion.skeleton.rotations), turned[0]))
    times = 2.5 if float(np.mean(still < 1e-3)) > 0.9 else 6.0
    for k in range(1, MOST + 1):
        after = steps[k : k + 13]
        if len(after) < 2:
            return 0
        if steps[k - 1] > np.radians(3.0) and steps[k - 1] > times * float(after.max()):
            return k
        if steps[k - 1] > 1e-6:
            return 0
    return 0
