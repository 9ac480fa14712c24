"""What every method of this folder works on: a reference, what an action turns, what a state costs, and an engine to try it in.

One sampling pass (Simulation for Control, Algorithm 1, lines 2 to 11) goes from fragment to fragment:

    a_k^j ~ N(mean_k, spread_k spread_k^T),   s_k^j = simulate(s_k-1^j, a_k^j),   E_k^j,   elites,   resample

N samples, F fragments, d numbers an action. Random numbers are drawn here, by the width, so that threads cannot change them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from surefoot.physics.batch import BatchEngine
from surefoot.physics.features.algebra import array_namespace, norm
from surefoot.policy import ground
from surefoot.policy.success import HEIGHT, PLACE, ROTATION, Judgement, SuccessRule
from surefoot.reconstruct.actions import Actions
from surefoot.reconstruct.cost import Cost, angle
from surefoot.reconstruct.resampling import elites, shares, systematic
from surefoot.reconstruct.timeline import Timeline, seen_at
from surefoot.reconstruct.tree import Generation

Array = NDArray[np.float64]

ENOUGH = 0.02
"""Samples within the limits, as a part of all, that make those beyond them lost."""
BEYOND = 2.0
"""Times the limits at which a sample is lost in any case."""


class Draw(Protocol):
    """Actions (N, d) of fragment k from standard normal numbers z (N, d)."""

    def __call__(self, fragment: int, z: Array) -> Array: ...


Watch = Callable[[int, Generation], None]
"""Called after every fragment."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Problem:
    """A clip to be performed."""

    engine: BatchEngine
    reference: Timeline
    """What costs are measured against."""
    tracked: Timeline
    """What the targets are made of, and success is judged by."""
    actions: Actions
    cost: Cost
    lead: float
    """[s]"""
    num_elites: int
    keep: float
    """Part of the samples that may become elites."""

    @cached_property
    def targets(self) -> Array:  # (T + 1, nu)
        """Targets without offsets: where servos stand at the beginning, and what they reach by the end of every control period."""
        plan = self.tracked.plan(np.zeros((1, self.actions.num_targets)), 0.0)
        ends = np.arange(-1, self.tracked.num_periods) * self.tracked.period + self.tracked.period
        return plan.reference_at(ends + self.lead)

    @cached_property
    def start(self) -> Array:
        """The row in which the clip begins (S,), servos without offset."""
        clip = self.tracked
        return np.asarray(self.engine.rows(clip.qpos[0], clip.qvel[0], self.targets[0]))

    def begin(self, row: Array, fragment: int, actions: Array) -> Array:
        """A row (S,) as the start of a fragment under actions (N, d): rows (N, S). At the clip's beginning servos stand where they lead."""
        rows = np.tile(row, (len(actions), 1))
        if fragment == 0:
            ctrl = self.engine.layout.ctrl
            turned = self.tracked.servos.compose(self.targets[0], self.actions.offsets(actions))
            rows[:, ctrl.start : ctrl.start + self.actions.num_targets] = turned
        return rows

    def sample(
        self, rng: np.random.Generator, draw: Draw, start: Array, first: int, last: int, watch: Watch | None = None
    ) -> list[Generation]:
        """A pass from fragment `first` to before `last`, from a row (S,). It ends early when all samples are lost."""
        engine, num = self.engine, self.engine.num_simulations
        parents = np.zeros(num, dtype=np.int64)
        out: list[Generation] = []
        for k in range(first, last):
            actions = draw(k, rng.standard_normal((num, self.actions.size)))
            u = float(rng.random())
            if k == first:
                engine.state[:] = self.begin(start, k, actions)
            costs, terms = self.attempt(k, actions)
            chosen = elites(costs, self.num_elites, self.keep)
            if not len(chosen):
                break
            now = Generation(actions=actions, costs=costs, elites=chosen, parents=parents, terms=terms)
            out.append(now)
            if watch is not None:
                watch(k, now)
            parents = chosen[systematic(shares(costs[chosen]), num, u)]
            engine.resample(parents)
        return out

    def attempt(self, fragment: int, actions: Array) -> tuple[Array, dict[str, Array]]:
        """Simulate a fragment under actions (N, d) from the engine's states: costs (N,), infinite for those lost, and their terms."""
        engine, clip = self.engine, self.reference
        begin, end = clip.span(fragment)
        off = np.zeros(engine.num_simulations, dtype=bool)

        def stop(k: int, state: Any) -> Any:
            height, turn = self._astray(state, begin + k + 1)
            worst = np.maximum(height, turn)
            np.logical_or(off, ~(worst <= 1.0), out=off)
            return ~(worst <= BEYOND)

        targets = self._targets(begin, end, actions)
        ran = engine.rollout(targets, clip.substeps, linear=True, stop=stop, record=False)
        terms = self.terms(end, actions)
        costs = np.where(ran.ok, self.cost.total(terms), np.inf)
        costs = np.where(np.isfinite(costs), costs, np.inf)
        if np.count_nonzero(np.isfinite(costs) & ~off) >= max(ENOUGH * len(costs), 1.0):
            costs[off] = np.inf
        return costs, terms

    def terms(self, moment: int, actions: Array) -> dict[str, Array]:
        """The terms of the cost (N,) of the engine's states, as those of the reference's row `moment`."""
        clip, layout = self.reference, self.engine.layout
        state = self.engine.state
        body = clip.character.model
        return self.cost.terms(
            state[:, layout.qpos][:, : body.nq],
            state[:, layout.qvel][:, : body.nv],
            self.engine.observe(),
            clip.qpos[moment : moment + 1],
            clip.qvel[moment : moment + 1],
            seen_at(clip.seen, moment),
            actions,
        )

    def perform(self, actions: Array, start: Array | None = None, first: int = 0) -> Array:
        """Rows (M, T + 1, S) of M performances under actions (M, F, d) from fragment `first` on: they are the samples', bit for bit."""
        many, fragments = actions.shape[:2]
        begin, end = self.tracked.span(first)[0], self.tracked.span(first + fragments - 1)[1]
        rows = np.full((many, end - begin + 1, self.engine.layout.size), np.nan)
        width = self.engine.num_simulations
        for m in range(0, many, width):
            ids = np.arange(min(width, many - m))
            self.engine.state[ids] = self.begin(self.start if start is None else start, first, actions[m : m + len(ids), 0])
            rows[m : m + len(ids), 0] = self.engine.state[ids]
            for k in range(fragments):
                a, b = self.tracked.span(first + k)
                targets = np.zeros((width, b - a, self.actions.num_targets))
                targets[ids] = self._targets(a, b, actions[m : m + len(ids), k])
                ran = self.engine.rollout(targets, self.tracked.substeps, linear=True, ids=ids)
                rows[m : m + len(ids), a - begin + 1 : b - begin + 1] = ran.states[ids]
        return rows

    @cached_property
    def rule(self) -> SuccessRule:
        """What success is judged by."""
        return self.tracked.rule(self.engine)

    def judge(self, rows: Array) -> Judgement:
        """Performances (M, T + 1, S) of the whole clip, judged."""
        seen = self.engine.observe(rows)
        return self.rule(seen.position, seen.rotation, finished=np.isfinite(rows[..., 0]).all(axis=-1))

    @cached_property
    def _anywhere(self) -> bool:
        """Whether the clip may be performed anywhere on the floor."""
        return ground.is_level(self.tracked.reference.scene)

    def _targets(self, begin: int, end: int, actions: Array) -> Array:
        """Targets (N, K, nu) of the periods from `begin` to before `end` under actions (N, d)."""
        offsets = self.actions.offsets(actions)
        return self.tracked.servos.compose(self.targets[begin + 1 : end + 1], offsets[:, None])

    def _astray(self, state: Any, moment: int) -> tuple[Any, Any]:
        """How far the roots (N,) are from the reference's row `moment`, in parts of what success allows: height or place, rotation."""
        clip, layout = self.tracked, self.engine.layout
        xp = array_namespace(state)
        q = layout.qpos.start
        apart = xp.abs(state[:, q + 2] - clip.qpos[moment, 2])
        if not ground.is_level(self.engine.scene):  # on its way down a body is off by one measure, on its way over a step by the other
            above = state[:, q + 2] - ground.height(self.engine.scene, state[:, q : q + 2])
            apart = xp.minimum(apart, xp.abs(above - (clip.qpos[moment, 2] - clip.level[moment])))
        height = apart / (HEIGHT * clip.length)
        if not self._anywhere:
            away = state[:, q : q + 2] - clip.qpos[moment, :2]
            height = xp.maximum(height, norm(away) / (PLACE * clip.length))
        turn = angle(state[:, q + 3 : q + 7], clip.qpos[moment : moment + 1, 3:7]) / ROTATION
        return height, turn
