"""Key-frames onto another body (Wide band 4.3): inverse kinematics at the keys only, so that sparse key-frames stay sparse.

    q_k = argmin of the retargeting's cost at time t_k        q(t) = q_k (+) h(s),  s = (t - t_k) / (t_k+1 - t_k)

with h a cubic from 0 to q_k+1 (-) q_k in the tangent space of q_k, whose slope at a key is the mean of its neighbours'.

The character may have fewer degrees of freedom than the source (hinges only): what cannot be followed is left to the end effectors. How
far the interpolated character strays from the source between two keys is measured, because an interpolation of joint angles is not one of
places.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.character.character import Character
from surefoot.character.retarget.config import RetargetConfig
from surefoot.character.retarget.matching import Matching
from surefoot.character.retarget.retarget import continuous, prepare
from surefoot.character.retarget.targets import Targets
from surefoot.errors import InputError
from surefoot.motion import quaternion
from surefoot.motion.motion import Motion

Array = NDArray[np.float64]

STRAYS = 0.03
"""End effectors that stray further than this part of the height between two keys are worth a note."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Keyframes:
    """Sparse poses of a character."""

    character: Character
    times: Array  # (K,)
    """[s]"""
    qpos: Array  # (K, nq)
    at_keys_m: float
    """Mean distance of the end effectors from the source's, scaled limb by limb, at the keys."""
    between_m: Array  # (K - 1,)
    """Largest such distance of any end effector between each key and the next."""
    matching: Matching
    notes: tuple[str, ...] = ()

    def sample(self, times: ArrayLike) -> Array:
        """Poses (N, nq) at `times` (N,) [s], on a smooth curve through the keys, held beyond the ends."""
        return curve(self.character.model, self.times, self.qpos, np.asarray(times, dtype=float))

    def motion(self, frame_time: float, **fields: Any) -> Motion:
        """The interpolated motion on the character's own skeleton, from the first key to the last."""
        count = max(1, int(np.floor((self.times[-1] - self.times[0]) / frame_time + 1e-6)) + 1)
        return self.character.motion(self.sample(self.times[0] + frame_time * np.arange(count)), frame_time, **fields)


def transfer_keys(
    motion: Motion,
    key_times: Sequence[float] | Array,
    character: Character,
    config: RetargetConfig | None = None,
    matching: Mapping[str, str | None] | str | Path | None = None,
) -> Keyframes:
    """The poses of `motion` at `key_times` [s] on `character`."""
    config = config or RetargetConfig()
    times = checked_times(key_times, motion.duration)
    problem = prepare(motion, character, config, matching)
    targets = at_times(problem.targets, character, times / motion.frame_time)
    from surefoot.character.retarget.ik import Solver  # mink is a heavy import

    solver = Solver(character, targets, replace(config, iterations=config.first_iterations, continuity_weight=0.0))
    qpos = continuous(character, solver.solve())
    world = character.motion(qpos, 1.0).world
    gaps = [goal.gap(*world) for goal in targets.ends.values()]
    between = _between(problem.targets, motion, character, times, qpos)
    return Keyframes(
        character=character,
        times=times,
        qpos=qpos,
        at_keys_m=float(np.mean(gaps)) if gaps else 0.0,
        between_m=between,
        matching=problem.matching,
        notes=(*problem.notes, *_strays(times, between, character.height)),
    )


def checked_times(key_times: Sequence[float] | Array, duration: float) -> Array:
    """Key times as an array (K,), or an error that says what is wrong with them."""
    times = np.array(key_times, dtype=float).reshape(-1)
    if len(times) == 0:
        raise InputError("key times: none were given, at least one is needed.")
    if not np.isfinite(times).all() or np.any(np.diff(times) <= 0.0):
        raise InputError("key times must be numbers of seconds in rising order.")
    if times[0] < -1e-9 or times[-1] > duration + 1e-6:
        raise InputError(f"key times {times[0]:g} to {times[-1]:g} s do not lie within the motion, 0 to {duration:g} s.")
    return np.clip(times, 0.0, duration)


def interpolate(model: mujoco.MjModel, times: Array, qpos: Array, at: Array) -> Array:
    """Poses (N, nq) at the times `at`, straight between the poses `qpos` (K, nq) at `times`."""
    return _run(model, times, qpos, at, _steps(model, qpos), None)


