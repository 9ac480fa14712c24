"""Finding the cycle in a motion.

Two frames are alike when a rigid move along the floor (`planar`) brings one pose onto the other, velocities included. With the weighted
horizontal coordinates of frame i, centred, and tau times its velocities stacked as a complex vector c_i, and heights likewise as a real
vector h_i, the distance that the best move leaves is

    E(i, j)^2 = |c_i|^2 + |c_j|^2 - 2 |c_i^H c_j| + |h_i - h_j|^2

A cycle runs from i to j when E(i, j) is small against how far the body gets away from pose i in between. Joints weigh as the bones they
end.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.motion.anatomy import Anatomy, anatomy
from surefoot.motion.edit.close import close_frames, repeat
from surefoot.motion.edit.measure import body_height, size_factors
from surefoot.motion.edit.velocity import rates
from surefoot.motion.motion import Motion

__all__ = ["Cycle", "close_cycle", "find_cycle", "repeat"]

Array = NDArray[np.float64]

TAU = 0.08
"""Weight of velocities against positions [s], for a body of 1.7 m."""
SHORTEST = 0.22
"""Shortest cycle [s], for a body of 1.7 m."""
LEAST = 0.3
"""A cycle less certain than this is none."""
ACCEPT = 0.3
"""Largest error of a cycle, as a share of how far the body gets away in between."""
MEETS = 0.008
"""A clip whose last pose is its first to within this share of the body's height was made to repeat."""
SEARCHED = 420
"""Frames in which the cycle is searched; then it is refined among all."""


@dataclass(frozen=True, kw_only=True)
class Cycle:
    """A stretch of a motion that can follow itself."""

    start: float
    """[s]"""
    end: float
    """[s]; the frame there is the first frame again, moved along the floor."""
    error: float
    """How far joints are apart at the seam, velocities included (root mean square) [m]."""
    confidence: float
    """Between 0 and 1."""
    why: str
    """The evidence, in a few words."""

    @property
    def duration(self) -> float:
        """[s]"""
        return self.end - self.start


def find_cycle(motion: Motion, *, body: Anatomy | None = None) -> Cycle | None:
    """The shortest stretch that ends as it began, if there is a convincing one."""
    body = body or anatomy(motion.skeleton, motion)
    _, speed = size_factors(motion)
    shortest = max(3, int(np.ceil(SHORTEST * speed / motion.frame_time - 1e-9)))
    if motion.num_frames <= shortest:
        return None
    stride = max(1, int(np.floor(min(motion.num_frames / SEARCHED, shortest / 6))), int(np.ceil(motion.num_frames / (4 * SEARCHED))))
    features = _features(motion, body)
    frames = np.unique(np.append(np.arange(0, motion.num_frames, stride), motion.num_frames - 1))
    error = _distances(features, frames, frames)
    away = np.maximum.accumulate(np.triu(error), axis=1)
    widest = float(error.max())
    if widest < 0.01 * body_height(motion):
        return None
    lag = frames[None, :] - frames[:, None]
    share = np.where((lag >= shortest) & (away > 0.5 * widest), error / np.maximum(away, 1e-300), np.inf)
    end = motion.num_frames - 1
    poses = _halves(features)
    made = float(_distances(poses, frames[:1], frames[-1:])[0, 0]) < MEETS * body_height(motion) and bool(lag[0, -1] >= shortest)
    made = made or (bool(motion.source.loop) and float(share[0, -1]) < ACCEPT)
    pick = _shortest(share, lag, 1.3 * float(share.min()) + 0.03) if float(share.min()) < ACCEPT else None
    first, last = 0, end
    if pick is not None:
        reach = 2 * stride if stride > 1 else 0
        first, last = _refine(features, int(frames[pick[0]]), int(frames[pick[1]]), reach, motion.num_frames)
        again = _repeats(features, first, last, motion.num_frames)
        if made and (last - first > 0.6 * end or again is None or again > 0.3):
            first, last = 0, end
    elif not made:
        return None
    inside = np.arange(first, last + 1)
    seam = float(_distances(features, inside[:1], inside[-1:])[0, 0])
    ratio = seam / max(float(_distances(features, inside[:1], inside).max()), 1e-300)
    again = _repeats(features, first, last, motion.num_frames)
    made = made and (first, last) == (0, end)
    confidence = _confidence(ratio, again, made)
    if confidence < LEAST:
        return None
    start, stop = first * motion.frame_time, last * motion.frame_time
    why = f"it ends within {100 * ratio:.0f} % of its first pose, seen against how far it gets from it in between"
    if again is not None:
        why += f"; the frames around {'repeat' if again < 0.35 else 'do not repeat'} a cycle later (to {100 * again:.0f} %)"
    if made:
        why += "; the file says that it repeats" if motion.source.loop else "; the whole clip ends in its first pose"
    return Cycle(start=start, end=stop, error=seam, confidence=round(confidence, 3), why=why)


