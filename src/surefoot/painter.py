"""A small software painter: shaded solids with soft shadows on a checkered floor, in NumPy, no graphics card.

Each solid is met by the rays through the pixels around it only; the nearest hit is kept. Solids are painted at twice the picture's size and
averaged down, the floor and its shadows, which are smooth, at the picture's own. Colours lie in [0, 1].
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from surefoot.solids import Cone, Solid

Array = NDArray[np.float64]
Pixels = NDArray[np.float32]

SKY_TOP = np.array([0.80, 0.86, 0.92], dtype=np.float32)
SKY_LOW = np.array([0.95, 0.96, 0.97], dtype=np.float32)
TILES = np.array([[0.80, 0.81, 0.82], [0.70, 0.72, 0.74]], dtype=np.float32)
SUN = np.array([0.35, -0.50, 0.79]) / np.linalg.norm([0.35, -0.50, 0.79])
SUPERSAMPLE = 2


@dataclass(frozen=True, kw_only=True)
class Camera:
    """A pinhole camera, Z up in the picture."""

    eye: Array  # (3,) [m]
    target: Array  # (3,) [m]
    view_height: float
    """Height of what is seen at the target's distance [m]."""
    width: int
    height: int

    @property
    def axes(self) -> tuple[Array, Array, Array]:
        """Unit vectors right, up and forward."""
        forward = self.target - self.eye
        forward = forward / np.linalg.norm(forward)
        right = np.cross(forward, [0.0, 0.0, 1.0])
        right = right / np.linalg.norm(right)
        return right, np.cross(right, forward), forward

    @property
    def pixel(self) -> float:
        """Size of one pixel at unit depth."""
        return self.view_height / self.height / float(np.linalg.norm(self.target - self.eye))

    def directions(self, rows: slice, columns: slice) -> Pixels:
        """Directions (h, w, 3) of unit depth through a block of pixels."""
        right, up, forward = self.axes
        x = ((np.arange(columns.start, columns.stop) + 0.5 - self.width / 2) * self.pixel).astype(np.float32)
        y = ((self.height / 2 - np.arange(rows.start, rows.stop) - 0.5) * self.pixel).astype(np.float32)
        level = forward.astype(np.float32) + y[:, None] * up.astype(np.float32)
        return np.asarray(level[:, None] + x[:, None] * right.astype(np.float32), dtype=np.float32)

    def project(self, points: Array) -> tuple[Array, Array]:
        """Pixel places (..., 2) as (column, row), and depths (...)."""
        right, up, forward = self.axes
        d = points - self.eye
        depth = np.maximum(d @ forward, 1e-3)
        return np.stack([self.width / 2 + d @ right / depth / self.pixel, self.height / 2 - d @ up / depth / self.pixel], -1), depth

    def block(self, centres: Array, radii: Array) -> tuple[slice, slice]:
        """Rows and columns of the pixels that balls (n, 3), (n,) may cover; empty slices when they are out of sight."""
        places, depth = self.project(centres)
        reach = (radii / depth / self.pixel * 1.1 + 1.0)[:, None]
        low, high = np.floor((places - reach).min(0)), np.ceil((places + reach).max(0))
        limit = [self.width, self.height]
        low, high = np.clip(low, 0, limit).astype(int), np.clip(high, 0, limit).astype(int)
        return slice(int(low[1]), int(high[1])), slice(int(low[0]), int(high[0]))


