"""The seam between the studio and whatever improves a move: what a piece of work is, and those there are.

    run(bundle, config, tell, should_stop) -> bundle

`bundle` is what is on stage: the source's clip, its character, and the poses to perform. The work tells how far it is and the best move so
far, asks now and then whether to stop, and when it shall stop hands back the best it has. Each kind brings a config dataclass, from which
its panel is made; the module that holds the work is imported in the worker's process only, that of the config when the page is made.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from surefoot.bundle import Bundle
from surefoot.errors import unknown_name

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, kw_only=True)
class Step:
    """How far a piece of work is."""

    part: float
    """Of the whole, 0 to 1."""
    said: str
    """In a few words."""
    best: Array | None = None  # (T, nq)
    """The best move so far, where there is a new one."""
    ghost: Array | None = None  # (T, nq)
    """What it is to become; None where that is what was on stage."""
    frame_time: float = 0.0
    """Of `best` [s]."""


Tell = Callable[[Step], None]
ShouldStop = Callable[[], bool]


class Run(Protocol):
    """The work itself."""

    def __call__(self, bundle: Bundle, config: Any, tell: Tell, should_stop: ShouldStop) -> Bundle: ...


@dataclass(frozen=True, eq=False, kw_only=True)
class Kind:
    """A kind of work that a person may start."""

    name: str
    title: str
    """In the page's dropdown."""
    about: str
    """What it does, in a sentence."""
    config: Callable[[], Any]
    """Its config with the values to begin with."""
    top: tuple[str, ...]
    """Fields that stand in the open; the others are folded away."""
    run: Run


def kinds() -> dict[str, Kind]:
    """What may be started, by name."""
    from surefoot.studio import guiding, reconstruction

    return {kind.name: kind for kind in (*reconstruction.KINDS, *guiding.KINDS)}


def kind(name: str) -> Kind:
    """The kind of that name."""
    known = kinds()
    if name not in known:
        raise unknown_name("kind of work", name, known)
    return known[name]
