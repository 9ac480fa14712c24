"""Which joints become bodies: fingers, helpers, twist bones and controls are merged into their neighbours or left out.

Wide band 4.1 makes one body a joint and lets a person prune; here the pruning is a list of rules, and every rule that
fires leaves a line. `owner[j]` is the joint whose body carries joint j, or -1 when nothing does.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from surefoot.character.rig.config import RigConfig
from surefoot.errors import InputError
from surefoot.motion import quaternion
from surefoot.motion.anatomy import Anatomy
from surefoot.motion.anatomy.pose import reference_pose
from surefoot.motion.anatomy.words import parts
from surefoot.motion.motion import Motion

Array = NDArray[np.float64]

TWIST = re.compile(r"twist|roll(?!ing)", re.IGNORECASE)
HUMAN = 1.7
"""Lengths that are judged in millimetres are meant for a body of this height [m]."""
SMALLEST = 0.045
"""Smaller bodies [m] swing faster than steps of 5 ms can follow."""
MOVES = np.radians(1.0)
"""A joint that turns less than this in the whole clip is taken for rigid."""


@dataclass
class Draft:
    """A skeleton on its way to a character."""

    motion: Motion
    anatomy: Anatomy
    size: float
    """Height, or half the longest side for animals that are longer than tall [m]."""
    owner: NDArray[np.int64]  # (J,)
    notes: list[str] = field(default_factory=list)

    @property
    def kept(self) -> list[int]:
        """The joints that become bodies, parents first."""
        return [j for j in range(len(self.owner)) if self.owner[j] == j]

    def parent(self, joint: int) -> int:
        """The body that joint `joint`'s body hangs on, -1 for the root."""
        p = int(self.motion.skeleton.parents[joint])
        while p >= 0:
            carrier = int(self.owner[p])
            if carrier >= 0 and carrier != joint and carrier < joint:
                return carrier
            p = int(self.motion.skeleton.parents[p])
        return -1


def draft(motion: Motion, anatomy: Anatomy, config: RigConfig) -> Draft:
    """Decide which joints become bodies."""
    out = Draft(motion=motion, anatomy=anatomy, size=body_size(motion), owner=np.full(motion.skeleton.num_joints, -1, dtype=np.int64))
    merged: dict[str, list[str]] = {}
    _keep(out, config, merged)
    _resolve(out)
    _merge_coincident(out, config, merged)
    _restore_movers(out, merged)
    _drop_empty_ends(out)
    for why, names in merged.items():
        shown = ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
        out.notes.append(f"{why}: {shown}")
    if len(out.kept) > config.max_bodies:
        raise InputError(f"the skeleton would become {len(out.kept)} bodies, at most {config.max_bodies} are allowed (max_bodies).")
    return out


def body_size(motion: Motion) -> float:
    """Height of the body [m], or half its longest side when it is longer than tall; in the pose that shows it best."""
    pose = reference_pose(motion.skeleton, motion)
    extent = np.ptp(np.concatenate([pose.positions, pose.tips]), axis=0)
    size = max(float(extent[2]), 0.5 * float(extent.max()))
    if size <= 1e-6:
        raise InputError("all joints of the skeleton lie in one point; a character needs bones with a length.")
    if size < SMALLEST:
        raise InputError(
            f"the body is {1e3 * size:.3g} mm tall; characters from {1e3 * SMALLEST:.0f} mm on are stable at steps of 5 ms. If it is meant "
            "larger say the file's unit (--unit cm, or a number of metres), or scale the motion (surefoot.motion.edit.scale)."
        )
    return size


