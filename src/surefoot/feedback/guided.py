"""Guided SAMCON: sampling teaches a linear policy, and the policy guides the sampling (Simulation for Control 3.5, eq. 17 to 23).

    until nothing is gained:
        walks round the cycle, sampling around the policy, pushed now and then                     (the oracle; see `walks`)
        M_E  = regression of actions on states over what survived                                  (eq. 18 to 23; see `regression`)
        M_R  = the regulator of the linear dynamics that all samples show, at several efforts      (beyond the paper; see `riccati`)
        of M_E, every M_R, (M_E + M_R) / 2 and the best so far, the one that stands longest under pushes on a fresh seed goes on,
        as long as it is still the motion

Two passes come first, open loop and by one walk with all samples: one as narrow as the paper's, which does for gaits, and one that tries
the joints that carry, balance and swing far more widely, without which a spin kick is not found; the dynamics are learned from what fails
as well. What stands longer goes on. Then exploration narrows as survivors agree (eq. 20), but no faster than by `narrow` and never below
the floor; it widens again where all walks are lost. One walk with all samples goes on until a policy stands most of the time, then many
side by side, pushed. Once the best stands more than `raise_at` of the time the pushes grow, those of the trial and those that the walks
are taught under.
F fragments, d numbers an action, n features.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from surefoot.errors import InputError
from surefoot.feedback.cycle import Cycle
from surefoot.feedback.joints import carriers
from surefoot.feedback.policy import LinearFeedback
from surefoot.feedback.regression import regress
from surefoot.feedback.riccati import gains
from surefoot.feedback.stress import Stress
from surefoot.feedback.survival import Survival, perturbed
from surefoot.feedback.symmetry import Symmetry, symmetric, symmetry
from surefoot.feedback.walks import Gathered, Walks
from surefoot.physics.batch import BatchEngine
from surefoot.reconstruct.actions import Actions, actions

Array = NDArray[np.float64]

PERSON = 62.0
"""[kg]; forces are given for a body of this mass and scale with it."""
KEPT = 24
"""Rows a fragment from which trials begin."""
STEADY = 0.7
"""Part of the time that a policy must stand before many walks go side by side."""
EFFORTS = {"bold regulator": 0.3, "regulator": 1.0, "shy regulator": 3.0}
"""Candidates by what they pay for actions, in parts of the configured effort."""
NEAR = 0.08
"""Mean distance of bodies from the reference's up to which it is the same motion [m], for a person of 1.7 m."""
UNIT = float(np.radians(5.0))
"""What the regulator counts actions in [rad]."""


@dataclass(frozen=True, kw_only=True)
class GuidedConfig:
    """How guided SAMCON learns. The defaults need no thought."""

    samples: int = 100
    """Of every walk."""
    walks: int = 8
    """Side by side."""
    rounds: int = 8
    """Of the cycle, in every iteration; walks times rounds times what survives a round is what a fragment is learned from."""
    warm_up: int = 6
    """Rounds while one walk has all samples."""
    iterations: int = 12
    """At most."""
    patience: int = 4
    """Iterations without gain after which it ends."""
    spread: float = 5.0
    """Standard deviation of what is tried first [degrees] (the paper's)."""
    wide: float = 11.5
    """Of what is tried next [degrees], unless that does."""
    narrow: float = 0.7
    """What an iteration may leave of it."""
    floor: float = 4.0
    """What it never falls below [degrees]: without it exploration dies before feedback is learned."""
    noise: float = 3.0
    """Of actions, which the policy is not told [degrees] (the paper's)."""
    ridge: float = 1e-3
    """lambda of eq. 23, in parts of the features' variance."""
    effort: float = 1.0
    """What the regulator pays for actions, against states; a third and three times as much are tried as well. 0 leaves it out."""
    horizon: int = 10
    """Fragments that a sample's descendants must live for it to be learned from."""
    force: float = 40.0
    """First push, for a person of 62 kg [N]; 0 never pushes."""
    grow: float = 1.4
    """By how much pushes grow."""
    enough: float = 250.0
    """Pushes grow no further than this [N]."""
    raise_at: float = 0.95
    """Part of the time that the best must stand before they grow."""
    lead: float = 0.04
    """Seconds by which the reference is read ahead, for a person's servos."""
    fragment: float = 0.1
    """Seconds that a fragment lasts, about."""
    joints: Literal["all", "carriers"] = "all"
    """What feedback turns: waist, legs, shoulders and elbows, or the paper's waist, hips and knees alone."""

    def __post_init__(self) -> None:
        for name in ("walks", "rounds", "warm_up", "iterations", "patience", "horizon"):
            if getattr(self, name) < 1:
                raise InputError(f"{name} must be at least 1, got {getattr(self, name)}.")
        if self.samples < 4:
            raise InputError(f"a walk needs four samples or more, got {self.samples}.")
        for name in ("spread", "wide", "narrow", "grow", "fragment", "raise_at"):
            if not getattr(self, name) > 0.0:
                raise InputError(f"{name} must be positive, got {getattr(self, name)}.")
        for name in ("floor", "noise", "ridge", "effort", "force"):
            if not getattr(self, name) >= 0.0:
                raise InputError(f"{name} must be 0 or more, got {getattr(self, name)}.")
        if not 0.05 <= self.fragment <= 0.5:
            raise InputError(f"a fragment lasts 0.05 to 0.5 s, not {self.fragment:g}.")


