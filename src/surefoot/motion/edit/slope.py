"""The slope of the floor that feet tell of, where it rises along the way as captured floors do.

Each planted foot gives a place x (2,) and a height h over its standing height, at its lowest point. The slope g minimises sum (h - mean
h - g . (x - mean x))^2 over the directions in which the feet spread; across the way they stand too near to each other to tell.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.motion.edit.measure import FootPoints

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class Slope:
    """A floor that rises evenly."""

    gradient: Array  # (2,)
    centre: Array  # (2,) where the floor is as high as on average [m]
    rise: float
    """From the lowest to the highest place where a foot stood [m]."""
    run: float
    """The way from there to there [m]."""
    explained: float
    """Share of the variance of the heights that it explains."""

    def height(self, places: Array) -> Array:
        """Height (...) of the floor over its mean at horizontal places (..., 2) [m]."""
        return np.asarray((places - self.centre) @ self.gradient)


def slope_of(points: FootPoints, planted: NDArray[np.bool_]) -> Slope | None:
    """The slope, by which points are planted in which frame (T, P); None when too few are."""
    heights = points.positions[..., 2] - points.standing
    stood: list[Array] = []
    levels: list[Array] = []
    for foot in np.unique(points.foot):
        mine = np.flatnonzero(points.foot == foot)
        on = np.flatnonzero(planted[:, mine].any(axis=1))
        best = mine[np.argmin(heights[on][:, mine], axis=1)]  # a foot that rolls stands on its lowest point
        stood.append(points.positions[on, best, :2])
        levels.append(heights[on, best])
    if sum(map(len, stood)) < 20:
        return None
    places, level = np.concatenate(stood), np.concatenate(levels)
    centre, mean = places.mean(axis=0), level.mean()
    spread, size, axes = np.linalg.svd(places - centre, full_matrices=False)
    wide = size > 0.4 * size[0]
    gradient = axes[wide].T @ ((spread[:, wide].T @ (level - mean)) / np.maximum(size[wide], 1e-12))
    steep = float(np.linalg.norm(gradient))
    along = (places - centre) @ gradient / max(steep, 1e-12)
    left = float(np.sum((level - mean - steep * along) ** 2))
    explained = 1.0 - left / max(float(np.sum((level - mean) ** 2)), 1e-300)
    run = float(np.ptp(along))
    return Slope(gradient=gradient, centre=centre, rise=steep * run, run=run, explained=explained)