def paint(
    solids: Sequence[Solid], camera: Camera, *, floor: float | None = 0.0, background: Pixels | None = None, opacity: float = 1.0
) -> Pixels:
    """The picture (height, width, 3): solids over a floor with their shadows, or over `background`, at an opacity. A floor of None hides
    nothing and is not painted."""
    picture = ground(solids, camera, floor) if background is None else background.copy()
    outlines = [solid.outline for solid in solids]
    if not outlines:
        return picture
    rows, columns = camera.block(np.concatenate([o[0] for o in outlines]), np.concatenate([o[1] for o in outlines]))
    height, width = rows.stop - rows.start, columns.stop - columns.start
    if height <= 0 or width <= 0:
        return picture
    n = SUPERSAMPLE
    fine = replace(camera, width=camera.width * n, height=camera.height * n)
    depth = np.full((height * n, width * n), np.inf, dtype=np.float32)
    colour = np.zeros((height * n, width * n, 3), dtype=np.float32)
    for solid, outline in zip(solids, outlines, strict=True):
        _paint_one(solid, fine.block(*outline), (rows.start * n, columns.start * n), fine, floor, depth, colour)
    hit = np.isfinite(depth)
    colour *= _rim(depth)[..., None]
    small = colour.reshape(height, n, width, n, 3).mean((1, 3))
    cover = hit.reshape(height, n, width, n).mean((1, 3), dtype=np.float32)[..., None]
    under = picture[rows, columns]
    under += np.float32(opacity) * (small - cover * under)
    return picture


def _paint_one(
    solid: Solid, where: tuple[slice, slice], corner: tuple[int, int], camera: Camera, floor: float | None, depth: Pixels, colour: Pixels
) -> None:
    """Put a solid into the buffers, whose first pixel is `corner`, where it is nearest."""
    rows, columns = where
    if rows.start >= rows.stop or columns.start >= columns.stop:
        return
    rays = camera.directions(rows, columns)
    rays /= np.sqrt(np.einsum("...i,...i", rays, rays))[..., None]
    t, normal = solid.meet(camera.eye, rays)
    top, left = corner
    inside = slice(rows.start - top, rows.stop - top), slice(columns.start - left, columns.stop - left)
    near = t < depth[inside]
    if floor is not None and camera.eye[2] > floor:  # the floor hides what is below it
        near &= camera.eye[2] + np.where(near, t, 0.0) * rays[..., 2] > floor
    if not near.any():
        return
    depth[inside][near] = t[near]
    n, w = normal[near], rays[near]
    height = camera.eye[2] + t[near] * w[:, 2] - (floor or 0.0)
    colour[inside][near] = _shade(n, w, height.astype(np.float32), np.array(solid.colour, dtype=np.float32))


def _shade(n: Pixels, w: Pixels, height: Pixels, paint: Pixels) -> Pixels:
    """Colours (P, 3) from normals (P, 3), rays (P, 3) and heights above the floor (P,)."""
    towards = SUN.astype(np.float32)
    sun = np.clip(n @ towards, 0.0, 1.0)
    sky = 0.5 + 0.5 * n[:, 2]
    facing = np.einsum("pi,pi->p", n, w)
    rim = (1.0 + facing) ** 3
    half = towards - w
    shine = np.clip(np.einsum("pi,pi->p", n, half) / np.sqrt(np.einsum("pi,pi->p", half, half)), 0.0, 1.0) ** 40
    light = 0.30 + 0.62 * sun + 0.28 * sky * (0.6 + 0.4 * np.clip(4.0 * height, 0.0, 1.0))  # the floor takes light from what stands on it
    return np.asarray(np.clip(paint * light[:, None] + (0.10 * rim + 0.16 * shine)[:, None], 0.0, 1.0), dtype=np.float32)


def _rim(depth: Pixels) -> Pixels:
    """A factor (h, w) that darkens the rim of every shape and of every limb before another."""
    far = np.where(np.isfinite(depth), depth, np.float32(1e4))
    step = np.zeros_like(far)
    for before, after in (((slice(1, None),), (slice(None, -1),)), ((slice(None), slice(1, None)), (slice(None), slice(None, -1)))):
        jump = far[before] - far[after]
        step[after] = np.maximum(step[after], jump)
        step[before] = np.maximum(step[before], -jump)
    return np.asarray(1.0 - 0.55 * np.clip(step / np.float32(0.04) - 1.0, 0.0, 1.0), dtype=np.float32)


