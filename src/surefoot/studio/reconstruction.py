"""Reconstruction as work of the studio: SAMCON, basic or improved, watched and stopped from the page."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field, replace
from typing import cast

import numpy as np
from numpy.typing import NDArray

from surefoot.bundle import Bundle, performing
from surefoot.errors import InputError
from surefoot.physics.batch import BatchEngine
from surefoot.policy.policy import Policy
from surefoot.reconstruct.escalate import METHODS, SAMPLES
from surefoot.reconstruct.improved import ImprovedConfig, Search, improved
from surefoot.reconstruct.outcome import Outcome, Report, finish
from surefoot.reconstruct.problem import Problem, Watch
from surefoot.reconstruct.samcon import SamconConfig, choose, problem, samcon
from surefoot.reconstruct.timeline import Timeline, timeline
from surefoot.reconstruct.tree import Generation, best_path
from surefoot.studio.fields import plain
from surefoot.studio.work import Kind, ShouldStop, Step, Tell

Array = NDArray[np.float64]

OFTEN = 1.0
"""Seconds between two looks at the best move so far."""
MOST = 100_000
"""Samples."""


@dataclass(frozen=True, kw_only=True)
class Sampling:
    """What both methods take."""

    samples: int = SAMPLES["basic"]
    """Simulations side by side: more find harder moves and take longer."""
    seed: int = 0
    """Where random numbers start. The same seed gives the same move."""

    def __post_init__(self) -> None:
        if not 1 <= self.samples <= MOST:
            raise InputError(f"samples: 1 to {MOST} can be simulated side by side, got {self.samples}.")
        if self.seed < 0:
            raise InputError(f"seed: a whole number from 0 up, got {self.seed}.")


@dataclass(frozen=True, kw_only=True)
class BasicWork(Sampling):
    """Basic SAMCON."""

    search: SamconConfig = field(default_factory=SamconConfig)
    """How it searches."""


@dataclass(frozen=True, kw_only=True)
class ImprovedWork(Sampling):
    """Improved SAMCON."""

    samples: int = SAMPLES["improved"]
    """Simulations side by side in every pass."""
    search: ImprovedConfig = field(default_factory=ImprovedConfig)
    """How it searches."""


class Stopped(Exception):
    """Somebody wants the best so far."""


class Onlooker:
    """Looks on as a search goes: tells, and stops it."""

    def __init__(self, task: Problem, tell: Tell, should_stop: ShouldStop, passes: int | None = None) -> None:
        """`passes` is how many make the whole; None where one may be enough."""
        self._tell, self._should_stop, self._passes = tell, should_stop, passes
        alone = BatchEngine(task.engine.character, 1, 1, task.engine.scene)
        self._alone = replace(task, engine=alone)  # so that looking leaves the search's simulations as they are
        self._looked = 0.0
        self.longest: list[Generation] = []
        self.search: Search | None = None

    def watch(self, clip: Timeline, trial: int, trials: int) -> Watch:
        """For the search: what to call after every fragment of a pass."""
        generations: list[Generation] = []

        def after(k: int, generation: Generation) -> None:
            generations.append(generation)
            if len(generations) >= len(self.longest):
                self.longest = generations
            reached = min(clip.span(k)[1] * clip.period, clip.duration)
            cost = float(generation.costs[generation.elites].min())
            said = f"pass {trial + 1} of at most {trials}: {reached:.1f} s of {clip.duration:.1f} s, cost {cost:.2f}"
            done = (k + 1) / clip.num_fragments
            best = None
            if self.search is None and time.monotonic() - self._looked >= OFTEN:
                path = best_path(generations)
                best = self._poses(np.array([g.actions[j] for g, j in zip(generations, path, strict=True)]))
            self._say(done if self._passes is None else (trial + done) / self._passes, said, best, clip.period)

        return after

    def passed(self, search: Search, rng: np.random.Generator, report: Report) -> None:
        """For improved SAMCON: what to call after every pass."""
        self.search = search
        best = self._poses(search.best) if time.monotonic() - self._looked >= OFTEN else None
        how = f"performed, joints {1e3 * search.rank[2]:.0f} mm off" if search.rank[0] == 0.0 else f"{-search.rank[1]:.1f} s survived"
        self._say(search.done / (self._passes or search.done), f"pass {search.done}: {how}", best, self._alone.tracked.period)

    def _say(self, part: float, said: str, best: Array | None, frame_time: float) -> None:
        if best is not None:
            self._looked = time.monotonic()
        self._tell(Step(part=min(part, 1.0), said=said, best=best, frame_time=frame_time))
        if self._should_stop():
            raise Stopped

    def _poses(self, actions: Array) -> Array | None:
        """The move (T, nq) under actions (f, d) of the first fragments."""
        rows = self._alone.perform(actions[None])[0]
        rows = rows[np.isfinite(rows[:, 0])]
        first, nq = self._alone.engine.layout.qpos.start, self._alone.engine.character.model.nq
        return np.array(rows[:, first : first + nq]) if len(rows) > 1 else None


def random_numbers(config: Sampling, method: str) -> np.random.Generator:
    """Those that `surefoot reconstruct` draws with the same seed."""
    return np.random.default_rng([config.seed, METHODS.index(method)])


def prepared(bundle: Bundle, samples: int) -> tuple[BatchEngine, Timeline]:
    """The engine and the clip in it. One processor is left to whoever looks on."""
    engine = BatchEngine(bundle.character, samples, max((os.cpu_count() or 2) - 1, 1), bundle.scene)
    return engine, timeline(bundle.reference, engine)


def basic_work(bundle: Bundle, config: BasicWork, tell: Tell, should_stop: ShouldStop) -> Bundle:
    """Basic SAMCON on what is on stage."""
    engine, clip = prepared(bundle, config.samples)
    task = problem(clip, engine, config.search)
    onlooker = Onlooker(task, tell, should_stop)
    try:
        done = samcon(clip, engine, config.search, random_numbers(config, "basic"), onlooker)
    except Stopped:
        done = finish(task, choose(task, onlooker.longest)[0], Report(method="basic", engine=engine))
    return result(bundle, done, "basic", config)


def improved_work(bundle: Bundle, config: ImprovedWork, tell: Tell, should_stop: ShouldStop) -> Bundle:
    """Improved SAMCON on what is on stage."""
    engine, clip = prepared(bundle, config.samples)
    task = problem(clip, engine, config.search)
    onlooker = Onlooker(task, tell, should_stop, config.search.passes)
    rng = random_numbers(config, "improved")
    try:
        done = improved(clip, engine, config.search, rng, onlooker, onlooker.passed)
    except Stopped:
        found = onlooker.search
        actions = choose(task, onlooker.longest)[0] if found is None else found.best
        done = finish(task, actions, Report(method="improved", engine=engine))
    return result(bundle, done, "improved", config)


def result(bundle: Bundle, done: Outcome, method: str, config: Sampling) -> Bundle:
    """The bundle with what was found."""
    found, clip = done.value, done.value.timeline
    made = bundle.replace(
        policy=cast(Policy, found.policy),
        method=method,
        success=done.success,
        result={**found.judgement.to_json(), "status": done.status, "duration_s": clip.duration},
        config=plain(config),
        seed=config.seed,
        curves=dict(found.terms),
        starts=None,
    )
    return performing(made)


BASIC = "Samples moves in physics until one performs what is on stage: seconds to a minute. It has no feedback yet: a push makes it fall."
IMPROVED = "For moves that the basic way does not find: passes that learn from one another. Minutes."
KINDS = (
    Kind(name="basic", title="Reconstruct (basic)", about=BASIC, config=BasicWork, top=("samples", "seed"), run=basic_work),
    Kind(name="improved", title="Reconstruct (improved)", about=IMPROVED, config=ImprovedWork, top=("samples", "seed"), run=improved_work),
)
