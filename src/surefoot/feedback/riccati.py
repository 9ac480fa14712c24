"""Feedback from a model: the fragments' own linear dynamics, learned from every sample, and the regulator of the cycle.

    s'_k+1 = A_k s'_k + B_k a'_k,      s' = s - s^,  a' = a - a^           least squares, ridge lambda, over all samples of fragment k
    K_k = (R + B_k^T P_k+1 B_k)^-1 B_k^T P_k+1 A_k
    P_k = Q + A_k^T P_k+1 (A_k - B_k K_k)                                  backwards round the cycle until it repeats,     M_k = -K_k

Simulation for Control learns M from the samples that survive, a few in a hundred; the dynamics can be learned from all of them.
Q and R count deviations in parts of those that the samples show.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from surefoot.feedback.walks import Steps

Array = NDArray[np.float64]


def gains(
    steps: list[Steps], center: Array, action: Array, again: int, *, unit: float, effort: float, ridge: float = 1e-3
) -> tuple[Array, float]:
    """M (F, d, n), and the part of the variance that the linear dynamics explain. After the last fragment comes `again`.

    `unit` [rad] is what an action is counted in, `effort` R's weight against Q's.
    """
    fragments = len(steps)
    onward = [*range(1, fragments), again]
    scale = [one.before.std(axis=0) + 1e-9 for one in steps]
    parts = [dynamics(one, center[k], action[k], center[onward[k]], scale[k], scale[onward[k]], unit, ridge) for k, one in enumerate(steps)]
    found = regulator([part[0] for part in parts], [part[1] for part in parts], onward, effort)
    gain = np.stack([-unit * one / scale[k] for k, one in enumerate(found)])
    return gain, float(np.mean([part[2] for part in parts]))


def dynamics(
    steps: Steps, center: Array, action: Array, onward: Array, scale: Array, scale_on: Array, unit: float, ridge: float
) -> tuple[Array, Array, float]:
    """A (n, n) and B (n, d) in normalised units, and the part of the variance that they explain."""
    x = np.concatenate([(steps.before - center) / scale, (steps.tried - action) / unit], axis=1)
    y = (steps.after - onward) / scale_on
    x = x - x.mean(axis=0)
    y = y - y.mean(axis=0)
    square = np.einsum("mi,mj->ij", x, x) / len(x)
    cross = np.einsum("mi,mj->ij", x, y) / len(x)
    solved = np.linalg.solve(square + ridge * np.eye(len(square)), cross)
    left = y - np.einsum("mi,ij->mj", x, solved)
    explained = 1.0 - float(np.mean(np.var(left, axis=0) / (np.var(y, axis=0) + 1e-12)))
    n = len(center)
    return solved[:n].T, solved[n:].T, explained


def regulator(a: list[Array], b: list[Array], onward: list[int], effort: float, rounds: int = 60) -> list[Array]:
    """Gains K (d, n) of all fragments, in normalised units; after fragment k comes onward[k]."""
    num = len(a[0])
    p: list[Array] = [np.eye(num)] * len(a)
    found: list[Array] = [np.zeros((b[0].shape[1], num))] * len(a)
    for _ in range(rounds):
        for k in reversed(range(len(a))):
            ahead = p[onward[k]]
            pb = ahead @ b[k]
            gain = np.linalg.solve(effort * np.eye(b[k].shape[1]) + b[k].T @ pb, pb.T @ a[k])
            new = np.eye(num) + a[k].T @ ahead @ (a[k] - b[k] @ gain)
            p[k], found[k] = 0.5 * (new + new.T), np.asarray(gain)
    return found
