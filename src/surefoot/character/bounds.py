"""Numbers that no character has, in a model that compiles all the same: a simulation with them goes nowhere, or never ends."""

from __future__ import annotations

import mujoco
import numpy as np

from surefoot.character.character import Character
from surefoot.errors import InputError

TIMESTEP = (1e-5, 0.1)
"""Shortest and longest [s]."""
GRAVITY = 1e4
"""[m/s^2]"""
LARGEST = 1e12
"""Of any number in a model: MuJoCo marks a plane's extent with 1e10."""
HEIGHT = (1e-3, 1e4)
"""[m]"""
LEAD = 1.0
"""[s]"""


def check_model(model: mujoco.MjModel, name: str) -> None:
    """An error when a compiled model holds such numbers."""
    step = float(model.opt.timestep)
    if not TIMESTEP[0] <= step <= TIMESTEP[1]:
        raise InputError(f"{name}: its time step is {step:g} s; expected {TIMESTEP[0]:g} to {TIMESTEP[1]:g} s, and 0.005 s is usual.")
    if not float(np.abs(model.opt.gravity).max()) <= GRAVITY:
        raise InputError(f"{name}: its gravity is {np.abs(model.opt.gravity).max():g} m/s^2; expected at most {GRAVITY:g}.")
    for field in dir(model):
        array = None if field.startswith("_") else getattr(model, field, None)
        if isinstance(array, np.ndarray) and array.dtype.kind == "f" and not float(np.abs(array).max(initial=0.0)) <= LARGEST:
            raise InputError(f"{name}: its {field} holds a number that is not finite, or beyond {LARGEST:g}.")


def check_facts(character: Character, name: str) -> None:
    """An error when what a character says of itself cannot be."""
    if not all(character.skeleton.names):
        raise InputError(f"{name}: one of its bodies has no name; a character of ours names them all.")
    if not HEIGHT[0] <= character.height <= HEIGHT[1]:
        raise InputError(f"{name}: it says that it is {character.height:g} m tall; expected {HEIGHT[0]:g} to {HEIGHT[1]:g} m.")
    if not abs(character.lead) <= LEAD:
        raise InputError(f"{name}: its servos' lead is {character.lead:g} s; expected at most {LEAD:g} s.")
    axes = np.stack([character.forward, character.up])
    if not np.abs(axes @ axes.T - np.eye(2)).max() < 1e-3:  # also where one is not finite
        raise InputError(f"{name}: its forward and up must be two directions at right angles, each of length 1.")
    if any(not np.abs(tip.offset).max(initial=0.0) <= HEIGHT[1] for tip in character.skeleton.tips):
        raise InputError(f"{name}: one of its tips lies beyond {HEIGHT[1]:g} m.")
