"""The body of the DeepMimic clips: 45 kg, 34 degrees of freedom, 13 bodies.

Lengths, masses, sizes of shapes and torque limits follow the character file published with X. B. Peng, P. Abbeel, S. Levine and M. van
de Panne, "DeepMimic", ACM Transactions on Graphics 37 (2018), turned to Z up. Its hands are welded to the forearms, so here they are
one body. Torque limits are three times the file's, which are too low for a real servo. Limits are angles from the rest pose, which
has all rotations zero: upright, arms and legs straight down.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from surefoot.character.blueprint import Blueprint, Body, Shape
from surefoot.character.shapes import box, capsule, sphere
from surefoot.motion import quaternion

Point = tuple[float, float, float]

STRENGTH = 3.0
"""Times the published torque limits."""
STANDING = 0.421546 + 0.409870 + 0.05
"""Height of the root above the soles [m]."""

Row = tuple[str, str, Point, float, tuple[float, float], float, float]

TRUNK: tuple[Row, ...] = (
    # name, parent, offset [m], mass [kg], limits [degrees], kp [N m/rad], published torque limit [N m]
    ("root", "", (0.0, 0.0, STANDING), 6.0, (0.0, 180.0), 0.0, 0.0),
    ("chest", "root", (0.0, 0.0, 0.236151), 14.0, (0.0, 90.0), 1000.0, 200.0),
    ("neck", "chest", (0.0, 0.0, 0.223894), 2.0, (0.0, 80.0), 100.0, 50.0),
)
LEFT: tuple[Row, ...] = (
    ("left_hip", "root", (0.0, 0.084887, 0.0), 4.5, (0.0, 155.0), 500.0, 200.0),
    ("left_knee", "left_hip", (0.0, 0.0, -0.421546), 3.0, (-5.0, 165.0), 500.0, 150.0),
    ("left_ankle", "left_knee", (0.0, 0.0, -0.409870), 1.0, (0.0, 90.0), 400.0, 90.0),
    ("left_shoulder", "chest", (-0.02405, 0.18311, 0.24350), 1.5, (0.0, 178.0), 400.0, 100.0),
    ("left_elbow", "left_shoulder", (0.0, 0.0, -0.274788), 1.5, (-5.0, 165.0), 300.0, 60.0),
)
HINGES: dict[str, Point] = {"knee": (0.0, 1.0, 0.0), "elbow": (0.0, -1.0, 0.0)}
"""Axes by kind. Positive angles bend."""


def blueprint() -> Blueprint:
    """The DeepMimic body before it is compiled."""
    rows = (*TRUNK, *_mirrored(LEFT), *LEFT)
    names = [row[0] for row in rows]
    bodies = []
    for name, parent, offset, mass, (low, high), _, _ in rows:
        axis = HINGES.get(_kind(name))
        bodies.append(
            Body(
                name=name,
                parent=parent or None,
                position=np.array(offset),
                rotation=quaternion.IDENTITY,
                joint="free" if not parent else "ball" if axis is None else "hinge",
                axis=None if axis is None else np.array(axis),
                limits=(float(np.radians(low)), float(np.radians(high))),
                shapes=_shapes(_kind(name)),
                mass=mass,
                foot=_kind(name) == "ankle",
            )
        )
    tips: list[tuple[str, Point]] = [("neck", (0.0, 0.0, 0.2775))]
    for side in ("right_", "left_"):
        tips += [(side + "ankle", (0.1335, 0.0, -0.05)), (side + "ankle", (-0.0435, 0.0, -0.05)), (side + "elbow", (0.0, 0.0, -0.298947))]
    return Blueprint(
        name="deepmimic",
        bodies=tuple(bodies),
        forward=np.array([1.0, 0.0, 0.0]),
        up=np.array([0.0, 0.0, 1.0]),
        end_effectors=("left_ankle", "right_ankle", "left_elbow", "right_elbow", "neck"),
        partners={name: _other(name) for name in names},
        tips=tuple(tips),
        gains={row[0]: (row[5], STRENGTH * row[6]) for row in rows if row[1]},
        # Upper arms stand beside the head when the arms go up, thighs meet the belly in a squat.
        excludes=(
            ("root", "chest"),
            *((side + a, b) for side in ("left_", "right_") for a, b in (("shoulder", "neck"), ("hip", "chest"), ("hip", "root"))),
        ),
        source={"builtin": "deepmimic"},
    )


def _kind(name: str) -> str:
    return name.removeprefix("left_").removeprefix("right_")


def _other(name: str) -> str:
    return name.replace("left_", "right_") if name.startswith("left_") else name.replace("right_", "left_")


def _mirrored(rows: Sequence[Row]) -> list[Row]:
    return [(_other(n), _other(p) if "left_" in p else p, (x, -y, z), *rest) for n, p, (x, y, z), *rest in rows]  # type: ignore[misc]


def _shapes(kind: str) -> tuple[Shape, ...]:
    """Shapes of a kind of body in its frame; limbs hang straight down."""

    def limb(middle: float, radius: float, length: float) -> Shape:
        reach = 0.5 * length + radius
        return capsule([0.0, 0.0, middle + reach], [0.0, 0.0, middle - reach], radius)

    return {
        "root": (sphere([0.0, 0.0, 0.07], 0.09),),
        "chest": (sphere([0.0, 0.0, 0.12], 0.11),),
        "neck": (sphere([0.0, 0.0, 0.175], 0.1025),),
        "hip": (limb(-0.21, 0.055, 0.30),),
        "knee": (limb(-0.20, 0.05, 0.31),),
        "ankle": (box([0.045, 0.0, -0.0225], quaternion.IDENTITY, (0.0885, 0.045, 0.0275)),),
        "shoulder": (limb(-0.14, 0.045, 0.18),),
        "elbow": (limb(-0.12, 0.04, 0.135), sphere([0.0, 0.0, -0.258947], 0.04)),
    }[kind]