def _confidence(ratio: float, again: float | None, made: bool) -> float:
    """From the gap at the seam, from what stands around the cycle, and from whether the clip was made to repeat."""
    seam = float(np.clip(1.0 - ratio / (1.3 * ACCEPT), 0.0, 1.0))
    if made:
        return 0.5 + 0.5 * seam
    if again is None:  # nothing but the two ends speaks for it
        return 0.8 * seam
    return seam * float(np.clip(1.3 - 2.5 * again, 0.0, 1.0))


def close_cycle(motion: Motion, cycle: Cycle | None = None, *, body: Anatomy | None = None, straighten: float = 0.26) -> Motion:
    """The cycle (found when not given; the whole motion when there is none) as a motion that repeats without a seam.

    Its last frame is its first, moved along the floor. A turn a cycle of less than `straighten` [rad] is taken for noise and removed.
    """
    cycle = cycle or find_cycle(motion, body=body)
    first, last = 0, motion.num_frames - 1
    if cycle is not None:
        first = int(np.clip(round(cycle.start / motion.frame_time), 0, last))
        last = int(np.clip(round(cycle.end / motion.frame_time), first, last))
    return close_frames(motion, first, last, straighten)


def _features(motion: Motion, body: Anatomy) -> tuple[Array, Array]:
    """Complex horizontal features (T, 2 J) and real vertical ones (T, 2 J) of all frames."""
    _, speed = size_factors(motion)
    parents = motion.skeleton.parents
    at = motion.joint_positions
    bone = np.array([np.linalg.norm(motion.translations[0, j]) if p >= 0 else 0.0 for j, p in enumerate(parents)])
    bone[list(body.controls)] = 0.0
    bone[body.trunk] = max(float(bone.max()), 1e-12)
    weight = np.sqrt(bone / bone.sum())
    moving = TAU * speed * rates(at, motion.frame_time)
    flat = at[..., :2] - np.sum(at[..., :2] * (weight**2)[:, None], axis=1, keepdims=True)
    plane = np.concatenate([flat[..., 0] + 1j * flat[..., 1], moving[..., 0] + 1j * moving[..., 1]], axis=1)
    return plane * np.tile(weight, 2), np.concatenate([at[..., 2], moving[..., 2]], axis=1) * np.tile(weight, 2)


def _halves(features: tuple[Array, Array]) -> tuple[Array, Array]:
    """The features without velocities."""
    plane, height = features
    num = plane.shape[1] // 2
    return plane[:, :num], height[:, :num]


def _distances(features: tuple[Array, Array], rows: NDArray[np.int64], columns: NDArray[np.int64]) -> Array:
    """E (rows, columns) [m]."""
    plane, height = features
    a, b = plane[rows], plane[columns]
    squares = np.sum(np.abs(a) ** 2, axis=1)[:, None] + np.sum(np.abs(b) ** 2, axis=1)[None] - 2.0 * np.abs(a.conj() @ b.T)
    up, down = height[rows], height[columns]
    upright = np.sum(up**2, axis=1)[:, None] + np.sum(down**2, axis=1)[None] - 2.0 * up @ down.T
    return np.asarray(np.sqrt(np.maximum(squares + upright, 0.0)))


def _shortest(share: Array, lag: NDArray[np.int64], bound: float) -> tuple[int, int] | None:
    """The best pair among those about as short as the shortest pair within the bound."""
    good = share <= bound
    if not good.any():
        return None
    length = int(lag[good].min())
    near = np.where(lag <= 1.15 * length, share, np.inf)
    i, j = np.unravel_index(int(np.argmin(near)), share.shape)
    return int(i), int(j)


def _refine(features: tuple[Array, Array], first: int, last: int, reach: int, frames: int) -> tuple[int, int]:
    """The best pair of frames near a pair."""
    rows = np.arange(max(0, first - reach), min(frames, first + reach + 1))
    columns = np.arange(max(0, last - reach), min(frames, last + reach + 1))
    error = _distances(features, rows, columns)
    i, j = np.unravel_index(int(np.argmin(error)), error.shape)
    return int(rows[i]), int(columns[j])


def _repeats(features: tuple[Array, Array], first: int, last: int, frames: int) -> float | None:
    """How well the frames outside the cycle repeat those a cycle before or after, as a share; None when there are too few."""
    lag = last - first
    starts = np.array([i for i in range(frames - lag) if abs(i - first) > 0.1 * lag], dtype=np.int64)
    if len(starts) < 0.15 * lag:
        return None
    starts = starts[:: max(1, len(starts) // 40)]
    apart = np.array([float(_distances(features, np.array([i]), np.array([i + lag]))[0, 0]) for i in starts])
    inside = np.arange(first, last + 1, max(1, lag // 40))
    return float(np.median(apart) / max(float(_distances(features, inside, inside).max()), 1e-300))
