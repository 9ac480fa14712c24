"""A motion onto another body: `retarget(motion, character) -> Retargeted`.

limbs of both -> matching -> pose by bone directions (transfer) -> end effectors scaled limb by limb, planted soles (targets, plant)
              -> full-body inverse kinematics above the ground (ik)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from surefoot.character.character import Character
from surefoot.character.retarget.config import RetargetConfig
from surefoot.character.retarget.feet import SourceFoot, TargetFoot, source_foot, target_foot
from surefoot.character.retarget.limbs import Point, limbs
from surefoot.character.retarget.matching import Matching, check_overrides, pair_limbs, read_overrides, stations
from surefoot.character.retarget.targets import Goal, Targets, aim
from surefoot.character.retarget.transfer import LEANING, TILTED, Side, drivers, from_hips, lean, twist_to_hinges, world_rotations
from surefoot.character.rig.config import RigConfig
from surefoot.character.rig.draft import draft
from surefoot.character.rig.rest import standing
from surefoot.errors import InputError
from surefoot.motion import quaternion
from surefoot.motion.anatomy import Anatomy, anatomy, attach
from surefoot.motion.anatomy.pose import Pose, reference_pose
from surefoot.motion.edit.contacts import foot_contacts
from surefoot.motion.motion import Motion, Source

Array = NDArray[np.float64]
Overrides = Mapping[str, str | None]


@dataclass(frozen=True, kw_only=True, eq=False)
class Retargeted:
    """A motion on another body, and how near it came."""

    motion: Motion
    """On the character's own skeleton."""
    qpos: Array  # (T, nq)
    residuals: dict[str, float]
    """Mean distance from its target [m] of every body that has one."""
    ends: dict[str, Goal]
    """End effectors by limb: the character's point, and where the source has it, scaled limb by limb (T, 3)."""
    planted: dict[str, tuple[Point, NDArray[np.bool_]]]
    """Points of the soles that stand, and in which frames (T,)."""
    matching: Matching
    notes: tuple[str, ...] = ()


def retarget(
    motion: Motion, character: Character, config: RetargetConfig | None = None, matching: Overrides | str | Path | None = None
) -> Retargeted:
    """`motion` on `character`. `matching` says which joint drives a body: a mapping from bodies to joints (None: no driver), or a file."""
    config = config or RetargetConfig()
    problem = prepare(motion, character, config, matching)
    from surefoot.character.retarget.ik import Solver  # mink is a heavy import

    qpos = continuous(character, Solver(character, problem.targets, config).solve())
    result = character.motion(qpos, motion.frame_time, name=motion.name, source=_source(motion.source))
    return Retargeted(
        motion=result,
        qpos=qpos,
        residuals=residuals(character, result, problem.targets),
        ends=problem.targets.ends,
        planted=problem.targets.planted,
        matching=problem.matching,
        notes=problem.notes,
    )


def _source(source: Source) -> Source:
    """Where the clip is from. Unit, up axis and guesses were those of another body's file."""
    kept = {key: value for key, value in source.extra.items() if key == "leading_rest_frame"}
    return Source(file=source.file, clip=source.clip, loop=source.loop, extra=kept)


@dataclass(frozen=True, kw_only=True, eq=False)
class Problem:
    """All that the inverse kinematics needs."""

    motion: Motion
    """The source with detached feet attached."""
    targets: Targets
    matching: Matching
    notes: tuple[str, ...]


