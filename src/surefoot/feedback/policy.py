"""A linear policy for every control fragment (Simulation for Control, eq. 17 without its noise):

    a_k = M_k (s - s^_k) + a^_k,        target(t) = offset(a_k) (+) reference(t + lead)

s are the state features where fragment k begins, s^_k their mean over what was learned from, a^_k the mean action. The action is held for
the fragment, then the next begins; after the last comes the first, or for a skill that ends its hold, which is the last once more.

A skill that learned to turn (see `turning`) has one action more for every fragment, in proportion to the turn rate that is asked for; the
rate stands in the memory, under "turn", and may change at any time:

    a_k = M_k (s - s^_k) + a^_k + answer(w) turn_k,        w = memory["turn"] [rad/s], anticlockwise

answer runs linearly through the points of a curve, level beyond its ends: more than was practised is not done.
F fragments, d numbers an action, 18 features for a body with two feet.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from surefoot.character.character import Character
from surefoot.errors import InputError
from surefoot.physics.features import state_features
from surefoot.physics.servos import Servos, nearest, servos
from surefoot.policy.states import States

Array = NDArray[np.float64]
Indices = NDArray[np.int64]
Memory = dict[str, NDArray[Any]]


@dataclass(frozen=True, eq=False, kw_only=True)
class LinearFeedback:
    """Feedback that keeps a cycle going."""

    kind: ClassVar[str] = "linear feedback"

    servos: Servos
    period: float
    """Of control [s]."""
    edges: Indices  # (F + 1,)
    """Periods at which fragments begin; the last is the cycle's length."""
    reference: Array  # (T, nu)
    """Targets at the end of every period of the cycle, lead included."""
    columns: Indices  # (d,)
    """Targets that an action turns."""
    tilts: Array  # (F, 3)
    """The root's rotation vector where each fragment begins, which tells equal ones apart."""
    center: Array  # (F, n)
    """s^, the mean features."""
    gain: Array  # (F, d, n)
    """M [rad per unit of feature]"""
    action: Array  # (F, d)
    """a^, the mean action [rad]."""
    turn: Array | None = None  # (F, d)
    """What a turn takes [rad of action per rad/s]; None for a skill that did not learn to turn."""
    answers: Array | None = None  # (2, m)
    """Rates that are asked for, rising, and the rates by which `turn` is multiplied for them [rad/s]; None takes them as they are."""
    again: int = 0
    """The fragment that follows the last: 0 for a cycle, the last itself for a skill that ends and holds."""
    linear: bool = True
    closed: ClassVar[bool] = True
    """It has feedback: it is judged by falling, and may drift."""

    def __post_init__(self) -> None:
        fragments, joints, features = self.gain.shape if self.gain.ndim == 3 else (0, 0, 0)
        wanted = {
            "edges": (fragments + 1,),
            "reference": (int(self.edges[-1]) if self.edges.size else 0, self.servos.num),
            "columns": (joints,),
            "tilts": (fragments, 3),
            "center": (fragments, features),
            "action": (fragments, joints),
        }
        if self.turn is not None:
            wanted["turn"] = (fragments, joints)
        if self.answers is not None:
            wanted["answers"] = (2, self.answers.shape[-1])
        for name, shape in wanted.items():
            if getattr(self, name).shape != shape or not fragments:
                raise InputError(f"linear feedback's {name} needs the shape {shape}, got {getattr(self, name).shape}.")
        for name in ("reference", "tilts", "center", "gain", "action", *self._turning):
            if not np.isfinite(getattr(self, name)).all():
                raise InputError(f"linear feedback's {name} must be finite; there is a NaN or an infinity in it.")
        if self.answers is not None and (not self.answers.size or (np.diff(self.answers[0]) <= 0.0).any()):
            raise InputError("linear feedback's answers must be a curve over turn rates that rise.")
        if self.edges[0] != 0 or (np.diff(self.edges) < 1).any():
            raise InputError("linear feedback's fragments must begin at 0 and last a period or more each.")
        if not 0 <= self.again < fragments:
            raise InputError(f"after the last of {fragments} fragments comes one of 0 to {fragments - 1}, not {self.again}.")
        if ((self.columns < 0) | (self.columns >= self.servos.num)).any():
            raise InputError(f"linear feedback turns targets 0 to {self.servos.num - 1}; another is named.")
        if not (np.isfinite(self.period) and self.period > 0.0):
            raise InputError(f"a control period is a positive number of seconds, got {self.period}.")

    @property
    def num_fragments(self) -> int:
        """F"""
        return len(self.gain)

    @property
    def duration(self) -> float:
        """Of the cycle, or of the skill and one fragment of its hold [s]."""
        return int(self.edges[-1]) * self.period

    def place(self, at: Any) -> Indices:
        """The period (N,), from 0 to before the last, that stands at periods `at` (N,) since the beginning."""
        at, whole, back = np.asarray(at, dtype=np.int64), int(self.edges[-1]), int(self.edges[self.again])
        if self.again == 0:
            return np.asarray(at % whole)
        return np.where(at < whole, np.maximum(at, 0), back + (at - back) % (whole - back))

    @cached_property
    def fragments(self) -> Indices:
        """The fragment of every period (T,)."""
        return np.repeat(np.arange(self.num_fragments), np.diff(self.edges))

    def fragment_at(self, t: Any) -> Indices:
        """The fragment (N,) that times t (N,) lie in."""
        return self.fragments[self.place(np.floor(np.asarray(t, dtype=float) / self.period + 1e-6))]

    def actions(self, fragment: Indices, features: Array) -> Array:
        """a (N, d) of features (N, n) where fragments (N,) begin; bits do not depend on how many there are."""
        away = features - self.center[fragment]
        return np.asarray(np.einsum("ndf,nf->nd", self.gain[fragment], away) + self.action[fragment])

    def targets(self, t: Any, actions: Array) -> Array:
        """Targets (N, nu) at the end of periods that begin at t (N,), turned by actions (N, d)."""
        at = np.asarray(t, dtype=float) / self.period
        close = np.round(at)
        at = np.where(np.abs(at - close) < 1e-6, close, at)
        low = np.floor(at)
        part = (at - low)[:, None]
        base = self.reference[self.place(low)]
        if part.any():
            after = self.reference[self.place(low + 1)]
            balls = self.servos.ball_ctrl
            after[:, balls] = nearest(after[:, balls], base[:, balls])
            base = base + part * (after - base)
        offsets = np.zeros((len(base), self.servos.num))
        offsets[:, self.columns] = actions
        return self.servos.compose(base, offsets)

    def start(self, t: Array, x: States) -> Memory:
        """No fragment has begun."""
        num = len(t)
        memory: Memory = {"fragment": np.full(num, -1, dtype=np.int64), "action": np.zeros((num, len(self.columns)))}
        return memory if self.turn is None else {**memory, "turn": np.zeros(num)}

    def act(self, t: Array, x: States, memory: Memory) -> tuple[Array, Memory]:
        """Targets (N, nu) for periods that begin at t (N,)."""
        fragment = self.fragment_at(t)
        at = self.place(np.floor(np.asarray(t, dtype=float) / self.period + 1e-6))
        begins = (fragment != memory["fragment"]) | (at == self.edges[self.again])
        action = memory["action"]
        if begins.any():
            features = np.asarray(state_features(x.seen, x.body, near=self.tilts[fragment], ground=x.ground))
            wanted = self.actions(fragment, features)
            if self.turn is not None:
                wanted = wanted + self.answer(memory["turn"])[:, None] * self.turn[fragment]
            action = np.where(begins[:, None], wanted, action)
        return self.targets(t, action), {**memory, "fragment": fragment, "action": action}

    def answer(self, rate: Array) -> Array:
        """The rates (N,) by which `turn` is multiplied where rates (N,) are asked for [rad/s]."""
        return rate if self.answers is None else np.asarray(np.interp(rate, *self.answers))

    @property
    def _turning(self) -> tuple[str, ...]:
        """Names of the arrays that only a skill which learned to turn has."""
        return tuple(name for name in ("turn", "answers") if getattr(self, name) is not None)

    def replace(self, **changes: Any) -> LinearFeedback:
        """A copy with some fields changed."""
        return replace(self, **changes)

    def to_arrays(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """All numbers, and the period."""
        names = ["edges", "reference", "columns", "tilts", "center", "gain", "action", *self._turning]
        return {name: np.asarray(getattr(self, name)) for name in names}, {"period": self.period, "again": self.again}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], facts: Mapping[str, Any], character: Character) -> LinearFeedback:
        """The policy again."""
        numbers: dict[str, Any] = {name: np.asarray(arrays[name]).astype(np.int64) for name in ("edges", "columns")}
        numbers |= {name: np.asarray(arrays[name], dtype=float) for name in ("reference", "tilts", "center", "gain", "action")}
        numbers |= {name: np.asarray(arrays[name], dtype=float) for name in ("turn", "answers") if name in arrays}
        return cls(servos=servos(character), period=float(facts["period"]), again=int(facts.get("again", 0)), **numbers)
