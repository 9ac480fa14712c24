"""Shapes from points: capsules along bones, boxes that can stand."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.character.blueprint import Shape
from surefoot.motion import quaternion

Array = NDArray[np.float64]


def capsule(start: ArrayLike, end: ArrayLike, radius: float) -> Shape:
    """A capsule whose round ends reach `start` and `end`; a sphere when it would be shorter than wide."""
    start, end = np.asarray(start, dtype=float), np.asarray(end, dtype=float)
    length = float(np.linalg.norm(end - start))
    center = 0.5 * (start + end)
    half = 0.5 * length - radius
    if half <= 1e-6 * radius:
        return sphere(center, radius)
    return Shape(kind="capsule", center=center, rotation=quaternion.between([0.0, 0.0, 1.0], end - start), size=(radius, half))


def sphere(center: ArrayLike, radius: float) -> Shape:
    """A ball."""
    return Shape(kind="sphere", center=np.asarray(center, dtype=float), rotation=quaternion.IDENTITY, size=(radius,))


def box(center: ArrayLike, rotation: ArrayLike, half_sides: tuple[float, float, float]) -> Shape:
    """A box."""
    return Shape(kind="box", center=np.asarray(center, dtype=float), rotation=np.asarray(rotation, dtype=float), size=half_sides)


def support(shape: Shape, direction: ArrayLike) -> float:
    """How far the shape reaches along the unit vector `direction`, in the body's frame [m]."""
    direction = np.asarray(direction, dtype=float)
    local = quaternion.rotate(quaternion.conjugate(shape.rotation), direction)
    base = float(np.dot(shape.center, direction))
    if shape.kind == "sphere":
        return base + shape.size[0]
    if shape.kind == "capsule":
        return base + shape.size[0] + shape.size[1] * abs(float(local[2]))
    return base + float(np.dot(np.abs(local), shape.size))
