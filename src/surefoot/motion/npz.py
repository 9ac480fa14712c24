"""Motions as NumPy archives: what other programs want first, and beside it what brings the same motion back bit for bit.

    joint_names (J,)   parents (J,), -1 for a root   fps ()   joint_positions (T, J, 3)   joint_rotations (T, J, 4), w first, world

in metres with Z up; then frame_time, translations, rotations, rest_translations, rest_rotations (in the parent's frame), tip_joints,
tip_offsets, tip_names, contacts where known, and facts, a JSON text with the clip's name and its source. An archive of the first five
alone is read as well. No pickle; every declared size is checked before anything is unpacked. T frames, J joints.
"""

from __future__ import annotations

import io
import json
import math
import re
import struct
import zipfile
import zlib
from dataclasses import asdict
from pathlib import Path, PurePath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.errors import InputError, one_line
from surefoot.motion import axes, quaternion
from surefoot.motion.files import ReadOptions, atomic_write, without_first_frame
from surefoot.motion.limits import MAX_COORDINATE, MAX_DEPTH, check_size
from surefoot.motion.motion import Guess, Motion, Source
from surefoot.motion.skeleton import Skeleton, Tip

Array = NDArray[np.float64]

MAX_MEMBERS = 1024
MAX_UNPACKED = 96 * 2**20
"""Bytes that an archive may unpack to, unless it is large itself."""
_RATIO = 8
"""How many times its own size a large archive may unpack to."""
MAX_TEXT = 4 * 2**20

_HEADER = re.compile(rb"\{'descr': '([<>|][biufU]\d{1,7})', 'fortran_order': (True|False), 'shape': \(([0-9, ]{0,64})\), \}\s*")
"""A .npy header as NumPy writes it. NumPy's own parser takes any Python literal, which is more than a stranger's file needs."""

_NAMES: dict[str, str] = {
    "joint_names": "U",
    "parents": "iu",
    "fps": "iuf",
    "joint_positions": "f",
    "joint_rotations": "f",
    "frame_time": "f",
    "translations": "f",
    "rotations": "f",
    "rest_translations": "f",
    "rest_rotations": "f",
    "tip_joints": "iu",
    "tip_offsets": "f",
    "tip_names": "U",
    "contacts": "b",
    "facts": "U",
}
"""The arrays that are read and the kinds of number they may hold."""


def write(motion: Motion, path: str | Path) -> None:
    """Write a motion as .npz."""
    atomic_write(path, encode(motion))


def encode(motion: Motion) -> bytes:
    """The bytes of an .npz archive; the same motion gives the same bytes."""
    skeleton = motion.skeleton
    arrays: dict[str, NDArray] = {
        "joint_names": np.array(skeleton.names, dtype=np.str_),
        "parents": skeleton.parents,
        "fps": np.array(motion.fps),
        "joint_positions": motion.joint_positions,
        "joint_rotations": motion.joint_rotations,
        "frame_time": np.array(motion.frame_time),
        "translations": motion.translations,
        "rotations": motion.rotations,
        "rest_translations": skeleton.translations,
        "rest_rotations": skeleton.rotations,
        "tip_joints": np.array([tip.joint for tip in skeleton.tips], dtype=np.int64),
        "tip_offsets": np.array([tip.offset for tip in skeleton.tips], dtype=float).reshape(-1, 3),
        "tip_names": np.array([tip.name for tip in skeleton.tips], dtype=np.str_),
        "facts": np.array(json.dumps({"name": motion.name, "source": asdict(motion.source)}, sort_keys=True)),
    }
    if motion.contacts is not None:
        arrays["contacts"] = motion.contacts
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for name, array in arrays.items():
            member = io.BytesIO()
            np.lib.format.write_array(member, np.asarray(array, order="C"), allow_pickle=False)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), member.getvalue())  # the date is ZipInfo's, 1980
    return out.getvalue()


