"""The text of Acclaim skeletons (ASF): sections that begin with ':', bones between begin and end, then who hangs below whom.

Every malformed line is an error that names it. Directions and axes are in the file's world axes, in the rest pose.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from surefoot.errors import InputError, one_line
from surefoot.motion import quaternion
from surefoot.motion.limits import MAX_COORDINATE, MAX_DEPTH, MAX_JOINTS
from surefoot.motion.skeleton import topological

Array = NDArray[np.float64]
Lines = list[tuple[int, str]]

DOF = ("rx", "ry", "rz", "tx", "ty", "tz", "l")


@dataclass
class Bone:
    """One bone, in the file's units, its axis frame as a quaternion."""

    name: str
    direction: tuple[float, ...] = (0.0, 0.0, 0.0)
    length: float = 0.0
    axis: Array = field(default_factory=lambda: quaternion.IDENTITY)
    dof: tuple[str, ...] = ()
    limits: tuple[tuple[float, float], ...] = ()
    position: tuple[float, ...] = (0.0, 0.0, 0.0)
    """Of the root only."""
    parent: int = -1


@dataclass
class Figure:
    """The bones of an ASF, the root first."""

    bones: list[Bone]
    length: float = 1.0
    degrees: bool = True
    order: list[int] = field(default_factory=list)
    """Bones with parents before children."""
    warnings: list[str] = field(default_factory=list)

    def with_unit(self, *, degrees: bool) -> Figure:
        return replace(self, degrees=degrees)


def text_lines(data: bytes, name: str) -> Iterator[tuple[int, str]]:
    """Numbered lines without comments and blanks, any line ends."""
    if b"\0" in data[:4096]:
        raise InputError(f"{name}: not a text file.")
    for i, raw in enumerate(data.decode("utf-8", errors="replace").splitlines(), start=1):
        line = raw.split("#", 1)[0].strip()
        if line:
            yield i, line


def number(word: str, name: str, line: int) -> float:
    """A finite number of sensible size."""
    try:
        value = float(word)
    except ValueError:
        value = math.nan
    if not abs(value) <= MAX_COORDINATE:
        raise InputError(f"{name}, line {line}: a number was expected, found '{one_line(word, 40)}'.")
    return value


def parse_figure(data: bytes, name: str) -> Figure:
    """Parse an ASF."""
    sections: dict[str, Lines] = {}
    here: Lines = []
    for line, text in text_lines(data, name):
        if text.startswith(":"):
            key, _, rest = text[1:].strip().partition(" ")
            here = sections.setdefault(key.strip().lower(), [])
            text = rest.strip()
        if text:
            here.append((line, text))
    for wanted in ("root", "bonedata", "hierarchy"):
        if wanted not in sections:
            raise InputError(f"{name}: no section ':{wanted}'; an ASF skeleton has :root, :bonedata and :hierarchy.")
    figure = Figure([Bone("root", dof=("tx", "ty", "tz", "rx", "ry", "rz"))])
    for line, text in sections.get("units", []):
        key, *words = text.split()
        if key.lower() == "length":
            figure.length = number(words[0] if words else "", name, line)
            if not 1e-6 <= figure.length <= 1e6:
                raise InputError(f"{name}, line {line}: the unit's length must be positive, found {figure.length:g}.")
        elif key.lower() == "angle":
            figure.degrees = not (words and words[0].lower().startswith("rad"))
    _root(figure, sections["root"], name)
    _bones(figure, sections["bonedata"], name)
    _hierarchy(figure, sections["hierarchy"], name)
    return figure


def _root(figure: Figure, lines: Lines, name: str) -> None:
    root, order, angles = figure.bones[0], "XYZ", (0.0, 0.0, 0.0)
    for line, text in lines:
        key, *words = text.split()
        match key.lower():
            case "order":
                root.dof = _dof(words, name, line)
            case "axis":
                order = _order(words[0] if words else "", name, line)
            case "position":
                root.position = _triple(words, name, line)
            case "orientation":
                angles = _triple(words, name, line)
    root.axis = _frame(order, angles, figure.degrees)


