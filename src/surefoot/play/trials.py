"""What a skill's robustness is tried on, and the table of what came of it.

    slope, step, friction    other scenes: the body travels up the slope, or onto the step, which stands `AHEAD` of the start
    mass                     every body's mass and inertia times a factor
    delay                    the policy sees the state as it was so long ago
    noise                    what it sees is off by random numbers, new ones in every control period
    turn                     where the policy can: it is asked to turn

Who does not travel far enough meets no step.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.errors import InputError
from surefoot.physics.scene import Scene
from surefoot.physics.terrain import Slope, Steps
from surefoot.play.wilson import wilson
from surefoot.policy import ground
from surefoot.policy.policy import Policy
from surefoot.policy.reference import Reference

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

AHEAD = 2.0
"""Where a step stands [m], for a character of 1.7 m."""
UNITS = {"slope": "deg", "step": "m", "friction": "", "mass": "times", "delay": "s", "noise": "times", "turn": "deg/s"}


@dataclass(frozen=True, kw_only=True)
class RobustnessConfig:
    """What is tried."""

    episodes: int = 64
    """Of every row."""
    seconds: float = 20.0
    """How long a cycle is played [s]; skills that end, to their end and the hold."""
    slopes: tuple[float, ...] = (-10.0, -5.0, -2.0, 2.0, 5.0, 10.0)
    """[degrees]; positive climbs."""
    steps: tuple[float, ...] = (-0.1, -0.05, 0.05, 0.1)
    """[m]; positive leads up."""
    frictions: tuple[float, ...] = (0.5, 0.7, 1.0, 1.2)
    """Of the ground."""
    masses: tuple[float, ...] = (0.8, 1.2)
    """Factors."""
    delays: tuple[float, ...] = (0.02, 0.05)
    """[s]"""
    noises: tuple[float, ...] = (0.5, 1.0)
    """In parts of 1 cm, 1 degree, and the velocities by which starts are perturbed."""
    turns: tuple[float, ...] = (-30.0, -15.0, 15.0, 30.0)
    """[degrees/s], anticlockwise."""

    def __post_init__(self) -> None:
        if not 1 <= self.episodes <= 10_000 or not 0.0 < self.seconds <= 3600.0:
            raise InputError("robustness is tried with 1 to 10000 episodes a row, of up to an hour.")

    def quick(self) -> RobustnessConfig:
        """A glance."""
        return replace(self, episodes=min(self.episodes, 12), seconds=min(self.seconds, 6.0))


@dataclass(frozen=True, kw_only=True)
class Trial:
    """One row of the table: what is otherwise."""

    kind: str
    value: float
    scene: Scene
    mass: float = 1.0
    delay: float = 0.0
    noise: float = 0.0
    turn: float = 0.0
    """[rad/s]"""

    @property
    def unit(self) -> str:
        """Of the value."""
        return UNITS[self.kind]

    @property
    def text(self) -> str:
        """The row's title."""
        if self.kind == "slope":
            return f"slope {self.value:+g} degrees"
        if self.kind == "step":
            return f"step {'up' if self.value > 0.0 else 'down'} {100.0 * abs(self.value):g} cm"
        if self.kind == "delay":
            return f"senses {1e3 * self.value:g} ms late"
        if self.kind == "turn":
            return f"turn at {self.value:+g} degrees/s"
        return f"{ {'mass': 'mass x', 'noise': 'sensor noise x'}.get(self.kind, self.kind) } {self.value:g}"


@dataclass(frozen=True, eq=False, kw_only=True)
class Row:
    """What a trial brought."""

    trial: Trial
    survived: Array  # (episodes,)
    """[s]"""
    standing: Mask  # (episodes,)
    rate: float = math.nan
    """Turn rate that those who stood reached, median [degrees/s]; NaN where it was not asked for."""


def trials(policy: Policy, starts: Reference, config: RobustnessConfig) -> list[Trial]:
    """All that is tried with a skill."""
    plain, size = Scene(), ground.size(starts.character)
    out = [Trial(kind="slope", value=v, scene=Scene(ground=Slope(degrees=v))) for v in config.slopes]
    if travels(starts) * config.seconds > 1.5 * AHEAD * size and starts.cycle:
        out += [
            Trial(kind="step", value=v, scene=Scene(ground=Steps(rise=v, count=1, start=AHEAD * size, width=20.0))) for v in config.steps
        ]
    out += [Trial(kind="friction", value=v, scene=Scene(friction=v)) for v in config.frictions]
    out += [Trial(kind="mass", value=v, scene=plain, mass=v) for v in config.masses]
    out += [Trial(kind="delay", value=v, scene=plain, delay=v) for v in config.delays]
    out += [Trial(kind="noise", value=v, scene=plain, noise=v) for v in config.noises]
    if getattr(policy, "turn", None) is not None:
        out += [Trial(kind="turn", value=v, scene=plain, turn=math.radians(v)) for v in config.turns]
    return out


def travels(reference: Reference) -> float:
    """How fast a reference travels along the floor [m/s]."""
    way = np.asarray(reference.qpos)[[0, -1], :2]
    return float(np.hypot(*(way[1] - way[0]))) / max(reference.duration, 1e-9)


def to_json(rows: list[Row]) -> list[dict[str, Any]]:
    """The table as JSON values."""
    out = []
    for row in rows:
        stood = int(row.standing.sum())
        out.append(
            {
                "what": row.trial.text,
                "kind": row.trial.kind,
                "value": row.trial.value,
                "unit": row.trial.unit,
                "episodes": len(row.standing),
                "survival_rate": stood / len(row.standing),
                "survival_interval": list(wilson(stood, len(row.standing))),
                "survived_median_s": float(np.median(row.survived)),
                **({} if math.isnan(row.rate) else {"turned_deg_s": row.rate}),
            }
        )
    return out


def table(rows: list[Row]) -> list[str]:
    """The table for people, line by line."""
    wide = max((len(row.trial.text) for row in rows), default=0)
    out = []
    for row in rows:
        stood, num = int(row.standing.sum()), len(row.standing)
        low, high = wilson(stood, num)
        turned = "" if math.isnan(row.rate) else f"; they turn at {row.rate:+.0f} degrees/s"
        share = f"{100 * stood / num:3.0f} % (95 %: {100 * low:.0f} to {100 * high:.0f} %)"
        out.append(f"{row.trial.text:<{wide}}  {stood:>3} of {num} stand: {share}, median {float(np.median(row.survived)):.1f} s{turned}")
    return out
