"""Key-framing: a pose is a few named channels at a time, a motion is splines through them.

A channel is a tuple of numbers: "root" (x, y, z), "left_foot" (x, out, z, roll, tip, yaw), a joint's angles. A pose need not name every
channel, so each channel has its own, sparse keys. Body channels are modified Akima splines, which are smooth and hardly overshoot; those of
what may be planted (feet, hands on the floor) are monotone cubics (PCHIP), which stand exactly still between two equal keys.

Cycles of period T with drift d (what a period adds to the channel):   value(t + T) = value(t) + d
Symmetric gaits:   right(t) = left(t - T/2),   middle(t + T/2) = mirror(middle(t))
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import Akima1DInterpolator, PchipInterpolator

Array = NDArray[np.float64]
Value = tuple[float, ...]
Pose = Mapping[str, Value]
Keys = Sequence[tuple[float, Pose]]

PLANTED = ("_foot", "_grip")
"""Endings of the channels that must stand still between equal keys."""
WORLD = ("root", "left_foot", "right_foot")
"""Channels whose first number is a place along the way: a cycle advances them."""


@dataclass(frozen=True)
class Score:
    """All keys of a motion."""

    tracks: dict[str, list[tuple[float, Value]]]
    duration: float
    """[s]"""
    stride: float | None = None
    """What one cycle advances [m]; None for a motion that does not repeat."""
    key_times: list[float] = field(default_factory=list)

    def sample(self, times: Array) -> dict[str, Array]:
        """Each channel (T, n) at `times` (T,) [s]."""
        out = {}
        for name, keys in self.tracks.items():
            at, values = np.array([k[0] for k in keys]), np.array([k[1] for k in keys], dtype=float)
            when = times
            if self.stride is None:
                when = np.clip(times, at[0], at[-1])
                at, values = _hold_ends(at, values)
            else:
                drift = np.zeros(values.shape[1])
                drift[0] = self.stride if name in WORLD else 0.0
                at, values = _repeat(at, values, self.duration, drift)
            spline = PchipInterpolator(at, values) if name.endswith(PLANTED) else Akima1DInterpolator(at, values, method="makima")
            out[name] = np.asarray(spline(when))
        return out


def _hold_ends(at: Array, values: Array) -> tuple[Array, Array]:
    """Keys that stand still for a while before the first and after the last."""
    pad = np.array([0.4, 0.2])
    return (
        np.concatenate([at[0] - pad, at, at[-1] + pad[::-1]]),
        np.concatenate([np.repeat(values[:1], 2, 0), values, np.repeat(values[-1:], 2, 0)]),
    )


def _repeat(at: Array, values: Array, period: float, drift: Array) -> tuple[Array, Array]:
    """Keys of enough cycles around [0, period] that the spline through them is periodic there."""
    copies = range(-3, 5)
    return np.concatenate([at + c * period for c in copies]), np.concatenate([values + c * drift for c in copies])


def score(*parts: Keys, until: float | None = None) -> Score:
    """A motion that does not repeat, from (time, pose) in order of time; its parts (trunk, arms, feet) run side by side. It stops at the
    last key, or moving, at `until` [s]."""
    tracks: dict[str, list[tuple[float, Value]]] = {}
    for part in parts:
        for time, pose in part:
            for name, value in pose.items():
                tracks.setdefault(name, []).append((time, value))
    times = sorted({round(time, 6) for part in parts for time, _ in part})
    if until is not None:
        times = [*(time for time in times if time < until - 1e-6), until]
    return Score(tracks, times[-1], None, times)


def gait(period: float, stride: float, middle: Keys, left: Keys) -> Score:
    """A symmetric cycle: `middle` keys the trunk over [0, period / 2), `left` the left side over [0, period), without its "left_"."""
    tracks: dict[str, list[tuple[float, Value]]] = {}
    half = period / 2
    for time, pose in middle:
        for name, value in pose.items():
            tracks.setdefault(name, []).append((time, value))
    for name, track in tracks.items():
        track += [(time + half, _advance(name, _flip(name, value), stride / 2)) for time, value in track]
    for time, pose in left:
        for name, value in pose.items():
            tracks.setdefault(f"left_{name}", []).append((time, value))
            later = (time + half) % period
            wraps = stride if time + half >= period else 0.0
            tracks.setdefault(f"right_{name}", []).append((later, _advance(f"right_{name}", value, stride / 2 - wraps)))
    for track in tracks.values():
        track.sort()
    times = sorted({round(time, 6) for track in tracks.values() for time, _ in track})
    return Score(tracks, period, stride, [*times, period])


def _flip(name: str, value: Value) -> Value:
    """A middle channel seen in a mirror: "root" is a place (x, y, z), the others are (bend, lean, turn), a jaw has a single angle."""
    if name == "root":
        return (value[0], -value[1], value[2])
    return value if len(value) == 1 else (value[0], -value[1], -value[2])


def _advance(name: str, value: Value, by: float) -> Value:
    return (value[0] + by, *value[1:]) if name in WORLD else value


def both(**channels: Value) -> dict[str, Value]:
    """The same on both sides: `both(elbow=(90,))` keys left_elbow and right_elbow."""
    return {f"{side}_{name}": value for name, value in channels.items() for side in ("left", "right")}
