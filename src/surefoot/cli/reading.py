"""Motions, characters and bundles as the command line names them: a file, "FILE#Clip", or something built in; and the flags of reading."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, cast, get_args

import numpy as np
from tyro.conf import arg

from surefoot.character.character import Character
from surefoot.cli.output import Output
from surefoot.errors import InputError, unknown_name
from surefoot.motion.axes import UpAxis
from surefoot.motion.files import SUFFIXES, ReadOptions, locate, read_motion, without_first_frame
from surefoot.motion.motion import Motion
from surefoot.motion.units import UNITS

if TYPE_CHECKING:
    from surefoot.bundle import Bundle

BUNDLE = ".surefoot"


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How a motion file is read, where the guess would be wrong."""

    clip: Annotated[str | None, arg(metavar="NAME")] = None
    """The clip, in a file with several; the same as FILE#NAME. The first when it is not given."""
    unit: Annotated[str | None, arg(metavar="UNIT")] = None
    """Length of one file unit: cm, m, mm, inch, foot, dm, CMU, or a number of metres. Guessed when it is not given."""
    up: Annotated[str | None, arg(metavar="AXIS")] = None
    """The file's up axis: X, Y, Z, or -X, -Y, -Z where it points down. Guessed when it is not given."""
    fps: Annotated[float | None, arg(metavar="RATE")] = None
    """Frames per second: overrides the file's own, and is the sampling rate of key-framed formats (glTF)."""
    positions: Annotated[Literal["absolute", "relative", "ignore"] | None, arg(metavar="READING")] = None
    """Position channels below the root of a BVH: absolute (in place of OFFSET), relative (added to it) or ignore."""
    skeleton: Annotated[Path | None, arg(metavar="FILE.asf")] = None
    """The skeleton of an AMC; the only .asf beside it when it is not given."""
    drop_first_frame: bool = False
    """Leave out frame 0, a T-pose put there by an exporter."""

    def options(self) -> ReadOptions:
        """The flags as the readers take them."""
        if self.fps is not None and not (np.isfinite(self.fps) and self.fps > 0.0):
            raise InputError(f"--fps {self.fps:g}: expected a positive number of frames per second.")
        return ReadOptions(
            clip=self.clip,
            unit_m=None if self.unit is None else metres(self.unit),
            up=None if self.up is None else axis(self.up),
            fps=self.fps,
            positions=self.positions,
            drop_first_frame=self.drop_first_frame,
            skeleton=self.skeleton,
        )


@dataclass(frozen=True, kw_only=True)
class Keeping:
    """The other side of `drop_first_frame`."""

    keep_first_frame: bool = False
    """Keep frame 0 even where it snaps into the motion."""


@dataclass(frozen=True, kw_only=True)
class Casting:
    """What an MJCF file may do."""

    trust_files: bool = False
    """Read the files that an MJCF names, wherever they lie: includes, and meshes as their hulls. For models that you trust."""


def metres(unit: str) -> float:
    """The length of a unit [m], by its name or as a number."""
    known = {name.lower(): length for name, length in UNITS.items()} | {"in": UNITS["inch"], "ft": UNITS["foot"]}
    if unit.lower() in known:
        return known[unit.lower()]
    try:
        length = float(unit)
    except ValueError:
        raise unknown_name("unit", unit, [*UNITS, "a number of metres"]) from None
    if not (np.isfinite(length) and length > 0.0):
        raise InputError(f"--unit {unit}: expected a positive number of metres, or one of {', '.join(UNITS)}.")
    return length


def axis(up: str) -> UpAxis:
    """The up axis of that name, in either case."""
    known = get_args(UpAxis)
    named = up.upper().removeprefix("+")
    if named not in known:
        raise unknown_name("up axis", up, known)
    return cast(UpAxis, named)


def motion(name: str, options: ReadOptions, output: Output, *, sees_to: tuple[str, ...] = ()) -> Motion:
    """The motion of that name; what the reader warns of, and the clips that were not named, are told on standard error.

    `sees_to` are flags that the verb needs no reminder of, because it does by itself what they do.
    """
    if built_in(name):
        from surefoot import material

        return material.motion(name)
    must_exist(name)
    read = read_motion(name, options)
    tell_other_clips(read.source.clip, read.source.extra.get("other_clips", ()), output)
    for warning in read.source.warnings:
        if not any(flag in warning for flag in sees_to):
            output.note(warning)
    return read


def is_bundle(name: str) -> bool:
    """Whether the name is a bundle's."""
    return Path(name).suffix.lower() == BUNDLE


