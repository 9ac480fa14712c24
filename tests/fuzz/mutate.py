"""Mutations that know nothing of a format (bytes), or little (lines, words and numbers of a text, values of a tree)."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np

Rng = np.random.Generator

MOST = 1 << 20
"""Bytes that a mutated file may grow to."""

NUMBERS = (
    *(
        "nan",
        "NaN",
        "inf",
        "-inf",
        "1e308",
        "-1e308",
        "1e400",
        "1e-320",
        "0",
        "-0",
        "-1",
        "0.5",
        "1",
        "2",
        "3",
        "64",
        "255",
        "4096",
        "65536",
    ),
    *("2147483647", "2147483648", "-2147483648", "4294967295", "9223372036854775807", "18446744073709551616", "1e9", "1e18", "9" * 400),
    *("1_000", "0x10", "1,5", "+", "-", ".", "e", "1e", "٣", "１", "½", "True", "null", ""),
)
TRASH = (
    *("\0", "\ufeff", "\u202e", "\u2028", "\x85", "\x1c", "\x0b", "\x7f", "é", "頭", "🦖", "a\u0300" * 5, "\ud7ff"),
    *("{", "}", '"', "\\", "<", "&", "%s", "A" * 5000),
)


def pick(rng: Rng, options: Any) -> Any:
    return options[int(rng.integers(len(options)))]


def span(rng: Rng, size: int) -> tuple[int, int]:
    """A range inside 0..size, short ones more often."""
    start = int(rng.integers(size + 1))
    length = int(min(size - start, rng.geometric(pick(rng, (0.5, 0.05, 0.005)))))
    return start, start + length


def of_bytes(data: bytes, rng: Rng, others: list[bytes]) -> bytes:
    """A few small injuries to the bytes."""
    out = bytearray(data)
    for _ in range(int(rng.integers(1, 5))):
        start, end = span(rng, len(out))
        match int(rng.integers(10)):
            case 0 if out:
                out[int(rng.integers(len(out)))] ^= 1 << int(rng.integers(8))
            case 1:
                out[start:end] = rng.bytes(end - start)
            case 2:
                out[start:start] = rng.bytes(int(rng.integers(1, 9)))
            case 3:
                del out[start:end]
            case 4:
                del out[start:]
            case 5:
                times = int(pick(rng, (1, 2, 10, 1000)))
                out[start:start] = bytes(out[start:end]) * min(times, max(1, MOST // 4 // max(1, end - start)))
            case 6:
                other = pick(rng, others)
                cut = int(rng.integers(len(other) + 1))
                out[start:] = other[cut:]
            case 7:
                out[start:end] = pick(rng, (b"\0", b"\xff", b" ", b"\n", b"9")) * (end - start)
            case 8:
                word = int(pick(rng, (0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x7FC00000, 0x7F800000, len(data), len(data) + 1)))
                out[start : start + 4] = word.to_bytes(4, "little")
            case _:
                out[start:start] = pick(rng, TRASH).encode("utf-8", "surrogatepass")
        if len(out) > MOST:
            del out[MOST:]
    return bytes(out)


_NUMBER = re.compile(r"[-+]?\d[\d.eE+-]*")


def of_text(data: bytes, rng: Rng, blocks: tuple[str, ...] = ()) -> bytes:
    """A few injuries to lines, words and numbers; `blocks` are pieces that may be nested or repeated."""
    lines = data.decode("utf-8", "replace").split("\n")
    for _ in range(int(rng.integers(1, 4))):
        at = int(rng.integers(len(lines)))
        match int(rng.integers(14)):
            case 0:
                del lines[at]
            case 1:
                lines.insert(at, pick(rng, lines) if lines else "")
            case 2:
                lines[at:at] = [lines[at]] * int(pick(rng, (1, 10, 1000, 5000)))
            case 3:
                to = int(rng.integers(len(lines)))
                lines[at], lines[to] = lines[to], lines[at]
            case 4 | 5 | 6:
                found = list(_NUMBER.finditer(lines[at]))
                if found:
                    one = pick(rng, found)
                    lines[at] = lines[at][: one.start()] + pick(rng, NUMBERS) + lines[at][one.end() :]
            case 7:
                words = lines[at].split(" ")
                words[int(rng.integers(len(words)))] = pick(rng, pick(rng, lines).split() or [""])
                lines[at] = " ".join(words)
            case 8:
                words = lines[at].split(" ")
                del words[int(rng.integers(len(words)))]
                lines[at] = " ".join(words)
            case 9:
                cut = int(rng.integers(len(lines[at]) + 1))
                lines[at] = lines[at][:cut] + pick(rng, TRASH) + lines[at][cut:]
            case 10:
                del lines[at:]
            case 11:
                lines[at] = pick(rng, (str.upper, str.lower, str.swapcase))(lines[at])
            case 12 if blocks:
                lines[at:at] = pick(rng, blocks).split("\n") * int(pick(rng, (1, 3, 300, 3000)))
            case _:
                lines[at] = lines[at].replace(" ", pick(rng, ("\t", "  ", ",", "\r", "\u00a0", "", "\n")))
        if not lines:
            lines = [""]
        size = 0
        for k, line in enumerate(lines):
            size += len(line) + 1
            if size > MOST:
                del lines[k:]
                break
        lines = lines or [""]
    text = pick(rng, ("\n",) * 8 + ("\r\n", "\r")).join(lines)
    codec = pick(rng, ("utf-8",) * 12 + ("utf-8-sig", "utf-16", "utf-16-be", "latin-1"))
    return text.encode(codec, "replace")


def of_attributes(data: bytes, rng: Rng) -> bytes:
    """Injuries between the quotes of an XML file: numbers a little or far off, values of other attributes, odd numbers."""
    parts = data.split(b'"')
    for _ in range(int(rng.integers(1, 6))):
        at = 2 * int(rng.integers(max(1, len(parts) // 2))) + 1
        if at >= len(parts):
            continue
        words = parts[at].split(b" ")
        where = int(rng.integers(len(words)))
        try:
            factor = pick(rng, (1.1, 0.5, 2.0, -1.0, 0.0, 10.0, 1e3, 1e-3, 1e6))
            words[where] = repr(float(words[where]) * factor).encode()
        except ValueError:
            words[where] = pick(rng, NUMBERS).encode()
        odd = (pick(rng, NUMBERS).encode(), parts[at][::-1], pick(rng, parts), b"1e9 1e9 1e9")
        parts[at] = b" ".join(words) if rng.integers(3) else pick(rng, odd)
    return b'"'.join(parts)


ODD: tuple[Any, ...] = (
    *(None, True, False, -1, 0, 1, 2, 3, 5, 17, 255, 65536, 2**31 - 1, 2**31, 2**32, 2**53 + 1, 2**63, 2**64, 10**30, -(2**31)),
    *(0.5, -0.0, 1e-300, 1e30, 1e308, float("nan"), float("inf")),
    *("", "0", "VEC3", "MAT4", "CUBICSPLINE", "STEP", "data:application/octet-stream;base64,AAAA", "../../../etc/passwd", "\0", "\ud800"),
    *([], {}, [0], [[]], [1, 0], [0.0, 0.0, 0.0], [0.0] * 4, [0.0] * 16, {"a": 1}),
)


def of_tree(tree: Any, rng: Rng) -> Any:
    """A few injuries to a tree of lists and dicts, changed in place; the tree that results."""
    for _ in range(int(rng.integers(1, 5))):
        places: list[tuple[Any, Any]] = []
        stack = [tree]
        while stack and len(places) < 20_000:
            here = stack.pop()
            inside = list(here.items()) if isinstance(here, dict) else list(enumerate(here)) if isinstance(here, list) else []
            for key, value in inside:
                places.append((here, key))
                stack.append(value)
        if not places:
            return pick(rng, ODD)
        here, key = pick(rng, places)
        value = here[key]
        match int(rng.integers(8)):
            case 0 | 1 | 2:
                here[key] = _odd(rng, value)
            case 3:
                del here[key]
            case 4:
                other, name = pick(rng, places)
                here[key] = _copy(other[name]) if name in (other if isinstance(other, dict) else range(len(other))) else None
            case 5 if isinstance(value, list) and value:
                here[key] = value * min(int(pick(rng, (2, 50, 3000))), max(1, 100_000 // len(value)))
            case 6:
                deep: Any = value
                for _ in range(int(pick(rng, (1, 20, 2000)))):
                    deep = [deep] if rng.integers(2) else {"children": deep}
                here[key] = deep if rng.integers(4) == 0 else [value]
            case _ if isinstance(value, list):
                value.reverse()
            case _ if isinstance(here, dict):
                here[pick(rng, (str(key) + "x", "extras", "children", "matrix", "sparse"))] = here.pop(key)
            case _:
                here[key] = _odd(rng, value)
    return tree


def _copy(value: Any) -> Any:
    try:
        return json.loads(json.dumps(value))
    except RecursionError:
        return None


def _odd(rng: Rng, value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float) or rng.integers(2):
        return _copy(pick(rng, ODD))
    return value + pick(rng, (1, -1, 1, -1, 0.5, 100, 10**6, 10**12)) if rng.integers(2) else -value


def dumps(tree: Any, rng: Rng) -> bytes:
    """JSON text of a tree of any depth, now and then with a number in a form that JSON does not know."""
    try:
        text = json.dumps(tree)
    except (RecursionError, ValueError):
        text = '{"nodes": ' + "[" * 100_000 + "]" * 100_000 + "}"
    if rng.integers(6) == 0:
        found = list(_NUMBER.finditer(text[:100_000]))
        if found:
            one = pick(rng, found)
            text = text[: one.start()] + pick(rng, NUMBERS) + text[one.end() :]
    return text.encode("utf-8", "surrogatepass")[:MOST]
