"""Basic SAMCON: a clip reconstructed by sampling fragment by fragment (Simulation for Control 3.2, Algorithm 1).

    s_0^j = start                                                             N_s copies
    for k = 1 .. F:
        a_k^j ~ N(0, window^2),  s_k^j = simulate(s_k-1^j, a_k^j),  E_k^j = cost(s_k^j)
        elites: n_s of them, diverse;  s_k^j = systematic resampling of the elites
    the best path through the tree of elites, by backtracking

A pass that loses all samples, or whose best path breaks the rule of success, is tried again with fresh numbers and a wider window.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from surefoot.errors import InputError
from surefoot.physics.batch import BatchEngine
from surefoot.reconstruct.actions import actions
from surefoot.reconstruct.cost import Cost, Weights
from surefoot.reconstruct.outcome import Outcome, Progress, Report, finish
from surefoot.reconstruct.problem import Problem
from surefoot.reconstruct.timeline import Timeline
from surefoot.reconstruct.tree import Generation, backtrack, path_costs

Array = NDArray[np.float64]

CANDIDATES = 16
"""Best paths that are performed again and judged at every control period."""


@dataclass(frozen=True, kw_only=True)
class SamconConfig:
    """How basic SAMCON searches. The defaults need no thought."""

    window: float = 0.13
    """Standard deviation of the sampled offsets [rad]. Simulation for Control takes 0.1 for fewer joints."""
    elites: float = 0.2
    """Part of the samples of a fragment that live on (n_s / N_s)."""
    keep: float = 0.6
    """Part of the samples that may: the rest cost too much."""
    trials: int = 3
    """Passes to try before giving up."""
    widen: float = 1.25
    """How much wider the window becomes after a failed pass."""
    lead: float | None = None
    """Seconds by which the reference is read ahead; None takes the character's."""
    arms: float = 1.0
    """Part of the window that shoulders take; 0 leaves them alone."""
    elbows: float = 0.5
    """Part of the window that elbows take."""
    toes: float = 0.0
    """Part of the window that toes take."""
    weights: Weights = field(default_factory=Weights)
    """Of the cost's terms."""

    def __post_init__(self) -> None:
        for name in ("window", "elites", "keep", "widen"):
            if not getattr(self, name) > 0.0:
                raise InputError(f"{name} must be positive, got {getattr(self, name)}.")
        if self.elites > 1.0 or self.keep > 1.0:
            raise InputError("elites and keep are parts of the samples: at most 1.")
        if self.trials < 1:
            raise InputError(f"trials must be at least 1, got {self.trials}.")


def samcon(
    clip: Timeline,
    engine: BatchEngine,
    config: SamconConfig | None = None,
    rng: np.random.Generator | None = None,
    progress: Progress | None = None,
) -> Outcome:
    """A performance of the clip: plan, simulation, errors, and what to do if it failed. Samples are the engine's simulations."""
    config, rng = config or SamconConfig(), rng or np.random.default_rng(0)
    task = problem(clip, engine, config)
    report = Report(method="basic", engine=engine)
    best: tuple[tuple[float, ...], Array] | None = None
    for trial in range(config.trials):
        spread = config.window * config.widen**trial * task.actions.share

        def draw(fragment: int, z: Array, spread: Array = spread) -> Array:
            return first_is_mean(z) * spread

        watch = None if progress is None else progress.watch(clip, trial, config.trials)
        generations = task.sample(rng, draw, task.start, 0, clip.num_fragments, watch)
        chosen, rank = choose(task, generations)
        report.passed(generations, clip, rank)
        if best is None or rank < best[0]:
            best = rank, chosen
        if rank[0] == 0.0:
            break
    assert best is not None
    return finish(task, best[1], report)


def problem(clip: Timeline, engine: BatchEngine, config: SamconConfig) -> Problem:
    """The problem that a config makes of a reference."""
    character = clip.character
    found = actions(character, clip.servos, arms=config.arms, elbows=config.elbows, toes=config.toes)
    return Problem(
        engine=engine,
        reference=clip,
        tracked=clip,
        actions=found,
        cost=Cost(character, config.weights),
        lead=character.lead if config.lead is None else config.lead,
        num_elites=max(round(config.elites * engine.num_simulations), 1),
        keep=config.keep,
    )


def first_is_mean(z: Array) -> Array:
    """The first sample is the mean itself."""
    out = np.array(z)
    out[0] = 0.0
    return out


def choose(task: Problem, generations: list[Generation], before: Array | None = None) -> tuple[Array, tuple[float, ...]]:
    """The actions (F, d) of the best of the best paths, judged by performing them, and its rank: less is better, first number 0 on success.

    `before` (f, d) are the actions that led to where the generations begin.
    """
    begun = 0 if before is None else len(before)
    ends: Sequence[int] = [0]
    if generations:
        costs, last = path_costs(generations)[-1], generations[-1].elites
        ends = last[np.argsort(costs[last], kind="stable")][:CANDIDATES].tolist()
    found = np.zeros((len(ends), task.tracked.num_fragments, task.actions.size))
    if before is not None:
        found[:, :begun] = before
    for i, end in enumerate(ends if generations else ()):
        for k, j in enumerate(backtrack(generations, int(end))):
            found[i, begun + k] = generations[k].actions[j]
    ranks = _rank(task, found)
    best = min(range(len(ranks)), key=ranks.__getitem__)
    return found[best], ranks[best]


def _rank(task: Problem, found: Array) -> list[tuple[float, ...]]:
    """Failures after successes, early ones last, then by the mean joint error."""
    judged = task.judge(task.perform(found))
    return [(0.0 if one.success else 1.0, -float(one.survived), float(np.nan_to_num(one.joints, nan=1e300))) for one in judged]
