"""The engine's speed beside MuJoCo's own batch, in one run.

    ratio = time of bare Batch.step / time of the engine,    the same states, targets, threads and substeps

The engine's period of 0.1 s writes targets, steps, computes all features of Simulation for Control 3.1 and resamples the states; the bare
one steps. A pair is one period of each, from the same states, back to back, taking turns at going first. The median over many short pairs
counts: on a machine that others use too, one pair means little, and a few long ones not much more.
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
"""Until the characters start again: by then they lie on the ground."""
FEWEST = 9
"""Pairs that are measured however long they take."""
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


def interleaved(
    prepare: Callable[[int], None],
    bare: Callable[[int], None],
    ours: Callable[[int], None],
    pairs: int,
    budget_s: float,
    progress: Callable[[int], None] | None = None,
    clock: Callable[[], float] = time.perf_counter,
) -> list[tuple[float, float]]:
    """Seconds of the bare work and of ours, pair by pair, back to back, taking turns at going first every other round."""

    def pair(i: int) -> tuple[float, float]:
        prepare(i)
        took = [0.0, 0.0]
        for who in ((0, 1), (1, 0))[(i + i // PERIODS) % 2]:
            began = clock()
            (bare, ours)[who](i)
            took[who] = clock() - began
        return took[0], took[1]

    pair(0)  # allocates, and wakes the threads
    pair(0)
    times: list[tuple[float, float]] = []
    began = time.perf_counter()
    while len(times) < pairs and (len(times) < FEWEST or time.perf_counter() - began < budget_s):
        times.append(pair(len(times)))
        if progress is not None:
            progress(len(times))
    return times


def measure(
    name: str,
    character: Character,
    *,
    num_simulations: int = 256,
    threads: int = 0,
    pairs: int = 135,
    seed: int = 0,
    budget_s: float = 150.0,
    progress: Callable[[int], None] | None = None,
) -> Speed:
    """Measure one character: as many pairs as asked for, fewer (but nine) where they do not fit into `budget_s`."""
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

    def prepare(i: int) -> None:
        k = i % PERIODS
        if k == 0:
            engine.state[:] = first
        bare.state[:] = engine.state
        bare.state[:, ctrl] = targets[k]

    times = interleaved(prepare, lambda i: bare_period(), lambda i: engine_period(i % PERIODS), pairs, budget_s, progress)
    steps = num_simulations * substeps
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
