"""Capsules around bones (Wide band 4.1), with girth where a trunk needs it and soles where feet stand.

A body covers its own joint, the joints of the bodies that hang on it, and what was merged into it. One far point makes a
capsule along the bone; several make a capsule along their principal direction. A limb's radius is a part of its length;
the trunk's comes from how far its limbs stand apart, so that a person weighs what a person weighs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.character.blueprint import Shape
from surefoot.character.rig.bones import Bone
from surefoot.character.rig.config import RigConfig
from surefoot.character.rig.draft import Draft
from surefoot.character.rig.soles import Sole
from surefoot.character.shapes import capsule, sphere
from surefoot.motion import quaternion

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Points:
    """What a body has to cover, in its frame."""

    children: Array  # (N, 3) joints of the bodies that hang on it
    merged: Array  # (M, 3) joints and tips that were merged into it


def points(draft: Draft, bones: list[Bone]) -> dict[int, Points]:
    """For each body what it has to cover."""
    skeleton = draft.motion.skeleton
    positions, rotations = skeleton.rest
    ends = skeleton.tip_positions(positions, rotations)
    out = {}
    for b in bones:
        j = b.joint
        children = [c.offset for c in bones if c.parent == j]
        extra = [positions[k] for k in range(skeleton.num_joints) if draft.owner[k] == j and k != j]
        extra += [ends[i] for i, tip in enumerate(skeleton.tips) if draft.owner[tip.joint] == j]
        local = quaternion.rotate(quaternion.conjugate(rotations[j]), np.reshape(extra, (-1, 3)) - positions[j])
        out[j] = Points(children=np.reshape(children, (-1, 3)), merged=local)
    return out


def flesh(draft: Draft, bones: list[Bone], soles: dict[int, Sole], config: RigConfig) -> dict[int, list[Shape]]:
    """The shapes of every body, in its frame."""
    covered = points(draft, bones)
    girth = _girths(draft, bones)
    out = {}
    for b in bones:
        if b.joint in soles:
            out[b.joint] = soles[b.joint].shapes(_far(covered[b.joint]))
        else:
            out[b.joint] = _shape(b, covered[b.joint], girth.get(b.joint), draft, config)
    return out


def _far(points: Points) -> Array:
    return np.concatenate([points.children, points.merged])


def _shape(bone: Bone, points: Points, girth: float | None, draft: Draft, config: RigConfig) -> list[Shape]:
    own = np.zeros((1, 3))
    ends = _far(points)
    ends = ends[np.linalg.norm(ends, axis=-1) > config.helper * draft.size]
    if not len(ends):
        return [_stump(bone, girth, draft, config)]
    cloud = np.concatenate([own, ends])
    start, end, spread = _principal(cloud)
    length = float(np.linalg.norm(end - start))
    if _one_direction(ends):
        # One bone: from the joint to its far end.
        end = ends[np.argmax(np.linalg.norm(ends, axis=-1))]
        start, length, spread = own[0], float(np.linalg.norm(end)), 0.0
    is_head = bone.joint == draft.anatomy.head
    radius = max(config.limb_radius * length, girth or 0.0, 0.8 * spread, 0.38 * length if is_head else 0.0)
    radius = min(radius, 0.5 * max(length, 2.0 * (girth or 0.0)))
    return [capsule(start, end, radius) if length > 2.0 * radius else sphere(0.5 * (start + end), radius)]


def _stump(bone: Bone, girth: float | None, draft: Draft, config: RigConfig) -> Shape:
    """A body with nothing beyond its joint (a head or hand that is a leaf): half its parent bone's length, onwards."""
    length = float(np.linalg.norm(bone.offset))
    if bone.parent < 0 or length < config.helper * draft.size:
        return sphere(np.zeros(3), max(girth or 0.0, 0.05 * draft.size))
    onwards = quaternion.rotate(quaternion.conjugate(bone.rest), bone.offset / length)
    if bone.joint == draft.anatomy.head:
        up = quaternion.rotate(quaternion.conjugate(draft.motion.skeleton.rest[1][bone.joint]), draft.anatomy.up)
        radius = float(np.clip(0.5 * length, 0.04 * draft.size, 0.07 * draft.size))
        return sphere((up if np.dot(up, onwards) > 0.3 else onwards) * radius, radius)
    reach = float(np.clip(0.5 * length, 0.03 * draft.size, 0.10 * draft.size))
    return capsule(np.zeros(3), reach * onwards, 0.3 * reach)


def _one_direction(ends: Array) -> bool:
    """Whether all far points lie in one direction from the joint (within 25 degrees of the farthest)."""
    lengths = np.linalg.norm(ends, axis=-1)
    best = ends[np.argmax(lengths)] / lengths.max()
    return bool(np.all(ends @ best > np.cos(np.radians(25.0)) * lengths))


def _principal(cloud: Array) -> tuple[Array, Array, float]:
    """Ends of the cloud along its principal direction, and half its extent across (Wide band 4.1)."""
    middle = cloud.mean(axis=0)
    directions = np.linalg.svd(cloud - middle, full_matrices=True)[2]
    along = (cloud - middle) @ directions[0]
    across = (cloud - middle) @ directions[1]
    offset = 0.5 * (across.max() + across.min()) * directions[1]
    return middle + along.min() * directions[0] + offset, middle + along.max() * directions[0] + offset, 0.5 * float(np.ptp(across))


def _girths(draft: Draft, bones: list[Bone]) -> dict[int, float]:
    """Radii of the trunk's bodies, from how far apart left and right limbs hang on them; spine, neck and tail taper."""
    anatomy = draft.anatomy
    positions = draft.motion.skeleton.rest[0]
    by_joint = {b.joint: b for b in bones}
    widths: dict[int, float] = {}
    for limbs in (anatomy.legs, anatomy.arms):
        for limb in limbs:
            other = int(anatomy.partner[limb[0]])
            carrier = next((j for j in reversed(draft.motion.skeleton.chain(limb[0])[:-1]) if j in by_joint), None)
            if other < 0 or other == limb[0] or carrier is None:
                continue
            # Arms may begin at a collar bone near the middle: their widest joint that still belongs to the trunk counts.
            apart = max(float(np.linalg.norm(positions[a] - positions[anatomy.partner[a]])) for a in limb[:2] if anatomy.partner[a] >= 0)
            if limbs is anatomy.arms:
                apart = min(apart, 0.22 * draft.size)
            widths[carrier] = max(widths.get(carrier, 0.0), apart)
    core = [j for j in (*anatomy.spine, anatomy.trunk) if j in by_joint]
    if not widths:
        lengths = [float(np.linalg.norm(by_joint[j].offset)) for j in core if by_joint[j].parent >= 0]
        return {j: 0.3 * max(lengths, default=0.2 * draft.size) for j in core}
    usual = float(np.median(list(widths.values())))
    out: dict[int, float] = {}
    shoulders = max((anatomy.spine.index(j) for j in widths if j in anatomy.spine), default=len(anatomy.spine) - 1)
    for i, j in enumerate(anatomy.spine):
        if j in by_joint and j != anatomy.head:
            neck = i > shoulders
            out[j] = (0.25 if neck else 0.5) * widths.get(j, usual)
    for j in core:
        out.setdefault(j, 0.5 * widths.get(j, usual))
    tail = [j for j in anatomy.tail if j in by_joint]
    for i, j in enumerate(tail):
        out[j] = 0.35 * usual * (1.0 - (i + 0.5) / (len(tail) + 0.5))
    if anatomy.head in out:
        del out[anatomy.head]
    return {j: min(r, 0.12 * draft.size) for j, r in out.items()}