def read(data: bytes, name: str, options: ReadOptions | None = None) -> Motion:
    """The motion in the bytes of an .npz archive."""
    options = options or ReadOptions()
    file = _Archive(data, name)
    names = tuple(str(n) for n in file.take("joint_names", (None,)))
    num = len(names)
    positions_shape = file.shape("translations" if file.has("translations") else "joint_positions")
    if len(positions_shape) != 3:
        raise file.fail(f"joint_positions has the shape {positions_shape}, expected (frames, {num}, 3).")
    frames = positions_shape[0]
    file.check(lambda: check_size(frames, num))
    parents = file.take("parents", (num,)).astype(np.int64)
    facts, source = _facts(file)
    notes: list[str] = []
    if file.has("translations"):
        translations, rotations = file.take("translations", (frames, num, 3)), file.take("rotations", (frames, num, 4))
        rest = file.take("rest_translations", (num, 3)), file.take("rest_rotations", (num, 4))
        rotations, rest = _unit(file, rotations, "rotations"), (rest[0], _unit(file, rest[1], "rest_rotations"))
        skeleton = file.check(lambda: Skeleton(names, parents, rest[0], rest[1], _tips(file, num)))
    else:
        world = file.take("joint_positions", (frames, num, 3)), file.take("joint_rotations", (frames, num, 4))
        world = world[0], _unit(file, world[1], "joint_rotations")
        flat = file.check(lambda: Skeleton(names, parents, np.zeros((num, 3)), np.tile(quaternion.IDENTITY, (num, 1))))
        translations, rotations = flat.backward(*world)
        rotations = quaternion.continuous(rotations)
        first = translations[:1] if frames else np.zeros((1, num, 3))
        skeleton = Skeleton(names, parents, first[0], rotations[0] if frames else flat.rotations, _tips(file, num))
        notes.append("the archive has no rest pose; the first frame is taken for it.")
    file.check(lambda: _check_depth(skeleton))
    contacts = file.take("contacts", (frames, num)) if file.has("contacts") else None
    if source is None:
        source = Source(format="npz", file=file.name, warnings=tuple(notes))
    title = facts.get("name")
    motion = file.check(
        lambda: Motion(
            skeleton,
            translations,
            rotations,
            _frame_time(file, options),
            name=title if isinstance(title, str) else PurePath(file.name).stem,
            contacts=contacts,
            source=source,
        )
    )
    motion = _turned(motion, options)
    return without_first_frame(motion) if options.drop_first_frame else motion


