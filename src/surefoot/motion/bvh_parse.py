"""The text of a BVH file: a hierarchy of joints, then rows of numbers.

    HIERARCHY  ROOT name { OFFSET x y z  CHANNELS n …  JOINT name { … } End Site { OFFSET x y z } }
    MOTION     Frames: T   Frame Time: dt   then T rows of C numbers

`parse` gives both as they stand in the file: file units, degrees, columns in the file's order. Exporters agree on little
else, so names may hold blanks or be absent, braces stand anywhere, lines end in any way, and a joint has any channels.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from surefoot.errors import InputError
from surefoot.motion import limits
from surefoot.motion.bvh_rows import number, read_rows

Array = NDArray[np.float64]

MAX_HEAD = 32 * 2**20
"""Characters in front of the numbers; the largest skeleton that is read needs a few."""
MAX_ANGLE = 1e7
"""Degrees; beyond it single precision does not even hold whole turns."""


@dataclass(kw_only=True)
class Joint:
    """One ROOT or JOINT as the file has it."""

    name: str
    parent: int
    line: int
    offset: tuple[float, float, float] | None = None
    channels: list[tuple[str, int, int]] = field(default_factory=list)
    """("position" | "rotation" | "scale", axis 0..2, column), in the file's order."""


@dataclass(kw_only=True)
class EndSite:
    """The far end of a bone."""

    joint: int
    name: str = ""
    offset: tuple[float, float, float] = (0.0, 0.0, 0.0)


@dataclass(kw_only=True)
class Parsed:
    """A BVH file, in its own words."""

    joints: list[Joint]
    ends: list[EndSite]
    values: Array  # (T, C)
    frame_time: float | None
    """Seconds; None where the file does not say."""
    warnings: list[str]


