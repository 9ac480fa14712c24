"""Vectors and unit quaternions (w first) for any array library that keeps the array API.

Every function works component by component with elementwise operations only, in a fixed order: a row's result has the same bits
whatever the number of rows beside it, which a matrix product does not promise.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from surefoot.errors import missing_extra


def array_namespace(array: Any) -> Any:
    """The module whose functions work on `array`: NumPy's for NumPy arrays, and so on."""
    if hasattr(array, "__array_namespace__"):
        return array.__array_namespace__()
    try:
        compat = import_module("array_api_compat")
    except ImportError:
        raise missing_extra(f"array support for {type(array).__module__}", "pip install array-api-compat") from None
    return compat.array_namespace(array)


def like(values: Any, array: Any) -> Any:
    """`values` as an array of the library, kind of number and device of `array`."""
    return array_namespace(array).asarray(values, dtype=array.dtype, device=array.device)


def rows(array: Any, indices: Sequence[int]) -> Any:
    """Some of the vectors (..., n, k) of an array (..., B, k)."""
    xp = array_namespace(array)
    return xp.take(array, xp.asarray([int(i) for i in indices], device=array.device), axis=-2)


def sign(values: Any) -> Any:
    """-1 for numbers below zero, else 1."""
    xp = array_namespace(values)
    return xp.where(values < 0.0, -1.0, xp.ones_like(values))


def cross(a: Any, b: Any) -> Any:
    """The cross product of vectors (..., 3), which broadcast."""
    xp = array_namespace(a)
    ax, ay, az = a[..., 0], a[..., 1], a[..., 2]
    bx, by, bz = b[..., 0], b[..., 1], b[..., 2]
    return xp.stack([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx], axis=-1)


def multiply(a: Any, b: Any) -> Any:
    """The product of quaternions (..., 4): first rotate by b, then by a."""
    xp = array_namespace(a)
    aw, ax, ay, az = a[..., 0], a[..., 1], a[..., 2], a[..., 3]
    bw, bx, by, bz = b[..., 0], b[..., 1], b[..., 2], b[..., 3]
    return xp.stack(
        [
            aw * bw - ax * bx - ay * by - az * bz,
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
        ],
        axis=-1,
    )


def conjugate(q: Any) -> Any:
    """The inverse rotations (..., 4)."""
    return array_namespace(q).concat([q[..., :1], -q[..., 1:]], axis=-1)


def rotate(q: Any, v: Any) -> Any:
    """Vectors v (..., 3) rotated by q (..., 4)."""
    t = 2.0 * cross(q[..., 1:], v)
    return v + q[..., :1] * t + cross(q[..., 1:], t)


def norm(v: Any) -> Any:
    """Lengths (...) of vectors (..., n), components added in order."""
    total = v[..., 0] * v[..., 0]
    for i in range(1, v.shape[-1]):
        total = total + v[..., i] * v[..., i]
    return array_namespace(v).sqrt(total)


def log(q: Any) -> Any:
    """Rotation vectors (..., 3) [rad] of length at most pi."""
    xp = array_namespace(q)
    sine = norm(q[..., 1:])[..., None]
    angle = 2.0 * xp.atan2(sine, xp.abs(q[..., :1]))
    small = sine < 1e-12
    return q[..., 1:] * (sign(q[..., :1]) * xp.where(small, 2.0, angle / xp.where(small, 1.0, sine)))


def nearest(vectors: Any, near: Any) -> Any:
    """Rotation vectors (..., 3) of the same rotations, whole turns away, each the one nearest to `near` (..., 3)."""
    xp = array_namespace(vectors)
    angle = norm(vectors)[..., None]
    small = angle < 1e-9
    axis = vectors / xp.where(small, 1.0, angle)
    along = (near[..., 0] * axis[..., 0] + near[..., 1] * axis[..., 1] + near[..., 2] * axis[..., 2])[..., None]
    turns = xp.where(small, 0.0, xp.round((along - angle) / (2.0 * xp.pi)))
    return vectors + (2.0 * xp.pi) * turns * axis
