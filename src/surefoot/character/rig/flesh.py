"""Shapes around bones (Wide band 4.1), with girth where a trunk needs it and soles where feet stand.

A body covers its own joint, the joints of the bodies that hang on it, and what was merged into it. One far point makes a
capsule along the bone; several make a capsule along their principal direction. A limb's radius is a part of its length;
the trunk's width is how far its limbs stand apart, and its bodies are capsules across it where they are wider than long.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

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

THINNEST, THICKEST = 0.009, 0.07
"""Radii of limbs, as parts of the body's size."""
DEPTH = 0.36
"""Radius of the trunk as a part of its width: trunks are flatter than wide."""


@dataclass(frozen=True, kw_only=True)
class Points:
    """What a body has to cover, in its frame."""

    children: Array  # (N, 3) joints of the bodies that hang on it
    merged: Array  # (M, 3) joints and tips that were merged into it

    @property
    def far(self) -> Array:
        return np.concatenate([self.children, self.merged])


def points(draft: Draft, bones: list[Bone]) -> dict[int, Points]:
    """For each body what it has to cover."""
    skeleton = draft.motion.skeleton
    positions, rotations = skeleton.rest
    ends = skeleton.tip_positions(positions, rotations)
    extra: dict[int, list[Array]] = {b.joint: [] for b in bones}
    for k, owner in enumerate(draft.owner):
        if owner >= 0 and owner != k:
            extra[int(owner)].append(positions[k])
    for end, tip in zip(ends, skeleton.tips, strict=True):
        if draft.owner[tip.joint] >= 0:
            extra[int(draft.owner[tip.joint])].append(end)
    children: dict[int, list[Array]] = {b.joint: [] for b in bones}
    for b in bones:
        if b.parent >= 0:
            children[b.parent].append(b.offset)
    out = {}
    for j, points in extra.items():
        local = quaternion.rotate(quaternion.conjugate(rotations[j]), np.reshape(points, (-1, 3)) - positions[j])
        out[j] = Points(children=np.reshape(children[j], (-1, 3)), merged=local)
    return out


def flesh(draft: Draft, bones: list[Bone], frames: dict[int, Array], soles: dict[int, Sole], config: RigConfig) -> dict[int, list[Shape]]:
    """The shapes of every body, in its frame. `frames` are the bodies' world rotations in the rest pose."""
    covered = points(draft, bones)
    widths = _widths(draft, bones)
    out = {}
    for b in bones:
        local = covered[b.joint]
        if b.joint in soles:
            out[b.joint] = soles[b.joint].shapes(local.far)
        elif b.joint == draft.anatomy.head:
            out[b.joint] = [_head(b, local, frames[b.joint], draft, config)]
        elif b.joint in widths:
            out[b.joint] = [_trunk(b, local, widths[b.joint], frames[b.joint], draft)]
        else:
            out[b.joint] = [_limb(b, local, draft, config)]
    return _alike(out, draft)


def _limb(bone: Bone, points: Points, draft: Draft, config: RigConfig) -> Shape:
    ends = points.far
    ends = ends[np.linalg.norm(ends, axis=-1) > config.helper * draft.size]
    if not len(ends):
        return _stump(bone, draft, config)
    if _one_direction(ends):
        start, end, spread = np.zeros(3), ends[np.argmax(np.linalg.norm(ends, axis=-1))], 0.0
    else:
        start, end, spread = _principal(np.concatenate([np.zeros((1, 3)), ends]))
    length = float(np.linalg.norm(end - start))
    radius = float(np.clip(config.limb_radius * length, THINNEST * draft.size, THICKEST * draft.size))
    if bone.joint in draft.anatomy.hands or int(draft.owner[bone.joint]) in draft.anatomy.hands:
        return capsule(start, end, max(radius, 0.8 * spread, 0.02 * draft.size))
    return capsule(start, end, min(max(radius, 0.8 * spread), 0.5 * length))


def _stump(bone: Bone, draft: Draft, config: RigConfig) -> Shape:
    """A body with nothing beyond its joint (a hand that is a leaf): half its parent bone's length, onwards."""
    length = float(np.linalg.norm(bone.offset))
    if bone.parent < 0 or length < config.helper * draft.size:
        return sphere(np.zeros(3), 0.04 * draft.size)
    onwards = quaternion.rotate(quaternion.conjugate(bone.rest), bone.offset / length)
    reach = float(np.clip(0.5 * length, 0.03 * draft.size, 0.09 * draft.size))
    return capsule(np.zeros(3), reach * onwards, 0.3 * reach)


def _head(bone: Bone, points: Points, frame: Array, draft: Draft, config: RigConfig) -> Shape:
    """A capsule over the skull, at least a tenth of the body's size long."""
    ends = points.far[np.linalg.norm(points.far, axis=-1) > config.helper * draft.size]
    if len(ends):
        if _one_direction(ends):
            start, end = np.zeros(3), ends[np.argmax(np.linalg.norm(ends, axis=-1))]
        else:
            start, end, _ = _principal(np.concatenate([np.zeros((1, 3)), ends]))
    else:
        onwards = quaternion.rotate(quaternion.conjugate(bone.rest), bone.offset)
        up = quaternion.rotate(quaternion.conjugate(frame), draft.anatomy.up)
        direction = up if float(up @ onwards) >= -0.3 * float(np.linalg.norm(onwards)) else onwards / np.linalg.norm(onwards)
        start, end = np.zeros(3), 1e-3 * draft.size * direction
    length = float(np.linalg.norm(end - start))
    longer = max(length, 0.11 * draft.size)
    end = start + (end - start) * (longer / length)
    return capsule(start, end, (0.36 if len(ends) < 2 else 0.30) * longer)


