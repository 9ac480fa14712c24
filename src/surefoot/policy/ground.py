"""How high bodies are above the ground below them.

    gap_g = min over geom g of z  -  height of the ground under that point

Computed from poses alone, so that simulations of any engine, recordings and references are measured alike. N rows, B bodies, G geoms.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.character.character import Character
from surefoot.motion import quaternion
from surefoot.physics.engine import Engine
from surefoot.physics.scene import Platform, Scene

Array = NDArray[np.float64]

PERSON = 1.7
"""Lengths of the rules are for this height [m]."""
SLACK = 0.005
"""On ground that is not level a body touches within this [m], for 1.7 m: gaps are measured straight down, not across the slope."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Surface:
    """The shapes of a character that can touch something."""

    body: NDArray[np.int64]  # (G,)
    """Index of the skeleton joint that each belongs to."""
    centre: Array  # (G, 3)
    """In the body's frame."""
    axes: Array  # (G, 3, 3)
    """The geom's frame in the body's."""
    box: Array  # (G, 3)
    """Half sides of the box, or half length of the capsule or cylinder, inside each shape; zero for others."""
    disc: Array  # (G,)
    """Radius of the cylinder's discs."""
    ellipsoid: Array  # (G, 3)
    ball: Array  # (G,)
    """Radius of the sphere that is swept over the rest."""

    def __getitem__(self, chosen: Any) -> Surface:
        """Some of the shapes."""
        return Surface(**{name: array[chosen] for name, array in vars(self).items()})


def size(character: Character) -> float:
    """By what lengths of the rules are multiplied."""
    return character.height / PERSON


def surface(character: Character) -> Surface:
    """The shapes of a character. Meshes count as the boxes around them."""
    model, kinds = character.model, mujoco.mjtGeom
    index = {int(body): joint for joint, body in enumerate(character.body_ids)}
    chosen = [g for g in range(model.ngeom) if int(model.geom_bodyid[g]) in index and (model.geom_contype[g] or model.geom_conaffinity[g])]
    num = len(chosen)
    box, ellipsoid, disc, ball = np.zeros((num, 3)), np.zeros((num, 3)), np.zeros(num), np.zeros(num)
    centre, axes = np.zeros((num, 3)), np.zeros((num, 3, 3))
    for i, g in enumerate(chosen):
        kind, extent = int(model.geom_type[g]), model.geom_size[g]
        centre[i] = model.geom_pos[g]
        axes[i] = quaternion.to_matrix(model.geom_quat[g])
        if kind in (kinds.mjGEOM_SPHERE, kinds.mjGEOM_CAPSULE):
            ball[i] = extent[0]
            box[i, 2] = extent[1] if kind == kinds.mjGEOM_CAPSULE else 0.0
        elif kind == kinds.mjGEOM_CYLINDER:
            disc[i], box[i, 2] = extent[0], extent[1]
        elif kind == kinds.mjGEOM_ELLIPSOID:
            ellipsoid[i] = extent
        else:
            centre[i] = centre[i] + axes[i] @ model.geom_aabb[g, :3]
            box[i] = model.geom_aabb[g, 3:]
    bodies = np.array([index[int(model.geom_bodyid[g])] for g in chosen], dtype=np.int64)
    return Surface(body=bodies, centre=centre, axes=axes, box=box, disc=disc, ellipsoid=ellipsoid, ball=ball)


def undersides(shapes: Surface, position: Any, rotation: Any) -> Array:
    """The lowest point (..., G, 3) of every shape, given the bodies' positions (..., B, 3) and rotations (..., B, 4)."""
    at, turn = np.asarray(position)[..., shapes.body, :], np.asarray(rotation)[..., shapes.body, :]
    d = np.einsum("gji,...gj->...gi", shapes.axes, _down(turn))
    point = np.sign(d) * shapes.box + shapes.ball[:, None] * d
    across = np.sqrt(d[..., 0] ** 2 + d[..., 1] ** 2)
    point[..., :2] += (shapes.disc / np.where(across > 1e-12, across, np.inf))[..., None] * d[..., :2]
    scaled = shapes.ellipsoid * d
    length = np.sqrt(np.sum(scaled * scaled, axis=-1, keepdims=True))
    point += shapes.ellipsoid * scaled / np.where(length > 1e-12, length, np.inf)
    local = shapes.centre + np.einsum("gij,...gj->...gi", shapes.axes, point)
    return np.asarray(at + quaternion.rotate(turn, local))


