"""Planted points: when the source's soles stand, and where the character's have to stand then.

In a contact the sole's first standing point (the ball, else the heel) is held where it is; where both stand the sole lies flat and
keeps its direction. What that changes, a turn C(t) and a shift d(t) of the ankle, fades in and out around the contact:

    R'(t) = C(t) R(t)        a'(t) = a(t) + d(t)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.character.retarget.config import RetargetConfig
from surefoot.character.retarget.feet import UP, SourceFoot, TargetFoot, speeds
from surefoot.motion import quaternion
from surefoot.motion.edit.contacts import without_short_runs
from surefoot.motion.motion import Motion

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]


HEEL, BALL = float(np.cos(np.radians(50.0))), float(np.cos(np.radians(84.0)))
"""A heel stands only on a sole that lies flatter than this, a ball on one that does not face backwards: lying feet do not stand."""
SIDE = float(np.sin(np.radians(40.0)))
"""Nor do feet that lie on their side."""


@dataclass(frozen=True, kw_only=True)
class Contacts:
    """Which points of one foot or hand stand in each frame (T,)."""

    heel: Flags
    """Or the only point of a hand, or of a foot without sole."""
    ball: Flags


def standing(place: Array, height: float, size: float, frame_time: float, bound: Flags, config: RetargetConfig) -> Flags:
    """Frames (T,), among those of `bound`, in which a point is low, against its standing height, and slow."""
    speed = config.contact_speed * np.sqrt(size)
    on = bound & (place[:, 2] < height + config.contact_height * size) & (speeds(place, frame_time) < speed)
    return without_short_runs(on, max(2, round(config.fewest_contact * np.sqrt(size) / frame_time)))


def sole_contacts(motion: Motion, foot: SourceFoot, flags: Flags, config: RetargetConfig) -> Contacts:
    """Contacts of a foot of the source; `flags` (T, J) are the motion's contacts, that bound them."""
    size = motion.skeleton.height / 1.7
    positions, rotations = motion.world
    ankle = foot.ankle.places(positions, rotations)
    up = quaternion.rotate(rotations[:, foot.ankle.joint], foot.up)
    ball = ankle if foot.ball is None else foot.ball.places(positions, rotations)
    heel = ankle - (foot.height - min(foot.height, foot.ball_height)) * up  # level with the ball when the foot stands flat
    level = min(foot.height, foot.ball_height)
    joints = [foot.ankle.joint] + ([] if foot.ball is None else [foot.ball.joint])
    touched: Flags = np.asarray(flags[:, joints].any(axis=1))
    if foot.ball is None:
        return Contacts(heel=standing(heel, level, size, motion.frame_time, touched, config), ball=np.zeros_like(touched))
    across = np.cross(up, ball - ankle)
    tilt = np.abs(across[:, 2]) / np.maximum(np.linalg.norm(across, axis=-1), 1e-9)
    upright = np.where(tilt < SIDE, up[:, 2], -1.0)
    return Contacts(
        heel=standing(heel, level, size, motion.frame_time, touched & (upright > HEEL), config),
        ball=standing(ball, foot.ball_height, size, motion.frame_time, touched & (upright > BALL), config),
    )


def runs(flags: Flags) -> list[tuple[int, int]]:
    """First and one past the last frame of every run of True."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], flags.astype(np.int8), [0]])))
    return [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]


def spread(values: Array, known: Flags, reach: int) -> Array:
    """Corrections (T, n) where `known`; they fade to nothing within `reach` frames, straight across gaps of less than twice that."""
    out = np.where(known[:, None], values, 0.0)
    frames = np.arange(len(known))
    at = np.flatnonzero(known)
    if len(at) == 0:
        return out
    for t in frames[~known]:
        i = int(np.searchsorted(at, t))
        before, after = (at[i - 1] if i > 0 else None), (at[i] if i < len(at) else None)
        if before is not None and after is not None and after - before <= 2 * reach:
            share = _ease((t - before) / (after - before))
            out[t] = (1.0 - share) * values[before] + share * values[after]
            continue
        for near in (before, after):
            if near is not None and abs(t - near) < reach:
                out[t] += values[near] * (1.0 - _ease(abs(t - near) / reach))
    return out


def ramp(on: Flags, reach: int) -> Array:
    """1 (T,) where `on`, fading to 0 within `reach` frames."""
    return spread(np.ones((len(on), 1)), on, reach)[:, 0].clip(0.0, 1.0)


def _ease(x: float) -> float:
    return float(x * x * (3.0 - 2.0 * x))


def plant_foot(rotations: Array, ankles: Array, foot: TargetFoot, contacts: Contacts, reach: int) -> tuple[Array, Array]:
    """Rotations (T, 4) and positions (T, 3) of the ankle with planted soles."""
    rotations = _flatten(rotations, foot, contacts.heel & contacts.ball, reach)
    places = {
        "heel": ankles + quaternion.rotate(rotations, np.array(foot.heel.offset)),
        "ball": ankles + quaternion.rotate(rotations, np.array(foot.ball.offset)),
    }
    on = {"heel": contacts.heel, "ball": contacts.ball}
    touching = contacts.heel | contacts.ball
    shift = np.zeros_like(ankles)
    for start, stop in runs(touching):
        first = ""
        anchor = np.zeros(3)
        for t in range(start, stop):
            now = "ball" if contacts.ball[t] else "heel"
            if now != first and first and on[now][t - 1]:  # it stood there already
                anchor = places[now][t - 1] + shift[t - 1]
            elif now != first:  # the next point starts where the one before it, still held, leaves it
                anchor = places[now][t] + (anchor - places[first][t] if first else 0.0)
            first = now
            shift[t] = anchor - places[now][t]
            shift[t, 2] = -places[now][t, 2]
        shift[start:stop, :2] -= shift[start:stop, :2].mean(axis=0)
    return rotations, ankles + spread(shift, touching, reach)


def _flatten(rotations: Array, foot: TargetFoot, flat: Flags, reach: int) -> Array:
    """Soles level and of one direction wherever the foot stands flat."""
    change = np.zeros((len(rotations), 3))
    for start, stop in runs(flat):
        level = quaternion.multiply(quaternion.between(quaternion.rotate(rotations[start:stop], foot.up), UP), rotations[start:stop])
        steady = quaternion.mean(level)
        steady = quaternion.multiply(quaternion.between(quaternion.rotate(steady, foot.up), UP), steady)
        change[start:stop] = quaternion.log(quaternion.multiply(steady, quaternion.conjugate(rotations[start:stop])))
    return quaternion.multiply(quaternion.exp(spread(change, flat, reach)), rotations)


def plant_hand(places: Array, on: Flags, reach: int) -> Array:
    """Places (T, 3) of a hand that does not slide where it stands; its height is left to the ground."""
    shift = np.zeros_like(places)
    for start, stop in runs(on):
        shift[start:stop, :2] = places[start:stop, :2].mean(axis=0) - places[start:stop, :2]
    return places + spread(shift, on, reach)
