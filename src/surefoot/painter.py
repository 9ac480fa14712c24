"""A small software painter: shaded round cones with soft shadows on a checkered floor, in NumPy, no graphics card.

A round cone is the hull of two spheres: centres a and b, radii r and r + d. Sphere s of the family has centre a + s u, u = b - a, and
radius r + s d. A ray o + t w, w of unit length, touches the hull where f(t, s) = |x - s u|^2 - (r + s d)^2 = 0 and df/ds = 0, x = o + t w - a:

    s = (u.x + r d) / (u.u - d^2)          |x|^2 - r^2 - (u.x + r d)^2 / (u.u - d^2) = 0

a quadratic in t; where s leaves [0, 1] the end spheres take over. The nearest hit of all cones is kept for each pixel.
Colours are linear in [0, 1]. P pixels, N cones.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Pixels = NDArray[np.float32]

SKY_TOP = np.array([0.80, 0.86, 0.92], dtype=np.float32)
SKY_LOW = np.array([0.95, 0.96, 0.97], dtype=np.float32)
TILES = np.array([[0.80, 0.81, 0.82], [0.70, 0.72, 0.74]], dtype=np.float32)
SUN = np.array([0.35, -0.50, 0.79])
SUN /= np.linalg.norm(SUN)


@dataclass(frozen=True, kw_only=True)
class Cones:
    """Round cones to paint."""

    a: Array  # (N, 3) [m]
    b: Array  # (N, 3) [m]
    radius_a: Array  # (N,) [m]
    radius_b: Array  # (N,) [m]
    colours: Array  # (N, 3)


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
        """Size of one pixel at unit distance."""
        return self.view_height / self.height / float(np.linalg.norm(self.target - self.eye))

    def rays(self, rows: slice, columns: slice) -> Pixels:
        """Unit directions (h, w, 3) of the rays through a block of pixels."""
        right, up, forward = self.axes
        x = (np.arange(columns.start, columns.stop) + 0.5 - self.width / 2) * self.pixel
        y = (self.height / 2 - np.arange(rows.start, rows.stop) - 0.5) * self.pixel
        rays = forward + x[None, :, None] * right + y[:, None, None] * up
        return (rays / np.linalg.norm(rays, axis=-1, keepdims=True)).astype(np.float32)

    def project(self, points: Array) -> tuple[Array, Array]:
        """Pixel places (..., 2) as (column, row), and depths (...)."""
        right, up, forward = self.axes
        d = points - self.eye
        depth = np.maximum(d @ forward, 1e-3)
        return np.stack([self.width / 2 + d @ right / depth / self.pixel, self.height / 2 - d @ up / depth / self.pixel], -1), depth


def paint(cones: Cones, camera: Camera, *, floor: float = 0.0, background: Pixels | None = None, opacity: float = 1.0) -> Pixels:
    """The picture (height, width, 3): cones over a floor with their shadows, or over `background`, at an opacity."""
    picture = ground(cones, camera, floor) if background is None else background.copy()
    depth = np.full((camera.height, camera.width), np.inf, dtype=np.float32)
    colour = np.zeros((camera.height, camera.width, 3), dtype=np.float32)
    for n in range(len(cones.a)):
        _paint_one(cones, n, camera, floor, depth, colour)
    hit = np.isfinite(depth)
    colour *= _outline(depth)[..., None]
    picture[hit] += np.float32(opacity) * (colour[hit] - picture[hit])
    return picture


def _paint_one(cones: Cones, n: int, camera: Camera, floor: float, depth: Pixels, colour: Pixels) -> None:
    """Put cone n into the depth and colour buffers where it is nearest."""
    ends = np.stack([cones.a[n], cones.b[n]])
    radii = np.array([cones.radius_a[n], cones.radius_b[n]])
    places, far = camera.project(ends)
    reach = (radii / far / camera.pixel * 1.1 + 1.0)[:, None]
    low, high = np.floor((places - reach).min(0)).astype(int), np.ceil((places + reach).max(0)).astype(int)
    columns = slice(max(low[0], 0), min(high[0], camera.width))
    rows = slice(max(low[1], 0), min(high[1], camera.height))
    if columns.start >= columns.stop or rows.start >= rows.stop:
        return
    rays = camera.rays(rows, columns)
    t, normal = hit_cone(camera.eye, rays, ends[0], ends[1], float(radii[0]), float(radii[1]))
    block = depth[rows, columns]
    down = rays[..., 2] < -1e-4
    above = ~down | (t < (floor - camera.eye[2]) / np.where(down, rays[..., 2], -1.0))  # the floor hides what is below it
    near = (t < block) & above
    if not near.any():
        return
    block[near] = t[near]
    n_hit, w_hit = normal[near], rays[near]
    sun = np.clip(n_hit @ SUN.astype(np.float32), 0.0, 1.0)
    sky = 0.5 + 0.5 * n_hit[:, 2]
    height = np.clip((camera.eye[2] + t[near] * w_hit[:, 2] - floor) * 4.0, 0.0, 1.0)  # the floor takes light from what stands on it
    rim = (1.0 + np.sum(n_hit * w_hit, axis=-1)) ** 3
    half = SUN.astype(np.float32) - w_hit
    shine = np.clip(np.sum(n_hit * half, axis=-1) / np.linalg.norm(half, axis=-1), 0.0, 1.0) ** 40
    light = 0.30 + 0.62 * sun + 0.28 * sky * (0.6 + 0.4 * height)
    paintwork = cones.colours[n].astype(np.float32) * light[:, None] + (0.10 * rim + 0.16 * shine)[:, None]
    colour[rows, columns][near] = np.clip(paintwork, 0.0, 1.0)


def hit_cone(eye: Array, rays: Pixels, a: Array, b: Array, r: float, r_end: float) -> tuple[Pixels, Pixels]:
    """Distance (...) along unit rays (..., 3) from `eye` to a round cone, infinite where it is missed, and the normals (..., 3)."""
    u, x, d = b - a, eye - a, r_end - r
    hull = float(u @ u) - d * d
    along = rays @ u.astype(np.float32)
    toward = rays @ x.astype(np.float32)
    t = np.full(rays.shape[:-1], np.inf, dtype=np.float32)
    s = np.zeros_like(t)
    if hull > 1e-12:
        ux = float(u @ x) + r * d
        qa = 1.0 - along**2 / hull
        qb = toward - along * (ux / hull)
        qc = float(x @ x) - r * r - ux * ux / hull
        root = qb**2 - qa * qc
        ok = (root > 0.0) & (qa > 1e-7)
        first = (-qb - np.sqrt(np.where(ok, root, 0.0))) / np.where(ok, qa, 1.0)
        where = (ux + first * along) / hull
        ok &= (where >= 0.0) & (where <= 1.0) & (first > 0.0)
        t[ok], s[ok] = first[ok], where[ok]
    for end, (centre, radius) in enumerate(((a, r), (b, r_end))):
        o = eye - centre
        behind = rays @ o.astype(np.float32)
        root = behind**2 - (float(o @ o) - radius * radius)
        first = -behind - np.sqrt(np.maximum(root, 0.0))
        ok = (root > 0.0) & (first > 0.0) & (first < t)
        t[ok], s[ok] = first[ok], float(end)
    inside = np.where(np.isfinite(t), t, 0.0)[..., None]
    normal = x.astype(np.float32) + inside * rays - s[..., None] * u.astype(np.float32)
    return t, normal / np.maximum((r + s * d)[..., None], np.float32(1e-6))


def _outline(depth: Pixels) -> Pixels:
    """A factor (height, width) that darkens the rim of every shape and of every limb before another."""
    far = np.where(np.isfinite(depth), depth, np.float32(1e4))
    step = np.zeros_like(far)
    for axis in (0, 1):
        jump = np.diff(far, axis=axis)
        pad = [(0, 0), (0, 0)]
        pad[axis] = (0, 1)
        np.maximum(step, np.pad(jump, pad), out=step)
        pad[axis] = (1, 0)
        np.maximum(step, np.pad(-jump, pad), out=step)
    scale = np.float32(0.04)
    return 1.0 - 0.55 * np.clip(step / scale - 1.0, 0.0, 1.0)


def ground(cones: Cones, camera: Camera, floor: float) -> Pixels:
    """The checkered floor of 1 m squares, fading into the sky, with the cones' shadows (height, width, 3)."""
    rays = camera.rays(slice(0, camera.height), slice(0, camera.width))
    rise = np.linspace(1.0, 0.0, camera.height, dtype=np.float32)[:, None, None]
    sky = SKY_LOW + rise * (SKY_TOP - SKY_LOW)
    down = rays[..., 2] < -1e-4
    t = np.where(down, (floor - camera.eye[2]) / np.where(down, rays[..., 2], -1.0), 0.0).astype(np.float32)
    x, y = camera.eye[0] + t * rays[..., 0], camera.eye[1] + t * rays[..., 1]
    blur = np.clip(camera.pixel * t / np.maximum(-rays[..., 2], 0.02), 1e-4, None)  # a pixel's footprint on the floor [m]
    check = 0.5 + 0.5 * _square(x, blur) * _square(y, blur)
    tiles = TILES[0] + check[..., None] * (TILES[1] - TILES[0])
    shade = _shadow(cones, camera, floor)
    tiles = tiles * (1.0 - 0.58 * shade[..., None])
    reach = float(np.linalg.norm(camera.target - camera.eye)) + 2.0 * camera.view_height
    fade = np.where(down, np.exp(-((t / (1.6 * reach)) ** 4)), 0.0)[..., None]
    return (sky + fade * (tiles - sky)).astype(np.float32)


