"""The reference: the poses that a policy is meant to perform, by which it is judged and beside which its ghost stands.

Between frames poses lie on a cubic through their neighbours (Catmull and Rom's, in the tangent space of the frame before), so that 30
frames a second have a velocity at all times. Velocities are central differences over 2 h,

    v(t) = (reference(t + h) - reference(t - h)) / 2h,        h = 20 ms

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
from surefoot.physics.manifold import difference, integrate, off_unit
from surefoot.physics.scene import Scene

Array = NDArray[np.float64]

SPREAD = 0.02
"""h [s]"""
UNIT = 1e-4
"""How far the length of a quaternion may be from 1."""


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
        if off_unit(self.character.model, self.qpos) > UNIT:
            raise InputError("a reference's poses hold a quaternion whose length is not 1.")
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
        if len(self.qpos) == 1:
            return np.repeat(np.asarray(self.qpos), len(times), axis=0)
        rounds = np.zeros(times.shape)
        if self.cycle:
            rounds = np.floor(times / self.duration + 1e-9)
            times = times - rounds * self.duration
        at = np.clip(times / self.frame_time, 0.0, len(self.qpos) - 1)
        near = np.round(at)
        at = np.where(np.abs(at - near) < 1e-6, near, at)
        low = np.minimum(at.astype(np.int64), len(self.qpos) - 2)
        s = (at - low)[:, None]
        step, begin, end = self._steps[low], self._slopes[low], self._slopes[low + 1]
        way = s * begin + s**2 * (3.0 * step - 2.0 * begin - end) + s**3 * (begin + end - 2.0 * step)
        poses = integrate(self.character.model, self.qpos[low], way)
        return self._carried(poses, rounds) if self.cycle else poses

    def velocity_at(self, times: ArrayLike) -> Array:
        """Velocities (M, nv) at times (M,); one-sided at the ends of what is no cycle, zero beyond them."""
        times = np.asarray(times, dtype=float)
        before, after = times - SPREAD, times + SPREAD
        if not self.cycle:
            before, after = np.clip(before, 0.0, self.duration), np.clip(after, 0.0, self.duration)
            outside = (times < -1e-9) | (times > self.duration + 1e-9)
            before = np.where(outside, after, before)
        span = (after - before)[:, None]
        step = difference(self.character.model, self.at(after), self.at(before))
        return np.where(span > 1e-9, step / np.where(span > 1e-9, span, 1.0), 0.0)

    @cached_property
    def _steps(self) -> Array:
        """From each frame to the next (T - 1, nv)."""
        return difference(self.character.model, self.qpos[1:], self.qpos[:-1])

    @cached_property
    def _slopes(self) -> Array:
        """The direction in which each frame is passed (T, nv), per frame."""
        steps = self._steps
        if self.cycle:  # over the seam, the floor's directions turned along
            yaw, _ = self.stride
            before, after = steps[-1:].copy(), steps[:1].copy()
            for row, turn in ((before, -yaw), (after, yaw)):
                place = np.exp(1j * turn) * (row[:, 0] + 1j * row[:, 1])
                row[:, 0], row[:, 1] = place.real, place.imag
            steps = np.concatenate([before, steps, after])
            return np.asarray(0.5 * (steps[:-1] + steps[1:]))
        if len(steps) == 1:
            return np.repeat(steps, 2, axis=0)
        first, last = 1.5 * steps[:1] - 0.5 * steps[1:2], 1.5 * steps[-1:] - 0.5 * steps[-2:-1]
        return np.concatenate([first, 0.5 * (steps[:-1] + steps[1:]), last])

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
