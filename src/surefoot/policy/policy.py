"""A policy: anything that can say what the servos are to do next.

    memory = start(t, x),        targets, memory = act(t, x, memory)        for each control period

x are `States` of N simulations, t (N,) their own times since the policy's beginning [s] (it may begin anywhere in its motion), targets
(N, nu) the servos' for the coming period. Memory is a dict of arrays whose first axis is N, passed in and out, so that a policy holds no
state of its own and simulations can be resampled, saved and resumed. Row i of an answer depends on row i alone, and not on N.

Player, evaluator, renderer and bundle know nothing else of a controller. Between processes a policy is arrays and JSON values:

    packed = pack(policy),        policy = unpack(packed, character)
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from surefoot.character.character import Character
from surefoot.errors import InputError, one_line, unknown_name
from surefoot.policy.states import States

Array = NDArray[np.float64]
Memory = dict[str, NDArray[Any]]
"""Arrays (N, ...). The key "time" (N,), where a policy keeps one, is the place in its motion at which it believes itself to be [s].
"turn" (N,) is a command that a policy which can turn obeys: the rate that is asked for, anticlockwise [rad/s]; whoever plays it may write
there at any time."""


@runtime_checkable
class Policy(Protocol):
    """Says what the servos are to do next. `register` its class where bundles shall bring it back."""

    kind: ClassVar[str]
    """The name under which it is registered."""

    @property
    def period(self) -> float:
        """Of control [s], a whole number of the simulation's steps."""

    @property
    def linear(self) -> bool:
        """Targets are reached linearly at the end of the period, instead of being held from its beginning."""

    def start(self, t: Array, x: States) -> Memory:
        """Memory at the beginning."""

    def act(self, t: Array, x: States, memory: Memory) -> tuple[Array, Memory]:
        """Targets (N, nu) for the coming period, and the memory after it. `memory` itself stays as it is."""

    def to_arrays(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Arrays, and facts as JSON values, that bring it back."""

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], facts: Mapping[str, Any], character: Character) -> Policy:
        """The policy again. Values may come from strangers: wrong ones are an `InputError`."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Packed:
    """A policy as plain values."""

    kind: str
    arrays: dict[str, NDArray[Any]]
    facts: dict[str, Any] = field(default_factory=dict)
    """JSON values."""

    @property
    def numbers(self) -> int:
        """How many numbers the policy has."""
        return sum(int(array.size) for array in self.arrays.values())


_OURS: dict[str, tuple[str, str]] = {
    "open loop": ("surefoot.policy.openloop", "OpenLoop"),
    "linear feedback": ("surefoot.feedback.policy", "LinearFeedback"),
}
"""Kinds that come with the package: where each lives, imported when it is needed."""
_REGISTERED: dict[str, type[Any]] = {}

P = TypeVar("P", bound=type[Any])


def register(cls: P) -> P:
    """Make a class of policies known by its `kind`, as a decorator. Who loads bundles with policies of one's own imports them first."""
    kind = getattr(cls, "kind", None)
    if not isinstance(kind, str) or not kind:
        raise InputError(f'{cls.__name__} needs a name to be registered by: kind = "..." in its body.')
    if kind in _OURS or _REGISTERED.get(kind, cls).__qualname__ != cls.__qualname__:
        raise InputError(f"another kind of policy is registered as '{one_line(kind, 60)}' already; choose another kind for {cls.__name__}.")
    missing = [name for name in ("period", "linear", "start", "act", "to_arrays", "from_arrays") if not _has(cls, name)]
    if missing:
        raise InputError(f"{cls.__name__} lacks {', '.join(missing)}; surefoot.policy.policy.Policy says what each does.")
    _REGISTERED[kind] = cls
    return cls


def _has(cls: type[Any], name: str) -> bool:
    return hasattr(cls, name) or any(name in vars(base).get("__annotations__", {}) for base in cls.__mro__)


def kinds() -> tuple[str, ...]:
    """Kinds of policies that are known."""
    return (*_OURS, *_REGISTERED)


def pack(policy: Policy) -> Packed:
    """A policy as plain values."""
    arrays, facts = policy.to_arrays()
    return Packed(kind=policy.kind, arrays={name: np.asarray(array) for name, array in arrays.items()}, facts=dict(facts))


def unpack(packed: Packed, character: Character) -> Policy:
    """The policy of plain values that may come from strangers."""
    if packed.kind in _OURS:
        module, name = _OURS[packed.kind]
        cls: Any = getattr(importlib.import_module(module), name)
    elif packed.kind in _REGISTERED:
        cls = _REGISTERED[packed.kind]
    else:
        error = unknown_name("kind of policy", one_line(packed.kind, 60), kinds())
        raise InputError(f"{error} A kind of your own is known once the module that registers it is imported.")
    try:
        made: Policy = cls.from_arrays(packed.arrays, packed.facts, character)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        said = f"'{error.args[0]}' is missing" if isinstance(error, KeyError) and error.args else str(error)
        raise InputError(f"the policy of kind '{packed.kind}' is damaged: {said}.") from None
    return made


def substeps(policy: Policy, timestep: float) -> int:
    """Steps of the simulation in a control period of the policy; an error where it is no whole number."""
    count = round(policy.period / timestep)
    if count < 1 or abs(count * timestep - policy.period) > 1e-9:
        raise InputError(
            f"a control period of {policy.period:g} s is no whole number of the simulation's steps of {timestep:g} s; "
            f"the nearest that is: {max(count, 1) * timestep:g} s."
        )
    return count


def opening(policy: Policy, t: Array, x: States) -> Array:
    """Targets (N, nu) at which servos stand when a policy begins at times t (N,): those it would have reached by then."""
    before = np.asarray(t, dtype=float) - policy.period
    memory = remembered(policy, policy.start(before, x), len(before))
    return checked(policy, policy.act(before, x, memory)[0], len(before), x.engine.servos.num)


def checked(policy: Policy, targets: Any, num: int, nu: int) -> Array:
    """A policy's targets as an array (N, nu), or an error that says what is wrong with them."""
    try:
        array = np.asarray(targets, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"the policy '{policy.kind}' must give targets as an array of numbers, got {type(targets).__name__}.") from None
    if array.shape != (num, nu):
        raise InputError(f"the policy '{policy.kind}' must give targets of shape ({num}, {nu}), got {array.shape}.")
    return array


def remembered(policy: Policy, memory: Any, num: int) -> Memory:
    """A policy's memory, or an error that says what is wrong with it."""
    if not isinstance(memory, Mapping):
        raise InputError(f"the policy '{policy.kind}' must give its memory as a dict of arrays, got {type(memory).__name__}.")
    for name, array in memory.items():
        if np.shape(array)[:1] != (num,):
            raise InputError(
                f"the memory '{one_line(str(name), 40)}' of the policy '{policy.kind}' has the shape {np.shape(array)}; "
                f"expected a row for each of {num} simulations."
            )
    return dict(memory)


__all__: tuple[str, ...] = (
    "Memory",
    "Packed",
    "Policy",
    "checked",
    "kinds",
    "opening",
    "pack",
    "register",
    "remembered",
    "substeps",
    "unpack",
)
