"""A glTF file as a `Document`: container, JSON, buffers and accessors, with every number checked before it is believed.

A file is JSON, alone (.gltf) or as the first chunk of a container (.glb); its numbers stand in buffers (the container's
second chunk, a base64 text or a file beside it), of which accessors are typed views:

    element i of an accessor = buffer[view.byteOffset + accessor.byteOffset + i * stride : + element size]

The JSON is parsed by `json` rather than by pygltflib: that builds a dataclass per object without checking a type, an index or a length,
and took over 100 times as long on the files we tried (0.04 to 0.48 s a file, against 0.2 to 4 ms). `gltf_write` does build on it.
"""

from __future__ import annotations

import base64
import binascii
import json
import struct
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote, unquote_to_bytes

import numpy as np
from numpy.typing import NDArray

from surefoot.errors import InputError, one_line
from surefoot.motion.limits import MAX_FILE_BYTES, read_bytes, shown

Array = NDArray[np.float64]
Tree = dict[str, Any]

MAX_JSON_BYTES = 64 * 2**20
MAX_JSON_BRACKETS = 400_000
MAX_JSON_COMMAS = 2_000_000
MAX_NUMBERS = 16_000_000
"""Numbers decoded from accessors in one reading; also bounds the work spent on accessors that many channels share."""

COMPONENTS = {5120: np.int8, 5121: np.uint8, 5122: np.int16, 5123: np.uint16, 5125: np.uint32, 5126: np.float32}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
MESHOPT = ("EXT_meshopt_compression", "KHR_meshopt_compression")


def _no_constant(text: str) -> float:
    raise ValueError(f"{text} is no JSON number")


def parse_json(data: bytes, name: str) -> Tree:
    """The JSON object in `data`, refused when it would take too much memory or nests too deeply."""
    if len(data) > MAX_JSON_BYTES:
        raise InputError(
            f"{name}: {len(data) / 2**20:.0f} MB of JSON, more than the {MAX_JSON_BYTES // 2**20} MB that are read; save it as .glb."
        )
    if data.count(b"{") + data.count(b"[") > MAX_JSON_BRACKETS or data.count(b",") > MAX_JSON_COMMAS:
        raise InputError(f"{name}: its JSON has more objects than are read ({MAX_JSON_BRACKETS}); keep only the animated skeleton.")
    try:
        tree = json.loads(data.decode("utf-8-sig"), parse_constant=_no_constant)
    except UnicodeDecodeError:
        raise InputError(f"{name}: neither a .glb (it does not begin with 'glTF') nor JSON text in UTF-8.") from None
    except RecursionError:
        raise InputError(f"{name}: its JSON nests too deeply to be a glTF file.") from None
    except ValueError as error:
        raise InputError(f"{name}: not readable as JSON ({error}); a glTF file is JSON or a .glb container.") from None
    if not isinstance(tree, dict):
        raise InputError(f"{name}: its JSON is a {type(tree).__name__}, expected an object with 'asset' and 'nodes'.")
    return tree


def split_glb(data: bytes, name: str) -> tuple[bytes, memoryview | None]:
    """The JSON chunk and the binary chunk of a .glb container."""
    if len(data) < 20:
        raise InputError(f"{name}: {len(data)} bytes, too short for a .glb file; it was cut off.")
    version, length = struct.unpack_from("<II", data, 4)
    if version != 2:
        raise InputError(f"{name}: a .glb container of version {version}, expected 2; export it again as glTF 2.0.")
    if length > len(data):
        raise InputError(f"{name}: declares {length} bytes and has {len(data)}; it was cut off.")
    chunks: list[tuple[int, int, int]] = []
    at = 12
    while at + 8 <= length and len(chunks) < 2:
        size, kind = struct.unpack_from("<II", data, at)
        if at + 8 + size > length:
            raise InputError(f"{name}: chunk {len(chunks)} declares {size} bytes and {length - at - 8} are left; the file is damaged.")
        chunks.append((kind, at + 8, size))
        at += 8 + size
    if not chunks or chunks[0][0] != 0x4E4F534A:
        raise InputError(f"{name}: its first chunk is not JSON; the file is damaged.")
    if chunks[0][2] > MAX_JSON_BYTES:
        raise InputError(f"{name}: {chunks[0][2] / 2**20:.0f} MB of JSON, more than the {MAX_JSON_BYTES // 2**20} MB that are read.")
    text = data[chunks[0][1] : chunks[0][1] + chunks[0][2]]
    if len(chunks) > 1 and chunks[1][0] == 0x004E4942:
        return text, memoryview(data)[chunks[1][1] : chunks[1][1] + chunks[1][2]]
    return text, None


