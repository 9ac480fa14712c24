"""Joints that hang from a far ancestor: exports of deform bones alone, or of a flattened hierarchy, hang limbs on the rig's root.

In the frame of the joint k that carries it a joint j keeps its place through the clip, in its parent's p it does not:

    w(j, k) = max_t | R_k^-1 (x_j - x_k) - median |,      w(j, p) large,      w(j, k) ~ 0

Links that wander cut the skeleton into pieces. One piece, which travels, stays where it is; the others are hung one by one from the
nearest joint that carries them. A bone that stretches keeps its place nowhere, and stays, too.

Where most joints are roots (a flattened hierarchy, rigid parts side by side) nothing but places tells what belongs together. All are then
hung, from the hips on: those that keep their places to each other best and are nearest first.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from surefoot.motion import quaternion
from surefoot.motion.anatomy.words import parts, side
from surefoot.motion.motion import Motion
from surefoot.motion.skeleton import Skeleton

Array = NDArray[np.float64]
Bools = NDArray[np.bool_]

WANDERS = 0.02
"""A joint that moves more than this against its parent [heights] is loose."""
KEEPS = 0.003
"""A joint that moves less than this against another [heights] is carried by it."""
FRAMES = 40
MAX_PIECES = 256
FLAT = 0.7
"""A skeleton of which more than this share are roots is no tree."""


LEG, ARM = frozenset({"leg", "foot", "toe"}), frozenset({"arm", "hand", "finger"})


def loose_joints(skeleton: Skeleton, body: Bools, height: float, motion: Motion | None) -> dict[int, int]:
    """For each joint that wanders against its parent, the joint that carries it, where there is one. `body` (J,): joints that count."""
    if motion is None or motion.num_frames < 5:
        return {}
    picked = np.unique(np.linspace(0, motion.num_frames - 1, FRAMES).astype(np.int64))
    at, turned = motion.joint_positions[picked], motion.joint_rotations[picked]
    parents = skeleton.parents
    joints = [j for j in range(len(parents)) if body[j]]
    if _is_flat(parents, joints):
        return _joined(skeleton, at, turned, joints, height)
    loose = [j for j in joints if _strays(at, turned, j, int(parents[j])) > WANDERS * height]
    if not 2 <= len(loose) <= MAX_PIECES:
        return {}
    # The piece that a joint belongs to is named after the loose joint above it, -1 for what is above all of them.
    piece = np.full(len(parents), -1)
    for j in range(len(parents)):
        piece[j] = j if j in loose else piece[parents[j]] if parents[j] >= 0 else -1
    sides = np.array([side(name) for name in skeleton.names])
    carries = np.full((len(loose), len(joints)), np.inf)  # how far away the carrier is
    for i, j in enumerate(loose):
        kept = (_wander(at, turned, j, joints) < KEEPS * height) & (piece[joints] != j) & (piece[joints] >= 0)
        kept &= sides[joints] * sides[j] >= 0  # two feet that stand keep their places to each other
        carries[i, kept] = np.linalg.norm(at[:, joints][:, kept] - at[:, [j]], axis=-1).mean(axis=0)
    carried = np.isfinite(carries).any(axis=1)
    first = [i for i in range(len(loose)) if not carried[i]] or list(range(len(loose)))
    grown = [_grow(i, loose, np.array(joints), piece, carries) for i in first]
    return max(grown, key=len)


def _is_flat(parents: NDArray[np.int64], joints: list[int]) -> bool:
    return 6 <= len(joints) <= MAX_PIECES and float(np.mean(parents[joints] < 0)) > FLAT


def _joined(skeleton: Skeleton, at: Array, turned: Array, joints: list[int], height: float) -> dict[int, int]:
    """One tree of all joints: the pair that keeps its place best and is nearest first, from the hips or the middle of the body on."""
    sides = np.array([side(skeleton.names[j]) for j in joints])
    words = [parts(skeleton.names[j]) for j in joints]
    limb = np.array([bool(w & ARM) - bool(w & LEG) for w in words], dtype=int)
    cost = np.linalg.norm(at[:, joints][:, :, None] - at[:, joints][:, None], axis=-1).mean(axis=0)  # (N, N)
    middle = int(np.argmin(cost.sum(axis=1)))
    for i, j in enumerate(joints):
        if sides[i]:
            cost[i, sides != sides[i]] *= 1.5  # a knee hangs on the thigh, though the hips be nearer
        cost[i] += 5.0 * np.maximum(_wander(at, turned, j, joints) - KEEPS * height, 0.0)
        cost[i, (sides != 0) & (sides != sides[i])] += height  # a tail on a leg, or a leg on the other
        cost[i, limb * limb[i] < 0] += height
    hips = [i for i, w in enumerate(words) if "pelvis" in w and not sides[i]]
    start = min(hips, key=lambda i: float(cost[i].sum())) if hips else middle
    return _grow(start, joints, np.array(joints), np.arange(len(skeleton.parents)), cost)


def _grow(first: int, loose: list[int], joints: NDArray[np.int64], piece: NDArray[np.int64], carries: Array) -> dict[int, int]:
    """What hangs where when one piece stays: the nearest pair of a loose joint and its carrier first, again and again."""
    out: dict[int, int] = {}
    settled = piece[joints] == loose[first]
    waiting = np.ones(len(loose), dtype=bool)
    waiting[first] = False
    while True:
        cost = np.where(waiting[:, None] & settled[None], carries, np.inf)
        i, k = np.unravel_index(int(np.argmin(cost)), cost.shape)
        if not np.isfinite(cost[i, k]):
            return out
        out[loose[i]] = int(joints[k])
        settled |= piece[joints] == loose[i]
        waiting[i] = False


def _strays(at: Array, turned: Array, joint: int, parent: int) -> float:
    """How far a joint strays from its median place in its parent's frame, in the world's for a root."""
    if parent < 0:
        return float(np.linalg.norm(at[:, joint] - np.median(at[:, joint], axis=0), axis=-1).max())
    return float(_wander(at, turned, joint, [parent])[0])


def _wander(at: Array, turned: Array, joint: int, others: list[int]) -> Array:
    """How far a joint strays from its median place in each of the other joints' frames (len(others),)."""
    places = quaternion.rotate(quaternion.conjugate(turned[:, others]), at[:, [joint]] - at[:, others])
    return np.asarray(np.linalg.norm(places - np.median(places, axis=0), axis=-1).max(axis=0))
