"""Improved SAMCON: sampling passes that learn from one another (Simulation for Control 3.3).

    until the clip is performed to the end:
        sample a window of fragments from N(mean_k, C_k);  move mean_k and C_k by the elites          (adaptation)
        fragments at the window's beginning that have converged leave it: the best path's are kept, the window slides
    until nothing is gained:
        sample the clip;  mean_k = average of the elites (equation 9);  after a success the window shrinks by 30 %,
        after a failure costs are measured against the last successful simulation

A fragment has converged when it was updated `least` to `most` times and its cost has not fallen in the last `patience` passes. Costs are
compared in parts of the window's kinetic energy, so that standing and leaping are judged alike.
F fragments, d numbers an action.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.errors import InputError
from surefoot.physics.batch import BatchEngine
from surefoot.reconstruct.adaptation import averaged, moved, ranked
from surefoot.reconstruct.outcome import Outcome, Progress, Report, finish
from surefoot.reconstruct.problem import Problem
from surefoot.reconstruct.samcon import SamconConfig, choose, first_is_mean, problem
from surefoot.reconstruct.timeline import Timeline
from surefoot.reconstruct.tree import Generation, best_path

Array = NDArray[np.float64]

NEVER = 1e300
"""A cost that nothing reaches; finite, because checkpoints hold finite numbers."""


@dataclass(frozen=True, kw_only=True)
class ImprovedConfig(SamconConfig):
    """How improved SAMCON searches. The defaults need no thought."""

    sliding: int = 50
    """Fragments in the sliding window."""
    passes: int = 30
    """Most passes over the clip."""
    rate: float = 0.3
    """Part of a distribution's shape that an update replaces."""
    least: int = 5
    """Updates before a fragment may leave the window."""
    most: int = 20
    """Updates after which it must."""
    patience: int = 5
    """Passes without gain that make a fragment, or the whole, converged."""
    shrink: float = 0.7
    """What is left of the window after a success."""
    narrowest: float = 0.02
    """The window shrinks no further [rad]."""
    replace_reference: bool = True
    """Measure costs against the last successful simulation once a pass fails after a success."""

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("sliding", "passes", "least", "most", "patience"):
            if getattr(self, name) < 1:
                raise InputError(f"{name} must be at least 1, got {getattr(self, name)}.")
        for name in ("rate", "shrink"):
            if not 0.0 < getattr(self, name) <= 1.0:
                raise InputError(f"{name} lies between 0 and 1, got {getattr(self, name)}.")


