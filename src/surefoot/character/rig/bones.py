"""Where each body hangs on its parent, and how its joint turns in the clip.

For a body j with parent p the clip gives, frame by frame,

    L_t = R_p^-1 R_j          (the joint's rotation)           o_t = R_p^-1 (x_j - x_p)          (its place)

The place must be one number for a rigid body: the rest pose's, or the clip's median where the clip is never there. The turn away from
the rest pose, R_rest^-1 L_t, is a rotation vector, and that flips at half a turn: where a clip comes near, the rest pose of
the joint moves towards the middle of the clip, on both sides of the body alike.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from surefoot.character.rig.draft import HUMAN, Draft
from surefoot.motion import quaternion

Array = NDArray[np.float64]

FARTHEST = float(np.radians(155.0))
"""No joint of the clip is to turn farther than this from the rest pose."""

__all__ = ["HUMAN", "Bone", "bones", "world_frames"]


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


def bones(draft: Draft) -> list[Bone]:
    """The bones of all bodies, parents first."""
    motion, skeleton = draft.motion, draft.motion.skeleton
    positions, rotations = motion.joint_positions, motion.joint_rotations
    own_positions, own_rotations = skeleton.rest
    tolerance = 1e-3 * draft.size / HUMAN
    out = []
    for j in draft.kept:
        p = draft.parent(j)
        if p < 0:
            turns = np.zeros((motion.num_frames, 3))
            out.append(Bone(joint=j, parent=-1, offset=own_positions[j], rest=own_rotations[j], stretch=0.0, turns=turns))
            continue
        inverse = quaternion.conjugate(rotations[:, p])
        places = quaternion.rotate(inverse, positions[:, j] - positions[:, p])
        offset = quaternion.rotate(quaternion.conjugate(own_rotations[p]), own_positions[j] - own_positions[p])
        if np.linalg.norm(places - offset, axis=-1).min() > tolerance:  # the clip never has it there
            offset = np.median(places, axis=0)
        stretch = float(np.linalg.norm(places - offset, axis=-1).max())
        rest = quaternion.multiply(quaternion.conjugate(own_rotations[p]), own_rotations[j])
        turns = quaternion.log(quaternion.multiply(quaternion.multiply(quaternion.conjugate(rest), inverse), rotations[:, j]))
        out.append(Bone(joint=j, parent=p, offset=offset, rest=rest, stretch=stretch, turns=turns))
    return _centred(out, draft)


def world_frames(all_bones: list[Bone]) -> dict[int, Array]:
    """World rotation of every body in the rest pose."""
    out: dict[int, Array] = {}
    for b in all_bones:
        out[b.joint] = b.rest if b.parent < 0 else quaternion.multiply(out[b.parent], b.rest)
    return out


def _centred(all_bones: list[Bone], draft: Draft) -> list[Bone]:
    """The same bones, the rest pose moved where the clip turns a joint nearly round."""
    frames, partner = world_frames(all_bones), draft.anatomy.partner
    by_joint = {b.joint: b for b in all_bones}
    normal = draft.anatomy.left
    moved: dict[int, Array] = {}
    for b in all_bones:
        k = int(partner[b.joint])
        other = by_joint.get(k) if k != b.joint else None
        if b.parent < 0 or b.joint in moved or np.linalg.norm(b.turns, axis=-1).max() <= FARTHEST:
            continue
        turns = quaternion.rotate(frames[b.joint], b.turns)
        if other is not None:
            theirs = quaternion.rotate(frames[k], other.turns)
            turns = np.concatenate([turns, 2.0 * (theirs @ normal)[:, None] * normal - theirs])
        shift = _shift(quaternion.exp(turns))
        if shift is None:
            continue
        moved[b.joint] = quaternion.exp(quaternion.rotate(quaternion.conjugate(frames[b.joint]), shift))
        if other is not None:
            mirrored = 2.0 * float(shift @ normal) * normal - shift
            moved[k] = quaternion.exp(quaternion.rotate(quaternion.conjugate(frames[k]), mirrored))
    if not moved:
        return all_bones
    told = ", ".join(f"{draft.motion.skeleton.names[j]} {np.degrees(quaternion.angle(q)):.0f}°" for j, q in moved.items())
    draft.notes.append(f"the rest pose is bent towards the clip, which turns these joints nearly round: {told}")
    return [_bent(b, moved[b.joint]) if b.joint in moved else b for b in all_bones]


def _shift(turns: Array) -> Array | None:
    """The smallest rotation vector (3,) to move the rest pose by, so that no turn (N, 4) is farther than FARTHEST; None when none helps."""
    middle = quaternion.log(quaternion.mean(turns))
    farthest = float(quaternion.angle(turns).max())
    for part in np.linspace(0.1, 1.0, 10):
        shift = part * middle
        away = float(quaternion.angle(quaternion.multiply(quaternion.exp(-shift), turns)).max())
        if away <= FARTHEST:
            return np.asarray(shift)
    return np.asarray(middle) if away < farthest - 0.2 else None


def _bent(bone: Bone, shift: Array) -> Bone:
    turns = quaternion.log(quaternion.multiply(quaternion.conjugate(shift), quaternion.exp(bone.turns)))
    return replace(bone, rest=quaternion.multiply(bone.rest, shift), turns=turns)
