"""The humanoid: 1.70 m, 62 kg, 18 bodies, 45 degrees of freedom, on the skeleton of `material.skeletons.HUMANOID`.

Segment masses are fractions of body mass from P. de Leva, "Adjustments to Zatsiorsky-Seluyanov's segment inertia parameters",
Journal of Biomechanics 29 (1996), table 4: the mean of its women and men. The trunk's lower, middle and upper part are pelvis, waist and
chest; head and neck are one body; a fifth of the foot goes to the toes. Shapes have a person's girth. Limits are angles from the
rest pose (upright, arms 30 degrees out): a hinge's are those of its axis, a ball's is the largest turn in any direction.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from surefoot.character.blueprint import Blueprint, Body, Shape
from surefoot.character.shapes import box, capsule
from surefoot.material.skeletons import HUMANOID, HUMANOID_HINGES, STATURE
from surefoot.motion import quaternion

MASS = 62.0

FRACTIONS: dict[str, float] = {
    "neck": 0.0681,
    "chest": 0.1571,
    "waist": 0.1549,
    "pelvis": 0.1182,
    "shoulder": 0.0263,
    "elbow": 0.0150,
    "wrist": 0.0059,
    "hip": 0.1447,
    "knee": 0.0457,
    "ankle": 0.0133 * 0.8,
    "toe": 0.0133 * 0.2,
}
"""Share of the body's mass, by kind of body."""

LIMITS: dict[str, tuple[float, float]] = {
    "waist": (0.0, 70.0),
    "chest": (0.0, 70.0),
    "neck": (0.0, 80.0),
    "hip": (0.0, 150.0),
    "knee": (-5.0, 160.0),
    "ankle": (0.0, 80.0),
    "toe": (-45.0, 80.0),
    "shoulder": (0.0, 175.0),
    "elbow": (-10.0, 160.0),
    "wrist": (0.0, 95.0),
}
"""Degrees, by kind of body."""

EXCLUDES = (("hip", "pelvis"), ("waist", "pelvis"), ("hip", "waist"), ("hip", "chest"), ("shoulder", "neck"))
"""Kinds that press into each other's flesh when a person squats or reaches up; rigid shapes would stop the joint instead. Neighbours of
the pelvis are named for models that hold it in place: MuJoCo lets a fixed body collide with its children."""


def blueprint() -> Blueprint:
    """The humanoid before it is compiled."""
    positions = HUMANOID.rest[0]
    total = sum(FRACTIONS[_kind(name)] for name in HUMANOID.names)
    bodies = []
    for j, name in enumerate(HUMANOID.names):
        parent = HUMANOID.parents[j]
        kind = _kind(name)
        axis = HUMANOID_HINGES.get(name)
        joint: Literal["free", "ball", "hinge"] = "free" if parent < 0 else "hinge" if axis else "ball"
        low, high = LIMITS.get(kind, (0.0, 180.0))
        bodies.append(
            Body(
                name=name,
                parent=None if parent < 0 else HUMANOID.names[parent],
                position=HUMANOID.translations[j],
                rotation=quaternion.IDENTITY,
                joint=joint,
                axis=None if axis is None else np.array(axis),
                limits=(float(np.radians(low)), float(np.radians(high))),
                shapes=tuple(_shapes(name, positions[j])),
                mass=MASS * FRACTIONS[kind] / total,
                foot=kind in ("ankle", "toe"),
            )
        )
    names = HUMANOID.names
    return Blueprint(
        name="humanoid",
        bodies=tuple(bodies),
        forward=np.array([1.0, 0.0, 0.0]),
        up=np.array([0.0, 0.0, 1.0]),
        end_effectors=("left_toe", "right_toe", "left_wrist", "right_wrist", "neck"),
        partners={name: _other(name) for name in names},
        # Toes carry weight at push-off only, so a third of what an ankle gets is plenty.
        gains={"left_toe": (200.0, 100.0), "right_toe": (200.0, 100.0)},
        tips=tuple((names[tip.joint], (float(tip.offset[0]), float(tip.offset[1]), float(tip.offset[2]))) for tip in HUMANOID.tips),
        excludes=tuple((a, b) for a in names for b in names if (_kind(a), _kind(b)) in EXCLUDES),
        source={"builtin": "humanoid"},
    )


def _kind(name: str) -> str:
    return name.removeprefix("left_").removeprefix("right_")


def _other(name: str) -> str:
    return name.replace("left_", "right_") if name.startswith("left_") else name.replace("right_", "left_")


def _shapes(name: str, origin: np.ndarray) -> list[Shape]:
    """The shapes of one body; written below in world coordinates of the rest pose, left side."""
    kind, side = _kind(name), -1.0 if name.startswith("right_") else 1.0

    def at(x: float, y: float, z: float) -> np.ndarray:
        return np.array([x, side * y, z]) - origin

    def joint(which: str) -> np.ndarray:
        point = HUMANOID.rest[0][HUMANOID.index("left_" + which)]
        return at(*point)

    def tip(which: str) -> np.ndarray:
        ends = HUMANOID.tip_positions(*HUMANOID.rest)
        return at(*ends[[t.name for t in HUMANOID.tips].index("left_" + which)])

    h = STATURE
    if kind == "pelvis":
        return [capsule(at(-0.01, -0.17, 0.95), at(-0.01, 0.17, 0.95), 0.105)]
    if kind == "waist":
        return [capsule(at(0.0, -0.15, 1.095), at(0.0, 0.15, 1.095), 0.095)]
    if kind == "chest":
        return [
            capsule(at(0.0, -0.165, 1.255), at(0.0, 0.165, 1.255), 0.11),
            capsule(at(-0.01, -0.19, 1.375), at(-0.01, 0.19, 1.375), 0.06),
        ]
    if kind == "neck":
        return [capsule(at(0.015, 0.0, h - 0.225), at(0.015, 0.0, h), 0.088), capsule(at(0.0, 0.0, 1.42), at(0.0, 0.0, 1.56), 0.05)]
    if kind == "hip":
        return [capsule(0.05 * joint("knee"), joint("knee") - [0.0, 0.0, 0.03], 0.072)]
    if kind == "knee":
        return [capsule([0.0, 0.0, 0.05], joint("ankle"), 0.052)]
    if kind == "ankle":
        heel, ball = tip("heel"), joint("toe")
        return [_sole(heel[0], ball[0], 0.0, 0.044, heel[2], 0.055)]
    if kind == "toe":
        end = tip("toe_tip")
        return [_sole(0.001, end[0], 0.0, 0.044, end[2], 0.032)]
    if kind == "shoulder":
        return [capsule(np.zeros(3), joint("elbow"), 0.046)]
    if kind == "elbow":
        return [capsule(np.zeros(3), joint("wrist"), 0.038)]
    return [capsule(np.zeros(3), tip("hand"), 0.03)]


def _sole(back: float, front: float, middle: float, half_width: float, bottom: float, height: float) -> Shape:
    """A flat box whose lower face stands on the ground in the rest pose."""
    center = [0.5 * (back + front), middle, bottom + 0.5 * height]
    return box(center, quaternion.IDENTITY, (0.5 * (front - back), half_width, 0.5 * height))