@dataclass(eq=False, kw_only=True)
class Search:
    """Where a search stands: all that a checkpoint needs."""

    mean: Array  # (F, d)
    variance: Array  # (F, d)
    committed: Array  # (F, d)
    """Actions of fragments that have left the window."""
    start: Array  # (S,)
    """The row in which the window begins."""
    least_cost: Array  # (F,)
    updates: NDArray[np.int64]  # (F,)
    stale: NDArray[np.int64]  # (F,)
    """Passes since each fragment's cost last fell."""
    best: Array  # (F, d)
    rank: tuple[float, ...] = (2.0, 0.0, 0.0)
    """Of `best`."""
    first: int = 0
    """Where the window begins."""
    refining: bool = False
    shrunk: float = 1.0
    """Product of all shrinking so far."""
    idle: int = 0
    """Passes without gain."""
    done: int = 0
    """Passes so far."""
    spent: float = 0.0
    """The same, in parts of the clip."""
    replaced: Array = field(default_factory=lambda: np.zeros((0, 0)))
    """Actions (F, d) of the simulation that costs are measured against; empty: the clip itself."""

    def facts(self) -> dict[str, Any]:
        """What is no array, as JSON values."""
        return {name: getattr(self, name) for name in FACTS} | {"rank": list(self.rank)}

    def arrays(self) -> dict[str, NDArray[Any]]:
        """All arrays by name."""
        return {name: getattr(self, name) for name in ARRAYS}

    @staticmethod
    def restored(facts: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Search:
        """A search again."""
        values: dict[str, Any] = {name: facts[name] for name in FACTS} | {name: np.array(arrays[name]) for name in ARRAYS}
        return Search(**values, rank=tuple(facts["rank"]))


FACTS = ("first", "refining", "shrunk", "idle", "done", "spent")
ARRAYS = ("mean", "variance", "committed", "start", "least_cost", "updates", "stale", "best", "replaced")

Checkpoint = Callable[[Search, np.random.Generator, Report], None]
"""Called after every pass."""


def improved(
    clip: Timeline,
    engine: BatchEngine,
    config: ImprovedConfig | None = None,
    rng: np.random.Generator | None = None,
    progress: Progress | None = None,
    checkpoint: Checkpoint | None = None,
    resume: tuple[Search, dict[str, Any]] | None = None,
) -> Outcome:
    """A performance of the clip that learns from pass to pass. Samples are the engine's simulations.

    `resume` is where an interrupted search stood, with its report's facts; `rng` is then its generator.
    """
    config, rng = config or ImprovedConfig(), rng or np.random.default_rng(0)
    task = problem(clip, engine, config)
    report = Report(method="improved", engine=engine)
    search = begin(task, config)
    if resume is not None:
        search = resume[0]
        report.go_on(resume[1])
    while search.spent < config.passes and not (search.refining and search.idle >= config.patience and at_floor(search, config)):
        step(task, search, config, rng, report, progress)
        if checkpoint is not None:
            checkpoint(search, rng, report)
    return finish(task, search.best, report)


def begin(task: Problem, config: ImprovedConfig) -> Search:
    """A search that has not begun."""
    shape = task.tracked.num_fragments, task.actions.size
    return Search(
        mean=np.zeros(shape),
        variance=np.tile((config.window * task.actions.share) ** 2, (shape[0], 1)),
        committed=np.zeros(shape),
        start=np.array(task.start),
        least_cost=np.full(shape[0], NEVER),
        updates=np.zeros(shape[0], dtype=np.int64),
        stale=np.zeros(shape[0], dtype=np.int64),
        best=np.zeros(shape),
    )


def step(
    task: Problem, search: Search, config: ImprovedConfig, rng: np.random.Generator, report: Report, progress: Progress | None
) -> None:
    """One pass, and what is learnt from it."""
    clip = task.tracked
    fragments = clip.num_fragments
    first = 0 if search.refining else search.first
    last = fragments if search.refining else min(first + config.sliding, fragments)

    def draw(fragment: int, z: Array) -> Array:
        return search.mean[fragment] + np.sqrt(search.variance[fragment]) * first_is_mean(z)

    watch = None if progress is None else progress.watch(clip, search.done, max(config.passes, search.done + 1))
    start = task.start if first == 0 else search.start
    generations = goal(task, search).sample(rng, draw, start, first, last, watch)
    search.done += 1
    search.spent += max(last - first, 1) / fragments
    reached = first + len(generations)
    whole = reached == fragments
    chosen, rank = choose(task, generations, search.committed[:first])
    success = rank[0] == 0.0
    gained = rank < search.rank and not (rank[:2] == search.rank[:2] and rank[2] > 0.99 * search.rank[2])
    search.idle = 0 if gained else search.idle + 1
    if rank < search.rank:
        search.best, search.rank = chosen, rank
    report.passed(
        generations, clip, rank, first=first, refining=search.refining, window=float(np.sqrt(search.variance.max())), error=rank[2]
    )
    learn(search, config, generations, first, task.actions.share, success)
    if success:
        search.refining = True
    elif search.refining and config.replace_reference and search.rank[0] == 0.0:
        search.replaced = np.array(search.best)
    if not search.refining:
        slide(task, search, config, generations, first, whole)


def learn(search: Search, config: ImprovedConfig, generations: list[Generation], first: int, share: Array, success: bool) -> None:
    """Move the distributions of the fragments that were sampled."""
    narrow = (config.narrowest * share) ** 2
    shrink = config.shrink**2 if success else 1.0
    for k, (actions, height) in enumerate(ranked(generations), first):
        mean, variance = moved(search.mean[k], search.variance[k], actions, config.rate)
        search.mean[k] = averaged(actions, height) if search.refining else mean
        search.variance[k] = np.maximum(shrink * variance, narrow)
        search.updates[k] += 1
        generation = generations[k - first]
        cost = float(generation.costs[generation.elites[0]])
        search.stale[k] = 0 if cost < 0.99 * search.least_cost[k] else search.stale[k] + 1
        search.least_cost[k] = min(cost, search.least_cost[k])
    if success:
        search.shrunk *= config.shrink


def slide(task: Problem, search: Search, config: ImprovedConfig, generations: list[Generation], first: int, whole: bool) -> None:
    """Let converged fragments at the window's beginning leave it, and start behind them from now on."""
    ready = 0
    for k in range(first, first + len(generations)):
        converged = search.updates[k] >= config.least and search.stale[k] >= config.patience
        if not (converged or search.updates[k] >= config.most):
            break
        ready += 1
    ready = min(ready, len(generations) - 1) if not whole else 0
    if ready < 1:
        return
    path = best_path(generations)
    actions = np.array([generations[k].actions[path[k]] for k in range(ready)])
    rows = task.perform(actions[None], search.start if first else task.start, first)
    search.start = np.array(rows[0, -1])
    search.committed[first : first + ready] = actions
    search.first = first + ready


def goal(task: Problem, search: Search) -> Problem:
    """The problem with costs measured against the last success, where a pass has failed since."""
    if not search.replaced.size:
        return task
    clip, layout = task.tracked, task.engine.layout
    rows = task.perform(search.replaced[None])[0]
    body = clip.character.model
    qpos, qvel = rows[:, layout.qpos][:, : body.nq], rows[:, layout.qvel][:, : body.nv]
    return replace(task, reference=clip.moved_to(qpos, qvel, task.engine))


def at_floor(search: Search, config: ImprovedConfig) -> bool:
    """Whether the window can hardly shrink any more."""
    return config.window * search.shrunk <= config.narrowest / config.shrink
