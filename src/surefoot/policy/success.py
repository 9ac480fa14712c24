"""The success rule, everywhere: how near a performance comes to its reference.

    to the end of the clip   |h - h~| <= 0.25 m,   d(q_0, q~_0) <= 0.8 rad,   mean |(p_i - p_0) - (p~_i - p~_0)| < 0.12 m

h is the root's height above the ground below it, ~ marks the reference above its own ground; it is not judged during a drop. d is the full
angle between the roots' rotations, the last mean is over joints and time. Lengths scale with height / 1.7 m.
Functions of arrays: T moments, B bodies, G shapes, and any leading shape.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

HEIGHT, ROTATION, JOINTS = 0.25, 0.8, 0.12
"""Limits: root height [m], root rotation [rad], joints [m]."""
LEVEL = 0.05
"""Ground that differs by less than this [m] is the same level."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Errors:
    """Distances from the reference at every moment."""

    height: Array  # (..., T)
    """Of the root above the ground, absolute [m]."""
    rotation: Array  # (..., T)
    """Of the root, the full angle [rad]."""
    joints: Array  # (..., T)
    """Mean over joints, relative to the root [m]."""
    world: Array  # (..., T)
    """Mean over joints, in the world [m]."""


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """The rule applied to one performance."""

    success: bool
    survived: float
    """Until a limit was first broken, or to the end [s]."""
    joints: float
    """Mean [m]; likewise below, NaN where nothing was measured."""
    world: float
    height: float
    """Largest that was judged [m]."""
    rotation: float
    """Largest [rad]."""
    why: str
    """What broke the rule, in words; empty after a success."""


def errors(
    position: ArrayLike, root: ArrayLike, wanted: ArrayLike, wanted_root: ArrayLike, ground: ArrayLike = 0.0, wanted_ground: ArrayLike = 0.0
) -> Errors:
    """Errors of body positions (..., T, B, 3), the root first, and root rotations (..., T, 4) against the reference's; heights of the
    ground below both roots (..., T)."""
    position, wanted = np.asarray(position, dtype=float), np.asarray(wanted, dtype=float)
    above = position[..., 0, 2] - np.asarray(ground, dtype=float)
    should = wanted[..., 0, 2] - np.asarray(wanted_ground, dtype=float)
    apart = (position - position[..., :1, :]) - (wanted - wanted[..., :1, :])
    return Errors(
        height=np.abs(above - should),
        rotation=full_angle(root, wanted_root),
        joints=np.sqrt(np.sum(apart * apart, axis=-1)).mean(axis=-1),
        world=np.sqrt(np.sum((position - wanted) ** 2, axis=-1)).mean(axis=-1),
    )


def full_angle(a: ArrayLike, b: ArrayLike) -> Array:
    """The angle (...) between rotations (..., 4), between 0 and pi."""
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    b = np.where(np.sum(a * b, axis=-1, keepdims=True) < 0.0, -b, b)
    return np.asarray(4.0 * np.arctan2(_length(a - b), _length(a + b)))  # exact near 0 and near pi


def dropping(root_ground: Array, gaps: Array, shape_ground: Array, scale: float = 1.0, touch: float = 0.0) -> Mask:
    """When (T,) a body is on its way down to lower ground: its root is over ground (T,) that lies lower than the one it last stood on, and
    nothing touches that ground yet. `gaps` (T, G) are the shapes' above the ground (T, G) below each."""
    out = np.zeros(len(root_ground), dtype=bool)
    stood = float(root_ground[0])
    for t, below in enumerate(root_ground):
        if ((gaps[t] <= touch) & (np.abs(shape_ground[t] - below) <= LEVEL * scale)).any() or below > stood:
            stood = float(below)
        out[t] = below < stood - LEVEL * scale
    return out


def judge(found: Errors, times: Array, scale: float = 1.0, unjudged: Mask | None = None, *, finished: bool = True) -> Judgement:
    """Judge one performance by its errors at times (T,). `unjudged` (T,) is when heights do not count; NaN is a lost simulation."""
    height = found.height if unjudged is None else np.where(unjudged & np.isfinite(found.height), 0.0, found.height)
    low, turned = ~(height <= HEIGHT * scale), ~(found.rotation <= ROTATION)
    off = low | turned
    mean = float(np.nanmean(found.joints)) if np.isfinite(found.joints).any() else float("nan")
    k = int(np.argmax(off)) if off.any() else len(times) - 1
    why = ""
    if off.any():
        at = f"at {times[k]:.2f} s"
        if not np.isfinite(found.rotation[k]):
            why = f"the simulation diverged {at}"
        elif turned[k]:
            why = f"the root is turned away by {found.rotation[k]:.2f} rad {at}"
        else:
            why = f"the root's height is off by {height[k]:.2f} m {at}"
    elif not finished:
        why = f"it ended early, at {times[-1]:.2f} s"
    elif not mean < JOINTS * scale:
        why = f"joints are {1e3 * mean:.0f} mm off on the average"
    return Judgement(
        success=not why,
        survived=float(times[k]),
        joints=mean,
        world=float(np.nanmean(found.world)) if np.isfinite(found.world).any() else float("nan"),
        height=_largest(height),
        rotation=_largest(found.rotation),
        why=why,
    )


def _largest(values: Array) -> float:
    good = values[np.isfinite(values)]
    return float(good.max()) if len(good) else float("nan")


def _length(a: Array) -> Array:
    return np.asarray(np.sqrt(np.sum(a * a, axis=-1)))
