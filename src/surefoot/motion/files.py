"""Motion files of every format behind one door: `list_clips`, `read_motion`, `write_motion`.

What a file is, its content says first and its suffix second. A clip inside a file with several is "FILE#Clip name"; unnamed, it is the
first, and the others stand in `motion.source.extra["other_clips"]`.

A format is one module with `read(data, name, options)`, and `write(motion, path)` where we write it too. Those modules are imported when
one of their files comes, because they take `ReadOptions` from here.
"""

from __future__ import annotations

import os
import re
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from surefoot.errors import InputError, one_line, unknown_name
from surefoot.motion.leading import MOST
from surefoot.motion.limits import read_bytes, shown
from surefoot.motion.motion import Motion

Format = Literal["bvh", "gltf", "txt", "amc", "npz"]

SUFFIXES: dict[str, Format] = {
    ".bvh": "bvh",
    ".glb": "gltf",
    ".gltf": "gltf",
    ".vrm": "gltf",
    ".txt": "txt",
    ".json": "txt",
    ".amc": "amc",
    ".asf": "amc",
    ".npz": "npz",
}
READ = ".bvh, .glb, .gltf, .txt (DeepMimic or quadruped), .amc with its .asf, .npz"
WRITTEN = (".bvh", ".glb", ".npz")
_FOREIGN = {
    b"Kaydara FBX": "an FBX file",
    b"; FBX": "an FBX file",
    b"BLENDER": "a Blender file",
    b"PXR-USDC": "a USD file",
    b"#usda": "a USD file",
    b"ply\n": "a PLY mesh",
    b"\x89PNG": "a picture",
    b"\x1f\x8b": "a gzip archive",
}


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """What a person may say about a file instead of letting the reader guess."""

    clip: str | None = None
    """Name of the clip, in files that hold several; the first when None."""
    unit_m: float | None = None
    """Length of one file unit [m]."""
    up: Literal["X", "Y", "Z", "-X", "-Y", "-Z"] | None = None
    """The file's up axis."""
    fps: float | None = None
    """Frames per second: overrides the file's rate, and is the sampling rate of formats with key times (glTF)."""
    positions: Literal["absolute", "relative", "ignore"] | None = None
    """How position channels are meant (BVH): below the root, and at the root where it says "absolute" or where there are no others."""
    drop_first_frame: bool = False
    """Leave out frame 0 (a T-pose put there by an exporter)."""
    skeleton: Path | None = None
    """The skeleton file (.asf) that an AMC needs; the only .asf beside it when None."""


@dataclass(frozen=True, kw_only=True)
class Clip:
    """One clip inside a file."""

    name: str
    duration: float
    """[s]"""
    fps: float
    frames: int


def read_motion(path: str | Path, options: ReadOptions | None = None) -> Motion:
    """The motion in a file of any format that is read; `path` may be "FILE#Clip name"."""
    file, options = locate(path, options or ReadOptions())
    data, name = read_bytes(file), shown(file)
    kind = file_format(data, name)
    if kind == "bvh":
        from surefoot.motion import bvh

        return _only(bvh.read(data, name, options), options)
    if kind == "gltf":
        from surefoot.motion import gltf

        return gltf.read(data, name, options, file.parent)
    if kind == "amc":
        from surefoot.motion import amc

        return _only(amc.read(data, name, options, file.parent), options)
    if kind == "npz":
        from surefoot.motion import npz

        return _only(npz.read(data, name, options), options)
    from surefoot.motion import deepmimic, deepmimic_body, quadruped

    if _deepmimic_body(data):
        return _only(deepmimic_body.read(data, name, options), options)
    reader = quadruped.read if _first_width(data) == quadruped.WIDTH else deepmimic.read
    return _only(reader(data, name, options), options)


def list_clips(path: str | Path, options: ReadOptions | None = None) -> tuple[Clip, ...]:
    """The clips in a file, in its order; none when nothing in it moves and it has no skeleton."""
    file, options = locate(path, options or ReadOptions())
    data, name = read_bytes(file), shown(file)
    if file_format(data, name) == "gltf":
        from surefoot.motion import gltf

        return gltf.clips(data, name, options, file.parent)
    motion = read_motion(file, replace(options, clip=None))
    return (Clip(name=motion.name, duration=motion.duration, fps=motion.fps, frames=motion.num_frames),)


def write_motion(motion: Motion, path: str | Path) -> None:
    """Write a motion as .bvh, .glb or .npz, by the suffix of `path`."""
    suffix = Path(path).suffix.lower()
    if suffix == ".bvh":
        from surefoot.motion import bvh

        bvh.write(motion, path)
    elif suffix == ".glb":
        from surefoot.motion import gltf

        gltf.write(motion, path)
    elif suffix == ".npz":
        from surefoot.motion import npz

        npz.write(motion, path)
    else:
        given = f"'{suffix}'" if suffix else "no suffix"
        raise InputError(f"{shown(path)}: motions are written as {', '.join(WRITTEN)}, not as {given}; choose one of these suffixes.")


