"""Zip archives of JSON and arrays: the same work is the same bytes, and a stranger's archive is bounded before it is believed.

    write_archive(path, {"manifest.json": {...}, "policy/offsets.npy": array, "character.xml": b"..."})
    archive = Archive(data, "x.surefoot");  archive.json("manifest.json");  archive.array("policy/offsets.npy")

Names are sorted, dates fixed, members stored as they are (what deflate makes depends on the library's version). No pickle: an array is its
numbers under a header of one strict form. Nothing is unpacked onto the disk.
"""

from __future__ import annotations

import io
import json
import math
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path, PurePath
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from surefoot.errors import InputError, one_line
from surefoot.motion.files import atomic_write

T = TypeVar("T")

MAX_MEMBERS = 4096
MAX_UNPACKED = 512 * 2**20
"""Bytes that an archive may declare in all."""
MAX_RATIO = 20
"""How many times its own size an archive may unpack to, when that is more than `FREE` bytes."""
FREE = 8 * 2**20
MAX_JSON = 16 * 2**20
MAX_BRACKETS = 200_000
MAX_DEPTH = 64
MAX_TEXT = 4 * 2**20
"""Bytes of one text in an array of texts."""

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}(/[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}){0,7}")
_HEADER = re.compile(rb"\{'descr': '([<>|][biufU]\d{1,7})', 'fortran_order': (True|False), 'shape': \(([0-9, ]{0,64})\), \}\s*")
_BROKEN = (
    ValueError,
    OSError,
    EOFError,
    KeyError,
    TypeError,
    IndexError,
    OverflowError,
    MemoryError,
    RuntimeError,
    NotImplementedError,
    struct.error,
    zlib.error,
)
"""What a damaged archive makes zipfile raise, besides BadZipFile."""

Member = bytes | NDArray | Mapping[str, Any]


