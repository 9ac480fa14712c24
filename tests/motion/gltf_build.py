"""Small glTF files made by hand, for the reader's tests: a tree, accessors of any kind, and the three ways to keep the numbers."""

from __future__ import annotations

import base64
import json
import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

Tree = dict[str, Any]
_CODES = {"i1": 5120, "u1": 5121, "i2": 5122, "u2": 5123, "u4": 5125, "f4": 5126}
_TYPES = {1: "SCALAR", 3: "VEC3", 4: "VEC4", 16: "MAT4"}


class Maker:
    """A file in the making. `tree` may be changed at will before it is written."""

    def __init__(self, nodes: list[Tree], **extra: Any) -> None:
        children = {c for node in nodes for c in node.get("children", [])}
        roots = [i for i in range(len(nodes)) if i not in children]
        self.tree: Tree = {"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": roots}], "nodes": nodes, **extra}
        self.blob = bytearray()

    def view(self, values: NDArray, **extra: Any) -> int:
        self.blob += bytes(-len(self.blob) % 4)
        views = self.tree.setdefault("bufferViews", [])
        views.append({"buffer": 0, "byteOffset": len(self.blob), "byteLength": values.nbytes, **extra})
        self.blob += values.tobytes()
        return len(views) - 1

    def accessor(self, values: Any, kind: str = "f4", **extra: Any) -> int:
        data = np.asarray(values, dtype=f"<{kind}")
        data = data.reshape(len(data), -1)
        return self.declare(
            {"bufferView": self.view(data), "componentType": _CODES[kind], "count": len(data), "type": _TYPES[data.shape[1]], **extra}
        )

    def declare(self, accessor: Tree) -> int:
        self.tree.setdefault("accessors", []).append(accessor)
        return len(self.tree["accessors"]) - 1

    def sampler(self, times: int, values: int, mode: str | None = None) -> Tree:
        return {"input": times, "output": values} | ({} if mode is None else {"interpolation": mode})

    def animation(self, channels: list[tuple[int, str, Tree]], name: str | None = None) -> None:
        tree: Tree = {
            "samplers": [sampler for *_, sampler in channels],
            "channels": [{"sampler": i, "target": {"node": node, "path": path}} for i, (node, path, _) in enumerate(channels)],
        }
        self.tree.setdefault("animations", []).append(tree | ({} if name is None else {"name": name}))

    def move(self, node: int, path: str, times: Any, values: Any, mode: str | None = None, name: str | None = None) -> None:
        """An animation of one channel."""
        self.animation([(node, path, self.sampler(self.accessor(times), self.accessor(values), mode))], name)

    def glb(self) -> bytes:
        tree = self.tree | ({"buffers": [{"byteLength": len(self.blob)}]} if self.blob else {})
        text = json.dumps(tree).encode()
        text += b" " * (-len(text) % 4)
        body = struct.pack("<II", len(text), 0x4E4F534A) + text
        if self.blob:
            blob = bytes(self.blob) + bytes(-len(self.blob) % 4)
            body += struct.pack("<II", len(blob), 0x004E4942) + blob
        return b"glTF" + struct.pack("<II", 2, 12 + len(body)) + body

    def embedded(self) -> bytes:
        uri = "data:application/octet-stream;base64," + base64.b64encode(bytes(self.blob)).decode()
        return json.dumps(self.tree | {"buffers": [{"byteLength": len(self.blob), "uri": uri}]}).encode()

    def external(self, uri: str) -> bytes:
        return json.dumps(self.tree | {"buffers": [{"byteLength": len(self.blob), "uri": uri}]}).encode()


def arm() -> Maker:
    """Two links of 1 m one above the other, the upper one at the end of the lower, Y up; a skin of both, nothing moves yet."""
    nodes = [
        {"name": "lower", "children": [1]},
        {"name": "upper", "translation": [0.0, 1.0, 0.0], "children": [2]},
        {"name": "hand", "translation": [0.0, 1.0, 0.0]},
    ]
    return Maker(nodes, skins=[{"joints": [0, 1, 2]}])


def turned(axis: int, degrees: float) -> list[float]:
    """x y z w of a turn about one axis."""
    half = np.radians(degrees) / 2.0
    q = [0.0, 0.0, 0.0, float(np.cos(half))]
    q[axis] = float(np.sin(half))
    return q
