"""How each joint may turn: a ball or a hinge, its axis and its limits, equal for mirror partners.

With v_t the clip's rotations away from the rest pose as rotation vectors, a joint is a hinge when one axis a explains them,

    |swing_t| * reach < 2 mm of a person,      R_t = swing_t twist_t,  twist_t about a

else a ball (Wide band 4.2 makes all joints hinges, with an axis guessed from the rest pose, as here where the clip tells nothing).
A mirror plane with normal n turns a rotation vector v into 2 (n.v) n - v: partners get axes that mirror each other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.character.rig.bones import HUMAN, Bone
from surefoot.character.rig.config import RigConfig
from surefoot.character.rig.draft import Draft
from surefoot.motion import quaternion

Array = NDArray[np.float64]

STILL = float(np.radians(5.0))
"""A joint that turns less than this shows no axis."""
WIDEST = 3.1
"""No limit lies beyond this [rad]."""


@dataclass(frozen=True, kw_only=True)
class Range:
    """Type and limits of a joint."""

    kind: str
    """"ball" or "hinge"."""
    axis: Array | None
    """Hinge axis in the body's frame."""
    limits: tuple[float, float]


def mirror_vectors(vectors: Array, normal: Array) -> Array:
    """Rotation vectors (..., 3) seen in a mirror with unit normal (3,)."""
    return np.asarray(2.0 * (vectors @ normal)[..., None] * normal - vectors)


@dataclass(frozen=True, kw_only=True)
class _Side:
    """A joint's turns in world axes of the rest pose, where partners can be compared."""

    bone: Bone
    frame: Array  # (4,) world rotation of the body in the rest pose
    turns: Array  # (T, 3)
    reach: float

    def local(self, vector: Array) -> Array:
        return quaternion.rotate(quaternion.conjugate(self.frame), vector)

    def fits(self, axis: Array, tolerance: float) -> bool:
        """Whether a hinge about `axis` moves the far end by less than the tolerance [m]."""
        swing, _ = quaternion.swing_twist(quaternion.exp(self.turns), axis)
        return float(quaternion.angle(swing).max()) * self.reach < tolerance

    def angles(self, axis: Array) -> tuple[float, float]:
        _, twist = quaternion.swing_twist(quaternion.exp(self.turns), axis)
        angles = np.unwrap(2.0 * np.arctan2(twist[:, 1:] @ axis, twist[:, 0]), period=2.0 * np.pi)
        return min(float(angles.min()), 0.0), max(float(angles.max()), 0.0)

    @property
    def largest(self) -> float:
        return float(np.linalg.norm(self.turns, axis=-1).max())


def ranges(draft: Draft, bones: list[Bone], frames: dict[int, Array], config: RigConfig) -> dict[int, Range]:
    """Type and limits of every joint but the root's. `frames` are the bodies' world rotations in the rest pose."""
    reach = _reach(bones)
    sides = {
        b.joint: _Side(bone=b, frame=frames[b.joint], turns=quaternion.rotate(frames[b.joint], b.turns), reach=reach[b.joint])
        for b in bones
        if b.parent >= 0
    }
    normal = draft.anatomy.left
    out: dict[int, Range] = {}
    for j, mine in sides.items():
        k = int(draft.anatomy.partner[j])
        other = sides.get(k) if k != j else None
        if j in out:
            continue
        axis = _axis(mine, other, normal, draft, bones, config)
        out[j] = _range(mine, axis, other, None if axis is None else mirror_vectors(axis, normal), config, central=k == j, normal=normal)
        if other is not None:
            mirrored = None if axis is None else mirror_vectors(axis, normal)
            out[k] = _range(other, mirrored, mine, axis, config, central=False, normal=normal)
    return out


