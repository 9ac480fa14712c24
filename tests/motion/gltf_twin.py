"""A second reader of glTF, plain and slow, written from the standard: pygltflib for the container, 4 x 4 matrices, SciPy for rotations.

It shares no line with the reader it judges. `straight=True` blends quaternions along the straight line between two keys and normalises, as
Blender's curves do; the standard wants the arc.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pygltflib
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation, Slerp

Array = NDArray[np.float64]
_TYPES = {5120: np.int8, 5121: np.uint8, 5122: np.int16, 5123: np.uint16, 5125: np.uint32, 5126: np.float32}
_WIDTHS = {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}


class Twin:
    """The node tree of a .glb and its animations."""

    def __init__(self, path: Path) -> None:
        self.gltf = pygltflib.GLTF2().load_binary(str(path))
        self.blob = self.gltf.binary_blob()

    def numbers(self, index: int) -> Array:
        accessor = self.gltf.accessors[index]
        view = self.gltf.bufferViews[accessor.bufferView]
        kind, width = np.dtype(_TYPES[accessor.componentType]), _WIDTHS[accessor.type]
        start = (view.byteOffset or 0) + (accessor.byteOffset or 0)
        stride = view.byteStride or kind.itemsize * width
        rows = [np.frombuffer(self.blob, kind, width, start + i * stride) for i in range(accessor.count)]
        values = np.array(rows, dtype=float)
        if accessor.normalized:
            values = np.maximum(values / np.iinfo(kind).max, -1.0)
        return values

    def tracks(self, clip: int) -> list[tuple[int, str, str, Array, Array]]:
        """Node, property, interpolation, times (K,), values (K, width) of each channel."""
        animation = self.gltf.animations[clip]
        out = []
        for channel in animation.channels:
            sampler = animation.samplers[channel.sampler]
            if channel.target.path != "weights":
                times, values = self.numbers(sampler.input)[:, 0], self.numbers(sampler.output)
                out.append((channel.target.node, channel.target.path, sampler.interpolation or "LINEAR", times, values))
        return out

    def positions(self, clip: int, times: Array, *, straight: bool = False) -> dict[str, Array]:
        """World positions (T, 3) of every node by its name (a joint's, where a mesh has the same), in the file's axes and unit."""
        nodes = self.gltf.nodes
        moved = {(node, path): _at(times, path, mode, keys, values, straight) for node, path, mode, keys, values in self.tracks(clip)}
        parents = {child: i for i, node in enumerate(nodes) for child in node.children or []}
        world: dict[int, Array] = {}

        def place(i: int) -> Array:
            if i not in world:
                local = _local(nodes[i], {path: values for (node, path), values in moved.items() if node == i}, len(times))
                world[i] = place(parents[i]) @ local if i in parents else local
            return world[i]

        skinned = {joint for skin in self.gltf.skins for joint in skin.joints}
        order = sorted(range(len(nodes)), key=lambda i: i in skinned)  # the last of a name counts
        return {nodes[i].name or f"node_{i}": place(i)[:, :3, 3] for i in order}

    def bent(self, clip: int, times: Array) -> NDArray[np.bool_]:
        """Whether at a time (T,) some rotation is between two keys that differ, so that arc and straight line part."""
        out = np.zeros(len(times), dtype=bool)
        for _, path, mode, keys, values in self.tracks(clip):
            if path == "rotation" and mode == "LINEAR" and len(keys) > 1:
                low = np.clip(np.searchsorted(keys, times, side="right") - 1, 0, len(keys) - 2)
                part = np.clip((times - keys[low]) / (keys[low + 1] - keys[low]), 0.0, 1.0)
                apart = np.abs(np.sum(values[low] * values[low + 1], axis=-1)) < 1.0 - 1e-7
                out |= apart & (np.minimum(part, 1.0 - part) > 1e-4)
        return out


def _local(node: pygltflib.Node, moved: dict[str, Array], frames: int) -> Array:
    if node.matrix is not None:
        return np.tile(np.array(node.matrix).reshape(4, 4).T, (frames, 1, 1))
    out = np.tile(np.eye(4), (frames, 1, 1))
    rotation = moved.get("rotation", np.tile(node.rotation or [0.0, 0.0, 0.0, 1.0], (frames, 1)))
    scale = moved.get("scale", np.tile(node.scale or [1.0, 1.0, 1.0], (frames, 1)))
    out[:, :3, :3] = Rotation.from_quat(rotation).as_matrix() @ np.array([np.diag(s) for s in scale])
    out[:, :3, 3] = moved.get("translation", np.tile(node.translation or [0.0, 0.0, 0.0], (frames, 1)))
    return out


def _at(times: Array, path: str, mode: str, keys: Array, values: Array, straight: bool) -> Array:
    """A channel's values at `times`."""
    assert mode == "LINEAR", "the real clips have no other"
    if len(keys) == 1:
        return np.repeat(values, len(times), axis=0)
    held = np.clip(times, keys[0], keys[-1])
    if path == "rotation" and not straight:
        return Slerp(keys, Rotation.from_quat(values))(held).as_quat()
    if path == "rotation":
        values = values.copy()
        for k in range(1, len(values)):
            if np.dot(values[k], values[k - 1]) < 0.0:
                values[k] = -values[k]
    mixed = np.stack([np.interp(held, keys, column) for column in values.T], axis=-1)
    return mixed / np.linalg.norm(mixed, axis=-1, keepdims=True) if path == "rotation" else mixed
