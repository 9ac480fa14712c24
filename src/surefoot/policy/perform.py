"""A policy in charge of many simulations: the loop that the player runs for one.

x_k -> act(t + k period, x_k, memory) -> targets -> engine -> x_{k+1}
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.physics.engine import Engine
from surefoot.physics.features import anatomy
from surefoot.physics.push import Push
from surefoot.policy.policy import Memory, Policy, checked, opening, substeps
from surefoot.policy.states import States

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

Watch = Callable[[int, States, Array, Memory], Mask]
"""Called after every period with its index, the states, the policy's times (N,) and memory; says which simulations (N,) are over."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Performance:
    """What K control periods under a policy brought."""

    states: Array  # (N, K, S)
    """Rows at the end of every period, NaN after a simulation's last; (N, 0, S) when they were not recorded."""
    periods: NDArray[np.int64]  # (N,)
    """Periods that were completed."""
    t: Array  # (N,)
    """The policy's times at the end."""
    memory: Memory
    ok: Mask  # (N,)
    """Neither diverged nor named by `watch`."""


def enter(engine: Any, policy: Policy, t: ArrayLike, qpos: ArrayLike, qvel: ArrayLike | None = None) -> None:
    """Put poses (N, nq) and velocities (N, nv) into an engine, servos where the policy would have brought them by times t (N,)."""
    qpos = np.asarray(qpos, dtype=float)
    t = np.broadcast_to(np.asarray(t, dtype=float), (len(qpos),))
    engine.state[:] = engine.rows(qpos, qvel, engine.servos.ctrl(qpos[0])[None].repeat(len(qpos), axis=0))
    targets = checked(policy, opening(policy, t, States(engine, engine.state.copy())), len(qpos), engine.servos.num)
    engine.state[:] = engine.rows(qpos, qvel, targets)


def perform(
    engine: Engine,
    policy: Policy,
    t: ArrayLike,
    periods: int,
    *,
    memory: Memory | None = None,
    ids: ArrayLike | None = None,
    pushes: Sequence[Push] = (),
    watch: Watch | None = None,
    record: bool = False,
) -> Performance:
    """Run the engine's simulations for some control periods from the policy's times t (N,). Those that are lost or over cost nothing."""
    num = engine.num_simulations
    begun = np.array(np.broadcast_to(np.asarray(t, dtype=float), (num,)))
    steps, body = substeps(policy, engine.timestep), anatomy(engine.character)
    running = np.array(engine.ok)
    if ids is not None:
        asked = np.zeros(num, dtype=bool)
        asked[np.asarray(ids)] = True
        running &= asked
    completed = np.zeros(num, dtype=np.int64)
    states = np.full((num, periods if record else 0, engine.layout.size), np.nan)
    x = States(engine, np.array(engine.state), body)
    if memory is None:
        memory = policy.start(begun, x)
    for k in range(periods):
        if not running.any():
            break
        answer, memory = policy.act(begun + k * policy.period, x, memory)
        targets = checked(policy, answer, num, engine.servos.num)
        speechless = running & ~np.isfinite(targets).all(axis=-1)
        if speechless.any():  # MuJoCo would ignore such targets: these simulations are lost
            engine.state[speechless] = np.nan
            running &= ~speechless
        engine.step(targets, steps, linear=policy.linear, ids=running, pushes=pushes)
        running &= engine.ok
        completed[running] = k + 1
        x = States(engine, np.array(engine.state), body)
        if record:
            states[running, k] = x.rows[running]
        if watch is not None:
            running &= ~watch(k, x, begun + (k + 1) * policy.period, memory)
    return Performance(states=states, periods=completed, t=begun + completed * policy.period, memory=memory, ok=running)
