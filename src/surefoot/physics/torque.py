"""The torque-driven variant of a character: motors where the servos were, everything else the same.

    servo: torque = clip(kp (target - q) - kd dq/dt)        motor: torque = clip(ctrl)   [N m]

Bodies, joints, actuators and their order stay, so a state row means the same in both and moves between their engines; only `ctrl` is a
torque instead of an angle. The servo's limit stays the motor's.
"""

from __future__ import annotations

from dataclasses import replace

import mujoco

from surefoot.character.character import Character
from surefoot.errors import InputError


def torque_driven(character: Character) -> Character:
    """The character with a motor for every servo; zero controls let it go limp."""
    spec = mujoco.MjSpec.from_string(character.xml)
    for actuator in spec.actuators:
        limits = [float(x) for x in actuator.forcerange]
        actuator.set_to_motor()
        actuator.forcelimited = True
        actuator.forcerange = limits
        actuator.ctrllimited = False
    try:
        model = spec.compile()
    except ValueError as error:
        raise InputError(f"MuJoCo cannot compile the torque-driven variant: {error}") from None
    return replace(character, model=model, xml=spec.to_xml(), lead=0.0)
