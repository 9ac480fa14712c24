"""The nominal episode: undisturbed, from the beginning, measured against the reference.

An open loop is judged by the success rule. A closed loop may drift: it is judged by falling, and its errors are measured after it is turned
and moved along the floor onto the reference, moment by moment.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.motion import quaternion
from surefoot.physics.batch import BatchEngine
from surefoot.physics.features import anatomy, facing
from surefoot.physics.scene import Scene
from surefoot.policy.fall import FallRule
from surefoot.policy.perform import enter, perform
from surefoot.policy.policy import Memory, Policy
from surefoot.policy.reference import Reference
from surefoot.policy.states import States
from surefoot.policy.success import JOINTS, Judgement, SuccessRule, judge

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False, kw_only=True)
class Nominal:
    """What the nominal episode brought. T moments, one at the end of every period and one at the beginning."""

    success: bool
    why: str
    """What went wrong, in words."""
    survived: float
    """[s]"""
    duration: float
    """Of what was to be performed [s]."""
    judgement: Judgement
    times: Array  # (T,)
    qpos: Array  # (T, nq)
    wanted: Array  # (T, nq)
    physics_steps: int


def nominal(
    policy: Policy,
    reference: Reference,
    rule: FallRule,
    seconds: float,
    *,
    hold: float = 0.0,
    closed: bool = False,
    scene: Scene | None = None,
    starts: Reference | None = None,
) -> Nominal:
    """Play a policy for a time, and for closed loops a hold after it. It begins as `starts` does, by default as the reference."""
    character, scene = reference.character, scene or Scene()
    engine = BatchEngine(character, 1, 1, scene)
    there = starts or reference
    enter(engine, policy, 0.0, there.at([0.0]), there.velocity_at([0.0]))
    start = np.array(engine.state)
    heard: list[float] = []
    fell: list[str] = []

    def watch(k: int, x: States, t: Array, memory: Memory) -> Mask:
        now = float(memory.get("time", t)[0])
        heard.append(now if np.isfinite(now) else float(t[0]))
        down = rule(x, memory.get("time", t))
        if closed and down[0]:
            fell.append(rule.why(x, memory.get("time", t)))
        return down & closed

    to_the_end = int(np.ceil(seconds / policy.period - 1e-9))
    periods = int(np.ceil((seconds + (hold if closed else 0.0)) / policy.period - 1e-9))
    done = perform(engine, policy, 0.0, periods, watch=watch, record=True)
    lasted = int(done.periods[0])
    diverged = not done.ok[0] and not fell
    # A simulation that diverged has one row more, of NaN.
    rows = np.concatenate([start[:, None], done.states[:, : lasted + diverged]], axis=1)[0]
    first = engine.layout.qpos.start
    qpos = rows[:, first : first + character.model.nq]
    times = np.asarray(np.arange(len(rows)) * policy.period, dtype=np.float64)
    # The last period may reach beyond the clip, which is held there.
    success = SuccessRule(reference, [0.0, *heard], scene)
    position, rotation = character.world(qpos)
    unjudged = success.unjudged(position, rotation)
    if closed:
        position, rotation = onto(reference, position, rotation, success.position, success.rotation)
    found = success.errors(position, rotation)
    judged = judge(found, times, success.size, unjudged, finished=lasted >= (periods if closed else to_the_end))
    why, survived = judged.why, float(judged.survived)
    if closed:
        why, survived = fell[0] if fell else "the simulation diverged" if diverged else "", lasted * policy.period
        if not why and not judged.joints < JOINTS * success.size:
            why = f"joints are {1e3 * judged.joints:.0f} mm off on the average"
    whole = seconds + (hold if closed else 0.0)
    return Nominal(
        success=not why,
        why=why,
        survived=min(survived, whole),
        duration=whole,
        judgement=judged,
        times=times,
        qpos=qpos,
        wanted=reference.at(success.times),
        physics_steps=engine.physics_steps,
    )


def speed(qpos: Array, frame_time: float, duration: float) -> float:
    """How fast poses (T, nq) travel [m/s]: the mean way along the floor from any moment to one a cycle of `duration` later; NaN when there
    is no such moment."""
    step = round(duration / frame_time)
    if step < 1 or len(qpos) <= step:
        return float("nan")
    return float(np.hypot(*(qpos[step:, :2] - qpos[:-step, :2]).T).mean()) / (step * frame_time)


def onto(reference: Reference, position: Array, rotation: Array, wanted: Array, turned: Array) -> tuple[Array, Array]:
    """Positions (T, B, 3) and rotations (T, B, 4) turned about z and moved along the floor so that root and heading are the reference's."""
    body = anatomy(reference.character)
    have, want = (facing.heading(body.front(frames[:, 0])) for frames in (rotation, turned))
    yaw = np.arctan2(want[1] * have[0] - want[0] * have[1], want[0] * have[0] + want[1] * have[1])
    zero = np.zeros_like(yaw)
    turn = np.stack([np.cos(0.5 * yaw), zero, zero, np.sin(0.5 * yaw)], axis=-1)[:, None]
    level = np.array([1.0, 1.0, 0.0])
    moved = quaternion.rotate(turn, position - position[:, :1] * level) + wanted[:, :1] * level
    return moved, quaternion.multiply(turn, rotation)
