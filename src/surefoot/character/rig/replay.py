"""Standing on the ground, and the clip in the character's joints."""

from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot.character.blueprint import Blueprint
from surefoot.character.character import Character
from surefoot.character.rig.draft import Draft
from surefoot.character.servo import rest_transforms
from surefoot.character.shapes import support
from surefoot.motion import quaternion

Array = NDArray[np.float64]

AIRBORNE = 0.05
"""A first frame higher than this part of the height above the clip's ground is a jump, not a step."""


def stand(blueprint: Blueprint) -> Blueprint:
    """Move the rest pose so that its lowest point stands on the ground, above the origin."""
    positions, rotations = rest_transforms(blueprint)
    lowest = np.inf
    for i, body in enumerate(blueprint.bodies):
        down = quaternion.rotate(quaternion.conjugate(rotations[i]), [0.0, 0.0, -1.0])
        for shape in body.shapes:
            lowest = min(lowest, float(positions[i, 2]) - support(shape, down))
    root = blueprint.bodies[0]
    return blueprint.replace(bodies=(replace(root, position=np.array([0.0, 0.0, root.position[2] - lowest])), *blueprint.bodies[1:]))


def replay(character: Character, sketch: Draft, names: dict[int, str]) -> tuple[Array, float]:
    """The clip's poses (T, nq), lifted as a whole so that the first frame's lowest foot touches the ground; and that lift."""
    motion, order = sketch.motion, sketch.kept
    columns = [order[[names[j] for j in order].index(name)] for name in character.skeleton.names]
    world = motion.joint_rotations[:, columns]
    qpos = character.pose(motion.joint_positions[:, columns[0]], world)
    lowest = float(lowest_points(character, qpos[:1])[0])
    if not np.isfinite(lowest):
        return qpos, 0.0
    # A clip that starts in the air keeps its height; its ground is where it comes down.
    frames = np.unique(np.linspace(0, len(qpos) - 1, 40).astype(int))
    ground = float(np.percentile(lowest_points(character, qpos[frames], character.feet), 10.0))
    if character.feet and lowest > ground + AIRBORNE * sketch.size:
        sketch.notes.append(f"the clip starts in the air, {lowest - ground:.2f} m above where its feet come down")
        lowest = ground
    qpos[:, 2] -= lowest
    return qpos, -lowest


def lowest_points(character: Character, qpos: Array, only: tuple[str, ...] = ()) -> Array:
    """Height of the lowest point of any shape in each of the poses `qpos` (T, nq) [m] (T,); of the bodies in `only` where it names some."""
    model, data = character.model, mujoco.MjData(character.model)
    geoms = np.flatnonzero(model.geom_bodyid > 0)
    if only:
        geoms = geoms[np.isin(model.geom_bodyid[geoms], [model.body(name).id for name in only])]
    size, kinds = model.geom_size[geoms], model.geom_type[geoms]
    boxes, capsules = kinds == mujoco.mjtGeom.mjGEOM_BOX, kinds == mujoco.mjtGeom.mjGEOM_CAPSULE
    out = np.full(len(qpos), np.inf)
    for t, pose in enumerate(qpos):
        data.qpos[:] = pose
        mujoco.mj_kinematics(model, data)
        up = np.abs(data.geom_xmat[geoms, 6:9])
        reach = np.where(boxes, np.sum(up * size, axis=1), size[:, 0] + np.where(capsules, size[:, 1] * up[:, 2], 0.0))
        out[t] = float((data.geom_xpos[geoms, 2] - reach).min(initial=np.inf))
    return out
