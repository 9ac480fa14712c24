"""GLB files with a skin, a simple body to look at and one animation a clip.

Joints become nodes below one still node, in metres with Y up: the roots are turned by T^-1, with T the turn of Y to Z. With P_j, Q_j a
joint's rest position and rotation, all in the file's axes,

    inverse bind matrix = (Q_j | P_j)^-1        rotation channel = r_j        translation channel = t_j where it leaves its rest

Bone ends are nodes without a channel. Unless another is given, the body is an octahedron along every bone, moved by the bone's joint alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from surefoot.errors import InputError, one_line
from surefoot.motion import axes, quaternion
from surefoot.motion.files import atomic_write
from surefoot.motion.motion import Motion
from surefoot.motion.skeleton import Skeleton

if TYPE_CHECKING:
    import pygltflib

Array = NDArray[np.float64]

_FLOAT, _SHORT = 5126, 5123
_STILL = 1e-9
"""A translation that stays this close to its rest [m] gets no channel."""
_TYPES = {1: "SCALAR", 3: "VEC3", 4: "VEC4", 16: "MAT4"}
_COLOUR = (0.85, 0.55, 0.25, 1.0)


def write(motion: Motion, path: str | Path) -> None:
    """Write a GLB file, in metres with Y up."""
    atomic_write(path, encode(motion))


@dataclass(frozen=True, kw_only=True, eq=False)
class Body:
    """A surface on the rest pose of a skeleton, in metres with Z up. N corners."""

    points: Array  # (N, 3)
    normals: Array  # (N, 3)
    colours: Array  # (N, 4), linear, in [0, 1]
    joints: NDArray[np.int64]  # (N, 4)
    """The joints that move a corner."""
    weights: Array  # (N, 4)
    """Their shares; a row adds up to one."""
    triangles: NDArray[np.int64]  # (F, 3), seen from outside anticlockwise


def encode(motion: Motion, *, clips: Sequence[Motion] = (), body: Body | None = None) -> bytes:
    """The bytes of a GLB file. More `clips` of the same skeleton become more animations; `body` is seen in place of the octahedra."""
    import pygltflib as lib

    for clip in clips:
        if clip.skeleton is not motion.skeleton:
            raise InputError(f"the clips of one GLB file share a skeleton; that of '{clip.name}' is not that of '{motion.name}'.")
    translations, rotations, rest = _in_file(motion)
    skeleton = motion.skeleton
    num = skeleton.num_joints
    file = _Builder(lib)
    roots = [1 + j for j in skeleton.roots]
    ends = {j: [1 + num + k for k, tip in enumerate(skeleton.tips) if tip.joint == j] for j in {tip.joint for tip in skeleton.tips}}
    nodes = [lib.Node(name=one_line(motion.name, 60) or "motion", children=[*roots, 1 + num + len(skeleton.tips)])]
    for j, name in enumerate(skeleton.names):
        children = [1 + c for c in skeleton.children[j]] + ends.get(j, [])
        nodes.append(
            lib.Node(name=name, translation=rest.translations[j].tolist(), rotation=_xyzw(rest.rotations[j]).tolist(), children=children)
        )
    for tip in skeleton.tips:
        name = tip.name or f"{skeleton.names[tip.joint]}_end"
        nodes.append(lib.Node(name=name, translation=tip.offset.tolist(), extras={"bone_end": 1} | ({"tip": tip.name} if tip.name else {})))
    nodes.append(lib.Node(name="body", mesh=0, skin=0))

    file.gltf.nodes = nodes
    file.gltf.scenes = [lib.Scene(nodes=[0])]
    file.gltf.scene = 0
    file.gltf.skins = [lib.Skin(joints=list(range(1, 1 + num)), inverseBindMatrices=file.add(_inverse_binds(rest)))]
    file.gltf.materials = [
        lib.Material(name="bone", pbrMetallicRoughness=lib.PbrMetallicRoughness(baseColorFactor=list(_COLOUR), metallicFactor=0.0))
    ]
    file.gltf.meshes = [lib.Mesh(name="body", primitives=[_bones(file, rest) if body is None else _skin(file, body)])]
    file.gltf.animations = [_animation(file, motion, translations, rotations, rest)]
    for clip in clips:
        file.gltf.animations.append(_animation(file, clip, *_in_file(clip)))
    return file.bytes()


class _Builder:
    """A file whose accessors are added one by one."""

    def __init__(self, lib: Any) -> None:
        self.lib = lib
        self.gltf: pygltflib.GLTF2 = lib.GLTF2(asset=lib.Asset(version="2.0", generator="surefoot"))
        self.blob = bytearray()

    def add(self, values: NDArray, bounds: bool = False) -> int:
        """The index of a new accessor that holds `values` (N, width)."""
        kind = _SHORT if values.dtype == np.uint16 else _FLOAT
        data = np.ascontiguousarray(values, dtype="<u2" if kind == _SHORT else "<f4")
        start = len(self.blob)
        self.blob += data.tobytes()
        self.blob += bytes(-len(self.blob) % 4)
        lib, gltf = self.lib, self.gltf
        gltf.bufferViews.append(lib.BufferView(buffer=0, byteOffset=start, byteLength=data.nbytes))
        accessor = lib.Accessor(bufferView=len(gltf.bufferViews) - 1, componentType=kind, count=len(data), type=_TYPES[data.shape[1]])
        if bounds:
            accessor.min, accessor.max = data.min(axis=0).astype(float).tolist(), data.max(axis=0).astype(float).tolist()
        gltf.accessors.append(accessor)
        return len(gltf.accessors) - 1

    def bytes(self) -> bytes:
        self.gltf.buffers = [self.lib.Buffer(byteLength=len(self.blob))]
        self.gltf.set_binary_blob(bytes(self.blob))
        return b"".join(self.gltf.save_to_bytes())


def _in_file(motion: Motion) -> tuple[Array, Array, Skeleton]:
    """Local translations (T, J, 3) and rotations (T, J, 4), and the skeleton, with Y up."""
    back = quaternion.conjugate(axes.upright("Y"))
    skeleton, roots = motion.skeleton, list(motion.skeleton.roots)

    def turned(translations: Array, rotations: Array) -> tuple[Array, Array]:
        t, r = np.array(translations), quaternion.normalize(rotations)
        t[..., roots, :] = quaternion.rotate(back, t[..., roots, :])
        r[..., roots, :] = quaternion.multiply(back, r[..., roots, :])
        return t, r

    rest_t, rest_r = turned(skeleton.translations, skeleton.rotations)
    translations, rotations = turned(motion.translations, motion.rotations)
    return translations, quaternion.continuous(rotations), Skeleton(skeleton.names, skeleton.parents, rest_t, rest_r, skeleton.tips)


def _xyzw(rotations: Array) -> Array:
    return rotations[..., [1, 2, 3, 0]]


def _inverse_binds(rest: Skeleton) -> Array:
    """Inverse bind matrices (J, 16), column by column as the format has them."""
    positions, world = rest.rest
    turns = np.swapaxes(quaternion.to_matrix(world), -1, -2)
    out = np.tile(np.eye(4), (rest.num_joints, 1, 1))
    out[:, :3, :3] = turns
    out[:, :3, 3] = -(turns @ positions[..., None])[..., 0]
    return np.swapaxes(out, -1, -2).reshape(-1, 16)


def _animation(file: _Builder, motion: Motion, translations: Array, rotations: Array, rest: Skeleton) -> pygltflib.Animation:
    """Channels at all frames, or at the first where nothing changes."""
    lib = file.lib
    times = motion.times[:, None]
    every = file.add(times, bounds=True)
    first = every if len(times) == 1 else file.add(times[:1], bounds=True)
    channels, samplers = [], []

    def channel(joint: int, path: str, values: Array) -> None:
        still = bool(np.all(values == values[0]))
        samplers.append(lib.AnimationSampler(input=first if still else every, output=file.add(values[:1] if still else values)))
        target = lib.AnimationChannelTarget(node=1 + joint, path=path)
        channels.append(lib.AnimationChannel(sampler=len(samplers) - 1, target=target))

    for j in range(rest.num_joints):
        if np.abs(translations[:, j] - rest.translations[j]).max() > _STILL:
            channel(j, "translation", translations[:, j])
        channel(j, "rotation", _xyzw(rotations[:, j]))
    if not any(s.input == every for s in samplers):  # a clip that stands still keeps its length
        samplers[-1] = lib.AnimationSampler(input=every, output=file.add(_xyzw(rotations[:, -1])))
    return lib.Animation(
        name=one_line(motion.name, 200) or "motion", channels=channels, samplers=samplers, extras={"frame_time": motion.frame_time}
    )


def _bones(file: _Builder, rest: Skeleton) -> pygltflib.Primitive:
    """The octahedra as triangles of the file."""
    points, normals, owners = _body(rest)
    weights = np.zeros((len(points), 4))
    weights[:, 0] = 1.0
    joints = np.zeros((len(points), 4), dtype=np.uint16)
    joints[:, 0] = owners
    looks = file.lib.Attributes(
        POSITION=file.add(points, bounds=True), NORMAL=file.add(normals), JOINTS_0=file.add(joints), WEIGHTS_0=file.add(weights)
    )
    return file.lib.Primitive(attributes=looks, material=0)


def _skin(file: _Builder, body: Body) -> pygltflib.Primitive:
    """A given body as triangles of the file; its colours are the corners' own."""
    if len(body.points) > np.iinfo(np.uint16).max:
        raise InputError(f"a body has at most {np.iinfo(np.uint16).max} corners, got {len(body.points)}.")
    back = quaternion.conjugate(axes.upright("Y"))
    file.gltf.materials[0].pbrMetallicRoughness.baseColorFactor = [1.0, 1.0, 1.0, 1.0]
    looks = file.lib.Attributes(
        POSITION=file.add(quaternion.rotate(back, body.points), bounds=True),
        NORMAL=file.add(quaternion.rotate(back, body.normals)),
        COLOR_0=file.add(body.colours),
        JOINTS_0=file.add(body.joints.astype(np.uint16)),
        WEIGHTS_0=file.add(body.weights),
    )
    corners = body.triangles.astype(np.uint16).reshape(-1, 1)
    return file.lib.Primitive(attributes=looks, indices=file.add(corners), material=0)