def _square(x: Pixels, blur: Pixels) -> Pixels:
    """A square wave of period 2 in [-1, 1], its edges as wide as `blur`."""
    edge = np.abs(np.mod(x, 1.0) - 0.5)
    sign = 1.0 - 2.0 * np.mod(np.floor(x), 2.0)
    return sign * np.clip((0.5 - edge) / blur, 0.0, 1.0)


def _shadow(cones: Cones, camera: Camera, floor: float) -> Pixels:
    """How much of the light each floor pixel loses (height, width): sharp under a planted foot, soft under what is high."""
    shade = np.zeros((camera.height, camera.width), dtype=np.float32)
    for a, b, ra, rb in zip(cones.a, cones.b, cones.radius_a, cones.radius_b, strict=True):
        fall = np.array([SUN[0], SUN[1]]) * 0.6 / SUN[2]  # a sun a little higher than the one that shades: shadows stay near the feet
        high_a, high_b = max(a[2] - floor, 0.0), max(b[2] - floor, 0.0)
        p, q = a[:2] - fall * high_a, b[:2] - fall * high_b
        soft_a, soft_b = 0.02 + 0.22 * high_a, 0.02 + 0.22 * high_b
        wide = np.array([ra + soft_a, rb + soft_b])
        corners = np.array([[c[0] + i * w, c[1] + j * w, floor] for c, w in ((p, wide[0]), (q, wide[1])) for i in (-1, 1) for j in (-1, 1)])
        places, _ = camera.project(corners)
        low, high = np.floor(places.min(0)).astype(int), np.ceil(places.max(0)).astype(int)
        columns = slice(max(low[0], 0), min(high[0], camera.width))
        rows = slice(max(low[1], 0), min(high[1], camera.height))
        if columns.start >= columns.stop or rows.start >= rows.stop:
            continue
        rays = camera.rays(rows, columns)
        t = (floor - camera.eye[2]) / np.minimum(rays[..., 2], np.float32(-1e-4))
        x, y = camera.eye[0] + t * rays[..., 0] - p[0], camera.eye[1] + t * rays[..., 1] - p[1]
        u = q - p
        s = np.clip((x * u[0] + y * u[1]) / max(float(u @ u), 1e-9), 0.0, 1.0)
        away = np.hypot(x - s * u[0], y - s * u[1])
        radius, soft = ra + s * (rb - ra), soft_a + s * (soft_b - soft_a)
        part = np.clip((radius + soft - away) / (2.0 * soft), 0.0, 1.0)
        part = part * part * (3.0 - 2.0 * part) * np.minimum(1.0, radius / soft * 1.6)
        block = shade[rows, columns]
        block[...] = 1.0 - (1.0 - block) * (1.0 - 0.8 * part)
    return shade
