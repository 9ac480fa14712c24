"""What people take with them: what was just played, as BVH, GLB, MP4 or a bundle, and as a page that plays without Python.

In physics it is the performance since its last beginning, pushes and all, as far as it is kept; otherwise the clip itself.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.bundle import Bundle, Performance, encode, export, save
from surefoot.errors import InputError, one_line
from surefoot.motion.files import write_motion
from surefoot.motion.motion import Motion
from surefoot.physics.manifold import difference, integrate
from surefoot.studio.shelf import harmless
from surefoot.studio.show import Show
from surefoot.studio.world import FRAME, Frame

Array = NDArray[np.float64]

FORMATS = ("BVH", "GLB", "MP4", "Bundle", "Web page")
SUFFIX = {"BVH": ".bvh", "GLB": ".glb", "MP4": ".mp4", "Bundle": ".surefoot", "Web page": ".html"}
FILM = "640x480"
"""Size of a film."""
PATIENCE = 600.0
"""Seconds that a film may take."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Played:
    """What was played of a show."""

    show: Show
    frames: tuple[Frame, ...]
    """In physics, oldest first; none of a replay."""
    qpos: slice
    """Where poses lie in the frames' rows, those of the character first."""

    @property
    def file(self) -> str:
        """A name without a suffix."""
        return harmless(Path(self.show.name.replace("/", " ").replace("#", " ")).stem + ".x")[:-2].strip() or "motion"

    def bundle(self) -> Bundle:
        """The performance as a bundle's."""
        made, frames = self.show.as_bundle(), since_beginning(self.frames)
        if not frames:
            return made
        nq = self.show.character.model.nq
        poses = np.array([frame.row[self.qpos.start : self.qpos.start + nq] for frame in frames])
        times = np.array([frame.time for frame in frames])
        done = Performance(qpos=evenly(self.show.character.model, times, poses, FRAME), frame_time=FRAME)
        return made.replace(performance=done, start=self.show.start + max(frames[0].place, 0.0))

    def motion(self) -> Motion:
        """The clip itself."""
        show = self.show
        return show.motion or show.character.motion(show.reference.qpos, show.reference.frame_time, name=show.name)


def since_beginning(frames: Sequence[Frame]) -> tuple[Frame, ...]:
    """The last frames without a leap back in the clip, as a reset that was still on its way leaves one."""
    first = 0
    for k in range(1, len(frames)):
        if frames[k].place < frames[k - 1].place - 1e-6 or not np.isfinite(frames[k - 1].row).all():
            first = k
    return tuple(frame for frame in frames[first:] if np.isfinite(frame.row).all())


def evenly(model: Any, times: Array, poses: Array, step: float) -> Array:
    """Poses (T, nq) at equal steps of time, on straight lines between those given."""
    if len(times) < 2:
        return poses
    at = times[0] + step * np.arange(int(np.floor((times[-1] - times[0]) / step + 1e-6)) + 1)
    low = np.clip(np.searchsorted(times, at, side="right") - 1, 0, len(times) - 2)
    part = (at - times[low]) / (times[low + 1] - times[low])
    return np.asarray(integrate(model, poses[low], part[:, None] * difference(model, poses[low + 1], poses[low])))


def file_of(played: Played, kind: str) -> bytes:
    """The bytes of a file of that kind; a web page is made by `record`."""
    if kind not in SUFFIX:
        raise InputError(f"'{kind}' is none of {', '.join(FORMATS)}.")
    bundle = played.bundle()
    if kind == "Bundle":
        return encode(bundle)
    with tempfile.TemporaryDirectory(prefix="surefoot-export-") as folder:
        out = Path(folder) / f"out{SUFFIX[kind]}"
        if kind == "MP4":
            _film(played, bundle, out)
        elif played.frames:
            export(bundle, out)
        else:
            write_motion(played.motion(), out)
        return out.read_bytes()


def _film(played: Played, bundle: Bundle, out: Path) -> None:
    """Drawn in a process of its own, so that the studio goes on meanwhile."""
    source = out.with_suffix(".surefoot" if played.frames else ".npz")
    if played.frames:
        save(bundle, source)
    else:
        write_motion(played.motion(), source)
    command = [sys.executable, "-m", "surefoot.cli.main", "render", str(source), "--out", str(out), "--size", FILM]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=PATIENCE, env=environment, stdin=subprocess.DEVNULL, check=False
        )
    except subprocess.TimeoutExpired:
        raise InputError(f"drawing the film took more than {PATIENCE / 60:.0f} minutes; take a shorter one.") from None
    if done.returncode or not out.exists():
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        raise InputError(f"no film: {one_line(lines[-1] if lines else 'the drawing ended', 300)}")
