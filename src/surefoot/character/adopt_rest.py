"""The rest pose of anybody's MJCF: zero angles that lie within the limits, feet on the ground.

With angles r in place of zero, and hinges a_1 … a_n in a row on one body of orientation q,

    q R(a_1, r_1 + t_1) … R(a_n, r_n + t_n) = q' R(a_1', t_1) … R(a_n', t_n),     q' = q R(a_1, r_1) … R(a_n, r_n),
    a_k' = (R(a_k+1, r_k+1) … R(a_n, r_n))^-1 a_k

so the same model is written with the pose r as its rest, where every angle is zero: then zero controls hold it.
"""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot.motion import quaternion

Array = NDArray[np.float64]
Joint, Geom = mujoco.mjtJoint, mujoco.mjtGeom


def rebase(spec: mujoco.MjSpec, model: mujoco.MjModel) -> list[str]:
    """Make a pose within the limits the rest pose, at which all hinges read zero. A line when something had to move."""
    angles, moved = np.zeros(model.njnt), []
    shifts = np.zeros(model.njnt)
    for j in range(model.njnt):
        if model.jnt_type[j] != Joint.mjJNT_HINGE:
            continue
        start = float(model.qpos0[model.jnt_qposadr[j]])
        low, high = model.jnt_range[j]
        rest = float(np.clip(start, low, high))
        angles[j], shifts[j] = rest - start, rest
        if abs(rest - start) > 1e-6:
            moved.append(model.joint(j).name)
    if not shifts.any() and not angles.any():
        return []
    data = mujoco.MjData(model)
    for j in range(model.njnt):
        if model.jnt_type[j] == Joint.mjJNT_HINGE:
            data.qpos[model.jnt_qposadr[j]] = shifts[j]
    mujoco.mj_kinematics(model, data)
    to_file = 180.0 / np.pi if spec.compiler.degree else 1.0
    for b in range(1, model.nbody):
        hinges = [
            j for j in range(model.body_jntadr[b], model.body_jntadr[b] + model.body_jntnum[b]) if model.jnt_type[j] == Joint.mjJNT_HINGE
        ]
        if not hinges:
            continue
        if angles[hinges].any():
            _turn_body(spec, model, data, b)
            axes = _turned_axes(model.jnt_axis[hinges], angles[hinges])
            for j, axis in zip(hinges, axes, strict=True):
                spec.joint(model.joint(j).name).axis = axis
        for j in hinges:
            joint = spec.joint(model.joint(j).name)
            joint.range = (model.jnt_range[j] - shifts[j]) * to_file
            joint.springref = (float(model.qpos_spring[model.jnt_qposadr[j]]) - shifts[j]) * to_file
            joint.ref = 0.0
            joint.limited = mujoco.mjtLimited.mjLIMITED_TRUE
    return [f"rest pose moved into the limits: {', '.join(moved[:8])}"] if moved else []


def _turn_body(spec: mujoco.MjSpec, model: mujoco.MjModel, data: mujoco.MjData, body: int) -> None:
    """Write a body's place and orientation in its parent, as they are in `data`."""
    parent = int(model.body_parentid[body])
    inverse = quaternion.conjugate(data.xquat[parent])
    element = spec.body(model.body(body).name)
    element.pos = quaternion.rotate(inverse, data.xpos[body] - data.xpos[parent])
    element.alt.type = mujoco.mjtOrientation.mjORIENTATION_QUAT
    element.quat = quaternion.multiply(inverse, data.xquat[body])


def _turned_axes(axes: Array, angles: Array) -> list[Array]:
    after = quaternion.IDENTITY
    out: list[Array] = []
    for axis, angle in zip(axes[::-1], angles[::-1], strict=True):
        out.append(quaternion.rotate(quaternion.conjugate(after), axis))
        after = quaternion.multiply(quaternion.about(axis, angle), after)
    return out[::-1]


def stand(spec: mujoco.MjSpec, model: mujoco.MjModel) -> list[str]:
    """Put the rest pose on the ground, and add a ground when there is none."""
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    fixed = [g for g in range(model.ngeom) if model.geom_bodyid[g] == 0]
    planes = [g for g in fixed if model.geom_type[g] == Geom.mjGEOM_PLANE]
    if not fixed:
        spec.worldbody.add_geom(name="floor", type=Geom.mjGEOM_PLANE, size=[0, 0, 1])
    elif not planes:
        return []  # somebody's own terrain: where it stands there is its maker's business
    ground = float(data.geom_xpos[planes[0], 2]) if planes else 0.0
    low, _ = extents(model, data)
    drop = float(low[:, 2].min()) - ground
    root = spec.body(model.body(1).name)
    root.pos = np.asarray(root.pos) - [0.0, 0.0, drop]
    return [f"stands on the ground: moved {-drop:+.3f} m"] if abs(drop) > 1e-3 else []


def extents(model: mujoco.MjModel, data: mujoco.MjData) -> tuple[Array, Array]:
    """Lowest and highest corner (B, 3) of every body's collision shapes, or of its origin where it has none [m]; bodies from 1."""
    low, high = data.xpos[1:].copy(), data.xpos[1:].copy()
    touches = (model.geom_contype | model.geom_conaffinity) != 0
    seen = np.zeros(model.nbody, dtype=bool)
    for g in np.flatnonzero((model.geom_bodyid > 0) & touches):
        b, matrix = int(model.geom_bodyid[g]) - 1, data.geom_xmat[g].reshape(3, 3)
        reach = _reach(int(model.geom_type[g]), model.geom_size[g], float(model.geom_rbound[g]), matrix)
        first = not seen[b + 1]
        low[b] = np.minimum(np.inf if first else low[b], data.geom_xpos[g] - reach)
        high[b] = np.maximum(-np.inf if first else high[b], data.geom_xpos[g] + reach)
        seen[b + 1] = True
    return low, high


def _reach(kind: int, size: Array, bound: float, matrix: Array) -> Array:
    """How far a geom reaches from its centre along x, y and z of the world (3,)."""
    if kind == Geom.mjGEOM_SPHERE:
        return np.full(3, size[0])
    if kind == Geom.mjGEOM_CAPSULE:
        return np.asarray(size[0] + size[1] * np.abs(matrix[:, 2]))
    if kind == Geom.mjGEOM_CYLINDER:
        return np.asarray(size[1] * np.abs(matrix[:, 2]) + size[0] * np.sqrt(np.maximum(1.0 - matrix[:, 2] ** 2, 0.0)))
    if kind == Geom.mjGEOM_BOX:
        return np.asarray(np.abs(matrix) @ size)
    if kind == Geom.mjGEOM_ELLIPSOID:
        return np.asarray(np.linalg.norm(matrix * size, axis=1))
    return np.full(3, bound)
