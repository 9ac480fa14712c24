"""Feet that can stand: where the ground is in each foot's frame, and a box or a ball that rests on it.

The clip tells: in the frames in which a foot is lowest it stands on the ground, so the ground's normal and distance in the
foot's frame are the medians over those frames. Without such frames the rest pose tells, its lowest point being the ground.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.character.blueprint import Shape
from surefoot.character.rig.draft import Draft
from surefoot.character.shapes import box, capsule
from surefoot.motion import quaternion

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Sole:
    """The ground under one foot body, in the body's frame."""

    normal: Array  # (3,)
    """Upwards."""
    depth: float
    """From the joint down to the ground [m]."""
    forward: Array  # (3,)
    """Along the foot, at right angles to the normal."""
    heel: float
    """How far the foot reaches back from the joint [m]."""
    toe: float
    """How far it reaches forward where nothing in the skeleton tells [m]."""
    width: float
    """[m]"""
    thickness: float
    """[m]"""

    def shapes(self, ends: Array) -> list[Shape]:
        """The foot around the far points `ends` (N, 3) of its body."""
        down = -self.depth * self.normal
        if not len(ends) and self.depth > 3.0 * self.thickness:
            # A leg of a single joint: a shank down to its foot.
            return [self._box(self.toe, 0.0), capsule(np.zeros(3), down + self.thickness * self.normal, 0.45 * self.width)]
        along = ends @ self.forward if len(ends) else np.zeros(0)
        drop = -(ends @ self.normal) if len(ends) else np.zeros(0)
        if len(ends) and self.depth > 1.4 * self.width and drop.max() > 0.5 * float(np.linalg.norm(ends[np.argmax(drop)])):
            # A shank, not a foot: the leg ends in a point. A rounded end stands on it.
            end = ends[np.argmax(drop)]
            return [capsule(np.zeros(3), end, min(0.5 * self.width, 0.2 * float(np.linalg.norm(end))))]
        front = max(float(along.max()), 0.25 * self.toe) if len(ends) and along.max() > 0.2 * self.toe else self.toe
        side = np.cross(self.normal, self.forward)
        return [self._box(front, float(np.median(ends @ side)) * 0.5 if len(ends) else 0.0)]

    def _box(self, front: float, across: float) -> Shape:
        half = (0.5 * (front + self.heel), 0.5 * self.width, 0.5 * self.thickness)
        side = np.cross(self.normal, self.forward)
        frame = quaternion.from_matrix(np.stack([self.forward, side, self.normal], axis=-1))
        center = (half[2] - self.depth) * self.normal + 0.5 * (front - self.heel) * self.forward + across * side
        return box(center, frame, half)


def soles(draft: Draft) -> dict[int, Sole]:
    """The sole of every body that stands: feet and their toes; mirror partners share theirs."""
    out: dict[int, Sole] = {}
    if not draft.anatomy.legs:
        return out
    ground = _ground(draft)
    for leg in draft.anatomy.legs:
        standing = [j for j in leg if draft.owner[j] == j and (j in draft.anatomy.feet or _is_toe(draft, j))]
        length = max(_leg_length(draft, leg, ground), 0.02 * draft.size)
        for j in standing:
            sole = _sole(draft, j, standing, ground, length)
            if sole is not None:
                out[j] = sole
    return _symmetric(draft, out)


def _is_toe(draft: Draft, joint: int) -> bool:
    return int(draft.motion.skeleton.parents[joint]) in draft.anatomy.feet


def _leg_length(draft: Draft, leg: tuple[int, ...], ground: float) -> float:
    positions = draft.motion.skeleton.rest[0]
    length = float(np.linalg.norm(np.diff(positions[list(leg)], axis=0), axis=-1).sum()) + _beyond(draft, leg[-1])
    return length or float(np.median(draft.motion.joint_positions[:, leg[0], 2])) - ground or 0.5 * draft.size


def _beyond(draft: Draft, joint: int) -> float:
    """How far the tips of a joint reach [m]."""
    return max((float(np.linalg.norm(tip.offset)) for tip in draft.motion.skeleton.tips if tip.joint == joint), default=0.0)


def _bare(draft: Draft) -> bool:
    """Whether the legs are single joints (hips) with nothing below them: then the ground is at height zero, if they stand above it."""
    tips = {tip.joint for tip in draft.motion.skeleton.tips}
    legs = draft.anatomy.legs
    return (
        all(len(leg) == 1 and leg[0] not in tips for leg in legs)
        and float(draft.motion.skeleton.rest[0][[leg[0] for leg in legs], 2].min()) > 0.0
    )


