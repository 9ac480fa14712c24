"""Where each body hangs on its parent, and how its joint may turn.

For a body j with parent p the clip gives, frame by frame,

    L_t = R_p^-1 R_j          (the joint's rotation)           o_t = R_p^-1 (x_j - x_p)          (its place)

The place must be one number for a rigid body: the rest pose's, or the clip's median where the clip disagrees. The joint
is a hinge when one axis explains every L_t, else a ball (Wide band 4.2; the hinge axis there is a guess from the rest pose).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.character.rig.config import RigConfig
from surefoot.character.rig.draft import Draft
from surefoot.motion import quaternion

Array = NDArray[np.float64]

HUMAN = 1.7
"""Lengths that are judged in millimetres are meant for a body of this height [m]."""


@dataclass(frozen=True, kw_only=True)
class Bone:
    """How one body hangs on its parent."""

    joint: int
    """Index of the source joint."""
    parent: int
    """Index of the parent body's source joint, -1 for the root."""
    offset: Array  # (3,)
    """In the parent's frame [m]."""
    rest: Array  # (4,)
    """Rotation in the parent's frame in the rest pose."""
    stretch: float
    """Largest distance between the clip's place and `offset` [m]."""
    turns: Array  # (T, 3)
    """The clip's rotations away from the rest pose, as rotation vectors [rad]."""


@dataclass(frozen=True, kw_only=True)
class Range:
    """Type and limits of a joint."""

    kind: str
    """"ball" or "hinge"."""
    axis: Array | None
    """Hinge axis in the body's frame, which at rest is the parent's turned by `rest`."""
    limits: tuple[float, float]


def bones(draft: Draft, rest_world: Array) -> list[Bone]:
    """The bones of all bodies, parents first. `rest_world` (J, 4) are the world rotations of the rest pose."""
    motion, skeleton = draft.motion, draft.motion.skeleton
    positions, rotations = motion.joint_positions, motion.joint_rotations
    # The rest pose's places must be measured in the skeleton's own rest rotations, whatever pose becomes the character's.
    own_positions, own_rotations = skeleton.rest
    tolerance = 1e-3 * draft.size / HUMAN
    out = []
    for j in draft.kept:
        p = draft.parent(j)
        if p < 0:
            turns = np.zeros((motion.num_frames, 3))
            out.append(Bone(joint=j, parent=-1, offset=own_positions[j], rest=rest_world[j], stretch=0.0, turns=turns))
            continue
        places = quaternion.rotate(quaternion.conjugate(rotations[:, p]), positions[:, j] - positions[:, p])
        offset = quaternion.rotate(quaternion.conjugate(own_rotations[p]), own_positions[j] - own_positions[p])
        if np.abs(places - offset).max() > tolerance:
            offset = np.median(places, axis=0)
        stretch = float(np.linalg.norm(places - offset, axis=-1).max())
        rest = quaternion.multiply(quaternion.conjugate(rest_world[p]), rest_world[j])
        local = quaternion.multiply(quaternion.conjugate(rotations[:, p]), rotations[:, j])
        rest = _centre(rest, local, draft, j)
        turns = quaternion.log(quaternion.multiply(quaternion.conjugate(rest), local))
        out.append(Bone(joint=j, parent=p, offset=offset, rest=rest, stretch=stretch, turns=turns))
    return out


FARTHEST = np.radians(140.0)
"""A ball that turns farther than this from the rest pose is centred on its clip: a rotation vector flips at 180 degrees."""


def _centre(rest: Array, local: Array, draft: Draft, joint: int) -> Array:
    away = quaternion.angle(quaternion.multiply(quaternion.conjugate(rest), local)).max()
    if away <= FARTHEST:
        return rest
    middle = quaternion.mean(local)
    around = quaternion.angle(quaternion.multiply(quaternion.conjugate(middle), local)).max()
    if around > 0.8 * away:
        return rest
    draft.notes.append(
        f"the rest pose of {draft.motion.skeleton.names[joint]} is the middle of its clip: it turns {np.degrees(away):.0f}° away from the file's"
    )
    return middle


