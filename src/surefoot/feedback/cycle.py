"""The cycle that a closed loop performs, cut into control fragments of about a tenth of a second.

With M the move along the floor from the first pose to the last, the reference goes on as M^n reference(t - n duration). Its duration is
a whole number T of control periods (a change of speed of less than a hundredth for anything over a second); fragment k lasts from period
edges[k] to edges[k + 1], edges[k] = round(k T / F): fragments may differ by one period, so that no cycle has to be bent to their length.
T control periods, F fragments, nu targets.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.character.character import Character
from surefoot.errors import InputError
from surefoot.motion import quaternion
from surefoot.motion.skeleton import read_only
from surefoot.physics import manifold
from surefoot.physics.batch import BatchEngine
from surefoot.physics.features import Anatomy, Observation, anatomy, state_features, tilt
from surefoot.physics.servos import Servos, servos
from surefoot.policy.reference import Reference
from surefoot.reconstruct.prepare import lift

Array = NDArray[np.float64]

SPREAD = 0.02
"""Half the time over which velocities are measured [s]."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Cycle:
    """A motion that repeats, in a character's joints. Row T is row 0 moved along the floor."""

    character: Character
    servos: Servos
    qpos: Array  # (T + 1, nq)
    qvel: Array  # (T + 1, nv)
    targets: Array  # (T + 1, nu)
    """What the servos are told, without lead; continuous."""
    period: float
    """[s]"""
    substeps: int
    edges: NDArray[np.int64]  # (F + 1,)
    seen: Observation
    """Of every row."""

    @property
    def num_periods(self) -> int:
        """T"""
        return len(self.qpos) - 1

    @property
    def num_fragments(self) -> int:
        """F"""
        return len(self.edges) - 1

    @property
    def duration(self) -> float:
        """[s]"""
        return self.num_periods * self.period

    @cached_property
    def body(self) -> Anatomy:
        """Feet and mirror partners."""
        return anatomy(self.character)

    @cached_property
    def tilts(self) -> Array:  # (F, 3)
        """The root's rotation vector where each fragment begins: which of equal ones the features choose."""
        return np.asarray(tilt(self.seen[self.edges[:-1]], self.body))

    @cached_property
    def features(self) -> Array:  # (F, 18)
        """State features of the reference where each fragment begins."""
        return np.asarray(state_features(self.seen[self.edges[:-1]], self.body, near=self.tilts))

    @cached_property
    def stride(self) -> tuple[float, complex]:
        """The move from the first pose to the last: turn about z [rad], and shift x + iy [m] after it."""
        return stride(self.qpos)

    @property
    def speed(self) -> float:
        """Along the floor, from the first pose to the last [m/s]."""
        return float(np.hypot(*(self.qpos[-1, :2] - self.qpos[0, :2]))) / self.duration


def cycle(
    character: Character, qpos: ArrayLike, frame_time: float, engine: BatchEngine, *, fragment: float = 0.1, period: float = 0.02
) -> Cycle:
    """The cycle of poses (n, nq), `frame_time` seconds apart, the last being the first moved along the floor."""
    poses = np.asarray(qpos, dtype=float)
    if poses.ndim != 2 or poses.shape[1] != character.model.nq or len(poses) < 3:
        raise InputError(f"a cycle of '{character.name}' needs the shape (three or more, {character.model.nq}), got {poses.shape}.")
    if not np.isfinite(poses).all():
        raise InputError("a cycle must be finite; there is a NaN or an infinity in it.")
    substeps = max(round(period / engine.timestep), 1)
    period = substeps * engine.timestep
    span = (len(poses) - 1) * frame_time
    num = max(round(span / period), 2)
    fragments = max(round(num * period / fragment), 1)
    edges = np.round(np.arange(fragments + 1) * num / fragments).astype(np.int64)
    turn, shift = stride(poses)
    around = np.concatenate([moved(poses[:-1], *inverse(turn, shift)), poses, moved(poses[1:], turn, shift)])
    around[:, 3:7] = quaternion.continuous(around[:, 3:7])
    times = span + np.arange(num + 1) * span / num
    poses_at = Reference(character=character, qpos=around, frame_time=frame_time).at
    here = poses_at(times)
    here[:, 2] += lift(character, here)
    half = SPREAD * span / (num * period)
    step = manifold.difference(character.model, poses_at(times + half), poses_at(times - half))
    qvel = step / (2.0 * SPREAD)
    here[-1] = moved(here[:1], turn, shift)[0]
    drive = servos(character)
    return Cycle(
        character=character,
        servos=drive,
        qpos=read_only(here),
        qvel=read_only(qvel),
        targets=read_only(drive.ctrl(here)),
        period=period,
        substeps=substeps,
        edges=edges,
        seen=engine.observe(engine.rows(here, qvel)),
    )


def stride(qpos: Array) -> tuple[float, complex]:
    """The move along the floor from the first of poses (n, nq) to the last: turn about z, and shift after it."""
    first, last = qpos[0], qpos[-1]
    turn = quaternion.multiply(last[3:7], quaternion.conjugate(first[3:7]))
    yaw = 2.0 * float(np.arctan2(turn[3], turn[0]))
    yaw = (yaw + np.pi) % (2.0 * np.pi) - np.pi
    return yaw, complex(last[0], last[1]) - complex(np.exp(1j * yaw)) * complex(first[0], first[1])


def inverse(yaw: float, shift: complex) -> tuple[float, complex]:
    """The move back."""
    return -yaw, -shift * complex(np.exp(-1j * yaw))


def moved(qpos: Array, yaw: ArrayLike, shift: ArrayLike) -> Array:
    """Poses (n, nq) turned about z and then shifted along the floor, each alike or (n,) of them."""
    out = np.array(qpos)
    place = np.exp(1j * np.asarray(yaw)) * (qpos[:, 0] + 1j * qpos[:, 1]) + shift
    out[:, 0], out[:, 1] = place.real, place.imag
    half = np.broadcast_to(0.5 * np.asarray(yaw, dtype=float), (len(qpos),))
    zero = np.zeros_like(half)
    out[:, 3:7] = quaternion.multiply(np.stack([np.cos(half), zero, zero, np.sin(half)], axis=-1), qpos[:, 3:7])
    return out
