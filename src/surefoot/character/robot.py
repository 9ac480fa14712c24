"""A boxy robot: 1.60 m, 70 kg, 34 degrees of freedom, 13 bodies, none of them round.

It is what motions are tried on that were not made for it: a broad trunk that carries half of the weight, a square head, long arms, short
legs, feet like bricks. Masses and sizes are our own. Limits are angles from the rest pose, upright, arms and legs straight down.
"""

from __future__ import annotations

import numpy as np

from surefoot.character.blueprint import Blueprint, Body, Shape
from surefoot.character.shapes import box
from surefoot.motion import quaternion

Point = tuple[float, float, float]

Row = tuple[str, str, Point, float, tuple[float, float], Point, Point]

TRUNK: tuple[Row, ...] = (
    # name, parent, joint from the parent's [m], mass [kg], limits [degrees], the box's centre and half sides [m]
    ("pelvis", "", (0.0, 0.0, 0.80), 10.0, (0.0, 180.0), (0.0, 0.0, 0.02), (0.09, 0.14, 0.06)),
    ("chest", "pelvis", (0.0, 0.0, 0.12), 26.0, (0.0, 80.0), (0.0, 0.0, 0.20), (0.12, 0.18, 0.19)),
    ("head", "chest", (0.0, 0.0, 0.42), 4.0, (0.0, 60.0), (0.01, 0.0, 0.13), (0.11, 0.12, 0.11)),
)
LEFT: tuple[Row, ...] = (
    ("left_hip", "pelvis", (0.0, 0.10, -0.04), 6.0, (0.0, 150.0), (0.0, 0.0, -0.17), (0.06, 0.055, 0.15)),
    ("left_knee", "left_hip", (0.0, 0.0, -0.36), 3.5, (-5.0, 150.0), (0.0, 0.0, -0.165), (0.05, 0.05, 0.14)),
    ("left_ankle", "left_knee", (0.0, 0.0, -0.33), 1.5, (0.0, 80.0), (0.04, 0.0, -0.04), (0.12, 0.06, 0.03)),
    ("left_shoulder", "chest", (0.0, 0.245, 0.32), 2.0, (0.0, 178.0), (0.0, 0.0, -0.15), (0.045, 0.045, 0.15)),
    ("left_elbow", "left_shoulder", (0.0, 0.0, -0.32), 2.0, (-5.0, 150.0), (0.0, 0.0, -0.17), (0.05, 0.05, 0.17)),
)
HINGES: dict[str, Point] = {"knee": (0.0, 1.0, 0.0), "elbow": (0.0, -1.0, 0.0)}
"""Axes by kind. Positive angles bend."""


def blueprint() -> Blueprint:
    """The robot before it is compiled."""
    rows = (*TRUNK, *LEFT, *(_mirrored(row) for row in LEFT))
    names = [row[0] for row in rows]
    tips: list[tuple[str, Point]] = [("head", (0.0, 0.0, 0.24))]
    for side in ("left_", "right_"):
        tips += [(side + "ankle", (0.16, 0.0, -0.07)), (side + "ankle", (-0.08, 0.0, -0.07)), (side + "elbow", (0.0, 0.0, -0.34))]
    return Blueprint(
        name="robot",
        bodies=tuple(_body(row) for row in rows),
        forward=np.array([1.0, 0.0, 0.0]),
        up=np.array([0.0, 0.0, 1.0]),
        end_effectors=("left_ankle", "right_ankle", "left_elbow", "right_elbow", "head"),
        partners={name: _other(name) for name in names},
        tips=tuple(tips),
        # A thigh that swings up meets the belly, an arm that swings in the chest: rigid boxes would stop them.
        excludes=tuple(
            (side + a, b) for side in ("left_", "right_") for a, b in (("hip", "chest"), ("shoulder", "head"), ("elbow", "chest"))
        ),
        source={"builtin": "robot"},
    )


def _body(row: Row) -> Body:
    name, parent, offset, mass, (low, high), middle, half = row
    kind = name.split("_")[-1]
    axis = HINGES.get(kind)
    shape: Shape = box(middle, quaternion.IDENTITY, half)
    return Body(
        name=name,
        parent=parent or None,
        position=np.array(offset),
        rotation=quaternion.IDENTITY,
        joint="free" if not parent else "ball" if axis is None else "hinge",
        axis=None if axis is None else np.array(axis),
        limits=(float(np.radians(low)), float(np.radians(high))),
        shapes=(shape,),
        mass=mass,
        foot=kind == "ankle",
    )


def _other(name: str) -> str:
    return name.replace("left_", "right_") if name.startswith("left_") else name.replace("right_", "left_")


def _mirrored(row: Row) -> Row:
    name, parent, (x, y, z), mass, limits, (a, b, c), half = row
    return _other(name), _other(parent), (x, -y, z), mass, limits, (a, -b, c), half
