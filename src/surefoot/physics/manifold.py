"""States live on a manifold: quaternions have four numbers and three directions.

    difference(integrate(x, dx), x) == dx,        x = (qpos, qvel) with nq + nv numbers, dx with 2 nv

A rotation integrates in its own frame, q exp(dx), as MuJoCo's velocities do. Batched over any leading shape.
"""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.motion import quaternion

Array = NDArray[np.float64]
Indices = NDArray[np.int64]


def integrate(model: mujoco.MjModel, qpos: ArrayLike, step: ArrayLike) -> Array:
    """Poses (..., nq) moved by steps (..., nv)."""
    qpos, step = np.asarray(qpos, dtype=float), np.asarray(step, dtype=float)
    out = np.array(np.broadcast_to(qpos, (*np.broadcast_shapes(qpos.shape[:-1], step.shape[:-1]), model.nq)))
    (q, v), (turned, turn) = _parts(model)
    out[..., q] += step[..., v]
    out[..., turned] = quaternion.multiply(out[..., turned], quaternion.exp(step[..., turn]))
    return out


def difference(model: mujoco.MjModel, after: ArrayLike, before: ArrayLike) -> Array:
    """The step (..., nv) that leads from poses `before` (..., nq) to `after` (..., nq)."""
    after, before = np.asarray(after, dtype=float), np.asarray(before, dtype=float)
    out = np.empty((*np.broadcast_shapes(after.shape[:-1], before.shape[:-1]), model.nv))
    (q, v), (turned, turn) = _parts(model)
    out[..., v] = after[..., q] - before[..., q]
    out[..., turn] = quaternion.log(quaternion.multiply(quaternion.conjugate(before[..., turned]), after[..., turned]))
    return out


def off_unit(model: mujoco.MjModel, qpos: ArrayLike) -> float:
    """How far the lengths of any quaternions in poses (..., nq) are from 1."""
    turned = _parts(model)[1][0]
    lengths = np.linalg.norm(np.asarray(qpos, dtype=float)[..., turned], axis=-1)
    return float(np.abs(lengths - 1.0).max(initial=0.0))


def _parts(model: mujoco.MjModel) -> tuple[tuple[Indices, Indices], tuple[Indices, Indices]]:
    """Addresses in qpos and in qvel: of straight coordinates (n,) both, and of quaternions (m, 4) and their directions (m, 3)."""
    kind, kinds = model.jnt_type, mujoco.mjtJoint
    free, ball = kind == kinds.mjJNT_FREE, kind == kinds.mjJNT_BALL
    single = ~(free | ball)
    q, v = model.jnt_qposadr.astype(np.int64), model.jnt_dofadr.astype(np.int64)
    three, four = np.arange(3), np.arange(4)
    straight = tuple(np.concatenate([(address[free][:, None] + three).ravel(), address[single]]) for address in (q, v))
    turned = np.concatenate([q[free] + 3, q[ball]])[:, None] + four
    turn = np.concatenate([v[free] + 3, v[ball]])[:, None] + three
    return (straight[0], straight[1]), (turned, turn)
