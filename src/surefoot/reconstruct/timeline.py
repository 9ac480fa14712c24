"""The reference at every control period: poses, velocities, servo targets, and what an observer sees.

    x~_k = (reference(k dt), velocity(k dt)),        dt = a control period,  k = 0 .. T

A fragment is `periods` of them; the last one may be shorter. T control periods, F fragments.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.character.character import Character
from surefoot.errors import InputError
from surefoot.motion.skeleton import read_only
from surefoot.physics.batch import BatchEngine
from surefoot.physics.features.observation import Observation
from surefoot.physics.plan import Plan
from surefoot.physics.servos import Servos
from surefoot.policy import ground
from surefoot.policy.reference import Reference
from surefoot.policy.success import SuccessRule

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, kw_only=True)
class Timeline:
    """A reference at every control period, from 0 to its end."""

    reference: Reference
    """The clip that success is judged by."""
    servos: Servos
    qpos: Array  # (T + 1, nq)
    qvel: Array  # (T + 1, nv)
    targets: Array  # (T + 1, nu)
    """What the servos are told, without lead; continuous."""
    period: float
    """[s]"""
    periods: int
    """In a whole fragment."""
    substeps: int
    """Physics steps in a period."""
    seen: Observation
    """Of every row of `qpos` and `qvel`."""

    @property
    def character(self) -> Character:
        """Whose joints."""
        return self.reference.character

    @property
    def duration(self) -> float:
        """Of the clip [s], at most a period shorter than T periods."""
        return self.reference.duration

    @property
    def num_periods(self) -> int:
        """T"""
        return len(self.qpos) - 1

    @property
    def num_fragments(self) -> int:
        """F"""
        return -(-self.num_periods // self.periods)

    @property
    def fragment_time(self) -> float:
        """[s]"""
        return self.periods * self.period

    @property
    def times(self) -> Array:  # (T + 1,)
        """Of every row [s]; the last one is the clip's end."""
        return np.minimum(np.arange(len(self.qpos)) * self.period, self.duration)

    @property
    def length(self) -> float:
        """Height of the body over that of a person of 1.7 m: the unit that the limits of success are given in."""
        return ground.size(self.character)

    @cached_property
    def level(self) -> Array:  # (T + 1,)
        """Height of the reference's ground below its root [m]."""
        return ground.height(self.reference.scene, self.qpos[:, :2])

    def rule(self, engine: BatchEngine) -> SuccessRule:
        """The rule of success for simulations of an engine."""
        return SuccessRule(self.reference, self.times, engine.scene)

    def span(self, fragment: int) -> tuple[int, int]:
        """The rows at which a fragment begins and ends."""
        return fragment * self.periods, min((fragment + 1) * self.periods, self.num_periods)

    def plan(self, offsets: ArrayLike, lead: float | None = None) -> Plan:
        """The plan that turns this reference by offsets (F, nu), held for a fragment each."""
        return Plan(
            servos=self.servos,
            reference=self.targets,
            frame_time=self.period,
            lead=self.character.lead if lead is None else lead,
            offsets=np.asarray(offsets, dtype=float),
            offset_time=self.fragment_time,
        )

    def moved_to(self, qpos: Array, qvel: Array, engine: BatchEngine) -> Timeline:
        """The same clip with other poses (T + 1, nq) and velocities (T + 1, nv): a simulation of it, or an average."""
        seen = engine.observe(engine.rows(qpos, qvel))
        return replace(self, qpos=read_only(qpos), qvel=read_only(qvel), targets=read_only(self.servos.ctrl(qpos)), seen=seen)


def timeline(reference: Reference, engine: BatchEngine, *, fragment: float = 0.1, period: float = 0.025) -> Timeline:
    """A reference at the control periods of an engine of its character."""
    if engine.character is not reference.character:
        raise InputError(f"the engine simulates '{engine.character.name}', the reference is of '{reference.character.name}'.")
    if reference.duration <= 0.0:
        raise InputError("a clip of a single frame cannot be performed: it has no duration.")
    substeps = max(round(period / engine.timestep), 1)
    period = substeps * engine.timestep
    num = max(int(np.ceil(reference.duration / period - 1e-6)), 1)
    times = np.minimum(np.arange(num + 1) * period, reference.duration)
    qpos, qvel = reference.at(times), reference.velocity_at(times)
    return Timeline(
        reference=reference,
        servos=engine.servos,
        qpos=read_only(qpos),
        qvel=read_only(qvel),
        targets=read_only(engine.servos.ctrl(qpos)),
        period=period,
        periods=max(round(fragment / period), 1),
        substeps=substeps,
        seen=engine.observe(engine.rows(qpos, qvel)),
    )


def seen_at(seen: Observation, index: Any) -> Observation:
    """One moment of an observation, as a row that broadcasts."""
    return seen[np.atleast_1d(index)]