def _axis(mine: _Side, other: _Side | None, normal: Array, draft: Draft, bones: list[Bone], config: RigConfig) -> Array | None:
    """The hinge axis of a joint (its partner's is the mirror image), None for a ball. World axes of the rest pose."""
    given = config.hinges.get(draft.motion.skeleton.names[mine.bone.joint])
    if given is not None:
        return np.asarray(given, dtype=float) / float(np.linalg.norm(given))
    if other is not None and (theirs := config.hinges.get(draft.motion.skeleton.names[other.bone.joint])) is not None:
        return mirror_vectors(np.asarray(theirs, dtype=float) / float(np.linalg.norm(theirs)), normal)
    if config.joints == "ball":
        return None
    tolerance = 2e-3 * draft.size / HUMAN
    turns = mine.turns if other is None else np.concatenate([mine.turns, mirror_vectors(other.turns, normal)])
    found = _principal(turns)
    if found is not None and other is None and int(draft.anatomy.partner[mine.bone.joint]) == mine.bone.joint:
        found = _in_plane_or_across(found, normal)
    if config.joints == "hinge":
        return _guess_axis(mine, draft, bones) if found is None else found
    if found is None:
        return None
    fits = mine.fits(found, tolerance) and (other is None or other.fits(mirror_vectors(found, normal), tolerance))
    return found if fits else None


def _range(
    mine: _Side, axis: Array | None, other: _Side | None, others: Array | None, config: RigConfig, *, central: bool, normal: Array
) -> Range:
    """Limits that hold what the clip shows on both sides, plus the margin."""
    if axis is None:
        largest = max(mine.largest, other.largest if other is not None else 0.0)
        limit = float(np.clip(largest + config.margin, config.smallest_limit, WIDEST))
        return Range(kind="ball", axis=None, limits=(0.0, limit))
    low, high = mine.angles(axis)
    if other is not None and others is not None:
        far = other.angles(others)
        low, high = min(low, far[0]), max(high, far[1])
    elif central and abs(float(axis @ normal)) < 0.5:  # turning left or right: alike both ways
        low, high = -max(-low, high), max(-low, high)
    return Range(kind="hinge", axis=mine.local(axis), limits=(max(low - config.margin, -WIDEST), min(high + config.margin, WIDEST)))


def _principal(turns: Array) -> Array | None:
    """The direction that carries most of the rotation vectors (N, 3), None when the joint hardly turns."""
    if float(np.linalg.norm(turns, axis=-1).max()) < STILL:
        return None
    axis = np.linalg.svd(turns, full_matrices=False)[2][0]
    return np.asarray(axis if axis[np.argmax(np.abs(axis))] > 0 else -axis)


def _in_plane_or_across(axis: Array, normal: Array) -> Array:
    """A joint in the middle of the body turns about the plane's normal or about an axis in the plane, or it would be lopsided."""
    along = float(axis @ normal)
    if abs(along) > 0.7:
        return normal if along > 0 else -normal
    flat = axis - along * normal
    return np.asarray(flat / np.linalg.norm(flat))


def _guess_axis(side: _Side, draft: Draft, bones: list[Bone]) -> Array:
    """Across the directions to the two bodies that meet in the joint (Wide band 4.2)."""
    bone = side.bone
    parent = next(b for b in bones if b.joint == bone.parent)
    turned = quaternion.multiply(side.frame, quaternion.conjugate(bone.rest))  # the parent's world rotation at rest
    inward = quaternion.rotate(turned, bone.offset)
    children = [b.offset for b in bones if b.parent == bone.joint]
    tips = [tip.offset for tip in draft.motion.skeleton.tips if tip.joint == bone.joint]
    onward = quaternion.rotate(side.frame, np.mean(children or tips, axis=0)) if children or tips else inward
    axis = np.cross(inward, onward)
    if np.linalg.norm(axis) < 0.1 * np.linalg.norm(inward) * np.linalg.norm(onward) or parent.joint == bone.joint:
        # Straight limbs bend about the axis from right to left, arms that point sideways about the vertical.
        direction = onward / max(float(np.linalg.norm(onward)), 1e-12)
        axis = draft.anatomy.left if abs(float(direction @ draft.anatomy.left)) < 0.7 else draft.anatomy.up
        axis = axis - direction * float(axis @ direction)
    axis = axis / max(float(np.linalg.norm(axis)), 1e-12)
    if int(draft.anatomy.partner[bone.joint]) == bone.joint:
        axis = _in_plane_or_across(axis, draft.anatomy.left)
    return np.asarray(axis)


def _reach(bones: list[Bone]) -> dict[int, float]:
    """Length from each joint to the far end of what hangs on it, along the bones [m]."""
    reach = {b.joint: 0.0 for b in bones}
    for b in reversed(bones):
        if b.parent >= 0:
            reach[b.parent] = max(reach[b.parent], reach[b.joint] + float(np.linalg.norm(b.offset)))
    return reach
