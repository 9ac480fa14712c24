"""The ground z = 0 as a limit on every step: no shape may sink into it.

    z_i(q) + J_i(q) dq >= -depth        for the lowest points i of all shapes near the ground

A sphere or capsule has a point at each centre and its radius below, a box its corners, other shapes points of their surface, a mesh its
outermost vertices.
"""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import maximum_filter1d, uniform_filter1d

from surefoot.errors import InputError

Array = NDArray[np.float64]


def surface_points(model: mujoco.MjModel) -> tuple[NDArray[np.int64], Array, Array]:
    """Bodies (n,), points in their frames (n, 3) and radii (n,): the lowest of z - radius is the lowest point of the shapes."""
    bodies: list[int] = []
    points: list[Array] = []
    radii: list[float] = []
    kinds = mujoco.mjtGeom
    for g in range(model.ngeom):
        body = int(model.geom_bodyid[g])
        if body == 0 or not (model.geom_contype[g] or model.geom_conaffinity[g]):
            continue
        kind, size = model.geom_type[g], model.geom_size[g]
        matrix = np.zeros(9)
        mujoco.mju_quat2Mat(matrix, model.geom_quat[g])
        if kind == kinds.mjGEOM_SPHERE:
            local, radius = np.zeros((1, 3)), float(size[0])
        elif kind == kinds.mjGEOM_CAPSULE:
            local, radius = np.array([[0.0, 0.0, size[1]], [0.0, 0.0, -size[1]]]), float(size[0])
        elif kind == kinds.mjGEOM_BOX:
            signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)
            local, radius = signs * size, 0.0
        elif kind == kinds.mjGEOM_CYLINDER:
            round_ = np.radians(np.arange(0.0, 360.0, 45.0))
            rim = np.stack([size[0] * np.cos(round_), size[0] * np.sin(round_)], axis=-1)
            local = np.concatenate([np.column_stack([rim, np.full(8, z)]) for z in (size[1], -size[1])])
            radius = 0.0
        elif kind == kinds.mjGEOM_ELLIPSOID:
            directions = np.array([[x, y, z] for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1) if x or y or z], dtype=float)
            local, radius = size * directions / np.linalg.norm(directions, axis=1, keepdims=True), 0.0
        elif kind == kinds.mjGEOM_MESH:
            local, radius = _corners(model, int(model.geom_dataid[g])), 0.0
        else:
            raise InputError(f"shape {g} of body '{model.body(body).name}' is of a kind that retargeting does not know.")
        placed = model.geom_pos[g] + local @ matrix.reshape(3, 3).T
        bodies += [body] * len(placed)
        points += list(placed)
        radii += [radius] * len(placed)
    return np.array(bodies, dtype=np.int64), np.array(points).reshape(-1, 3), np.array(radii)


def _corners(model: mujoco.MjModel, mesh: int) -> Array:
    """The outermost vertices (n, 3) of a mesh along 98 directions."""
    first, count = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
    vertices = np.asarray(model.mesh_vert[first : first + count], dtype=np.float64)
    steps = np.arange(-2.0, 3.0)
    grid = np.stack(np.meshgrid(steps, steps, steps), axis=-1).reshape(-1, 3)
    outward = grid[np.abs(grid).max(axis=-1) == 2.0]
    return vertices[np.unique(np.argmax(outward @ vertices.T, axis=-1))]


def lowest(model: mujoco.MjModel, qpos: Array, among: list[int] | None = None) -> Array:
    """Height (T,) of the lowest point of all shapes, or of those of the bodies `among`, in each pose [m]; negative is below the ground."""
    data = mujoco.MjData(model)
    bodies, points, radii = surface_points(model)
    if among is not None:
        chosen = np.isin(bodies, among)
        bodies, points, radii = bodies[chosen], points[chosen], radii[chosen]
    out = np.empty(len(qpos))
    for t, row in enumerate(qpos):
        data.qpos[:] = row
        mujoco.mj_kinematics(model, data)
        out[t] = heights(data, bodies, points, radii).min(initial=np.inf)
    return out


def heights(data: mujoco.MjData, bodies: NDArray[np.int64], points: Array, radii: Array) -> Array:
    """Heights (n,) of the points' lower sides."""
    down = data.xmat[bodies, 6:9]
    return np.asarray(data.xpos[bodies, 2] + np.einsum("ni,ni->n", down, points) - radii)


def rise(depth: Array, reach: int) -> Array:
    """A smooth lift (T,) that is nowhere less than `depth` and returns to nothing within about twice `reach` frames."""
    wide = maximum_filter1d(np.maximum(depth, 0.0), 2 * reach + 1, mode="nearest")
    return np.asarray(uniform_filter1d(wide, 2 * reach + 1, mode="nearest"))
