"""Forces that people exert, and how long they are seen.

    pull     a spring from the point that is held to the hand:     f = k m (hand - held),  |f| <= g m

m is the character's mass. A hand either stays in the world or goes along with the character, as a camera that follows does.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

STIFF = 20.0
"""Newtons of a pull for each metre and kilogram of the character."""
HARDEST = 12.0
"""Newtons of a pull for each kilogram, at most."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Arrow:
    """A force to be drawn."""

    point: Array  # (3,)
    force: Array  # (3,) [N]
    pulls: bool = False
    """Somebody holds the point and pulls; otherwise something presses on it."""

    @property
    def newtons(self) -> float:
        return float(np.linalg.norm(self.force))


@dataclass(frozen=True, eq=False, kw_only=True)
class Trace:
    """A force that is to be seen until a time."""

    until: float
    body: str
    point: Array  # (3,) in the body's frame
    force: Array  # (3,) [N]
    pulls: bool


@dataclass(frozen=True, eq=False, kw_only=True)
class Pull:
    """A hand that holds a body by a point."""

    body: str
    point: Array  # (3,) in the body's frame
    hand: Array  # (3,) in the world
    along: bool
    """The hand is measured from the place on the floor below the root, and goes along with it."""

    def target(self, root: Array) -> Array:
        """Where the hand is (3,), the root being at `root` (3,)."""
        return self.hand + root * [1.0, 1.0, 0.0] if self.along else self.hand


def spring(held: Array, target: Array, mass: float) -> Array:
    """The force (3,) of a pull on a character of this mass."""
    force = STIFF * mass * (target - held)
    return np.asarray(force * min(1.0, HARDEST * mass / max(float(np.linalg.norm(force)), 1e-9)))
