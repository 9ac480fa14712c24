"""A skinned surface for a skeleton of our own: every limb of its clothes becomes a round cone of triangles.

A corner near a limb's start follows the parent joint by half, and by less further along, so that bends stay round:

    share of the joint = 1/2 + 1/2 min(1, s / 0.35)        s along the limb from its start, 0 to 1
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from surefoot.clothing import Limb, clothe
from surefoot.motion import quaternion
from surefoot.motion.gltf_write import Body
from surefoot.motion.skeleton import Skeleton

Array = NDArray[np.float64]
Colour = tuple[float, float, float]
Ball = tuple[str, tuple[float, float, float], float, Colour]

AROUND, CAP = 14, 4
"""Corners around a limb, and rings on each of its round ends."""
SOFT = 0.35


@dataclass(frozen=True, kw_only=True)
class Look:
    """Colours, linear in [0, 1], and what the clothes do not say."""

    middle: Colour
    left: Colour
    right: Colour
    girth: Mapping[str, float] = field(default_factory=dict)
    """How much thicker than its clothes a limb is, by kind of joint: "hip" stands for both hips."""
    balls: tuple[Ball, ...] = ()
    """Balls on top: joint, place at rest [m], radius [m], colour."""


def surface(skeleton: Skeleton, look: Look) -> Body:
    """The skin of a skeleton."""
    positions, world = skeleton.rest
    tints = (look.middle, look.left, look.right)  # side -1 is the last
    limbs = [(_thicker(limb, skeleton.names[limb.joint], look.girth), tints[limb.side]) for limb in clothe(skeleton)]
    for name, place, radius, colour in look.balls:
        j = skeleton.index(name)
        centre = quaternion.rotate(quaternion.conjugate(world[j]), np.array(place) - positions[j])
        limbs.append((Limb(joint=j, start=centre, end=centre, radius_start=radius, radius_end=radius, side=0), colour))
    parts = [(limb, colour, *_cone(limb)) for limb, colour in limbs]
    counts = [len(points) for _, _, points, _, _ in parts]
    joints = np.zeros((sum(counts), 4), dtype=np.int64)
    weights = np.zeros((sum(counts), 4))
    corners, normals, colours, triangles = [], [], [], []
    first = 0
    for limb, colour, points, outward, along in parts:
        rows = slice(first, first + len(points))
        j, parent = limb.joint, int(skeleton.parents[limb.joint])
        soft = parent >= 0 and not np.any(limb.start) and np.any(limb.end)
        share = 0.5 + 0.5 * np.clip(along / SOFT, 0.0, 1.0) if soft else np.ones(len(points))
        joints[rows, 0], weights[rows, 0] = j, share
        joints[rows, 1], weights[rows, 1] = np.where(share < 1.0, parent, 0), 1.0 - share
        corners.append(positions[j] + quaternion.rotate(world[j], points))
        normals.append(quaternion.rotate(world[j], outward))
        colours.append(np.tile([*colour, 1.0], (len(points), 1)))
        triangles.append(first + _triangles(len(points) // AROUND))
        first += len(points)
    return Body(
        points=np.concatenate(corners),
        normals=np.concatenate(normals),
        colours=np.concatenate(colours),
        joints=joints,
        weights=weights,
        triangles=np.concatenate(triangles),
    )


def _thicker(limb: Limb, name: str, girth: Mapping[str, float]) -> Limb:
    factor = girth.get(name.removeprefix("left_").removeprefix("right_"), 1.0)
    return replace(limb, radius_start=factor * limb.radius_start, radius_end=factor * limb.radius_end)


def _cone(limb: Limb) -> tuple[Array, Array, Array]:
    """Corners (N, 3) of a round cone ring by ring, their normals (N, 3), and where along it they lie (N,)."""
    axis = limb.end - limb.start
    length = float(np.linalg.norm(axis))
    axis = axis / length if length > 0.0 else np.array([0.0, 0.0, 1.0])
    side = np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
    side = side / np.linalg.norm(side)
    turns = np.linspace(0.0, 2.0 * np.pi, AROUND, endpoint=False)
    spokes = np.cos(turns)[:, None] * side + np.sin(turns)[:, None] * np.cross(axis, side)
    # Where the cone leaves its balls, its normal leans by this angle from the spoke.
    lean = float(np.arcsin(np.clip((limb.radius_start - limb.radius_end) / length, -0.95, 0.95))) if length > 0.0 else 0.0
    rings: list[tuple[float, Array, float, float]] = []  # along, centre, radius, angle of the normal above the spoke
    for angle in np.linspace(-0.5 * np.pi, lean, CAP + 1):
        rings.append((0.0, limb.start, limb.radius_start, float(angle)))
    for s in (0.5 * SOFT, SOFT, 0.7):
        centre = limb.start + s * (limb.end - limb.start)
        rings.append((s, centre, limb.radius_start + s * (limb.radius_end - limb.radius_start), lean))
    for angle in np.linspace(lean, 0.5 * np.pi, CAP + 1):
        rings.append((1.0, limb.end, limb.radius_end, float(angle)))
    normals = np.concatenate([np.cos(angle) * spokes + np.sin(angle) * axis for _, _, _, angle in rings])
    centres = np.repeat([centre for _, centre, _, _ in rings], AROUND, axis=0)
    radii = np.repeat([radius for _, _, radius, _ in rings], AROUND)
    return centres + radii[:, None] * normals, normals, np.repeat([s for s, _, _, _ in rings], AROUND)


def _triangles(rings: int) -> NDArray[np.int64]:
    """Two triangles (F, 3) between each pair of neighbours on each pair of rings, anticlockwise from outside."""
    ring, spoke = np.meshgrid(np.arange(rings - 1), np.arange(AROUND), indexing="ij")
    a, b = ring * AROUND + spoke, ring * AROUND + (spoke + 1) % AROUND
    c, d = a + AROUND, b + AROUND
    return np.concatenate([np.stack([a, b, d], -1).reshape(-1, 3), np.stack([a, d, c], -1).reshape(-1, 3)])
