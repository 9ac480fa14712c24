"""A plan: PD targets in time, a reference read ahead and turned by offsets.

    target(t) = offset(t) (+) reference(t + lead)

where (+) is the quaternion product, joint by joint (Simulation for Control, 3.1). Offsets are held for `offset_time` each, as a control
fragment holds its action, or run linearly from one to the next (Wide band, 5.1). The lead makes up for the servos' lag.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.character.character import Character
from surefoot.errors import InputError
from surefoot.motion import quaternion
from surefoot.motion.skeleton import read_only
from surefoot.physics.servos import Servos, nearest, servos

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, kw_only=True)
class Plan:
    """PD targets in time, held at both ends."""

    servos: Servos
    reference: Array  # (T, nu)
    """Targets of the reference poses, continuous."""
    frame_time: float
    """[s]"""
    lead: float
    """Seconds by which the reference is read ahead."""
    offsets: Array  # (F, nu)
    """Turns of the targets in the parents' frames: rotation vectors, angles [rad]."""
    offset_time: float = 0.1
    """Seconds that each offset lasts, or from one to the next."""
    linear: bool = False
    """Run linearly from offset to offset instead of holding each."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "reference", read_only(self.reference))
        object.__setattr__(self, "offsets", read_only(self.offsets))
        for name in ("reference", "offsets"):
            array = getattr(self, name)
            if array.ndim != 2 or array.shape[1] != self.servos.num or not len(array):
                raise InputError(f"a plan's {name} needs the shape (one or more, {self.servos.num}), got {array.shape}.")
            if not np.isfinite(array).all():
                raise InputError(f"a plan's {name} must be finite; there is a NaN or an infinity in it.")
        if not (np.isfinite(self.frame_time) and self.frame_time > 0.0 and np.isfinite(self.offset_time) and self.offset_time > 0.0):
            raise InputError("a plan's frame time and offset time must be positive numbers of seconds.")

    @property
    def duration(self) -> float:
        """Seconds from the first frame to the last."""
        return (len(self.reference) - 1) * self.frame_time

    def at(self, times: ArrayLike) -> Array:
        """Targets (M, nu) at times (M,) [s]."""
        return self.servos.compose(self.reference_at(times), self.offset_at(times))

    def reference_at(self, times: ArrayLike) -> Array:
        """Targets (M, nu) of the reference alone, `lead` ahead of times (M,); balls turn along the shortest arc between frames."""
        at = np.clip((np.asarray(times, dtype=float) + self.lead) / self.frame_time, 0.0, len(self.reference) - 1)
        low = np.minimum(at.astype(np.int64), max(len(self.reference) - 2, 0))
        high = np.minimum(low + 1, len(self.reference) - 1)
        part = (at - low)[:, None]
        before, after = self.reference[low], self.reference[high]
        out = before + part * (after - before)
        balls = self.servos.ball_ctrl
        a, b = quaternion.exp(before[:, balls]), quaternion.exp(after[:, balls])
        turned = quaternion.slerp(a, b, np.broadcast_to(part, a.shape[:-1]))
        out[:, balls] = nearest(quaternion.log(turned), out[:, balls])
        return out

    def offset_at(self, times: ArrayLike) -> Array:
        """Offsets (M, nu) at times (M,) [s]."""
        last = len(self.offsets) - 1
        at = np.clip(np.asarray(times, dtype=float) / self.offset_time + 1e-9, 0.0, last)
        low = at.astype(np.int64)
        if not self.linear:
            return np.array(self.offsets[low])
        high = np.minimum(low + 1, last)
        return np.asarray(self.offsets[low] + (at - low)[:, None] * (self.offsets[high] - self.offsets[low]))

    def replace(self, **changes: Any) -> Plan:
        """A copy with some fields changed."""
        return replace(self, **changes)


def plan(character: Character, qpos: ArrayLike, frame_time: float, **changes: Any) -> Plan:
    """A plan that tracks poses (T, nq) with the character's own lead and no offsets."""
    drive = servos(character)
    poses = np.asarray(qpos, dtype=float)
    if poses.ndim != 2 or poses.shape[1] != character.model.nq or not len(poses):
        raise InputError(f"poses of '{character.name}' need the shape (one or more, {character.model.nq}), got {poses.shape}.")
    values: dict[str, Any] = {"lead": character.lead, "offsets": np.zeros((1, drive.num)), **changes}
    return Plan(servos=drive, reference=drive.ctrl(poses), frame_time=frame_time, **values)
