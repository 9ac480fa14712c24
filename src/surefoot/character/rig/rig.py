"""A character from any skeleton: `rig(motion) -> Rigged` (Wide band 4.1 to 4.2).

    joints -> bodies (draft) -> rest pose (rest) -> places and joint ranges (bones) -> shapes (flesh, soles)
           -> blueprint -> clearance -> servos and MJCF

Body frames are the joints' frames: replaying the clip means giving every body its joint's world rotation.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from surefoot.character.blueprint import Blueprint, Body
from surefoot.character.character import Character
from surefoot.character.rig.bones import HUMAN, Bone, bones, world_frames
from surefoot.character.rig.clearance import clear_clip, clear_rest
from surefoot.character.rig.config import RigConfig
from surefoot.character.rig.draft import Draft, draft
from surefoot.character.rig.flesh import flesh, points
from surefoot.character.rig.mass import shared_volumes
from surefoot.character.rig.ranges import ranges
from surefoot.character.rig.rest import rest_rotations
from surefoot.character.rig.soles import soles
from surefoot.character.servo import rest_transforms
from surefoot.character.shapes import support
from surefoot.motion import quaternion
from surefoot.motion.anatomy import anatomy, attach
from surefoot.motion.files import without_first_frame
from surefoot.motion.motion import Motion

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, kw_only=True)
class Rigged:
    """A character and the clip it was rigged from."""

    character: Character
    blueprint: Blueprint
    motion: Motion
    """The clip on the source's own joints: detached feet attached, a leading T-pose left out, first frame's feet on the ground."""
    qpos: Array  # (T, nq)
    """The clip in the character's joints."""
    stretch_mm: dict[str, float]
    """Bones that stretch in the clip: largest deviation, in millimetres of a body of 1.7 m."""


def rig(motion: Motion, config: RigConfig | None = None) -> Rigged:
    """A simulated character built from the motion's own skeleton."""
    config = config or RigConfig()
    notes: list[str] = []
    if motion.source.extra.get("leading_rest_frame") and not config.keep_first_frame and motion.num_frames > 2:
        notes.append("frame 0 snaps into the motion (a T-pose put there by the exporter): left out")
        motion = without_first_frame(motion)
    found = anatomy(motion.skeleton, motion)
    if found.detached:
        joined = [f"{motion.skeleton.names[j]} on {motion.skeleton.names[p]}" for j, p in found.detached.items()]
        notes.append("hung where they belong, they stood outside the limb: " + ", ".join(joined))
        motion, _ = attach(motion, dict(found.detached))
        found = anatomy(motion.skeleton, motion)
    sketch = draft(motion, found, config)
    sketch.notes[:0] = notes
    blueprint, all_bones, names = _blueprint(sketch, config)
    blueprint, character = clear_rest(blueprint)
    blueprint = _weighed(_stand(blueprint), config)
    qpos, lift = _replay(character, sketch, names)
    blueprint = clear_clip(blueprint, character, qpos)
    blueprint = blueprint.replace(poses={"first": _first_pose(character, qpos[0])})
    grounded = motion.replace(translations=_lifted(motion, lift))
    stretch = {names[b.joint]: 1e3 * b.stretch * HUMAN / sketch.size for b in all_bones if b.stretch > 5e-3 * sketch.size / HUMAN}
    if stretch:
        worst = sorted(stretch.items(), key=lambda item: -item[1])
        shown = ", ".join(f"{n} {mm:.0f} mm" for n, mm in worst[:8]) + (f" and {len(worst) - 8} more" if len(worst) > 8 else "")
        blueprint = blueprint.replace(
            report=(*blueprint.report, f"bones that stretch in the clip, held at one length (on a 1.7 m body): {shown}")
        )
    return Rigged(character=Character.from_blueprint(blueprint), blueprint=blueprint, motion=grounded, qpos=qpos, stretch_mm=stretch)


def _blueprint(sketch: Draft, config: RigConfig) -> tuple[Blueprint, list[Bone], dict[int, str]]:
    skeleton, found = sketch.motion.skeleton, sketch.anatomy
    rest = rest_rotations(sketch)
    all_bones = bones(sketch, rest)
    frames = world_frames(all_bones)
    joint_ranges = ranges(sketch, all_bones, frames, config)
    standing = soles(sketch)
    shapes = flesh(sketch, all_bones, frames, standing, config)
    names = _names(sketch)
    bodies = []
    for b in all_bones:
        own = joint_ranges.get(b.joint)
        bodies.append(
            Body(
                name=names[b.joint],
                parent=None if b.parent < 0 else names[b.parent],
                position=b.offset,
                rotation=b.rest,
                joint="free" if own is None else "hinge" if own.kind == "hinge" else "ball",
                axis=None if own is None else own.axis,
                limits=(0.0, np.pi) if own is None else own.limits,
                shapes=tuple(shapes[b.joint]),
                mass=1.0,
                foot=b.joint in standing,
            )
        )
    root = all_bones[0].joint
    inverse = quaternion.conjugate(skeleton.rest[1][root])
    tips = [
        (names[b.joint], p)
        for b, pts in zip(all_bones, points(sketch, all_bones).values(), strict=True)
        if not len(pts.children)
        for p in pts.merged
    ]
    blueprint = Blueprint(
        name=_clean(sketch.motion.source.file.rsplit(".", 1)[0] or sketch.motion.name) or "character",
        bodies=tuple(bodies),
        forward=quaternion.rotate(inverse, found.forward),
        up=quaternion.rotate(inverse, found.up),
        end_effectors=tuple(dict.fromkeys(names[int(sketch.owner[j])] for j in found.end_effectors if int(sketch.owner[j]) in names)),
        partners={names[j]: names[int(found.partner[j])] for j in names if int(found.partner[j]) in names},
        tips=tuple((name, (float(p[0]), float(p[1]), float(p[2]))) for name, p in tips),
        servo=config.servo,
        report=tuple(sketch.notes),
        source={
            "file": sketch.motion.source.file,
            "clip": sketch.motion.source.clip,
            "joints": {names[j]: skeleton.names[j] for j in names},
        },
    )
    return blueprint, all_bones, names


