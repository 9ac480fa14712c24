"""A simulated clip put into the GLB it came from: mesh, skin, materials, cameras and all other animations stay as they are.

The file's nodes have their own unit u, axes Q (turned to Z up) and scales. With L, p the world matrix and place of a node's parent,

    t = L^-1 (Q^-1 x_j / u - p)        r = rot(L)^-1 Q^-1 R_j        s as the source's clip has it

where rot is the product of the rotations above while scales are uniform, otherwise the rotation nearest to L. The clip becomes one more
animation under a name of its own, and the first, which is the one that viewers play. J joints, T frames.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from surefoot.errors import InputError, one_line
from surefoot.export.embed import join_glb
from surefoot.motion import axes, gltf, gltf_tree, quaternion
from surefoot.motion.axes import UpAxis
from surefoot.motion.files import ReadOptions
from surefoot.motion.gltf_load import Document, split_glb
from surefoot.motion.gltf_sample import Animation, Track, read_animations
from surefoot.motion.gltf_tree import Nodes, decompose
from surefoot.motion.motion import Motion

Array = NDArray[np.float64]

SUFFIX = "surefoot"
"""What stands behind the clip's name in the name of its simulation."""
_STILL = 1e-7
"""Scales that stay this near to their node's own, in units of its largest number, get no channel."""


@dataclass(frozen=True, kw_only=True)
class Extended:
    """A GLB with one more clip."""

    data: bytes
    clip: str
    """The new clip's name."""
    apart: float
    """Largest distance between a joint in the file, read again, and where it should be [m]."""


def with_clip(data: bytes, motion: Motion, times: Array, name: str = "simulation.glb") -> Extended:
    """The GLB `data`, from which the skeleton of `motion` was read, with `motion` as one more animation, the first.

    `times` (T,) are the times of the source's clip whose scales the frames have.
    """
    document = Document(data, name)
    nodes = gltf_tree.read_nodes(document)
    animations, _ = read_animations(document, len(nodes.items))
    joints, _, _ = gltf_tree.choose_joints(nodes, set().union(*(a.moved for a in animations)))
    if tuple(nodes.names[n] for n in joints) != motion.skeleton.names:
        raise InputError(f"{document.name}: its joints are not those of '{motion.name}'; append the clip to the file that it came from.")
    source = next((a for a in animations if a.name == motion.source.clip), None)
    first = source.key_times()[0] if source is not None else 0.0
    start = float(motion.source.extra.get("start_s", min(float(first), 0.0)))
    clip = _new_name(motion.source.clip or motion.name, [a.name for a in animations])
    file = _Growing(data, document)
    tracks = _tracks(nodes, joints, motion, source, times + start)
    # Channels that stay at rest are written, too: programs that show one clip after another keep what the last one left.
    scaled = {(node, path) for a in animations for node, path, _ in a.channels}
    for node, values in tracks.items():
        _plain_transform(file.tree["nodes"][node], nodes, node)
        if (node, "scale") not in scaled and _at_rest(nodes.local(node)[2], values["scale"]):
            del values["scale"]
    for tree, animation in zip(file.tree.get("animations", []), animations, strict=True):
        if not tree.get("name"):
            tree["name"] = animation.name  # a name made of its number, which changes now
    file.animate(clip, motion, tracks)
    out = file.bytes()
    options = ReadOptions(clip=clip, unit_m=motion.source.unit_m, up=cast(UpAxis, motion.source.up_axis))
    again = gltf.read(out, document.name, options)
    if again.num_frames != motion.num_frames:
        raise InputError(f"{document.name}: the clip has {again.num_frames} frames when read again, not {motion.num_frames}.")
    apart = float(np.linalg.norm(again.joint_positions - motion.joint_positions, axis=-1).max())
    return Extended(data=out, clip=clip, apart=apart)


def _new_name(clip: str, taken: list[str]) -> str:
    base = f"{one_line(clip, 150)} {SUFFIX}".strip()
    name, n = base, 2
    while name in taken:
        name, n = f"{base} {n}", n + 1
    return name


def _tracks(nodes: Nodes, joints: list[int], motion: Motion, source: Animation | None, times: Array) -> dict[int, dict[str, Array]]:
    """Local translations (T, 3), rotations (T, 4) and scales (T, 3) of every joint's node, in the file's unit and axes."""
    up = cast(UpAxis, motion.source.up_axis)
    back = quaternion.conjugate(axes.upright(up))
    goal = quaternion.rotate(back, motion.joint_positions) / motion.source.unit_m  # (T, J, 3)
    facing = quaternion.multiply(back, motion.joint_rotations)
    scales = {track.node: track for track in (source.tracks() if source is not None else []) if track.path == "scale"}
    slot = {n: j for j, n in enumerate(joints)}
    world: list[tuple[Array, Array, Array | None]] = []  # p (T, 3), L (T, 3, 3), product of the rotations (T, 4) while it counts
    out: dict[int, dict[str, Array]] = {}
    for j, n in enumerate(joints):
        parent = nodes.parents[n]
        p, linear, turned = world[slot[parent]] if parent in slot else _still(nodes, parent, len(goal))
        inverse = np.linalg.pinv(linear)
        translation = (inverse @ (goal[:, j] - p)[..., None])[..., 0]
        rotation = quaternion.multiply(quaternion.conjugate(_rotation(linear) if turned is None else turned), facing[:, j])
        scale = _scale(nodes, n, scales.get(n), times)
        out[n] = {"translation": translation, "rotation": quaternion.continuous(rotation), "scale": scale}
        even = turned is not None and bool(np.all(scale > 0.0) and np.ptp(scale, axis=-1).max() <= 1e-9 * np.abs(scale).max())
        here = p + (linear @ translation[..., None])[..., 0]
        world.append((here, linear @ (quaternion.to_matrix(rotation) * scale[:, None, :]), facing[:, j] if even else None))
    return out


