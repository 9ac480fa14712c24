"""The cycle that a closed loop performs, or the skill that ends, cut into control fragments of about a tenth of a second.

With M the move along the floor from the first pose to the last, the reference goes on as M^n reference(t - n duration). Its duration is
a whole number T of control periods (a change of speed of less than a hundredth for anything over a second); fragment k lasts from period
edges[k] to edges[k + 1], edges[k] = round(k T / F): fragments may differ by one period, so that no cycle has to be bent to their length.
A skill that ends has one fragment more, its hold, which stands still in the last pose and is repeated from then on.
T control periods, F fragments, nu targets.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.character.character import Character
from surefoot.character.rig.replay import lowest_points
from surefoot.motion import quaternion
from surefoot.motion.skeleton import read_only
from surefoot.physics.batch import BatchEngine
from surefoot.physics.features import Anatomy, Observation, anatomy, state_features, tilt
from surefoot.physics.servos import Servos, nearest, servos
from surefoot.policy.reference import Reference

Array = NDArray[np.float64]

HOLD = 2.0
"""How long a skill that ends is practised to stand in its last pose [s]."""
TOUCHING = 10.0
"""Part of the time in which the lowest point is at the ground or below [%]."""


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
    again: int = 0
    """The fragment that follows the last: 0 in a cycle, the last itself in a skill that ends."""

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

    @property
    def ends(self) -> bool:
        """Whether it ends in a hold instead of beginning again."""
        return self.again > 0

    @property
    def course(self) -> tuple[int, ...]:
        """The fragments of one round: each once, the hold of a skill that ends for `HOLD` seconds."""
        num = self.num_fragments
        if not self.ends:
            return tuple(range(num))
        long = self.period * int(self.edges[-1] - self.edges[-2])
        return (*range(num), *[num - 1] * (round(HOLD / long) - 1))

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

    def leading(self, lead: float) -> Array:
        """Targets (T, nu) at the end of every period, read `lead` seconds ahead."""
        at = np.arange(1, self.num_periods + 1) + lead / self.period
        low = np.floor(at + 1e-9)
        here = low.astype(np.int64)
        here = np.minimum(here, self.num_periods - 1) if self.ends else here % self.num_periods
        before, after = np.array(self.targets[here]), np.array(self.targets[here + 1])
        balls = self.servos.ball_ctrl
        after[:, balls] = nearest(after[:, balls], before[:, balls])
        return np.asarray(before + (at - low)[:, None] * (after - before))

    @property
    def speed(self) -> float:
        """Of the way along the floor, from the first pose to the last [m/s]."""
        return float(np.hypot(*(self.qpos[-1, :2] - self.qpos[0, :2]))) / self.duration


def cycle(
    character: Character,
    qpos: ArrayLike,
    frame_time: float,
    engine: BatchEngine,
    *,
    fragment: float = 0.1,
    period: float = 0.02,
    even: bool = False,
    once: bool = False,
) -> Cycle:
    """The cycle of poses (n, nq), `frame_time` seconds apart, the last being the first moved along the floor.

    `even` makes an even number of periods and of fragments, so that a symmetric gait has two halves; `once` a skill that ends.
    """
    clip = Reference(character=character, qpos=np.asarray(qpos, dtype=float), frame_time=frame_time, cycle=not once)
    substeps = max(round(period / engine.timestep), 1)
    period = substeps * engine.timestep
    halves = 2 if even else 1
    num = halves * max(round(clip.duration / period / halves), 2)
    fragments = halves * max(round(num * period / fragment / halves), 1)
    edges = np.floor(np.arange(fragments + 1) * num / fragments + 0.5).astype(np.int64)
    if even:
        edges[fragments // 2 :] = edges[: fragments // 2 + 1] + num // 2
    times = np.arange(num + 1) * clip.duration / num
    here = clip.at(times)
    here[:, 3:7] = quaternion.continuous(here[:, 3:7])
    here[:, 2] += lift(character, here)
    if not once:
        here[-1] = moved(here[:1], *stride(here))[0]
    qvel = clip.duration / (num * period) * clip.velocity_at(times)  # in the cycle's own time
    if once:
        long = max(round(fragment / period), 1)
        here, qvel = np.concatenate([here, np.repeat(here[-1:], long, axis=0)]), np.concatenate([qvel, np.zeros((long, qvel.shape[1]))])
        edges = np.append(edges, edges[-1] + long)
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
        again=fragments if once else 0,
    )


def lift(character: Character, qpos: Array) -> float:
    """How far to raise poses (T, nq) so that their lowest points touch the ground a tenth of the time [m]."""
    low = lowest_points(character, qpos)
    low = low[np.isfinite(low)]
    return -float(np.percentile(low, TOUCHING)) if len(low) else 0.0


def stride(qpos: Array) -> tuple[float, complex]:
    """The move along the floor from the first of poses (n, nq) to the last: turn about z, and shift after it."""
    first, last = qpos[0], qpos[-1]
    turn = quaternion.multiply(last[3:7], quaternion.conjugate(first[3:7]))
    yaw = 2.0 * float(np.arctan2(turn[3], turn[0]))
    yaw = (yaw + np.pi) % (2.0 * np.pi) - np.pi
    return yaw, complex(last[0], last[1]) - complex(np.exp(1j * yaw)) * complex(first[0], first[1])


def moved(qpos: Array, yaw: ArrayLike, shift: ArrayLike) -> Array:
    """Poses (n, nq) turned about z and then shifted along the floor, each alike or (n,) of them."""
    out = np.array(qpos)
    place = np.exp(1j * np.asarray(yaw)) * (qpos[:, 0] + 1j * qpos[:, 1]) + shift
    out[:, 0], out[:, 1] = place.real, place.imag
    half = np.broadcast_to(0.5 * np.asarray(yaw, dtype=float), (len(qpos),))
    zero = np.zeros_like(half)
    out[:, 3:7] = quaternion.multiply(np.stack([np.cos(half), zero, zero, np.sin(half)], axis=-1), qpos[:, 3:7])
    return out
