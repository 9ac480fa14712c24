"""The success rule, everywhere: how near a performance comes to its reference.

    to the end of the clip   |h - h~| <= 0.25 m,   d(q_0, q~_0) <= 0.8 rad,   mean |(p_i - p_0) - (p~_i - p~_0)| < 0.12 m

h is the root's height above the ground below it, ~ marks the reference above its own ground; it is not judged while either of them drops to
lower ground. d is the full angle between the roots' rotations; the last mean is over all bodies and moments. A clip that is laid over
ground that is not level has to be performed there: the root stays within 0.5 m of its place along the floor. Lengths scale with
height / 1.7 m. Functions of arrays: M performances (or any leading shape), T moments, B bodies the root first, G shapes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.physics.scene import Scene
from surefoot.policy import ground
from surefoot.policy.reference import Reference

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

HEIGHT, ROTATION, JOINTS = 0.25, 0.8, 0.12
"""Limits: root height [m], root rotation [rad], joints [m]."""
PLACE = 0.5
"""How far along the floor the root may be from its place [m], where the ground is not level."""
LEVEL = 0.05
"""Ground that differs by less than this [m] is the same level, and a shape this near to it has come down: poses of clips often hover."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Errors:
    """Distances from the reference at every moment, NaN from where a simulation diverged."""

    height: Array  # (..., T)
    """Of the root above the ground, absolute [m]."""
    rotation: Array  # (..., T)
    """Of the root, the full angle [rad]."""
    joints: Array  # (..., T)
    """Mean over bodies, relative to the root [m]."""
    world: Array  # (..., T)
    """Mean over bodies, in the world [m]."""
    place: Array  # (..., T)
    """Of the root along the floor [m]."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Judgement:
    """The rule applied to performances, each field (...); `judgement[m]` is one of them, and `len` counts them."""

    success: Mask
    survived: Array
    """Until a limit was first broken, or to the last moment [s]."""
    joints: Array
    """Mean [m]; likewise below, NaN where nothing was measured."""
    world: Array
    height: Array
    """Largest that was judged [m]."""
    rotation: Array
    """Largest [rad]."""
    reasons: NDArray[Any]
    """What broke the rule, in words; empty after a success."""

    def __len__(self) -> int:
        return len(self.success)

    def __getitem__(self, index: Any) -> Judgement:
        return Judgement(**{name: np.asarray(value[index]) for name, value in vars(self).items()})

    def __iter__(self) -> Iterator[Judgement]:
        return (self[m] for m in range(len(self)))

    @property
    def why(self) -> str:
        """What broke the rule in one performance."""
        return str(self.reasons[()])

    def to_json(self) -> dict[str, bool | float]:
        """One performance, under the names that commands write."""
        return {
            "success": bool(self.success),
            "survived_s": float(self.survived),
            "mpjpe_mm": 1e3 * float(self.joints),
            "mpjpe_global_mm": 1e3 * float(self.world),
            "root_height_error_m": float(self.height),
            "root_rotation_error_rad": float(self.rotation),
        }


class SuccessRule:
    """The rule for one reference at given moments, with what it needs of the reference computed once."""

    def __init__(self, reference: Reference, times: ArrayLike, scene: Scene | None = None) -> None:
        """`scene` is where the simulations are; the reference knows its own. `times` (T,) are moments of the reference [s]."""
        character = reference.character
        self.reference = reference
        self.times = np.asarray(times, dtype=float)
        self.scene = scene or Scene()
        self.size = ground.size(character)
        self.position, self.rotation = character.world(reference.at(self.times))
        """What is wanted: bodies' positions (T, B, 3) and rotations (T, B, 4)."""
        self.level = ground.height(reference.scene, self.position[:, 0])
        self._shapes = ground.surface(character)
        self._dropping = self._drops(reference.scene, self.position, self.rotation, self.level)

    def errors(self, position: ArrayLike, rotation: ArrayLike) -> Errors:
        """Errors (..., T) of bodies' positions (..., T, B, 3) and rotations (..., T, B, 4)."""
        position, rotation = np.asarray(position, dtype=float), np.asarray(rotation, dtype=float)
        below = ground.height(self.scene, position[..., 0, :])
        return errors(position, rotation[..., 0, :], self.position, self.rotation[:, 0], below, self.level)

    def unjudged(self, position: ArrayLike, rotation: ArrayLike) -> Mask:
        """When (..., T) heights do not count: a simulation or the reference is dropping to lower ground."""
        position, rotation = np.asarray(position, dtype=float), np.asarray(rotation, dtype=float)
        below = ground.height(self.scene, position[..., 0, :])
        return np.asarray(self._dropping | self._drops(self.scene, position, rotation, below))

    def __call__(self, position: ArrayLike, rotation: ArrayLike, *, finished: ArrayLike = True) -> Judgement:
        """Judge performances by their bodies' positions (..., T, B, 3) and rotations (..., T, B, 4); NaN is a lost simulation."""
        found = self.errors(position, rotation)
        free = ground.is_level(self.reference.scene)
        return judge(found, self.times, self.size, self.unjudged(position, rotation), finished=finished, place=np.inf if free else PLACE)

    def _drops(self, scene: Scene, position: Array, rotation: Array, below: Array) -> Mask:
        if ground.is_level(scene):
            return np.zeros(below.shape, dtype=bool)
        points = ground.undersides(self._shapes, position, rotation)
        floor = ground.height(scene, points)
        return dropping(below, points[..., 2] - floor, floor, self.size)


