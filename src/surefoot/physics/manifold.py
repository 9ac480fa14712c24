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


def integrate(model: mujoco.MjModel, qpos: ArrayLike, step: ArrayLike) -> Array:
    """Poses (..., nq) moved by steps (..., nv)."""
    qpos, step = np.asarray(qpos, dtype=float), np.asarray(step, dtype=float)
    out = np.array(np.broadcast_to(qpos, (*np.broadcast_shapes(qpos.shape[:-1], step.shape[:-1]), model.nq)))
    for kind, q, v in _joints(model):
        if kind == mujoco.mjtJoint.mjJNT_FREE:
            out[..., q : q + 3] += step[..., v : v + 3]
            q, v = q + 3, v + 3
        if kind in (mujoco.mjtJoint.mjJNT_FREE, mujoco.mjtJoint.mjJNT_BALL):
            out[..., q : q + 4] = quaternion.multiply(out[..., q : q + 4], quaternion.exp(step[..., v : v + 3]))
        else:
            out[..., q] += step[..., v]
    return out


def difference(model: mujoco.MjModel, after: ArrayLike, before: ArrayLike) -> Array:
    """The step (..., nv) that leads from poses `before` (..., nq) to `after` (..., nq)."""
    after, before = np.asarray(after, dtype=float), np.asarray(before, dtype=float)
    out = np.empty((*np.broadcast_shapes(after.shape[:-1], before.shape[:-1]), model.nv))
    for kind, q, v in _joints(model):
        if kind == mujoco.mjtJoint.mjJNT_FREE:
            out[..., v : v + 3] = after[..., q : q + 3] - before[..., q : q + 3]
            q, v = q + 3, v + 3
        if kind in (mujoco.mjtJoint.mjJNT_FREE, mujoco.mjtJoint.mjJNT_BALL):
            turn = quaternion.multiply(quaternion.conjugate(before[..., q : q + 4]), after[..., q : q + 4])
            out[..., v : v + 3] = quaternion.log(turn)
        else:
            out[..., v] = after[..., q] - before[..., q]
    return out


def _joints(model: mujoco.MjModel) -> list[tuple[int, int, int]]:
    return [(int(model.jnt_type[j]), int(model.jnt_qposadr[j]), int(model.jnt_dofadr[j])) for j in range(model.njnt)]