class _Archive:
    """The members of an archive, their headers checked before their contents are unpacked."""

    def __init__(self, data: bytes, name: str) -> None:
        self.name = one_line(PurePath(name).name, 120)
        if data.count(b"PK\x01\x02") > MAX_MEMBERS:
            raise self.fail(f"it has more than {MAX_MEMBERS} members; a motion has {len(_NAMES)}.")
        self._zip: zipfile.ZipFile = self._guarded("it", lambda: zipfile.ZipFile(io.BytesIO(data)))
        self._limit = self._left = max(MAX_UNPACKED, _RATIO * len(data))
        self._members: dict[str, zipfile.ZipInfo] = {}
        for member in self._zip.infolist():
            key = member.filename.removesuffix(".npy")
            if key in _NAMES and member.filename.endswith(".npy"):
                if key in self._members:
                    raise self.fail(f"'{key}' stands in it twice.")
                self._members[key] = member
        self._headers: dict[str, tuple[tuple[int, ...], bool, np.dtype, int]] = {}
        if "manifest.json" in self._zip.namelist():
            raise self.fail("it is a bundle of a character and its skill, no motion.")
        missing = [k for k in ("joint_names", "parents", "joint_positions", "joint_rotations") if k not in self._members]
        if missing:
            found = one_line(", ".join(m.filename for m in self._zip.infolist()[:6]), 120) or "nothing"
            raise self.fail(f"a motion needs {', '.join(missing)} in its archive; found {found}.")

    def fail(self, text: str) -> InputError:
        return InputError(f"{self.name}: {text}")

    def check(self, make: Any) -> Any:
        """What `make` returns; its errors get the file's name."""
        try:
            return make()
        except InputError as error:
            text = str(error)
            raise (error if text.startswith(self.name) else self.fail(text)) from None

    def has(self, key: str) -> bool:
        return key in self._members

    def shape(self, key: str) -> tuple[int, ...]:
        """The shape that a member declares."""
        return self._header(key)[0]

    def take(self, key: str, shape: tuple[int | None, ...]) -> NDArray:
        """A member of that shape (None: any length), finite and of sensible size."""
        if key not in self._members:
            raise self.fail(f"'{key}' is missing.")
        declared, fortran, dtype, offset = self._header(key)
        if len(declared) != len(shape) or any(want not in (None, got) for want, got in zip(shape, declared, strict=True)):
            wanted = "(" + ", ".join("any" if n is None else str(n) for n in shape) + ("," if len(shape) == 1 else "") + ")"
            raise self.fail(f"{key} has the shape {declared}, expected {wanted}.")
        size = math.prod(declared) * dtype.itemsize
        self._left -= size
        if self._left < 0:
            raise self.fail(f"it unpacks to more than the {self._limit / 2**20:.0f} MB that are read of an archive of its size.")
        body: bytes = self._guarded(key, lambda: self._bytes(key, offset, size))
        if len(body) != size:
            raise self.fail(f"{key} declares {size} bytes and has {len(body)}; the file was cut off.")
        array = np.frombuffer(body, dtype)
        if dtype.kind in "fiu" and not (np.abs(array.astype(float)) <= MAX_COORDINATE).all():
            raise self.fail(f"{key} holds a NaN, an infinity or a number beyond {MAX_COORDINATE:g}.")
        if dtype.kind == "b" and np.frombuffer(body, np.uint8).max(initial=0) > 1:
            raise self.fail(f"{key} holds bytes that are neither true nor false.")
        if dtype.kind == "U" and len(body) and np.frombuffer(body, np.dtype(np.uint32).newbyteorder(dtype.byteorder)).max() > 0x10FFFF:
            raise self.fail(f"{key} holds numbers that are no characters.")
        array = array.reshape(declared, order="F" if fortran else "C")
        return array.astype(float) if dtype.kind == "f" else array

    def _bytes(self, key: str, offset: int, size: int) -> bytes:
        with self._zip.open(self._members[key]) as stream:
            stream.read(offset)
            body = stream.read(size)
            if stream.read(1):  # also makes the checksum be looked at
                raise ValueError("there are bytes after its end")
        return body

    def _header(self, key: str) -> tuple[tuple[int, ...], bool, np.dtype, int]:
        """Shape, whether stored column by column, kind of number, and where the numbers begin."""
        if key not in self._headers:
            shape, fortran, dtype, offset = self._guarded(key, lambda: self._parsed(key))
            if dtype.kind not in _NAMES[key] or dtype.itemsize > MAX_TEXT or dtype.shape:
                raise self.fail(f"{key} holds {one_line(str(dtype), 40)}, which is not a kind of value that it may hold.")
            size, told = offset + math.prod(shape) * dtype.itemsize, self._members[key].file_size
            if size != told:
                raise self.fail(f"{key} declares {size} bytes by its shape and {told} by the archive; the file is damaged.")
            self._headers[key] = shape, fortran, dtype, offset
        return self._headers[key]

    def _parsed(self, key: str) -> tuple[tuple[int, ...], bool, np.dtype, int]:
        with self._zip.open(self._members[key]) as stream:
            magic = stream.read(8)
            if magic[:6] != b"\x93NUMPY" or magic[6] not in (1, 2):
                raise ValueError("no .npy of version 1 or 2")
            length = struct.unpack("<H", stream.read(2))[0] if magic[6] == 1 else struct.unpack("<I", stream.read(4))[0]
            if length > 8192:
                raise ValueError(f"a header of {length} bytes")
            found = _HEADER.fullmatch(stream.read(length))
            if found is None:
                raise ValueError("its header does not say what it holds")
            kind, order, shape = (part.decode() for part in found.groups())
            return tuple(int(n) for n in shape.split(",") if n.strip()), order == "True", np.dtype(kind), stream.tell()

    def _guarded(self, what: str, work: Any) -> Any:
        """What `work` returns; whatever a damaged archive makes it raise becomes one line."""
        try:
            return work()
        except InputError:
            raise
        except zipfile.BadZipFile as error:
            raise self.fail(f"{what} is damaged ({one_line(str(error), 80)}).") from None
        except (
            ValueError,
            OSError,
            EOFError,
            KeyError,
            TypeError,
            IndexError,
            OverflowError,
            MemoryError,
            RuntimeError,
            struct.error,
            zlib.error,
        ) as error:
            said = one_line(str(error), 80) or type(error).__name__
            raise self.fail(f"{what} is not readable ({said}); is it a motion's .npz?") from None


def _tips(file: _Archive, num_joints: int) -> tuple[Tip, ...]:
    if not file.has("tip_joints"):
        return ()
    joints = file.take("tip_joints", (None,)).astype(np.int64)
    offsets, names = file.take("tip_offsets", (len(joints), 3)), file.take("tip_names", (len(joints),))
    if len(joints) and not (joints.min() >= 0 and joints.max() < num_joints):
        raise file.fail(f"tip_joints names joint {joints.max()}; there are {num_joints}, counted from 0.")
    return tuple(Tip(joint=int(j), offset=o, name=str(n)) for j, o, n in zip(joints, offsets, names, strict=True))


