"""What algorithms know about simulation: many simulations of one character, each a row of numbers.

    rows(t + substeps * timestep) = step(rows(t), targets, pushes)

N simulations, K control periods, S numbers a row. Saving is copying rows, resampling a fancy index, a diverged simulation a row of NaN.
`BatchEngine` runs on this machine's processor; others keep this protocol.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from surefoot.character.character import Character
from surefoot.physics.features.contact import Contacts
from surefoot.physics.features.observation import Observation
from surefoot.physics.layout import Layout
from surefoot.physics.push import Push
from surefoot.physics.scene import Scene
from surefoot.physics.servos import Servos

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

Stop = Callable[[int, Any], Any]
"""Called after every period with its index and all rows (N, S); says which simulations (N,) are lost."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Rollout:
    """What K control periods brought. After a simulation's last period its states are NaN."""

    states: Array  # (N, K, S)
    """Rows at the end of every period; only the last one, K = 1, when they were not recorded."""
    ok: Mask  # (N,)
    """Ran to the end: neither diverged nor stopped."""
    diverged: Mask  # (N,)
    periods: NDArray[np.int64]  # (N,)
    """Periods that were completed."""
    physics_steps: int
    """Substeps simulated, all simulations together."""


class Engine(Protocol):
    """Many simulations of one character."""

    character: Character
    layout: Layout
    servos: Servos
    timestep: float
    num_simulations: int
    scene: Scene

    @property
    def scenes(self) -> tuple[Scene, ...] | None:
        """The scene of every simulation (N), where they differ; None where all are in `scene`."""

    @property
    def state(self) -> Any:
        """Rows (N, S), live: a write is the simulation's state at its next step."""

    @property
    def ok(self) -> Any:
        """Simulations (N,) that did not diverge."""

    def step(self, targets: Any = None, substeps: int = 1, *, linear: bool = False, ids: Any = None, pushes: Sequence[Push] = ()) -> None:
        """One control period: targets (N, nu) or (nu,), held or reached linearly from the row's own."""

    def rollout(
        self,
        targets: Any,
        substeps: int,
        *,
        linear: bool = False,
        ids: Any = None,
        pushes: Sequence[Push] = (),
        stop: Stop | None = None,
        record: bool = True,
    ) -> Rollout:
        """K control periods: targets (N, K, nu) or (K, nu)."""

    def resample(self, parents: Any) -> None:
        """Simulation i continues from the state of simulation parents[i] (N,)."""

    def observe(self, rows: Any = None, sims: Any = None) -> Observation:
        """Positions, rotations and sensors at rows (..., S), by default the current ones; at rows (M, S) of simulations `sims` (M,)."""

    def contacts(self, rows: Any = None, sims: Any = None) -> Contacts:
        """Contact forces at rows (..., S), by default the current ones; at rows (M, S) of simulations `sims` (M,)."""