def errors(
    position: ArrayLike, root: ArrayLike, wanted: ArrayLike, wanted_root: ArrayLike, below: ArrayLike = 0.0, wanted_below: ArrayLike = 0.0
) -> Errors:
    """Errors (..., T) of body positions (..., T, B, 3), the root first, and root rotations (..., T, 4) against the reference's; heights of
    the ground below both roots (..., T)."""
    position, wanted = np.asarray(position, dtype=float), np.asarray(wanted, dtype=float)
    above = position[..., 0, 2] - np.asarray(below, dtype=float)
    should = wanted[..., 0, 2] - np.asarray(wanted_below, dtype=float)
    apart = (position - position[..., :1, :]) - (wanted - wanted[..., :1, :])
    return Errors(
        height=np.abs(above - should),
        rotation=full_angle(root, wanted_root),
        joints=_length(apart).mean(axis=-1),
        world=_length(position - wanted).mean(axis=-1),
        place=_length((position - wanted)[..., 0, :2]),
    )


def full_angle(a: ArrayLike, b: ArrayLike) -> Array:
    """The angle (...) between rotations (..., 4), between 0 and pi."""
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    b = np.where(np.sum(a * b, axis=-1, keepdims=True) < 0.0, -b, b)
    return np.asarray(4.0 * np.arctan2(_length(a - b), _length(a + b)))  # exact near 0 and near pi


def dropping(below: Array, gaps: Array, floor: Array, scale: float = 1.0) -> Mask:
    """When (..., T) a body is on its way down: its root is over ground `below` (..., T) that lies lower than what it last stood on, and
    nothing has come down to it yet. `gaps` (..., T, G) are the shapes' above the `floor` (..., T, G) below each."""
    low = LEVEL * scale
    landed = np.asarray(((gaps <= low) & (np.abs(floor - below[..., None]) <= low)).any(axis=-1))
    out = np.zeros(below.shape, dtype=bool)
    stood = below[..., 0]
    for t in range(below.shape[-1]):
        now = below[..., t]
        stood = np.where(landed[..., t] | (now > stood), now, stood)
        out[..., t] = now < stood - low
    return out


def judge(
    found: Errors,
    times: ArrayLike,
    scale: float = 1.0,
    unjudged: ArrayLike = False,
    *,
    finished: ArrayLike = True,
    place: float = np.inf,
) -> Judgement:
    """Judge performances by their errors (..., T) at times (T,). `unjudged` (..., T) is when heights do not count, `finished` (...) says
    which were played to the end, `place` [m] how far a root may be from its own; NaN is a lost simulation."""
    times = np.asarray(times, dtype=float)
    lost = np.asarray(~(np.isfinite(found.rotation) & np.isfinite(found.height)))
    height = np.where(np.asarray(unjudged) & ~lost, 0.0, found.height)
    turned = np.asarray(~(found.rotation <= ROTATION))
    away = np.asarray(~(found.place <= place * scale)) if np.isfinite(place) else np.zeros_like(turned)
    off = turned | away | ~(height <= HEIGHT * scale)
    broken = np.asarray(off.any(axis=-1))
    first: NDArray[np.int64] = np.where(broken, np.argmax(off, axis=-1), len(times) - 1)
    joints = _mean(found.joints)
    near = joints < JOINTS * scale
    complete = np.broadcast_to(np.asarray(finished, dtype=bool), broken.shape)
    success = np.asarray(~broken & complete & near)
    reasons = np.full(success.shape, "", dtype=object)
    for m in np.ndindex(success.shape):
        if success[m]:
            continue
        k = int(first[m])
        at = f"at {times[k]:.2f} s"
        if not broken[m]:
            far = f"joints are {1e3 * joints[m]:.0f} mm off on the average"
            reasons[m] = far if complete[m] else f"it ended early, {at}"
        elif lost[m][k]:
            reasons[m] = f"the simulation diverged {at}"
        elif turned[m][k]:
            reasons[m] = f"the root is turned away by {found.rotation[m][k]:.2f} rad {at}"
        elif away[m][k]:
            reasons[m] = f"the root is {found.place[m][k]:.2f} m from its place {at}"
        else:
            reasons[m] = f"the root's height is off by {height[m][k]:.2f} m {at}"
    return Judgement(
        success=success,
        survived=times[first],
        joints=joints,
        world=_mean(found.world),
        height=_largest(height),
        rotation=_largest(found.rotation),
        reasons=reasons,
    )


def _mean(values: Array) -> Array:
    """Over the moments that there are; NaN where there are none."""
    good = np.isfinite(values)
    count = good.sum(axis=-1)
    return np.asarray(np.where(good, values, 0.0).sum(axis=-1) / np.where(count, count, np.nan))


def _largest(values: Array) -> Array:
    good = np.isfinite(values)
    return np.asarray(np.where(good.any(axis=-1), np.where(good, values, -np.inf).max(axis=-1), np.nan))


def _length(a: Array) -> Array:
    return np.asarray(np.sqrt(np.sum(a * a, axis=-1)))