def pack(members: Mapping[str, Member]) -> bytes:
    """The bytes of an archive: byte strings as they are, arrays as .npy, mappings as JSON."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for name in sorted(members):
            if _NAME.fullmatch(name) is None:
                raise InputError(f"'{name}' is no name for a member of an archive; use letters, digits, dots, hyphens and slashes.")
            info = zipfile.ZipInfo(name)  # its date is 1980
            info.create_system = 3  # the same on every system
            info.external_attr = (stat.S_IFREG | 0o644) << 16
            archive.writestr(info, _encoded(members[name]))
    return out.getvalue()


def write_archive(path: str | Path, members: Mapping[str, Member]) -> None:
    """Write an archive beside `path` and rename it into place."""
    atomic_write(path, pack(members))


def encode_json(value: Mapping[str, Any]) -> bytes:
    """JSON with sorted keys, indented for people; NaN is refused."""
    return (json.dumps(value, sort_keys=True, indent=1, allow_nan=False) + "\n").encode()


def encode_array(array: NDArray) -> bytes:
    """The .npy bytes of an array of numbers, truth values or texts."""
    array = np.asarray(array)
    if array.dtype.kind not in "biufU":
        raise InputError(f"an archive holds numbers, truth values and texts, not {array.dtype}.")
    out = io.BytesIO()
    np.lib.format.write_array(out, np.asarray(array.astype(array.dtype.newbyteorder("<")), order="C"), allow_pickle=False)
    return out.getvalue()


def _encoded(member: Member) -> bytes:
    if isinstance(member, bytes):
        return member
    return encode_json(member) if isinstance(member, Mapping) else encode_array(member)


class Archive:
    """The members of an archive, all sizes and names checked when it is opened. All errors are one line with the file's name."""

    def __init__(self, data: bytes, name: str, unpacked: int | None = None) -> None:
        """`unpacked` is how many bytes it may declare in all, instead of a number that depends on its size."""
        self.name = one_line(PurePath(name).name, 120)
        if data[:4] != b"PK\x03\x04":
            raise self.fail("not an archive; it does not begin as a zip file does.")
        if data.count(b"PK\x01\x02") > MAX_MEMBERS:
            raise self.fail(f"it has more than the {MAX_MEMBERS} members that are read.")
        self._zip: zipfile.ZipFile = self._guarded("it", lambda: zipfile.ZipFile(io.BytesIO(data)))
        self._members: dict[str, zipfile.ZipInfo] = {}
        allowed = min(MAX_UNPACKED, max(FREE, MAX_RATIO * len(data))) if unpacked is None else unpacked
        total = 0
        for member in self._zip.infolist():
            self._check(member)
            total += member.file_size
            if total > allowed:
                raise self.fail(f"it declares more than the {allowed / 2**20:.0f} MB that are unpacked from an archive of its size.")
            self._members[member.filename] = member

    def _check(self, member: zipfile.ZipInfo) -> None:
        shown = one_line(member.orig_filename, 60)
        if _NAME.fullmatch(member.orig_filename) is None or member.orig_filename != member.filename:
            raise self.fail(f"a member is named '{shown}'; names are letters, digits, dots, hyphens and slashes, and lead nowhere else.")
        kind = stat.S_IFMT(member.external_attr >> 16)
        if kind not in (0, stat.S_IFREG):
            raise self.fail(f"'{shown}' is a link or a device, not a file.")
        if member.filename in self._members:
            raise self.fail(f"'{shown}' stands in it twice.")
        if member.flag_bits & 0x1:
            raise self.fail(f"'{shown}' is encrypted, which is not read.")
        if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise self.fail(f"'{shown}' is compressed in a way that is not read (method {member.compress_type}).")

    def fail(self, text: str) -> InputError:
        return InputError(f"{self.name}: {text}")

    @property
    def names(self) -> tuple[str, ...]:
        """The members' names, sorted."""
        return tuple(sorted(self._members))

    def __contains__(self, name: object) -> bool:
        return name in self._members

    def rename(self, names: Mapping[str, Any]) -> None:
        """Give members other names: a map from new names to those in the file."""
        for new, old in names.items():
            if not isinstance(old, str) or old not in self._members or new in self._members:
                raise self.fail(f"its manifest gives a member the name '{one_line(new, 60)}', which cannot be.")
            self._members[new] = self._members.pop(old)

    def size(self, name: str) -> int:
        """Bytes that a member declares."""
        return self._member(name).file_size

    def bytes(self, name: str, limit: int = MAX_UNPACKED) -> bytes:
        """A member's bytes, as many as it declares and at most `limit`."""
        member = self._member(name)
        if member.file_size > limit:
            raise self.fail(f"{name} has {member.file_size / 2**20:.1f} MB, more than the {limit / 2**20:.1f} MB that are read.")

        def read() -> bytes:
            with self._zip.open(member) as stream:
                body = stream.read(member.file_size)
                if stream.read(1):  # also makes the checksum be looked at
                    raise ValueError("there is more than it declares")
            return body

        body = self._guarded(name, read)
        if len(body) != member.file_size:
            raise self.fail(f"{name} declares {member.file_size} bytes and has {len(body)}; the file was cut off.")
        return body

    def text(self, name: str, limit: int = MAX_JSON) -> str:
        """A member as UTF-8 text."""
        try:
            return self.bytes(name, limit).decode("utf-8")
        except UnicodeDecodeError:
            raise self.fail(f"{name} is not UTF-8 text.") from None

    def json(self, name: str) -> dict[str, Any]:
        """A member as a JSON object, of bounded size and depth."""
        text = self.text(name)
        if text.count("{") + text.count("[") > MAX_BRACKETS:
            raise self.fail(f"{name} holds more than {MAX_BRACKETS} lists and objects.")
        try:
            value = json.loads(text, parse_constant=_no_constant)
        except RecursionError:
            raise self.fail(f"{name} nests too deeply.") from None
        except ValueError as error:
            raise self.fail(f"{name} is not readable as JSON ({one_line(str(error), 100)}).") from None
        if not isinstance(value, dict):
            raise self.fail(f"{name} is a {type(value).__name__}, expected an object.")
        if _deep(value):
            raise self.fail(f"{name} nests more than {MAX_DEPTH} deep.")
        return value

    def array(self, name: str, shape: tuple[int | None, ...] | None = None, kinds: str = "f", *, finite: bool = True) -> NDArray:
        """A member as a read-only array of that shape (None: any length). Numbers with a fraction are finite, unless that is let go."""
        body = self.bytes(name)
        declared, fortran, dtype, offset = self._guarded(name, lambda: _parsed(body))
        size = math.prod(declared) * dtype.itemsize
        if size != len(body) - offset:
            raise self.fail(f"{name} declares {size} bytes of numbers and has {len(body) - offset}.")
        if dtype.kind not in kinds or not 0 < dtype.itemsize <= MAX_TEXT:
            raise self.fail(f"{name} holds {one_line(str(dtype), 40)}, which is not what belongs there.")
        if shape is not None and (len(shape) != len(declared) or any(w not in (None, g) for w, g in zip(shape, declared, strict=True))):
            wanted = ", ".join("any" if n is None else str(n) for n in shape)
            raise self.fail(f"{name} has the shape {declared}, expected ({wanted}).")
        flat = np.frombuffer(body, dtype, offset=offset)
        if finite and dtype.kind == "f" and not np.isfinite(flat).all():
            raise self.fail(f"{name} holds a NaN or an infinity.")
        if dtype.kind == "b" and len(flat) and np.frombuffer(body, np.uint8, offset=offset).max() > 1:
            raise self.fail(f"{name} holds bytes that are neither true nor false.")
        if dtype.kind == "U" and size:
            codes = np.frombuffer(body, np.dtype(np.uint32).newbyteorder(dtype.byteorder), offset=offset)
            if codes.max() > 0x10FFFF or ((codes >= 0xD800) & (codes < 0xE000)).any():
                raise self.fail(f"{name} holds numbers that are no characters.")
        array = flat.reshape(declared, order="F" if fortran else "C")
        native = array.astype(dtype.newbyteorder("="))
        native.flags.writeable = False
        return native

    def arrays(self, folder: str, kinds: str = "biuf", *, finite: bool = True) -> dict[str, NDArray]:
        """All .npy members of a folder, by their names without folder and suffix."""
        found = [name for name in self.names if name.startswith(f"{folder}/") and name.endswith(".npy")]
        return {name[len(folder) + 1 : -4]: self.array(name, kinds=kinds, finite=finite) for name in found}

    def _member(self, name: str) -> zipfile.ZipInfo:
        if name not in self._members:
            raise self.fail(f"{name} is missing from it.")
        return self._members[name]

    def _guarded(self, what: str, work: Callable[[], T]) -> T:
        """What `work` returns; whatever a damaged archive makes it raise becomes one line."""
        try:
            return work()
        except InputError:
            raise
        except zipfile.BadZipFile as error:
            raise self.fail(f"{what} is damaged ({one_line(str(error), 80)}).") from None
        except _BROKEN as error:
            said = one_line(str(error), 80) or type(error).__name__
            raise self.fail(f"{what} is not readable ({said}).") from None


