"""Motion files of every format behind one door: `open_motion`, `read_motion`, `write_motion`.

A format is one module with `read(data, name, options)`, and `write(motion, path)` where we write it too.
"""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from surefoot.errors import InputError
from surefoot.motion.motion import Motion


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
    """How position channels below the root are meant (BVH)."""
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


def atomic_write(path: str | Path, data: bytes) -> None:
    """Write a file beside `path` and rename it into place, so that nobody ever sees half of it."""
    path = Path(path)
    if not path.parent.is_dir():
        raise InputError(f"{path}: there is no folder {path.parent}; create it first.")
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:80]}.", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(temporary, 0o666 & ~umask)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def without_first_frame(motion: Motion) -> Motion:
    """The motion from its second frame on."""
    if motion.num_frames == 1:
        raise InputError(f"{motion.source.file or 'the motion'}: it has a single frame; nothing is left when the first is dropped.")
    contacts = None if motion.contacts is None else motion.contacts[1:]
    return motion.replace(translations=motion.translations[1:], rotations=motion.rotations[1:], contacts=contacts)
