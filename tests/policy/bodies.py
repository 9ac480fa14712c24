"""Small bodies and poses whose judgement is known beforehand."""

from __future__ import annotations

from typing import Any

import numpy as np

from surefoot.character.character import Character
from surefoot.physics import Scene
from surefoot.policy import Reference
from tests.physics.made import made

STANDING = """<mujoco><compiler angle="radian"/><option timestep="0.005" integrator="implicitfast"/>
<worldbody><geom name="floor" type="plane" size="0 0 1"/>
<body name="trunk" pos="0 0 .99"><freejoint/><geom name="trunk" type="box" size=".1 .15 .2" mass="10"/>
 <body name="arm" pos="0 .2 0"><joint name="arm" axis="0 1 0" range="-3 3" damping=".5"/>
  <geom name="upper" type="capsule" fromto="0 0 0 0 0 -.3" size=".03" mass="1"/>
  <geom name="hand" type="sphere" pos="0 0 -.95" size=".02" mass=".1"/></body>
 <body name="leg" pos="0 0 -.2"><joint name="leg" axis="0 1 0" range="-3 3" damping=".5"/>
  <geom name="shank" type="capsule" fromto="0 0 0 0 0 -.6" size=".04" mass="2"/>
  <body name="foot" pos="0 0 -.75"><joint name="foot" axis="0 1 0" range="-3 3" damping=".5"/>
   <geom name="foot" type="box" size=".1 .05 .04" mass="1"/></body></body></body></worldbody>
<actuator><position joint="arm" kp="20" kv="1"/><position joint="leg" kp="200" kv="10"/><position joint="foot" kp="100" kv="5"/></actuator>
</mujoco>"""
"""1.7 m tall; it stands; the hand hangs 2 cm above the ground, on an arm whose upper part is far from it."""


def standing(height: float = 1.7) -> Character:
    """A trunk with an arm, a leg and a foot."""
    return made(STANDING, feet=["foot"], end_effectors=["foot"], height_m=height)


def still(character: Character, num: int = 11, frame_time: float = 0.1, **fields: Any) -> Reference:
    """A reference that does not move."""
    return Reference(character=character, qpos=np.tile(character.model.qpos0, (num, 1)), frame_time=frame_time, **fields)


def walking(character: Character, speed: float, num: int = 21, frame_time: float = 0.1, scene: Scene | None = None) -> Reference:
    """A reference that slides along x without moving a joint."""
    poses = np.tile(character.model.qpos0, (num, 1))
    poses[:, 0] = speed * frame_time * np.arange(num)
    return Reference(character=character, qpos=poses, frame_time=frame_time, scene=scene or Scene())
