"""The animations of a glTF file: key times, interpolation, and the rate at which to sample them.

Between keys k and k + 1 with values v, tangents a (in) and b (out), d = t_{k+1} - t_k and u = (t - t_k) / d a channel is

    STEP          v_k
    LINEAR        v_k + u (v_{k+1} - v_k), rotations along the shorter arc at constant speed
    CUBICSPLINE   (2u^3 - 3u^2 + 1) v_k + d (u^3 - 2u^2 + u) b_k + (3u^2 - 2u^3) v_{k+1} + d (u^3 - u^2) a_{k+1}, rotations then normalised

and holds its first and last value beyond its ends. Times are single precision, so a time within a few units of its last place of
a key is that key. K keys, T times.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, cast

import numpy as np
from numpy.typing import NDArray

from surefoot.errors import one_line
from surefoot.motion import quaternion
from surefoot.motion.gltf_load import Document, Tree

Array = NDArray[np.float64]
Path = Literal["translation", "rotation", "scale"]

PATHS: dict[str, int] = {"translation": 3, "rotation": 4, "scale": 3}
MODES = ("STEP", "LINEAR", "CUBICSPLINE")
MAX_CLIPS = 4096
MAX_SECONDS = 1e7
RATES = (24.0, 25.0, 30.0, 24000 / 1001, 30000 / 1001, 48.0, 50.0, 60.0, 60000 / 1001, 72.0, 90.0, 100.0, 120.0, 144.0, 200.0, 240.0)
"""Frame rates that keys are looked for on, in this order."""
USUAL_FPS = 60.0
"""For keys that lie on no common raster."""
_ON_RASTER = 2e-3
"""Part of a frame that a key may be off the raster: exporters round times to four decimals."""
_LAST_PLACES = 4.0 * float(np.finfo(np.float32).eps)


@dataclass(frozen=True, eq=False)
class Track:
    """One channel: the keys of one property of one node."""

    node: int
    path: Path
    mode: str
    times: Array  # (K,)
    values: Array  # (K, width), rotations w first
    arriving: Array | None = None  # (K, width) in-tangents
    leaving: Array | None = None  # (K, width) out-tangents

    def at(self, times: Array) -> Array:
        """The values (T, width) at `times` (T,)."""
        if len(self.times) == 1:
            return np.repeat(self.values, len(times), axis=0)
        times = self._snapped(times)
        if self.mode == "STEP":
            return self.values[np.clip(np.searchsorted(self.times, times, side="right") - 1, 0, None)]
        low = np.clip(np.searchsorted(self.times, times, side="right") - 1, 0, len(self.times) - 2)
        step = (self.times[low + 1] - self.times[low])[:, None]
        past = (times - self.times[low])[:, None]
        u = np.where(step > 0.0, np.clip(past / np.where(step > 0.0, step, 1.0), 0.0, 1.0), 1.0)
        before, after = self.values[low], self.values[low + 1]
        if self.arriving is not None and self.leaving is not None:
            out = self._spline(u, before, after, step * self.leaving[low], step * self.arriving[low + 1])
            return quaternion.normalize(out) if self.path == "rotation" else out
        if self.path == "rotation":
            return quaternion.slerp(before, after, u[:, 0])
        return before + u * (after - before)

    @staticmethod
    def _spline(u: Array, before: Array, after: Array, leaving: Array, arriving: Array) -> Array:
        square, cube = u * u, u * u * u
        out = (2.0 * cube - 3.0 * square + 1.0) * before + (3.0 * square - 2.0 * cube) * after
        return np.asarray(out + (cube - 2.0 * square + u) * leaving + (cube - square) * arriving)

    def _snapped(self, times: Array) -> Array:
        """`times`, with those that are a key's but for rounding put onto it."""
        after = np.clip(np.searchsorted(self.times, times), 1, len(self.times) - 1)
        near = np.where(times - self.times[after - 1] <= self.times[after] - times, self.times[after - 1], self.times[after])
        return np.where(np.abs(near - times) <= _LAST_PLACES * np.maximum(np.abs(near), 0.1), near, times)