LIGHTEST = 5e-4
"""No body weighs less than this part of the whole: lighter ones shake."""


def _weighed(blueprint: Blueprint, config: RigConfig) -> Blueprint:
    """Masses from the space the shapes fill, alike for mirror partners, summing to what was asked for."""
    shapes = [list(body.shapes) for body in blueprint.bodies]
    volumes = shared_volumes(shapes, *rest_transforms(blueprint))
    masses = {body.name: config.density * sum(own) for body, own in zip(blueprint.bodies, volumes, strict=True)}
    masses = {name: 0.5 * (mass + masses.get(blueprint.partners.get(name, name), mass)) for name, mass in masses.items()}
    floor = LIGHTEST * sum(masses.values())
    masses = {name: max(mass, floor) for name, mass in masses.items()}
    scale = 1.0 if config.mass is None else config.mass / sum(masses.values())
    return blueprint.replace(bodies=tuple(replace(body, mass=scale * masses[body.name]) for body in blueprint.bodies))


def _names(sketch: Draft) -> dict[int, str]:
    """A unique name MJCF can hold for every body."""
    taken: set[str] = {"world"}
    out: dict[int, str] = {}
    for j in sketch.kept:
        base = _clean(sketch.motion.skeleton.names[j]) or f"joint {j}"
        name, n = base, 2
        while name in taken:
            name, n = f"{base} #{n}", n + 1
        taken.add(name)
        out[j] = name
    return out


def _clean(name: str) -> str:
    return re.sub(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]", "", name).strip()[:100]


def _stand(blueprint: Blueprint) -> Blueprint:
    """Move the rest pose so that its lowest point stands on the ground, above the origin."""
    positions, rotations = rest_transforms(blueprint)
    lowest = np.inf
    for i, body in enumerate(blueprint.bodies):
        down = quaternion.rotate(quaternion.conjugate(rotations[i]), [0.0, 0.0, -1.0])
        for shape in body.shapes:
            lowest = min(lowest, float(positions[i, 2]) - support(shape, down))
    root = blueprint.bodies[0]
    return blueprint.replace(bodies=(replace(root, position=np.array([0.0, 0.0, root.position[2] - lowest])), *blueprint.bodies[1:]))


def _replay(character: Character, sketch: Draft, names: dict[int, str]) -> tuple[Array, float]:
    """The clip's poses (T, nq), lifted as a whole so that the first frame's lowest foot touches the ground; and that lift."""
    motion, order = sketch.motion, sketch.kept
    columns = [order[[names[j] for j in order].index(name)] for name in character.skeleton.names]
    world = motion.joint_rotations[:, columns]
    qpos = character.pose(motion.joint_positions[:, columns[0]], world)
    lowest = lowest_point(character, qpos[0])
    if not np.isfinite(lowest):
        return qpos, 0.0
    # A clip that starts in the air keeps its height; its ground is where it comes down.
    if lowest > 0.15 * sketch.size:
        frames = np.unique(np.linspace(0, len(qpos) - 1, 60).astype(int))
        lowest = min(lowest, *(lowest_point(character, qpos[t]) for t in frames))
    qpos[:, 2] -= lowest
    return qpos, -lowest


def lowest_point(character: Character, qpos: Array) -> float:
    """Height of the lowest point of any shape in the pose `qpos` (nq,) [m]."""
    import mujoco

    model, data = character.model, mujoco.MjData(character.model)
    data.qpos[:] = qpos
    mujoco.mj_kinematics(model, data)
    lowest = np.inf
    for g in range(model.ngeom):
        if model.geom_bodyid[g] == 0:
            continue
        z, axis = float(data.geom_xpos[g, 2]), data.geom_xmat[g].reshape(3, 3)[2]
        size, kind = model.geom_size[g], int(model.geom_type[g])
        if kind == mujoco.mjtGeom.mjGEOM_SPHERE:
            reach = size[0]
        elif kind == mujoco.mjtGeom.mjGEOM_CAPSULE:
            reach = size[0] + size[1] * abs(axis[2])
        elif kind == mujoco.mjtGeom.mjGEOM_BOX:
            reach = float(np.abs(axis) @ size)
        else:
            reach = float(model.geom_rbound[g])
        lowest = min(lowest, z - float(reach))
    return lowest


def _lifted(motion: Motion, lift: float) -> Array:
    translations = np.array(motion.translations)
    translations[:, list(motion.skeleton.roots), 2] += lift
    return translations


def _first_pose(character: Character, qpos: Array) -> tuple[Array, dict[str, Array]]:
    positions, rotations = character.world(qpos[None])
    return positions[0, 0], dict(zip(character.skeleton.names, rotations[0], strict=True))
