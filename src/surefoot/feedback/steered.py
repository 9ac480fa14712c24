"""A closed loop asked to turn: episodes side by side, each with actions of its own beside the policy's; who stands, how fast it turns.

Episodes begin perturbed as those of evaluation, and the same rule says who has fallen. N episodes, F fragments, d numbers an action.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.errors import InputError
from surefoot.feedback.policy import LinearFeedback
from surefoot.physics.batch import BatchEngine
from surefoot.physics.features import anatomy, facing, state_features
from surefoot.physics.mirror import mirror
from surefoot.physics.push import Push, trunk
from surefoot.policy.fall import FallRule
from surefoot.policy.perform import enter, perform
from surefoot.policy.policy import Memory
from surefoot.policy.reference import Reference
from surefoot.policy.states import States

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

SETTLE = 2.0
"""Turn rates are measured after this [s]."""
MEASURED = 1.0
"""For at least so long [s]."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Episodes:
    """How N episodes went."""

    lasted: Array  # (N,)
    """[s]"""
    rate: Array  # (N,)
    """Mean turn rate after the settling, anticlockwise [rad/s]; NaN for who fell before."""
    actions: Array  # (N, F, d)
    """Mean of each fragment after the settling."""


class Course:
    """A skill's closed loop in an engine, asked to turn."""

    def __init__(self, policy: LinearFeedback, reference: Reference, starts: Reference | None, num: int, threads: int = 0) -> None:
        """Episodes begin at poses of `starts`, by default the reference's own; falls are judged by the reference."""
        if policy.again != 0:
            raise InputError("a skill that ends does not travel: only a cycle learns to turn.")
        self.policy = policy
        self.starts = starts or reference
        self.character = reference.character
        self.engine = BatchEngine(self.character, num, threads)
        self.rule = FallRule(reference)
        self.body = anatomy(self.character)
        self.mirror = mirror(self.character, self.engine.layout).control[np.ix_(policy.columns, policy.columns)]
        self.substeps = round(policy.period / self.engine.timestep)

    @property
    def even(self) -> bool:
        """Whether the policy's second half is the mirror image of its first."""
        half, odd = divmod(self.policy.num_fragments, 2)
        return not odd and bool(np.allclose(self._image(self.policy.action[:half]), self.policy.action[half:], rtol=0.0, atol=1e-9))

    def whole(self, part: Array) -> Array:
        """Turns (..., F, d) of a symmetric gait from those of its first half (..., F / 2, d); of any other as they are."""
        return np.concatenate([part, -self._image(part)], axis=-2) if self.even else part

    def half(self, turn: Array) -> Array:
        """What `whole` makes a turn (F, d) of, the mean of both halves."""
        if not self.even:
            return turn
        half = len(turn) // 2
        return 0.5 * (turn[:half] - self._image(turn[half:]))

    def _image(self, turn: Array) -> Array:
        return np.asarray(np.einsum("ij,...kj->...ki", self.mirror, turn))

    def run(self, extra: Array, seconds: float, rng: np.random.Generator, side: Array | None = None) -> Episodes:
        """Episodes with actions (N, F, d) more than the policy's, pushed to the left by `side` (N,) [N], from a random fragment."""
        policy, engine = self.policy, self.engine
        num, fragments = engine.num_simulations, policy.num_fragments
        first = int(rng.integers(fragments))
        self._begin(first, rng)
        on, lasted, turned, time = np.ones(num, dtype=bool), np.full(num, seconds), np.zeros(num), 0.0
        total, count, measured = np.zeros((num, fragments, len(policy.columns))), np.zeros(fragments), 0.0
        before = np.zeros(num)
        k = first
        while time < seconds - 1e-9:
            f = k % fragments
            ids = np.flatnonzero(on)
            x = States(engine, engine.state[ids], self.body, ids)
            t = int(policy.edges[f]) * policy.period
            down = self.rule(x, np.full(len(ids), t)) if k > first else np.zeros(len(ids), dtype=bool)
            lasted[ids[down]], on[ids[down]] = time, False
            if not on.any():
                break
            heading = _heading(x)
            if time > SETTLE:
                turned[ids] += _wrapped(heading - before[ids])
                measured += float(np.diff(policy.edges)[f - 1]) * policy.period
            before[ids] = heading
            features = np.asarray(state_features(x.seen, self.body, near=np.broadcast_to(policy.tilts[f], (len(ids), 3))))
            actions = np.zeros((num, len(policy.columns)))
            actions[ids] = policy.actions(np.full(len(ids), f), features) + extra[ids, f]
            if time > SETTLE:
                total[:, f] += actions
                count[f] += 1.0
            periods = int(np.diff(policy.edges)[f])
            times = t + policy.period * np.arange(periods)
            targets = np.stack([policy.targets(np.full(num, at), actions) for at in times], axis=1)
            engine.rollout(targets, self.substeps, linear=True, ids=on, pushes=self._pushes(side, before, periods), record=False)
            time += periods * policy.period
            lost = on & ~engine.ok
            lasted[lost], on[lost] = time, False
            k += 1
        rate = np.where(
            (lasted > SETTLE + MEASURED) & (measured > 0.0), turned / np.maximum(np.minimum(lasted - SETTLE, measured), 1e-9), np.nan
        )
        return Episodes(lasted=np.minimum(lasted, seconds), rate=rate, actions=total / np.maximum(count, 1.0)[:, None])

    def _begin(self, fragment: int, rng: np.random.Generator) -> None:
        """Perturbed starts where a fragment begins."""
        num, model = self.engine.num_simulations, self.character.model
        t = np.full(num, int(self.policy.edges[fragment]) * self.policy.period)
        qvel = self.starts.velocity_at(t)
        spread = np.concatenate([np.full(3, 0.1), np.full(3, 0.2), np.full(model.nv - 6, 0.3)])
        enter(self.engine, self.policy, t, self.starts.at(t), qvel + spread * rng.standard_normal(qvel.shape))

    def _pushes(self, side: Array | None, heading: Array, periods: int) -> tuple[Push, ...]:
        if side is None:
            return ()
        left = side[:, None] * np.stack([-np.sin(heading), np.cos(heading), np.zeros_like(heading)], axis=-1)
        now = np.where(self.engine.ok, self.engine.time, np.inf)
        return (Push(body=trunk(self.character), force=left, start=now, duration=periods * self.policy.period),)


