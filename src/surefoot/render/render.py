"""`render(bundle or motion, "film.mp4")`: a film, or a sheet of pictures, drawn without a screen.

times -> stage (poses, ghost) -> canvas (frames) -> film (file)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from surefoot.bundle import Bundle
from surefoot.errors import InputError
from surefoot.motion.limits import shown
from surefoot.motion.motion import Motion
from surefoot.painter import Camera
from surefoot.picture import LARGEST, View, aim
from surefoot.render import film
from surefoot.render.canvas import Canvas, Drawing, Frame, canvas
from surefoot.render.stage import Ghost, Stage, of_bundle, of_motion

Array = NDArray[np.float64]

SIZES = {".mp4": (960, 540), ".gif": (480, 360), ".png": (300, 320)}
RATES = {".mp4": 30.0, ".gif": 25.0}
LONGEST = 600.0
"""Seconds of a film."""


@dataclass(frozen=True, kw_only=True)
class RenderConfig:
    """How a film is taken."""

    size: str | None = None
    """Width x height [pixels], of each picture of a PNG; 960x540 for .mp4, 480x360 for .gif, 300x320 for .png."""
    fps: float | None = None
    """Frames per second; 30 for .mp4, 25 for .gif."""
    seconds: float | None = None
    """How much is shown [s]; what there is when it is not given. A bundle's policy goes on beyond it."""
    begin: float = 0.0
    """Where it begins [s]."""
    slow: float = 1.0
    """How many times slower than real."""
    frames: int = 6
    """Pictures on a PNG, at equal steps; 1 is a picture of the beginning."""
    view: View = "quarter"
    """From the character's right, from its front, or from between."""
    camera: Literal["follow", "still"] = "follow"
    """The camera goes with the character, or stays and sees the whole way."""
    ghost: Ghost = "inside"
    """The reference of a bundle shines through: inside the simulation, beside it, or not at all."""
    draw: Drawing = "auto"
    """Who draws: MuJoCo's renderer where there is a way without a screen, else our own painter."""

    def __post_init__(self) -> None:
        self.pixels(".png")
        for name, low, high in (("fps", 1e-3, 240.0), ("seconds", 0.0, LONGEST), ("begin", 0.0, 3600.0), ("slow", 0.05, 100.0)):
            value = getattr(self, name)
            if value is not None and not low <= value <= high:
                raise InputError(f"--{name} {value:g}: expected {low:g} to {high:g}.")
        if not 1 <= self.frames <= 100:
            raise InputError(f"--frames {self.frames}: a sheet holds 1 to 100 pictures.")

    def pixels(self, suffix: str) -> tuple[int, int]:
        """Width and height for a file with that suffix; even, as films want them."""
        if self.size is None:
            return SIZES[suffix]
        found = re.fullmatch(r"(\d{1,5})[x×](\d{1,5})", self.size.strip())
        if found is None or not all(16 <= int(n) <= LARGEST for n in found.groups()):
            raise InputError(f"--size {self.size}: expected WIDTHxHEIGHT, each 16 to {LARGEST} pixels, as 960x540.")
        width, height = (int(n) for n in found.groups())
        return (width + width % 2, height + height % 2) if suffix == ".mp4" else (width, height)


@dataclass(frozen=True, kw_only=True)
class Rendered:
    """What was written."""

    frames: int
    size: tuple[int, int]
    """Of each frame [pixels]."""
    fps: float | None
    """None for a PNG."""
    seconds: float
    """Of the motion that is shown."""
    drawn_by: str
    note: str
    """Why it was not drawn by the first choice; empty where it was."""