def _trunk(bone: Bone, points: Points, width: float, frame: Array, draft: Draft) -> Shape:
    """A capsule along the trunk's segment, or across it where that is wider."""
    left = quaternion.rotate(quaternion.conjugate(frame), draft.anatomy.left)
    far = points.far
    # The segment: to where the trunk goes on, limbs left aside, from the joint or from limbs that hang behind it (hips below a pelvis).
    middle = far - (far @ left)[:, None] * left
    end = middle[np.argmax(np.linalg.norm(middle, axis=-1))] if len(far) else np.zeros(3)
    along = end / max(float(np.linalg.norm(end)), 1e-12)
    paired = np.abs(far @ left) > 0.02 * width
    behind = float((middle[paired] @ along).min(initial=0.0))
    start = behind * along if behind < -0.15 * float(np.linalg.norm(end)) else np.zeros(3)
    segment, length = end - start, float(np.linalg.norm(end - start))
    radius = DEPTH * width
    if length > 0.9 * width:
        return capsule(start, end, min(1.3 * radius, 0.5 * length))
    radius = float(np.clip(0.6 * length, radius, 1.25 * radius))
    middle = start + 0.5 * segment
    return capsule(middle + 0.5 * width * left, middle - 0.5 * width * left, radius)


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


def _widths(draft: Draft, bones: list[Bone]) -> dict[int, float]:
    """Widths of the trunk's bodies: how far apart left and right limbs hang on them, in between where none do; neck and tail taper."""
    anatomy = draft.anatomy
    kept = {b.joint: b for b in bones}
    core = [j for j in dict.fromkeys((anatomy.trunk, *anatomy.spine)) if j in kept and j != anatomy.head]
    given: dict[int, float] = {}
    for limbs in (anatomy.legs, anatomy.arms):
        for limb in limbs:
            carrier = next((j for j in reversed(draft.motion.skeleton.chain(limb[0])[:-1]) if j in core), None)
            apart = _apart(draft, limb)
            if carrier is None or apart <= 0.0:
                continue
            apart = min(1.5 * apart if limbs is anatomy.legs else 0.85 * apart, 0.28 * draft.size)
            given[carrier] = max(given.get(carrier, 0.0), apart)
    if not given:
        # No limbs in pairs (a snake, a rope): as thick as a fifth of a segment is long.
        lengths = [float(np.linalg.norm(kept[j].offset)) for j in core if kept[j].parent >= 0]
        usual = float(np.clip(0.7 * np.median(lengths) if lengths else 0.2 * draft.size, 0.02 * draft.size, 0.3 * draft.size))
        out = dict.fromkeys(core, usual)
    else:
        known = [i for i, j in enumerate(core) if j in given]
        values = [given[core[i]] for i in known]
        usual = float(np.median(list(given.values())))
        out = {j: float(np.interp(i, known, values)) if known else usual for i, j in enumerate(core)}
        for j in core[known[-1] + 1 :] if known else []:
            out[j] = min(0.36 * usual, 0.08 * draft.size)  # the neck
    tail = [j for j in anatomy.tail if j in kept and j not in out]
    for i, j in enumerate(tail):
        out[j] = 0.7 * usual * (1.0 - i / (len(tail) + 0.5))
    return {j: max(w, 2.0 * THINNEST * draft.size) for j, w in out.items()}


def _apart(draft: Draft, limb: tuple[int, ...]) -> float:
    """Distance of a limb's first joint from its partner's; arms may begin at a collar bone near the middle, so the next one counts then."""
    positions, partner = draft.motion.skeleton.rest[0], draft.anatomy.partner
    found = [float(np.linalg.norm(positions[j] - positions[partner[j]])) for j in limb if partner[j] >= 0 and partner[j] != j]
    return next((apart for apart in found if apart > 0.09 * draft.size), found[0] if found else 0.0)


def _alike(shapes: dict[int, list[Shape]], draft: Draft) -> dict[int, list[Shape]]:
    """Mirror partners get the same thickness."""
    out = dict(shapes)
    for j, mine in shapes.items():
        theirs = shapes.get(int(draft.anatomy.partner[j]), mine)
        if theirs is mine or [s.kind for s in mine] != [s.kind for s in theirs]:
            continue
        out[j] = [_with_radius(a, 0.5 * (a.size[0] + b.size[0])) if a.kind != "box" else a for a, b in zip(mine, theirs, strict=True)]
    return out


def _with_radius(shape: Shape, radius: float) -> Shape:
    """The same shape with another radius; a capsule's ends stay where they are."""
    if shape.kind == "sphere":
        return replace(shape, size=(radius,))
    return replace(shape, size=(radius, max(shape.size[1] + shape.size[0] - radius, 1e-3 * radius)))
