"""From samples to a policy: weighted ridge regression on normalised features (Simulation for Control, eq. 18 to 23).

    S, A: features and actions less their means, features in parts of their deviations D, rows weighing w
    M = ((S^T W S + lambda I)^-1 S^T W A)^T D^-1,        diag Sigma = w-mean of (A - S M^T)^2,   at least floor^2

The paper adds lambda to raw features, whose units differ by a hundred; here it counts in parts of the features' own variance.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from surefoot.feedback.walks import Tuples

Array = NDArray[np.float64]


def regress(given: Tuples, ridge: float) -> tuple[Array, Array, Array, Array]:
    """Centre (n,), gain (d, n), action (d,) and spread (d,) of one fragment's tuples."""
    weights = given.weights / given.weights.sum()
    center = np.einsum("m,mn->n", weights, given.features)
    action = np.einsum("m,md->d", weights, given.actions)
    away, turn = given.features - center, given.actions - action
    scale = np.sqrt(np.einsum("m,mn->n", weights, away**2)) + 1e-9
    normal = away / scale
    square = np.einsum("m,mi,mj->ij", weights, normal, normal)
    cross = np.einsum("m,mi,md->id", weights, normal, turn)
    solved = np.linalg.solve(square + ridge * np.eye(len(scale)), cross)
    left = turn - np.einsum("mi,id->md", normal, solved)
    spread = np.sqrt(np.einsum("m,md->d", weights, left**2))
    return center, (solved / scale[:, None]).T, action, spread
