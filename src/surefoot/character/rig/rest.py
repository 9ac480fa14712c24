"""The character's rest pose: the file's when a body can stand in it, else one made from the clip, alike on both sides.

Files come with T-poses, A-poses, a frame of some clip, or all bones along one axis. A rest pose will do when the legs are stretched
downwards and the two sides do not lie in one another. Else the frame in which the body stands straightest and most symmetric serves.
With R_j, u_i a joint's rotation and its bones there, v_i those of its partner and M the mirror,

    R'_j = Q_j R_j        Q_j turns u_i to where (u_i + M v_i) / 2 points; a foot, to where its sole is level, too

and where legs are at different places in a stride, both take after the straighter one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from surefoot.character.rig.draft import Draft
from surefoot.motion import quaternion
from surefoot.motion.anatomy.pose import scrambled
from surefoot.motion.edit.mirror import turn_onto
from surefoot.motion.motion import Motion
from surefoot.motion.skeleton import Skeleton

Array = NDArray[np.float64]

FRAMES = 200
"""Frames of the clip that are looked at."""
UP = np.array([0.0, 0.0, 1.0])


def standing(draft: Draft) -> tuple[Motion, str] | None:
    """The draft's motion on a skeleton that rests in a pose of its clip, and why; None when the file's own rest pose will do."""
    motion = draft.motion
    skeleton = motion.skeleton
    fault = _fault(draft, skeleton.rest[0])
    if fault is None:
        return None
    frame, normal = _straightest(draft)
    world = _both_sides_alike(draft, frame, normal)
    positions = np.zeros((skeleton.num_joints, 3))
    positions[list(skeleton.roots)] = motion.translations[frame, list(skeleton.roots)]
    _, rotations = skeleton.backward(positions, world)
    translations = np.array(skeleton.translations)
    translations[list(skeleton.roots)] = positions[list(skeleton.roots)]
    rested = Skeleton(skeleton.names, skeleton.parents, translations, rotations, skeleton.tips)
    note = f"rest pose made from the clip at {frame * motion.frame_time:.2f} s, both sides alike: in the file's own {fault}"
    return motion.replace(skeleton=rested), note


def _fault(draft: Draft, positions: Array) -> str | None:
    """What is wrong with a pose (J, 3) as a rest pose, None when it will do."""
    anatomy = draft.anatomy
    if scrambled(draft.motion):
        return "the joints are turned as no frame of the clip turns them"
    for leg in anatomy.legs:
        start, end = positions[leg[0]], positions[leg[-1]]
        length = float(np.linalg.norm(np.diff(positions[list(leg)], axis=0), axis=-1).sum())
        least = 0.3 if len(anatomy.legs) <= 4 else 0.0  # a crab's legs go sideways more than down
        if length > 1e-9 and start[2] - end[2] < least * length:
            return "the legs do not point down"
    for j in draft.kept:
        k = int(anatomy.partner[j])
        if k > j and draft.owner[k] == k and np.linalg.norm(positions[j] - positions[k]) < 0.01 * draft.size:
            own = [leg for leg in (*anatomy.legs, *anatomy.arms) if j in leg and leg[0] != j]
            if own:
                return "left and right lie in one another"
    return None


def _pairs(draft: Draft) -> tuple[list[int], list[int]]:
    """The joints of the one side and their partners."""
    pairs = [(j, int(k)) for j, k in enumerate(draft.anatomy.partner) if int(k) > j and draft.anatomy.side[j] != draft.anatomy.side[int(k)]]
    lefts = [(j, k) if draft.anatomy.side[j] == "left" else (k, j) for j, k in pairs]
    return [j for j, _ in lefts], [k for _, k in lefts]


def _straightest(draft: Draft) -> tuple[int, Array]:
    """The frame in which the legs reach down, the back stands up and the sides are most alike; and the way to its left."""
    motion, anatomy = draft.motion, draft.anatomy
    frames = np.unique(np.linspace(0, motion.num_frames - 1, FRAMES).astype(int))
    at = motion.joint_positions[frames]
    score = np.zeros(len(frames))
    falls = _falls(draft, at)
    score += sum(falls.values()) / max(len(falls), 1)
    for j, fall in falls.items():  # one leg may be in the air: the one that stands counts
        score += np.maximum(falls.get(int(anatomy.partner[j]), fall) - fall, 0.0) * 0.7 / len(falls)
    back = at[:, anatomy.spine[-1]] - at[:, anatomy.trunk]
    score += 0.5 * back[:, 2] / np.maximum(np.linalg.norm(back, axis=1), 1e-12)
    left, right = _pairs(draft)
    if not left:
        return int(frames[np.argmax(score)]), np.array([0.0, 1.0, 0.0])
    normal = (at[:, left] - at[:, right]).sum(axis=1) * [1.0, 1.0, 0.0]
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-12)
    middle = 0.5 * np.einsum("tpi,ti->tp", at[:, left] + at[:, right], normal)  # of each pair, along the normal
    along = (at[:, left] - at[:, right]) - np.einsum("tpi,ti->tp", at[:, left] - at[:, right], normal)[..., None] * normal[:, None]
    unlike = np.linalg.norm(along, axis=-1).mean(axis=1) + np.abs(middle - np.median(middle, axis=1, keepdims=True)).mean(axis=1)
    best = int(np.argmax(score - unlike / draft.size))
    return int(frames[best]), normal[best]


def _falls(draft: Draft, at: Array) -> dict[int, Array]:
    """How far each leg, by its first joint, reaches down in poses (T, J, 3): 1 when straight."""
    out = {}
    for leg in draft.anatomy.legs:
        length = float(np.linalg.norm(np.diff(at[:, list(leg)], axis=1), axis=-1).sum(axis=1).mean())
        out[leg[0]] = (at[:, leg[0], 2] - at[:, leg[-1], 2]) / max(length, 1e-12)
    return out


def _both_sides_alike(draft: Draft, frame: int, normal: Array) -> Array:
    """World rotations (J, 4) of the frame, made symmetric. What is no body of its own turns with the body that carries it."""
    motion, partner, kept = draft.motion, draft.anatomy.partner, draft.kept
    skeleton = motion.skeleton
    at, world = motion.joint_positions[frame], motion.joint_rotations[frame]
    soles, share = _soles(draft), _shares(draft, frame)
    children: dict[int, list[int]] = {j: [] for j in kept}
    for j in kept:
        if draft.parent(j) >= 0:
            children[draft.parent(j)].append(j)
    ends = {
        j: [at_tip - at[j] for at_tip, tip in zip(motion.tip_positions[frame], skeleton.tips, strict=True) if tip.joint == j] for j in kept
    }
    turns = np.tile(quaternion.IDENTITY, (skeleton.num_joints, 1))
    for j in range(skeleton.num_joints):
        p, carrier = int(skeleton.parents[j]), int(draft.owner[j])
        if carrier != j:
            turns[j] = turns[carrier] if 0 <= carrier < j else turns[p] if p >= 0 else turns[j]
            continue
        k = int(partner[j]) if int(partner[j]) in children else j
        pairs = [(c, int(partner[c])) for c in children[j] if int(partner[c]) in children[k]]
        tips = list(zip(ends[j], ends[k], strict=True)) if j != k and len(ends[j]) == len(ends[k]) else []
        mine = np.array([at[a] - at[j] for a, _ in pairs] + [a for a, _ in tips]).reshape(-1, 3)
        image = _reflect(np.array([at[b] - at[k] for _, b in pairs] + [b for _, b in tips]).reshape(-1, 3), normal)
        goal = share.get(j, 0.5) * mine + (1.0 - share.get(j, 0.5)) * image
        if j in soles and k in soles:
            weight = 2.0 * max(float(np.linalg.norm(mine, axis=-1).sum()), 0.05 * draft.size)
            mine = np.concatenate([mine, weight * quaternion.rotate(world[j], soles[j])[None]])
            goal = np.concatenate([goal, weight * UP[None]])
        if len(mine) and float(np.linalg.norm(goal, axis=-1).max()) > 1e-6 * draft.size:
            turns[j] = turn_onto(goal, mine)
        elif draft.parent(j) >= 0:
            turns[j] = turns[draft.parent(j)]
    return quaternion.multiply(turns, world)


def _shares(draft: Draft, frame: int) -> dict[int, float]:
    """How much the joints of a leg keep of their own pose: all on the straighter side, nothing on the other."""
    out: dict[int, float] = {}
    falls = {j: float(fall[0]) for j, fall in _falls(draft, draft.motion.joint_positions[frame : frame + 1]).items()}
    for j, fall in falls.items():
        other = falls.get(int(draft.anatomy.partner[j]), fall)
        out.update(dict.fromkeys(draft.motion.skeleton.descendants(j), 0.5 if fall == other else float(fall > other)))
    return out


def _soles(draft: Draft) -> dict[int, Array]:
    """Upwards in the frame of each foot while it stands (3,), where the clip tells."""
    motion, skeleton = draft.motion, draft.motion.skeleton
    out: dict[int, Array] = {}
    for leg in draft.anatomy.legs:
        for j in leg:
            if j not in draft.anatomy.feet and int(skeleton.parents[j]) not in draft.anatomy.feet:
                continue
            heights = motion.joint_positions[:, j, 2]
            flat = heights <= np.percentile(heights, 15.0) + 1e-9
            normal = quaternion.rotate(quaternion.conjugate(motion.joint_rotations[flat, j]), UP).mean(axis=0)
            if float(np.linalg.norm(normal)) > 0.95:
                out[j] = normal / np.linalg.norm(normal)
    return out


def _reflect(vectors: Array, normal: Array) -> Array:
    return np.asarray(vectors - 2.0 * (vectors @ normal)[..., None] * normal)