def render(
    subject: Bundle | Motion, path: str | Path, config: RenderConfig | None = None, progress: Callable[[float, float], None] | None = None
) -> Rendered:
    """Draw what a bundle's character did, or a motion, as .mp4, .gif or .png by the suffix of `path`."""
    path, config = Path(path), config or RenderConfig()
    suffix = path.suffix.lower()
    if suffix not in film.WRITTEN:
        raise InputError(f"{shown(path)}: a film is written as {', '.join(film.WRITTEN)}; choose one of these suffixes.")
    if suffix == ".mp4":
        film.program()  # before the work
    size, fps = config.pixels(suffix), config.fps or RATES.get(suffix, 0.0)
    times = _times(subject, suffix, config, fps)
    if suffix == ".gif" and len(times) > film.MOST_OF_GIF:
        raise InputError(f"{shown(path)}: {len(times)} frames are too many for a GIF ({film.MOST_OF_GIF}); shorten it or write .mp4.")
    stage = of_motion(subject, times, size) if isinstance(subject, Motion) else of_bundle(subject, times, config.ghost, size)
    drawn, note = canvas(stage, size, config.draw)
    try:
        frames = _frames(stage, drawn, config, size, progress)
        if suffix == ".mp4":
            film.mp4(path, frames, size, fps)
        elif suffix == ".gif":
            film.gif(path, frames, stage.num_frames, fps)
        else:
            film.png(path, frames, [f"{t:.2f} s" for t in times[: stage.num_frames]])
    finally:
        drawn.close()
    lasting = float(times[stage.num_frames - 1] - times[0])
    rate = fps if suffix in film.FILMS else None
    return Rendered(frames=stage.num_frames, size=size, fps=rate, seconds=lasting, drawn_by=drawn.name, note=note)


def pictures(subject: Bundle | Motion, times: Array, size: tuple[int, int], config: RenderConfig | None = None) -> list[Frame]:
    """Frames (height, width, 3) at times (T,) [s], for sheets of one's own; fewer where a performance ends early."""
    config = config or RenderConfig()
    stage = of_motion(subject, times, size) if isinstance(subject, Motion) else of_bundle(subject, times, config.ghost, size)
    drawn, _ = canvas(stage, size, config.draw)
    try:
        return list(_frames(stage, drawn, config, size, None))
    finally:
        drawn.close()


def _times(subject: Bundle | Motion, suffix: str, config: RenderConfig, fps: float) -> Array:
    """Times (T,) [s] of the frames."""
    if isinstance(subject, Motion):
        there = subject.duration
    else:
        there = subject.performance.duration if subject.performance is not None else subject.reference.duration
    lasting = min(max(there - config.begin, 0.0), LONGEST) if config.seconds is None else config.seconds
    if isinstance(subject, Motion):
        if config.begin > there:
            raise InputError(f"--begin {config.begin:g}: the clip lasts {there:.2f} s.")
        lasting = min(lasting, there - config.begin)
    if suffix not in film.FILMS:
        return np.asarray(config.begin + np.linspace(0.0, lasting, config.frames))
    count = int(np.floor(lasting * config.slow * fps + 1e-6)) + 1
    return np.asarray(config.begin + np.arange(count) / (fps * config.slow))


def _frames(
    stage: Stage, drawn: Canvas, config: RenderConfig, size: tuple[int, int], progress: Callable[[float, float], None] | None
) -> Iterator[Frame]:
    for k, camera in enumerate(_cameras(stage, config, size)):
        yield drawn.draw(k, camera)
        if progress is not None:
            progress(k + 1.0, float(stage.num_frames))


def _cameras(stage: Stage, config: RenderConfig, size: tuple[int, int]) -> Iterator[Camera]:
    """A camera for every frame."""
    if config.camera == "follow":
        for root in stage.root:
            yield aim(root, stage.points, stage.forward, stage.height, config.view, size)
        return
    floor = stage.root * [1.0, 1.0, 0.0]
    middle = 0.5 * (floor.min(axis=0) + floor.max(axis=0))
    some = floor[:: max(1, len(floor) // 50)]
    points = (stage.points[None, :: max(1, len(stage.points) // 2000)] + (some - middle)[:, None]).reshape(-1, 3)
    still = aim(middle, points, stage.forward, stage.height, config.view, size)
    for _ in stage.root:
        yield still