@dataclass(frozen=True, eq=False)
class Animation:
    """One animation: which channels it has; keys are decoded when they are asked for."""

    document: Document
    index: int
    name: str
    channels: tuple[tuple[int, Path, Tree], ...]
    """Node, property and sampler of the channels that move nodes."""
    unused: tuple[str, ...] = ()
    """Properties of the channels that move something else: "weights", "pointer"."""
    frame_time: float | None = None
    """The frame time [s] that our own writer leaves beside the keys."""
    _tracks: list[Track] = field(default_factory=list)

    @property
    def moved(self) -> set[int]:
        """The nodes that it moves."""
        return {node for node, _, _ in self.channels}

    def key_times(self) -> Array:
        """All key times, rising, each once (K,)."""
        doc = self.document
        seen: dict[int, Array] = {}
        for _, _, sampler in self.channels:
            index = doc.whole(sampler, "input", f"animations[{self.index}].sampler")
            if index not in seen:
                seen[index] = _times(doc, index, f"animations[{self.index}]")
                doc.spend(len(seen[index]))  # many animations may share one accessor
        return np.unique(np.concatenate(list(seen.values()))) if seen else np.zeros(0)

    @property
    def num_keys(self) -> int:
        """Keys of all channels, those that channels share counted once."""
        outputs = [sampler.get("output") for _, _, sampler in self.channels]
        return sum({output: len(track.times) for output, track in zip(outputs, self.tracks(), strict=True)}.values())

    def tracks(self) -> list[Track]:
        """The decoded channels, one for each node and property."""
        if not self._tracks:
            self._tracks.extend(_track(self.document, self.index, node, path, sampler) for node, path, sampler in self.channels)
        return self._tracks


def read_animations(document: Document, num_nodes: int) -> tuple[list[Animation], list[str]]:
    """All animations of a file with names that differ, and warnings."""
    out: list[Animation] = []
    warnings: list[str] = []
    taken: dict[str, int] = {}
    if len(document.items("animations")) > MAX_CLIPS:
        raise document.fail(f"{len(document.items('animations'))} animations, more than the {MAX_CLIPS} that are read; split it.")
    for i, tree in enumerate(document.items("animations")):
        where = f"animations[{i}]"
        samplers = document.items("samplers", tree, f"{where}.")
        channels: dict[tuple[int, Path], Tree] = {}
        unused: list[str] = []
        twice = 0
        for c, channel in enumerate(document.items("channels", tree, f"{where}.")):
            here = f"{where}.channels[{c}]"
            target = channel.get("target")
            if not isinstance(target, dict):
                raise document.fail(f"{here}.target is missing.")
            path = target.get("path")
            if not (isinstance(path, str) and path in PATHS) or "node" not in target:
                unused.append(one_line(str(path), 30))
                continue
            node = document.whole(target, "node", f"{here}.target", limit=num_nodes)
            sampler = samplers[document.whole(channel, "sampler", here, limit=len(samplers))]
            twice += (node, path) in channels
            channels.setdefault((node, cast(Path, path)), sampler)
        if twice:
            warnings.append(f"{where} moves the same property of a node by two channels, {twice} times; the first of them counts.")
        name = _unique(_clip_name(tree.get("name"), i), taken)
        out.append(Animation(document, i, name, tuple((n, p, s) for (n, p), s in channels.items()), tuple(unused), _said_frame_time(tree)))
    return out, warnings


def _said_frame_time(tree: Tree) -> float | None:
    extras = tree.get("extras")
    said = extras.get("frame_time") if isinstance(extras, dict) else None
    return said if isinstance(said, float) and 1e-5 <= said <= 1e3 else None