def turns(
    policy: LinearFeedback,
    reference: Reference,
    starts: Reference | None,
    rate: float,
    *,
    episodes: int = 64,
    seconds: float = 20.0,
    seed: int = 0,
    threads: int = 0,
) -> tuple[int, float]:
    """How many of the episodes stand to their end while they are asked to turn at `rate` [rad/s], from perturbed starts at all phases, and
    the rate that those reach (median)."""
    course = Course(policy, reference, starts, episodes, threads)
    engine, rng = course.engine, np.random.default_rng(seed)
    t = policy.period * np.floor(
        course.starts.duration * (np.arange(episodes) + rng.uniform(0.0, 1.0, episodes)) / episodes / policy.period
    )
    spread = np.concatenate([np.full(3, 0.1), np.full(3, 0.2), np.full(course.character.model.nv - 6, 0.3)])
    qvel = course.starts.velocity_at(t)
    enter(engine, policy, t, course.starts.at(t), qvel + spread * rng.standard_normal(qvel.shape))
    x = States(engine, np.array(engine.state), course.body)
    before, turned = _heading(x), np.zeros(episodes)

    def watch(k: int, x: States, t: Array, memory: Memory) -> Mask:
        now = _heading(x)
        if (k + 1) * policy.period > SETTLE:
            turned[x.sims] += _wrapped(now - before[x.sims])
        before[x.sims] = now
        return course.rule(x, t)

    memory = {**policy.start(t, x), "turn": np.full(episodes, rate)}
    done = perform(engine, policy, t, round(seconds / policy.period), memory=memory, watch=watch)
    measured = max(seconds - SETTLE, 1e-9)
    return int(done.ok.sum()), float(np.median(turned[done.ok])) / measured if done.ok.any() else float("nan")


def _heading(x: States) -> Array:
    cosine, sine = facing.heading(x.body.front(np.asarray(x.seen.rotation)[:, 0]))
    return np.arctan2(sine, cosine)


def _wrapped(angle: Array) -> Array:
    return np.asarray((angle + np.pi) % (2.0 * np.pi) - np.pi)
