"""How hard a skill can be pushed: the largest horizontal force, by its direction, after which it still does not fall.

    tolerance(angle) = lowest failing bracket of (F, F + 10 N]:  at least 90 % of 32 episodes stand 5 s after F on the trunk for 0.2 s

Whether a skill survives is not monotone in the force, so the force climbs by steps of 100 N until it first fails, and only that step is
bisected. The push begins at a random phase of the skill as it is really performed: every episode runs up to its moment once, and its
row and memory are put back for each force. Angles are anticlockwise from where the body faces then.

Begun in flight, pushes hit while nothing of the body touches anything (Simulation for Control, 3.5, pushes its kick there): random moments
are drawn from those periods of an undisturbed round, and episodes that have landed by then are not pushed, nor counted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from surefoot.errors import InputError, unknown_name
from surefoot.physics.batch import BatchEngine
from surefoot.physics.features import anatomy, facing
from surefoot.physics.push import Push, trunk
from surefoot.physics.scene import Scene
from surefoot.policy.fall import FallRule
from surefoot.policy.perform import enter, perform
from surefoot.policy.policy import Memory, Policy
from surefoot.policy.reference import Reference
from surefoot.policy.states import States

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

When = Literal["any", "flight"]

TRIED = 4
"""Episodes for each that is to be pushed in flight: some have landed when their moment comes."""
SETTLE = 1.0
"""A cycle is played for this long before the push [s]."""


@dataclass(frozen=True, kw_only=True)
class PushConfig:
    """How hard is looked for."""

    episodes: int = 32
    """For each force and angle."""
    angles: int = 8
    """Directions, at equal steps."""
    limit: float = 1000.0
    """Largest force that is tried [N]."""
    step: float = 100.0
    """The force climbs by this until it fails [N]."""
    resolution: float = 10.0
    """[N]"""
    duration: float = 0.2
    """[s]"""
    watched: float = 5.0
    """For how long after the push's beginning nobody may fall [s]."""
    share: float = 0.9
    """Part of the episodes that must stand."""
    begun: When = "any"
    """At any phase, or in flight."""

    def __post_init__(self) -> None:
        if self.begun not in ("any", "flight"):
            raise unknown_name("time of a push", str(self.begun), ("any", "flight"))


@dataclass(frozen=True, eq=False, kw_only=True)
class Moments:
    """Where episodes are when they are pushed. M episodes."""

    rows: Array  # (M, S)
    t: Array  # (M,)
    memory: Memory
    standing: Mask  # (M,)


def moments(
    policy: Policy,
    starts: Reference,
    rule: FallRule,
    num: int,
    rng: np.random.Generator,
    *,
    threads: int,
    scene: Scene,
    begun: When = "any",
) -> Moments:
    """Episodes at random phases of the skill. Cycles begin anywhere and settle; others are played from their beginning."""
    if begun == "flight":
        return _in_flight(policy, starts, rule, num, rng, threads=threads, scene=scene)
    phases = rng.uniform(0.0, max(starts.duration, policy.period), num)
    begin = phases if starts.cycle else np.zeros(num)
    wait = np.full(num, SETTLE) if starts.cycle else phases
    return _moments(policy, starts, rule, begin, wait, threads=threads, scene=scene)[0]


def flight(policy: Policy, starts: Reference, scene: Scene) -> Array:
    """Times (m,) [s] at the ends of an undisturbed round's control periods at which nothing of the body touches anything."""
    engine = BatchEngine(starts.character, 1, 1, scene)
    enter(engine, policy, 0.0, starts.at([0.0]), starts.velocity_at([0.0]))
    whole = round(starts.duration / policy.period)
    found: list[int] = []

    def watch(k: int, x: States, t: Array, memory: Memory) -> Mask:
        if not np.asarray(x.contacts.touches).any() and k + 1 >= (whole if starts.cycle else 1):
            found.append((k + 1) % whole if starts.cycle else k + 1)
        return np.zeros(len(x), dtype=bool)

    perform(engine, policy, 0.0, 2 * whole - 1 if starts.cycle else whole, watch=watch)
    return np.asarray(policy.period * np.unique(np.array(found, dtype=np.int64)), dtype=np.float64)


def _in_flight(
    policy: Policy, starts: Reference, rule: FallRule, num: int, rng: np.random.Generator, *, threads: int, scene: Scene
) -> Moments:
    """Episodes at random moments in flight, and those that fell before theirs."""
    flights = flight(policy, starts, scene)
    if not len(flights):
        raise InputError("this skill never leaves the ground: no push can begin in flight; leave --push-phase out.")
    phases = flights[rng.integers(len(flights), size=TRIED * num)]
    begin = np.mod(phases - SETTLE, starts.duration) if starts.cycle else np.zeros(len(phases))
    wait = np.full(len(phases), SETTLE) if starts.cycle else phases
    found, flying = _moments(policy, starts, rule, begin, wait, threads=threads, scene=scene)
    chosen = np.flatnonzero(flying | ~found.standing)[:num]
    if len(chosen) < num:
        raise InputError(f"of {TRIED * num} episodes only {len(chosen)} are in flight when this skill should be; {num} are needed.")
    return Moments(
        rows=found.rows[chosen],
        t=found.t[chosen],
        memory={name: array[chosen] for name, array in found.memory.items()},
        standing=found.standing[chosen],
    )