def _ground(draft: Draft) -> float:
    """Height of the ground in the clip [m]: a low percentile of the lowest point over time."""
    if _bare(draft):
        return 0.0
    motion = draft.motion
    legs = [j for leg in draft.anatomy.legs for j in leg]
    ends = [i for i, tip in enumerate(motion.skeleton.tips) if tip.joint in legs]
    lowest = motion.joint_positions[:, legs, 2].min(axis=1)
    if ends:
        lowest = np.minimum(lowest, motion.tip_positions[:, ends, 2].min(axis=1))
    return float(np.percentile(lowest, 20.0))


def _sole(draft: Draft, joint: int, standing: list[int], ground: float, leg: float) -> Sole | None:
    motion = draft.motion
    heights = motion.joint_positions[:, standing, 2].sum(axis=1)
    flat = heights <= np.percentile(heights, 15.0) + 1e-9
    up = np.array([0.0, 0.0, 1.0])
    normals = quaternion.rotate(quaternion.conjugate(motion.joint_rotations[flat, joint]), up)
    depth = float(np.median(motion.joint_positions[flat, joint, 2])) - ground
    normal = np.median(normals, axis=0)
    agree = float(np.linalg.norm(normals.mean(axis=0)))
    deepest = max(0.5 * leg, 1.2 * _beyond(draft, joint))  # a leg without a foot ends in its shank
    if not _bare(draft) and (agree < 0.95 or not -0.01 * draft.size < depth < deepest):
        positions, rotations = motion.skeleton.rest
        lowest = min(float(positions[:, 2].min()), *(float(z) for z in motion.skeleton.tip_positions(positions, rotations)[:, 2]), np.inf)
        normal = quaternion.rotate(quaternion.conjugate(rotations[joint]), up)
        depth = float(positions[joint, 2]) - lowest
        if not 0.0 <= depth < deepest:
            depth = 0.05 * leg
    normal = normal / np.linalg.norm(normal)
    forward = _forward(draft, joint, normal)
    toe = _is_toe(draft, joint)
    depth = max(depth, 0.01 * leg)
    return Sole(
        normal=normal,
        depth=depth,
        forward=forward,
        heel=0.0 if toe else 0.07 * leg,
        toe=0.10 * leg if toe else 0.20 * leg,
        width=0.10 * leg,
        thickness=float(np.clip(0.7 * depth, 0.03 * leg, 0.07 * leg)) if not toe else float(np.clip(depth, 0.025 * leg, 0.05 * leg)),
    )


def _forward(draft: Draft, joint: int, normal: Array) -> Array:
    """Along the foot: towards its toe, else the way the character faces; at right angles to the normal."""
    skeleton = draft.motion.skeleton
    positions, rotations = skeleton.rest
    ends = [positions[c] for c in skeleton.children[joint]]
    ends += [p for p, tip in zip(skeleton.tip_positions(positions, rotations), skeleton.tips, strict=True) if tip.joint == joint]
    inverse = quaternion.conjugate(rotations[joint])
    facing = quaternion.rotate(inverse, draft.anatomy.forward)
    direction = facing
    if ends:
        far = max(ends, key=lambda p: float(np.linalg.norm(p - positions[joint])))
        local = quaternion.rotate(inverse, far - positions[joint])
        flat = local - normal * float(local @ normal)
        if np.linalg.norm(flat) > 0.5 * np.linalg.norm(local):
            direction = flat
    direction = direction - normal * float(direction @ normal)
    if np.linalg.norm(direction) < 1e-6:
        direction = np.cross(normal, [0.3, 0.5, 0.8])
    return np.asarray(direction / np.linalg.norm(direction))


def _symmetric(draft: Draft, found: dict[int, Sole]) -> dict[int, Sole]:
    """Both sides get the mean depth and direction and the same sizes, so that the character does not stand crooked."""
    rotations, left = draft.motion.skeleton.rest[1], draft.anatomy.left
    out = {}
    for j, sole in found.items():
        k = int(draft.anatomy.partner[j])
        other = found.get(k, sole)

        def shared(mine: Array, theirs: Array, j: int = j, k: int = k) -> Array:
            world, mirrored = quaternion.rotate(rotations[j], mine), quaternion.rotate(rotations[k], theirs)
            mirrored = mirrored - 2.0 * float(mirrored @ left) * left
            if k == j or float(world @ mirrored) < 0.9:
                return mine
            both = world + mirrored
            return quaternion.rotate(quaternion.conjugate(rotations[j]), both / np.linalg.norm(both))

        normal = shared(sole.normal, other.normal)
        forward = shared(sole.forward, other.forward)
        forward = forward - normal * float(forward @ normal)
        out[j] = Sole(
            normal=normal,
            depth=0.5 * (sole.depth + other.depth),
            forward=forward / np.linalg.norm(forward),
            heel=0.5 * (sole.heel + other.heel),
            toe=0.5 * (sole.toe + other.toe),
            width=0.5 * (sole.width + other.width),
            thickness=0.5 * (sole.thickness + other.thickness),
        )
    return out
