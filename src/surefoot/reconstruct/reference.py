"""The reference: the clip in a character's joints, at every control period, with its velocities and what an observer sees of it.

    x~(t) = (q~(t), (q~(t + h) - q~(t - h)) / 2h),        h = 20 ms

Poses between frames lie on a cubic through their neighbours, so that 30 frames a second have a velocity at all times. The clip is moved as
a whole, up or down, so that its lowest points, a tenth of the time, touch the ground.
T control periods, F fragments.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.character.character import Character
from surefoot.character.rig.replay import lowest_points
from surefoot.errors import InputError
from surefoot.motion.skeleton import read_only
from surefoot.physics import manifold
from surefoot.physics.batch import BatchEngine
from surefoot.physics.features.observation import Observation
from surefoot.physics.plan import Plan
from surefoot.physics.scene import Scene
from surefoot.physics.servos import Servos, servos

Array = NDArray[np.float64]

SPREAD = 0.02
"""h [s]"""
TOUCHING = 10.0
"""Part of the time in which the clip's lowest point is at the ground or below [%]."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Reference:
    """A clip in a character's joints, at every control period from 0 to its end."""

    character: Character
    servos: Servos
    qpos: Array  # (T + 1, nq)
    qvel: Array  # (T + 1, nv)
    targets: Array  # (T + 1, nu)
    """What the servos are told, without lead; continuous."""
    period: float
    """[s]"""
    periods: int
    """In a whole fragment; the last one may be shorter."""
    substeps: int
    """Physics steps in a period."""
    seen: Observation
    """Of every row of `qpos` and `qvel`."""
    duration: float
    """Of the clip [s], at most a period shorter than T periods."""

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
    def length(self) -> float:
        """Height of the body over that of a person of 1.7 m: the unit that the thresholds are given in."""
        return self.character.height / 1.7

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

    def moved_to(self, qpos: Array, qvel: Array, engine: BatchEngine) -> Reference:
        """The same clip with other poses (T + 1, nq) and velocities (T + 1, nv): a simulation of it, or an average."""
        seen = engine.observe(engine.rows(qpos, qvel))
        return replace(self, qpos=read_only(qpos), qvel=read_only(qvel), targets=read_only(self.servos.ctrl(qpos)), seen=seen)


def reference(
    character: Character,
    qpos: ArrayLike,
    frame_time: float,
    engine: BatchEngine,
    *,
    fragment: float = 0.1,
    period: float = 0.025,
    ground: bool = True,
) -> Reference:
    """The reference of poses (T, nq), `frame_time` seconds apart. `ground` moves it up or down until it touches the ground."""
    poses = np.asarray(qpos, dtype=float)
    if poses.ndim != 2 or poses.shape[1] != character.model.nq or len(poses) < 2:
        raise InputError(f"a reference for '{character.name}' needs the shape (two or more, {character.model.nq}), got {poses.shape}.")
    if not np.isfinite(poses).all():
        raise InputError("a reference must be finite; there is a NaN or an infinity in it.")
    substeps = max(round(period / engine.timestep), 1)
    period = substeps * engine.timestep
    periods = max(round(fragment / period), 1)
    duration = (len(poses) - 1) * frame_time
    num = max(int(np.ceil(duration / period - 1e-6)), 1)
    times = np.minimum(np.arange(num + 1) * period, duration)
    here = between(character, poses, frame_time, times)
    if ground:
        here[:, 2] += lift(character, here)
    before, after = np.maximum(times - SPREAD, 0.0), np.minimum(times + SPREAD, duration)
    step = manifold.difference(character.model, between(character, poses, frame_time, after), between(character, poses, frame_time, before))
    qvel = step / (after - before)[:, None]
    drive = servos(character)
    return Reference(
        character=character,
        servos=drive,
        qpos=read_only(here),
        qvel=read_only(qvel),
        targets=read_only(drive.ctrl(here)),
        period=period,
        periods=periods,
        substeps=substeps,
        seen=engine.observe(engine.rows(here, qvel)),
        duration=duration,
    )


def between(character: Character, qpos: Array, frame_time: float, times: Array) -> Array:
    """Poses (N, nq) at `times` (N,) [s] on a cubic in tangent space through the frames qpos (T, nq), held beyond the ends."""
    steps = manifold.difference(character.model, qpos[1:], qpos[:-1])
    ends = (1.5 * steps[:1] - 0.5 * steps[1:2], 1.5 * steps[-1:] - 0.5 * steps[-2:-1]) if len(steps) > 1 else (steps, steps)
    slopes = np.concatenate([ends[0], 0.5 * (steps[:-1] + steps[1:]), ends[1]])
    at = np.clip(times / frame_time, 0.0, len(qpos) - 1)
    low = np.minimum(at.astype(np.int64), len(qpos) - 2)
    s = (at - low)[:, None]
    step, begin, end = steps[low], slopes[low], slopes[low + 1]
    way = s * begin + s**2 * (3.0 * step - 2.0 * begin - end) + s**3 * (begin + end - 2.0 * step)
    return manifold.integrate(character.model, qpos[low], way)


def lift(character: Character, qpos: Array, scene: Scene | None = None) -> float:
    """How far to raise poses (T, nq) so that their lowest points touch the ground a tenth of the time [m]."""
    every = max(len(qpos) // 400, 1)
    low = lowest_points(character, qpos[::every])
    low = low[np.isfinite(low)]
    return -float(np.percentile(low, TOUCHING)) if len(low) else 0.0


def seen_at(seen: Observation, index: Any) -> Observation:
    """One moment of an observation, as a row that broadcasts."""
    return seen[np.atleast_1d(index)]
