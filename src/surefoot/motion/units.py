"""Which way is up in a file, and how long its unit is: guesses from the body and how it moves.

Points are positions in file units, joints first, then bone tips: at rest (N, 3) and posed (T, N, 3). Each candidate collects
evidence s, measured in nats, and the guess is the best with confidence exp(s) / sum of exp(s).

    up     feet below the middle of the body, standing height, a floor that the lowest points return to, the slowest points are
           planted and so the lowest, the habits of exporters
    unit   the size is that of a person (log-normal about 1.68 m with heavy tails), the habits of exporters
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from surefoot.motion.axes import UpAxis
from surefoot.motion.motion import Guess

Array = NDArray[np.float64]
_Key = TypeVar("_Key", bound=str)

UNITS: dict[str, float] = {"cm": 0.01, "m": 1.0, "mm": 0.001, "inch": 0.0254, "CMU": 0.0254 / 0.45, "foot": 0.3048, "dm": 0.1}
"""Lengths of the units that files are met in [m]; CMU is that of the 2010 conversion of the CMU database, 1 inch / 0.45."""
_HABIT = {"cm": 0.5, "m": 0.25, "mm": 0.1, "inch": 0.1, "CMU": 0.06, "foot": 0.02, "dm": 0.03}
_STATURE = 1.68
"""How tall a grown person is, as `stature` measures it [m]."""
_AXES: dict[UpAxis, tuple[int, float]] = {"Y": (1, 1.0), "Z": (2, 1.0), "-Y": (1, -1.0), "-Z": (2, -1.0), "X": (0, 1.0), "-X": (0, -1.0)}
_UP_HABIT: dict[UpAxis, float] = {"Y": 1.5, "Z": 0.8, "-Y": -3.0, "-Z": -3.0, "X": -3.0, "-X": -4.0}

_FOOT = re.compile(r"foot|feet|toe|ankle|heel|hoof|paw|\bfuss|pied|(?:^|[^a-z])foot", re.I)
_LEG = re.compile(r"leg|thigh|shin|calf|knee|hip|femur|tibia", re.I)
_ARM = re.compile(r"arm|hand|wrist|elbow|shoulder|collar|clavicle|humerus", re.I)
_HAND = re.compile(r"hand|wrist", re.I)
_HEAD = re.compile(r"head|neck|skull", re.I)
_BEAST = re.compile(r"(?<!pony)(?<!pony )tail|paw|hoof|wing|claw|front.?(?:leg|foot|paw)|hind|jaw.*tail|pincer|fin\b", re.I)


SAMPLES = 96
"""Frames that guesses look at."""


def picked(frames: int, frame_time: float) -> NDArray[np.int64]:
    """Frames to look at: windows spread over the clip, 0.05 s from frame to frame inside one, so that planted feet show."""
    first = 1 if frames > 2 else 0
    step = max(1, min(round(0.05 / frame_time), (frames - first) // 8))
    if (frames - first) <= step * SAMPLES:
        return np.arange(first, frames, step)
    window = np.arange(SAMPLES // 4) * step
    starts = np.linspace(first, frames - 1 - window[-1], 4).astype(np.int64)
    return np.unique(starts[:, None] + window)


@dataclass(frozen=True, kw_only=True)
class Body:
    """A skeleton in a file's own units and axes, with some of its poses."""

    names: Sequence[str]  # N, "" for a tip
    parents: Sequence[int]  # N
    rest: Array  # (N, 3)
    posed: Array  # (T, N, 3)

    @property
    def size(self) -> float:
        """The longest side of the box around the body, in the median pose."""
        sides = np.ptp(self.posed, axis=1).max(axis=-1)
        return float(np.median(sides))

    def named(self, pattern: re.Pattern[str]) -> list[int]:
        return [j for j, name in enumerate(self.names) if pattern.search(name)]

    @property
    def human(self) -> bool:
        """Whether the names are those of a person: arms, legs and a head, and nothing of a beast."""
        return all(len(self.named(p)) >= 2 for p in (_LEG, _ARM)) and bool(self.named(_HEAD)) and not self.named(_BEAST)

    @property
    def feet(self) -> list[int]:
        """What stands, by its name: feet, a beast's hands too, or what legs end in where nothing is called a foot."""
        feet = self.named(_FOOT)
        if feet:
            return [*feet, *self.named(_HAND)] if self.named(_BEAST) else feet
        legs = self.named(_LEG)
        below, inner = set(legs), set(self.parents)
        for j, p in enumerate(self.parents):  # parents first, tips last
            if p in below:
                below.add(j)
        return sorted(below - inner)


