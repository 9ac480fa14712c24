"""The rows of numbers of a BVH file.

Most files have one frame a line; some break a frame over lines or put everything on one. When most lines hold exactly
one frame, a line that does not is an error; otherwise the total count decides.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from surefoot.errors import InputError

Array = NDArray[np.float64]

_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+(?:[eE][+-]?\d+)?")


def number(word: str, where: str, what: str) -> float:
    """The number in `word`, which may be written with a decimal comma or followed by a comma."""
    plain = word.replace(",", ".") if _DECIMAL_COMMA.fullmatch(word) else word.rstrip(",;")
    try:
        value = float(plain)
    except ValueError:
        raise InputError(f"{where}: {what}: '{word[:40]}' is not a number.") from None
    if not math.isfinite(value):
        raise InputError(f"{where}: {what}: '{word[:40]}' is not a finite number.")
    return value


def read_rows(text: str, at: int, name: str, frames: int | None, channels: int) -> tuple[Array, list[int], list[str]]:
    """The numbers (T, C) behind position `at`, the line of each row, and warnings. `frames` is what the file declares."""
    rows = _Rows(text, at, name, channels)
    room = (len(text) - at) // (2 * channels) + 1  # a number needs at least a digit and a blank
    if frames is not None and frames > room:
        last = text.count("\n") + 1
        raise InputError(
            f"{name} line {last}: {frames} frames of {channels} numbers declared, the file ends after at most {room}; "
            "correct the line Frames: or export again."
        )
    wanted = room if frames is None else frames
    values = np.empty((wanted, channels))
    lines: list[int] = []
    for line, words in rows:
        if len(words) != channels:
            if len(lines) == wanted:
                break
            return _loose(rows, frames)
        if len(lines) == wanted:
            break
        values[len(lines)] = rows.floats(line, words)
        lines.append(line)
    if not lines:
        raise InputError(f"{name} line {text.count(chr(10)) + 1}: the file ends after the line Frame Time: without a frame.")
    if frames is None:
        return values[: len(lines)].copy(), lines, []
    if len(lines) < frames:
        raise InputError(
            f"{name} line {text.count(chr(10)) + 1}: {frames} frames declared, the file ends after {len(lines)}; "
            "correct the line Frames: or export again."
        )
    return values, lines, _extra(rows, lines[-1], frames)


class _Rows:
    """Lines that are not blank, as (line number, words)."""

    def __init__(self, text: str, at: int, name: str, channels: int) -> None:
        self.text, self.at, self.name, self.channels = text, at, name, channels
        self.first = text.count("\n", 0, at) + 1
        self.comma = ""  # what a comma stands for
        if text.find(",", at) >= 0:
            points = text.find(".", at) >= 0
            line = next((w for _, w in self), [])
            decimals = not points and len(" ".join(line).replace(",", " ").split()) != channels
            self.comma = "." if decimals else " "

    def __iter__(self) -> Iterator[tuple[int, list[str]]]:
        at, line, text = self.at, self.first, self.text
        while at < len(text):
            end = text.find("\n", at)
            end = len(text) if end < 0 else end
            part = text[at:end]
            words = (part.replace(",", self.comma) if self.comma else part).split()
            if words:
                yield line, words
            at, line = end + 1, line + 1

    def floats(self, line: int, words: list[str]) -> list[float]:
        try:
            return list(map(float, words))
        except ValueError:
            return [number(word, f"{self.name} line {line}", "frame data") for word in words]


def _extra(rows: _Rows, last: int, frames: int) -> list[str]:
    extra = sum(1 for line, _ in rows if line > last)
    return [f"Frames: declares {frames}, {extra} more rows follow; they were left out."] if extra else []


def _loose(rows: _Rows, frames: int | None) -> tuple[Array, list[int], list[str]]:
    name, channels = rows.name, rows.channels
    lines, counts = [], []
    for line, words in rows:
        lines.append(line)
        counts.append(len(words))
    whole = sum(count == channels for count in counts)
    same = len(set(counts)) == 1 and frames is not None and len(lines) >= frames > 1 and sum(counts) != frames * channels
    if 2 * whole > len(lines) or whole > 2 or same or (len(lines) == 1 and frames in (1, None)):
        bad = next(k for k, count in enumerate(counts) if count != channels)
        every = f" (as every row has; the CHANNELS lines declare {channels})" if same else ""
        raise InputError(f"{name} line {lines[bad]}: expected {channels} numbers, got {counts[bad]}{every}.")
    total, complete = sum(counts), sum(counts) // channels
    wanted = complete if frames is None else frames
    if complete < wanted:
        raise InputError(
            f"{name} line {lines[-1]}: {wanted} frames of {channels} numbers declared, the file ends after {total} numbers "
            f"({complete} whole frames)."
        )
    if frames is None and (complete == 0 or total % channels):
        raise InputError(f"{name} line {lines[-1]}: {total} numbers are no whole number of frames of {channels}.")
    flat = np.empty(wanted * channels)
    owner = np.repeat(np.array(lines), counts)[: len(flat) : channels]
    done = 0
    for line, words in rows:
        part = rows.floats(line, words[: len(flat) - done])
        flat[done : done + len(part)] = part
        done += len(part)
        if done == len(flat):
            break
    warnings = []
    if total > len(flat):
        warnings.append(f"Frames: declares {frames}, {total - len(flat)} more numbers follow; they were left out.")
    return flat.reshape(wanted, channels), [int(k) for k in owner], warnings
