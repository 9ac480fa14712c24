"""Velocities on the manifold, second-order at every frame, the first and last included.

    v_t = (d_t + d_t-1) / 2        v_0 = (3 d_0 - d_1) / 2        v_T = (3 d_T-1 - d_T-2) / 2

with d_t = (p_t+1 - p_t) / dt for positions and d_t = log(R_t+1 R_t^-1) / dt for rotations: log(R(t+h) R(t)^-1) = h w + h^2 w'/2 + O(h^3),
so the same weights that make the difference of positions second-order make that of rotations so. World frame, T frames, J joints.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.motion import quaternion
from surefoot.motion.motion import Motion

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class Velocities:
    """Velocities of all joints in the world."""

    linear: Array  # (T, J, 3) [m/s]
    angular: Array  # (T, J, 3) [rad/s]


def velocities(motion: Motion) -> Velocities:
    """Linear and angular velocity of every joint in every frame; zero for a motion of a single frame."""
    positions, rotations = motion.world
    return Velocities(linear=rates(positions, motion.frame_time), angular=angular_rates(rotations, motion.frame_time))


def rates(values: Array, frame_time: float) -> Array:
    """The time derivative of values (T, ...), of their shape."""
    return _at_frames(np.diff(values, axis=0) / frame_time, values.shape)


def angular_rates(rotations: Array, frame_time: float) -> Array:
    """The angular velocity (T, ..., 3) [rad/s] of rotations (T, ..., 4), in the frame they rotate into."""
    steps = quaternion.log(quaternion.multiply(rotations[1:], quaternion.conjugate(rotations[:-1]))) / frame_time
    return _at_frames(steps, (*rotations.shape[:-1], 3))


def _at_frames(steps: Array, shape: tuple[int, ...]) -> Array:
    """Rates at the T frames from the T - 1 differences between them."""
    out = np.zeros(shape)
    if len(steps) == 0:
        return out
    if len(steps) == 1:
        out[:] = steps[0]
        return out
    out[1:-1] = 0.5 * (steps[:-1] + steps[1:])
    out[0] = 1.5 * steps[0] - 0.5 * steps[1]
    out[-1] = 1.5 * steps[-1] - 0.5 * steps[-2]
    return out
