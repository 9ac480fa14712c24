"""Which joints stand on the ground, from the height and the speed of the points of the feet.

A point comes into contact when it is low and slow, and leaves when it is higher or faster than a second, wider pair of bounds: two
thresholds, so that noise around one does not flicker. A joint is planted while its own point or a tip below it is. Lengths scale with
the body, speeds with the root of it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.motion.anatomy import Anatomy, anatomy
from surefoot.motion.edit.measure import body_height, foot_points, lowest, rest_clearance, size_factors
from surefoot.motion.edit.slope import slope_of
from surefoot.motion.edit.travel import give_travel, implied_velocity, is_in_place
from surefoot.motion.motion import Motion

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True)
class ContactConfig:
    """Bounds for a body of 1.7 m."""

    low: float = 0.05
    """Height over its standing height below which a point can come into contact [m]; captured floors are seldom level."""
    high: float = 0.08
    """Height above which it leaves [m]."""
    slow: float = 0.5
    """Speed below which it can come into contact [m/s]."""
    fast: float = 1.0
    """Speed above which it leaves [m/s]."""
    shortest: float = 0.04
    """Contacts, and gaps between two contacts, that are shorter than this are none [s]."""
    steepest: float = 0.1
    """Steepest floor that is levelled out before contacts are looked for a second time (rise over run)."""
    floating: float = 0.15
    """A body whose lowest point never comes nearer to z = 0 than this share of its height is in the air."""


def foot_contacts(motion: Motion, config: ContactConfig | None = None, *, body: Anatomy | None = None) -> Flags:
    """Which joints are planted in each frame (T, J). Feet of a cycle animated in place count as planted while the floor would carry
    them on.
    """
    config = config or ContactConfig()
    body = body or anatomy(motion.skeleton, motion)
    flags = np.zeros((motion.num_frames, motion.skeleton.num_joints), dtype=bool)
    if is_airborne(motion, config, body=body):
        return flags
    length, speed = size_factors(motion)
    slow, fast = config.slow * speed, config.fast * speed
    if is_in_place(motion, body=body):
        implied, _ = implied_velocity(motion, body=body)
        motion = give_travel(motion, body=body)
        # What an animator put in place by eye skates: more so the faster it is meant to go.
        skate = float(np.linalg.norm(implied.mean(axis=0)))
        slow, fast = slow + 0.3 * skate, fast + 0.5 * skate
    points = foot_points(motion, body)
    height = points.positions[..., 2] - points.standing
    pace = np.linalg.norm(_velocity(points.positions, motion.frame_time), axis=-1)

    def planted(lift: Array) -> Flags:
        enters = (height - lift < config.low * length) & (pace < slow)
        stays = (height - lift < config.high * length) & (pace < fast)
        return _hysteresis(enters, stays)

    on = planted(np.zeros_like(height))
    slope = slope_of(points, on)
    if (
        slope is not None
        and slope.explained > 0.5
        and slope.run > 0.5 * body_height(motion)
        and np.linalg.norm(slope.gradient) < config.steepest
    ):
        on = planted(slope.height(points.positions[..., :2]))
    frames = int(np.ceil(config.shortest * speed / motion.frame_time - 1e-9))
    for p, joint in enumerate(points.joint):
        flags[:, joint] |= on[:, p]
    for joint in set(points.joint.tolist()):
        flags[:, joint] = without_short_runs(flags[:, joint], frames)
    return flags


def fill_contacts(motion: Motion, config: ContactConfig | None = None, *, body: Anatomy | None = None) -> Motion:
    """The motion with contacts: those it has (a file gave them), else those found."""
    return motion if motion.contacts is not None else motion.replace(contacts=foot_contacts(motion, config, body=body))


def is_airborne(motion: Motion, config: ContactConfig | None = None, *, body: Anatomy | None = None) -> bool:
    """Whether the whole clip is above the floor z = 0."""
    config = config or ContactConfig()
    body = body or anatomy(motion.skeleton, motion)
    height = body_height(motion)
    return float(lowest(motion, body).min()) > max(config.floating * height, rest_clearance(motion, body) + 0.08 * height)


def _velocity(positions: Array, frame_time: float) -> Array:
    """Velocities (T, P, 3) [m/s] across about 40 ms: the difference of two neighbouring frames would be mostly noise at high rates."""
    frames = len(positions)
    reach = max(1, round(0.02 / frame_time))
    after = np.minimum(np.arange(frames) + reach, frames - 1)
    before = np.maximum(np.arange(frames) - reach, 0)
    time = np.maximum(after - before, 1) * frame_time
    return np.asarray((positions[after] - positions[before]) / time[:, None, None])


def _hysteresis(enters: Flags, stays: Flags) -> Flags:
    """True in every stretch of `stays` that holds an `enters`, both (T, P)."""
    forward = np.zeros_like(enters)
    on = np.zeros(enters.shape[1], dtype=bool)
    for t in range(len(enters)):
        on = (on & stays[t]) | enters[t]
        forward[t] = on
    return forward


def without_short_runs(flags: Flags, shortest: int) -> Flags:
    """Flags (T,) with gaps between two runs closed, then runs removed, when shorter than `shortest` frames; the ends count as open."""
    out = np.array(flags)
    for value in (False, True):
        edges = np.flatnonzero(np.diff(out.astype(np.int8))) + 1
        starts = np.concatenate([[0], edges]).astype(int)
        ends = np.concatenate([edges, [len(out)]]).astype(int)
        for start, end in zip(starts, ends, strict=True):
            if out[start] == value and end - start < shortest and start > 0 and end < len(out):
                out[start:end] = not value
    return out
