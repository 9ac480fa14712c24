"""JSON motions of the DeepMimic family: an object with "Frames", rows of numbers, beside a few facts about the clip.

Two dialects share it and are told apart by the width of their rows: the humanoid's 44 numbers (`deepmimic`) and the quadruped's 19
(`quadruped`). Here is what both need: the bounded, checked table.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.errors import InputError, one_line
from surefoot.motion import quaternion
from surefoot.motion.limits import MAX_COORDINATE, MAX_FRAMES, check_count

Array = NDArray[np.float64]

MAX_BYTES = 64 * 2**20
"""JSON numbers take several times their text's size in memory."""
WIDTHS = {44: "deepmimic", 19: "quadruped"}


@dataclass(frozen=True)
class Table:
    """The rows of such a file and the facts beside them."""

    rows: Array  # (T, width)
    facts: dict[str, Any]


def table(data: bytes, name: str) -> Table:
    """Parse and check the file; every frame has the same width, one of `WIDTHS`."""
    if len(data) > MAX_BYTES:
        raise InputError(f"{name}: {len(data) / 2**20:.0f} MB of JSON, more than the {MAX_BYTES / 2**20:.0f} MB that are read.")
    try:
        facts = json.loads(data, parse_int=float, parse_constant=_refuse)
    except RecursionError:
        raise InputError(f'{name}: JSON nested too deep for a motion; an object with "Frames" is expected.') from None
    except ValueError as error:  # JSONDecodeError, UnicodeDecodeError
        raise InputError(f"{name}: not valid JSON ({error}).") from None
    if not isinstance(facts, dict) or not isinstance(facts.get("Frames"), list):
        found = f"an object with {_listed(facts)}" if isinstance(facts, dict) else f"a JSON {type(facts).__name__}"
        raise InputError(f'{name}: expected an object with a list "Frames", found {found}.')
    frames = facts.pop("Frames")
    if not frames:
        raise InputError(f'{name}: "Frames" is empty; a motion needs at least one frame.')
    check_count(f"{name}: frames", len(frames), MAX_FRAMES)
    first = len(frames[0]) if isinstance(frames[0], list) else 0
    if first not in WIDTHS:
        raise InputError(f"{name}: frame 0 has {first} numbers; 44 (DeepMimic humanoid) or 19 (quadruped) are read.")
    for i, row in enumerate(frames):
        if not isinstance(row, list) or len(row) != first:
            found = f"{len(row)} numbers" if isinstance(row, list) else "no list"
            raise InputError(f"{name}: frame {i} has {found}, {first} expected like frame 0.")
        for k, value in enumerate(row):
            if type(value) is not float or not abs(value) <= MAX_COORDINATE:
                raise InputError(f"{name}: frame {i}, number {k}: a finite number expected, found {one_line(repr(value), 40)}.")
    return Table(np.array(frames, dtype=float), facts)


def unit_quaternions(values: Array, name: str, what: str) -> Array:
    """Unit quaternions (T, 4), continuous in time; an error names the first frame that has no direction."""
    norms = np.linalg.norm(values, axis=-1)
    bad = np.flatnonzero(norms < 1e-3)
    if len(bad):
        raise InputError(f"{name}: frame {bad[0]}: the quaternion of {what} is zero.")
    return quaternion.continuous(quaternion.normalize(values))


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is not a number that JSON knows")


def _listed(facts: dict[str, Any]) -> str:
    return ", ".join(f'"{one_line(k, 30)}"' for k in list(facts)[:6]) or "no keys"
