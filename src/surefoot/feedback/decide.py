"""Is a clip a cycle, and is the cycle a symmetric gait? Decided from the clip, said why, and overridden by a flag.

cycle       `motion.edit.find_cycle` finds a stretch that ends as it began
symmetric   it goes straight on, and half a cycle later every joint is the mirror image of itself to within 2.5 % of the height
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from surefoot.errors import InputError
from surefoot.motion.edit import Cycle, close_cycle, find_cycle, symmetric_gait
from surefoot.motion.motion import Motion

Shape = Literal["auto", "cycle", "once"]

ALIKE = 0.025
"""Mean distance between a joint and its mirror image half a cycle later, as a part of the height, up to which a gait is symmetric."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Decision:
    """What is to be learned of a clip."""

    motion: Motion
    """The clip, or its cycle, closed."""
    cycle: bool
    symmetric: bool
    why: str
    """One sentence."""
    first: int = 0
    """Frame of the clip at which it begins."""


def decide(motion: Motion, shape: Shape = "auto") -> Decision:
    """Cycle or skill that ends; `shape` overrides the guess."""
    found = None if shape == "once" else find_cycle(motion)
    if shape == "once" or (shape == "auto" and found is None):
        why = "as asked" if shape == "once" else "no stretch of it ends as it began (--cycle repeats it all the same)"
        return Decision(motion=motion, cycle=False, symmetric=False, why=f"a skill that ends: {why}")
    if motion.num_frames < 3:
        raise InputError(f"a cycle needs three frames or more, this clip has {motion.num_frames}.")
    first = 0 if found is None else round(found.start / motion.frame_time)
    closed = close_cycle(motion, found)
    why = (
        "a cycle, as asked: the whole clip, its ends bent together" if found is None else f"a cycle of {closed.duration:.2f} s: {found.why}"
    )
    even, apart = _even(motion, found or _all_of(motion), closed)
    if even is not None and apart < ALIKE:
        return Decision(motion=even, cycle=True, symmetric=True, first=first, why=f"{why}; a symmetric gait (to {100 * apart:.1f} %)")
    return Decision(motion=closed, cycle=True, symmetric=False, first=first, why=why)


def _even(motion: Motion, cycle: Cycle, closed: Motion) -> tuple[Motion | None, float]:
    """The cycle made symmetric, and how far that moves its joints as a part of the height; None where it turns."""
    try:
        even = symmetric_gait(motion, cycle)
    except InputError:
        return None, np.inf
    mine, its = (one.joint_positions - one.joint_positions[:, :1] for one in (closed, even))
    return even, float(np.linalg.norm(mine - its, axis=-1).mean()) / motion.skeleton.height


def _all_of(motion: Motion) -> Cycle:
    return Cycle(start=0.0, end=motion.duration, error=0.0, confidence=1.0, why="")