@dataclass(eq=False, kw_only=True)
class Search:
    """Where learning stands: all that a checkpoint needs."""

    policy: LinearFeedback
    spread: Array  # (F, d)
    starts: list[Array]
    """Rows (m, S) in which each fragment begins."""
    best: LinearFeedback
    best_starts: list[Array]
    score: float = -1.0
    """Of the best, at the present push."""
    force: float = 0.0
    """The present push [N], for 62 kg."""
    idle: int = 0
    done: int = 0
    widest: float = 0.0
    """What is tried at most [rad]."""
    history: list[dict[str, Any]] = field(default_factory=list)
    """What every iteration brought (JSON values)."""

    FACTS = ("score", "force", "idle", "done", "widest", "history")

    def facts(self) -> dict[str, Any]:
        """What is no array, as JSON values."""
        return {name: getattr(self, name) for name in self.FACTS}

    def arrays(self) -> dict[str, NDArray[Any]]:
        """All arrays by name."""
        out: dict[str, NDArray[Any]] = {"spread": self.spread}
        for who, policy, starts in (("policy", self.policy, self.starts), ("best", self.best, self.best_starts)):
            out |= {f"{who}_{name}": array for name, array in policy.to_arrays()[0].items()}
            out |= {f"{who}_starts_{k}": rows for k, rows in enumerate(starts)}
        return out

    def restore(self, facts: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        """Take up a checkpoint of the same work."""
        for name in self.FACTS:
            setattr(self, name, facts[name])
        self.spread = np.array(arrays["spread"])
        for who in ("policy", "best"):
            numbers = {name: np.array(arrays[f"{who}_{name}"]) for name in ("reference", "center", "gain", "action")}
            rows = [np.array(arrays[f"{who}_starts_{k}"]) for k in range(self.policy.num_fragments)]
            setattr(self, who, self.policy.replace(**numbers))
            setattr(self, "starts" if who == "policy" else "best_starts", rows)


Tell = Callable[[Search], None]
"""Told after every iteration."""


class Guided:
    """Learning of one cycle; `step` is an iteration."""

    def __init__(self, cycle: Cycle, config: GuidedConfig, *, even: bool, seed: int = 0, threads: int = 0) -> None:
        """`even` makes the policy symmetric, for a cycle that is."""
        self.cycle = cycle
        self.config = config
        self.seed = seed
        self.engine = BatchEngine(cycle.character, config.walks * config.samples, threads)
        self.trial = BatchEngine(cycle.character, 96, threads)
        found = carriers if config.joints == "carriers" else actions
        self.joints: Actions = found(cycle.character, cycle.servos)
        self.symmetry: Symmetry | None = symmetry(cycle, self.engine, self.joints) if even else None
        self.open = Walks(self.engine, cycle, self.joints, 1, noise=0.0, horizon=config.horizon)
        noise = float(np.radians(config.noise))
        self.one = Walks(self.engine, cycle, self.joints, 1, noise=noise, horizon=config.horizon)
        self.many = Walks(self.engine, cycle, self.joints, config.walks, noise=noise, horizon=config.horizon)

    @property
    def physics_steps(self) -> int:
        """Of sampling and trials."""
        return self.engine.physics_steps + self.trial.physics_steps

    def begin(self) -> Search:
        """The open loop."""
        cycle, joints = self.cycle, self.joints
        fragments, size = cycle.num_fragments, joints.size
        policy = LinearFeedback(
            servos=cycle.servos,
            period=cycle.period,
            edges=cycle.edges,
            reference=cycle.leading(self.config.lead * float(np.sqrt(cycle.character.height / 1.7))),
            columns=joints.columns,
            tilts=cycle.tilts,
            center=cycle.features,
            gain=np.zeros((fragments, size, cycle.features.shape[1])),
            action=np.zeros((fragments, size)),
            again=cycle.again,
        )
        if self.symmetry is not None:
            policy = symmetric(policy, self.symmetry)
        begins = cycle.edges[:-1]
        rows = self.engine.rows(cycle.qpos[begins], cycle.qvel[begins], policy.reference[policy.place(begins - 1)])
        starts = [row[None] for row in rows]
        widest = float(np.radians(self.config.spread))
        wide = np.tile(widest * joints.share, (fragments, 1))
        return Search(policy=policy, spread=wide, starts=starts, best=policy, best_starts=starts, widest=widest)

    def over(self, search: Search) -> bool:
        """Whether nothing more is to be gained."""
        return search.done >= self.config.iterations or ((search.idle >= self.config.patience and search.force > 0.0) or search.idle >= 8)

    def step(self, search: Search) -> None:
        """One iteration. Its random numbers follow from the seed and its number alone."""
        self._iterate(search)
        search.done += 1

    def _iterate(self, search: Search) -> None:
        config = self.config
        draw, fresh = (np.random.default_rng(s) for s in np.random.SeedSequence([self.seed, search.done]).spawn(2))
        opening = search.done < len(self.openings) and search.score < STEADY
        if opening:
            search.policy, search.widest = self.start.policy, self.openings[search.done]
            search.spread = np.tile(search.widest * self.joints.share, (self.cycle.num_fragments, 1))
        shaky = search.score < STEADY and not self.cycle.ends
        walks = self.open if opening and shaky else self.one if shaky else self.many
        rounds = config.warm_up if shaky else config.rounds
        force = 0.0 if shaky or opening else 0.8 * max(search.force, config.force) * self._weight
        found = walks.gather(search.policy, search.spread, self._entries(search, draw), rounds, draw, force)
        if found is None:
            self._lost(search, opening)
            return
        width, before = search.widest, search.best
        search.widest = max(width * config.narrow, float(np.radians(config.floor)))
        candidates, spread = self._candidates(search, found)
        search.spread = np.clip(spread, np.radians(config.floor) * self.joints.share, search.widest * self.joints.share)
        search.starts = [rows[draw.permutation(len(rows))[:KEPT]] for rows in found.starts]
        self._choose(search, candidates, found, fresh, self.start.starts if opening else search.starts)
        if opening and search.best is before:  # the narrower pass did better: on from there
            search.policy, search.starts = search.best, search.best_starts
            search.widest = self.openings[0]
            search.spread = np.minimum(search.spread, search.widest * self.joints.share)

    @cached_property
    def openings(self) -> tuple[float, ...]:
        """How widely the passes before feedback try [rad]."""
        return float(np.radians(self.config.spread)), float(np.radians(self.config.wide))

    @cached_property
    def start(self) -> Search:
        """Where learning begins."""
        return self.begin()

    def _lost(self, search: Search, opening: bool) -> None:
        """All walks were lost, again and again: from the best once more, trying more widely."""
        search.idle += 1
        search.history.append({"force": search.force, "lost": True})
        search.policy, search.starts = search.best, search.best_starts
        search.widest = self.openings[0] if opening else min(search.widest / self.config.narrow, self.openings[-1])
        search.spread = np.minimum(search.spread / self.config.narrow, search.widest * self.joints.share)

    @property
    def _weight(self) -> float:
        return self.cycle.character.mass / PERSON

    def _entries(self, search: Search, draw: np.random.Generator) -> Array:
        """Rows (m, S) in which walks begin: where the cycle was passed, or for a skill that ends perturbed ones."""
        if not self.cycle.ends:
            return search.starts[0]
        rows, _ = perturbed(self.cycle, self.engine, [search.starts[0]] * self.cycle.num_fragments, self.engine.num_simulations, draw)
        return rows

    def _regressed(self, found: Gathered) -> tuple[Array, ...]:
        """Centre, gain, action and spread of all fragments."""
        pair = self.symmetry
        tuples = found.tuples if pair is None else pair.pooled(found.tuples)
        parts = tuple(np.stack(part) for part in zip(*[regress(one, self.config.ridge) for one in tuples], strict=True))
        return parts if pair is None else pair.both(*parts)

    def _candidates(self, search: Search, found: Gathered) -> tuple[dict[str, LinearFeedback], Array]:
        """Policies by name, and how widely to explore around them."""
        config, pair = self.config, self.symmetry
        center, gain, action, spread = self._regressed(found)
        mean = search.policy.replace(center=center, action=action)
        out = {"regression": mean.replace(gain=gain)}
        if config.effort > 0.0:
            steps = found.steps if pair is None else pair.pooled_steps(found.steps)
            for name, times in EFFORTS.items():
                model, _ = gains(steps, center, action, self.cycle.again, unit=UNIT, effort=times * config.effort)
                out[name] = mean.replace(gain=model)
            out["both"] = mean.replace(gain=0.5 * (out["regulator"].gain + gain))
        return out, spread

    def _score(self, tried: Survival) -> float:
        """How long episodes lasted, less where they are no more the motion: who only stays on its feet has learned something else."""
        near = NEAR * self.cycle.character.height / 1.7
        return tried.mean * min(1.0, near / max(tried.apart, 1e-9)) ** 2

    def _choose(
        self, search: Search, candidates: dict[str, LinearFeedback], found: Gathered, fresh: np.random.Generator, starts: list[Array]
    ) -> None:
        """Try the candidates and the best so far on the same fresh episodes near rows `starts`."""
        config = self.config
        trial = Stress(self.cycle, self.trial, starts, search.force * self._weight, fresh)
        tried = {name: trial(policy) for name, policy in candidates.items()}
        scores = {name: self._score(one) for name, one in tried.items()}
        name = max(scores, key=scores.__getitem__)
        old = self._score(trial(search.best)) if search.score >= 0.0 else -1.0
        gained = scores[name] > old + 0.005
        search.idle = 0 if gained else search.idle + 1
        if scores[name] >= old:
            search.best, search.best_starts = candidates[name], search.starts
        search.score = max(scores[name], old)
        search.policy = search.best if scores[name] < old - 0.1 else candidates[name]
        search.history.append(
            {
                "force": search.force,
                "scores": {key: round(value, 4) for key, value in scores.items()},
                "stood": round(tried[name].rate, 4),
                "best": round(search.score, 4),
                "speed": round(tried[name].speed, 4),
                "apart_mm": round(1e3 * tried[name].apart, 1),
                "cost": round(found.cost, 4),
                "lost_walks": found.losses,
                "tuples": float(np.mean([len(one.weights) for one in found.tuples])),
            }
        )
        if search.score > config.raise_at and config.force > 0.0 and search.force < config.enough and not self.cycle.ends:
            search.force = min(config.force if search.force == 0.0 else search.force * config.grow, config.enough)
            search.idle = 0
