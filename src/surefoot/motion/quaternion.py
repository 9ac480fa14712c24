"""Unit quaternions as arrays, w first: the algebra that motions are made of.

All functions take arrays of shape (..., 4) (or vectors (..., 3)) and broadcast. A rotation vector is the exponential
map: its direction is the axis, its length the angle [rad].

    rotate(multiply(a, b), v) == rotate(a, rotate(b, v))
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

IDENTITY: Array = np.array([1.0, 0.0, 0.0, 0.0])
IDENTITY.flags.writeable = False


def multiply(a: ArrayLike, b: ArrayLike) -> Array:
    """The product a b: first rotate by b, then by a."""
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    aw, ax, ay, az = a[..., 0], a[..., 1], a[..., 2], a[..., 3]
    bw, bx, by, bz = b[..., 0], b[..., 1], b[..., 2], b[..., 3]
    w = aw * bw - ax * bx - ay * by - az * bz
    out = np.empty((*w.shape, 4))  # filled in place: much is multiplied in small pieces
    out[..., 0] = w
    out[..., 1] = aw * bx + ax * bw + ay * bz - az * by
    out[..., 2] = aw * by - ax * bz + ay * bw + az * bx
    out[..., 3] = aw * bz + ax * by - ay * bx + az * bw
    return out


def cross(a: Array, b: Array) -> Array:
    """The vector product (..., 3): what np.cross gives, several times as fast on short arrays."""
    ax, ay, az, bx, by, bz = a[..., 0], a[..., 1], a[..., 2], b[..., 0], b[..., 1], b[..., 2]
    x = ay * bz - az * by
    out = np.empty((*x.shape, 3))
    out[..., 0], out[..., 1], out[..., 2] = x, az * bx - ax * bz, ax * by - ay * bx
    return out


def conjugate(q: ArrayLike) -> Array:
    """The inverse rotation of a unit quaternion."""
    return np.asarray(q, dtype=float) * np.array([1.0, -1.0, -1.0, -1.0])


def rotate(q: ArrayLike, v: ArrayLike) -> Array:
    """Rotate the vectors v (..., 3) by q (..., 4)."""
    q, v = np.asarray(q, dtype=float), np.asarray(v, dtype=float)
    w, u = q[..., :1], q[..., 1:]
    t = 2.0 * cross(u, v)
    return v + w * t + cross(u, t)


def normalize(q: ArrayLike) -> Array:
    """q at unit length; a zero quaternion becomes the identity."""
    q = np.asarray(q, dtype=float)
    biggest = np.max(np.abs(q), axis=-1, keepdims=True)  # scaled first: the square of 1e200 is infinite
    q = q / np.where(biggest == 0.0, 1.0, biggest)
    norm = np.linalg.norm(q, axis=-1, keepdims=True)
    return np.where(norm == 0.0, IDENTITY, q / np.where(norm == 0.0, 1.0, norm))


def exp(rotation_vector: ArrayLike) -> Array:
    """The quaternion of a rotation vector (..., 3) [rad]."""
    v = np.asarray(rotation_vector, dtype=float)
    half = 0.5 * np.linalg.norm(v, axis=-1, keepdims=True)
    # np.sinc(x) = sin(pi x) / (pi x) is smooth through zero.
    return np.concatenate([np.cos(half), 0.5 * v * np.sinc(half / np.pi)], axis=-1)


def log(q: ArrayLike) -> Array:
    """The rotation vector (..., 3) [rad] of q, of length at most pi."""
    q = np.asarray(q, dtype=float)
    q = np.where(q[..., :1] < 0.0, -q, q)
    sine = np.linalg.norm(q[..., 1:], axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(sine, q[..., :1])
    small = sine < 1e-12
    return q[..., 1:] * np.where(small, 2.0, angle / np.where(small, 1.0, sine))


def angle(q: ArrayLike) -> Array:
    """The full rotation angle [rad] in [0, pi]."""
    q = np.asarray(q, dtype=float)
    return 2.0 * np.arctan2(np.linalg.norm(q[..., 1:], axis=-1), np.abs(q[..., 0]))


def about(axis: ArrayLike, radians: ArrayLike) -> Array:
    """The rotation by `radians` (...) about `axis` (..., 3), which need not have unit length."""
    axis = np.asarray(axis, dtype=float)
    axis = axis / np.linalg.norm(axis, axis=-1, keepdims=True)
    return exp(axis * np.asarray(radians, dtype=float)[..., None])


def between(a: ArrayLike, b: ArrayLike) -> Array:
    """The shortest rotation that turns direction a (..., 3) into direction b (..., 3)."""
    one, two = np.broadcast_arrays(np.asarray(a, dtype=float), np.asarray(b, dtype=float))
    one = one / np.maximum(np.linalg.norm(one, axis=-1, keepdims=True), 1e-300)
    two = two / np.maximum(np.linalg.norm(two, axis=-1, keepdims=True), 1e-300)
    w = 0.5 * np.sum((one + two) ** 2, axis=-1, keepdims=True)  # 1 + cos, exact near half a turn too
    q = np.concatenate([w, np.cross(one, two)], axis=-1)
    # Opposite directions: any axis at right angles to the first will do.
    helper = np.where(np.abs(one[..., :1]) < 0.9, [1.0, 0.0, 0.0], [0.0, 1.0, 0.0])
    flip = np.concatenate([np.zeros_like(w), np.cross(one, helper)], axis=-1)
    return normalize(np.where(w < 1e-16, flip, q))


def slerp(a: ArrayLike, b: ArrayLike, t: ArrayLike) -> Array:
    """Spherical interpolation along the shorter arc, t (...) in [0, 1]."""
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    return multiply(a, exp(log(multiply(conjugate(a), b)) * np.asarray(t, dtype=float)[..., None]))


def continuous(q: ArrayLike) -> Array:
    """Flip signs along axis 0 so that neighbours in time lie in the same hemisphere."""
    q = np.array(q, dtype=float)
    if len(q) > 1:
        flips = np.sum(q[1:] * q[:-1], axis=-1) < 0.0
        odd = np.cumsum(flips, axis=0) % 2 == 1
        q[1:][odd] *= -1.0
    return q


def mean(q: ArrayLike, axis: int = 0) -> Array:
    """The mean rotation: the eigenvector of the largest eigenvalue of the sum of q q^T (Markley 2007)."""
    q = np.moveaxis(np.asarray(q, dtype=float), axis, 0)
    outer = np.einsum("t...i,t...j->...ij", q, q)
    best = np.linalg.eigh(outer)[1][..., -1]
    return np.where(best[..., :1] < 0.0, -best, best)


def swing_twist(q: ArrayLike, axis: ArrayLike) -> tuple[Array, Array]:
    """Split q = swing * twist, the twist about `axis` (..., 3). Singular when q is half a turn of swing."""
    q, axis = np.asarray(q, dtype=float), np.asarray(axis, dtype=float)
    along = np.sum(q[..., 1:] * axis, axis=-1, keepdims=True)
    twist = normalize(np.concatenate([q[..., :1], along * axis], axis=-1))
    return multiply(q, conjugate(twist)), twist


def from_matrix(matrix: ArrayLike) -> Array:
    """The quaternion of rotation matrices (..., 3, 3)."""
    m = np.asarray(matrix, dtype=float)
    xx, yy, zz = m[..., 0, 0], m[..., 1, 1], m[..., 2, 2]
    # Four ways to write the same quaternion; take the one with the largest divisor.
    ways = np.stack(
        [
            np.stack([1 + xx + yy + zz, m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0], m[..., 1, 0] - m[..., 0, 1]], -1),
            np.stack([m[..., 2, 1] - m[..., 1, 2], 1 + xx - yy - zz, m[..., 0, 1] + m[..., 1, 0], m[..., 0, 2] + m[..., 2, 0]], -1),
            np.stack([m[..., 0, 2] - m[..., 2, 0], m[..., 0, 1] + m[..., 1, 0], 1 - xx + yy - zz, m[..., 1, 2] + m[..., 2, 1]], -1),
            np.stack([m[..., 1, 0] - m[..., 0, 1], m[..., 0, 2] + m[..., 2, 0], m[..., 1, 2] + m[..., 2, 1], 1 - xx - yy + zz], -1),
        ],
        axis=-2,
    )
    pick = np.argmax(np.stack([xx + yy + zz, xx - yy - zz, yy - xx - zz, zz - xx - yy], -1), axis=-1)
    q = np.take_along_axis(ways, pick[..., None, None], axis=-2)[..., 0, :]
    q = normalize(q)
    return np.where(q[..., :1] < 0.0, -q, q)


def to_matrix(q: ArrayLike) -> Array:
    """The rotation matrices (..., 3, 3) of q."""
    q = np.asarray(q, dtype=float)
    w, x, y, z = q[..., 0], q[..., 1], q[..., 2], q[..., 3]
    out = np.empty((*q.shape[:-1], 3, 3))
    out[..., 0, 0], out[..., 0, 1], out[..., 0, 2] = 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)
    out[..., 1, 0], out[..., 1, 1], out[..., 1, 2] = 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)
    out[..., 2, 0], out[..., 2, 1], out[..., 2, 2] = 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)
    return out


def from_euler(order: str, degrees: ArrayLike) -> Array:
    """Intrinsic Euler angles, degrees (..., len(order)), e.g. order "ZYX": R = Rz Ry Rx, as BVH multiplies its channels."""
    degrees = np.asarray(degrees, dtype=float)
    q = np.broadcast_to(IDENTITY, (*degrees.shape[:-1], 4))
    for i, letter in enumerate(order):
        half = np.radians(degrees[..., i]) * 0.5
        step = np.zeros((*half.shape, 4))
        step[..., 0] = np.cos(half)
        step[..., 1 + "XYZ".index(letter)] = np.sin(half)
        q = multiply(q, step)
    return np.array(q)
