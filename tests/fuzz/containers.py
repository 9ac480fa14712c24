"""Mutations of containers: GLB (a JSON tree beside a block of numbers) and NPZ (a zip of arrays)."""

from __future__ import annotations

import io
import json
import struct
import warnings
import zipfile
from typing import Any

import numpy as np

from tests.fuzz.mutate import MOST, TRASH, Rng, dumps, of_bytes, of_tree, pick, span

_FLOATS = (float("nan"), float("inf"), -float("inf"), 3e38, -3e38, 1e-42, 0.0, -1.0, 1e9, 1e20, 0.5)


def glb(data: bytes, rng: Rng, others: list[bytes]) -> bytes:
    """A mutated GLB or glTF: its tree, its numbers, its chunks' headers, or its bytes."""
    if data[:4] != b"glTF":
        return dumps(of_tree(json.loads(data), rng), rng) if rng.integers(4) else of_bytes(data, rng, others)
    size = struct.unpack_from("<I", data, 12)[0]
    tree, rest = json.loads(data[20 : 20 + size]), bytearray(data[20 + size + 8 :])
    kind = int(rng.integers(8))
    if kind == 0:
        return of_bytes(data, rng, others)
    if kind <= 5:
        tree = _traps(tree, rng) if rng.integers(3) == 0 else of_tree(tree, rng)
    if kind >= 5 and len(rest) >= 4:
        for _ in range(int(rng.integers(1, 20))):
            struct.pack_into("<f", rest, 4 * int(rng.integers(len(rest) // 4)), pick(rng, _FLOATS))
    if rng.integers(12) == 0:
        del rest[int(rng.integers(len(rest) + 1)) :]
    text = dumps(tree, rng)
    text += b" " * (-len(text) % 4)
    body = struct.pack("<II", len(text), 0x4E4F534A) + text
    if rng.integers(20):
        body += struct.pack("<II", len(rest), 0x004E4942) + bytes(rest)
    out = bytearray(struct.pack("<III", 0x46546C67, 2, 12 + len(body)) + body)
    if kind == 7:  # headers that lie
        at = int(pick(rng, (4, 8, 12, 16, 20 + len(text))))
        if at + 4 <= len(out):
            struct.pack_into("<I", out, at, int(pick(rng, (0, 1, 3, 4, len(out), 2**31, 2**32 - 1))))
    return bytes(out)


def _traps(tree: dict[str, Any], rng: Rng) -> dict[str, Any]:
    """Injuries that mean something: cycles, indices beyond the end, counts beyond the file, sizes that do not fit."""
    nodes, accessors = tree.get("nodes") or [{}], tree.get("accessors") or [{}]
    node, accessor, view = pick(rng, nodes), pick(rng, accessors), pick(rng, tree.get("bufferViews") or [{}])
    far = int(pick(rng, (-1, len(nodes), 10**6, 2**31, 2**40)))
    match int(rng.integers(14)):
        case 0:
            node["children"] = [int(rng.integers(len(nodes))) for _ in range(3)]
        case 1:
            node["children"] = [far]
        case 2:
            accessor["count"] = int(pick(rng, (0, 1, 10**6, 10**9, 2**31, 2**53, -5)))
        case 3:
            accessor["byteOffset"] = int(pick(rng, (1, 3, -4, 10**6, 2**40)))
        case 4:
            view[pick(rng, ("byteLength", "byteOffset", "byteStride"))] = int(pick(rng, (0, 1, 5, -4, 252, 10**6, 2**40)))
        case 5:
            accessor["componentType"] = int(pick(rng, (5120, 5121, 5122, 5123, 5125, 5126, 5124, 0)))
        case 6:
            accessor["type"] = pick(rng, ("SCALAR", "VEC2", "VEC3", "VEC4", "MAT2", "MAT4", "", "vec3"))
        case 7:
            node.pop("rotation", None)
            node["matrix"] = [
                float(v) for v in pick(rng, (np.zeros(16), np.ones(16), np.full(16, 1e30), rng.normal(size=16), 1e-200 * np.eye(4).ravel()))
            ]
        case 8:
            node["scale"] = pick(rng, ([0, 0, 0], [1e-300] * 3, [-1, 1, 1], [1e200] * 3, [100, 100, 100], [0, 1, 1], [1, 2, 3]))
        case 9:
            node["rotation"] = pick(rng, ([0, 0, 0, 0], [1e200] * 4, [1e-200] * 4, [2, 0, 0, 0]))
        case 10:
            accessor["sparse"] = {
                "count": int(pick(rng, (1, 10**6, 2**40))),
                "indices": {"bufferView": int(rng.integers(-1, 4)), "componentType": int(pick(rng, (5121, 5123, 5125, 5126)))},
                "values": {"bufferView": int(rng.integers(-1, 4))},
            }
        case 11:
            for animation in tree.get("animations") or []:
                for sampler in animation.get("samplers") or []:
                    sampler[pick(rng, ("input", "output"))] = int(rng.integers(-1, len(accessors) + 1))
                    sampler["interpolation"] = pick(rng, ("STEP", "LINEAR", "CUBICSPLINE", "", "cubic"))
        case 12:
            many = int(pick(rng, (100, 600, 5000)))
            base = len(nodes)
            nodes.extend({"children": [base + k + 1]} if k + 1 < many else {} for k in range(many))
            node["children"] = [base]
        case _:
            for skin in tree.get("skins") or []:
                skin["joints"] = pick(rng, ([], [far], [0, 0, 0], list(range(len(nodes))), [0] * 5000))
    return tree


def npz(data: bytes, rng: Rng, others: list[bytes]) -> bytes:
    """A mutated NPZ: its arrays, their headers, its members, its directory, or its bytes."""
    if rng.integers(5) == 0:
        return of_bytes(data, rng, others)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = [(info.filename, archive.read(info)) for info in archive.infolist()]
    for _ in range(int(rng.integers(1, 4))):
        at = int(rng.integers(len(members)))
        name, content = members[at]
        match int(rng.integers(9)):
            case 0:
                del members[at]
            case 1:
                members.append((name, content))
            case 2:
                names = ("a.npy", "../a.npy", "/etc/a.npy", "a" * 3000, pick(rng, TRASH) + ".npy", pick(rng, members)[0], name + "/", "")
                members[at] = (pick(rng, names), content)
            case 3:
                members[at] = (name, of_bytes(content, rng, [content]))
            case 4 | 5:
                members[at] = (name, _header(content, rng))
            case 6:
                start, end = span(rng, max(0, (len(content) - 128) // 8))
                numbers = struct.pack("<d", pick(rng, _FLOATS)) * (end - start)
                members[at] = (name, content[: 128 + 8 * start] + numbers + content[128 + 8 * end :])
            case 7:
                members[at] = (name, _array(rng))
            case _:
                bomb = int(pick(rng, (10**6, 10**7, 10**8))) if rng.integers(40) == 0 else 10**5
                members[at] = (name, content[:128] + b"\0" * bomb)
        if not members:
            break
    out = io.BytesIO()
    with (
        warnings.catch_warnings(action="ignore"),
        zipfile.ZipFile(out, "w", int(pick(rng, (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))), compresslevel=1) as archive,
    ):
        for name, content in members:
            info = zipfile.ZipInfo("x")
            info.filename, info.compress_type = name, archive.compression
            try:
                archive.writestr(info, content)
            except (UnicodeError, ValueError, struct.error):
                archive.writestr(f"m{len(content)}", content)
    packed = bytearray(out.getvalue())
    if rng.integers(6) == 0:  # a directory that lies
        at = packed.find(b"PK\x01\x02")
        if at >= 0:
            field = int(pick(rng, (8, 10, 16, 20, 24, 28, 30, 42)))
            width = 2 if field in (8, 10, 28, 30) else 4
            packed[at + field : at + field + width] = int(pick(rng, (0, 1, 99, 2 ** (8 * width) - 1))).to_bytes(width, "little")
    return bytes(packed[: 4 * MOST])


def _header(content: bytes, rng: Rng) -> bytes:
    """Another shape, type or version in a .npy header of the same length."""
    changes = (
        (b"'<f8'", pick(rng, (b"'|O' ", b"'<f4'", b"'<i8'", b"'<c8'", b"'<U9'", b"'|V8'", b"'<f9'", b"'>f8'", b"'<M8'"))),
        (b"'shape': (", b"'shape': (" + pick(rng, (b"9", b"-", b"99999999, ", b"0, ", b"(", b"1e9, "))),
        (b"False", pick(rng, (b"True ", b"None ", b"1    "))),
        (b"fortran_order", pick(rng, (b"fortran_older", b"descr', 'xxxx"))),
        (b"\x93NUMPY\x01", pick(rng, (b"\x93NUMPY\x02", b"\x93NUMPY\x09", b"\x93NUMPZ\x01"))),
        (content[8:10], pick(rng, (b"\0\0", b"\xff\xff", b"\x01\0"))),
        (b"}", pick(rng, (b"", b"}}", b", 'a': __import__('os')}"))),
    )
    old, new = pick(rng, changes)
    return content.replace(old, new, 1)


def _array(rng: Rng) -> bytes:
    """An array that does not belong there."""
    out = io.BytesIO()
    shapes = ((), (0,), (1,), (3,), (2, 3), (0, 3, 3), (5, 2, 4), (1, 1, 1, 1))
    kinds = ("f8", "f4", "i8", "u1", "bool", "U3", "S3", "c16", "M8[s]")
    values = rng.normal(size=pick(rng, shapes)) * 10.0 ** int(rng.integers(-3, 12))
    with np.errstate(all="ignore"):
        np.save(out, np.nan_to_num(values).astype("i8").astype(pick(rng, kinds)) if rng.integers(2) else values)
    return out.getvalue()
