"""Grounds to stand on: flat, slope, steps, a drop, bumps. Each is a value that lays itself into a MuJoCo model.

The clip's own ground is z = 0 around the origin; what differs lies ahead of it. Metres, degrees, Z up, x forward.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot.motion import quaternion

Array = NDArray[np.float64]

FLOOR = "floor"
FAR = 50.0
"""Half length of boxes that stand for a half plane [m]."""


@dataclass(frozen=True, kw_only=True)
class Flat:
    """The plane z = 0."""

    kind: Literal["flat"] = "flat"

    def lay(self, spec: mujoco.MjSpec) -> None:
        """Nothing to add: the plane is there."""


@dataclass(frozen=True, kw_only=True)
class Slope:
    """A plane through the origin that rises along a heading."""

    kind: Literal["slope"] = "slope"
    degrees: float = 5.0
    """Positive climbs."""
    heading: float = 0.0
    """Direction of the climb, anticlockwise from x [degrees]."""

    def lay(self, spec: mujoco.MjSpec) -> None:
        """Tilt the plane."""
        toward = np.radians(self.heading)
        axis = np.array([np.sin(toward), -np.cos(toward), 0.0])
        floor(spec).quat = quaternion.about(axis, np.radians(self.degrees))


@dataclass(frozen=True, kw_only=True)
class Steps:
    """Stairs that begin ahead of the origin and end on a landing."""

    kind: Literal["steps"] = "steps"
    rise: float = 0.1
    """Height of a step [m]; negative leads down."""
    depth: float = 0.4
    """[m]"""
    count: int = 5
    start: float = 1.0
    """Where the first one begins along x [m]."""
    width: float = 4.0
    """[m]"""

    def lay(self, spec: mujoco.MjSpec) -> None:
        """A box for every step; the landing is the last one, made long. Leading down, the plane lies at their foot."""
        lowest = min(0.0, self.rise * self.count)
        if lowest < 0.0:
            floor(spec).pos = [0.0, 0.0, lowest]
            block(spec, "landing", (-FAR, self.start), self.width, lowest, 0.0)
        for i in range(self.count):
            begin, top = self.start + i * self.depth, self.rise * (i + 1)
            last = i == self.count - 1
            if top > lowest:
                shade = (0.72, 0.60)[i % 2]  # from above and behind, no riser is seen that would tell two steps apart
                block(spec, f"step {i + 1}", (begin, begin + (2.0 * FAR if last else self.depth)), self.width, lowest, top, shade)


@dataclass(frozen=True, kw_only=True)
class Drop:
    """A ledge to jump or roll from: its top is the clip's ground."""

    kind: Literal["drop"] = "drop"
    height: float = 1.0
    """[m]"""
    edge: float = 0.5
    """Where the ledge ends along x [m]."""
    width: float = 4.0
    """[m]"""

    def lay(self, spec: mujoco.MjSpec) -> None:
        """Lower the plane and put the ledge on it."""
        floor(spec).pos = [0.0, 0.0, -self.height]
        block(spec, "ledge", (-FAR, self.edge), self.width, -self.height, 0.0)


@dataclass(frozen=True, kw_only=True)
class Bumps:
    """Rolling, uneven ground: a sum of waves of random direction and phase, level around the origin."""

    kind: Literal["bumps"] = "bumps"
    amplitude: float = 0.04
    """Highest point above and deepest below zero [m]."""
    wavelength: float = 1.0
    """Shortest wave [m]."""
    size: float = 10.0
    """Half side of the square [m]."""
    level: float = 0.6
    """Radius around the origin within which the ground is flat [m]."""
    seed: int = 0

    def heights(self) -> Array:
        """Heights (n, n) [m] at equal steps over the square, rows along y."""
        rng = np.random.default_rng(self.seed)
        num = int(np.clip(np.ceil(16.0 * self.size / max(self.wavelength, 1e-3)), 16, 400)) + 1
        x, y = np.meshgrid(np.linspace(-self.size, self.size, num), np.linspace(-self.size, self.size, num))
        total = np.zeros_like(x)
        for _ in range(12):
            toward, phase, scale = rng.uniform(0.0, 2.0 * np.pi), rng.uniform(0.0, 2.0 * np.pi), rng.uniform(1.0, 3.0)
            wave = 2.0 * np.pi / (max(self.wavelength, 1e-3) * scale)
            total += np.cos(wave * (np.cos(toward) * x + np.sin(toward) * y) + phase)
        away = np.clip((np.hypot(x, y) - self.level) / max(self.wavelength, 1e-6), 0.0, 1.0)
        total *= away * away * (3.0 - 2.0 * away)
        return np.asarray(total * (self.amplitude / max(np.abs(total).max(), 1e-12)))

    def lay(self, spec: mujoco.MjSpec) -> None:
        """A height field instead of the plane."""
        heights = self.heights()
        low, high = float(heights.min()), float(heights.max())
        extent = max(high - low, 1e-6)
        spec.add_hfield(
            name="bumps",
            size=[self.size, self.size, extent, 0.5],
            nrow=len(heights),
            ncol=len(heights),
            userdata=((heights - low) / extent).ravel().tolist(),
        )
        ground = floor(spec)
        ground.type = mujoco.mjtGeom.mjGEOM_HFIELD
        ground.hfieldname = "bumps"
        ground.pos = [0.0, 0.0, low]


Ground = Flat | Slope | Steps | Drop | Bumps
GROUNDS: dict[str, type[Ground]] = {"flat": Flat, "slope": Slope, "steps": Steps, "drop": Drop, "bumps": Bumps}


def floor(spec: mujoco.MjSpec) -> mujoco.MjsGeom:
    """The world's plane, added where a model has none."""
    for geom in spec.worldbody.geoms:
        if geom.type == mujoco.mjtGeom.mjGEOM_PLANE:
            return geom
    return spec.worldbody.add_geom(name=FLOOR, type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1])


def block(spec: mujoco.MjSpec, name: str, along: tuple[float, float], width: float, bottom: float, top: float, shade: float = 0.72) -> None:
    """A box that fills a stretch of x between two heights."""
    low, high = along
    spec.worldbody.add_geom(
        name=name,
        type=mujoco.mjtGeom.mjGEOM_BOX,
        pos=[0.5 * (low + high), 0.0, 0.5 * (bottom + top)],
        size=[0.5 * (high - low), 0.5 * width, 0.5 * (top - bottom)],
        rgba=[shade, shade, shade - 0.02, 1.0],
    )
