"""Injuries to a .npy file that its reader must find before it believes it."""

from __future__ import annotations

import struct
from collections.abc import Iterator


def lying(content: bytes) -> Iterator[bytes]:
    """The same file with a header that declares more than there is, less, something else, or nothing that can be read."""
    start = 10 + int.from_bytes(content[8:10], "little")
    header, rest = content[10:start], content[start:]
    before, after = header.split(b"'shape': (")[0], header[header.index(b")") :]
    for shape in (b"1000000000,", b"10000000000,", b"100000000000000000000,", b"-1,", b"3, 3, 3"):
        yield _headed(before + b"'shape': (" + shape + after, rest)
    yield _headed(b"{'descr': '|O', 'fortran_order': False, 'shape': (1,), }\n", b"\x80\x04N.")
    yield b"\x93NUMPY\x02\x00" + struct.pack("<I", 9000) + 9000 * b"("
    yield content[:-1]
    yield b""


def _headed(header: bytes, rest: bytes) -> bytes:
    header = header.strip()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + rest