def _bones(figure: Figure, lines: Lines, name: str) -> None:
    bone: Bone | None = None
    seen = {"root"}
    for line, text in lines:
        key, *words = text.replace("(", " ").replace(")", " ").split() or [""]
        match key.lower():
            case "begin":
                bone = Bone("")
            case "end":
                if bone is None or not bone.name:
                    raise InputError(f"{name}, line {line}: 'end' of a bone that has no name.")
                if bone.name in seen:
                    raise InputError(f"{name}, line {line}: a second bone named '{one_line(bone.name, 40)}'.")
                if len(figure.bones) >= MAX_JOINTS:
                    raise InputError(f"{name}, line {line}: more than the {MAX_JOINTS} bones that are read.")
                seen.add(bone.name)
                figure.bones.append(bone)
                bone = None
            case _ if bone is None:
                raise InputError(f"{name}, line {line}: 'begin' was expected, found '{one_line(text, 40)}'.")
            case "name":
                bone.name = words[0] if words else ""
            case "direction":
                vector = _triple(words, name, line)
                norm = math.hypot(*vector)
                bone.direction = tuple(v / norm for v in vector) if norm > 1e-9 else (0.0, 0.0, 0.0)
            case "length":
                bone.length = number(words[0] if words else "", name, line)
            case "axis":
                order = _order(words[3] if len(words) > 3 else "XYZ", name, line)
                bone.axis = _frame(order, _triple(words[:3], name, line), figure.degrees)
            case "dof":
                bone.dof = _dof(words, name, line)
            case "limits":
                bone.limits = (*bone.limits, _pair(words, name, line))
            case _ if bone.limits and text.startswith("("):
                bone.limits = (*bone.limits, _pair([key, *words], name, line))
    if bone is not None:
        raise InputError(f"{name}: the last bone, '{one_line(bone.name, 40)}', has no 'end'.")


def _hierarchy(figure: Figure, lines: Lines, name: str) -> None:
    slots = {bone.name: b for b, bone in enumerate(figure.bones)}
    placed: set[int] = {0}
    for line, text in lines:
        words = text.split()
        if words[0].lower() in ("begin", "end"):
            continue
        for word in words:
            if word not in slots:
                raise InputError(f"{name}, line {line}: no bone named '{one_line(word, 40)}' in :bonedata.")
        for child in words[1:]:
            b = slots[child]
            if b in placed:
                raise InputError(f"{name}, line {line}: bone '{one_line(child, 40)}' already hangs somewhere, or is the root.")
            placed.add(b)
            figure.bones[b].parent = slots[words[0]]
    loose = [bone.name for b, bone in enumerate(figure.bones) if b not in placed]
    if loose:
        figure.warnings.append(f"bones that :hierarchy does not place, hung at the root: {one_line(', '.join(loose), 120)}")
        for b in range(len(figure.bones)):
            if b not in placed:
                figure.bones[b].parent = 0
    try:
        figure.order = topological([bone.parent for bone in figure.bones])
    except InputError as error:
        raise InputError(f"{name}: {error}") from None
    depth: dict[int, int] = {-1: 0}
    for b in figure.order:
        depth[b] = depth[figure.bones[b].parent] + 1
    if max(depth.values()) > MAX_DEPTH:
        raise InputError(f"{name}: {max(depth.values())} bones in a row, {MAX_DEPTH} can be read.")


def _dof(words: list[str], name: str, line: int) -> tuple[str, ...]:
    dof = tuple(word.lower() for word in words)
    for word in dof:
        if word not in DOF:
            raise InputError(f"{name}, line {line}: '{one_line(word, 20)}' is no degree of freedom; there are {', '.join(DOF)}.")
    if len(set(dof)) != len(dof):
        raise InputError(f"{name}, line {line}: a degree of freedom stands twice.")
    return dof


def _order(word: str, name: str, line: int) -> str:
    if sorted(word.upper()) != ["X", "Y", "Z"]:
        raise InputError(f"{name}, line {line}: an order like XYZ was expected, found '{one_line(word, 20)}'.")
    return word.upper()


def _triple(words: list[str], name: str, line: int) -> tuple[float, float, float]:
    if len(words) < 3:
        raise InputError(f"{name}, line {line}: three numbers were expected, found {len(words)}.")
    return number(words[0], name, line), number(words[1], name, line), number(words[2], name, line)


def _pair(words: list[str], name: str, line: int) -> tuple[float, float]:
    """A limit; "inf" and "-inf" are allowed here."""
    try:
        low, high = (float(word) for word in words[:2])
    except ValueError:
        raise InputError(f"{name}, line {line}: limits are two numbers in parentheses.") from None
    return low, high


def _frame(order: str, angles: tuple[float, float, float], degrees: bool) -> Array:
    """The rotation that turns about order[0] first; angles are x, y, z however the order reads."""
    by_axis = np.array([angles["XYZ".index(letter)] for letter in reversed(order)])
    return quaternion.from_euler(order[::-1], by_axis if degrees else np.degrees(by_axis))
