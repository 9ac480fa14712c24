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
from surefoot.policy.policy import Memory, Policy, checked, opening, remembered, substeps
from surefoot.policy.states import States

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

Watch = Callable[[int, States, Array, Memory], Mask]
"""Called after every period with its index and the M simulations that are still running (`States.sims` says which): their states, the
policy's times (M,) and memory; says which of them (M,) are over."""


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
    """Of each simulation where it ended."""
    ok: Mask  # (N,)
    """Neither diverged nor named by `watch`."""


def enter(engine: Any, policy: Policy, t: ArrayLike, qpos: ArrayLike, qvel: ArrayLike | None = None) -> None:
    """Put poses (N, nq) and velocities (N, nv) into an engine, servos where the policy would have brought them by times t (N,)."""
    qpos = np.asarray(qpos, dtype=float)
    t = np.broadcast_to(np.asarray(t, dtype=float), (len(qpos),))
    engine.state[:] = engine.rows(qpos, qvel, engine.servos.ctrl(qpos[0])[None].repeat(len(qpos), axis=0))
    engine.state[:] = engine.rows(qpos, qvel, opening(policy, t, States(engine, engine.state.copy())))


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
    """Run the engine's simulations for some control periods from the policy's times t (N,). Those that are lost or over cost nothing: the
    policy sees the others alone."""
    num, nu = engine.num_simulations, engine.servos.num
    begun = np.array(np.broadcast_to(np.asarray(t, dtype=float), (num,)))
    steps, body = substeps(policy, engine.timestep), anatomy(engine.character)
    running = np.array(engine.ok)
    if ids is not None:
        asked = np.zeros(num, dtype=bool)
        asked[np.asarray(ids)] = True
        running &= asked
    sims = np.flatnonzero(running)
    completed = np.zeros(num, dtype=np.int64)
    states = np.full((num, periods if record else 0, engine.layout.size), np.nan)
    x = States(engine, np.array(engine.state), body)
    whole = remembered(policy, policy.start(begun, x) if memory is None else memory, num)
    memory = {name: array[sims] for name, array in whole.items()}
    x = States(engine, x.rows[sims], body, sims)
    targets = np.zeros((num, nu))
    for k in range(periods):
        if not len(sims):
            break
        answer, memory = policy.act(begun[sims] + k * policy.period, x, memory)
        targets[sims] = checked(policy, answer, len(sims), nu)
        memory = remembered(policy, memory, len(sims))
        speechless = sims[~np.isfinite(targets[sims]).all(axis=-1)]
        engine.state[speechless] = np.nan  # MuJoCo would ignore such targets: these simulations are lost
        engine.step(targets, steps, linear=policy.linear, ids=sims, pushes=pushes)
        lives = engine.ok[sims]
        x = States(engine, engine.state[sims], body, sims)
        completed[sims[lives]] = k + 1
        if record:
            states[sims, k] = x.rows
        over = ~lives
        if watch is not None:
            over = over | watch(k, x, begun[sims] + (k + 1) * policy.period, memory)
        if over.any():
            whole = _put(whole, sims[over], {name: array[over] for name, array in memory.items()}, num)
            running[sims[over]] = False
            memory = {name: array[~over] for name, array in memory.items()}
            sims = sims[~over]
            x = States(engine, x.rows[~over], body, sims)
    whole = _put(whole, sims, memory, num)
    return Performance(states=states, periods=completed, t=begun + completed * policy.period, memory=whole, ok=running)


def _put(whole: Memory, sims: NDArray[np.int64], part: Memory, num: int) -> Memory:
    """Memory of all simulations with that of some put in."""
    out = {}
    for name, array in part.items():
        out[name] = np.array(whole[name]) if name in whole else np.zeros((num, *array.shape[1:]), dtype=array.dtype)
        out[name][sims] = array
    return out
