"""Physics: many simulations of one character.

>>> import numpy as np
>>> from surefoot.character.builtin import builtin
>>> from surefoot.physics import BatchEngine, Push
>>> engine = BatchEngine(builtin("humanoid"), 4, threads=1)
>>> poses = np.tile(engine.character.model.qpos0, (21, 1))  # a reference, here the rest pose for one second
>>> targets = engine.servos.ctrl(poses)  # (T, nu): what the servos must be told
>>> engine.state[:] = engine.rows(poses[0], ctrl=targets[0])  # every simulation starts here
>>> saved = engine.state.copy()  # a simulation is a row; save and restore by copying
>>> offsets = np.random.default_rng(0).normal(0.0, 0.05, (4, 1, engine.servos.num))
>>> moved = engine.servos.compose(targets[:20], offsets)  # (N, K, nu): offsets turn the targets
>>> push = Push(body="chest", force=(30.0, 0.0, 0.0), start=0.2, duration=0.1)
>>> rollout = engine.rollout(moved, substeps=10, linear=True, pushes=[push])  # 20 periods of 0.05 s
>>> rollout.states.shape[:2], bool(rollout.ok.all())
((4, 20), True)
>>> engine.resample([0, 0, 2, 2])  # simulations 1 and 3 continue from 0 and 2
>>> engine.observe().com.shape
(4, 3)
"""

from surefoot.physics.batch import BatchEngine
from surefoot.physics.engine import Engine, Rollout
from surefoot.physics.features.observation import Observation
from surefoot.physics.layout import Layout, layout
from surefoot.physics.push import Push, trunk
from surefoot.physics.scene import Ball, Box, Platform, Scene, compile_scene
from surefoot.physics.servos import Servos, servos
from surefoot.physics.terrain import Bumps, Drop, Flat, Slope, Steps

__all__ = [
    "Ball",
    "BatchEngine",
    "Box",
    "Bumps",
    "Drop",
    "Engine",
    "Flat",
    "Layout",
    "Observation",
    "Platform",
    "Push",
    "Rollout",
    "Scene",
    "Servos",
    "Slope",
    "Steps",
    "compile_scene",
    "layout",
    "servos",
    "trunk",
]
