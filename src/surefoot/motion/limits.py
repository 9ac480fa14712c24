"""Bounds on files from strangers, checked before anything is allocated.

A reader asks `read_bytes` for a file's contents and `check_count` before it believes a number that the file declares.
"""

from __future__ import annotations

from pathlib import Path

from surefoot.errors import InputError, one_line

MAX_FILE_BYTES = 256 * 2**20
MAX_JOINTS = 4096
MAX_DEPTH = 512
"""Joints from a root to a leaf."""
MAX_FRAMES = 2_000_000
MAX_VALUES = 12_000_000
"""Joint transforms (frames times joints) held at once; about 56 bytes each, three times that while a file is read."""
MAX_SPARSE = 1_000_000
"""Joint transforms that a file may describe with fewer numbers than there are transforms."""
MAX_COORDINATE = 1e9
"""Largest length, in any unit, that is still taken for a position."""


def shown(path: str | Path) -> str:
    """A file's base name as it may stand in a message."""
    return one_line(Path(path).name, 120)


def read_bytes(path: str | Path, limit: int = MAX_FILE_BYTES) -> bytes:
    """The contents of a regular file of at most `limit` bytes."""
    path = Path(path)
    try:
        if not path.exists():
            raise InputError(f"{shown(path)}: no such file.")
        if not path.is_file():
            raise InputError(f"{shown(path)}: not a regular file.")
        size = path.stat().st_size
        if size > limit:
            raise InputError(f"{shown(path)}: {size / 2**20:.0f} MB, more than the {limit / 2**20:.0f} MB that are read.")
        with path.open("rb") as file:
            data = file.read(size + 1)  # a buffer of the whole limit would be allocated at once
            if len(data) > size:
                data += file.read(limit + 1 - len(data))
    except (OSError, ValueError) as error:  # ValueError: a NUL byte in the name
        raise InputError(f"{shown(path)}: cannot be read ({getattr(error, 'strerror', None) or error}).") from None
    if len(data) > limit:
        raise InputError(f"{shown(path)}: grew beyond {limit / 2**20:.0f} MB while it was read.")
    return data


def check_count(what: str, count: int, limit: int) -> int:
    """`count`, or an error when it is negative or more than `limit`."""
    if not 0 <= count <= limit:
        raise InputError(f"{what}: {count} declared, 0 to {limit} can be read.")
    return count


def check_size(frames: int, joints: int, numbers: int | None = None) -> None:
    """An error when a motion of this size would not fit in reasonable memory.

    `numbers` is how many the file gives for it: a small file that claims a huge motion of still joints is refused.
    """
    check_count("joints", joints, MAX_JOINTS)
    check_count("frames", frames, MAX_FRAMES)
    size = frames * joints
    if size > MAX_VALUES:
        raise InputError(
            f"{frames} frames of {joints} joints are {size / 1e6:.0f} million transforms, more than the "
            f"{MAX_VALUES / 1e6:.0f} million that are read; cut the clip or lower its frame rate."
        )
    if numbers is not None and size > max(MAX_SPARSE, numbers):
        raise InputError(
            f"{frames} frames of {joints} joints are {size / 1e6:.1f} million transforms, but the file holds only {numbers / 1e6:.2g} "
            f"million numbers for them; without more numbers than that, {MAX_SPARSE / 1e6:.0f} million are read."
        )