def _unit(file: _Archive, rotations: Array, key: str) -> Array:
    """Rotations as they are, or normalised where somebody wrote them less precisely; an error when one has no direction."""
    norms = np.linalg.norm(rotations, axis=-1)
    if norms.size and norms.min() < 1e-3:
        where = ", ".join(str(int(i)) for i in np.unravel_index(int(norms.argmin()), norms.shape))
        raise file.fail(f"{key}[{where}] is a quaternion of length {norms.min():.3g}, expected 1.")
    return rotations if np.all(np.abs(norms - 1.0) < 1e-9) else quaternion.normalize(rotations)


def _check_depth(skeleton: Skeleton) -> None:
    depth = np.zeros(skeleton.num_joints, dtype=int)
    for j, p in enumerate(skeleton.parents):
        depth[j] = depth[p] + 1 if p >= 0 else 1
    if depth.max() > MAX_DEPTH:
        raise InputError(f"its joints hang {depth.max()} deep, more than the {MAX_DEPTH} that are read.")


def _frame_time(file: _Archive, options: ReadOptions) -> float:
    if options.fps is not None:
        if not (np.isfinite(options.fps) and options.fps > 0.0):
            raise InputError(f"frames per second must be a positive number, got {options.fps}.")
        return 1.0 / options.fps
    if file.has("frame_time"):
        said = float(file.take("frame_time", ()))
    elif file.has("fps"):
        fps = float(file.take("fps", ()))
        said = 1.0 / fps if fps > 1e-6 else 0.0
    else:
        raise file.fail("a motion needs fps in its archive; add it or give --fps.")
    if not 1e-6 <= said <= 1e6:
        raise file.fail(f"a frame lasts {said:g} s in it; between 1e-6 and 1e6 s are read.")
    return said


def _facts(file: _Archive) -> tuple[dict[str, Any], Source | None]:
    """The JSON text of an archive that we wrote, and the source in it."""
    if not file.has("facts"):
        return {}, None
    try:
        facts = json.loads(str(file.take("facts", ())))
        source = facts.get("source")
        return facts, None if source is None else source_from_json(source)
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError) as error:
        raise file.fail(f"its facts are not readable ({one_line(str(error), 80)}); the file is damaged.") from None


def source_from_json(said: dict[str, Any]) -> Source:
    """A Source from JSON values that may come from strangers, every field of the kind that it must be; a ValueError, KeyError or TypeError
    otherwise."""
    kinds: dict[str, type] = {"format": str, "file": str, "clip": str, "up_axis": str, "unit_m": float, "extra": dict}
    fields: dict[str, Any] = {}
    for key, kind in kinds.items():
        fields[key] = said[key]
        if not isinstance(fields[key], kind):
            raise ValueError(f"source.{key} is no {kind.__name__}")
    if not 0.0 < fields["unit_m"] < math.inf:
        raise ValueError("source.unit_m is no length")
    if said["loop"] not in (None, True, False):
        raise ValueError("source.loop is neither true, false nor null")
    texts = ("what", "value", "why", "override")
    guesses = tuple(Guess(confidence=float(g["confidence"]), **{key: str(g[key]) for key in texts}) for g in said["guesses"])
    return Source(**fields, loop=said["loop"], guesses=guesses, warnings=tuple(str(w) for w in said["warnings"]))


def _turned(motion: Motion, options: ReadOptions) -> Motion:
    """The motion in the unit and with the up axis that the options name, if any: archives are in metres with Z up."""
    if options.unit_m is None and options.up in (None, "Z"):
        return motion
    unit, up = options.unit_m or 1.0, options.up or "Z"
    if not (np.isfinite(unit) and unit > 0.0):
        raise InputError(f"the length of a unit must be a positive number of metres, got {unit}.")
    old, roots = motion.skeleton, list(motion.skeleton.roots)

    def turned(translations: Array, rotations: Array) -> tuple[Array, Array]:
        t, r = unit * translations, np.array(rotations)
        t[..., roots, :] = axes.turn(up, t[..., roots, :])
        r[..., roots, :] = quaternion.multiply(axes.upright(up), r[..., roots, :])
        return t, r

    tips = tuple(Tip(joint=t.joint, offset=unit * t.offset, name=t.name) for t in old.tips)
    skeleton = Skeleton(old.names, old.parents, *turned(old.translations, old.rotations), tips)
    translations, rotations = turned(motion.translations, motion.rotations)
    return motion.replace(skeleton=skeleton, translations=translations, rotations=rotations)
