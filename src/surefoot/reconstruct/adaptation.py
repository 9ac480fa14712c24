"""Where to sample next: one normal distribution a fragment, moved and reshaped by its elites (Simulation for Control 3.3, CMA-ES).

    w_i ~ log(mu + 1/2) - log i                                     i-th best elite, the weights sum to one
    mean' = sum w_i a_i
    C'    = (1 - c) C + c diag(sum w_i (a_i - mean)^2)

The best elites are those whose descendants came furthest; among them, those whose best path to the leaves costs least. C stays diagonal
(CMA-ES in its separable form): five to twenty updates of a few hundred samples tell variances, not the 400 numbers of a full matrix.

Once the clip is performed to the end, elites are averaged by the height of their subtrees (equation 9), which must exceed four:

    mean' = sum h_j a_j / sum h_j
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from surefoot.reconstruct.tree import Generation, heights

Array = NDArray[np.float64]

TALL = 4
"""Height of a subtree above which a sample counts as elite, where as much is left of the clip."""


def ranked(generations: list[Generation]) -> list[tuple[Array, NDArray[np.int64]]]:
    """For every generation the actions (n, d) of its elites whose subtrees are tall, best first, and their heights (n,)."""
    tall, onward = heights(generations)
    out = []
    for k, now in enumerate(generations):
        height, cost = tall[k][now.elites], onward[k][now.elites]
        enough = min(TALL + 1, len(generations) - k, int(height.max()))
        order = np.lexsort((cost, -height))
        order = order[height[order] >= enough]
        out.append((now.actions[now.elites[order]], height[order]))
    return out


def moved(mean: Array, variance: Array, actions: Array, rate: float, part: float = 0.5) -> tuple[Array, Array]:
    """The mean (d,) and variances (d,) after an update by elites' actions (n, d), best first, of which the better `part` counts."""
    mu = max(int(np.ceil(part * len(actions))), 1)
    weights = np.log(mu + 0.5) - np.log(np.arange(1, mu + 1))
    weights = weights / weights.sum()
    best = actions[:mu]
    spread = _weighted(weights, (best - mean) ** 2)
    return _weighted(weights, best), (1.0 - rate) * variance + rate * spread


def averaged(actions: Array, height: NDArray[np.int64]) -> Array:
    """The mean (d,) of elites' actions (n, d), weighted by the heights of their subtrees (equation 9)."""
    return _weighted(height / height.sum(), actions)


def _weighted(weights: Array, rows: Array) -> Array:
    return np.asarray(np.sum(weights[:, None] * rows, axis=0))