def _keep(out: Draft, config: RigConfig, merged: dict[str, list[str]]) -> None:
    """First pass, parents before children: every joint below the trunk is kept, merged upwards, or dropped."""
    skeleton, anatomy = out.motion.skeleton, out.anatomy
    positions = skeleton.rest[0]
    reach = _reach(out.motion)
    moving = _moving(out.motion)
    hands, feet = set(anatomy.hands), set(anatomy.feet)
    arms = {k for chain in anatomy.arms for k in chain}
    below_trunk, above = set(skeleton.descendants(anatomy.trunk)), set(skeleton.chain(anatomy.trunk))
    alive = bool(moving.any()) and out.motion.num_frames > 2
    toes = _single_toes(out)
    beside = _beside_hands(out, reach)
    for j in range(skeleton.num_joints):
        name, p = skeleton.names[j], int(skeleton.parents[j])
        if j == anatomy.trunk:
            out.owner[j] = j
            continue
        if j not in below_trunk:
            where = "left out, above the body" if j in above else "left out, not of this body"
            merged.setdefault(where, []).append(name)
            continue
        carrier = int(out.owner[p])
        bone = float(np.linalg.norm(positions[j] - positions[p]))
        ancestors = set(skeleton.chain(j)[:-1])
        leaf = not skeleton.children[j] and not any(t.joint == j for t in skeleton.tips)
        why = None
        if j in anatomy.controls:
            merged.setdefault("left out, rig controls without a body", []).append(name)
            continue
        if carrier < 0:
            merged.setdefault("left out, they hang on rig controls", []).append(name)
            continue
        if j in beside:
            out.owner[j] = beside[j]
            merged.setdefault("merged into the hand", []).append(name)
            continue
        if j in feet or j in hands or j == anatomy.head:
            out.owner[j] = j
            if leaf and j in hands and bone < config.finger * out.size:
                why = "merged into the arm, hands without length"
            elif j in hands and p in arms and not skeleton.children[j] and reach[j] < config.finger * out.size and alive and not moving[j]:
                why = "merged into the arm, hands that never turn"
        elif "soft" in parts(name):
            why = "merged, hair and clothes"
        elif ancestors & hands:
            why = "merged into the hand"
        elif ancestors & feet and j not in toes:
            why = "merged into the foot"
        elif j not in toes and TWIST.search(name) and (leaf or not skeleton.children[j]):
            why = "merged, twist bones"
        elif anatomy.head is not None and anatomy.head in ancestors and (reach[j] < 0.08 * out.size or not moving[j]):
            why = "merged into the head"
        elif leaf and not (moving[j] and bone > config.finger * out.size):
            why = "merged, ends without a bone of their own"
        elif reach[j] < config.finger * out.size and not (ancestors & feet):
            why = "merged, too short to be a body of their own"
        elif bone < config.helper * out.size and not moving[j]:
            why = "merged, helpers that never turn"
        if why is None:
            out.owner[j] = j
        else:
            out.owner[j] = carrier
            merged.setdefault(why, []).append(name)


def _resolve(out: Draft) -> None:
    """Joints whose carrier was merged in turn (fingers of a hand that joins the arm) belong to the last carrier."""
    for j in range(len(out.owner)):
        seen = {j}
        while (owner := int(out.owner[j])) >= 0 and int(out.owner[owner]) != owner and owner not in seen:
            seen.add(owner)
            out.owner[j] = out.owner[owner]


def _merge_coincident(out: Draft, config: RigConfig, merged: dict[str, list[str]]) -> None:
    """Where a body sits on its parent's joint and is its only child, the parent has no length: the child takes its place."""
    positions = out.motion.skeleton.rest[0]
    for j in reversed(out.kept):
        p = out.parent(j)
        if p < 0 or np.linalg.norm(positions[j] - positions[p]) > config.helper * out.size:
            continue
        others = [k for k in out.kept if k != j and out.parent(k) == p]
        tips = [t for t in out.motion.skeleton.tips if out.owner[t.joint] == p]
        if others or tips:
            continue
        merged.setdefault("merged, bones of no length", []).append(out.motion.skeleton.names[p])
        out.owner[out.owner == p] = j


