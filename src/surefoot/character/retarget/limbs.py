"""Limbs of a skeleton as lines of points: joints, and the tip beyond the last one.

A limb is a polyline p_0 … p_n that starts at the hip or shoulder; a point is fixed in the frame of one joint. The spine runs from the trunk
to the head, and its carrier is the joint that the arms hang from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.motion import quaternion
from surefoot.motion.anatomy import Anatomy
from surefoot.motion.anatomy.pose import Pose
from surefoot.motion.skeleton import Skeleton

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Point:
    """A point fixed in a joint's frame."""

    joint: int
    offset: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def places(self, positions: Array, rotations: Array) -> Array:
        """World positions (..., 3) from the joints' world transforms."""
        if not any(self.offset):
            return np.asarray(positions[..., self.joint, :])
        return np.asarray(positions[..., self.joint, :] + quaternion.rotate(rotations[..., self.joint, :], np.array(self.offset)))


@dataclass(frozen=True, kw_only=True)
class Limb:
    """One limb of a skeleton."""

    kind: str
    """"leg", "arm", "spine" or "tail"."""
    side: str
    """"left", "right" or "centre"."""
    label: str
    """"left leg", "front left leg", ..."""
    points: tuple[Point, ...]
    """From the hip, shoulder or trunk outward; the last may be a tip."""
    end: int
    """Number of the end effector's point: the ankle of a leg with a foot, else the last."""
    carrier: int = 0
    """Spine: number of the point that carries arms or front legs; 0 when there is none."""

    @property
    def joints(self) -> tuple[int, ...]:
        """Joints of the points, without the tip."""
        return tuple(dict.fromkeys(p.joint for p in self.points))


def limbs(skeleton: Skeleton, found: Anatomy, pose: Pose) -> list[Limb]:
    """All limbs of a skeleton."""
    out: list[Limb] = []
    for kind, chains, ends in (("leg", found.legs, found.feet), ("arm", found.arms, found.hands)):
        rows = -(-len(chains) // 2)
        for i, (chain, end) in enumerate(zip(chains, ends, strict=True)):
            points = _points(skeleton, pose, chain)
            at = next((k for k, p in enumerate(points) if p.joint == end), len(points) - 1)
            if kind == "leg" and (at < 2 or _stands_on_tip(points, at, pose)):
                at = len(points) - 1
            elif kind == "arm":
                at = max(at, 1) if at < len(points) else len(points) - 1
            side = found.side[chain[-1]]
            row = "" if rows < 2 else ("front ", "middle ", "hind ")[0 if i < 2 else 2 if i >= 2 * rows - 2 else 1]
            out.append(Limb(kind=kind, side=side, label=f"{row}{side} {kind}", points=tuple(points), end=min(at, len(points) - 1)))
    if len(found.spine) > 1 or found.head is not None:
        points = _points(skeleton, pose, found.spine, up=found.up)
        carrier = _carrier(skeleton, found, points)
        out.append(Limb(kind="spine", side="centre", label="spine", points=tuple(points), end=len(points) - 1, carrier=carrier))
    if len(found.tail) > 1:
        points = _points(skeleton, pose, found.tail)
        out.append(Limb(kind="tail", side="centre", label="tail", points=tuple(points), end=len(points) - 1))
    return out


def _points(skeleton: Skeleton, pose: Pose, chain: Sequence[int], up: Array | None = None) -> list[Point]:
    """Joints of a chain without those that stand on the one before them, and the farthest tip of the last joint."""
    small = 0.004 * pose.height
    points: list[Point] = []
    for j in chain:
        if points and np.linalg.norm(pose.positions[j] - pose.positions[points[-1].joint]) < small:
            points[-1] = Point(joint=j)
        else:
            points.append(Point(joint=j))
    if len(points) > 1 and points[0].joint != chain[0] and up is not None:
        points[0] = Point(joint=chain[0])
    last = points[-1].joint
    ends = [tip.offset for tip in skeleton.tips if tip.joint == last]
    if not ends:
        inside = [j for j in skeleton.descendants(last) if j != last]
        inverse = quaternion.conjugate(pose.rotations[last])
        ends = [quaternion.rotate(inverse, pose.positions[j] - pose.positions[last]) for j in inside]
    if ends:
        reach = [float(np.linalg.norm(e)) if up is None else float(quaternion.rotate(pose.rotations[last], e) @ up) for e in ends]
        far = np.asarray(ends[int(np.argmax(reach))])
        if np.linalg.norm(far) > small:
            points.append(Point(joint=last, offset=(float(far[0]), float(far[1]), float(far[2]))))
    return points


def _stands_on_tip(points: list[Point], at: int, pose: Pose) -> bool:
    """Whether a leg has no ankle: beyond the last joint comes a long bone down to the ground."""
    if at != len(points) - 2 or points[at].joint != points[at + 1].joint:
        return False
    first, joint, tip = (points[i].places(pose.positions, pose.rotations) for i in (0, at, at + 1))
    return float(joint[2] - tip[2]) > 0.25 * float(first[2] - tip[2])


def _carrier(skeleton: Skeleton, found: Anatomy, points: list[Point]) -> int:
    """Number of the spine's point that the arms, or the front legs, hang from; 0 when all limbs hang from the trunk."""
    joints = [p.joint for p in points if not any(p.offset)]
    spine = list(found.spine)
    best = 0
    for chain in (*found.arms, *found.legs):
        at = next((spine.index(j) for j in reversed(skeleton.chain(chain[0])[:-1]) if j in spine), 0)
        best = max(best, max(i for i, k in enumerate(joints) if spine.index(k) <= at))
    return best
