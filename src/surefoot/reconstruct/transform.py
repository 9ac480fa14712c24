"""The same clip on other ground (Simulation for Control 3.2, figure 4): the reference is laid over the scene, sampling does the rest.

    place    the clip begins at the origin and travels along x, where scenes have their slopes, steps and edges
    height   z'(t) = z(t) + g(t),   g = the ground's height along the way, evened over the time that a step takes

A fall takes sqrt(2 h / gravity): where the ground drops by more than a body just steps down, the clip waits in the air that long, its pose
nearly held, so that landing and reference meet again.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from surefoot.motion import quaternion
from surefoot.physics.scene import Scene
from surefoot.policy import ground
from surefoot.policy.reference import Reference

Array = NDArray[np.float64]

GRAVITY = 9.81
EVEN = 0.4
"""Seconds over which the ground's height is evened, for a body of 1.7 m."""
STEP = 0.3
"""Drops higher than this [m], for a body of 1.7 m, are fallen down, not stepped down."""
PACE = 0.1
"""How fast a clip goes on while it falls."""


def placed(reference: Reference) -> Reference:
    """The clip moved along the floor and turned about z: it begins at the origin and ends on the x axis, or faces along it if it stays."""
    qpos = np.array(reference.qpos)
    way = complex(*(qpos[-1, :2] - qpos[0, :2]))
    if abs(way) < 0.3 * ground.size(reference.character):
        forward = quaternion.rotate(qpos[0, 3:7], reference.character.forward)
        way = complex(forward[0], forward[1])
    turn = np.conj(way) / max(abs(way), 1e-9) if abs(way) > 1e-9 else 1.0 + 0.0j
    place = turn * (qpos[:, 0] + 1j * qpos[:, 1] - complex(*qpos[0, :2]))
    qpos[:, 0], qpos[:, 1] = place.real, place.imag
    half = 0.5 * float(np.angle(turn))
    qpos[:, 3:7] = quaternion.multiply(np.array([np.cos(half), 0.0, 0.0, np.sin(half)]), qpos[:, 3:7])
    return Reference(character=reference.character, qpos=qpos, frame_time=reference.frame_time, cycle=reference.cycle)


def on_ground(reference: Reference, scene: Scene) -> Reference:
    """The clip laid over a scene's ground."""
    if ground.is_level(scene):
        return Reference(
            character=reference.character, qpos=reference.qpos, frame_time=reference.frame_time, cycle=reference.cycle, scene=scene
        )
    clip = placed(reference)
    clip = falling(clip, scene)
    qpos = np.array(clip.qpos)
    size = ground.size(clip.character)
    width = max(round(EVEN * np.sqrt(size) / clip.frame_time / 2.0), 1)
    level = ground.height(scene, qpos[:, :2])
    padded = np.concatenate([np.repeat(level[:1], width), level, np.repeat(level[-1:], width)])
    weights = np.hanning(2 * width + 3)[1:-1]
    evened = np.convolve(padded, weights / weights.sum(), mode="valid")
    drops = np.abs(level - evened) > 0.5 * STEP * size
    qpos[:, 2] += _fall(level, clip.frame_time, STEP * size) if drops.any() else evened
    return Reference(character=clip.character, qpos=qpos, frame_time=clip.frame_time, scene=scene)


def falling(clip: Reference, scene: Scene) -> Reference:
    """The clip with time to fall wherever the ground below its root drops."""
    times = np.arange(len(clip.qpos)) * clip.frame_time
    level = ground.height(scene, clip.qpos[:, :2])
    gaps = np.diff(level)
    pace = np.ones(len(times))
    for k in np.flatnonzero(gaps < -STEP * ground.size(clip.character)):
        wait = float(np.sqrt(2.0 * -gaps[k] / GRAVITY))
        late = (times > times[k]) & (times <= times[k] + PACE * wait / (1.0 - PACE))
        pace[late] = PACE
    if (pace == 1.0).all():
        return clip
    passed = np.concatenate([[0.0], np.cumsum(clip.frame_time / pace[1:])])
    num = int(np.ceil(passed[-1] / clip.frame_time)) + 1
    source = np.interp(np.arange(num) * clip.frame_time, passed, times)
    return Reference(character=clip.character, qpos=clip.at(source), frame_time=clip.frame_time)


def _fall(level: Array, frame_time: float, step: float) -> Array:
    """Heights (T,) that follow the ground, but fall freely where it drops by more than a step."""
    out = np.array(level)
    speed = 0.0
    for k in range(1, len(out)):
        speed = speed + GRAVITY * frame_time if out[k - 1] > level[k] + 1e-6 else 0.0
        out[k] = max(level[k], out[k - 1] - speed * frame_time) if level[k] < out[k - 1] else level[k]
    return out
