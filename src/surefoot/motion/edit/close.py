"""Closing a cycle, and laying cycles end to end.

Let G be the move along the floor that brings the first frame nearest to the last. What then still differs at the seam, a pose by e and
a velocity by f, is spread over the cycle of duration D: with u = t / D and r a short time at either end, the pose at u moves by

    c(u) = (u - 1/2) e  -  (r / 2) ( h(x) + h(y) ) f,        h(x) = x (1 - x)^2,   x = min(t / r, 1),   y = min((D - t) / r, 1)

so that c(D) - c(0) = e and c'(D) - c'(0) = f: afterwards the last pose is G times the first, and their velocities meet, too. Rotations are
corrected on the right (in their own frame) by exp(c); places of the roots in a frame that turns evenly with G.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from surefoot.errors import InputError
from surefoot.motion import quaternion
from surefoot.motion.edit.cut import cut_frames
from surefoot.motion.edit.measure import wrap
from surefoot.motion.edit.planar import Planar, nearest
from surefoot.motion.limits import check_size
from surefoot.motion.motion import Motion

Array = NDArray[np.float64]

REACH = 0.25
"""Time at each end over which a difference of velocity is spread [s]; at most half the cycle."""
FIT = 0.06
"""Time over which velocities at the seam are measured [s]; noise at high frame rates would rule otherwise."""


def close_frames(motion: Motion, first: int, last: int, straighten: float = 0.0) -> Motion:
    """Frames `first` to `last` as a cycle: the last becomes the first, moved along the floor."""
    if last - first < 2:
        raise InputError(f"a cycle needs at least three frames, got those from {first} to {last}.")
    part = cut_frames(motion, first, last)
    step = stride(part, straighten)
    translations, rotations = np.array(part.translations), np.array(part.rotations)
    roots = list(part.skeleton.roots)
    inner = [j for j in range(part.skeleton.num_joints) if j not in roots]
    frames = part.num_frames
    ramp = np.arange(frames) / (frames - 1)
    # Rotations: in each joint's own frame, where the turn of the floor does not enter.
    goal = np.array(rotations[0])
    goal[roots] = quaternion.multiply(step.rotation, goal[roots])
    gap = quaternion.log(quaternion.multiply(quaternion.conjugate(rotations[-1]), goal))
    turns = quaternion.log(quaternion.multiply(quaternion.conjugate(rotations[:-1]), rotations[1:])) / part.frame_time
    fix = _spread(gap, _seam_jump(turns, part.frame_time), ramp, part.frame_time)
    rotations = quaternion.multiply(rotations, quaternion.exp(fix))
    # Translations of joints below others.
    moves = np.diff(translations, axis=0) / part.frame_time
    jump = _seam_jump(moves, part.frame_time)
    translations[:, inner] += _spread(translations[0, inner] - translations[-1, inner], jump[inner], ramp, part.frame_time)
    # Places of the roots: seen from a frame that turns evenly with the cycle, as the end sees it.
    turning = np.exp(1j * step.yaw * (ramp - 1.0))
    gap = step.points(translations[0, roots]) - translations[-1, roots]
    jump = _seam_jump(moves[:, roots], part.frame_time, step)
    fix = _spread(gap, jump, ramp, part.frame_time)
    flat = (fix[..., 0] + 1j * fix[..., 1]) * turning[:, None]
    translations[:, roots] += np.stack([flat.real, flat.imag, fix[..., 2]], axis=-1)
    # The two ends meet but for rounding: make it exact.
    translations[-1], rotations[-1] = translations[0], rotations[0]
    translations[-1, roots] = step.points(translations[0, roots])
    rotations[-1, roots] = quaternion.multiply(step.rotation, rotations[0, roots])
    contacts = None
    if part.contacts is not None:
        contacts = np.array(part.contacts)
        contacts[-1] = contacts[0]
    return part.replace(translations=translations, rotations=rotations, contacts=contacts, source=replace(part.source, loop=True))


def stride(motion: Motion, straighten: float = 0.0) -> Planar:
    """The move along the floor from the first frame to the last; turns of less than `straighten` [rad] count as none."""
    at = motion.joint_positions
    step = nearest(at[-1], at[0])
    if abs(float(wrap(step.yaw))) < straighten:
        return nearest(at[-1], at[0], yaw=0.0)
    return step


def repeat(motion: Motion, times: int) -> Motion:
    """A cycle laid end to end `times` times, each moved on from the one before; shared frames stand once."""
    if times != int(times) or times < 1:
        raise InputError(f"a motion is repeated a whole number of times, 1 or more; got {times}.")
    if motion.num_frames < 2 or times == 1:
        return motion
    check_size(int(times) * (motion.num_frames - 1) + 1, motion.skeleton.num_joints)
    step = stride(motion)
    roots = list(motion.skeleton.roots)
    translations, rotations, contacts = [motion.translations], [motion.rotations], [motion.contacts]
    place = Planar()
    for _ in range(int(times) - 1):
        place = step.after(place)
        moved, turned = np.array(motion.translations[1:]), np.array(motion.rotations[1:])
        moved[:, roots] = place.points(moved[:, roots])
        turned[:, roots] = quaternion.multiply(place.rotation, turned[:, roots])
        translations.append(moved)
        rotations.append(turned)
        contacts.append(None if motion.contacts is None else motion.contacts[1:])
    joined = None if motion.contacts is None else np.concatenate([c for c in contacts if c is not None])
    return motion.replace(translations=np.concatenate(translations), rotations=np.concatenate(rotations), contacts=joined)


def _seam_jump(steps: Array, frame_time: float, turn: Planar | None = None) -> Array:
    """By how much the velocity at the start (turned on by `turn`) exceeds that at the end, from rates between frames (T - 1, ..., D)."""
    count = int(np.clip(round(FIT / frame_time), 2, max(2, len(steps) // 2)))
    begin, end = _at_edge(steps[:count]), _at_edge(steps[::-1][:count])
    if turn is not None:
        begin = quaternion.rotate(turn.rotation, begin)
    jump = begin - end
    # What velocities change by from one frame to the next anyway is no jump: a cycle that meets itself is left alone.
    usual = np.percentile(np.linalg.norm(np.diff(steps, axis=0), axis=-1), 75.0, axis=0)
    size = np.linalg.norm(jump, axis=-1)
    return jump * np.maximum(0.0, 1.0 - usual / np.maximum(size, 1e-300))[..., None]


def _at_edge(steps: Array) -> Array:
    """Rates half a frame, one and a half, ... from an edge, carried on to it along a straight line (least squares)."""
    if len(steps) < 2:
        return np.asarray(steps[0])
    x = np.arange(len(steps)) + 0.5
    weights = 1.0 / len(x) - x.mean() * (x - x.mean()) / np.sum((x - x.mean()) ** 2)
    return np.asarray(np.tensordot(weights, steps, axes=1))


def _spread(gap: Array, jump: Array, ramp: Array, frame_time: float) -> Array:
    """The correction c at each frame (T, ...) for a gap e of the pose and a jump f of the velocity."""
    duration = (len(ramp) - 1) * frame_time
    reach = min(REACH, 0.5 * duration)
    shape = (-1,) + (1,) * gap.ndim
    to_end = np.clip((1.0 - ramp) * duration / reach, 0.0, 1.0)
    to_start = np.clip(ramp * duration / reach, 0.0, 1.0)
    # Slope -1/2 at the start and +1/2 at the end, no value there; flat where it leaves off.
    bend = -0.5 * reach * (to_end * (1.0 - to_end) ** 2 + to_start * (1.0 - to_start) ** 2)
    return (ramp - 0.5).reshape(shape) * gap + bend.reshape(shape) * jump
