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
    lowest = lowest_point(character, qpos[0])
    if not np.isfinite(lowest):
        return qpos, 0.0
    # A clip that starts in the air keeps its height; its ground is where it comes down.
    frames = np.unique(np.linspace(0, len(qpos) - 1, 40).astype(int))
    ground = float(np.percentile([lowest_point(character, qpos[t]) for t in frames], 10.0))
    if lowest > ground + AIRBORNE * sketch.size:
        sketch.notes.append(f"the clip starts in the air, {lowest - ground:.2f} m above where its feet come down")
        lowest = ground
    qpos[:, 2] -= lowest
    return qpos, -lowest


def lowest_point(character: Character, qpos: Array) -> float:
    """Height of the lowest point of any shape in the pose `qpos` (nq,) [m]."""
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
