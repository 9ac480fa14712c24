"""What a MuJoCo model looks like, as triangles: one mesh for each body and colour, in the body's frame.

    place of a vertex in the world = R_body (R_geom v + p_geom) + p_body

Planes are no meshes: they are grounds without an end, which the stage lays as squares where the character is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot.motion import quaternion

Array = NDArray[np.float64]
Triangles = NDArray[np.int64]

SEEN = 2
"""Geoms of higher groups are not drawn, as in MuJoCo's own viewer."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Shape:
    """Part of a body, in one colour."""

    body: int
    """MuJoCo's index; 0 stands still."""
    vertices: Array  # (V, 3)
    faces: Triangles  # (F, 3)
    colour: tuple[int, int, int]
    opacity: float | None


@dataclass(frozen=True, eq=False, kw_only=True)
class Ground:
    """A plane."""

    position: Array  # (3,)
    rotation: Array  # (4,)


def shapes(model: mujoco.MjModel, bodies: frozenset[int] | None = None) -> tuple[Shape, ...]:
    """The visible geoms of some bodies, by default of all, joined where body and colour agree."""
    parts: dict[tuple[int, tuple[int, int, int, int]], list[tuple[Array, Triangles]]] = {}
    for g in range(model.ngeom):
        body = int(model.geom_bodyid[g])
        mesh = None if bodies is not None and body not in bodies else _mesh(model, g)
        rgba = _rgba(model, g)
        if mesh is None or rgba[3] == 0 or model.geom_group[g] > SEEN:
            continue
        vertices = quaternion.rotate(model.geom_quat[g], mesh[0]) + model.geom_pos[g]
        parts.setdefault((body, rgba), []).append((vertices, mesh[1]))
    out = []
    for (body, (red, green, blue, alpha)), pieces in parts.items():
        starts = np.cumsum([0, *(len(vertices) for vertices, _ in pieces)])
        out.append(
            Shape(
                body=body,
                vertices=np.concatenate([vertices for vertices, _ in pieces]),
                faces=np.concatenate([faces + start for (_, faces), start in zip(pieces, starts, strict=False)]),
                colour=(red, green, blue),
                opacity=None if alpha == 255 else alpha / 255.0,
            )
        )
    return tuple(out)


def grounds(model: mujoco.MjModel) -> tuple[Ground, ...]:
    """The model's planes."""
    planes = np.flatnonzero((model.geom_type == mujoco.mjtGeom.mjGEOM_PLANE) & (model.geom_bodyid == 0))
    return tuple(Ground(position=np.array(model.geom_pos[g]), rotation=np.array(model.geom_quat[g])) for g in planes)


def squares(side: float, num: int) -> Iterator[tuple[Array, Triangles]]:
    """The dark and the light half of a board of num x num squares around the origin, in z = 0."""
    i, j = np.meshgrid(np.arange(num), np.arange(num), indexing="ij")
    corners = np.array([[0, 0], [1, 0], [1, 1], [0, 1]])
    for colour in (0, 1):
        cells = np.stack([i, j], axis=-1)[(i + j) % 2 == colour]  # (n, 2)
        flat = ((cells[:, None] + corners).reshape(-1, 2) - 0.5 * num) * side
        starts = 4 * np.arange(len(cells))[:, None]
        faces = np.concatenate([starts + np.array(corner) for corner in ((0, 1, 2), (0, 2, 3))])
        yield np.concatenate([flat, np.zeros((len(flat), 1))], axis=1), faces


def _rgba(model: mujoco.MjModel, g: int) -> tuple[int, int, int, int]:
    material = int(model.geom_matid[g])
    rgba = model.geom_rgba[g] if material < 0 else model.geom_rgba[g] * model.mat_rgba[material]
    red, green, blue, alpha = (int(v) for v in np.round(255.0 * np.clip(rgba, 0.0, 1.0)))
    return red, green, blue, alpha


def _mesh(model: mujoco.MjModel, g: int) -> tuple[Array, Triangles] | None:
    """Vertices (V, 3) in the geom's frame and faces (F, 3); None for planes and what has no surface."""
    from trimesh import creation

    kinds, size = mujoco.mjtGeom, np.array(model.geom_size[g])
    kind = int(model.geom_type[g])
    made: Any
    if kind == kinds.mjGEOM_SPHERE:
        made = creation.uv_sphere(radius=size[0], count=[14, 20])
    elif kind == kinds.mjGEOM_ELLIPSOID:
        made = creation.uv_sphere(radius=1.0, count=[14, 20])
        made.vertices = made.vertices * size
    elif kind == kinds.mjGEOM_CAPSULE:
        made = creation.capsule(height=2.0 * size[1], radius=size[0], count=[14, 20])
        made.vertices = made.vertices - [0.0, 0.0, made.bounds.mean(axis=0)[2]]
    elif kind == kinds.mjGEOM_CYLINDER:
        made = creation.cylinder(radius=size[0], height=2.0 * size[1], sections=24)
    elif kind == kinds.mjGEOM_BOX:
        return _box(size)
    elif kind == kinds.mjGEOM_MESH:
        return _stored(model, int(model.geom_dataid[g]))
    elif kind == kinds.mjGEOM_HFIELD:
        return _field(model, int(model.geom_dataid[g]))
    else:
        return None
    return np.asarray(made.vertices, dtype=float), np.asarray(made.faces, dtype=np.int64)


def _box(half: Array) -> tuple[Array, Triangles]:
    """Six faces with corners of their own, so that edges stay sharp."""
    vertices: list[Array] = []
    faces: list[list[int]] = []
    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        for sign in (1.0, -1.0):
            corners = np.zeros((4, 3))
            corners[:, axis] = sign
            corners[:, u], corners[:, v] = sign * np.array([-1, 1, 1, -1]), [-1, -1, 1, 1]
            first = 4 * len(vertices)
            vertices.append(corners * half)
            faces += [[first, first + 1, first + 2], [first, first + 2, first + 3]]
    return np.concatenate(vertices), np.array(faces, dtype=np.int64)


def _stored(model: mujoco.MjModel, mesh: int) -> tuple[Array, Triangles]:
    vertices = slice(model.mesh_vertadr[mesh], model.mesh_vertadr[mesh] + model.mesh_vertnum[mesh])
    faces = slice(model.mesh_faceadr[mesh], model.mesh_faceadr[mesh] + model.mesh_facenum[mesh])
    return np.array(model.mesh_vert[vertices], dtype=float), np.array(model.mesh_face[faces], dtype=np.int64)


def _field(model: mujoco.MjModel, field: int) -> tuple[Array, Triangles]:
    """The upper surface of a height field."""
    rows, columns = int(model.hfield_nrow[field]), int(model.hfield_ncol[field])
    first = int(model.hfield_adr[field])
    x_half, y_half, top, _ = model.hfield_size[field]
    heights = top * np.array(model.hfield_data[first : first + rows * columns], dtype=float).reshape(rows, columns)
    y, x = np.meshgrid(np.linspace(-y_half, y_half, rows), np.linspace(-x_half, x_half, columns), indexing="ij")
    n = np.arange(rows * columns).reshape(rows, columns)
    a, b, c, d = n[:-1, :-1].ravel(), n[:-1, 1:].ravel(), n[1:, 1:].ravel(), n[1:, :-1].ravel()
    faces = np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])
    return np.stack([x, y, heights], axis=-1).reshape(-1, 3), faces
