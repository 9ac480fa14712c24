"""A simulated character from a motion's skeleton, stepped by MuJoCo itself: python 02_rig_a_character.py [FILE]

Its servos follow the clip in open loop, so it falls sooner or later. Keeping it on its feet is what the methods are for.
"""

import sys
from pathlib import Path

import mujoco
import numpy as np

import surefoot
from surefoot import material

motion = surefoot.read_motion(sys.argv[1]) if len(sys.argv) > 1 else material.motion("dinosaur/walk")
rigged = surefoot.rig(motion)
character = rigged.character
print("\n".join(character.report))
print(f"{character.skeleton.num_joints} bodies, {character.model.nv} degrees of freedom, {character.mass:.1f} kg, {character.height:.2f} m")

Path("character.xml").write_text(character.xml, encoding="utf-8")

# The rest pose is qpos0 with zero ctrl: hold it for two seconds.
model, data = character.model, mujoco.MjData(character.model)
start = data.qpos[2]
for _ in range(round(2.0 / model.opt.timestep)):
    mujoco.mj_step(model, data)
assert np.isfinite(data.qpos).all()
sunk = 100 * (start - data.qpos[2])
print(f"after two seconds with its servos holding the rest pose its root is {sunk:.0f} cm lower: nothing balances it")
