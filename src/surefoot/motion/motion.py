"""A motion: a skeleton's poses at equal steps of time, and where it came from.

Poses are local translations and rotations of every joint, so bones that stretch lose nothing. Metres, seconds, Z up.
T frames, J joints. Arrays are read-only; every edit returns a new Motion.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.errors import InputError
from surefoot.motion import quaternion
from surefoot.motion.skeleton import Skeleton, read_only

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Guess:
    """One thing a reader had to guess."""

    what: str
    """What was guessed: "unit", "up axis", "position channels", "fps", ..."""
    value: str
    """The guess, as a person reads it."""
    confidence: float
    """Between 0 and 1."""
    why: str
    """The evidence, in a few words."""
    override: str = ""
    """The flag that overrides it, e.g. "--unit cm"."""


@dataclass(frozen=True, kw_only=True)
class Source:
    """What a reader knows about the file a motion came from."""

    format: str = ""
    """"bvh", "gltf", "amc", "deepmimic", "quadruped", "npz"; empty for motions made in memory."""
    file: str = ""
    """The file's base name, never its folder."""
    clip: str = ""
    """Name of the clip inside the file."""
    unit_m: float = 1.0
    """Length of one file unit [m]."""
    up_axis: str = "Z"
    """The file's up axis: "Y", "Z", "-Y", ...."""
    guesses: tuple[Guess, ...] = ()
    warnings: tuple[str, ...] = ()
    loop: bool | None = None
    """Whether the file says that the clip repeats; None when it does not say."""
    extra: dict[str, Any] = field(default_factory=dict)
    """Facts a writer of the same format may use, JSON values only."""


@dataclass(frozen=True, eq=False)
class Motion:
    """Poses of a skeleton in time. `translations` and `rotations` are in the parent's frame, in the world for roots."""

    skeleton: Skeleton
    translations: Array  # (T, J, 3)
    rotations: Array  # (T, J, 4)
    frame_time: float
    """Seconds from one frame to the next, exactly as the file gives it."""
    name: str = ""
    contacts: NDArray[np.bool_] | None = None  # (T, J), True where a joint is planted; None when not known
    source: Source = field(default_factory=Source)

    def __post_init__(self) -> None:
        object.__setattr__(self, "translations", read_only(self.translations))
        object.__setattr__(self, "rotations", read_only(self.rotations))
        object.__setattr__(self, "frame_time", float(self.frame_time))
        if self.contacts is not None:
            object.__setattr__(self, "contacts", read_only(self.contacts, bool))
        num = self.skeleton.num_joints
        frames = len(self.translations)
        if self.translations.shape != (frames, num, 3) or self.rotations.shape != (frames, num, 4):
            raise InputError(
                f"a motion of {num} joints needs translations (T, {num}, 3) and rotations (T, {num}, 4); got "
                f"{self.translations.shape} and {self.rotations.shape}."
            )
        if frames == 0:
            raise InputError("a motion needs at least one frame, got none.")
        if not (np.isfinite(self.frame_time) and self.frame_time > 0.0):
            raise InputError(f"the frame time must be a positive number of seconds, got {self.frame_time}.")
        if self.contacts is not None and self.contacts.shape != (frames, num):
            raise InputError(f"contacts need the shape ({frames}, {num}), got {self.contacts.shape}.")
        if not (np.isfinite(self.translations).all() and np.isfinite(self.rotations).all()):
            raise InputError("a motion's numbers must be finite; there is a NaN or an infinity among them.")

    @property
    def num_frames(self) -> int:
        return len(self.translations)

    @property
    def fps(self) -> float:
        return 1.0 / self.frame_time

    @property
    def duration(self) -> float:
        """Seconds from the first frame to the last."""
        return (self.num_frames - 1) * self.frame_time

    @property
    def times(self) -> Array:
        """Time of each frame (T,) [s]."""
        return np.asarray(np.arange(self.num_frames) * self.frame_time, dtype=np.float64)

    @cached_property
    def world(self) -> tuple[Array, Array]:
        """World positions (T, J, 3) and rotations (T, J, 4) of all joints."""
        positions, world = self.skeleton.forward(self.translations, self.rotations)
        return read_only(positions), read_only(world)

    @property
    def joint_positions(self) -> Array:
        """World positions (T, J, 3) [m]."""
        return self.world[0]

    @property
    def joint_rotations(self) -> Array:
        """World rotations (T, J, 4)."""
        return self.world[1]

    @cached_property
    def tip_positions(self) -> Array:
        """World positions (T, num_tips, 3) [m]."""
        return read_only(self.skeleton.tip_positions(*self.world))

    def sample(self, times: ArrayLike) -> tuple[Array, Array]:
        """Local translations (N, J, 3) and rotations (N, J, 4) at `times` (N,) [s], held beyond the ends."""
        at = np.clip(np.asarray(times, dtype=float) / self.frame_time, 0.0, self.num_frames - 1)
        low = np.minimum(at.astype(np.int64), max(self.num_frames - 2, 0))
        high = np.minimum(low + 1, self.num_frames - 1)
        part = np.broadcast_to((at - low)[:, None], (len(at), self.skeleton.num_joints))
        translations = self.translations[low] + part[..., None] * (self.translations[high] - self.translations[low])
        return translations, quaternion.slerp(self.rotations[low], self.rotations[high], part)

    def replace(self, **changes: Any) -> Motion:
        """A copy with some fields changed."""
        return replace(self, **changes)

    @staticmethod
    def from_world(skeleton: Skeleton, positions: Array, rotations: Array, frame_time: float, **fields: Any) -> Motion:
        """A motion from world positions (T, J, 3) and rotations (T, J, 4)."""
        translations, local = skeleton.backward(np.asarray(positions, dtype=float), np.asarray(rotations, dtype=float))
        return Motion(skeleton, translations, local, frame_time, **fields)