def _parsed(body: bytes) -> tuple[tuple[int, ...], bool, np.dtype, int]:
    """Shape, whether column by column, kind of number and where they begin, from a .npy header."""
    if body[:6] != b"\x93NUMPY" or body[6:7] not in (b"\x01", b"\x02"):
        raise ValueError("no .npy of version 1 or 2")
    width = 2 if body[6] == 1 else 4
    length = int.from_bytes(body[8 : 8 + width], "little")
    start = 8 + width
    found = _HEADER.fullmatch(body[start : start + length]) if length <= 8192 else None
    if found is None:
        raise ValueError("its header does not say what it holds; pickled objects are not read")
    kind, order, shape = (part.decode() for part in found.groups())
    sides = tuple(int(n) for n in shape.split(",") if n.strip())
    if len(sides) > 8 or math.prod(sides) > MAX_UNPACKED:
        raise ValueError(f"a shape of ({shape})")
    return sides, order == "True", np.dtype(kind), start + length


def _no_constant(text: str) -> float:
    raise ValueError(f"{text} is no JSON number")


def _deep(value: Any) -> bool:
    """Whether JSON values nest more than MAX_DEPTH deep."""
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [inner for v in level if isinstance(v, dict | list) for inner in (v.values() if isinstance(v, dict) else v)]
        if not level:
            return False
    return True