def _moments(
    policy: Policy, starts: Reference, rule: FallRule, begun: Array, wait: Array, *, threads: int, scene: Scene
) -> tuple[Moments, Mask]:
    """Episodes that began at times (M,) where they are after a while (M,) [s], and which of them (M,) touch nothing there."""
    num = len(begun)
    engine = BatchEngine(starts.character, num, threads, scene)
    when = np.round(wait / policy.period).astype(np.int64)
    begun = policy.period * np.round(begun / policy.period)
    enter(engine, policy, begun, starts.at(begun), starts.velocity_at(begun))
    standing = when == 0

    def watch(k: int, x: States, t: Array, memory: Memory) -> Mask:
        fell, now = rule(x, memory.get("time", t)), when[x.sims] <= k + 1
        standing[x.sims[now & ~fell]] = True
        return np.asarray(fell | now)

    done = perform(engine, policy, begun, int(when.max(initial=0)), ids=when > 0, watch=watch)
    rows = np.array(engine.state)
    flying = standing & ~np.asarray(engine.contacts(rows).touches).any(axis=-1)
    return Moments(rows=rows, t=begun + when * policy.period, memory=done.memory, standing=standing), flying


def tolerance(
    policy: Policy,
    starts: Reference,
    rule: FallRule,
    config: PushConfig,
    rng: np.random.Generator,
    *,
    threads: int = 0,
    scene: Scene | None = None,
    progress: Callable[[str], None] | None = None,
) -> tuple[dict[str, float], int]:
    """The tolerance [N] by angle [degrees, as text], and the physics steps that it took."""
    scene = scene or Scene()
    before = moments(policy, starts, rule, config.episodes, rng, threads=threads, scene=scene, begun=config.begun)
    angles = np.arange(config.angles) * (360.0 / config.angles)
    engine = BatchEngine(starts.character, config.episodes * config.angles, threads, scene)
    found = np.zeros(config.angles)
    failing = np.full(config.angles, np.inf)

    def stands(forces: Array) -> Mask:
        """Which angles (A,) are survived at forces (A,); those with NaN are not run."""
        return _stands(engine, policy, rule, before, np.asarray(angles, dtype=np.float64), forces, config)

    if not stands(np.where(angles == 0.0, 0.0, np.nan))[0]:  # without a push all angles are one
        return {f"{angle:g}": 0.0 for angle in angles}, engine.physics_steps
    while True:
        climbing = np.isinf(failing)
        level = np.where(climbing, np.minimum(found + config.step, config.limit), np.nan)
        level[climbing & (found >= config.limit)] = np.nan
        wide = ~climbing & (failing - found > config.resolution + 1e-9)
        middle = found + config.resolution * np.floor((failing - found) / config.resolution / 2.0, where=wide, out=np.zeros_like(found))
        level = np.where(wide, middle, level)
        open_ = np.isfinite(level)
        if not open_.any():
            break
        if progress is not None:
            progress(f"pushes: {int((~open_).sum())} of {len(angles)} directions done")
        good = stands(np.asarray(level, dtype=np.float64))
        found = np.where(open_ & good, level, found)
        failing = np.where(open_ & ~good, level, failing)
    return {f"{angle:g}": float(force) for angle, force in zip(angles, found, strict=True)}, engine.physics_steps


def _stands(engine: BatchEngine, policy: Policy, rule: FallRule, before: Moments, angles: Array, forces: Array, config: PushConfig) -> Mask:
    num = len(before.t)
    every = np.tile(np.arange(num), len(angles))
    engine.state[:] = before.rows[every]
    body = anatomy(engine.character)
    cosine, sine = facing.heading(body.front(np.asarray(engine.observe().rotation)[:, 0]))
    toward = np.radians(np.repeat(angles, num))
    force = np.repeat(np.nan_to_num(forces), num)
    away = np.stack(
        [np.cos(toward) * cosine - np.sin(toward) * sine, np.cos(toward) * sine + np.sin(toward) * cosine, np.zeros(len(every))]
    )
    push = Push(
        body=trunk(engine.character), force=(force * away).T, start=before.rows[every, engine.layout.time], duration=config.duration
    )

    run = before.standing[every] & np.repeat(np.isfinite(forces), num)
    lost = num - run.reshape(len(angles), num).sum(axis=1)
    spare = num * (1.0 - config.share) + 1e-9

    def watch(k: int, x: States, t: Array, memory: Memory) -> Mask:
        """An angle ends with the fall that decides it."""
        fell = rule(x, memory.get("time", t))
        np.add.at(lost, x.sims[fell] // num, 1)
        return np.asarray(fell | (lost > spare)[x.sims // num])

    memory = {name: array[every] for name, array in before.memory.items()}
    periods = round(config.watched / policy.period)
    perform(engine, policy, before.t[every], periods, memory=memory, ids=run, pushes=[push], watch=watch)
    return np.asarray(lost <= spare)
