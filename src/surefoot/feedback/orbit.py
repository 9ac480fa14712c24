"""The cycle that a closed loop really performs: the mean of many rounds, each moved back to where the reference begins.

    orbit(t) = mean over rounds n of  M_n^-1 q(n D + t),        M_n the move along the floor from the reference's root to the round's

A policy never stands exactly where its reference does; episodes that begin on its own orbit are disturbed by what disturbs them, and not
by being put beside it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from surefoot.feedback.cycle import Cycle, moved
from surefoot.physics.batch import BatchEngine
from surefoot.physics.features import facing
from surefoot.policy.perform import perform
from surefoot.policy.policy import Policy

Array = NDArray[np.float64]


def orbit(policy: Policy, cycle: Cycle, rows: Array, *, skip: int = 2, rounds: int = 4, threads: int = 1) -> Array | None:
    """Mean poses (T + 1, nq) of rounds under a policy, from rows (N, S) where the cycle begins; None when nobody lasts that long."""
    engine = BatchEngine(cycle.character, len(rows), threads)
    engine.state[:] = rows
    periods = cycle.num_periods
    done = perform(engine, policy, np.zeros(len(rows)), (skip + rounds) * periods, record=True)
    ahead = np.concatenate([rows[:, None], done.states], axis=1)[..., engine.layout.qpos][..., : cycle.character.model.nq]
    parts = []
    for n in range(skip, skip + rounds):
        part = ahead[:, n * periods : (n + 1) * periods + 1]
        ok = np.isfinite(part).all(axis=(1, 2)) & (part[..., 2].min(axis=1) > 0.5 * cycle.qpos[:, 2].min())
        parts += [_home(one, cycle) for one in part[ok]]
    return None if not parts else _mean(np.stack(parts), cycle)


def _home(poses: Array, cycle: Cycle) -> Array:
    """A round (T + 1, nq) moved along the floor so that its first root stands and looks as the reference's."""
    front = cycle.body.front
    have = complex(*(float(v) for v in facing.heading(front(poses[0, 3:7]))))
    want = complex(*(float(v) for v in facing.heading(front(cycle.qpos[0, 3:7]))))
    yaw = float(np.angle(want / have))
    shift = complex(*cycle.qpos[0, :2]) - np.exp(1j * yaw) * complex(*poses[0, :2])
    return moved(poses, yaw, shift)


def _mean(rounds: Array, cycle: Cycle) -> Array:
    """Mean poses of rounds (R, T + 1, nq); rotations as the mean quaternion."""
    out = np.array(rounds.mean(axis=0))
    for part in (np.array([3, 4, 5, 6]), *cycle.servos.ball_qpos):
        turns = rounds[..., part]
        turns = turns * np.where(np.sum(turns * cycle.qpos[:, part], axis=-1, keepdims=True) < 0.0, -1.0, 1.0)
        middle = turns.mean(axis=0)
        out[:, part] = middle / np.linalg.norm(middle, axis=-1, keepdims=True)
    return out
