"""A policy performs: played from the reference's first pose.

    frame k = state of the simulation at time k frame_time

The player goes step by step, which gives the same bits as whole control periods; a frame between two steps lies on the line between them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from surefoot.bundle.bundle import Bundle, Performance
from surefoot.errors import InputError
from surefoot.physics.manifold import difference, integrate
from surefoot.play.player import Player

Array = NDArray[np.float64]

LONGEST = 3600.0
"""Seconds that one performance may last."""
MOST = 5_000_000
"""Steps that it may take: an hour of 1 ms."""


def player(bundle: Bundle, *, record: bool = False, time: float = 0.0, balls: int = 0) -> Player:
    """The bundle's character at the beginning of its skill, in its scene."""
    return Player(
        bundle.character, bundle.policy, bundle.reference, starts=bundle.starts, scene=bundle.scene, time=time, balls=balls, record=record
    )


def perform(bundle: Bundle, duration: float | None = None, *, frame_time: float | None = None, whole: bool = False) -> Performance:
    """What the policy does in the bundle's scene for `duration` [s], by default the reference's; it ends where the simulation diverges.

    With `whole`, poses hold the scene's props after the character.
    """
    seconds = bundle.reference.duration if duration is None else duration
    if not 0.0 <= seconds <= LONGEST:
        raise InputError(f"a performance lasts 0 to {LONGEST:.0f} s, not {seconds:g}.")
    frame_time, timestep = frame_time or bundle.reference.frame_time, bundle.character.timestep
    if seconds / timestep > MOST:
        raise InputError(f"{seconds:g} s in steps of {timestep:g} s are more than the {MOST / 1e6:g} million steps of one performance.")
    playing = player(bundle)
    steps = _steps(playing, int(np.ceil(seconds / timestep - 1e-6)), whole)
    last = min(seconds, (len(steps) - 1) * timestep)
    at = np.minimum(np.arange(int(np.floor(last / frame_time + 1e-6)) + 1) * frame_time / timestep, len(steps) - 1)
    near = np.round(at)
    exact = np.abs(at - near) < 1e-6
    low = np.where(exact, near, np.floor(at)).astype(np.int64)
    high = np.minimum(low + 1, len(steps) - 1)
    model = playing.engine.model if whole else bundle.character.model
    between = integrate(model, steps[low], (at - low)[:, None] * difference(model, steps[high], steps[low]))
    return Performance(qpos=np.where(exact[:, None], steps[low], between), frame_time=frame_time)


def _steps(playing: Player, count: int, whole: bool) -> Array:
    """Poses (n, nq) after every step of the simulation, the first being the beginning."""
    engine = playing.engine

    def pose() -> Array:
        return np.array(engine.state[0, engine.layout.qpos]) if whole else playing.qpos()

    poses = [pose()]
    for _ in range(count):
        playing.advance(engine.timestep)
        if playing.lost:
            break
        poses.append(pose())
    return np.array(poses)
