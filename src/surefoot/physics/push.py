"""Pushes: a force on a body for a while.

    xfrc(t) = base + sum over pushes of (force, torque)    for start <= t < start + duration

A push is a value handed to the engine with the targets, not a part of a state: rows keep meaning the same. Its window is counted in whole
substeps of each simulation's own clock, so impulse = force * round(duration / timestep) * timestep.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.character.character import Character

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class Push:
    """A force at a body's centre of mass for a while, the same for all simulations or one each."""

    body: str
    """Name of the body (see `trunk`)."""
    force: ArrayLike = (0.0, 0.0, 0.0)  # (3,) or (N, 3)
    """[N], in the world."""
    start: ArrayLike = 0.0  # () or (N,)
    """Simulation time at which it begins [s]; infinite for a simulation that is not pushed."""
    duration: float = 0.2
    """[s]"""
    torque: ArrayLike = field(default=(0.0, 0.0, 0.0))  # (3,) or (N, 3)
    """[N m], in the world."""

    def of(self, chosen: Any) -> Push:
        """The push on some of the simulations."""

        def part(value: ArrayLike, ndim: int) -> ArrayLike:
            array = np.asarray(value, dtype=float)
            return array[chosen] if array.ndim == ndim else array

        return replace(self, force=part(self.force, 2), start=part(self.start, 1), torque=part(self.torque, 2))


def trunk(character: Character) -> str:
    """The name of the heaviest body: where pushes hit."""
    masses = character.model.body_mass[character.body_ids]
    return character.skeleton.names[int(np.argmax(masses))]


def schedule(
    pushes: Sequence[Push], bodies: Sequence[int], times: Array, substeps: int, timestep: float, num_bodies: int
) -> tuple[NDArray[np.bool_], Array]:
    """Which simulations (N,) are pushed during the next `substeps`, and the forces on them (M, substeps, num_bodies, 6)."""
    num = len(times)
    windows = []
    touched = np.zeros(num, dtype=bool)
    for push in pushes:
        start = np.broadcast_to(np.asarray(push.start, dtype=float), (num,))
        with np.errstate(invalid="ignore"):
            first = np.round((start - times) / timestep)
            last = first + np.round(push.duration / timestep)
            active = (first < substeps) & (last > 0) & np.isfinite(first)
        windows.append((first, last, active))
        touched |= active
    chosen = np.flatnonzero(touched)
    forces = np.zeros((len(chosen), substeps, num_bodies, 6))
    steps = np.arange(substeps)
    for push, body, (first, last, active) in zip(pushes, bodies, windows, strict=True):
        on = (steps >= first[chosen, None]) & (steps < last[chosen, None]) & active[chosen, None]
        wrench = np.concatenate(
            [np.broadcast_to(np.asarray(part, dtype=float), (num, 3))[chosen] for part in (push.force, push.torque)], axis=-1
        )
        forces[:, :, body] += on[..., None] * wrench[:, None, :]
    return touched, forces
