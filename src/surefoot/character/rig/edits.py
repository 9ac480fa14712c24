"""What a person changes about a rig (Wide band 4.3), as JSON: read, checked, and written as a template of what is there.

    {"schema": 1, "symmetric": true, "delete": [...], "merge": {...}, "root": "...", "bodies": {"LeftFoot": {...}}, "mass_kg": 62}

All vectors are in the world's axes in the rest pose, metres, Z up; places are measured from the body's joint. See docs/rigging.md.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np

from surefoot.character.blueprint import Blueprint, Shape
from surefoot.character.servo import rest_transforms
from surefoot.errors import InputError, one_line, unknown_name
from surefoot.motion import quaternion
from surefoot.motion.limits import read_bytes, shown

SCHEMA = 1
MAX_BYTES = 4 * 2**20
MAX_SHAPES = 64
"""On one body."""
SIZES = {"capsule": 2, "box": 3, "sphere": 1}
"""How many numbers a shape's size has: radius and half length, three half sides, radius."""


@dataclass(frozen=True, kw_only=True)
class BodyEdit:
    """Changes of one body; None leaves things as they are."""

    joint: Literal["ball", "hinge"] | None = None
    axis: tuple[float, float, float] | None = None
    limits_deg: tuple[float, float] | None = None
    mass_kg: float | None = None
    foot: bool | None = None
    position: tuple[float, float, float] | None = None
    """The joint's place, from the parent's joint."""
    shapes: tuple[Shape, ...] | None = None
    """Replace all shapes; their frames are the world's axes."""
    add_shapes: tuple[Shape, ...] = ()
    remove_shapes: tuple[int, ...] = ()
    """Numbers of shapes to leave out, counted from 0."""
    scale: float | None = None
    """Multiplies the size of all shapes, about each one's centre."""
    tips: tuple[tuple[float, float, float], ...] | None = None
    """Far ends of the bone."""


@dataclass(frozen=True, kw_only=True)
class RigEdits:
    """All changes, carried out in this order: delete, merge, root, bodies, masses."""

    symmetric: bool = True
    """Every change is made on the other side, too, mirrored, unless that body has changes of its own."""
    delete: tuple[str, ...] = ()
    """Bodies to leave out, with everything that hangs on them."""
    merge: Mapping[str, str] = field(default_factory=dict)
    """Bodies that become one with the neighbour they are tied to."""
    root: str | None = None
    """The body that floats freely."""
    bodies: Mapping[str, BodyEdit] = field(default_factory=dict)
    end_effectors: tuple[str, ...] | None = None
    density: float | None = None
    """[kg/m^3]"""
    mass_kg: float | None = None
    """Of the whole; bodies whose mass is given keep theirs."""


def read_edits(path: str | Path) -> RigEdits:
    """The edits in a JSON file."""
    name = shown(path)
    data = read_bytes(path, MAX_BYTES)
    try:
        tree = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{name}: not readable as JSON ({error}).") from None
    return parse_edits(tree, name)


def parse_edits(tree: Any, name: str = "edits") -> RigEdits:
    """Edits from JSON values; anything unknown or of the wrong type is an error that says what is known."""
    top = _Table(tree, name)
    schema = top.number("schema", default=SCHEMA)
    if schema != SCHEMA:
        raise InputError(f"{name}: schema {schema:g} is not known; this version reads {SCHEMA}.")
    bodies = {body: _body_edit(_Table(value, f"{name}: bodies.{one_line(body, 60)}")) for body, value in top.table("bodies").items()}
    density, mass = top.positive("density"), top.positive("mass_kg")
    return top.done(
        RigEdits(
            symmetric=top.flag("symmetric", True) is True,
            delete=top.names("delete") or (),
            merge={str(a): top.text(b, "merge") for a, b in top.table("merge").items()},
            root=None if top.get("root") is None else top.text(top.get("root"), "root"),
            bodies=bodies,
            end_effectors=top.names("end_effectors"),
            density=density,
            mass_kg=mass,
        )
    )