def _still(nodes: Nodes, node: int, frames: int) -> tuple[Array, Array, Array | None]:
    """p, L and the product of the rotations of a node that no clip moves, for every frame."""
    chain: list[int] = []
    while node >= 0:
        chain.append(node)
        node = nodes.parents[node]
    p, linear, turned, even = np.zeros(3), np.eye(3), np.array(quaternion.IDENTITY), True
    for n in reversed(chain):
        translation, rotation, scale, matrix = nodes.local(n)
        p, linear, turned = p + linear @ translation, linear @ matrix, quaternion.multiply(turned, rotation)
        even = even and bool(np.all(scale > 0.0)) and float(np.ptp(scale)) <= 1e-9 * float(np.abs(scale).max())
        even = even and "matrix" not in nodes.items[n]
    flat = np.tile(p, (frames, 1)), np.tile(linear, (frames, 1, 1)), np.tile(turned, (frames, 1))
    return flat[0], flat[1], flat[2] if even else None


def _rotation(linear: Array) -> Array:
    """The rotations (T, 4) nearest to L (T, 3, 3); a mirrored first axis is turned back."""
    return np.stack([decompose(matrix)[0] for matrix in linear])


def _scale(nodes: Nodes, node: int, track: Track | None, times: Array) -> Array:
    """A node's scales (T, 3): those of the source's clip, or its own."""
    if track is not None:
        return track.at(times)
    return np.tile(nodes.local(node)[2], (len(times), 1))


def _at_rest(own: Array, values: Array) -> bool:
    return float(np.abs(values - own).max()) <= _STILL * max(float(np.abs(own).max()), 1e-30)


def _plain_transform(tree: dict[str, Any], nodes: Nodes, node: int) -> None:
    """A node that is to be animated has translation, rotation and scale in place of a matrix, as the standard wants."""
    if "matrix" in tree:
        del tree["matrix"]
        translation, rotation, scale, _ = nodes.local(node)
        tree["translation"], tree["scale"] = translation.tolist(), scale.tolist()
        tree["rotation"] = rotation[[1, 2, 3, 0]].tolist()


class _Growing:
    """A GLB's JSON and binary chunk, to which accessors and animations are added."""

    def __init__(self, data: bytes, document: Document) -> None:
        self.tree = document.tree
        _, binary = split_glb(data, document.name)
        buffers = self.tree.setdefault("buffers", [])
        declared = document.whole(buffers[0], "byteLength", "buffers[0]") if buffers else 0
        if buffers and ("uri" in buffers[0] or binary is None or len(binary) < declared):
            raise document.fail("its first buffer is not in the file; a clip is appended to a .glb that holds its own numbers.")
        self.blob = bytearray(binary[:declared] if binary is not None and buffers else b"")
        if not buffers:
            buffers.append({"byteLength": 0})

    def add(self, values: Array, bounds: bool = False) -> int:
        """The index of a new accessor that holds `values` (N, width) in single precision."""
        self.blob += bytes(-len(self.blob) % 4)
        numbers = np.ascontiguousarray(values, dtype="<f4")
        views, accessors = self.tree.setdefault("bufferViews", []), self.tree.setdefault("accessors", [])
        views.append({"buffer": 0, "byteOffset": len(self.blob), "byteLength": numbers.nbytes})
        self.blob += numbers.tobytes()
        kind = {1: "SCALAR", 3: "VEC3", 4: "VEC4"}[numbers.shape[1]]
        accessor: dict[str, Any] = {"bufferView": len(views) - 1, "componentType": 5126, "count": len(numbers), "type": kind}
        if bounds:
            accessor["min"], accessor["max"] = numbers.min(axis=0).tolist(), numbers.max(axis=0).tolist()
        accessors.append(accessor)
        return len(accessors) - 1

    def animate(self, name: str, motion: Motion, tracks: dict[int, dict[str, Array]]) -> None:
        """One more animation; values that never change are held by a single key."""
        every = self.add(motion.times[:, None], bounds=True)
        first = every if motion.num_frames == 1 else self.add(np.zeros((1, 1)), bounds=True)
        channels: list[dict[str, Any]] = []
        samplers: list[dict[str, Any]] = []
        lasting = False
        for node, paths in tracks.items():
            for path, values in paths.items():
                numbers = values[:, [1, 2, 3, 0]] if path == "rotation" else values
                still = bool(np.all(numbers == numbers[0])) and (lasting or (node, path) != _last(tracks))
                lasting = lasting or not still
                samplers.append({"input": first if still else every, "output": self.add(numbers[:1] if still else numbers)})
                channels.append({"sampler": len(samplers) - 1, "target": {"node": node, "path": path}})
        clip = {"name": name, "channels": channels, "samplers": samplers, "extras": {"frame_time": motion.frame_time}}
        self.tree.setdefault("animations", []).insert(0, clip)

    def bytes(self) -> bytes:
        self.blob += bytes(-len(self.blob) % 4)
        self.tree["buffers"][0]["byteLength"] = len(self.blob)
        return join_glb(self.tree, bytes(self.blob))


def _last(tracks: dict[int, dict[str, Array]]) -> tuple[int, str]:
    """The channel that is written last; it lasts the whole clip even where nothing moves."""
    node = next(reversed(tracks))
    return node, next(reversed(tracks[node]))