def _restore_movers(out: Draft, merged: dict[str, list[str]]) -> None:
    """Merged joints that turn what hangs beyond them become bodies after all: without them the clip could not be replayed."""
    motion, skeleton = out.motion, out.motion.skeleton
    tolerance = 2e-3 * out.size / HUMAN
    for j in out.kept:
        between: list[int] = []
        p = int(skeleton.parents[j])
        while p >= 0 and out.owner[p] != p:
            between.append(p)
            p = int(skeleton.parents[p])
        between = [m for m in between if out.owner[m] >= 0 and out.owner[m] != j]
        if p < 0 or not between:
            continue
        at, rotations = motion.joint_positions, motion.joint_rotations
        for m in between:  # nearest first: the place of j seen from m must hold still as seen from p
            near = quaternion.rotate(quaternion.conjugate(rotations[:, m]), at[:, j] - at[:, m])
            far = quaternion.rotate(quaternion.conjugate(rotations[:, p]), at[:, j] - at[:, p])
            if _wander(far) <= max(tolerance, 1.2 * _wander(near)):
                break
            out.owner[m] = m
            for names in merged.values():
                if skeleton.names[m] in names:
                    names.remove(skeleton.names[m])
    for why in [why for why, names in merged.items() if not names]:
        del merged[why]


def _wander(places: Array) -> float:
    """Largest distance of places (T, 3) from their median."""
    return float(np.linalg.norm(places - np.median(places, axis=0), axis=-1).max())


def _drop_empty_ends(out: Draft) -> None:
    """A root that carries one body at a distance and nothing else stays; nothing to do but to check that something is left."""
    if len(out.kept) < 2:
        names = ", ".join(out.motion.skeleton.names[:6])
        raise InputError(
            f"nothing to rig: of the {out.motion.skeleton.num_joints} joints ({names}) fewer than two have bones of their own."
        )


def _reach(motion: Motion) -> Array:
    """Longest way (J,) along the bones from each joint to the farthest joint or tip below it, in the rest pose [m]."""
    skeleton = motion.skeleton
    lengths = np.linalg.norm(skeleton.translations, axis=-1)
    reach = np.zeros(skeleton.num_joints)
    for tip in skeleton.tips:
        reach[tip.joint] = max(reach[tip.joint], float(np.linalg.norm(tip.offset)))
    for j in range(skeleton.num_joints - 1, -1, -1):
        p = int(skeleton.parents[j])
        if p >= 0:
            reach[p] = max(reach[p], reach[j] + lengths[j])
    return reach


def _moving(motion: Motion) -> NDArray[np.bool_]:
    """Whether each joint (J,) turns in the clip; all do when there is a single frame and nothing can be said."""
    if motion.num_frames < 2:
        return np.ones(motion.skeleton.num_joints, dtype=bool)
    middle = quaternion.mean(motion.rotations)
    away = quaternion.angle(quaternion.multiply(quaternion.conjugate(middle), motion.rotations))
    return np.asarray(np.ptp(away, axis=0) + away.max(axis=0) > MOVES)


def _beside_hands(out: Draft, reach: Array) -> dict[int, int]:
    """Fingers and palm bones that fan out beside the joint that is taken for the hand, and that joint."""
    skeleton, anatomy = out.motion.skeleton, out.anatomy
    spoken = {j for chain in (*anatomy.legs, *anatomy.arms) for j in chain} | {anatomy.trunk, *anatomy.spine, *anatomy.tail}
    found: dict[int, int] = {}
    for hand, arm in zip(anatomy.hands, anatomy.arms, strict=True):
        p = int(skeleton.parents[hand])
        if len(arm) < 3 or p != arm[-2]:
            continue
        for c in skeleton.children[p]:
            if c not in spoken and reach[c] < 0.25 * out.size:
                found.update(dict.fromkeys(skeleton.descendants(c), hand))
    return found


def _single_toes(out: Draft) -> set[int]:
    """The toe joint of every foot that has just one, long enough to be a body of its own."""
    skeleton = out.motion.skeleton
    reach = _reach(out.motion)
    toes: set[int] = set()
    for foot in out.anatomy.feet:
        candidates = [c for c in skeleton.children[foot] if reach[c] > 0.015 * out.size]
        if len(candidates) == 1 and np.linalg.norm(skeleton.translations[candidates[0]]) > 0.02 * out.size:
            toes.add(candidates[0])
    return toes