def lows(shapes: Surface, position: Any, rotation: Any) -> Array:
    """The height (..., G) alone of every shape's lowest point, at a third of the price."""
    high, turn = np.asarray(position)[..., shapes.body, 2], np.asarray(rotation)[..., shapes.body, :]
    down = _down(turn)
    d = np.einsum("gji,...gj->...gi", shapes.axes, down)
    reach = np.einsum("...gi,gi->...g", down, shapes.centre) + np.einsum("...gi,gi->...g", np.abs(d), shapes.box) + shapes.ball
    if shapes.disc.any():
        reach = reach + shapes.disc * np.sqrt(d[..., 0] ** 2 + d[..., 1] ** 2)
    if shapes.ellipsoid.any():
        reach = reach + np.sqrt(np.sum((shapes.ellipsoid * d) ** 2, axis=-1))
    return np.asarray(high - reach)


def _down(turn: Array) -> Array:
    """The world's downward direction (..., 3) in frames turned by (..., 4)."""
    w, x, y, z = (turn[..., i] for i in range(4))
    return -np.stack([2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)], axis=-1)


def is_level(scene: Scene) -> bool:
    """Whether the ground is the plane z = 0 and nothing else."""
    return (
        scene.ground.kind == "flat" and not scene.obstacles and not scene.lowered and not any(isinstance(p, Platform) for p in scene.props)
    )


def height(scene: Scene, points: ArrayLike) -> Array:
    """Height (...) [m] of ground, obstacles and platforms at rest under points (..., 2 or more); NaN under NaN."""
    points = np.asarray(points, dtype=float)
    if is_level(scene):
        return np.zeros(points.shape[:-1]) + 0.0 * points[..., 0]
    good = np.isfinite(points[..., :2]).all(axis=-1)
    out = np.asarray(scene.height(np.where(good[..., None], points[..., :2], 0.0)))
    for prop in scene.props:
        if isinstance(prop, Platform):
            side, top = np.asarray(prop.size) / 2.0, prop.position[2] + prop.size[2] / 2.0
            over = (np.abs(points[..., :2] - np.asarray(prop.position[:2])) <= side[:2]).all(axis=-1)
            out = np.where(over, np.maximum(out, top), out)
    return np.where(good, out, np.nan)


def under(engine: Engine, points: ArrayLike, sims: Any = None) -> Array:
    """Height (M,) [m] of the ground under points (M, 2 or more) of simulations `sims` (M,), by default all, each in its own scene."""
    if engine.scenes is None:
        return height(engine.scene, points)
    points = np.asarray(points, dtype=float)
    which = np.arange(len(points)) if sims is None else np.asarray(sims)
    mine = [engine.scenes[i] for i in which.tolist()]
    out = np.zeros(len(points))
    for scene in dict.fromkeys(mine):
        here = np.array([one is scene or one == scene for one in mine])
        out[here] = height(scene, points[here])
    return out


def gaps(shapes: Surface, scene: Scene, position: Any, rotation: Any) -> Array:
    """How far every shape is above the ground below it (..., G) [m]; negative where it sinks in."""
    if is_level(scene):
        return lows(shapes, position, rotation)
    points = undersides(shapes, position, rotation)
    return np.asarray(points[..., 2] - height(scene, points))


def touching(scene: Scene, scale: float) -> float:
    """The gap [m] at which a shape of a character of that height over 1.7 m touches the ground."""
    return 0.0 if is_level(scene) else SLACK * scale
