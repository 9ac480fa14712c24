"""`reconstruct`: a clip performed in physics by the cheapest method that succeeds.

    basic       a pass of samples, at most three                              seconds a second of motion
    improved    passes that learn from one another until nothing is gained    a minute a second of motion

"auto" begins with the first and goes on to the next when it fails. Every method has random numbers of its own, so that one gives the same
whether it was asked for or escalated to. Work is kept in a run folder after every pass; going on from there ends in the same bytes.
"""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np

from surefoot.errors import InputError, unknown_name
from surefoot.physics.batch import BatchEngine
from surefoot.physics.scene import Scene
from surefoot.policy.reference import Reference
from surefoot.reconstruct.improved import ImprovedConfig, Search, improved
from surefoot.reconstruct.outcome import Outcome, Progress, Report
from surefoot.reconstruct.prepare import Prepared
from surefoot.reconstruct.samcon import SamconConfig, samcon
from surefoot.reconstruct.timeline import timeline
from surefoot.reconstruct.transform import on_ground
from surefoot.run import Run, open_run, random_state, restored

METHODS = ("basic", "improved")
"""From the cheapest to the dearest."""
SAMPLES = {"basic": 1500, "improved": 600}
LONGEST = 300.0
"""Seconds of motion that are reconstructed at once."""


@dataclass(frozen=True, kw_only=True)
class ReconstructConfig:
    """How a clip is reconstructed. The defaults need no thought."""

    method: Literal["auto", "basic", "improved"] = "auto"
    """auto begins with basic and goes on to improved when it fails."""
    samples: int | None = None
    """Simulations side by side; 1500 with basic and 600 with improved when it is not given."""
    fragment: float = 0.1
    """How long an action lasts [s]."""
    basic: SamconConfig = field(default_factory=SamconConfig)
    improved: ImprovedConfig = field(default_factory=ImprovedConfig)

    def __post_init__(self) -> None:
        if self.method not in ("auto", *METHODS):
            raise unknown_name("method", self.method, ("auto", *METHODS))
        if self.samples is not None and not 2 <= self.samples <= 100_000:
            raise InputError(f"samples: expected 2 to 100000, got {self.samples}.")
        if not 0.02 <= self.fragment <= 1.0:
            raise InputError(f"fragment: expected 0.02 to 1 s, got {self.fragment:g}.")

    @property
    def stages(self) -> tuple[str, ...]:
        """Methods in the order in which they are tried."""
        return METHODS if self.method == "auto" else (self.method,)


def reconstruct(
    fitted: Prepared,
    config: ReconstructConfig | None = None,
    *,
    scene: Scene | None = None,
    seed: int = 0,
    threads: int = 0,
    progress: Progress | None = None,
    folder: str | Path | None = None,
    resume: bool = False,
) -> Outcome:
    """A performance of a clip that was fitted to a character (`prepare`), in a scene.

    `folder` keeps the work after every pass; `resume` goes on with what is in it.
    """
    config = config or ReconstructConfig()
    reference = fitted.reference if scene is None else on_ground(fitted.reference, scene)
    if reference.duration > LONGEST:
        raise InputError(f"a clip of {reference.duration:.0f} s is longer than the {LONGEST:.0f} s that are reconstructed at once; cut it.")
    if folder is None:
        return _stages(fitted, config, reference, scene, seed, threads, progress, None)
    poses = hashlib.sha256(np.ascontiguousarray(reference.qpos).tobytes()).hexdigest()
    body = hashlib.sha256(fitted.character.xml.encode()).hexdigest()
    asked = {
        "config": asdict(config),
        "seed": seed,
        "character": body,
        "clip": poses,
        "frame_time": reference.frame_time,
        "scene": (scene or Scene()).to_json(),
    }
    with open_run(folder, asked, resume=resume) as run:
        return _stages(fitted, config, reference, scene, seed, threads, progress, run)


def _stages(
    fitted: Prepared,
    config: ReconstructConfig,
    reference: Reference,
    scene: Scene | None,
    seed: int,
    threads: int,
    progress: Progress | None,
    run: Run | None,
) -> Outcome:
    """Method after method until one succeeds."""
    kept = run.latest if run is not None else None
    begin = int(kept.facts["stage"]) if kept is not None else 0
    before: list[str] = list(kept.facts["before"]) if kept is not None else []
    spent = dict(kept.facts["spent"]) if kept is not None else {"physics_steps": 0, "core_s": 0.0, "wall_s": 0.0}
    found: Outcome | None = None
    for stage, method in enumerate(config.stages):
        if stage < begin:
            continue
        engine = BatchEngine(fitted.character, config.samples or SAMPLES[method], threads, scene)
        clip = timeline(reference, engine, fragment=config.fragment)
        rng = np.random.default_rng([seed, METHODS.index(method)])
        if method == "basic":
            found = samcon(clip, engine, config.basic, rng, progress)
        else:
            keep = None if run is None else partial(_keep, run, stage, before, spent)
            went = kept if kept is not None and kept.facts.get("search") is not None else None
            if went is None:
                found = improved(clip, engine, config.improved, rng, progress, keep)
            else:
                search = Search.restored(went.facts["search"], went.arrays)
                resumed = search, dict(went.facts["report"])
                found = improved(clip, engine, config.improved, restored(went.facts["rng"]), progress, keep, resumed)
        spent = {name: spent[name] + found.stats[name] for name in spent}
        if found.success:
            break
        before.append(found.status.split(";")[0])
        if run is not None and stage + 1 < len(config.stages):
            run.checkpoint(_step(stage + 1, 0), {"stage": stage + 1, "before": before, "spent": spent}, {})
    assert found is not None
    told = found.status if not before or not found.success else f"{found.status} (before: {'; '.join(before)})"
    return replace(found, status=told, stats={**found.stats, **spent, "tried": [*config.stages[: stage + 1]]})


def _keep(run: Run, stage: int, before: list[str], spent: dict[str, Any], search: Search, rng: np.random.Generator, report: Report) -> None:
    """A checkpoint after a pass of the improved method."""
    facts = {
        "stage": stage,
        "before": before,
        "spent": spent,
        "search": search.facts(),
        "report": report.facts(),
        "rng": random_state(rng),
    }
    run.checkpoint(_step(stage, search.done), facts, search.arrays())


def _step(stage: int, passes: int) -> int:
    """A number that grows from checkpoint to checkpoint."""
    return stage * 1_000_000 + passes