def guess_up(body: Body) -> tuple[UpAxis, Guess]:
    """The up axis of a file."""
    size = max(body.size, 1e-300)
    feet = body.feet
    longest = 1.5 if body.human else 0.3  # beasts are as long as they are tall
    slow = _slow(body.posed)
    extents = np.ptp(body.posed, axis=1)  # (T, 3)
    scores: dict[UpAxis, float] = {}
    reasons: dict[UpAxis, dict[str, float]] = {}
    for axis, (k, sign) in _AXES.items():
        height = sign * body.posed[..., k]
        low, high = height.min(axis=1), height.max(axis=1)
        cue = {}
        if feet:
            cue["the feet are below the body"] = 4.0 * _below(sign * body.posed, feet, k, size)
            cue["the rest pose stands that way"] = 1.5 * _below(sign * body.rest[None], feet, k, size)
        cue["the body is longest that way"] = longest * float(np.mean(extents[:, k] / np.maximum(extents.max(axis=1), 1e-300)))
        spread = float(np.percentile(low, 60) - np.percentile(low, 5)) / size
        cue["the lowest point keeps to a floor"] = 1.5 * float(np.exp(-spread / 0.08))
        cue["the lowest point is at zero"] = 1.5 * float(np.exp(-abs(np.percentile(low, 20)) / (0.08 * size)))
        if slow is not None:
            still, weight = slow
            part = (np.take_along_axis(height[:-1], still[:, None], axis=1)[:, 0] - low[:-1]) / np.maximum((high - low)[:-1], 1e-9 * size)
            cue["what stands still is at the bottom"] = 3.0 * weight * float(np.mean(1.0 - 2.0 * part))
        scores[axis] = _UP_HABIT[axis] + sum(cue.values())
        reasons[axis] = cue
    best, confidence = _softmax(scores)
    if len(body.posed) < 4:  # a single pose may be a handstand
        confidence = min(confidence, 0.8)
    others = [a for a in scores if a != best]
    gain = {w: v - max(reasons[a].get(w, 0.0) for a in others) for w, v in reasons[best].items()}
    why = [w for w, g in sorted(gain.items(), key=lambda item: -item[1]) if g > 0.1][:2] or ["most files are made that way"]
    return best, Guess(what="up axis", value=best, confidence=confidence, why="; ".join(why), override=f"--up {best}")


def _below(points: Array, feet: list[int], axis: int, size: float) -> float:
    """How far the feet are below the middle of the body, -1 to 1, averaged over time."""
    arrow = points.mean(axis=1) - points[:, feet].mean(axis=1)
    length = np.linalg.norm(arrow, axis=-1)
    return float(np.mean(arrow[:, axis] / np.maximum(length, 0.05 * size)))


def _slow(posed: Array) -> tuple[NDArray[np.intp], float] | None:
    """The slowest point of each frame, and how much that tells: 1 when the body travels past it, less on the spot, 0 when nothing moves."""
    if len(posed) < 4:
        return None
    speed = np.linalg.norm(np.diff(posed, axis=0), axis=-1)  # (T-1, N)
    whole = float(np.median(speed.mean(axis=1)))
    if whole <= 0.0:
        return None
    # A point that never moves is a root left at the origin, and no foot.
    speed = np.where(np.percentile(speed, 80, axis=0) < 1e-3 * whole, np.inf, speed)
    if not np.isfinite(speed).any():
        return None
    least = float(np.median(speed.min(axis=1)))
    # Where a cycle runs on the spot its feet glide and its hips are slowest.
    centre = posed.mean(axis=1)
    travels = float(np.linalg.norm(centre[-1] - centre[0])) / max(float(np.linalg.norm(np.diff(centre, axis=0), axis=-1).sum()), 1e-300)
    return np.argmin(speed, axis=1), float(np.clip(1.0 - 2.0 * least / whole, 0.0, 1.0)) * min(1.0, 0.2 + travels)


