"""A policy performs: one simulation from the reference's first pose, seen at the reference's frame rate.

    x_0 = reference(0);   m_0 = start(0, x_0);   targets, m_{k+1} = act(k period, x_k, m_k);   x_{k+1} = step(x_k, targets)

Each period is one call of the engine, as for player and evaluator. What lies between its ends is the same period simulated again step by
step, so that every frame is a state of the simulation, or lies between two that are one step apart.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from surefoot.bundle.bundle import Bundle, Performance
from surefoot.errors import InputError
from surefoot.physics.batch import BatchEngine
from surefoot.physics.manifold import difference, integrate
from surefoot.play.policy import checked, opening, substeps
from surefoot.play.states import States

Array = NDArray[np.float64]

LONGEST = 3600.0
"""Seconds that one performance may last."""


def perform(bundle: Bundle, duration: float | None = None) -> Performance:
    """What the policy does in the bundle's scene for `duration` [s], by default the reference's; it ends where the simulation diverges."""
    seconds = bundle.reference.duration if duration is None else duration
    if not 0.0 <= seconds <= LONGEST:
        raise InputError(f"a performance lasts 0 to {LONGEST:.0f} s, not {seconds:g}.")
    steps = _steps(bundle, seconds)
    frame_time, timestep = bundle.reference.frame_time, bundle.character.timestep
    frames = int(np.floor(min(seconds, (len(steps) - 1) * timestep) / frame_time + 1e-6)) + 1
    at = np.minimum(np.arange(frames) * frame_time / timestep, len(steps) - 1)
    near = np.round(at)
    at = np.where(np.abs(at - near) < 1e-6, near, at)
    low = np.minimum(at.astype(np.int64), max(len(steps) - 2, 0))
    high = np.minimum(low + 1, len(steps) - 1)
    model = bundle.character.model
    between = (at - low)[:, None] * difference(model, steps[high], steps[low])
    poses = np.where((at == low)[:, None], steps[low], integrate(model, steps[low], between))
    return Performance(qpos=np.where((at == high)[:, None], steps[high], poses), frame_time=frame_time)


def _steps(bundle: Bundle, seconds: float) -> Array:
    """Poses (n, nq) after every step of the simulation, the first being the beginning."""
    character, policy, reference = bundle.character, bundle.policy, bundle.reference
    engine = BatchEngine(character, 1, 1, bundle.scene)
    fine = BatchEngine(character, 1, 1, bundle.scene)  # goes through each period step by step
    count = substeps(policy, character.timestep)
    zero = np.zeros(1)
    engine.state[:] = engine.rows(reference.at(zero), reference.velocity_at(zero))
    x = States(engine)
    ctrl = checked(policy, opening(policy, zero, x), 1, character.model.nu)
    engine.state[:] = engine.rows(reference.at(zero), reference.velocity_at(zero), ctrl=ctrl)
    memory = policy.start(zero, States(engine))
    width = character.model.nq
    poses = [engine.qpos[0, :width].copy()]
    for k in range(int(np.ceil(seconds / policy.period - 1e-9))):
        targets, memory = policy.act(np.array([k * policy.period]), States(engine), memory)
        targets = checked(policy, targets, 1, character.model.nu)
        fine.state[:] = engine.state
        before = engine.state[0, engine.layout.ctrl][: character.model.nu].copy()
        engine.step(targets, count, linear=policy.linear)
        if not engine.ok[0]:
            break
        for s in range(1, count):
            fine.step(before + s / count * (targets - before) if policy.linear else targets)
            poses.append(fine.qpos[0, :width].copy())
        poses.append(engine.qpos[0, :width].copy())
    return np.array(poses)
