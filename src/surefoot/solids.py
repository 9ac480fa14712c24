"""Solids that a ray can meet, for the painter: round cones, boxes, cylinders and ellipsoids.

A round cone is the hull of two spheres: centres a and b, radii r and r + d. Sphere s of the family has centre a + s u, u = b - a, and
radius r + s d. A ray o + t w, w of unit length, touches the hull where, with x = o + t w - a,
f(t, s) = |x - s u|^2 - (r + s d)^2 = 0 and df/ds = 0:

    s = (u.x + r d) / (u.u - d^2)          |x|^2 - r^2 - (u.x + r d)^2 / (u.u - d^2) = 0

a quadratic in t; where s leaves [0, 1] the end spheres take over. The others are met in their own frame, scaled to unit half sides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Pixels = NDArray[np.float32]
Colour = tuple[float, float, float]

FAR = np.float32(np.inf)


@dataclass(frozen=True, kw_only=True)
class Cone:
    """The hull of two balls."""

    a: Array  # (3,) [m]
    b: Array  # (3,) [m]
    radius_a: float
    radius_b: float
    colour: Colour

    @property
    def outline(self) -> tuple[Array, Array]:
        """Centres (n, 3) and radii (n,) of balls whose hull holds the solid."""
        return np.stack([self.a, self.b]), np.array([self.radius_a, self.radius_b])

    @property
    def core(self) -> Cone:
        """A round cone about as large, for the shadow."""
        return self

    def meet(self, eye: Array, rays: Pixels) -> tuple[Pixels, Pixels]:
        """Distances (...) from `eye` along unit rays (..., 3), infinite where it is missed, and the normals (..., 3)."""
        r, d = self.radius_a, self.radius_b - self.radius_a
        u, x = self.b - self.a, eye - self.a
        hull = float(u @ u) - d * d
        along, toward = rays @ u.astype(np.float32), rays @ x.astype(np.float32)
        t = np.full(rays.shape[:-1], FAR, dtype=np.float32)
        s = np.zeros_like(t)
        if hull > 1e-12:
            ux = float(u @ x) + r * d
            qa = 1.0 - along * along * np.float32(1.0 / hull)
            qb = toward - along * np.float32(ux / hull)
            root = np.asarray(qb * qb - qa * (float(x @ x) - r * r - ux * ux / hull), dtype=np.float32)
            ok = (root > 0.0) & (qa > 1e-7)
            first = (-qb - np.sqrt(np.where(ok, root, 0.0))) / np.where(ok, qa, 1.0)
            where = (np.float32(ux) + first * along) * np.float32(1.0 / hull)
            ok &= (where >= 0.0) & (where <= 1.0) & (first > 0.0)
            t, s = np.where(ok, first, t).astype(np.float32), np.where(ok, where, s).astype(np.float32)
        for end, (centre, radius) in enumerate(((self.a, r), (self.b, r + d))):
            if radius <= 0.0:
                continue
            o = eye - centre
            behind = rays @ o.astype(np.float32)
            root = np.asarray(behind * behind - float(o @ o) + radius * radius, dtype=np.float32)
            ok = root > 0.0
            ball = -behind - np.sqrt(np.where(ok, root, 0.0))
            ok &= (ball > 0.0) & (ball < t)
            t, s = np.where(ok, ball, t).astype(np.float32), np.where(ok, np.float32(end), s).astype(np.float32)
        depth = np.where(np.isfinite(t), t, 0.0)[..., None]
        normal = x.astype(np.float32) + depth * rays - s[..., None] * u.astype(np.float32)
        return t, (normal / np.maximum(r + s * d, 1e-6)[..., None]).astype(np.float32)


@dataclass(frozen=True, kw_only=True)
class Block:
    """A box, a cylinder along its z, or an ellipsoid."""

    kind: Literal["box", "cylinder", "ellipsoid"]
    centre: Array  # (3,) [m]
    axes: Array  # (3, 3), columns are its axes in the world
    half: Array  # (3,) half sides [m]
    colour: Colour

    @property
    def outline(self) -> tuple[Array, Array]:
        """Centres (n, 3) and radii (n,) of balls whose hull holds the solid."""
        signs = np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)], dtype=float)
        return self.centre + (signs * self.half) @ self.axes.T, np.zeros(8)

    @property
    def core(self) -> Cone:
        """A round cone about as large, for the shadow."""
        order = np.argsort(self.half)
        radius = float(np.sqrt(self.half[order[0]] * self.half[order[1]]))
        reach = max(float(self.half[order[2]]) - 0.8 * radius, 0.0) * self.axes[:, order[2]]
        return Cone(a=self.centre - reach, b=self.centre + reach, radius_a=radius, radius_b=radius, colour=self.colour)

    def meet(self, eye: Array, rays: Pixels) -> tuple[Pixels, Pixels]:
        """Distances (...) from `eye` along unit rays (..., 3), infinite where it is missed, and the normals (..., 3)."""
        half = np.maximum(self.half, 1e-6)
        into = (self.axes / half).astype(np.float32)
        o = ((eye - self.centre) @ self.axes / half).astype(np.float32)
        w = rays @ into
        if self.kind == "box":
            t, place = _enter(o, w, (0, 1, 2))
            face = np.argmax(np.abs(place), axis=-1)[..., None]
            local = np.where(np.arange(3) == face, np.sign(place), 0.0)
        elif self.kind == "ellipsoid":
            t, place = _enter_round(o, w, 3)
            local = place / half.astype(np.float32)
        else:
            t, place, lid = _enter_cylinder(o, w)
            local = np.where(lid[..., None], place * [0.0, 0.0, 1.0], place * [1.0, 1.0, 0.0] / half)
        normal = local.astype(np.float32) @ self.axes.T.astype(np.float32)
        return t, (normal / np.maximum(np.linalg.norm(normal, axis=-1, keepdims=True), 1e-9)).astype(np.float32)


Solid = Cone | Block


def _spans(o: Pixels, w: Pixels, axes: Sequence[int]) -> tuple[Pixels, Pixels]:
    """Where rays enter and leave the slabs |x_axis| <= 1."""
    low, high = np.full(w.shape[:-1], -FAR), np.full(w.shape[:-1], FAR)
    for axis in axes:
        slope = np.where(np.abs(w[..., axis]) < 1e-9, np.float32(1e-9), w[..., axis])
        one, two = (-1.0 - o[axis]) / slope, (1.0 - o[axis]) / slope
        low, high = np.maximum(low, np.minimum(one, two)), np.minimum(high, np.maximum(one, two))
    return low.astype(np.float32), high.astype(np.float32)


def _round(o: Pixels, w: Pixels, size: int) -> tuple[Pixels, Pixels]:
    """Where rays enter and leave the unit ball (size 3) or the unit cylinder around z (size 2); entering after leaving is a miss."""
    v, p = w[..., :size], o[:size]
    qa = np.maximum(np.sum(v * v, axis=-1), 1e-12)
    qb = v @ p
    root = qb * qb - qa * (p @ p - 1.0)
    reach = np.sqrt(np.maximum(root, 0.0))
    miss = root <= 0.0
    return np.where(miss, FAR, (-qb - reach) / qa).astype(np.float32), np.where(miss, -FAR, (-qb + reach) / qa).astype(np.float32)


def _seen(low: Pixels, high: Pixels, o: Pixels, w: Pixels) -> tuple[Pixels, Pixels]:
    t = np.where((low < high) & (low > 0.0), low, FAR).astype(np.float32)
    return t, (o + np.where(np.isfinite(t), t, 0.0)[..., None] * w).astype(np.float32)


def _enter(o: Pixels, w: Pixels, axes: Sequence[int]) -> tuple[Pixels, Pixels]:
    return _seen(*_spans(o, w, axes), o, w)


def _enter_round(o: Pixels, w: Pixels, size: int) -> tuple[Pixels, Pixels]:
    return _seen(*_round(o, w, size), o, w)


def _enter_cylinder(o: Pixels, w: Pixels) -> tuple[Pixels, Pixels, NDArray[np.bool_]]:
    """Also whether the ray comes in through a lid."""
    (side_in, side_out), (lid_in, lid_out) = _round(o, w, 2), _spans(o, w, (2,))
    t, place = _seen(np.maximum(side_in, lid_in), np.minimum(side_out, lid_out), o, w)
    return t, place, lid_in > side_in
