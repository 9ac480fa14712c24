"""One control period, linearised on the manifold of states.

    x' (-) f(x, u) = A (x (-) x0) + B (u - u0) + ...

by central differences of the period itself: 2 (2 nv + nu) simulations side by side, each `substeps` long, from the same warm start. The
differences see contacts as they are over the whole period, which a chain of linearised substeps does not when a foot lands or leaves.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.errors import InputError
from surefoot.physics.batch import BatchEngine
from surefoot.physics.manifold import difference, integrate

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, kw_only=True)
class Linear:
    """x' = A x + B u around states and targets; n = 2 nv."""

    a: Array  # (M, n, n)
    b: Array  # (M, n, nu)
    after: Array  # (M, S)
    """The rows that the period ends in."""


def linearise(
    engine: BatchEngine, rows: ArrayLike, targets: ArrayLike, substeps: int, *, step: float = 1e-6, linear: bool = False
) -> Linear:
    """A and B of one period from rows (M, S) under targets (M, nu). The engine's own states are kept; any width will do."""
    rows, targets = np.asarray(rows, dtype=float), np.asarray(targets, dtype=float)
    model, parts, nu = engine.model, engine.layout, engine.servos.num
    if rows.ndim != 2 or targets.shape != (len(rows), nu):
        raise InputError(f"linearise needs rows (M, {parts.size}) and targets (M, {nu}), got {rows.shape} and {targets.shape}.")
    nv = model.nv
    size = 2 * nv + nu
    nudges = np.concatenate([np.zeros((1, size)), step * np.eye(size), -step * np.eye(size)])  # (W, size)
    begin = np.repeat(rows[:, None], len(nudges), axis=1)
    begin[..., parts.qpos] = integrate(model, rows[:, None, parts.qpos], nudges[:, :nv])
    begin[..., parts.qvel] = rows[:, None, parts.qvel] + nudges[:, nv : 2 * nv]
    aims = targets[:, None] + nudges[:, 2 * nv :]
    after = _run(engine, begin.reshape(-1, parts.size), aims.reshape(-1, nu), substeps, linear).reshape(begin.shape)
    if not np.isfinite(after).all():
        raise InputError("linearise: a simulation diverged within the period; take states that last.")
    ahead, behind = after[:, 1 : 1 + size], after[:, 1 + size :]
    turn = difference(model, ahead[..., parts.qpos], behind[..., parts.qpos])
    both = np.concatenate([turn, ahead[..., parts.qvel] - behind[..., parts.qvel]], axis=-1) / (2.0 * step)
    jacobian = np.swapaxes(both, -1, -2)
    return Linear(a=jacobian[..., : 2 * nv], b=jacobian[..., 2 * nv :], after=after[:, 0])


def _run(engine: BatchEngine, rows: Array, targets: Array, substeps: int, linear: bool) -> Array:
    """The rows after one period, as many at a time as the engine holds."""
    saved, width = engine.state.copy(), engine.num_simulations
    out = np.empty_like(rows)
    for i in range(0, len(rows), width):
        part = slice(i, min(i + width, len(rows)))
        num = part.stop - part.start
        engine.state[:num] = rows[part]
        aims = np.zeros((width, targets.shape[-1]))
        aims[:num] = targets[part]
        engine.step(aims, substeps, ids=np.arange(num), linear=linear)
        out[part] = engine.state[:num]
    engine.state[:] = saved
    return out
