"""A finding, and what all checks look at."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from surefoot.motion.anatomy import Anatomy, anatomy
from surefoot.motion.edit.contacts import foot_contacts
from surefoot.motion.edit.measure import FootPoints, body_joints, floor_level, foot_points, size_factors
from surefoot.motion.edit.travel import is_in_place
from surefoot.motion.motion import Motion

Array = NDArray[np.float64]
Severity = Literal["note", "warning"]


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One thing a person should know about a motion."""

    kind: str
    """In two or three words: "jump", "noise", "below the floor", "skating", ...."""
    severity: Severity
    """"warning" where it will hurt what is made of the motion, "note" where it is only good to know."""
    sentence: str
    """What was seen, where, and what to do about it."""
    frame: int | None = None
    """The first frame in which it is seen."""
    joint: str | None = None
    """The joint it is about, or the worst of several."""


class Patient:
    """A motion and what the checks share, computed once."""

    def __init__(self, motion: Motion, body: Anatomy | None = None, skipped: int = 0) -> None:
        self.motion = motion
        self.skipped = skipped
        """Frames at the beginning that are left out of `motion`; people count them."""
        self.body = body or anatomy(motion.skeleton, motion)
        self.length, self.speed = size_factors(motion)

    @property
    def names(self) -> tuple[str, ...]:
        return self.motion.skeleton.names

    @cached_property
    def solid(self) -> list[int]:
        """The joints that are body."""
        return body_joints(self.motion, self.body)

    @cached_property
    def floor(self) -> float:
        return floor_level(self.motion, self.body)

    @cached_property
    def points(self) -> FootPoints:
        return foot_points(self.motion, self.body)

    @cached_property
    def in_place(self) -> bool:
        return is_in_place(self.motion, body=self.body)

    @cached_property
    def contacts(self) -> NDArray[np.bool_]:
        return self.motion.contacts if self.motion.contacts is not None else foot_contacts(self.motion, body=self.body)

    def at(self, frame: int) -> str:
        """A frame as a person finds it."""
        frame += self.skipped
        return f"{frame * self.motion.frame_time:.2f} s (frame {frame})"


def centimetres(metres: float) -> str:
    """A length for people."""
    return f"{100.0 * metres:.0f} cm" if abs(metres) < 1.0 else f"{metres:.2f} m"


def listed(names: list[str], most: int = 4) -> str:
    """Names in quotes, the first few."""
    return ", ".join(f"'{name}'" for name in names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")
