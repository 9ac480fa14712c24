"""What a policy sees: N simulations of its character, and whatever follows from their rows, computed when it is first asked for.

An open loop asks for nothing and pays nothing. Rows of lost simulations are NaN; what a policy answers for them is not used, but it must
not stumble over them.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.character.character import Character
from surefoot.physics.engine import Engine
from surefoot.physics.features import Anatomy, Contacts, Observation, anatomy, state_features
from surefoot.policy import ground

Array = NDArray[np.float64]


class States:
    """N simulations at one moment."""

    def __init__(self, engine: Engine, rows: Any = None, body: Anatomy | None = None, sims: Any = None) -> None:
        """`rows` (N, S), by default the engine's own; `body` spares finding the character's anatomy again; `sims` (N,) says which of the
        engine's simulations these are, where they are not all of them."""
        self.engine = engine
        self.sims = sims
        self.rows = engine.state if rows is None else rows
        self._body = body

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def character(self) -> Character:
        """Whose states these are."""
        return self.engine.character

    @property
    def qpos(self) -> Any:  # (N, nq)
        """Poses of the character; props come after it and are left out."""
        first = self.engine.layout.qpos.start
        return self.rows[..., first : first + self.character.model.nq]

    @property
    def qvel(self) -> Any:  # (N, nv)
        first = self.engine.layout.qvel.start
        return self.rows[..., first : first + self.character.model.nv]

    @property
    def ctrl(self) -> Any:  # (N, nu)
        """Targets of the servos, as the last period left them."""
        first = self.engine.layout.ctrl.start
        return self.rows[..., first : first + self.character.model.nu]

    @property
    def time(self) -> Any:  # (N,)
        """Each simulation's own clock [s]; policies go by `t` instead."""
        return self.rows[..., self.engine.layout.time]

    @property
    def ok(self) -> Any:  # (N,)
        """Simulations that did not diverge."""
        return np.isfinite(self.time)

    @cached_property
    def body(self) -> Anatomy:
        """Feet, end effectors and mirror partners of the character."""
        return self._body or anatomy(self.character)

    @cached_property
    def seen(self) -> Observation:
        """Positions, rotations and velocities of all bodies, and the whole body's momentum."""
        return self.engine.observe(self.rows, self.sims)

    @cached_property
    def contacts(self) -> Contacts:
        """Forces from outside on every body."""
        return self.engine.contacts(self.rows, self.sims)

    @cached_property
    def ground(self) -> Array:  # (N,)
        """Height of the ground under each root [m]."""
        return ground.under(self.engine, self.seen.position[..., 0, :], self.sims)

    @cached_property
    def features(self) -> Any:  # (N, 12 + 3 feet)
        """The state features of Simulation for Control, section 3.1; heights are above the ground below."""
        return state_features(self.seen, self.body, ground=self.ground)
