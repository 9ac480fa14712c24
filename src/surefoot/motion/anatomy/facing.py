"""Forward: weighed votes of the toes, the names of the sides, the head, the tail and the way the body travels.

Each vote says how far along f = l x up it points (l: the plane's normal towards the supposed left), in [-1, 1].
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from surefoot.motion import quaternion
from surefoot.motion.anatomy.limbs import Limb, Tree
from surefoot.motion.anatomy.symmetry import Symmetry
from surefoot.motion.motion import Motion

Array = NDArray[np.float64]

UP: Array = np.array([0.0, 0.0, 1.0])
UP.flags.writeable = False


def facing(
    tree: Tree, symmetry: Symmetry, limbs: list[Limb], trunk: int, head: int | None, tail: tuple[int, ...], motion: Motion | None
) -> tuple[Array, float, list[str]]:
    """Forward (unit, horizontal, in the pose), confidence in [0, 1], notes."""
    notes: list[str] = []
    travel = _travel(tree, trunk, motion)
    if symmetry.normal is None:
        guess = travel if np.linalg.norm(travel) > 0.2 else _long_way(tree, trunk, head)
        notes.append("no left and right found: forward is " + ("the way it travels" if np.linalg.norm(travel) > 0.2 else "a guess"))
        return guess / np.linalg.norm(guess), 0.3, notes
    forward = np.cross(symmetry.normal, UP)
    votes: dict[str, tuple[float, float]] = {}
    if symmetry.by_name:
        votes["the names of left and right"] = (1.0, 3.0)
    toes = [_toe(tree, limb, forward) for limb in limbs if limb.kind == "leg"]
    told = [t for t in toes if t is not None]
    if told:
        votes["the feet"] = (float(np.clip(2.0 * np.mean(told), -1.0, 1.0)), 2.5)
    if head is not None:
        ahead = tree.points[head] - tree.points[trunk]
        share = float(ahead @ forward) / max(float(np.linalg.norm(ahead)), 1e-9)
        if abs(share) > 0.35:
            votes["the head"] = (float(np.sign(share)), 2.0)
    if tail:
        behind = tree.points[tail[-1]] - tree.points[trunk]
        share = -float(behind @ forward) / max(float(np.linalg.norm(behind)), 1e-9)
        if abs(share) > 0.35:
            votes["the tail"] = (float(np.sign(share)), 2.0)
    if np.linalg.norm(travel) > 0.3:
        votes["its travel"] = (float(travel @ forward), 1.0)
    total = sum(v * w for v, w in votes.values())
    sign = 1.0 if total >= 0.0 else -1.0
    against = [name for name, (v, w) in votes.items() if v * sign < -0.3 and w > 1.0]
    if against and votes:
        notes.append(f"{' and '.join(against)} would have it face the other way")
    if not votes:
        notes.append("nothing tells front from back: forward is a guess")
    weight = sum(w for _, w in votes.values())
    return sign * forward, (abs(total) / weight if weight else 0.2), notes


def _toe(tree: Tree, limb: Limb, forward: Array) -> float | None:
    """How far forward the foot points from its ankle, as a share of its length; None when it has no length."""
    at = tree.points[limb.end]
    last = limb.chain[-1]
    ends = list(tree.ends[last])
    if last != limb.end:
        ends.append(tree.points[last])
    if not ends:
        return None
    far = max(ends, key=lambda e: float(np.linalg.norm((e - at)[:2])))
    flat = far - at
    length = float(np.linalg.norm(flat))
    return float(flat @ forward) / length if length > 0.01 * tree.height else None


def _travel(tree: Tree, trunk: int, motion: Motion | None) -> Array:
    """Mean direction of travel in the pose's own frame, as long as the share of the path that goes that way."""
    if motion is None or motion.num_frames < 3:
        return np.zeros(3)
    positions, rotations = motion.joint_positions[:, trunk], motion.joint_rotations[:, trunk]
    steps = np.diff(positions, axis=0)
    steps[:, 2] = 0.0
    if np.linalg.norm(steps.sum(axis=0)) < 0.3 * tree.height:
        return np.zeros(3)
    fast = np.linalg.norm(steps, axis=1)
    steps = steps[fast < 10.0 * np.median(fast) + 1e-9]
    turned = rotations[:-1][fast < 10.0 * np.median(fast) + 1e-9]
    own = quaternion.rotate(quaternion.multiply(tree.pose.rotations[trunk], quaternion.conjugate(turned)), steps)
    own[:, 2] = 0.0
    path = np.linalg.norm(own, axis=1).sum()
    return own.sum(axis=0) / path if path > 1e-9 else np.zeros(3)


def _long_way(tree: Tree, trunk: int, head: int | None) -> Array:
    """Towards the head when it lies ahead of the trunk, else the pose's longer horizontal side."""
    if head is not None:
        ahead = (tree.points[head] - tree.points[trunk]) * [1.0, 1.0, 0.0]
        if np.linalg.norm(ahead) > 0.3 * tree.height:
            return ahead
    return np.array([0.0, -1.0, 0.0])
