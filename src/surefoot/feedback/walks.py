"""The oracle: SAMCON around the policy, many walks side by side (Simulation for Control, 3.2 and 3.5).

Walk w has n samples. For each fragment k, round after round of the cycle,

    a ~ N(M_k (s - s^_k) + a^_k, Sigma_k),     s' = simulate(s, a + eps),   eps ~ N(0, sigma_eps^2),     E(s', a),     elites,     resample

each walk among its own samples; eps is not told to the policy. A walk whose samples are all lost goes on as a copy of another that lives,
so that what led to the loss is left behind. Costs see the body where the walk stands: the reference is moved along the floor to each
sample's own place and heading at the fragment's beginning, because a closed loop may drift.

What is learned from are the samples whose descendants still live `horizon` fragments later, each weighing as many as they are (fixed-lag
smoothing of a particle filter); the one path that the paper keeps is the limit of a long horizon.
W walks, N = W n samples, d numbers an action.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from surefoot.feedback.cycle import Cycle
from surefoot.feedback.policy import LinearFeedback
from surefoot.motion import quaternion
from surefoot.physics.batch import BatchEngine
from surefoot.physics.features import Observation, facing, state_features
from surefoot.physics.push import Push, trunk
from surefoot.reconstruct.actions import Actions
from surefoot.reconstruct.cost import Cost, angle
from surefoot.reconstruct.resampling import elites, shares, systematic

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

LOW = 0.6
"""Part of the reference's root height below which a sample is lost."""
TURNED = 1.0
"""Angle between the root and the reference's, heading aside, beyond which a sample is lost [rad]."""