def file_format(data: bytes, name: str) -> Format:
    """What a file is: by its first bytes where they tell, by its suffix otherwise; an error lists what is read."""
    suffix = Path(name).suffix.lower()
    if not data.strip():
        raise InputError(f"{name}: the file is empty.")
    if data[:4] == b"glTF":
        return "gltf"
    if data[:4] == b"PK\x03\x04":
        return "npz"
    for magic, what in _FOREIGN.items():
        if data.startswith(magic):
            raise InputError(f"{name}: {what}, which is not read; save it as .glb or .bvh (Blender does). Read are {READ}.")
    text = data[:65536].removeprefix(b"\xef\xbb\xbf").lstrip()
    if text[:9].upper() == b"HIERARCHY":
        return "bvh"
    if text[:1] == b"{":
        return "txt" if suffix != ".gltf" and (re.search(rb'"Frames"\s*:', data) or _deepmimic_body(data)) else "gltf"
    if re.search(rb"(?im)^\s*:(bonedata|hierarchy|fully-specified)", text):
        return "amc"
    if suffix in SUFFIXES:
        return SUFFIXES[suffix]
    given = f"the suffix '{one_line(suffix, 20)}'" if suffix else "no suffix"
    raise InputError(f"{name}: {given}, and a content that is no motion known here. Read are {READ}.")


def locate(path: str | Path, options: ReadOptions) -> tuple[Path, ReadOptions]:
    """The file of "FILE#Clip name" and the options with that clip; a file whose name holds a # comes first."""
    text = os.fspath(path)
    try:
        there = Path(text).exists()
    except (OSError, ValueError):
        there = False
    if there or "#" not in text:
        return Path(text), options
    file, _, clip = text.partition("#")
    for cut in range(len(text) - 1, 0, -1):  # the longest file name that exists
        if text[cut] == "#" and Path(text[:cut]).is_file():
            file, clip = text[:cut], text[cut + 1 :]
            break
    if options.clip is not None and options.clip != clip:
        raise InputError(f"two clips are named, '{one_line(clip, 80)}' after the # and '{one_line(options.clip, 80)}' beside it; name one.")
    return Path(file), replace(options, clip=clip or options.clip)


def _only(motion: Motion, options: ReadOptions) -> Motion:
    """The motion of a format that holds one clip; an error when another was asked for."""
    if options.clip is not None and options.clip not in (motion.name, motion.source.clip):
        raise unknown_name("clip", options.clip, [motion.name])
    return motion


def _first_width(data: bytes) -> int:
    """How many numbers the first frame of a JSON motion has, 0 when it does not look like one."""
    found = re.search(rb'"Frames"\s*:\s*\[\s*\[([^\]\[]{0,8192})\]', data)
    return found.group(1).count(b",") + 1 if found else 0


def _deepmimic_body(data: bytes) -> bool:
    """Whether a JSON text is a DeepMimic character file, a skeleton without frames."""
    return bool(re.search(rb'"Skeleton"\s*:\s*\{\s*"Joints"\s*:', data)) and not re.search(rb'"(Frames|asset)"\s*:', data)


def atomic_write(path: str | Path, data: bytes) -> None:
    """Write a file beside `path` and rename it into place, so that nobody ever sees half of it."""
    path = Path(path)
    if not path.parent.is_dir():
        raise InputError(f"{path}: there is no folder {path.parent}; create it first.")
    temporary = ""
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:80]}.", suffix=".part")
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(temporary, 0o666 & ~umask)
        os.replace(temporary, path)
    except BaseException as error:
        if temporary:
            Path(temporary).unlink(missing_ok=True)
        if isinstance(error, OSError):
            error.filename, error.filename2 = os.fspath(path), None  # a full disk names no file, others the one beside it
        raise


def without_first_frame(motion: Motion, count: int | None = None) -> Motion:
    """The motion from its second frame on; without `count` frames, or as many as its reader found in front of the motion."""
    told = motion.source.extra.get("leading_rest_frame")
    left = count or (told if isinstance(told, int) and told in range(1, MOST + 1) else 1)
    if motion.num_frames <= left:
        raise InputError(f"{motion.source.file or 'the motion'}: it has a single frame; nothing is left when the first is dropped.")
    contacts = None if motion.contacts is None else motion.contacts[left:]
    extra = {key: value for key, value in motion.source.extra.items() if key != "leading_rest_frame"}
    return motion.replace(
        translations=motion.translations[left:],
        rotations=motion.rotations[left:],
        contacts=contacts,
        source=replace(motion.source, extra=extra),
    )
