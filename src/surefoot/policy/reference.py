"""The reference: the poses that a policy is meant to perform, by which it is judged and beside which its ghost stands.

A cycle goes on where it ended: with M the move along the floor from its first frame to its last,

    reference(t) = M^n reference(t - n duration),        n = floor(t / duration)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.character.character import Character
from surefoot.errors import InputError
from surefoot.motion import quaternion
from surefoot.motion.skeleton import read_only
from surefoot.physics.manifold import difference, integrate
from surefoot.physics.scene import Scene

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, kw_only=True)
class Reference:
    """Poses of a character in time."""

    character: Character
    qpos: Array  # (T, nq)
    frame_time: float
    """[s]"""
    cycle: bool = False
    """It repeats; the last frame is the first of the next round, moved along the floor."""
    scene: Scene = field(default_factory=Scene)
    """Where it was made: heights of the reference are measured above this ground."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "qpos", read_only(self.qpos))
        wanted = self.character.model.nq
        if self.qpos.ndim != 2 or self.qpos.shape[1] != wanted or not len(self.qpos):
            raise InputError(f"a reference of '{self.character.name}' needs poses (one or more, {wanted}), got {self.qpos.shape}.")
        if not np.isfinite(self.qpos).all():
            raise InputError("a reference's poses must be finite; there is a NaN or an infinity among them.")
        if not (np.isfinite(self.frame_time) and self.frame_time > 0.0):
            raise InputError(f"the frame time must be a positive number of seconds, got {self.frame_time}.")
        if self.cycle and len(self.qpos) < 3:
            raise InputError(f"a cycle needs three frames or more, got {len(self.qpos)}.")

    @property
    def duration(self) -> float:
        """Seconds from the first frame to the last."""
        return (len(self.qpos) - 1) * self.frame_time

    @cached_property
    def stride(self) -> tuple[float, complex]:
        """The move from the first frame to the last: turn about z [rad], and shift x + iy [m] after it."""
        first, last = self.qpos[0], self.qpos[-1]
        turn = quaternion.multiply(last[3:7], quaternion.conjugate(first[3:7]))
        yaw = 2.0 * float(np.arctan2(turn[3], turn[0]))
        yaw = (yaw + np.pi) % (2.0 * np.pi) - np.pi
        return yaw, complex(last[0], last[1]) - np.exp(1j * yaw) * complex(first[0], first[1])

    def at(self, times: ArrayLike) -> Array:
        """Poses (M, nq) at times (M,) [s], held beyond the ends, or carried on round after round."""
        times = np.asarray(times, dtype=float)
        rounds = np.zeros(times.shape)
        if self.cycle:
            rounds = np.floor(times / self.duration + 1e-9)
            times = times - rounds * self.duration
        at = np.clip(times / self.frame_time, 0.0, len(self.qpos) - 1)
        near = np.round(at)
        at = np.where(np.abs(at - near) < 1e-6, near, at)
        low = np.minimum(at.astype(np.int64), max(len(self.qpos) - 2, 0))
        high = np.minimum(low + 1, len(self.qpos) - 1)
        before = self.qpos[low]
        step = difference(self.character.model, self.qpos[high], before)
        poses = integrate(self.character.model, before, (at - low)[:, None] * step)
        return self._carried(poses, rounds) if self.cycle else poses

    def velocity_at(self, times: ArrayLike) -> Array:
        """Velocities (M, nv) at times (M,): central differences; zero beyond the ends of what is no cycle."""
        times = np.asarray(times, dtype=float)
        half = 0.5 * self.frame_time
        before, after = times - half, times + half
        if not self.cycle:
            before, after = np.clip(before, 0.0, self.duration), np.clip(after, 0.0, self.duration)
        span = (after - before)[:, None]
        step = difference(self.character.model, self.at(after), self.at(before))
        return np.where(span > 1e-9, step / np.where(span > 1e-9, span, 1.0), 0.0)

    def ground_at(self, points: ArrayLike) -> Array:
        """Height (...) of the reference's own ground under points (..., 2 or more)."""
        return self.scene.height(points)

    def to_arrays(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Arrays and facts (JSON values) that bring it back."""
        return {"qpos": np.asarray(self.qpos)}, {"frame_time": self.frame_time, "cycle": self.cycle, "scene": self.scene.to_json()}

    @staticmethod
    def from_arrays(arrays: dict[str, NDArray[Any]], facts: dict[str, Any], character: Character) -> Reference:
        """The reference again, of values that may come from strangers."""
        try:
            return Reference(
                character=character,
                qpos=np.asarray(arrays["qpos"], dtype=float),
                frame_time=float(facts["frame_time"]),
                cycle=bool(facts["cycle"]),
                scene=Scene.from_json(facts["scene"]),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"the reference is damaged: {error}.") from None

    def _carried(self, poses: Array, rounds: Array) -> Array:
        """Poses (M, nq) after that many rounds (M,)."""
        yaw, shift = self.stride
        turn = np.exp(1j * yaw * rounds)
        way = shift * (rounds if abs(yaw) < 1e-9 else (turn - 1.0) / (np.exp(1j * yaw) - 1.0))
        out = np.array(poses)
        place = turn * (poses[:, 0] + 1j * poses[:, 1]) + way
        out[:, 0], out[:, 1] = place.real, place.imag
        half = 0.5 * yaw * rounds
        zero = np.zeros_like(half)
        out[:, 3:7] = quaternion.multiply(np.stack([np.cos(half), zero, zero, np.sin(half)], axis=-1), poses[:, 3:7])
        return out
