"""The dinosaur: a cartoon biped of 50 kg with 21 bodies (the size of the figure in Wide band 4), rigged from `material.skeletons.DINOSAUR`.

Bodies, shapes and joints come from the rig, as they would for anybody's skeleton, with hinges as `DINOSAUR_HINGES` says. Masses are our
own: a heavy head, and hips and tail that balance it, so that the centre of mass stands over the feet. Limits are angles from the rest pose:
a hinge's are those of its axis, a ball's is the largest turn in any direction.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from surefoot.character.blueprint import Blueprint, Servo
from surefoot.character.rig import RigConfig, rig
from surefoot.material.skeletons import DINOSAUR, DINOSAUR_HINGES
from surefoot.motion.motion import Motion

MASS = 50.0

SHARES: dict[str, float] = {
    "pelvis": 0.22,
    "tail_1": 0.14,
    "tail_2": 0.09,
    "tail_3": 0.045,
    "tail_4": 0.02,
    "chest": 0.10,
    "neck": 0.03,
    "head": 0.15,
    "jaw": 0.02,
    "hip": 0.04,
    "knee": 0.035,
    "ankle": 0.015,
    "toe": 0.02,
    "shoulder": 0.005,
    "elbow": 0.005,
}
"""Parts of the body's mass, by kind of body; scaled to sum to one."""

LIMITS: dict[str, tuple[float, float]] = {
    "tail_1": (0.0, 60.0),
    "tail_2": (0.0, 60.0),
    "tail_3": (0.0, 60.0),
    "tail_4": (0.0, 60.0),
    "chest": (0.0, 70.0),
    "neck": (0.0, 80.0),
    "head": (0.0, 80.0),
    "jaw": (-15.0, 60.0),
    "hip": (0.0, 110.0),
    "knee": (-60.0, 90.0),
    "ankle": (-70.0, 80.0),
    "toe": (-80.0, 80.0),
    "shoulder": (0.0, 140.0),
    "elbow": (-60.0, 110.0),
}
"""Degrees, by kind of body."""


def blueprint() -> Blueprint:
    """The dinosaur before it is compiled."""
    still = Motion(DINOSAUR, DINOSAUR.translations[None], DINOSAUR.rotations[None], 1.0 / 30.0, name="dinosaur")
    made = rig(still, RigConfig(hinges=dict(DINOSAUR_HINGES))).blueprint
    total = sum(SHARES[_kind(body.name)] for body in made.bodies)
    bodies = []
    for body in made.bodies:
        low, high = np.radians(LIMITS.get(_kind(body.name), (0.0, 180.0)))
        low, high = (0.0, max(-low, high)) if body.joint == "ball" else (low, high)
        mass = MASS * SHARES[_kind(body.name)] / total
        bodies.append(replace(body, mass=mass, limits=(float(low), float(high))))
    # Legs that stand bent lean on their servos, and there are four joints in a row: twice the usual support holds them.
    return made.replace(bodies=tuple(bodies), servo=Servo(support=1.2), report=(), poses={}, source={"builtin": "dinosaur"})


def _kind(name: str) -> str:
    return name.removeprefix("left_").removeprefix("right_")
