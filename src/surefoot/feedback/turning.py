"""Turning: a gait that is gently pushed to the side turns, and what it does meanwhile becomes a turn command (Simulation for Control, 3.5).

    recorded      episodes under steady side pushes of a few newtons: r_i the turn rate, a_ik the mean action of fragment k
                  turn_k = -(slope of a_ik over r_i)      actions resist the push: without it, played the other way, they turn the body
    scaled        by what they are seen to do
    refined       turn += sum over the elite e_j of  w_j sigma z_j,    z_j ~ N(0, I), in pairs +z, -z        (beyond the paper)
    answered      the rate that is reached with each strength; a small command does less than its share, the curve makes up for it

An episode of the refinement is one draw, asked to turn at the full or at half the rate; it costs the time that it does not stand, and how
far its rate is off. The paper plays back what was recorded; here that is good for 20 degrees a second, refined for 30.
In a symmetric gait a turn to the right is the mirror image of one to the left: turn_k+F/2 = -mirror turn_k.
F fragments, d numbers an action, N episodes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.errors import InputError
from surefoot.feedback.policy import LinearFeedback
from surefoot.feedback.steered import MEASURED, SETTLE, Course
from surefoot.policy.reference import Reference

Array = NDArray[np.float64]

PERSON = 62.0
"""[kg]; forces are given for a body of this mass and scale with it."""
WEAKER = (1.0, 0.5, 0.25)
"""Parts of the gentle push that are tried until a third of the episodes stand."""
PARTS = (0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 1.0, 1.1)
"""Strengths, as parts of the full one, at which the rate that is reached is measured."""
GRAIN = 1.0
"""Unit in which a turn is refined: degrees of action at the full rate."""


@dataclass(frozen=True, kw_only=True)
class TurningConfig:
    """How a turn command is found. The defaults need no thought."""

    rate: float = 30.0
    """The full rate [degrees/s]; commands up to it are practised."""
    force: float = 12.0
    """The strongest of the gentle pushes, for a person of 62 kg [N]."""
    episodes: int = 96
    """Side by side, of a recording and in every generation."""
    seconds: float = 10.0
    """How long each lasts [s]."""
    generations: int = 24
    """Of the refinement; 0 plays back what was recorded."""
    spread: float = 0.5
    """Standard deviation of what is tried, at the full rate [degrees]; three tenths of it at the end."""

    def __post_init__(self) -> None:
        for name in ("rate", "force", "spread"):
            if not (np.isfinite(getattr(self, name)) and getattr(self, name) > 0.0):
                raise InputError(f"a turn's {name} must be positive, got {getattr(self, name)}.")
        if self.episodes < 8 or self.generations < 0 or not SETTLE + MEASURED < self.seconds <= 600.0:
            raise InputError(
                f"turning needs 8 episodes or more of over {SETTLE + MEASURED:g} to 600 s, and no negative number of generations."
            )


@dataclass(frozen=True, eq=False, kw_only=True)
class Turned:
    """What was found."""

    policy: LinearFeedback
    """It obeys memory["turn"]."""
    history: list[dict[str, Any]]
    """What each generation brought (JSON values)."""
    physics_steps: int


Tell = Callable[[float, str], None]
"""Told how much is done, of 1, and how far it is."""


def turning(
    policy: LinearFeedback,
    reference: Reference,
    starts: Reference | None = None,
    config: TurningConfig | None = None,
    *,
    seed: int = 0,
    threads: int = 0,
    tell: Tell | None = None,
) -> Turned:
    """Teach the closed loop of a cycle to turn. `starts` are poses that it really passes through. Same seed, same bits."""
    config = config or TurningConfig()
    say = tell or (lambda done, said: None)
    course = Course(policy.replace(turn=None, answers=None), reference, starts, config.episodes, threads)
    draw = np.random.default_rng(np.random.SeedSequence([seed, 8]))
    full = float(np.radians(config.rate))
    say(0.0, "recorded under gentle side pushes")
    turn = scaled(course, recorded(course, config, draw), config, draw)
    history: list[dict[str, Any]] = []
    unit = float(np.radians(GRAIN)) / full
    mean = course.half(turn) / unit
    late: list[Array] = []
    for g in range(config.generations):
        mean, brought = _generation(course, mean, unit, config, g, draw)
        history.append(brought)
        if g >= 0.75 * config.generations:
            late.append(mean)
        say(
            (g + 1) / config.generations,
            f"turning: {100.0 * brought['stood']:.0f} % stand, {brought['rate']:.0f} of {config.rate:.0f} degrees/s",
        )
    if late:
        turn = course.whole(unit * np.mean(late, axis=0))
    curve = answered(course, turn, config, draw)
    return Turned(policy=policy.replace(turn=turn, answers=curve), history=history, physics_steps=course.engine.physics_steps)


def recorded(course: Course, config: TurningConfig, draw: np.random.Generator) -> Array:
    """Turns (F, d) [rad of action per rad/s] from actions under steady side pushes, of those who stood; the sign is turned."""
    nothing = np.zeros((config.episodes, *course.policy.action.shape))
    for part in WEAKER:
        force = part * config.force * course.character.mass / PERSON
        found = course.run(nothing, config.seconds, draw, np.linspace(-force, force, config.episodes))
        stood = (found.lasted >= config.seconds) & np.isfinite(found.rate)
        if stood.sum() >= max(config.episodes // 3, 8):
            break
    else:
        raise InputError(
            f"only {stood.sum()} of {config.episodes} episodes stand under gentle side pushes: the skill is too weak to learn to turn."
        )
    rate = found.rate[stood] - found.rate[stood].mean()
    actions = found.actions[stood] - found.actions[stood].mean(axis=0)
    slope = np.einsum("n,nfd->fd", rate, actions) / max(float(rate @ rate), 1e-12)
    return course.whole(course.half(-slope))


def scaled(course: Course, turn: Array, config: TurningConfig, draw: np.random.Generator) -> Array:
    """The turn at the strength that comes nearest to the full rate among those that at least nine of ten stand."""
    full = float(np.radians(config.rate))
    parts = np.repeat(np.linspace(0.2, 1.0, 8), config.episodes // 8)
    strength = np.concatenate([parts, np.zeros(config.episodes - len(parts))])
    found = course.run(full * strength[:, None, None] * turn, config.seconds, draw)
    best, nearest = 0.2, np.inf
    for one in np.unique(parts):
        mine = strength == one
        off = abs(float(np.nanmedian(found.rate[mine])) - full) if np.isfinite(found.rate[mine]).any() else np.inf
        if np.mean(found.lasted[mine] >= config.seconds) >= 0.9 and off < nearest:
            best, nearest = float(one), off
    return best * turn


def _generation(
    course: Course, mean: Array, unit: float, config: TurningConfig, number: int, draw: np.random.Generator
) -> tuple[Array, dict[str, Any]]:
    """The mean after one generation, and what it brought."""
    full, num = float(np.radians(config.rate)), config.episodes
    sigma = config.spread * (1.0 - 0.7 * number / max(config.generations - 1, 1))
    z = draw.standard_normal((num // 2, *mean.shape))
    z = np.concatenate([z, -z, np.zeros((num % 2, *mean.shape))])
    tried = mean + sigma * z
    asked = np.where(np.arange(num) % 3 == 0, 0.5 * full, full)
    found = course.run(asked[:, None, None] * unit * course.whole(tried), config.seconds, draw)
    off = np.where(np.isfinite(found.rate), np.minimum(np.abs(found.rate - asked) / full, 1.0), 1.0)
    cost = 2.0 * (1.0 - found.lasted / config.seconds) + off + 1e-4 * np.sum(tried**2, axis=(1, 2))
    elite = np.argsort(cost, kind="stable")[: max(num // 4, 2)]
    weights = np.log(len(elite) + 0.5) - np.log(np.arange(1, len(elite) + 1))
    step = np.einsum("j,jfd->fd", weights / weights.sum(), z[elite])
    rate = found.rate[asked == full]
    return mean + sigma * step, {
        "stood": round(float(np.mean(found.lasted >= config.seconds)), 4),
        "rate": round(float(np.degrees(np.nanmedian(rate))), 2) if np.isfinite(rate).any() else 0.0,
        "cost": round(float(cost[elite].mean()), 4),
    }


def answered(course: Course, turn: Array, config: TurningConfig, draw: np.random.Generator) -> Array:
    """The curve (2, m) from the rate that is asked for to the rate by which the actions are multiplied, from what is reached with each."""
    full = float(np.radians(config.rate))
    sides = (1.0,) if course.even else (1.0, -1.0)
    strengths = np.array([side * part for part in PARTS for side in sides])
    each = config.episodes // len(strengths)
    mine = np.concatenate([np.repeat(strengths, each), np.zeros(config.episodes - each * len(strengths))])
    found = course.run(full * mine[:, None, None] * turn, config.seconds, draw)
    out: list[tuple[float, float]] = [(0.0, 0.0)]
    for side in (1.0, -1.0):
        last = 0.0
        for part in PARTS:
            rates = found.rate[mine == (side if side in sides else 1.0) * part]
            if not np.isfinite(rates).any():
                break
            reached = side * float(np.nanmedian(rates)) * (1.0 if side in sides else -1.0)
            if reached > last + 0.01 * full:  # it must rise
                out.append((side * reached, side * part * full))
                last = reached
    return np.array(sorted(out)).T