def _body(rest: Skeleton) -> tuple[Array, Array, NDArray[np.int64]]:
    """Corners (N, 3), normals (N, 3) and joints (N,) of octahedra along all bones, and around joints without a bone."""
    positions, world = rest.rest
    ends = [(int(p), positions[j]) for j, p in enumerate(rest.parents) if p >= 0]
    ends += list(zip([tip.joint for tip in rest.tips], rest.tip_positions(positions, world), strict=True))
    spread = float(np.ptp(np.array([positions[0], *positions, *(e for _, e in ends)]), axis=0).max()) or 1.0
    bones = [(j, end) for j, end in ends if np.linalg.norm(end - positions[j]) > 1e-4 * spread]
    bare = set(range(rest.num_joints)) - {j for j, _ in bones}
    shapes = []
    for j, end in bones:
        length = float(np.linalg.norm(end - positions[j]))
        radius = min(max(0.12 * length, 0.02 * spread), 0.4 * length, 0.05 * spread)  # short bones of a spine are to be seen, too
        shapes.append((j, _octahedron(positions[j], end, radius)))
    up = np.array([0.0, 0.015 * spread, 0.0])
    shapes += [(j, _octahedron(positions[j] - up, positions[j] + up, 0.015 * spread, 0.5)) for j in sorted(bare)]
    faces = np.concatenate([corners for _, corners in shapes])  # (F, 3, 3)
    normals = np.cross(faces[:, 1] - faces[:, 0], faces[:, 2] - faces[:, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=-1, keepdims=True), 1e-300)
    owners = np.repeat([j for j, _ in shapes], 24)
    return faces.reshape(-1, 3), np.repeat(normals, 3, axis=0), owners


def _octahedron(start: Array, end: Array, radius: float, waist: float = 0.2) -> Array:
    """Eight triangles (8, 3, 3) between two points, thickest at `waist` of the way, seen from outside."""
    along = (end - start) / np.linalg.norm(end - start)
    helper = np.eye(3)[int(np.argmin(np.abs(along)))]
    side = np.cross(along, helper)
    side /= np.linalg.norm(side)
    other = np.cross(along, side)
    ring = start + waist * (end - start) + radius * np.array([side, other, -side, -other])
    out = [(ring[k], ring[(k + 1) % 4], end) for k in range(4)] + [(ring[(k + 1) % 4], ring[k], start) for k in range(4)]
    return np.array(out)