def ground(solids: Sequence[Solid], camera: Camera, floor: float | None) -> Pixels:
    """The checkered floor of 1 m squares, fading into the sky, with the solids' shadows (height, width, 3)."""
    rise = np.linspace(1.0, 0.0, camera.height, dtype=np.float32)[:, None, None]
    sky = SKY_LOW + rise * (SKY_TOP - SKY_LOW)
    picture = np.array(np.broadcast_to(sky, (camera.height, camera.width, 3)), dtype=np.float32)
    drop = 0.0 if floor is None else float(camera.eye[2]) - floor
    _, up, forward = camera.axes
    rows = (camera.height / 2 - np.arange(camera.height) - 0.5) * camera.pixel
    below = np.flatnonzero(forward[2] + rows * up[2] < -1e-3)  # the camera is level, so the horizon is a row
    if drop <= 0.0 or not len(below):
        return picture
    first = int(below[0])
    rays = camera.directions(slice(first, camera.height), slice(0, camera.width))
    t = np.float32(drop) / -rays[:, :1, 2]  # depth (rows, 1)
    x, y = np.float32(camera.eye[0]) + t * rays[..., 0], np.float32(camera.eye[1]) + t * rays[..., 1]
    blur = np.maximum(np.float32(camera.pixel / drop) * t * t, np.float32(1e-4))  # a pixel's footprint on the floor [m]
    reach = float(np.linalg.norm(camera.target - camera.eye)) + 2.0 * camera.view_height
    fade = np.exp(-((t / np.float32(1.6 * reach)) ** 4))
    check = 0.5 + 0.5 * _square(x, blur) * _square(y, blur)
    light = 1.0 - 0.58 * _shadow(solids, camera, drop, first, x, y)
    mix = (TILES[1] - TILES[0]) * check[..., None]
    mix += TILES[0]
    mix *= light[..., None]
    part = picture[first:]
    part += fade[..., None] * (mix - part)
    return picture


def _square(x: Pixels, blur: Pixels) -> Pixels:
    """A square wave of period 2 in [-1, 1], its edges as wide as `blur`."""
    edge = np.abs(x - np.floor(x) - 0.5)
    sign = 1.0 - 2.0 * (np.floor(x).astype(np.int32) & 1)
    return np.asarray(sign * np.clip((0.5 - edge) / blur, 0.0, 1.0), dtype=np.float32)


def _shadow(solids: Sequence[Solid], camera: Camera, drop: float, first: int, x: Pixels, y: Pixels) -> Pixels:
    """How much of the light each floor pixel at (x, y) loses: sharp under a planted foot, soft under what is high."""
    shade = np.zeros_like(x)
    floor = float(camera.eye[2]) - drop
    fall = SUN[:2] * 0.6 / SUN[2]  # a sun a little higher than the one that shades: shadows stay near the feet
    for solid in solids:
        core: Cone = solid.core
        high_a, high_b = max(core.a[2] - floor, 0.0), max(core.b[2] - floor, 0.0)
        p, q = core.a[:2] - fall * high_a, core.b[:2] - fall * high_b
        soft_a, soft_b = 0.02 + 0.22 * high_a, 0.02 + 0.22 * high_b
        ends = np.array([[*p, floor], [*q, floor]])
        rows, columns = camera.block(ends, np.array([core.radius_a + soft_a, core.radius_b + soft_b]) * 1.1)
        if rows.stop <= first or columns.start >= columns.stop:
            continue
        inside = slice(max(rows.start - first, 0), rows.stop - first), columns
        dx, dy = x[inside] - np.float32(p[0]), y[inside] - np.float32(p[1])
        u = (q - p).astype(np.float32)
        s = np.clip((dx * u[0] + dy * u[1]) / np.float32(max(float(u @ u), 1e-9)), 0.0, 1.0)
        away = np.hypot(dx - s * u[0], dy - s * u[1])
        radius = np.float32(core.radius_a) + s * np.float32(core.radius_b - core.radius_a)
        soft = np.float32(soft_a) + s * np.float32(soft_b - soft_a)
        part = np.clip((radius + soft - away) / (2.0 * soft), 0.0, 1.0)
        part = part * part * (3.0 - 2.0 * part) * np.minimum(1.0, 1.6 * radius / soft)
        block = shade[inside]
        block[...] = 1.0 - (1.0 - block) * (1.0 - np.float32(0.8) * part)
    return shade