BACK, ROLLS = 8, 8
"""Fragments by which walks are rolled back when all of them are lost, and how often before they are given up."""
PUSHED, BETWEEN = 0.2, 1.5
"""How long a push lasts, and the mean time from one to the next [s]."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Tuples:
    """What one fragment is learned from."""

    features: Array  # (m, n)
    actions: Array  # (m, d)
    weights: Array  # (m,)


@dataclass(frozen=True, eq=False, kw_only=True)
class Steps:
    """What one fragment did to every sample that lived through it, noise included."""

    before: Array  # (m, n)
    tried: Array  # (m, d)
    after: Array  # (m, n)


@dataclass(eq=False, kw_only=True)
class Gathered:
    """What a pass of walks brought."""

    tuples: list[Tuples]
    """One a fragment."""
    steps: list[Steps]
    """One a fragment."""
    starts: list[Array]
    """Rows of simulations that lived on, where each fragment begins (m, S)."""
    losses: int = 0
    """Walks that had to be taken up from others."""
    cost: float = 0.0
    """Of the samples learned from, a fragment."""


@dataclass(eq=False)
class _Moment:
    """One fragment of all walks."""

    fragment: int
    features: Array
    actions: Array
    costs: Array
    rows: Array
    tried: Array
    after: Array
    lineage: Indices = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """Which of its samples each of the living descends from."""


@dataclass(frozen=True, eq=False)
class _Snapshot:
    """Where all walks stood before fragment k of their course."""

    k: int
    rows: Array
    alive: list[tuple[_Moment, Indices]]

    def restored(self) -> list[_Moment]:
        """The moments that were alive then, with the lineage that they had."""
        for moment, lineage in self.alive:
            moment.lineage = lineage
        return [moment for moment, _ in self.alive]


class Walks:
    """W walks of n samples each in an engine of W n simulations."""

    def __init__(self, engine: BatchEngine, cycle: Cycle, joints: Actions, num_walks: int, *, noise: float, horizon: int) -> None:
        self.engine = engine
        self.cycle = cycle
        self.joints = joints
        self.num_walks = num_walks
        self.noise = noise
        self.horizon = horizon
        self.cost = Cost(cycle.character)
        self.width = engine.num_simulations // num_walks
        self.used = self.width * num_walks
        self.tell: Callable[[float], None] | None = None
        """Told after every fragment which part of the walks is done; whatever it raises ends them."""

    def gather(
        self, policy: LinearFeedback, spread: Array, starts: Array, num_rounds: int, rng: np.random.Generator, force: float = 0.0
    ) -> Gathered | None:
        """Walk `num_rounds` times round the cycle from rows `starts` (any number, S). Where every walk is lost again and again
        it ends early; None when that is before every fragment was passed by walks that lived on.

        Now and then a walk is pushed along the floor, all its samples alike, by up to `force` [N].
        """
        engine, used, ids = self.engine, self.used, np.arange(self.used)
        course = self.cycle.course * num_rounds
        round_ = len(self.cycle.course) if self.cycle.ends else len(course)  # after this many fragments walks begin anew
        pushed = self._pushes(len(course), force, rng)
        kept: list[list[_Moment]] = [[] for _ in range(self.cycle.num_fragments)]
        alive: list[_Moment] = []
        before: list[_Snapshot] = []
        losses = back = k = 0
        while k < len(course):
            if k % round_ == 0:
                for done in alive:
                    kept[done.fragment].append(done)
                alive, before = [], []
                engine.state[:used] = np.repeat(starts[rng.integers(len(starts), size=self.num_walks)], self.width, axis=0)
            before = [*before[1 - min(BACK, self.horizon) :], _Snapshot(k, engine.state[:used].copy(), [(m, m.lineage) for m in alive])]
            moment, ended = self._fragment(course[k], policy, spread, rng, self._push(pushed[k]), ids)
            parents, lost = self._resample(moment.costs, rng)
            if parents is None:  # all are lost: go back, and try with other numbers
                back += 1
                if back > ROLLS:  # what was learned until then counts, where it tells of every fragment
                    return self._gathered(kept, losses)
                k, engine.state[:used], alive = before[0].k, before[0].rows, before[0].restored()
                before = []
                continue
            losses += lost
            engine.state[:used] = ended[parents]
            alive.append(moment)
            moment.lineage = np.arange(used)
            for earlier in alive:
                earlier.lineage = earlier.lineage[parents]
            if len(alive) > self.horizon:
                done = alive.pop(0)
                kept[done.fragment].append(done)
            k += 1
            if self.tell is not None:
                self.tell(k / len(course))
        for done in alive if self.cycle.ends else ():
            kept[done.fragment].append(done)
        return self._gathered(kept, losses)

    def _pushes(self, num: int, force: float, rng: np.random.Generator) -> Array:
        """Forces (num, W, 3) on every walk in every fragment: two fragments long, one and a half seconds apart on the average."""
        out = np.zeros((num, self.num_walks, 3))
        if force <= 0.0:
            return out
        fragment = self.cycle.duration / self.cycle.num_fragments
        long = max(round(PUSHED / fragment), 1)
        begin = rng.random((num, self.num_walks)) < fragment / BETWEEN
        toward, size = rng.uniform(0.0, 2.0 * np.pi, begin.shape), force * rng.uniform(0.0, 1.0, begin.shape)
        each = np.stack([size * np.cos(toward), size * np.sin(toward), 0.0 * size], axis=-1)
        free = np.zeros(self.num_walks, dtype=np.int64)
        for k in range(num):
            for w in np.flatnonzero(begin[k] & (free <= k)):
                out[k : k + long, w] = each[k, w]
                free[w] = k + 2 * long
        return out

    def _push(self, force: Array) -> tuple[Push, ...]:
        """The push on all samples during the coming fragment, of forces (W, 3) on the walks."""
        if not force.any():
            return ()
        layout, engine = self.engine.layout, self.engine
        every, begin = np.zeros((engine.num_simulations, 3)), np.full(engine.num_simulations, np.inf)
        every[: self.used] = np.repeat(force, self.width, axis=0)
        hit = every.any(axis=1)
        begin[hit] = engine.state[hit, layout.time]
        longest = float(np.diff(self.cycle.edges).max()) * self.cycle.period
        return (Push(body=trunk(self.cycle.character), force=every, start=begin, duration=longest),)

    def _fragment(
        self, f: int, policy: LinearFeedback, spread: Array, rng: np.random.Generator, pushes: Sequence[Push], ids: Indices
    ) -> tuple[_Moment, Array]:
        """Simulate fragment f with every sample; what was tried, and the rows it ended in."""
        engine, clip, used = self.engine, self.cycle, self.used
        rows = engine.state[:used].copy()
        seen = engine.observe(rows)
        features = np.asarray(state_features(seen, clip.body, near=clip.tilts[f]))
        here = np.full(used, f)
        actions = policy.actions(here, features) + spread[f] * rng.standard_normal((used, self.joints.size))
        tried = actions + self.noise * rng.standard_normal(actions.shape)
        begin, end = int(clip.edges[f]), int(clip.edges[f + 1])
        offsets = self.joints.offsets(tried)
        targets = np.empty((engine.num_simulations, end - begin, clip.servos.num))
        targets[used:] = policy.reference[begin:end]
        targets[:used] = clip.servos.compose(policy.reference[begin:end], offsets[:, None])
        engine.rollout(targets, clip.substeps, linear=True, ids=ids, pushes=pushes, record=False)
        ended = engine.state[:used].copy()
        after = engine.observe(ended)
        costs = self._costs(seen, after, ended, begin, end, actions)
        onward = np.asarray(state_features(after, clip.body, near=clip.tilts[f + 1 if f + 1 < clip.num_fragments else clip.again]))
        return _Moment(f, features, actions, costs, rows, tried, onward), ended

    def _costs(self, before: Observation, seen: Observation, ended: Array, begin: int, end: int, actions: Array) -> Array:
        """E (N,) of rows that ended a fragment, the reference being moved to where each sample began."""
        clip, layout = self.cycle, self.engine.layout
        front = clip.body.front
        cosine, sine = facing.heading(front(before.rotation[:, 0]))
        want_cosine, want_sine = facing.heading(front(clip.seen.rotation[begin, 0]))
        yaw = np.arctan2(want_sine, want_cosine) - np.arctan2(sine, cosine)  # (N,) turns a sample to the reference's heading
        turn = (np.cos(yaw), -np.sin(yaw))
        shift = np.array([*clip.seen.com[begin, :2], 0.0])

        def home(points: Array) -> Array:
            origin = np.concatenate([before.com[:, :2], np.zeros((len(yaw), 1))], axis=-1)
            if points.ndim == 3:
                return np.asarray(facing.into((turn[0][:, None], turn[1][:, None]), points - origin[:, None]) + shift)
            return np.asarray(facing.into(turn, points - origin) + shift)

        half = 0.5 * yaw
        zero = np.zeros_like(half)
        spin = np.stack([np.cos(half), zero, zero, np.sin(half)], axis=-1)
        qpos, qvel = ended[:, layout.qpos].copy(), ended[:, layout.qvel]
        qpos[:, 3:7] = quaternion.multiply(spin, qpos[:, 3:7])
        placed = Observation(
            position=seen.position,
            rotation=seen.rotation,
            center=home(seen.center),
            com=home(seen.com),
            com_velocity=facing.into(turn, seen.com_velocity),
            angular_momentum=facing.into(turn, seen.angular_momentum),
            twist=seen.twist,
        )
        want = clip.seen[np.array([end])]
        terms = self.cost.terms(qpos, qvel, placed, clip.qpos[end : end + 1], clip.qvel[end : end + 1], want, actions)
        costs = np.asarray(self.cost.total(terms))
        lost = ~(qpos[:, 2] > LOW * clip.qpos[end, 2]) | ~(angle(qpos[:, 3:7], clip.qpos[end : end + 1, 3:7]) < TURNED)
        return np.where(np.isfinite(costs) & ~lost, costs, np.inf)

    def _resample(self, costs: Array, rng: np.random.Generator) -> tuple[Indices | None, int]:
        """The parent (N,) of every sample of the next fragment, and how many walks were lost; None when all were."""
        num = max(int(0.3 * self.width), 2)
        u = rng.random(self.num_walks)
        parents = np.zeros((self.num_walks, self.width), dtype=np.int64)
        living: list[int] = []
        for w in range(self.num_walks):
            mine = costs[w * self.width : (w + 1) * self.width]
            chosen = elites(mine, num)
            if len(chosen) < 2:
                continue
            living.append(w)
            parents[w] = w * self.width + chosen[systematic(shares(mine[chosen]), self.width, u[w])]
        if not living:
            return None, self.num_walks
        for w in set(range(self.num_walks)) - set(living):
            parents[w] = parents[living[int(u[w] * len(living))]]
        return parents.reshape(-1), self.num_walks - len(living)

    def _gathered(self, kept: list[list[_Moment]], losses: int) -> Gathered | None:
        tuples, steps, starts, costs = [], [], [], []
        for moments in kept:
            if not moments:
                return None
            lived = [np.isfinite(moment.costs) for moment in moments]
            steps.append(
                Steps(
                    before=np.concatenate([moment.features[ok] for moment, ok in zip(moments, lived, strict=True)]),
                    tried=np.concatenate([moment.tried[ok] for moment, ok in zip(moments, lived, strict=True)]),
                    after=np.concatenate([moment.after[ok] for moment, ok in zip(moments, lived, strict=True)]),
                )
            )
            features, actions, weights, rows = [], [], [], []
            for moment in moments:
                samples, counts = np.unique(moment.lineage, return_counts=True)
                features.append(moment.features[samples])
                actions.append(moment.actions[samples])
                weights.append(counts / self.width)
                rows.append(moment.rows[samples])
                costs.append(float(np.average(moment.costs[samples], weights=counts)))
            tuples.append(Tuples(features=np.concatenate(features), actions=np.concatenate(actions), weights=np.concatenate(weights)))
            starts.append(np.concatenate(rows))
        return Gathered(tuples=tuples, steps=steps, starts=starts, losses=losses, cost=float(np.mean(costs)))
