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


def regulator(a: list[Array], b: list[Array], q: Array, r: float, rounds: int = 60) -> list[Array]:
    """Gains K (d, n) of a cycle's fragments, in normalised units."""
    p: Array = np.diag(q)
    gains: list[Array] = [np.zeros((b[0].shape[1], len(q)))] * len(a)
    for _ in range(rounds):
        for k in reversed(range(len(a))):
            pb = p @ b[k]
            gain = np.linalg.solve(r * np.eye(b[k].shape[1]) + b[k].T @ pb, pb.T @ a[k])
            p = np.diag(q) + a[k].T @ p @ (a[k] - b[k] @ gain)
            p = 0.5 * (p + p.T)
            gains[k] = np.asarray(gain)

    return gains
