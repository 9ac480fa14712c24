"""Learning as work of the studio: guided SAMCON, watched and stopped from the page.

What is shown meanwhile is the best policy of the last iteration, played in physics from the clip's beginning: it falls later and later.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from surefoot.bundle import Bundle, perform, performing
from surefoot.bundle.learned import MACHINE, TRIED, judged
from surefoot.errors import InputError
from surefoot.feedback.decide import decide
from surefoot.feedback.guided import GuidedConfig, Search
from surefoot.feedback.learn import learn
from surefoot.physics.scene import Scene
from surefoot.policy.reference import Reference
from surefoot.reconstruct.prepare import prepare
from surefoot.studio.fields import plain
from surefoot.studio.work import Kind, ShouldStop, Step, Tell
from surefoot.studio.world import beside

SHOWN = 6.0
"""Seconds of the best so far that are shown."""
SOON = replace(TRIED, episodes=16, seconds=10.0)
"""How work that was stopped is judged: somebody waits."""


@dataclass(frozen=True, kw_only=True)
class GuidedWork:
    """Guided SAMCON."""

    shape: Literal["auto", "cycle", "once"] = "auto"
    """auto decides from the clip whether it repeats; cycle has it repeat, once has it end and hold."""
    seed: int = 0
    """Where random numbers start. The same seed gives the same skill."""
    learning: GuidedConfig = field(default_factory=GuidedConfig)
    """How it learns."""

    def __post_init__(self) -> None:
        if self.seed < 0:
            raise InputError(f"seed: a whole number from 0 up, got {self.seed}.")


def guided_work(bundle: Bundle, config: GuidedWork, tell: Tell, should_stop: ShouldStop) -> Bundle:
    """A skill that keeps on its feet, learned from the poses on stage."""
    if bundle.scene != Scene():
        raise InputError("skills are learned on flat ground without obstacles; this stage has others. Open the motion itself.")
    clip = bundle.character.motion(bundle.reference.qpos, bundle.reference.frame_time, name=bundle.name)
    decision = decide(clip, config.shape)
    fitted = prepare(decision.motion, bundle.character)
    part = 0.0

    def told(done: float, said: str) -> None:
        nonlocal part
        part = max(part, 0.95 * done)  # the last is judging
        tell(Step(part=part, said=said))
        if should_stop():
            raise KeyboardInterrupt

    def watch(reference: Reference, search: Search) -> None:
        policy = search.policy if search.score < 0.0 else search.best
        done = perform(bundle.replace(policy=policy, reference=reference), SHOWN if reference.cycle else reference.duration + 1.0)
        wanted = reference.at(np.arange(len(done.qpos)) * done.frame_time)
        if len(done.qpos) > 1:
            ghost = np.array([beside(*pair, bundle.character.forward) for pair in zip(done.qpos, wanted, strict=True)])
            how = "the policy before learning" if search.score < 0.0 else f"best after iteration {search.done}"
            tell(Step(part=part, said=how, best=done.qpos, ghost=ghost, frame_time=done.frame_time))
        if should_stop():
            raise KeyboardInterrupt

    try:
        found = learn(
            fitted.character,
            fitted.qpos,
            decision.motion.frame_time,
            config.learning,
            repeats=decision.cycle,
            even=decision.symmetric,
            seed=config.seed,
            threads=max((os.cpu_count() or 2) - 1, 1),
            tell=told,
            watch=watch,
        )
    except KeyboardInterrupt:
        raise InputError("it was stopped before anything was learned; there is nothing to keep.") from None
    tell(Step(part=max(part, 0.95), said="judging it in episodes that it never saw"))
    trial, why = judged(found, seed=config.seed, threads=0, config=SOON if found.interrupted else TRIED)
    stands = f"{100.0 * trial.survival_rate:.0f} % of {len(trial.standing)} perturbed episodes stand to their end"
    values = {key: value for key, value in trial.to_json().items() if key not in MACHINE}
    made = bundle.replace(
        policy=found.policy,
        reference=found.reference,
        starts=found.starts,
        method="guided",
        success=not why,
        result={**values, "why": why, "decision": decision.why, "iterations": found.history, "status": why or stands},
        config=plain(config),
        seed=config.seed,
        start=bundle.start + decision.first * bundle.reference.frame_time,
        curves={"survival": np.array([one.get("best", 0.0) for one in found.history])},
        performance=None,
    )
    return performing(made)


ABOUT = "Feedback that keeps it on its feet, learned by sampling: minutes to half an hour. Stop it whenever the best is good enough."
KINDS = (Kind(name="guided", title="Learn to stay up", about=ABOUT, config=GuidedWork, top=("shape", "seed"), run=guided_work),)
