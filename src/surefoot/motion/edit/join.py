"""One motion after another, and one mixed with another.

`concatenate` moves the second motion along the floor so that it goes on from the first. Where their poses in the middle of the overlap are
alike, the nearest move tells how; where they are not, the trunk goes on from its place in the direction in which it was going, or facing.
Through the overlap the poses pass from one to the other with a weight w = 3 s^2 - 2 s^3.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.errors import InputError
from surefoot.motion import quaternion
from surefoot.motion.anatomy import Anatomy, anatomy
from surefoot.motion.edit.measure import facing, size_factors, wrap
from surefoot.motion.edit.planar import Planar, move, nearest
from surefoot.motion.edit.resample import at_times, resample
from surefoot.motion.limits import check_size
from surefoot.motion.motion import Motion

Array = NDArray[np.float64]


ALIKE = 0.03
"""Poses that differ by no more than this share of the body's height (root mean square) are alike."""
WINDOW = 0.6
"""Time over which a direction of travel is measured, about a step [s]."""
MOVING = 0.4
"""Speed from which on the direction of travel counts rather than that of facing, for a body of 1.7 m [m/s]."""


def concatenate(first: Motion, second: Motion, blend: float = 0.2, *, body: Anatomy | None = None) -> Motion:
    """`first`, then `second` turned and shifted to go on from there; they overlap for `blend` seconds.

    Without overlap the second's first frame falls on the first's last, which stays.
    """
    _check_alike(first, second, "concatenated")
    if not (np.isfinite(blend) and blend >= 0.0):
        raise InputError(f"the overlap is a time of 0 s or more, got {blend}.")
    second = resample(second, first.fps)
    shared = round(blend / first.frame_time) + 1  # frames on which both stand
    if shared > min(first.num_frames, second.num_frames):
        shortest = min(first.duration, second.duration)
        raise InputError(f"an overlap of {blend:g} s is longer than the shorter of the two motions, {shortest:.6g} s.")
    middle = shared // 2
    second = move(second, _going_on(first, first.num_frames - shared + middle, second, middle, body))
    check_size(first.num_frames + second.num_frames - shared, first.skeleton.num_joints)
    s = (np.arange(shared) / max(shared - 1, 1))[:, None]
    weight = s * s * (3.0 - 2.0 * s)
    start = first.num_frames - shared
    over = _mix(first.translations[start:], first.rotations[start:], second.translations[:shared], second.rotations[:shared], weight)
    translations = np.concatenate([first.translations[:start], over[0], second.translations[shared:]])
    rotations = np.concatenate([first.rotations[:start], over[1], second.rotations[shared:]])
    contacts = None
    if first.contacts is not None and second.contacts is not None:
        both = np.where(weight < 0.5, first.contacts[start:], second.contacts[:shared])
        contacts = np.concatenate([first.contacts[:start], both, second.contacts[shared:]])
    return first.replace(translations=translations, rotations=rotations, contacts=contacts)


def _going_on(first: Motion, at: int, second: Motion, there: int, body: Anatomy | None) -> Planar:
    """The move that makes `second`, at its frame `there`, go on from `first` at its frame `at`."""
    onto, points = first.joint_positions[at], second.joint_positions[there]
    by = nearest(onto, points)
    if np.sqrt(np.mean(np.sum((by.points(points) - onto) ** 2, axis=-1))) < ALIKE * first.skeleton.height:
        return by
    body = body or anatomy(first.skeleton, first)
    before = _direction(first, max(0, at - _frames(first)), at, body)
    after = _direction(second, there, min(second.num_frames - 1, there + _frames(second)), body)
    turn = before[0] - after[0]
    if before[1] is not None and after[1] is not None:
        travel = before[1] - after[1]
        # Somebody who walks sideways after walking ahead goes on facing ahead.
        turn = travel if abs(float(wrap(travel - turn))) < np.pi / 4.0 else turn
    return nearest(onto[[body.trunk]], points[[body.trunk]], yaw=float(wrap(turn)))


def _frames(motion: Motion) -> int:
    return max(1, round(WINDOW / motion.frame_time))


def _direction(motion: Motion, start: int, end: int, body: Anatomy) -> tuple[float, float | None]:
    """The angles in which the trunk faces and travels from frame to frame [rad]; no travel when it is slow."""
    path = motion.joint_positions[start : end + 1, body.trunk, :2]
    faces = float(np.mean(facing(motion, body)[start : end + 1]))
    net = path[-1] - path[0]
    _, speed = size_factors(motion)
    if end == start or float(np.linalg.norm(net)) < MOVING * speed * (end - start) * motion.frame_time:
        return faces, None
    return faces, float(np.arctan2(net[1], net[0]))


def blend(first: Motion, second: Motion, weight: ArrayLike) -> Motion:
    """The mixture of two motions: `first` where the weight is 0, `second` where it is 1; one weight, or one for each frame of `first`.

    The second is stretched in time onto the frames of the first; the time of a frame is mixed with the mean weight. Places are not aligned.
    """
    _check_alike(first, second, "blended")
    weights = np.asarray(weight, dtype=float)
    if weights.shape not in ((), (first.num_frames,)) or not ((weights >= 0.0) & (weights <= 1.0)).all():
        raise InputError(
            f"a blend needs one weight between 0 and 1, or {first.num_frames} of them (one a frame); got shape {weights.shape}."
        )
    per_frame = np.broadcast_to(weights, (first.num_frames,))[:, None]
    share = float(per_frame.mean())
    stretched = at_times(second, np.linspace(0.0, second.duration, first.num_frames), first.frame_time)
    frame_time = first.frame_time
    if first.num_frames > 1 and second.num_frames > 1:
        frame_time = (1.0 - share) * first.frame_time + share * second.duration / (first.num_frames - 1)
    translations, rotations = _mix(first.translations, first.rotations, stretched.translations, stretched.rotations, per_frame)
    contacts = None
    if first.contacts is not None and stretched.contacts is not None:
        contacts = np.where(per_frame < 0.5, first.contacts, stretched.contacts)
    return first.replace(translations=translations, rotations=rotations, frame_time=frame_time, contacts=contacts)


def _mix(t0: Array, r0: Array, t1: Array, r1: Array, weight: Array) -> tuple[Array, Array]:
    """Translations (T, J, 3) and rotations (T, J, 4) between two, weight (T, 1)."""
    w = np.broadcast_to(weight, r0.shape[:-1])
    return t0 + w[..., None] * (t1 - t0), np.where(w[..., None] == 0.0, r0, quaternion.slerp(r0, r1, w))


def _check_alike(first: Motion, second: Motion, verb: str) -> None:
    """An error unless both motions have the same joints in the same tree."""
    a, b = first.skeleton, second.skeleton
    if a.names != b.names or not np.array_equal(a.parents, b.parents):
        missing = sorted(set(a.names) ^ set(b.names))[:4]
        told = f"; only one of them has {', '.join(missing)}" if missing else "; the trees differ"
        raise InputError(
            f"motions of different skeletons ({a.num_joints} and {b.num_joints} joints) cannot be {verb}{told}. "
            "Retarget one to the other's body first."
        )
