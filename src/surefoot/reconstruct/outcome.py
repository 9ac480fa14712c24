"""What a reconstruction hands back: the performance, whether it succeeded, and if not what to try."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from surefoot.motion.motion import Motion
from surefoot.physics.batch import BatchEngine
from surefoot.physics.plan import Plan
from surefoot.reconstruct.cost import TERMS
from surefoot.reconstruct.problem import Problem, Watch
from surefoot.reconstruct.reference import Reference
from surefoot.reconstruct.tracking import Tracking
from surefoot.reconstruct.tree import Generation

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, kw_only=True)
class Performance:
    """A simulated clip. T control periods, F fragments."""

    reference: Reference
    plan: Plan
    actions: Array  # (F, d)
    states: Array  # (T + 1, S)
    """The engine's rows."""
    qpos: Array  # (T + 1, nq)
    tracking: Tracking
    terms: dict[str, Array]
    """Unweighted terms of the cost at the end of every fragment (F,)."""

    def motion(self, **fields: Any) -> Motion:
        """The simulation as a motion on the character's skeleton."""
        return self.reference.character.motion(self.qpos, self.reference.period, **fields)


@dataclass(frozen=True, eq=False, kw_only=True)
class Outcome:
    """A value, whether it is a success, and what to know about it."""

    value: Performance
    success: bool
    status: str
    """A sentence: what was reached, or what went wrong, at which second, and what to try."""
    stats: dict[str, Any]


class Progress(Protocol):
    """Somebody who is told how a search goes on."""

    def watch(self, reference: Reference, trial: int, trials: int) -> Watch: ...


@dataclass(eq=False, kw_only=True)
class Report:
    """What a search did, pass by pass."""

    method: str
    engine: BatchEngine
    passes: list[dict[str, Any]] = field(default_factory=list)
    began: float = field(default_factory=time.perf_counter)
    core_began: float = field(default_factory=time.process_time)
    steps_began: int = 0

    def __post_init__(self) -> None:
        self.steps_began = self.engine.physics_steps

    def passed(self, generations: list[Generation], reference: Reference, rank: tuple[float, ...], **more: Any) -> None:
        """Note a pass."""
        reached = reference.span(len(generations) - 1)[1] * reference.period if generations else 0.0
        mean = float(np.mean([g.costs[g.elites[0]] for g in generations])) if generations else None
        self.passes.append({"reached_s": min(reached, reference.duration), "success": rank[0] == 0.0, "best_cost": mean, **more})

    def stats(self) -> dict[str, Any]:
        """Counts and times so far."""
        return {
            "method": self.method,
            "num_passes": len(self.passes),
            "passes": self.passes,
            "physics_steps": self.engine.physics_steps - self.steps_began,
            "core_s": time.process_time() - self.core_began,
            "wall_s": time.perf_counter() - self.began,
        }


def finish(task: Problem, actions: Array, report: Report) -> Outcome:
    """The outcome of the best actions (F, d) that were found."""
    stats = report.stats()
    rows = task.perform(actions[None])
    tracking = task.judge(rows)[0]
    clip = task.tracked
    finite = np.isfinite(rows[0, :, 0])
    whole = int(np.argmin(finite)) if not finite.all() else len(finite)
    layout = task.engine.layout
    qpos = np.array(rows[0, :whole, layout.qpos][:, : clip.character.model.nq])
    value = Performance(
        reference=clip,
        plan=clip.plan(task.actions.offsets(actions), task.lead),
        actions=actions,
        states=rows[0, :whole],
        qpos=qpos,
        tracking=tracking,
        terms=_terms(task, rows[0], actions),
    )
    return Outcome(value=value, success=tracking.success, status=_status(tracking, report), stats=stats)


def _terms(task: Problem, rows: Array, actions: Array) -> dict[str, Array]:
    """The terms of the cost at the end of every fragment, seen as one batch."""
    clip = task.reference
    ends = np.array([clip.span(k)[1] for k in range(clip.num_fragments)])
    layout, body = task.engine.layout, clip.character.model
    at = rows[ends]
    seen, wanted = task.engine.observe(at), clip.seen[ends]
    terms = task.cost.terms(
        at[:, layout.qpos][:, : body.nq], at[:, layout.qvel][:, : body.nv], seen, clip.qpos[ends], clip.qvel[ends], wanted, actions
    )
    return {name: np.asarray(terms[name]) for name in TERMS}


def _status(tracking: Tracking, report: Report) -> str:
    errors = tracking.report()
    if tracking.success:
        return f"performed to the end, joints {errors['mpjpe_mm']:.0f} mm off on the average."
    advice = "try --method improved, more samples, or a wider window" if report.method == "basic" else "try more samples or a wider window"
    passes = len(report.passes)
    return f"not performed: {tracking.why()}, after {passes} {'pass' if passes == 1 else 'passes'}; {advice}."


Callback = Callable[[int, Generation], None]