def bundle(name: str, options: ReadOptions | None = None) -> Bundle:
    """The bundle of that name. Flags of reading are for motions: none may be given."""
    from surefoot.bundle import load

    if options is not None and options != ReadOptions():
        raise InputError(f"{name}: flags such as --clip, --fps and --unit tell how a motion is read; a bundle is taken as it is.")
    if not Path(name).is_file():
        must_exist(name)
    return load(name)


def motion_or_bundle(name: str, options: ReadOptions, output: Output, *, sees_to: tuple[str, ...] = ()) -> Motion | Bundle:
    """The bundle of that name, or the motion."""
    return bundle(name, options) if is_bundle(name) else motion(name, options, output, sees_to=sees_to)


def sourced(name: str, options: ReadOptions, output: Output, *, sees_to: tuple[str, ...] = ()) -> tuple[Motion, Path | bytes]:
    """The motion of that name and its file, for its hash and mesh: what `bundle_of` takes. What is built in is read from a GLB's bytes."""
    if not built_in(name):
        return motion(name, options, output, sees_to=sees_to), locate(name, options)[0]
    from surefoot import material
    from surefoot.motion import gltf

    who, _, clip = name.partition("/")
    data = material.glb(who)
    return gltf.read(data, f"{who}.glb", ReadOptions(clip=clip)), data


def skill(name: str, reading: Reading, output: Output) -> Bundle:
    """The bundle of that name; or a motion's, rigged from its own skeleton and tracked open loop."""
    if is_bundle(name):
        return bundle(name, reading.options())
    from surefoot.bundle import bundle_of
    from surefoot.character.rig import RigConfig, rig

    read, source = sourced(name, reading.options(), output, sees_to=("--drop-first-frame",))
    kept = isinstance(reading, Keeping) and reading.keep_first_frame
    return bundle_of(read, rig(read, RigConfig(keep_first_frame=kept)), source=source)


def without_leading_rest(read: Motion, flags: Keeping, output: Output) -> Motion:
    """The motion without a leading T-pose that snaps into it, unless the flags keep it. `inspect` and `export` keep every frame."""
    if flags.keep_first_frame or read.num_frames < 3 or not read.source.extra.get("leading_rest_frame"):
        return read
    output.note("frame 0 snaps into the motion, a T-pose put there by an exporter: left out (--keep-first-frame keeps it)")
    return without_first_frame(read)


def character(name: str, trust_files: bool = False) -> Character:
    """The character of that name: an MJCF file, which may name others where it is trusted, or one that is built in."""
    from surefoot.character import builtin, load

    if name in builtin.names() and not Path(name).exists():
        return builtin.builtin(name)
    if not Path(name).exists():
        raise unknown_name("character", name, [*builtin.names(), *_files_beside(name, (".xml",))])
    return load.load_character(name, trust_files=trust_files)


def built_in(name: str) -> bool:
    """Whether the name is one of our own clips, as "humanoid/walk", and no file of that name hides it."""
    if "/" not in name or Path(name).exists():
        return False
    from surefoot import material

    return name in material.names()


def must_exist(name: str) -> None:
    """An error that lists what exists when there is no such file; "FILE#Clip" names FILE."""
    parts = name.split("#")
    try:
        there = [path for n in range(len(parts), 0, -1) if (path := Path("#".join(parts[:n]))).exists()]
    except (OSError, ValueError) as error:
        raise InputError(f"{name}: not the name of a file ({error}).") from None
    if there and there[0].is_dir():
        raise InputError(f"{there[0]}: that is a folder; name a file in it.")
    if there:
        return
    from surefoot import material

    path = Path(parts[0])
    if not path.parent.is_dir():
        if str(path.parent) in {known.split("/")[0] for known in material.names()}:
            raise unknown_name("built-in motion", name, material.names())
        raise InputError(f"{parts[0]}: there is no folder {path.parent}.")
    if is_bundle(parts[0]):
        raise unknown_name("bundle", path.name, _files_beside(parts[0], (BUNDLE,)))
    known = _files_beside(parts[0], tuple(SUFFIXES))
    raise unknown_name("motion file", path.name, [*known, *material.names()])


def tell_other_clips(clip: str, others: Sequence[str], output: Output) -> None:
    """Name the clips of a file beside the first, which was read because none was named."""
    if others:
        shown = ", ".join(f"'{name}'" for name in others)
        output.note(f"{len(others) + 1} clips; this is the first, '{clip}'. Others, by FILE#NAME or --clip NAME: {shown}")


def _files_beside(name: str, suffixes: tuple[str, ...]) -> list[str]:
    try:
        return sorted(path.name for path in Path(name).parent.iterdir() if path.suffix.lower() in suffixes)[:1000]
    except OSError:
        return []
