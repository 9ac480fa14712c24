"""Open loop: a plan's targets in time, whatever the body does.

    target(t) = offset(t) (+) reference(t + lead)        once, then held; or in a cycle, t + duration = t

With `linear` the target is what the servo shall reach at the end of the period that begins at t: the reference is read there, an offset
that is held stays the period's own. The trivial plan, no offsets, is kinematic tracking of a motion.

Targets are computed once, at a tenth of a period; times that fall between are read linearly.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from surefoot.character.character import Character
from surefoot.errors import InputError, unknown_name
from surefoot.physics.plan import Plan, plan
from surefoot.physics.servos import nearest, servos
from surefoot.policy.policy import Memory
from surefoot.policy.reference import Reference
from surefoot.policy.states import States

Array = NDArray[np.float64]
End = Literal["hold", "cycle"]

PERIOD = 0.025
"""Of control [s]: straight lines over it follow a limb that swings twice a second within 1 %."""
PARTS = 10
"""Times in a period at which targets are computed."""
LONGEST = 2_000_000
"""Most times at which targets are computed."""


@dataclass(frozen=True, eq=False, kw_only=True)
class OpenLoop:
    """Follows a plan."""

    kind: ClassVar[str] = "open loop"

    plan: Plan
    end: End = "hold"
    """After the last frame: hold it, or begin again ("cycle", the last frame being the first of the next round)."""
    period: float = PERIOD
    linear: bool = True

    def __post_init__(self) -> None:
        if self.end not in ("hold", "cycle"):
            raise unknown_name("end of an open loop", str(self.end), ("hold", "cycle"))
        if not (np.isfinite(self.period) and self.period > 0.0):
            raise InputError(f"a control period is a positive number of seconds, got {self.period}.")
        if self.end == "cycle" and self.plan.duration <= 0.0:
            raise InputError("a plan of a single frame cannot be a cycle; hold it.")
        if self.plan.duration / self.period * PARTS > LONGEST:
            raise InputError(f"{self.plan.duration:.0f} s in periods of {self.period:g} s are too long for one plan; cut the clip.")

    def start(self, t: Array, x: States) -> Memory:
        """Nothing to remember."""
        return {}

    def act(self, t: Array, x: States, memory: Memory) -> tuple[Array, Memory]:
        """Targets (N, nu) for periods that begin at t (N,)."""
        return self.targets(t), memory

    def targets(self, t: Any) -> Array:
        """Targets (N, nu) for periods that begin at t (N,)."""
        t = np.asarray(t, dtype=float)
        step = self.period / PARTS
        if self.end == "cycle":
            rounds = np.floor(t / self.plan.duration + 1e-9)
            t = t - rounds * self.plan.duration
        at = np.clip(t / step, 0.0 if self.end == "cycle" else -PARTS, len(self._table) - 1 - self._before) + self._before
        near = np.round(at)
        at = np.where(np.abs(at - near) < 1e-6, near, at)
        low = np.minimum(at.astype(np.int64), len(self._table) - 2)
        part = (at - low)[:, None]
        return np.asarray(self._table[low] + part * self._slope[low])

    @property
    def _before(self) -> int:
        """Times of the table that lie before zero: what servos reach by the beginning."""
        return 0 if self.end == "cycle" else PARTS

    @cached_property
    def _table(self) -> Array:
        """Targets (n, nu) at equal steps of time."""
        last = int(np.ceil(self.plan.duration / (self.period / PARTS) - 1e-9)) + 1
        if self.end == "hold":
            # The reference is read ahead and offsets last up to their own end: the table goes on until both are over.
            over = max(self.plan.duration, len(self.plan.offsets) * self.plan.offset_time) + self.period
            last = int(np.ceil(over / (self.period / PARTS))) + 1
        whole, part = np.divmod(np.arange(-self._before, last + 1), PARTS)
        return np.asarray(self._at(whole * self.period + part * (self.period / PARTS)))  # beginnings of periods to the last bit

    @cached_property
    def _slope(self) -> Array:
        """From each of the table's targets to the next, the short way round."""
        balls = self.plan.servos.ball_ctrl
        after = self._table[1:].copy()
        after[:, balls] = nearest(after[:, balls], self._table[:-1][:, balls])
        return np.asarray(after - self._table[:-1])

    def _at(self, t: Array) -> Array:
        """Targets (M, nu) for periods that begin at t (M,), from the plan itself."""
        ahead = t + self.period if self.linear else t
        offset = self.plan.offset_at(self._wrapped(ahead if self.plan.linear else t))
        reference = self.plan.replace(lead=0.0).reference_at(self._wrapped(ahead + self.plan.lead))
        return self.plan.servos.compose(reference, offset)

    def _wrapped(self, t: Array) -> Array:
        return np.asarray(np.mod(t, self.plan.duration) if self.end == "cycle" else t)

    def to_arrays(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """The plan's arrays and times."""
        mine = self.plan
        facts = {name: getattr(mine, name) for name in ("frame_time", "lead", "offset_time", "linear")}
        return (
            {"reference": np.asarray(mine.reference), "offsets": np.asarray(mine.offsets)},
            {"plan": facts, "end": self.end, "period": self.period, "linear": self.linear},
        )

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], facts: Mapping[str, Any], character: Character) -> OpenLoop:
        """The open loop again."""
        times = facts["plan"]
        made = Plan(
            servos=servos(character),
            reference=np.asarray(arrays["reference"], dtype=float),
            offsets=np.asarray(arrays["offsets"], dtype=float),
            frame_time=float(times["frame_time"]),
            lead=float(times["lead"]),
            offset_time=float(times["offset_time"]),
            linear=bool(times["linear"]),
        )
        if not abs(made.lead) < 10.0:
            raise InputError(f"a plan's lead is a few hundredths of a second, got {made.lead:g} s.")
        return cls(plan=made, end=facts["end"], period=float(facts["period"]), linear=bool(facts["linear"]))


def track(character: Character, reference: Reference, **changes: Any) -> OpenLoop:
    """Kinematic tracking: servos are told the reference's poses, the character's own lead ahead."""
    return OpenLoop(plan=plan(character, reference.qpos, reference.frame_time), end="cycle" if reference.cycle else "hold", **changes)