def _body_edit(table: _Table) -> BodyEdit:
    joint = table.get("joint")
    if joint not in (None, "ball", "hinge"):
        raise InputError(f"{table.where}.joint is {one_line(repr(joint), 40)}, expected 'ball' or 'hinge'.")
    remove = table.numbers("remove_shapes") or ()
    if any(not float(n).is_integer() or n < 0 for n in remove):
        raise InputError(f"{table.where}.remove_shapes takes the numbers of shapes, counted from 0.")
    tips = table.get("tips")
    return table.done(
        BodyEdit(
            joint=joint,
            axis=table.vector("axis", unit=True),
            limits_deg=_limits(table),
            mass_kg=table.positive("mass_kg"),
            foot=table.flag("foot", None),
            position=table.vector("position"),
            shapes=None if table.get("shapes") is None else table.shapes("shapes"),
            add_shapes=table.shapes("add_shapes"),
            remove_shapes=tuple(int(n) for n in remove),
            scale=table.positive("scale"),
            tips=None if tips is None else tuple(_vector(t, f"{table.where}.tips") for t in table.rows("tips")),
        )
    )


def _limits(table: _Table) -> tuple[float, float] | None:
    found = table.numbers("limits_deg")
    if found is None:
        return None
    if len(found) != 2 or not found[0] < found[1] or max(abs(found[0]), abs(found[1])) > 360.0:
        raise InputError(f"{table.where}.limits_deg is {list(found)}, expected the lowest and the highest angle in degrees.")
    return found[0], found[1]


def _vector(value: Any, where: str) -> tuple[float, float, float]:
    if not isinstance(value, list) or len(value) != 3 or not all(_is_number(x) for x in value):
        raise InputError(f"{where} is {one_line(repr(value), 60)}, expected three finite numbers.")
    return float(value[0]), float(value[1]), float(value[2])


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e6


class _Table:
    """A JSON object whose keys are taken one by one; what is left over at the end is unknown."""

    def __init__(self, value: Any, where: str) -> None:
        if not isinstance(value, dict):
            raise InputError(f"{where} is {one_line(repr(value), 60)}, expected an object in braces.")
        self.values, self.where = value, where
        self.asked: dict[str, None] = {}

    def get(self, key: str) -> Any:
        self.asked[key] = None
        return self.values.get(key)

    def done(self, result: Any) -> Any:
        """`result`, or an error when a key was never asked for."""
        for key in self.values:
            if key not in self.asked and not key.startswith("//"):
                raise InputError(f"{self.where}: {unknown_name('entry', one_line(str(key), 60), self.asked)}")
        return result

    def fail(self, key: str, expected: str) -> InputError:
        return InputError(f"{self.where}.{key} is {one_line(repr(self.values.get(key)), 60)}, expected {expected}.")

    def number(self, key: str, default: float) -> float:
        value = self.get(key)
        if value is None:
            return default
        if not _is_number(value):
            raise self.fail(key, "a number")
        return float(value)

    def positive(self, key: str) -> float | None:
        value = self.get(key)
        if value is not None and (not _is_number(value) or value <= 0):
            raise self.fail(key, "a number above zero")
        return None if value is None else float(value)

    def flag(self, key: str, default: bool | None) -> bool | None:
        value = self.get(key)
        if value is not None and not isinstance(value, bool):
            raise self.fail(key, "true or false")
        return default if value is None else value

    def numbers(self, key: str) -> tuple[float, ...] | None:
        value = self.get(key)
        if value is None:
            return None
        if not isinstance(value, list) or len(value) > 1000 or not all(_is_number(x) for x in value):
            raise self.fail(key, "a list of numbers")
        return tuple(float(x) for x in value)

    def vector(self, key: str, *, unit: bool = False) -> tuple[float, float, float] | None:
        value = self.get(key)
        if value is None:
            return None
        out = _vector(value, f"{self.where}.{key}")
        length = float(np.linalg.norm(out))
        if unit and length < 1e-9:
            raise self.fail(key, "a direction, not zero")
        return (out[0] / length, out[1] / length, out[2] / length) if unit else out

    def rows(self, key: str) -> list[Any]:
        value = self.get(key)
        if value is None:
            return []
        if not isinstance(value, list) or len(value) > MAX_SHAPES:
            raise self.fail(key, f"a list of at most {MAX_SHAPES}")
        return value

    def table(self, key: str) -> dict[str, Any]:
        value = self.get(key)
        if value is None:
            return {}
        if not isinstance(value, dict):
            raise self.fail(key, "an object in braces, by body")
        return value

    def text(self, value: Any, key: str) -> str:
        if not isinstance(value, str):
            raise InputError(f"{self.where}.{key}: {one_line(repr(value), 60)} is no name of a body.")
        return value

    def names(self, key: str) -> tuple[str, ...] | None:
        value = self.get(key)
        if value is None:
            return None
        if not isinstance(value, list):
            raise self.fail(key, "a list of names")
        return tuple(self.text(v, key) for v in value)

    def shapes(self, key: str) -> tuple[Shape, ...]:
        return tuple(_shape(_Table(value, f"{self.where}.{key}[{i}]")) for i, value in enumerate(self.rows(key)))


