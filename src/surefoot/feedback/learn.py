"""From a clip in a character's joints to a skill: decide, cut, learn, and find the orbit that the skill settles on.

    clip -> cycle or once (`decide`) -> fragments (`cycle`) -> policy (`guided`) -> orbit (`orbit`)

Work goes through a run folder, where one is given: killed and resumed, it ends in the same bytes. Ctrl-C keeps the best so far.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.character.character import Character
from surefoot.doctor import versions
from surefoot.feedback.cycle import Cycle, cycle
from surefoot.feedback.guided import Guided, GuidedConfig, Search
from surefoot.feedback.orbit import orbit
from surefoot.feedback.policy import LinearFeedback
from surefoot.physics.batch import BatchEngine
from surefoot.policy.reference import Reference
from surefoot.run import Run, open_run

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, kw_only=True)
class Learned:
    """A skill, and how it was come by."""

    policy: LinearFeedback
    reference: Reference
    """The cycle, or the clip, that it performs."""
    starts: Reference | None
    """What it settles on; None when it falls before that."""
    score: float
    """Part of the time that it stood in the last trial, pushed by `force` [N]."""
    force: float
    history: list[dict[str, Any]]
    interrupted: bool
    stats: dict[str, Any]


def learn(
    character: Character,
    qpos: Array,
    frame_time: float,
    config: GuidedConfig | None = None,
    *,
    repeats: bool,
    even: bool = False,
    seed: int = 0,
    threads: int = 0,
    tell: Callable[[float, str], None] | None = None,
    watch: Callable[[Reference, Search], None] | None = None,
    folder: str | Path | None = None,
    resume: bool = False,
    source: str = "",
) -> Learned:
    """Learn to perform poses (n, nq): a cycle that `repeats` (its last pose is its first, moved along the floor) or a skill that ends.

    `even` says that a cycle is symmetric. `source` tells the run folder what it is about. `tell` hears how far it is; `watch` sees
    what is to be performed and the search, before the first iteration and after every one. KeyboardInterrupt from either is Ctrl-C.
    """
    config = config or GuidedConfig()
    wall, core = time.perf_counter(), time.process_time()
    course = cycle(character, qpos, frame_time, BatchEngine(character, 1, 1), fragment=config.fragment, even=even, once=not repeats)
    work = Guided(course, config, even=even, seed=seed, threads=threads)
    search = work.begin()
    asked = {"guided": asdict(config), "seed": seed, "repeats": repeats, "even": even, "source": source, "versions": versions()}
    stopped = False
    reference = _performed(course)
    if tell is not None:
        for walks in (work.one, work.open, work.many):
            walks.tell = partial(_tell_part, tell, search, config)
    with nullcontext() if folder is None else open_run(folder, asked, resume=resume) as run:
        if run is not None and run.latest is not None:
            search.restore(run.latest.facts, run.latest.arrays)
        try:
            if watch is not None:
                watch(reference, search)
            while not work.over(search):
                work.step(search)
                _keep(run, search)
                if tell is not None:
                    tell(search.done / config.iterations, said(search, config))
                if watch is not None:
                    watch(reference, search)
        except KeyboardInterrupt:
            if search.score < 0.0:
                raise
            stopped = True
    stats = {
        "iterations": search.done,
        "physics_steps": work.physics_steps,
        "core_s": time.process_time() - core,
        "wall_s": time.perf_counter() - wall,
    }
    return Learned(
        policy=search.best,
        reference=reference,
        starts=_starts(course, search, reference),
        score=search.score,
        force=search.force,
        history=search.history,
        interrupted=stopped,
        stats=stats,
    )


def said(search: Search, config: GuidedConfig) -> str:
    """Where learning stands, for a line of progress."""
    last = search.history[-1]
    where = f"iteration {search.done} of at most {config.iterations}"
    if last.get("lost"):
        return f"{where}: all walks lost; next, from the best, more widely"
    pushed = f" under pushes of {last['force']:.0f} N" if last["force"] else ""
    stood, best = 100.0 * last["stood"], 100.0 * last["best"]
    return f"{where}: {stood:.0f} % stand{pushed}; best {best:.0f} %"


def _tell_part(tell: Callable[[float, str], None], search: Search, config: GuidedConfig, part: float) -> None:
    """Within an iteration, whose walks take the most of it."""
    before = f"; {said(search, config)}" if search.history else ""
    where = f"iteration {search.done + 1} of at most {config.iterations}, {100.0 * part:.0f} % of its walks"
    tell((search.done + 0.8 * part) / config.iterations, where + before)


def _keep(run: Run | None, search: Search) -> None:
    if run is not None:
        run.checkpoint(search.done, search.facts(), search.arrays())
        run.log(str(search.history[-1]))


def _performed(course: Cycle) -> Reference:
    """The reference: all of a cycle, a skill that ends without its hold."""
    last = int(course.edges[-2 if course.ends else -1]) + 1
    return Reference(character=course.character, qpos=course.qpos[:last], frame_time=course.period, cycle=not course.ends)


def _starts(course: Cycle, search: Search, reference: Reference) -> Reference | None:
    if course.ends:
        return None
    rows = search.best_starts[0]
    mean = orbit(search.best, course, rows[:8])
    return None if mean is None else Reference(character=reference.character, qpos=mean, frame_time=course.period, cycle=True)
