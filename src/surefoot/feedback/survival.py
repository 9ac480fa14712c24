"""Does a policy stay on its feet? Episodes from perturbed starts at all phases, without noise and without search.

An episode is lost when the root is lower than half the reference's height, or tilted a radian away from it. The full rule
(which bodies may touch the ground) is the evaluator's; this one is quick, and strict enough to choose between policies.
M episodes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.feedback.cycle import Cycle
from surefoot.feedback.policy import LinearFeedback
from surefoot.physics.batch import BatchEngine
from surefoot.physics.features import Observation, facing, state_features
from surefoot.physics.features.algebra import conjugate, multiply, norm
from surefoot.physics.push import Push

Array = NDArray[np.float64]

ROOT_SPEED, ROOT_TURN, JOINTS = 0.1, 0.2, 0.3
"""Standard deviations by which starts are perturbed [m/s, rad/s, rad/s]."""
LOW, TILTED = 0.5, 1.0


@dataclass(frozen=True, eq=False, kw_only=True)
class Survival:
    """How long episodes lasted."""

    lasted: Array  # (M,)
    """[s]"""
    whole: float
    """What was asked for [s]."""
    speed: float
    """Mean speed along the floor of those that lasted [m/s]; 0 when none did."""
    apart: float
    """Mean distance of bodies from the reference's while they stood, seen from the root and its heading [m]."""

    @property
    def rate(self) -> float:
        """Part of the episodes that lasted to the end."""
        return float(np.mean(self.lasted >= self.whole - 1e-9))

    @property
    def mean(self) -> float:
        """Mean time that an episode lasted, as a part of the whole."""
        return float(np.mean(self.lasted)) / self.whole


def perturbed(
    cycle: Cycle, engine: BatchEngine, starts: Sequence[Array], num: int, rng: np.random.Generator, scale: float = 1.0
) -> tuple[Array, NDArray[np.int64]]:
    """Rows (num, S) near the cycle, and the fragments (num,) that begin there."""
    layout, fragments = engine.layout, cycle.num_fragments
    fragment = np.arange(num) % fragments
    rows = np.stack([starts[f][rng.integers(len(starts[f]))] for f in fragment.tolist()])
    size = cycle.character.height / 1.7
    v = layout.qvel.start
    nv = cycle.character.model.nv
    z = rng.standard_normal((num, nv)) * scale
    rows[:, v : v + 3] += ROOT_SPEED * np.sqrt(size) * z[:, :3]
    rows[:, v + 3 : v + 6] += ROOT_TURN / np.sqrt(size) * z[:, 3:6]
    rows[:, v + 6 : v + nv] += JOINTS / np.sqrt(size) * z[:, 6:]
    rows[:, layout.time] = 0.0
    return rows, fragment


def survive(
    policy: LinearFeedback,
    cycle: Cycle,
    engine: BatchEngine,
    rows: Array,
    fragment: NDArray[np.int64],
    seconds: float,
    pushes: Sequence[Push] = (),
) -> Survival:
    """Episodes of `seconds` from rows (M, S) where fragments (M,) begin; as many at a time as the engine holds."""
    parts = [
        _run(policy, cycle, engine, rows[i : i + engine.num_simulations], fragment[i : i + engine.num_simulations], seconds, pushes)
        for i in range(0, len(rows), engine.num_simulations)
    ]
    lasted, way, apart = (np.concatenate([part[n] for part in parts]) for n in (0, 1, 2))
    done = lasted >= seconds - 1e-9
    speed = float(np.mean(way[done])) / seconds if done.any() else 0.0
    return Survival(lasted=lasted, whole=seconds, speed=speed, apart=float(np.mean(apart)))


def _run(
    policy: LinearFeedback,
    cycle: Cycle,
    engine: BatchEngine,
    rows: Array,
    fragment: NDArray[np.int64],
    seconds: float,
    pushes: Sequence[Push],
) -> tuple[Array, Array, Array]:
    num, layout = len(rows), engine.layout
    engine.state[:num] = rows
    begin = cycle.edges[fragment]
    on = np.ones(num, dtype=bool)
    lasted = np.full(num, seconds)
    way, apart, looks = np.zeros(num), np.zeros(num), np.zeros(num)
    place = rows[:, layout.qpos][:, :2].copy()
    current = np.full(num, -1)
    actions = np.zeros((num, policy.gain.shape[1]))
    targets = np.zeros((engine.num_simulations, cycle.servos.num))
    for p in range(round(seconds / cycle.period)):
        at = policy.place(begin + p)
        now = policy.fragments[at]
        new = on & ((now != current) | (at == policy.edges[policy.again]))
        if new.any():
            ids = np.flatnonzero(new)
            seen = engine.observe(engine.state[ids])
            features = np.asarray(state_features(seen, cycle.body, near=policy.tilts[now[ids]]))
            actions[ids] = policy.actions(now[ids], features)
            current = now
            down = (seen.position[:, 0, 2] < LOW * cycle.qpos[at[ids], 2]) | (_away(seen.rotation[:, 0], cycle, at[ids]) > TILTED)
            down |= ~engine.ok[ids]
            here = engine.state[ids][:, layout.qpos][:, :2]
            moved = np.hypot(*(here - place[ids]).T)
            way[ids] += np.where(down, 0.0, moved)
            apart[ids] += np.where(down, 0.0, _apart(seen, cycle, at[ids]))
            looks[ids] += ~down
            place[ids] = here
            lasted[ids[down]] = p * cycle.period
            on[ids[down]] = False
            if not on.any():
                break
        targets[:num] = policy.targets(at * cycle.period, actions)
        engine.step(targets, cycle.substeps, linear=True, ids=np.flatnonzero(on), pushes=pushes)
    return lasted, way, apart / np.maximum(looks, 1.0)


def _apart(seen: Observation, cycle: Cycle, at: NDArray[np.int64]) -> Array:
    """Mean distance (n,) of bodies from the reference's at rows `at`, each seen from its root and heading [m]."""
    return np.asarray(norm(_shape(seen, cycle) - _shape(cycle.seen[at], cycle)).mean(axis=-1))


def _shape(seen: Observation, cycle: Cycle) -> Array:
    """Places (n, B, 3) of bodies from their root, in the facing frame."""
    cosine, sine = facing.heading(cycle.body.front(seen.rotation[:, 0]))
    return np.asarray(facing.into((cosine[:, None], sine[:, None]), seen.position - seen.position[:, :1]))


def _away(rotation: Array, cycle: Cycle, at: NDArray[np.int64]) -> Array:
    """Angle (n,) between roots and the reference's at rows `at`, when both face alike [rad]."""
    mine = _faced(rotation, cycle)
    want = _faced(cycle.seen.rotation[at, 0], cycle)
    apart = np.abs(multiply(conjugate(want), mine)[..., 0])
    return np.asarray(2.0 * np.arccos(np.minimum(apart, 1.0)))


def _faced(rotation: Array, cycle: Cycle) -> Array:
    frame = facing.heading(cycle.body.front(rotation))
    return np.asarray(facing.turned(frame, rotation))