def ranges(draft: Draft, all_bones: list[Bone], config: RigConfig) -> dict[int, Range]:
    """Type and limits of every joint but the root's, equal for mirror partners."""
    reach = _reach(all_bones)
    found = {b.joint: _range(b, reach[b.joint], draft, config, all_bones) for b in all_bones if b.parent >= 0}
    partner = draft.anatomy.partner
    out = {}
    for b in all_bones:
        if b.parent < 0:
            continue
        mine = found[b.joint]
        other = found.get(int(partner[b.joint]), mine)
        if mine.kind != other.kind:  # one side alone does not make a hinge
            mine = _ball(b, config)
            other = mine if found[int(partner[b.joint])].kind == "hinge" else other
        if mine.kind == "ball" and other.kind == "ball":
            mine = Range(kind="ball", axis=None, limits=(0.0, max(mine.limits[1], other.limits[1])))
        elif other is not mine:
            mine = _match_limits(mine, other)
        out[b.joint] = mine
    return out


def _match_limits(mine: Range, other: Range) -> Range:
    """Hinge limits that hold both partners' clips. Their axes may point either way, so take the reading that widens less."""
    low, high = mine.limits
    same = (min(low, other.limits[0]), max(high, other.limits[1]))
    opposite = (min(low, -other.limits[1]), max(high, -other.limits[0]))
    best = same if same[1] - same[0] <= opposite[1] - opposite[0] else opposite
    return Range(kind="hinge", axis=mine.axis, limits=best)


def _range(bone: Bone, reach: float, draft: Draft, config: RigConfig, all_bones: list[Bone]) -> Range:
    if config.joints == "ball":
        return _ball(bone, config)
    axis = _principal(bone.turns)
    if config.joints == "hinge":
        if axis is None:
            axis = _guess_axis(bone, draft, all_bones)
        return _hinge(bone, axis, config)
    if axis is None:
        return _ball(bone, config)
    # A hinge must not cost accuracy: what it leaves out may move the far end by at most 2 mm of a person.
    swing, _ = quaternion.swing_twist(quaternion.exp(bone.turns), axis)
    if float(quaternion.angle(swing).max()) * reach > 2e-3 * draft.size / HUMAN:
        return _ball(bone, config)
    return _hinge(bone, axis, config)


def _ball(bone: Bone, config: RigConfig) -> Range:
    largest = float(np.linalg.norm(bone.turns, axis=-1).max())
    return Range(kind="ball", axis=None, limits=(0.0, float(np.clip(largest + config.margin, config.smallest_limit, 3.1))))


def _hinge(bone: Bone, axis: Array, config: RigConfig) -> Range:
    _, twist = quaternion.swing_twist(quaternion.exp(bone.turns), axis)
    angles = np.unwrap(2.0 * np.arctan2(twist[:, 1:] @ axis, twist[:, 0]), period=2.0 * np.pi)
    low, high = min(float(angles.min()), 0.0) - config.margin, max(float(angles.max()), 0.0) + config.margin
    return Range(kind="hinge", axis=axis, limits=(max(low, -3.1), min(high, 3.1)))


def _principal(turns: Array) -> Array | None:
    """The direction that carries most of the rotation vectors, None when the joint hardly turns."""
    largest = float(np.linalg.norm(turns, axis=-1).max())
    if largest < np.radians(5.0):
        return None
    axis = np.linalg.svd(turns, full_matrices=False)[2][0]
    return np.asarray(axis if axis[np.argmax(np.abs(axis))] > 0 else -axis)


def _guess_axis(bone: Bone, draft: Draft, all_bones: list[Bone]) -> Array:
    """Across the directions to the two bodies that meet in the joint (Wide band 4.2), in the body's frame."""
    skeleton = draft.motion.skeleton
    positions, rotations = skeleton.rest
    children = [b.joint for b in all_bones if b.parent == bone.joint]
    ends = [positions[c] for c in children] or [p for p, t in zip(skeleton.tip_positions(*skeleton.rest), skeleton.tips, strict=True) if t.joint == bone.joint]
    here = positions[bone.joint]
    out = np.mean(ends, axis=0) - here if ends else here - positions[bone.parent]
    axis = np.cross(here - positions[bone.parent], out)
    if np.linalg.norm(axis) < 0.1 * np.linalg.norm(here - positions[bone.parent]) * np.linalg.norm(out):
        axis = np.cross(draft.anatomy.up, draft.anatomy.forward)  # straight limbs bend about the axis from right to left
    local = quaternion.rotate(quaternion.conjugate(rotations[bone.joint]), axis / np.linalg.norm(axis))
    return np.asarray(local)


def _reach(all_bones: list[Bone]) -> dict[int, float]:
    """Length from each joint to the far end of what hangs on it, along the bones [m]."""
    reach = {b.joint: 0.0 for b in all_bones}
    for b in reversed(all_bones):
        if b.parent >= 0:
            reach[b.parent] = max(reach[b.parent], reach[b.joint] + float(np.linalg.norm(b.offset)))
    return reach