def curve(model: mujoco.MjModel, times: Array, qpos: Array, at: Array) -> Array:
    """Poses (N, nq) at the times `at` on a smooth curve through the poses `qpos` (K, nq) at `times` [s]."""
    steps = _steps(model, qpos)
    if len(times) < 3:
        return _run(model, times, qpos, at, steps, None)
    slopes = steps / np.diff(times)[:, None]
    middle = 0.5 * (slopes[:-1] + slopes[1:])
    # No steeper than thrice the flatter neighbour, and flat where a coordinate turns back: then nothing overshoots its keys.
    steepest = np.where(slopes[:-1] * slopes[1:] > 0.0, 3.0 * np.minimum(np.abs(slopes[:-1]), np.abs(slopes[1:])), 0.0)
    middle = np.clip(middle, -steepest, steepest)
    return _run(model, times, qpos, at, steps, np.concatenate([slopes[:1], middle, slopes[-1:]]))


def _steps(model: mujoco.MjModel, qpos: Array) -> Array:
    """Tangents (K - 1, nv) from each pose to the next."""
    out = np.empty((max(len(qpos) - 1, 0), model.nv))
    for row, a, b in zip(out, qpos[:-1], qpos[1:], strict=True):
        mujoco.mj_differentiatePos(model, row, 1.0, a, b)
    return out


def _run(model: mujoco.MjModel, times: Array, qpos: Array, at: Array, steps: Array, slopes: Array | None) -> Array:
    low = np.clip(np.searchsorted(times, at, side="right") - 1, 0, max(len(times) - 2, 0))
    out = np.array(qpos[low])
    if len(times) < 2:
        return out
    width = np.diff(times)
    share = np.clip((at - times[low]) / width[low], 0.0, 1.0)
    for row, k, s in zip(out, low, share, strict=True):
        step = s * steps[k]
        if slopes is not None:
            step = (3.0 - 2.0 * s) * s * s * steps[k]
            step += width[k] * s * (1.0 - s) * ((1.0 - s) * slopes[k] - s * slopes[k + 1])
        mujoco.mj_integratePos(model, row, step, 1.0)
    return out


def at_times(targets: Targets, character: Character, frames: Array) -> Targets:
    """Targets at fractional `frames` (K,)."""
    count = len(targets.guess)
    low = np.clip(frames.astype(np.int64), 0, max(count - 2, 0))
    high = np.minimum(low + 1, count - 1)
    part = np.clip(frames - low, 0.0, 1.0)

    def linear(values: Array) -> Array:
        share = part.reshape(-1, *([1] * (values.ndim - 1)))
        return np.asarray(values[low] + share * (values[high] - values[low]))

    return replace(
        targets,
        guess=interpolate(character.model, np.arange(count, dtype=float), targets.guess, frames),
        goals=tuple(replace(g, places=linear(g.places), weight=linear(g.weight)) for g in targets.goals),
        bearings=tuple(replace(b, rotations=quaternion.slerp(b.rotations[low], b.rotations[high], part)) for b in targets.bearings),
        ends={name: replace(g, places=linear(g.places), weight=linear(g.weight)) for name, g in targets.ends.items()},
        planted={name: (point, on[np.round(frames).astype(np.int64).clip(0, count - 1)]) for name, (point, on) in targets.planted.items()},
        reach=1,
    )


def _between(targets: Targets, motion: Motion, character: Character, times: Array, qpos: Array) -> Array:
    """Largest distance (K - 1,) of the interpolated end effectors from the source's, scaled, among the frames between two keys."""
    if len(times) < 2 or not targets.ends:
        return np.zeros(max(len(times) - 1, 0))
    world = character.motion(curve(character.model, times, qpos, motion.times), motion.frame_time).world
    gaps = np.max([goal.gap(*world) for goal in targets.ends.values()], axis=0)
    out = np.zeros(len(times) - 1)
    for k in range(len(out)):
        inside = (motion.times >= times[k]) & (motion.times <= times[k + 1])
        out[k] = float(gaps[inside].max()) if inside.any() else 0.0
    return out


def _strays(times: Array, between: Array, height: float) -> list[str]:
    """A note on the stretches between keys that lose most of the source."""
    worst = [int(k) for k in np.argsort(-between, kind="stable")[:3] if between[k] > STRAYS * height]
    return [
        f"between the keys at {times[k]:.2f} s and {times[k + 1]:.2f} s an end effector strays {100.0 * between[k]:.0f} cm from the "
        f"source; a key near {0.5 * (times[k] + times[k + 1]):.2f} s would help"
        for k in worst
    ]
