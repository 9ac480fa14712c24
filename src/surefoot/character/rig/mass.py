"""Masses from the space that shapes fill: where several bodies overlap, each gets its part of it.

    m_b = density * sum over shapes s of b:  V_s * mean over points x in s of 1 / (number of shapes that contain x)

so that a trunk of many short bodies weighs what one long body of its outline weighs (Wide band 4.1 takes each capsule's whole volume).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from surefoot.character.blueprint import Shape
from surefoot.motion import quaternion

Array = NDArray[np.float64]

SAMPLES = 160


def shared_volumes(shapes: list[list[Shape]], positions: Array, rotations: Array) -> list[list[float]]:
    """Volume [m^3] of every shape of every body, overlaps shared; bodies stand at `positions` (B, 3) and `rotations` (B, 4)."""
    flat = [(b, shape) for b, own in enumerate(shapes) for shape in own]
    if not flat:
        return [[] for _ in shapes]
    owners = [b for b, _ in flat]
    turned = quaternion.multiply(rotations[owners], np.stack([s.rotation for _, s in flat]))
    centers = positions[owners] + quaternion.rotate(rotations[owners], np.stack([s.center for _, s in flat]))
    clouds = np.stack([_inside(s) for _, s in flat])  # (S, P, 3) in the shapes' frames
    world = centers[:, None] + quaternion.rotate(turned[:, None], clouds)
    reach = np.array([_reach(s) for _, s in flat])
    near = np.linalg.norm(centers[:, None] - centers[None], axis=-1) < reach[:, None] + reach[None]
    volumes = []
    for i, (_, shape) in enumerate(flat):
        count = np.ones(SAMPLES)
        for k in np.flatnonzero(near[i]):
            if k != i:
                count += _contains(flat[k][1], quaternion.rotate(quaternion.conjugate(turned[k]), world[i] - centers[k]))
        volumes.append(shape.volume * float(np.mean(1.0 / count)))
    out: list[list[float]] = [[] for _ in shapes]
    for owner, volume in zip(owners, volumes, strict=True):
        out[owner].append(volume)
    return out


def _inside(shape: Shape) -> Array:
    """SAMPLES points (P, 3) spread evenly through a shape: a fixed sequence, so that the same rig gives the same bytes."""
    u = (np.arange(SAMPLES)[:, None] * np.array([0.8191725133961645, 0.6710436067037893, 0.5497004779019703]) + 0.5) % 1.0
    if shape.kind == "box":
        return (2.0 * u - 1.0) * np.asarray(shape.size)
    radius, half = shape.size[0], shape.size[1] if shape.kind == "capsule" else 0.0
    # Height by its share of the volume (ball ends, then the cylinder), then a disc of the radius there.
    grid = np.linspace(-half - radius, half + radius, 401)
    beyond = np.maximum(np.abs(grid) - half, 0.0)
    rim = np.sqrt(np.maximum(radius**2 - beyond**2, 0.0))
    share = np.concatenate([[0.0], np.cumsum(0.5 * (rim[1:] ** 2 + rim[:-1] ** 2))])
    height = np.interp(u[:, 0], share / share[-1], grid)
    across = np.sqrt(u[:, 1]) * np.interp(height, grid, rim)
    angle = 2.0 * np.pi * u[:, 2]
    return np.stack([across * np.cos(angle), across * np.sin(angle), height], axis=-1)


def _contains(shape: Shape, points: Array) -> NDArray[np.bool_]:
    if shape.kind == "box":
        return np.asarray(np.all(np.abs(points) <= np.asarray(shape.size), axis=-1))
    half = shape.size[1] if shape.kind == "capsule" else 0.0
    off = points.copy()
    off[:, 2] -= np.clip(off[:, 2], -half, half)
    return np.asarray(np.sum(off**2, axis=-1) <= shape.size[0] ** 2)


def _reach(shape: Shape) -> float:
    return float(np.linalg.norm(shape.size)) if shape.kind == "box" else float(sum(shape.size))