class Document:
    """The parsed file: typed access to its JSON and to the numbers in its accessors. All errors are one line with the file's name."""

    def __init__(self, data: bytes, name: str, folder: Path | None = None) -> None:
        self.name = shown(name)
        self.folder = folder
        self.binary: memoryview | None = None
        text = data
        if data[:4] == b"glTF":
            text, self.binary = split_glb(data, self.name)
        self.tree = parse_json(text, self.name)
        asset = self.tree.get("asset")
        if not isinstance(asset, dict):
            raise self.fail("it has no 'asset', which every glTF file has; is it another kind of JSON?")
        if str(asset.get("version", "2.0")).split(".")[0] != "2":
            raise self.fail(f"glTF version '{asset['version']}', expected 2.0; export it again as glTF 2.0.")
        self.asset: Tree = asset
        self._lists: dict[str, list[Tree]] = {}
        self._numbers_left = MAX_NUMBERS
        self._bytes_left = MAX_FILE_BYTES
        self._buffers: dict[int, memoryview] = {}
        self._accessors: dict[int, Array] = {}

    def fail(self, text: str) -> InputError:
        return InputError(f"{self.name}: {text}")

    def spend(self, numbers: int) -> None:
        """Count work that a small file could ask for without end."""
        self._numbers_left -= numbers
        if self._numbers_left < 0:
            raise self.fail(f"its animations hold more than the {MAX_NUMBERS / 1e6:.0f} million numbers that are read; split it by clip.")

    def items(self, key: str, tree: Tree | None = None, where: str = "") -> list[Tree]:
        """The list of objects under `key`, empty when absent."""
        if tree is None and key in self._lists:
            return self._lists[key]
        value = (self.tree if tree is None else tree).get(key, [])
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise self.fail(f"{where}{key} is not a list of objects.")
        if tree is None:
            self._lists[key] = value
        return value

    def whole(self, tree: Tree, key: str, where: str, default: int | None = None, limit: int = 2**53) -> int:
        """The whole number 0 <= n < limit under `key`."""
        value = tree.get(key, default)
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < limit:
            kind = "nothing" if value is None else one_line(repr(value), 40)
            raise self.fail(f"{where}.{key} is {kind}, expected a whole number from 0 to {limit - 1}.")
        return value

    def floats(self, tree: Tree, key: str, where: str, default: tuple[float, ...]) -> Array:
        """The finite numbers under `key`, as many as the default has."""
        value = tree.get(key, default)
        good = isinstance(value, list | tuple) and len(value) == len(default)
        if not good or not all(isinstance(x, int | float) and not isinstance(x, bool) and abs(x) <= 1e30 for x in value):
            raise self.fail(f"{where}.{key} is {one_line(repr(value), 60)}, expected {len(default)} finite numbers.")
        return np.array(value, dtype=float)

    def indices(self, tree: Tree, key: str, where: str, limit: int) -> list[int]:
        """The list of whole numbers below `limit` under `key`, empty when absent."""
        value = tree.get(key, [])
        if not isinstance(value, list):
            raise self.fail(f"{where}.{key} is not a list of numbers.")
        for i in value:
            if not isinstance(i, int) or isinstance(i, bool) or not 0 <= i < limit:
                raise self.fail(f"{where}.{key} names {one_line(repr(i), 40)}; there are {limit}, counted from 0.")
        return value

    # --- buffers ---------------------------------------------------------------------------------------------------

    def _load(self, index: int, buffer: Tree) -> bytes | memoryview:
        uri = buffer.get("uri")
        if uri is None:
            if index == 0 and self.binary is not None:
                return self.binary
            raise self.fail(f"buffers[{index}] has neither a uri nor a binary chunk to stand in.")
        if not isinstance(uri, str):
            raise self.fail(f"buffers[{index}].uri is not a text.")
        if uri[:5].lower() == "data:":
            head, comma, body = uri.partition(",")
            if not comma:
                raise self.fail(f"buffers[{index}] is a data uri without a comma.")
            if not head.lower().endswith(";base64"):
                return unquote_to_bytes(body)
            try:
                return base64.b64decode(unquote(body) if "%" in body else body)
            except (binascii.Error, ValueError):
                raise self.fail(f"buffers[{index}] is no valid base64 text.") from None
        return self.resource(uri)

    def resource(self, uri: str) -> bytes:
        """The bytes of a file that a relative uri names: inside the file's own folder, or refused."""
        return read_bytes(self._beside(unquote(uri)), self._bytes_left)

    def _beside(self, uri: str) -> Path:
        """The file of a relative uri: inside the file's own folder, or refused."""
        said = one_line(uri, 80)
        parts = PurePosixPath(uri).parts
        if not parts or uri.startswith("/") or ".." in parts or any(c in uri for c in "\\:\0"):
            raise self.fail(f"its buffer '{said}' is not a file in its own folder; only those are read.")
        if self.folder is None:
            raise self.fail(f"its numbers stand in another file, '{said}', and there is no folder to find it in.")
        try:
            folder = self.folder.resolve()
            path = (folder / uri).resolve()
        except (OSError, RuntimeError, ValueError):
            raise self.fail(f"its buffer '{said}' cannot be found.") from None
        if not path.is_relative_to(folder):
            raise self.fail(f"its buffer '{said}' leads out of its own folder; only files inside it are read.")
        try:
            there = path.exists()
        except OSError:  # a name too long
            there = False
        if not there:
            raise self.fail(f"its numbers stand in '{said}', which is not beside it; put that file into the same folder.")
        return path

    def buffer(self, index: int) -> memoryview:
        """The bytes of a buffer, as many as it declares."""
        if index not in self._buffers:
            buffers = self.items("buffers")
            declared = self.whole(buffers[index], "byteLength", f"buffers[{index}]")
            data = memoryview(self._load(index, buffers[index]))
            if declared > len(data):
                raise self.fail(f"buffers[{index}] declares {declared} bytes and has {len(data)}; a part is missing.")
            self._bytes_left -= len(data)
            if self._bytes_left < 0:
                raise self.fail(f"its buffers hold more than the {MAX_FILE_BYTES // 2**20} MB that are read.")
            self._buffers[index] = data[:declared]
        return self._buffers[index]

    def view(self, index: int) -> tuple[memoryview, int]:
        """The bytes of a buffer view and its stride (0: tightly packed)."""
        views = self.items("bufferViews")
        where = f"bufferViews[{index}]"
        view = views[index]
        extensions = view.get("extensions")
        packed = [x for x in MESHOPT if isinstance(extensions, dict) and x in extensions]
        if packed:
            raise self.fail(f"its animation data are compressed ({packed[0]}), which is not read; export it without compression.")
        data = self.buffer(self.whole(view, "buffer", where, limit=len(self.items("buffers"))))
        start, length = self.whole(view, "byteOffset", where, 0), self.whole(view, "byteLength", where)
        if start + length > len(data):
            raise self.fail(f"{where} ends at byte {start + length} of a buffer of {len(data)} bytes.")
        return data[start : start + length], self.whole(view, "byteStride", where, 0, 4096)

    # --- accessors -------------------------------------------------------------------------------------------------

    def _strided(self, tree: Tree, where: str, dtype: np.dtype, count: int, width: int) -> NDArray:
        """(count, width) elements of the buffer view that `tree` names; bounds first."""
        data, stride = self.view(self.whole(tree, "bufferView", where, limit=len(self.items("bufferViews"))))
        size = dtype.itemsize * width
        stride = stride or size
        start = self.whole(tree, "byteOffset", where, 0)
        if stride < size:
            raise self.fail(f"{where}: elements of {size} bytes stand {stride} bytes apart.")
        if start + (count - 1) * stride + size > len(data):
            raise self.fail(f"{where} needs {start + (count - 1) * stride + size} bytes and its buffer view has {len(data)}.")
        return np.ndarray((count, width), dtype, data, start, (stride, dtype.itemsize))

    def _component(self, tree: Tree, where: str, allowed: tuple[int, ...] = tuple(COMPONENTS)) -> np.dtype:
        kind = self.whole(tree, "componentType", where)
        if kind not in allowed:
            raise self.fail(f"{where}.componentType is {kind}, expected one of {', '.join(map(str, allowed))}.")
        return np.dtype(COMPONENTS[kind]).newbyteorder("<")

    def accessor(self, index: int, width: int, what: str) -> Array:
        """The numbers (count, width) of an accessor: normalised integers scaled, sparse values put in."""
        accessors = self.items("accessors")
        if not 0 <= index < len(accessors):
            raise self.fail(f"{what} names accessor {index}; there are {len(accessors)}, counted from 0.")
        tree, where = accessors[index], f"accessors[{index}]"
        kind = tree.get("type")
        if not isinstance(kind, str) or WIDTHS.get(kind) != width:
            raise self.fail(f"{where} is of type {one_line(repr(kind), 30)}; {what} needs {width} numbers an element.")
        if index not in self._accessors:
            self._accessors[index] = self._decode(tree, where, width)
        return self._accessors[index]

    def _decode(self, tree: Tree, where: str, width: int) -> Array:
        dtype = self._component(tree, where)
        count = self.whole(tree, "count", where)
        if count == 0:
            raise self.fail(f"{where}.count is 0, expected at least 1.")
        raw = self._strided(tree, where, dtype, count, width) if "bufferView" in tree else None  # a view, no copy
        self.spend(count * width)
        if raw is None:
            raw = np.zeros((count, width), dtype)
        sparse = tree.get("sparse")
        if sparse is not None:
            raw = self._patched(raw, sparse, f"{where}.sparse")
        with np.errstate(invalid="ignore"):  # a signalling NaN; refused below
            values = raw.astype(float)
        if tree.get("normalized") is True and dtype.kind in "iu":
            values = np.maximum(values / np.iinfo(dtype).max, -1.0)
        if not np.isfinite(values).all():
            raise self.fail(f"{where} holds a NaN or an infinity.")
        values.flags.writeable = False
        return values

    def _patched(self, raw: NDArray, sparse: object, where: str) -> NDArray:
        """`raw` with the sparse accessor's values put in at its indices."""
        if not isinstance(sparse, dict) or not isinstance(sparse.get("indices"), dict) or not isinstance(sparse.get("values"), dict):
            raise self.fail(f"{where} needs a count, indices and values.")
        count = self.whole(sparse, "count", where, limit=len(raw) + 1)
        if count == 0:
            return raw
        kind = self._component(sparse["indices"], f"{where}.indices", (5121, 5123, 5125))
        at = self._strided(sparse["indices"], f"{where}.indices", kind, count, 1)[:, 0].astype(np.int64)
        if at.max() >= len(raw) or np.any(np.diff(at) <= 0):
            raise self.fail(f"{where}: its indices must rise and stay below {len(raw)}.")
        out = raw.copy()
        out[at] = self._strided(sparse["values"], f"{where}.values", raw.dtype, count, raw.shape[1])
        return out
