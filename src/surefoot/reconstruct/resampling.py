"""Which samples live on: diverse elites, and systematic resampling.

Elites (Liu et al. 2010, section 4.2; Algorithm 1, lines 9 and 10): the worst part is dropped; of the rest, the n_s samples whose costs come
next to thresholds that are dense near the best,

    theta_i = E_min + (E_max - E_min) (i / n_s)^2

so that a few that look worse survive and diversity with them. Their shares of the next generation fall with cost,

    w_i ~ exp(-(E_i - E_min) / (median E - E_min))

and a single random number u places all of it: sample i has as many successors as points (u + n) / N lie in its share.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Indices = NDArray[np.int64]


def elites(costs: Array, num: int, keep: float = 0.6) -> Indices:
    """Indices (at most `num`) of the elites, best first, of costs (N,); infinite ones never live. `keep` is the part that may."""
    order = np.argsort(costs, kind="stable")
    alive = int(np.isfinite(costs).sum())
    pool = order[: min(alive, max(int(np.ceil(keep * len(costs))), num))]
    if len(pool) <= num:
        return np.asarray(pool, dtype=np.int64)
    sorted_costs = costs[pool]
    low, high = sorted_costs[0], sorted_costs[-1]
    thresholds = low + (high - low) * (np.arange(num) / num) ** 2
    picked = np.unique(np.minimum(np.searchsorted(sorted_costs, thresholds, side="left"), len(pool) - 1))
    if len(picked) < num:  # several thresholds before the same sample: the best of the others fill up
        left = np.setdiff1d(np.arange(len(pool)), picked, assume_unique=True)
        picked = np.sort(np.concatenate([picked, left[: num - len(picked)]]))
    return np.asarray(pool[picked], dtype=np.int64)


def shares(costs: Array) -> Array:
    """Parts (n,) of the next generation that elites of these costs (n,), best first, are given; they sum to one."""
    spread = max(float(np.median(costs)) - float(costs[0]), 1e-12)
    weights = np.exp(-(costs - costs[0]) / spread)
    return np.asarray(weights / weights.sum())


def systematic(weights: Array, num: int, u: float) -> Indices:
    """Parents (num,) for weights (n,) that sum to one: n's number of children differs from num * weight by less than one."""
    edges = np.cumsum(weights)
    points = (u + np.arange(num)) / num
    return np.minimum(np.searchsorted(edges, points, side="right"), len(weights) - 1).astype(np.int64)
