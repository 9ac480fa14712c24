"""What a reconstruction hands back: the performance, whether it succeeded, what it took, and if it failed what to try."""

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
from surefoot.policy.openloop import OpenLoop
from surefoot.policy.reference import Reference
from surefoot.policy.success import Judgement
from surefoot.reconstruct.cost import TERMS
from surefoot.reconstruct.problem import Problem, Watch
from surefoot.reconstruct.timeline import Timeline
from surefoot.reconstruct.tree import Generation

Array = NDArray[np.float64]

Tell = Callable[[float, str], None]
"""Told how much of the work is done, 0 to 1, and how it stands."""


class Progress(Protocol):
    """Somebody who looks on as a search goes."""

    def watch(self, clip: Timeline, trial: int, trials: int) -> Watch:
        """What to call after every fragment of pass `trial`, counted from 0, of at most `trials`."""


@dataclass(frozen=True, kw_only=True)
class Told:
    """Somebody who is told in a line."""

    tell: Tell

    def watch(self, clip: Timeline, trial: int, trials: int) -> Watch:
        """Every fragment's best cost and survivors."""

        def after(fragment: int, now: Generation) -> None:
            done = (trial + (fragment + 1) / clip.num_fragments) / trials
            cost, alive = float(now.costs[now.elites[0]]), int(np.isfinite(now.costs).sum())
            where = f"pass {trial + 1} of at most {trials}, fragment {fragment + 1} of {clip.num_fragments}"
            self.tell(min(done, 1.0), f"{where}: cost {cost:.2f}, {alive} alive")

        return after


@dataclass(frozen=True, eq=False, kw_only=True)
class Performance:
    """A simulated clip. T control periods, F fragments."""

    timeline: Timeline
    plan: Plan
    actions: Array  # (F, d)
    states: Array  # (T + 1, S)
    """The engine's rows."""
    qpos: Array  # (T + 1, nq)
    qvel: Array  # (T + 1, nv)
    judgement: Judgement
    terms: dict[str, Array]
    """Weighted terms of the cost at the end of every fragment (F,)."""

    @property
    def reference(self) -> Reference:
        """What was to be performed."""
        return self.timeline.reference

    @property
    def policy(self) -> OpenLoop:
        """The plan as a policy that players, evaluators and bundles know."""
        return OpenLoop(plan=self.plan, end="hold", period=self.timeline.period, linear=True)

    def motion(self, **fields: Any) -> Motion:
        """The simulation as a motion on the character's skeleton."""
        return self.reference.character.motion(self.qpos, self.timeline.period, **fields)


@dataclass(frozen=True, eq=False, kw_only=True)
class Outcome:
    """A value, whether it is a success, and what to know about it."""

    value: Performance
    success: bool
    status: str
    """A sentence: what was reached, or what went wrong, at which second, and what to try."""
    stats: dict[str, Any]
    """Method, passes and physics steps; and what the machine needed, `core_s` and `wall_s`."""

    def to_json(self) -> dict[str, Any]:
        """The verdict and what it took, under the names that commands write."""
        return {
            **self.value.judgement.to_json(),
            "duration_s": self.value.timeline.duration,
            "status": self.status,
            **{key: value for key, value in self.stats.items() if key != "passes"},
        }


@dataclass(eq=False, kw_only=True)
class Report:
    """What a search did, pass by pass, and what it cost; it goes on where an interrupted one stood."""

    method: str
    engine: BatchEngine
    passes: list[dict[str, Any]] = field(default_factory=list)
    _steps: int = 0
    _core: float = 0.0
    _wall: float = 0.0

    def __post_init__(self) -> None:
        self._steps -= self.engine.physics_steps
        self._core -= time.process_time()
        self._wall -= time.perf_counter()

    def passed(self, generations: list[Generation], clip: Timeline, rank: tuple[float, ...], *, first: int = 0, **more: Any) -> None:
        """Note a pass from fragment `first` on."""
        reached = clip.span(first + len(generations) - 1)[1] * clip.period if generations else first * clip.fragment_time
        mean = float(np.mean([g.costs[g.elites[0]] for g in generations])) if generations else None
        self.passes.append({"first": first, "reached_s": min(reached, clip.duration), "success": rank[0] == 0.0, "best_cost": mean, **more})

    def stats(self) -> dict[str, Any]:
        """Counts and times so far."""
        return {
            "method": self.method,
            "num_passes": len(self.passes),
            "num_samples": self.engine.num_simulations,
            "passes": self.passes,
            "physics_steps": self._steps + self.engine.physics_steps,
            "core_s": self._core + time.process_time(),
            "wall_s": self._wall + time.perf_counter(),
        }

    def facts(self) -> dict[str, Any]:
        """What a checkpoint keeps of it (JSON values)."""
        found = self.stats()
        return {name: found[name] for name in ("passes", "physics_steps", "core_s", "wall_s")}

    def go_on(self, facts: dict[str, Any]) -> None:
        """Count on from a checkpoint's facts."""
        self.passes = list(facts["passes"])
        self._steps += int(facts["physics_steps"])
        self._core += float(facts["core_s"])
        self._wall += float(facts["wall_s"])


def finish(task: Problem, actions: Array, report: Report) -> Outcome:
    """The outcome of the best actions (F, d) that were found."""
    rows = task.perform(actions[None])
    judgement = task.judge(rows)[0]
    clip = task.tracked
    finite = np.isfinite(rows[0, :, 0])
    whole = len(finite) if finite.all() else int(np.argmin(finite))
    layout = task.engine.layout
    value = Performance(
        timeline=clip,
        plan=clip.plan(task.actions.offsets(actions), task.lead),
        actions=actions,
        states=rows[0, :whole],
        qpos=np.array(rows[0, :whole, layout.qpos][:, : clip.character.model.nq]),
        qvel=np.array(rows[0, :whole, layout.qvel][:, : clip.character.model.nv]),
        judgement=judgement,
        terms=_terms(task, rows[0], actions),
    )
    success = bool(judgement.success)
    return Outcome(value=value, success=success, status=_status(judgement, report), stats=report.stats())


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
    return {name: getattr(task.cost.weights, name) * np.asarray(terms[name]) for name in TERMS}


def _status(judgement: Judgement, report: Report) -> str:
    passes = f"{len(report.passes)} {'pass' if len(report.passes) == 1 else 'passes'}"
    if judgement.success:
        off = f"joints {1e3 * float(judgement.joints):.0f} mm off on the average"
        return f"{report.method}: performed to the end after {passes}, {off}"
    advice = "try --method improved, or more --samples" if report.method == "basic" else "try more --samples, or another --seed"
    return f"{report.method}: not performed, {judgement.why}, after {passes}; {advice}"