def decode(data: bytes) -> str:
    """The file's text with plain line ends: UTF-8, UTF-16, or Latin-1 for whatever else there is."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        text = data.decode("utf-16", errors="replace")
    elif data[:200:2].count(0) > 40:
        text = data.decode("utf-16-be", errors="replace")
    elif data[1:200:2].count(0) > 40:
        text = data.decode("utf-16-le", errors="replace")
    else:
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = data.decode("latin-1")
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.lstrip("\ufeff").rstrip("\0\x1a \t\n")


_MOTION = re.compile(r"(?i)(?<![^\s{}])MOTION(?=[ \t]*\n|[ \t]+Frame)")
_FRAMES = re.compile(r"(?i)\s*(?:Number\s+of\s+)?Frames?\b(?![ \t]*Time)[ \t]*:?[ \t]*([^\s:]+)[ \t]*")
_TIME = re.compile(r"(?i)\s*Frame[ \t]*Time\b[ \t]*:?[ \t]*(\S+)[ \t]*")


def parse(data: bytes, name: str) -> Parsed:
    """The file's joints and numbers; one line that names the file's line when they cannot be had."""
    text = decode(data)
    if not text.strip():
        raise InputError(f"{name}: the file is empty; a BVH begins with HIERARCHY.")
    found = _MOTION.search(text)
    head = text[: found.start()] if found else text
    if len(head) > MAX_HEAD:
        raise InputError(f"{name}: {len(head) / 2**20:.0f} MB stand before the line MOTION; {MAX_HEAD >> 20} MB are read.")
    joints, ends, channels, warnings = _Hierarchy(head, name).read()
    if not found:
        raise InputError(f"{name} line {head.count(chr(10)) + 1}: the file ends without the line MOTION and the frames after it.")

    at, frames, frame_time = found.end(), None, None
    while True:
        line = text.count("\n", 0, at) + 1 if frames is None or frame_time is None else 0
        if frame_time is None and (got := _TIME.match(text, at)):
            where = f"{name} line {line + text.count(chr(10), at, got.start(1))}"
            frame_time = number(got[1], where, "Frame Time")
        elif frames is None and (got := _FRAMES.match(text, at)):
            where = f"{name} line {line + text.count(chr(10), at, got.start(1))}"
            declared = number(got[1], where, "Frames")
            if declared != int(declared) or declared < 1:
                raise InputError(f"{where}: Frames is {got[1]}; a motion needs a whole number of frames, at least 1.")
            limits.check_count(f"{where}: frames", int(declared), limits.MAX_FRAMES)
            frames = int(declared)
        else:
            break
        at = got.end()
    if frames is None:
        warnings.append("The file does not say how many frames it has; all rows were read.")
    if channels == 0:
        raise InputError(f"{name}: no joint has CHANNELS, so there is no motion in the file.")
    limits.check_size(frames or 1, len(joints), (frames or 1) * channels)
    values, lines, more = read_rows(text, at, name, frames, channels)
    limits.check_size(len(values), len(joints), values.size)
    _check_range(values, lines, joints, name)
    return Parsed(joints=joints, ends=ends, values=values, frame_time=frame_time, warnings=warnings + more)


def _check_range(values: Array, lines: list[int], joints: list[Joint], name: str) -> None:
    most = np.full(values.shape[1], np.inf)
    for joint in joints:
        for kind, _, column in joint.channels:
            most[column] = MAX_ANGLE if kind == "rotation" else limits.MAX_COORDINATE
    bad = ~(np.abs(values) <= most)  # a NaN compares false
    if bad.any():
        row, column = np.argwhere(bad)[0]
        raise InputError(
            f"{name} line {lines[row]}: number {column + 1} of the frame is {values[row, column]:g}; "
            f"expected a finite number up to {most[column]:g}."
        )


def _channel(word: str) -> tuple[str, int] | None:
    lower = word.lower()
    kind = {"pos": "position", "tra": "position", "loc": "position", "rot": "rotation", "sca": "scale"}.get(lower[1:4])
    return (kind, "xyz".index(lower[0])) if kind and lower[0] in "xyz" else None


class _Hierarchy:
    """Reads the joints word by word; a joint's name is what is left of its line."""

    def __init__(self, head: str, name: str) -> None:
        self.name = name
        # Words, with the rest of the line behind each, for names that hold blanks. A brace is a word and ends a name.
        self.words = ((line, part, match) for line, text in _lines(head) for part in _PARTS.findall(text) for match in _WORD.finditer(part))
        self.line = 1
        self.joints: list[Joint] = []
        self.ends: list[EndSite] = []
        self.columns = 0
        self.warnings: list[str] = []

    def fail(self, message: str) -> InputError:
        return InputError(f"{self.name} line {self.line}: {message}")

    def numbers(self, count: int, what: str) -> list[float]:
        out: list[float] = []
        for _ in range(count):
            word = next(self.words, None)
            if word is None:
                raise self.fail(f"the file ends inside {what}; expected {count} numbers, got {len(out)}.")
            self.line = word[0]
            out.append(number(word[2][0], f"{self.name} line {self.line}", what))
            if not abs(out[-1]) <= limits.MAX_COORDINATE:
                raise self.fail(f"{what} holds {out[-1]:g}; expected finite numbers up to {limits.MAX_COORDINATE:g}.")
        return out

    def read(self) -> tuple[list[Joint], list[EndSite], int, list[str]]:
        """Joints (parents first), end sites, the number of columns, warnings."""
        stack: list[tuple[int, EndSite | None]] = []  # what is open: a joint, or an end site of it
        opened: list[int] = []
        pending = False  # a joint or an end site waits for its brace
        skip: tuple[int, str] | None = None
        for line, part, match in self.words:
            self.line = line
            word = match[0].lower()
            if skip == (line, part) and word not in "{}":
                continue
            skip = None
            if word == "hierarchy" and not self.joints:
                continue
            if word == "{":
                if not pending:
                    raise self.fail("'{' without a ROOT, JOINT or End Site before it.")
                pending = False
                opened.append(line)
            elif word == "}":
                if not opened:
                    raise self.fail("'}' closes nothing; there is one too many.")
                opened.pop()
                stack.pop()
            elif pending:
                raise self.fail(f"expected '{{' after '{self.joints[-1].name}', found '{match[0]}'.")
            elif word in ("root", "joint"):
                if stack and stack[-1][1] is not None:
                    raise self.fail("a JOINT inside an End Site; an End Site holds an OFFSET only.")
                self.joints.append(self.joint(part[match.end() :].strip(), stack[-1][0] if stack else -1))
                stack.append((len(self.joints) - 1, None))
                pending, skip = True, (line, part)
            elif word == "end" and stack:
                rest = part[match.end() :].strip()
                end = EndSite(joint=stack[-1][0], name=rest[4:].strip() if rest[:4].lower() == "site" else rest)
                self.ends.append(end)
                limits.check_count(f"{self.name} line {line}: end sites", len(self.ends), limits.MAX_JOINTS)
                stack.append((end.joint, end))
                pending, skip = True, (line, part)
            elif word == "offset" and stack:
                x, y, z = self.numbers(3, "OFFSET")
                if (site := stack[-1][1]) is not None:
                    site.offset = (x, y, z)
                else:
                    self.joints[stack[-1][0]].offset = (x, y, z)
            elif word == "channels" and stack:
                self.channels(self.joints[stack[-1][0]], stack[-1][1] is not None)
            elif match[0].startswith(("#", "//")):
                skip = (line, part)
            elif not stack:
                what = "a second tree begins with ROOT" if self.joints else "a BVH begins with HIERARCHY and ROOT"
                raise self.fail(f"found '{match[0][:40]}'; {what}.")
            else:
                raise self.fail(f"found '{match[0][:40]}'; expected OFFSET, CHANNELS, JOINT, End Site or '}}'.")
            if len(stack) > limits.MAX_DEPTH:
                raise self.fail(f"joints are nested more than {limits.MAX_DEPTH} deep.")
        if not self.joints:
            raise InputError(f"{self.name}: there is no ROOT in the file; a BVH begins with HIERARCHY and ROOT.")
        if opened:
            self.warnings.append(f"{len(opened)} '}}' missing at the end of the hierarchy; the last one open began in line {opened[-1]}.")
        for joint in self.joints:
            if joint.offset is None:
                self.warnings.append(f"Joint '{joint.name}' (line {joint.line}) has no OFFSET; taken as 0 0 0.")
        return self.joints, self.ends, self.columns, self.warnings

    def joint(self, name: str, parent: int) -> Joint:
        limits.check_count(f"{self.name} line {self.line}: joints", len(self.joints) + 1, limits.MAX_JOINTS)
        if not name:
            name = f"joint{len(self.joints)}"
            self.warnings.append(f"The joint in line {self.line} has no name; it is called '{name}' here.")
        return Joint(name=name, parent=parent, line=self.line)

    def channels(self, joint: Joint, in_end_site: bool) -> None:
        count = self.numbers(1, "CHANNELS")[0]
        if count != int(count) or not 0 <= count <= 64:
            raise self.fail(f"CHANNELS {count:g}; expected a whole number from 0 to 64.")
        for done in range(int(count)):
            line, _, match = next(self.words, (self.line, "", None))
            self.line = line
            channel = _channel(match[0]) if match else None
            if channel is None:
                raise self.fail(
                    f"CHANNELS declares {count:g} channels, number {done + 1} is '{match[0][:40] if match else 'missing'}'; "
                    "expected one of Xposition Yposition Zposition Xrotation Yrotation Zrotation."
                )
            if channel[0] == "scale" and not any("cale" in w for w in self.warnings):
                self.warnings.append(f"Scale channels (first at '{joint.name}') are not used.")
            if not in_end_site:
                joint.channels.append((*channel, self.columns))
            elif not any("End Site" in w for w in self.warnings):
                self.warnings.append(f"Channels of an End Site (at '{joint.name}') are not used.")
            self.columns += 1


_PARTS = re.compile(r"[{}]|[^{}]+")
_WORD = re.compile(r"\S+")


def _lines(text: str) -> Iterator[tuple[int, str]]:
    at, line = 0, 0
    while at <= len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        line += 1
        yield line, text[at:end]
        at = end + 1