def prepare(motion: Motion, character: Character, config: RetargetConfig, matching: Overrides | str | Path | None = None) -> Problem:
    """Match, transfer and aim."""
    overrides = dict(read_overrides(matching) if isinstance(matching, str | Path) else matching or {})
    check_overrides(overrides, motion.skeleton, character.skeleton)
    notes: list[str] = []
    found = anatomy(motion.skeleton, motion)
    if found.detached:
        listed = ", ".join(f"{motion.skeleton.names[j]} on {motion.skeleton.names[p]}" for j, p in found.detached.items())
        notes.append(f"hung where they belong, they stood outside the limb: {listed}")
        motion, _ = attach(motion, dict(found.detached))
        found = anatomy(motion.skeleton, motion)
    stood = _stood(motion, found)
    if stood is not None:
        motion, note = stood
        notes.append(note)
        found = anatomy(motion.skeleton, motion)
    ours = _side(motion.skeleton.rest, reference_pose(motion.skeleton, motion), found.trunk, found, found.forward)
    body = anatomy(character.skeleton)
    rest = reference_pose(character.skeleton, None)
    theirs = _side(character.skeleton.rest, rest, 0, body, quaternion.rotate(character.skeleton.rest[1][0], character.forward))
    matched, left = pair_limbs(limbs(motion.skeleton, found, ours.pose), limbs(character.skeleton, body, rest))
    if not matched:
        raise InputError(
            f"no limb of '{motion.name or 'the motion'}' matches one of '{character.name}': the source has {len(found.legs)} legs and "
            f"{len(found.arms)} arms, the character {len(body.legs)} and {len(body.arms)}."
        )
    pairs = [stations(a, b, ours.pose, theirs.pose) for a, b in matched]
    pairs = [from_hips(pairs, pair, ours, theirs) for pair in pairs]
    feet: dict[int, tuple[SourceFoot, TargetFoot]] = {}
    for number, pair in enumerate(pairs):
        if pair.target.kind == "leg" and pair.source.kind == "leg" and pair.ratio > 0.0:
            feet[number] = (source_foot(motion, pair, ours.pose, config), target_foot(character, pair, theirs.forward))
    flags = motion.contacts if motion.contacts is not None else foot_contacts(motion, body=found)
    driven = drivers(pairs, ours, theirs, character, feet, motion, overrides)
    if body.trunk not in driven:
        raise InputError(f"the trunk '{character.skeleton.names[body.trunk]}' needs a joint that drives it.")
    world = twist_to_hinges(character, pairs, motion, world_rotations(character, motion, driven, body.trunk))
    leans = {n: float(quaternion.angle(lean(pairs, p, ours, theirs))) for n, p in enumerate(pairs) if p.target.kind == "spine"}
    targets = aim(motion, character, pairs, feet, world, flags, {n for n, angle in leans.items() if TILTED < angle <= LEANING}, config)
    names = character.skeleton.names
    table = {name: motion.skeleton.names[driven[j].joint] if j in driven else None for j, name in enumerate(names)}
    matching_found = Matching(
        pairs=tuple(pairs), drivers=MappingProxyType(table), unmatched=tuple(left), overrides=MappingProxyType(dict(overrides))
    )
    return Problem(motion=motion, targets=targets, matching=matching_found, notes=(*notes, *found.notes))


def _stood(motion: Motion, found: Anatomy) -> tuple[Motion, str] | None:
    """The motion on a skeleton that rests standing, made from its clip, where its own rest pose is none."""
    try:
        return standing(draft(motion, found, RigConfig(max_bodies=motion.skeleton.num_joints)))
    except InputError:  # nothing to rig: read as it is
        return None


def _side(rest: tuple[Array, Array], pose: Pose, trunk: int, found: Anatomy, forward: Array) -> Side:
    """A skeleton's reference pose, with `forward` (of the rest pose) turned into it and laid flat."""
    if pose.frame is not None:
        forward = quaternion.rotate(quaternion.multiply(pose.rotations[trunk], quaternion.conjugate(rest[1][trunk])), forward)
    flat = np.array([forward[0], forward[1], 0.0])
    flat = flat / max(float(np.linalg.norm(flat)), 1e-9)
    return Side(pose=pose, anatomy=found, forward=flat)


def continuous(character: Character, qpos: Array) -> Array:
    """The same poses with quaternions that do not change sign from frame to frame."""
    out = np.array(qpos)
    model = character.model
    for kind, adr in zip(model.jnt_type, model.jnt_qposadr, strict=True):
        if kind in (0, 1):  # free, ball
            first = int(adr) + (3 if kind == 0 else 0)
            out[:, first : first + 4] = quaternion.continuous(out[:, first : first + 4])
    return out


def residuals(character: Character, result: Motion, targets: Targets) -> dict[str, float]:
    """Mean distance [m] of each body's point from its target, where it has one."""
    out: dict[str, float] = {}
    for goal in targets.goals:
        on = goal.weight > 0.0
        gap = goal.gap(*result.world)[on]
        name = character.skeleton.names[goal.point.joint]
        if on.any() and ("," not in goal.name or name not in out):
            out[name] = float(gap.mean())
    return out
