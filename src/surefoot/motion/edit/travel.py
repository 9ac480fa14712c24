"""The travel that planted feet imply, for cycles that were animated in place, as games want them.

While a foot stands, the floor moves under it: the body's velocity is minus that of its lowest points. With weights w_p(t) that fall with a
point's height over the floor, the velocity v(t) of the travel minimises

    sum_t sum_p w_p(t) |v(t) + u_p(t)|^2  +  tau^2 sum_t |v'(t)|^2

u_p being the points' horizontal velocities; the second term carries v through flight and over the change of feet. Points that disagree
with v, a foot swinging forward low over the floor, lose weight and the sum is solved again.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solveh_banded

from surefoot.motion.anatomy import Anatomy, anatomy
from surefoot.motion.edit.measure import body_height, foot_points, size_factors
from surefoot.motion.edit.velocity import rates
from surefoot.motion.motion import Motion

Array = NDArray[np.float64]

CARRY = 0.06
"""tau: over how long a stretch the velocity is carried on [s], for a body of 1.7 m."""
AGREED = 0.7
"""Share of what stands on the floor that must move backwards for a motion to count as walking in place."""
ROUNDS = 8
"""Rounds of reweighing."""


def is_in_place(motion: Motion, *, body: Anatomy | None = None) -> bool:
    """Whether the feet walk while the body stays: planted feet imply a travel that the motion does not have."""
    body = body or anatomy(motion.skeleton, motion)
    if motion.duration <= 0.0:
        return False
    implied, agreed = implied_velocity(motion, body=body)
    _, speed = size_factors(motion)
    mean = float(np.linalg.norm(implied.mean(axis=0)))
    path = motion.joint_positions[:, body.trunk, :2]
    own = float(np.linalg.norm(path[-1] - path[0])) / motion.duration
    return mean > 0.2 * speed and own < 0.3 * mean and agreed > AGREED


def give_travel(motion: Motion, *, steady: bool = False, body: Anatomy | None = None) -> Motion:
    """The motion with its roots moved along the floor so that planted feet stay where they are.

    `steady` moves at the mean velocity instead: feet may slide a little, the body does not speed up and slow down.
    """
    body = body or anatomy(motion.skeleton, motion)
    velocity, _ = implied_velocity(motion, body=body)
    if steady:
        velocity = np.broadcast_to(velocity.mean(axis=0), velocity.shape)
    path = np.zeros((motion.num_frames, 3))
    path[1:, :2] = np.cumsum(0.5 * (velocity[1:] + velocity[:-1]), axis=0) * motion.frame_time
    translations = np.array(motion.translations)
    translations[:, list(motion.skeleton.roots)] += path[:, None]
    return motion.replace(translations=translations)


def implied_velocity(motion: Motion, *, body: Anatomy | None = None) -> tuple[Array, float]:
    """The horizontal velocity (T, 2) [m/s] at which the body would have to travel for its feet not to slide, relative to how it travels
    now.

    Also the share of points on the floor, by weight, that move against it: 1 in a clean cycle, about a half where nobody walks.
    """
    body = body or anatomy(motion.skeleton, motion)
    points = foot_points(motion, body)
    frames = motion.num_frames
    if points.positions.shape[1] == 0 or frames < 3:
        return np.zeros((frames, 2)), 0.0
    ratio, _ = size_factors(motion)
    height = points.positions[..., 2] - points.standing
    near = np.exp(-0.5 * (np.maximum(height, 0.0) / (0.012 * body_height(motion))) ** 2)  # (T, P)
    wanted = -rates(points.positions, motion.frame_time)
    rising = np.abs(wanted[..., 2])
    wanted = wanted[..., :2]
    weights = near / (1.0 + (rising / (0.3 * np.sqrt(ratio))) ** 2)
    velocity = np.broadcast_to(_median(wanted.reshape(-1, 2), weights.reshape(-1)), (frames, 2))
    stiffness = (CARRY * np.sqrt(ratio) / motion.frame_time) ** 2
    for _ in range(ROUNDS):
        off = np.linalg.norm(wanted - velocity[:, None], axis=-1)
        scale = 0.25 * np.linalg.norm(velocity, axis=-1).mean() + 0.05 * np.sqrt(ratio)
        trusted = weights / (1.0 + (off / scale) ** 2) ** 2
        velocity = _fit(wanted, trusted, stiffness)
    mean = velocity.mean(axis=0)
    with_it = wanted @ mean > 0.15 * float(mean @ mean)
    total = float(weights.sum())
    return velocity, float(weights[with_it].sum()) / total if total > 0.0 and float(mean @ mean) > 0.0 else 0.0


def _median(values: Array, weights: Array) -> Array:
    """The weighted median of each column of values (N, D)."""
    out = np.zeros(values.shape[1])
    for d in range(values.shape[1]):
        order = np.argsort(values[:, d])
        share = np.cumsum(weights[order])
        out[d] = values[order[int(np.searchsorted(share, 0.5 * share[-1]))], d] if share[-1] > 0.0 else 0.0
    return out


def _fit(wanted: Array, weights: Array, stiffness: float) -> Array:
    """The smooth velocity (T, 2) nearest to wanted (T, P, 2) under weights (T, P): one symmetric tridiagonal system."""
    total = weights.sum(axis=1)
    total = total / max(float(total.max()), 1e-300)
    scaled = weights / max(float(weights.sum(axis=1).max()), 1e-300)
    bands = np.zeros((2, len(total)))
    bands[1] = total + stiffness * np.concatenate([[1.0], np.full(len(total) - 2, 2.0), [1.0]]) + 1e-9
    bands[0, 1:] = -stiffness
    return np.asarray(solveh_banded(bands, np.einsum("tp,tpd->td", scaled, wanted)))