def _clip_name(given: object, index: int) -> str:
    clean = one_line(given.encode("utf-8", "replace").decode("utf-8"), 200) if isinstance(given, str) else ""
    return clean or f"animation_{index}"


def _unique(name: str, taken: dict[str, int]) -> str:
    """The name, numbered when it is taken; `taken` counts how often each was asked for."""
    out = name
    while out in taken:
        taken[name] += 1
        out = f"{name}_{taken[name]}"
    taken[out] = 1
    return out


def _times(doc: Document, index: int, where: str) -> Array:
    times = doc.accessor(index, 1, f"{where}.sampler.input")[:, 0]
    if np.any(np.diff(times) < 0.0):
        k = int(np.argmax(np.diff(times) < 0.0)) + 1
        raise doc.fail(f"{where}: its key times must rise; key {k} at {times[k]:g} s comes after {times[k - 1]:g} s.")
    if np.abs(times).max() > MAX_SECONDS:
        raise doc.fail(f"{where} has a key at {times[np.abs(times).argmax()]:g} s; times up to {MAX_SECONDS:g} s are read.")
    return times


def _track(doc: Document, index: int, node: int, path: Path, sampler: Tree) -> Track:
    where = f"animations[{index}]"
    mode = sampler.get("interpolation", "LINEAR")
    if mode not in MODES:
        raise doc.fail(f"{where} has the interpolation {one_line(repr(mode), 40)}; {', '.join(MODES)} are known.")
    times = _times(doc, doc.whole(sampler, "input", f"{where}.sampler"), where)
    width = PATHS[path]
    values = doc.accessor(doc.whole(sampler, "output", f"{where}.sampler"), width, f"{where}.sampler.output")
    want = len(times) * (3 if mode == "CUBICSPLINE" else 1)
    if len(values) != want:
        raise doc.fail(f"{where}: {len(times)} key times need {want} values of {path} ({mode}), there are {len(values)}.")
    doc.spend(values.size)  # the copies below; many channels may share one accessor
    if path == "rotation":
        values = values[:, [3, 0, 1, 2]]
    if mode != "CUBICSPLINE":
        return Track(node, path, mode, times, quaternion.normalize(values) if path == "rotation" else values)
    arriving, middle, leaving = np.moveaxis(values.reshape(-1, 3, width), 1, 0)
    return Track(node, path, mode, times, middle, arriving, leaving)


def choose_rate(times: Array) -> tuple[float, bool]:
    """Frames per second at which every key (K,) of a clip falls on a frame, and whether there is such a rate."""
    times = times[times >= 0.0]
    if len(times) == 0 or times[-1] <= 0.0:
        return 30.0, True
    own = _own_rates(times)
    some = times[:: max(1, len(times) // 1000)]
    for tolerance in (1e-6, _ON_RASTER):
        for fps in (*RATES, *own):
            if 1.0 <= fps <= 1000.0 and on_raster(some, fps, tolerance) and on_raster(times, fps, tolerance):
                return fps, True
    last = float(times[-1])
    return max(1.0, round(last * USUAL_FPS)) / last, False


def on_raster(times: Array, fps: float, tolerance: float = 1e-6) -> bool:
    """Whether all `times` (K,) are whole frames at that rate, up to `tolerance` frames and the rounding of single precision."""
    frames = times * fps
    return bool(np.abs(frames - np.round(frames)).max() <= tolerance + _LAST_PLACES * np.abs(frames).max())


def _own_rates(times: Array) -> list[float]:
    """Rates that the keys themselves suggest: their mean and median step, each fitted to all keys."""
    steps = np.diff(times)
    steps = steps[steps > 1e-5]
    if not len(steps):
        return []
    out = []
    for fps in ((len(times) - 1) / float(times[-1] - times[0]), 1.0 / float(np.median(steps))):
        frames = np.round(times * fps)
        if frames.any():
            out.append(float(np.sum(frames * frames) / np.sum(frames * times)))
    return out
