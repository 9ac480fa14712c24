"""The tree that samples form: who descends from whom, best paths, and how far a sample's descendants came.

    height(j)  = 1 + max over children of height          0 when j is not an elite
    onward(j)  = E_j + min over children of that height of onward
    path(j)    = E_j + path(parent of j)

N samples, F fragments. Generation k holds what was tried in fragment k; `parents` of generation k are samples of generation k - 1.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Indices = NDArray[np.int64]


@dataclass(frozen=True, eq=False, kw_only=True)
class Generation:
    """All samples of one fragment."""

    actions: Array  # (N, d)
    costs: Array  # (N,)
    elites: Indices  # (n,)
    parents: Indices  # (N,)
    """Which sample of the generation before each started from."""
    terms: dict[str, Any] = field(default_factory=dict)
    """Unweighted terms of the cost (N,)."""


def path_costs(generations: list[Generation]) -> list[Array]:
    """Cost (N,) of the path from the start to every sample."""
    out: list[Array] = []
    for k, now in enumerate(generations):
        out.append(now.costs + (out[-1][now.parents] if k else 0.0))
    return out


def backtrack(generations: list[Generation], last: int) -> list[int]:
    """The samples, one a generation, that lead to sample `last` of the last generation."""
    path = [int(last)]
    for now in reversed(generations[1:]):
        path.append(int(now.parents[path[-1]]))
    return path[::-1]


def best_path(generations: list[Generation]) -> list[int]:
    """The path of least cost among those that end in an elite of the last generation."""
    final = path_costs(generations)[-1]
    ends = generations[-1].elites
    return backtrack(generations, int(ends[np.argmin(final[ends])]))


def heights(generations: list[Generation]) -> tuple[list[Indices], list[Array]]:
    """Height (N,) of the subtree below every sample, itself included, and cost (N,) of its best path to the leaves."""
    tall: list[Indices] = []
    onward: list[Array] = []
    for k in reversed(range(len(generations))):
        now = generations[k]
        height = np.zeros(len(now.costs), dtype=np.int64)
        height[now.elites] = 1
        cost = np.array(now.costs)
        if k + 1 < len(generations):
            parents, below, further = generations[k + 1].parents, tall[-1], onward[-1]
            highest = np.zeros(len(now.costs), dtype=np.int64)
            np.maximum.at(highest, parents, below)
            least = np.full(len(now.costs), np.inf)
            follows = (below == highest[parents]) & (below > 0)
            np.minimum.at(least, parents[follows], further[follows])
            height[now.elites] += highest[now.elites]
            cost += np.where(np.isfinite(least), least, 0.0)
        tall.append(height)
        onward.append(cost)
    return tall[::-1], onward[::-1]
