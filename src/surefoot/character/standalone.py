"""A trusted model of several files as one text: what `--trust-files` allows.

Includes are put in their places, a mesh becomes the hull of its vertices (which is what MuJoCo collides with), pictures and height fields
from files go. Masses and inertias stay those of the meshes. It is done in a process of its own, so that a damaged file takes nothing with
it; the text that comes out is then treated as any stranger's.

    x = p_g + R_g v for every vertex v of the compiled mesh of a geom at (p_g, R_g): the same before and after, to a micrometre
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull, QhullError

from surefoot.character import compile_probe
from surefoot.character.guard import apart, verdict
from surefoot.errors import InputError
from surefoot.motion.limits import read_bytes, shown

Array = NDArray[np.float64]

TIMEOUT_S = 60.0
MAX_VERTICES = 256
"""Of one hull; a rounder one is taken at its farthest points along as many directions."""
MAX_BYTES = 16 * 2**20


def standalone(path: str | Path) -> str:
    """The MJCF text of a model in several files, which are read as it says, wherever they lie."""
    name = shown(path)
    read_bytes(path, MAX_BYTES)  # whether it can be read at all
    said, why = apart("surefoot.character.standalone", b"", TIMEOUT_S, str(Path(path).resolve()))
    why = why or verdict(said)
    if why:
        raise InputError(f"{name}: MuJoCo cannot read it with the files that it names: {why}")
    return str(json.loads(said.decode().splitlines()[-1])["xml"])


def joined(path: str) -> str:
    """The same, in this process."""
    spec = mujoco.MjSpec.from_file(path)
    model = spec.compile()
    _keep_inertias(spec, model)
    for skin in list(spec.skins):
        spec.delete(skin)
    hulls: dict[str, str] = {}  # names of hulls by those of meshes; none for a flat one
    meshes = list(spec.meshes)
    for mesh in meshes:
        hull = _hull(_vertices(model, mesh.id))
        if hull is not None:
            hulls[mesh.name] = f"{mesh.name} hull"
            spec.add_mesh(name=hulls[mesh.name], uservert=hull.ravel().tolist())
    for geom, index in [(geom, geom.id) for geom in spec.geoms]:  # indices change when one goes
        if geom.type == mujoco.mjtGeom.mjGEOM_HFIELD and _field(spec, geom.hfieldname).file:
            spec.delete(geom)
        elif geom.meshname:
            _place(spec, model, geom, index, hulls.get(geom.meshname, ""))
    for field in [field for field in spec.hfields if field.file]:
        spec.delete(field)
    for mesh in meshes:
        spec.delete(mesh)
    _drop_pictures(spec)
    spec.compile()
    return str(spec.to_xml())


def _keep_inertias(spec: mujoco.MjSpec, model: mujoco.MjModel) -> None:
    """Every body's mass and inertia as they were compiled: a hull is heavier than the mesh in it."""
    for body in spec.bodies[1:]:
        i = body.id
        body.explicitinertial, body.mass, body.inertia = True, float(model.body_mass[i]), model.body_inertia[i]
        body.ipos, body.iquat, body.fullinertia = model.body_ipos[i], model.body_iquat[i], np.full(6, np.nan)
        body.ialt.type = mujoco.mjtOrientation.mjORIENTATION_QUAT
    spec.compiler.inertiafromgeom = mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_FALSE


def _vertices(model: mujoco.MjModel, mesh: int) -> Array:
    first, count = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
    return np.asarray(model.mesh_vert[first : first + count], dtype=np.float64)


def _hull(vertices: Array) -> Array | None:
    """Points of the convex hull, None where there is none (a flat mesh)."""
    try:
        corners = vertices[np.sort(ConvexHull(vertices).vertices)]
    except (QhullError, ValueError):
        return None
    if len(corners) <= MAX_VERTICES:
        return corners
    k = np.arange(MAX_VERTICES)
    z, turn = 1.0 - 2.0 * (k + 0.5) / MAX_VERTICES, np.pi * (1.0 + 5.0**0.5) * k
    r = np.sqrt(1.0 - z * z)
    toward = np.stack([r * np.cos(turn), r * np.sin(turn), z], axis=-1)
    return corners[np.unique(np.argmax(toward @ corners.T, axis=-1))]


def _place(spec: mujoco.MjSpec, model: mujoco.MjModel, geom: Any, index: int, hull: str) -> None:
    """Put a geom where the compiler put it, with the hull in place of its mesh."""
    if not hull and geom.type == mujoco.mjtGeom.mjGEOM_MESH:
        spec.delete(geom)
        return
    geom.pos, geom.quat = model.geom_pos[index], model.geom_quat[index]
    geom.alt.type = mujoco.mjtOrientation.mjORIENTATION_QUAT
    geom.meshname = hull
    if geom.type != mujoco.mjtGeom.mjGEOM_MESH:  # a box, capsule, ... that was fitted to the mesh
        geom.meshname, geom.size = "", model.geom_size[index]


def _field(spec: mujoco.MjSpec, name: str) -> Any:
    return next(field for field in spec.hfields if field.name == name)


def _drop_pictures(spec: mujoco.MjSpec) -> None:
    lost = {texture.name for texture in spec.textures if texture.file or any(texture.cubefiles)}
    for texture in list(spec.textures):
        if texture.name in lost:
            spec.delete(texture)
    for material in spec.materials:
        material.textures = ["" if name in lost else name for name in material.textures]


def main() -> int:
    """Print a line of JSON with the text, or with what is wrong."""
    compile_probe.limit(cpu_s=int(TIMEOUT_S))
    try:
        answer = {"ok": True, "xml": joined(sys.argv[1])}
    except MemoryError:
        answer = {"error": "it needs more memory than a character may take"}
    except Exception as error:
        answer = {"error": str(error)}
    print(json.dumps(answer))
    return 0


if __name__ == "__main__":
    sys.exit(main())