def stature(body: Body, up: UpAxis) -> tuple[float, str]:
    """The standing height in file units and how it was measured.

    A person's bones tell it in any pose; of other bodies it is the median of what rest pose, poses and bones say.
    """
    k = _AXES[up][0]
    across = _across(body)
    if body.human and across > 0.0:
        return across / 1.32, "from toe to finger tip along the bones"
    found = {"poses": body.size, "bones": across / 1.6}
    rest = float(np.ptp(body.rest[:, k]))
    if rest > 0.2 * float(np.ptp(body.rest, axis=0).max()):
        found["rest pose"] = rest
    values = {what: value for what, value in found.items() if value > 0.0}
    if not values:
        return 0.0, "nothing has a length"
    size = float(np.exp(np.median(np.log(list(values.values())))))
    return size, " and ".join(values)


def _across(body: Body) -> float:
    """The longest path along bones between two points: from toe to finger tip, in a person 1.3 times the stature.

    What changes its length is no bone, and neither is the way from a root to its only child: hips that travel below a root at the origin.
    """
    lengths = np.zeros(len(body.parents))
    parents = np.asarray(body.parents)
    for j, p in enumerate(body.parents):
        if p >= 0 and not (parents[p] < 0 and np.sum(parents == p) == 1):
            each = np.linalg.norm(body.posed[:, j] - body.posed[:, p], axis=-1)
            length = float(np.median(each))
            lengths[j] = length if np.ptp(each) < 0.2 * length else 0.0
    down, across = np.zeros(len(lengths)), 0.0
    for j in reversed(range(len(lengths))):
        p = body.parents[j]
        if p >= 0:
            reach = down[j] + lengths[j]
            across = max(across, down[p] + reach)
            down[p] = max(down[p], reach)
    return float(across)


def guess_unit(size: float, *, human: bool, how: str = "", candidates: Sequence[str] = tuple(UNITS)) -> tuple[float, Guess]:
    """The length of a unit [m] in which a body of that stature (in file units) makes sense."""
    scores: dict[str, float] = {}
    for unit in candidates:
        metres = max(size * UNITS[unit], 1e-300)
        if human:
            off = np.log(metres / _STATURE) / 0.15
            scores[unit] = np.log(_HABIT[unit]) - 1.5 * np.log1p(off**2)
        else:  # from mouse to mammoth: only the three units that modellers use, unless nothing else fits
            off = np.log(metres) / (1.2 if metres > 1.0 else 0.9)  # monsters are met more often than mice
            habit = 0.4 if unit in ("m", "cm") else _HABIT[unit]
            scores[unit] = np.log(habit) - 1.5 * np.log1p(off**2) - (0.0 if unit in ("m", "cm", "mm") else 2.0)
    best, confidence = _softmax(scores)
    if not human:  # nobody knows how large a beast is meant to be
        confidence = min(confidence, 0.97)
    least, most = (0.6, 4.0) if human else (0.05, 40.0)
    if not least <= size * UNITS[best] <= most:  # no unit makes it a size that bodies have
        confidence = min(confidence, 0.4)
    kind = "a person" if human else "a body"
    value = best if best != "CMU" else f"{UNITS[best]:.5f} m"
    why = f"{kind} is then {size * UNITS[best]:.3g} m tall" + (f" ({how})" if how else "")
    override = f"--unit {best}" if best != "CMU" else f"--unit {UNITS[best]:.8g}"
    if size <= 0.0:
        confidence, why = 0.1, "nothing in the file has a length"
    return UNITS[best], Guess(what="unit", value=value, confidence=confidence, why=why, override=override)


def _softmax(scores: dict[_Key, float]) -> tuple[_Key, float]:
    best = max(scores, key=lambda key: scores[key])
    weights = np.exp(np.array(list(scores.values())) - scores[best])
    return best, round(min(float(1.0 / weights.sum()), 0.99), 2)
