"""The player's and the evaluator's speed beside MuJoCo's own batch, in one run.

    player      seconds played by one character under a policy, recorded, watched for falls, for each second of one core
    evaluate    episodes under a policy, each period judged by the falling rule, beside bare steps of the same states

The motion is the rest pose with every joint swaying by 3 degrees: whatever it is, both sides step the same states.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from mujoco.batch import Batch

from surefoot.character.character import Character
from surefoot.feedback.policy import LinearFeedback
from surefoot.physics.batch import BatchEngine
from surefoot.physics.benchmark import PERIODS, interleaved
from surefoot.physics.features import anatomy, state_features
from surefoot.physics.manifold import integrate
from surefoot.physics.servos import servos
from surefoot.play.player import Player
from surefoot.policy.fall import FallRule
from surefoot.policy.openloop import PERIOD, track
from surefoot.policy.perform import enter, perform
from surefoot.policy.policy import Policy
from surefoot.policy.reference import Reference

SWAY = 0.05
"""[rad]"""
PLAYED = 0.5
"""Seconds played in a pair."""
FRAGMENT = 4
"""Periods that an action of the linear feedback lasts."""
ACTIONS = 11
"""Targets that it turns."""


@dataclass(frozen=True, kw_only=True)
class Liveliness:
    """The player's row of the table."""

    character: str
    times_real_time: float
    """Seconds played for each second of one core."""
    bare_times_real_time: float
    ratio: float
    """Median over the pairs."""


@dataclass(frozen=True, kw_only=True)
class Diligence:
    """The evaluator's row of the table."""

    character: str
    policy: str
    num_simulations: int
    threads: int
    bare_steps_per_s: float
    evaluate_steps_per_s: float
    ratio: float
    """Median over the pairs."""


def swaying(character: Character) -> Reference:
    """A second in which every joint sways about the rest pose."""
    step = np.zeros(character.model.nv)
    step[6:] = SWAY
    times = np.linspace(0.0, 1.0, 41)
    qpos = integrate(character.model, character.model.qpos0, np.sin(2.0 * np.pi * times)[:, None] * step)
    return Reference(character=character, qpos=qpos, frame_time=1.0 / 40.0, cycle=True)


def feedback(reference: Reference) -> LinearFeedback:
    """Linear feedback around a second's reference, with gains that change nothing: what its speed costs does not depend on them."""
    drive, num = servos(reference.character), round(reference.duration / PERIOD)
    edges = np.arange(0, num + 1, FRAGMENT)
    fragments, joints = len(edges) - 1, min(ACTIONS, drive.num)
    engine = BatchEngine(reference.character, 1, 1)
    features = state_features(engine.observe(), anatomy(reference.character)).shape[-1]
    return LinearFeedback(
        servos=drive,
        period=PERIOD,
        edges=edges,
        reference=drive.ctrl(reference.at(PERIOD * np.arange(1, num + 1))),
        columns=np.arange(joints),
        tilts=np.zeros((fragments, 3)),
        center=np.zeros((fragments, features)),
        gain=np.zeros((fragments, joints, features)),
        action=np.zeros((fragments, joints)),
    )


def measure_player(
    name: str, character: Character, *, pairs: int = 135, budget_s: float = 60.0, progress: Callable[[int], None] | None = None
) -> Liveliness:
    """Measure one character, in processor time."""
    reference = swaying(character)
    player = Player(character, track(character, reference), reference)
    bare = Batch(player.engine.model, 1, 1)
    substeps = round(PLAYED / player.engine.timestep)

    def prepare(i: int) -> None:
        if i % PERIODS == 0:
            player.reset()
            player.step()
        bare.state[:] = player.engine.state

    times = interleaved(
        prepare, lambda i: bare.step(nstep=substeps), lambda i: player.advance(PLAYED), pairs, budget_s, progress, time.process_time
    )
    return Liveliness(
        character=name,
        times_real_time=float(np.median([PLAYED / ours for _, ours in times])),
        bare_times_real_time=float(np.median([PLAYED / theirs for theirs, _ in times])),
        ratio=float(np.median([theirs / ours for theirs, ours in times])),
    )


def measure_evaluate(
    name: str,
    character: Character,
    policy: Policy,
    *,
    num_simulations: int = 256,
    threads: int = 0,
    pairs: int = 45,
    budget_s: float = 60.0,
    progress: Callable[[int], None] | None = None,
) -> Diligence:
    """Measure episodes of one character under one policy."""
    reference = swaying(character)
    engine = BatchEngine(character, num_simulations, threads)
    bare = Batch(engine.model, num_simulations, engine.threads)
    rule = FallRule(reference)
    periods = round(0.2 / policy.period)
    substeps = periods * round(policy.period / engine.timestep)
    begun = np.zeros(num_simulations)

    def prepare(i: int) -> None:
        if i % PERIODS == 0:
            enter(engine, policy, begun, reference.at(begun))
        bare.state[:] = engine.state

    def ours(i: int) -> None:
        t = begun + (i % PERIODS) * periods * policy.period
        # Nobody is let fall, so that both sides step as many simulations.
        perform(engine, policy, t, periods, watch=lambda k, x, t, memory: rule(x, memory.get("time", t)) & False)

    times = interleaved(prepare, lambda i: bare.step(nstep=substeps), ours, pairs, budget_s, progress)
    steps = num_simulations * substeps
    return Diligence(
        character=name,
        policy=policy.kind,
        num_simulations=num_simulations,
        threads=engine.threads,
        bare_steps_per_s=float(np.median([steps / theirs for theirs, _ in times])),
        evaluate_steps_per_s=float(np.median([steps / mine for _, mine in times])),
        ratio=float(np.median([theirs / mine for theirs, mine in times])),
    )