def _shape(table: _Table) -> Shape:
    kind = table.get("kind")
    if kind not in SIZES:
        raise InputError(f"{table.where}: {unknown_name('kind of shape', one_line(str(kind), 40), SIZES)}")
    size = table.numbers("size") or ()
    if len(size) != SIZES[kind] or min(size) <= 0.0:
        raise table.fail("size", {1: "[radius]", 2: "[radius, half length]", 3: "three half sides"}[SIZES[kind]] + " above zero, in metres")
    rotation = table.numbers("rotation") or (1.0, 0.0, 0.0, 0.0)
    if len(rotation) != 4 or float(np.linalg.norm(rotation)) < 1e-6:
        raise table.fail("rotation", "a quaternion, w first")
    center = table.vector("center") or (0.0, 0.0, 0.0)
    return table.done(Shape(kind=kind, center=np.array(center), rotation=quaternion.normalize(rotation), size=size))


def template(blueprint: Blueprint) -> dict[str, Any]:
    """Edits that say what is there, to start from: applied unchanged they change nothing."""
    _, rotations = rest_transforms(blueprint)
    bodies: dict[str, Any] = {}
    tips: dict[str, list[list[float]]] = {}
    turned = {body.name: rotation for body, rotation in zip(blueprint.bodies, rotations, strict=True)}
    for name, tip in blueprint.tips:
        tips.setdefault(name, []).append(_rounded(quaternion.rotate(turned[name], tip)))
    for body in blueprint.bodies:
        own: dict[str, Any] = {"// hangs on": body.parent or "nothing: it floats freely"}
        frame = turned[body.name]
        if body.joint != "free":
            own["joint"] = body.joint
            if body.axis is not None:
                own["axis"] = _rounded(quaternion.rotate(frame, body.axis))
            own["limits_deg"] = _rounded(np.degrees(body.limits))
        own["mass_kg"] = _rounded([body.mass])[0]
        own["foot"] = body.foot
        own["shapes"] = [
            {
                "kind": shape.kind,
                "center": _rounded(quaternion.rotate(frame, shape.center)),
                "rotation": _rounded(quaternion.multiply(frame, shape.rotation)),
                "size": _rounded(shape.size),
            }
            for shape in body.shapes
        ]
        if body.name in tips:
            own["tips"] = tips[body.name]
        bodies[body.name] = own
    return {
        "schema": SCHEMA,
        "symmetric": False,
        "delete": [],
        "merge": {},
        "root": blueprint.bodies[0].name,
        "end_effectors": list(blueprint.end_effectors),
        "bodies": bodies,
    }


def _rounded(values: Any) -> list[float]:
    return [float(f"{float(v):.9g}") + 0.0 for v in np.asarray(values, dtype=float).ravel()]
