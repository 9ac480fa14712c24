"""DeepMimic character files: the skeleton that clips of 44 numbers move, read as its rest pose, one frame.

    "Skeleton": { "Joints": [ { "ID", "Name", "Parent", "AttachX", "AttachY", "AttachZ" } … ] }
    "BodyDefs": [ { "ID", "Shape", "AttachX" …, "Param0" … } … ]         of a last joint, the far end becomes a tip

Joints stand where their parent's frame has them, all aligned with it. Metres, Y up, facing +X. Masses, gains and colours are not read.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.errors import InputError, one_line
from surefoot.motion import quaternion
from surefoot.motion.axes import upright
from surefoot.motion.files import ReadOptions
from surefoot.motion.limits import MAX_COORDINATE, MAX_JOINTS, check_count
from surefoot.motion.motion import Motion, Source
from surefoot.motion.skeleton import Skeleton, Tip, topological
from surefoot.motion.txt import MAX_BYTES

Array = NDArray[np.float64]
XYZ = ("X", "Y", "Z")


def read(data: bytes, name: str, options: ReadOptions) -> Motion:
    """Read a DeepMimic character file."""
    joints, shapes = _lists(data, name)
    check_count(f"{name}: joints", len(joints), MAX_JOINTS)
    if not joints:
        raise InputError(f'{name}: "Joints" is empty; a skeleton needs at least one joint.')
    places = {_whole(joint, "ID", f"{name}: joint {i}", i): i for i, joint in enumerate(joints)}
    parents = []
    for i, joint in enumerate(joints):
        parent = _whole(joint, "Parent", f"{name}: joint {i}", -1)
        if parent >= 0 and parent not in places:
            raise InputError(f"{name}: joint {i} hangs below joint {parent}, which is not there; there are {len(joints)}.")
        parents.append(places[parent] if parent >= 0 else -1)
    order = list(range(len(joints))) if all(p < j for j, p in enumerate(parents)) else topological(parents)
    rank = {old: new for new, old in enumerate(order)}
    up, unit_m = options.up or "Y", options.unit_m or 1.0
    offsets = unit_m * np.array([_vector(joints[j], "Attach", f"{name}: joint {j}") for j in order])
    warnings = ["a skeleton without a motion: its rest pose"]
    if any(np.any(_vector(joint, "AttachTheta", f"{name}: joint {i}")) for i, joint in enumerate(joints)):
        warnings.append("joints that are turned in their parents (AttachTheta) are read as aligned with them.")
    rotations = np.tile(quaternion.IDENTITY, (len(order), 1))
    for new, old in enumerate(order):
        if parents[old] < 0:
            rotations[new] = upright(up)
            offsets[new] = quaternion.rotate(upright(up), offsets[new])
    names = tuple(one_line(str(joints[j].get("Name") or f"joint{j}"), 100) for j in order)
    tree = np.array([rank[parents[j]] if parents[j] >= 0 else -1 for j in order])
    body = Skeleton(names, tree, offsets, rotations, _tips(shapes, places, rank, tree, offsets, unit_m, name))
    source = Source(format="deepmimic", file=name, unit_m=unit_m, up_axis=up, warnings=tuple(warnings))
    frame_time = 1.0 / (options.fps or 30.0)
    return Motion(body, body.translations[None], body.rotations[None], frame_time, name=name.rsplit(".", 1)[0], source=source)


def _lists(data: bytes, name: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The joints and the shapes of the file."""
    if len(data) > MAX_BYTES:
        raise InputError(f"{name}: {len(data) / 2**20:.0f} MB of JSON, more than the {MAX_BYTES / 2**20:.0f} MB that are read.")
    try:
        content = json.loads(data)
    except RecursionError:
        raise InputError(f'{name}: JSON nested too deep; an object with "Skeleton" is expected.') from None
    except ValueError as error:
        raise InputError(f"{name}: not valid JSON ({error}).") from None
    skeleton = content.get("Skeleton") if isinstance(content, dict) else None
    joints = skeleton.get("Joints") if isinstance(skeleton, dict) else None
    shapes = content.get("BodyDefs", []) if isinstance(content, dict) else []
    if not isinstance(joints, list) or not all(isinstance(joint, dict) for joint in joints):
        raise InputError(f'{name}: expected an object with "Skeleton" that has a list "Joints" of objects.')
    return joints, [shape for shape in shapes if isinstance(shape, dict)] if isinstance(shapes, list) else []


def _tips(
    shapes: list[dict[str, Any]],
    places: dict[int, int],
    rank: dict[int, int],
    parents: NDArray[np.int64],
    offsets: Array,
    unit: float,
    name: str,
) -> tuple[Tip, ...]:
    """The far ends of the shapes of last joints: toe and heel of a box, the far side of a ball or a capsule."""
    out: list[Tip] = []
    for i, shape in enumerate(shapes):
        where = f"{name}: body {i}"
        joint = rank.get(places.get(_whole(shape, "ID", where, -1), -1), -1)
        if joint < 0 or np.any(parents == joint):
            continue
        at = unit * _vector(shape, "Attach", where)
        size = 0.5 * unit * np.array([_number(shape, f"Param{k}", where) for k in range(3)])
        if shape.get("Shape") == "box":
            out += [Tip(joint=joint, offset=at + np.array([side * size[0], -size[1], 0.0])) for side in (1.0, -1.0)]
        else:
            along = at if np.any(at) else offsets[joint] if parents[joint] >= 0 else np.zeros(3)
            reach = size[0] + (size[1] if shape.get("Shape") == "capsule" else 0.0)
            out.append(Tip(joint=joint, offset=at + reach * along / max(float(np.linalg.norm(along)), 1e-12)))
    check_count(f"{name}: tips", len(out), MAX_JOINTS)
    return tuple(out)


def _vector(item: dict[str, Any], key: str, where: str) -> Array:
    return np.array([_number(item, key + axis, where) for axis in XYZ])


def _number(item: dict[str, Any], key: str, where: str) -> float:
    value = item.get(key, 0.0)
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= MAX_COORDINATE:
        raise InputError(f"{where}: {key} is {one_line(repr(value), 40)}; a finite number is expected.")
    return float(value)


def _whole(item: dict[str, Any], key: str, where: str, default: int) -> int:
    value = item.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) > MAX_COORDINATE:
        raise InputError(f"{where}: {key} is {one_line(repr(value), 40)}; a whole number is expected.")
    return value
