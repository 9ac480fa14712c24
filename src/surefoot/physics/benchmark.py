"""The engine's speed beside MuJoCo's own batch, in one run.

    ratio = time of bare Batch.step / time of the engine,    the same states, targets, threads and substeps

The engine's period of 0.1 s writes targets, steps, computes all features of Simulation for Control 3.1 and resamples the states; the bare
one steps. Both begin every period at the same states, taking turns at going first, and a pair is a second and a half of it. The median
over pairs counts: on a machine that others use too, single pairs mean little.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from mujoco.batch import Batch

from surefoot.character.character import Character
from surefoot.physics.batch import BatchEngine
from surefoot.physics.features import anatomy, state_features

PERIOD = 0.1
PERIODS = 15
"""In a pair."""
SPREAD = 0.05
"""Standard deviation of the targets around the rest pose [rad]: the character stumbles and falls."""


@dataclass(frozen=True, kw_only=True)
class Speed:
    """One row of the table."""

    character: str
    num_simulations: int
    threads: int
    bare_steps_per_s: float
    engine_steps_per_s: float
    ratio: float
    """Median over the pairs."""
    ratios: tuple[float, ...]


def measure(
    name: str,
    character: Character,
    *,
    num_simulations: int = 256,
    threads: int = 0,
    pairs: int = 9,
    seed: int = 0,
    budget_s: float = 150.0,
    progress: Callable[[int], None] | None = None,
) -> Speed:
    """Measure one character; pairs become shorter where they would not fit into `budget_s` otherwise."""
    engine = BatchEngine(character, num_simulations, threads)
    bare = Batch(engine.model, num_simulations, engine.threads)
    body = anatomy(character)
    rng = np.random.default_rng(seed)
    substeps = max(round(PERIOD / engine.timestep), 1)
    targets = rng.normal(0.0, SPREAD, (PERIODS, num_simulations, engine.servos.num))
    parents = np.sort(rng.integers(0, num_simulations, (PERIODS, num_simulations)), axis=1)
    first = engine.rows(np.tile(character.model.qpos0, (num_simulations, 1)))
    ctrl = slice(engine.layout.ctrl.start, engine.layout.ctrl.start + engine.servos.num)

    def engine_period(k: int) -> None:
        engine.step(targets[k], substeps)
        state_features(engine.observe(), body)
        engine.resample(parents[k])

    def bare_period() -> None:
        bare.step(nstep=substeps)

    def pair(periods: int, turn: int) -> tuple[float, float]:
        """Seconds of the bare batch and of the engine."""
        engine.state[:] = first
        took = [0.0, 0.0]
        for k in range(periods):
            bare.state[:] = engine.state
            bare.state[:, ctrl] = targets[k]
            for who in ((0, 1), (1, 0))[(k + turn) % 2]:
                began = time.perf_counter()
                if who == 0:
                    bare_period()
                else:
                    engine_period(k)
                took[who] += time.perf_counter() - began
        return took[0], took[1]

    warm = time.perf_counter()
    pair(2, 0)
    seconds = (time.perf_counter() - warm) / 2.0
    periods = int(np.clip(budget_s / (pairs * seconds), 2, PERIODS))
    times = []
    for i in range(pairs):
        times.append(pair(periods, i))
        if progress is not None:
            progress(i + 1)
    steps = num_simulations * substeps * periods
    ratios = [b / e for b, e in times]
    return Speed(
        character=name,
        num_simulations=num_simulations,
        threads=engine.threads,
        bare_steps_per_s=float(np.median([steps / b for b, _ in times])),
        engine_steps_per_s=float(np.median([steps / e for _, e in times])),
        ratio=float(np.median(ratios)),
        ratios=tuple(ratios),
    )
