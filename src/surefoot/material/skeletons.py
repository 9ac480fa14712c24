"""The skeletons of our own two characters, standing on z = 0 and looking along +X. Metres, Z up, rest rotations identity.

`HUMANOID` is 1.70 m tall. Its lengths are fractions of stature from Drillis & Contini, "Body Segment Parameters" (1966), as tabulated
in Winter, "Biomechanics and Motor Control of Human Movement" (4th ed., 2009, fig. 4.1): heights of ankle 0.039, knee 0.285, hip 0.530,
shoulder 0.818; upper arm 0.186, forearm 0.146, hand 0.108; half the shoulder breadth 0.129; foot 0.152. The hip centres, the joints of
the trunk and the ball of the foot, which that table leaves out, are set to usual anatomical places.
With its root free and its joints as `HUMANOID_HINGES` says (the rest balls) it has 45 degrees of freedom: 6 + 3 (waist) + 3 (chest) +
3 (neck) + 2 * (3 hip + 1 knee + 3 ankle + 1 toe + 3 shoulder + 1 elbow + 3 wrist).

`DINOSAUR` is a cartoon biped, 1.5 m tall, 21 joints: heavy head with a jaw, thick tail of four joints, short arms, legs that stand on
their toes.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from surefoot.motion.skeleton import Skeleton, Tip

Point = tuple[float, float, float]

ARM_SPREAD = 30.0
"""How far the humanoid's arms stand out from the vertical in the rest pose [degrees]."""


def build(joints: Sequence[tuple[str, str, Point]], tips: Sequence[tuple[str, str, Point]]) -> Skeleton:
    """A skeleton from (name, parent, position) and tips (name, joint, position), positions in the world at rest."""
    names = [name for name, _, _ in joints]
    parents = np.array([names.index(parent) if parent else -1 for _, parent, _ in joints])
    places = np.array([place for _, _, place in joints])
    translations = np.where(parents[:, None] < 0, places, places - places[parents])
    rotations = np.tile([1.0, 0.0, 0.0, 0.0], (len(joints), 1))
    ends = tuple(Tip(joint=names.index(j), offset=np.array(place) - places[names.index(j)], name=name) for name, j, place in tips)
    return Skeleton(tuple(names), parents, translations, rotations, ends)


def mirrored(rows: Sequence[tuple[str, str, Point]]) -> list[tuple[str, str, Point]]:
    """The rows of the left side, then the same on the right."""
    right = [(n.replace("left", "right"), p.replace("left", "right"), (x, -y, z)) for n, p, (x, y, z) in rows]
    return [*rows, *right]


STATURE = 1.70


def _humanoid() -> Skeleton:
    h = STATURE
    shoulder = np.array([0.0, 0.129 * h - 0.025, 0.818 * h])  # the joint's centre lies inside the shoulder's outline
    along = np.array([0.0, np.sin(np.radians(ARM_SPREAD)), -np.cos(np.radians(ARM_SPREAD))])
    elbow = shoulder + 0.186 * h * along
    wrist = elbow + 0.146 * h * along
    hand = wrist + 0.108 * h * along
    hip = 0.053 * h
    trunk = [
        ("pelvis", "", (0.0, 0.0, 0.548 * h)),
        ("waist", "pelvis", (0.0, 0.0, 0.600 * h)),
        ("chest", "waist", (0.0, 0.0, 0.690 * h)),
        ("neck", "chest", (0.0, 0.0, 0.848 * h)),
    ]
    side: list[tuple[str, str, Point]] = [
        ("left_hip", "pelvis", (0.0, hip, 0.530 * h)),
        ("left_knee", "left_hip", (0.0, hip, 0.285 * h)),
        ("left_ankle", "left_knee", (0.0, hip, 0.039 * h)),
        ("left_toe", "left_ankle", (0.073 * h, hip, 0.014 * h)),
        ("left_shoulder", "chest", _point(shoulder)),
        ("left_elbow", "left_shoulder", _point(elbow)),
        ("left_wrist", "left_elbow", _point(wrist)),
    ]
    side_tips: list[tuple[str, str, Point]] = [
        ("left_heel", "left_ankle", (-0.037 * h, hip, 0.0)),
        ("left_toe_tip", "left_toe", (0.115 * h, hip, 0.0)),
        ("left_hand", "left_wrist", _point(hand)),
    ]
    return build([*trunk, *mirrored(side)], [("head", "neck", (0.0, 0.0, h)), *mirrored(side_tips)])


def _point(array: NDArray[np.float64]) -> Point:
    return float(array[0]), float(array[1]), float(array[2])


HUMANOID = _humanoid()

_elbow_y, _elbow_z = float(np.cos(np.radians(ARM_SPREAD))), float(np.sin(np.radians(ARM_SPREAD)))
HUMANOID_HINGES: dict[str, Point] = {
    "left_knee": (0.0, 1.0, 0.0),
    "right_knee": (0.0, 1.0, 0.0),
    "left_toe": (0.0, -1.0, 0.0),
    "right_toe": (0.0, -1.0, 0.0),
    "left_elbow": (0.0, -_elbow_y, -_elbow_z),
    "right_elbow": (0.0, -_elbow_y, _elbow_z),
}
"""Axes of the humanoid's hinges at rest. Positive angles bend the knee backwards, lift the toes, bend the elbow forwards."""

DINOSAUR = build(
    [
        ("pelvis", "", (0.0, 0.0, 0.80)),
        ("tail_1", "pelvis", (-0.17, 0.0, 0.78)),
        ("tail_2", "tail_1", (-0.38, 0.0, 0.70)),
        ("tail_3", "tail_2", (-0.58, 0.0, 0.60)),
        ("tail_4", "tail_3", (-0.77, 0.0, 0.52)),
        ("chest", "pelvis", (0.18, 0.0, 0.90)),
        ("neck", "chest", (0.34, 0.0, 1.05)),
        ("head", "neck", (0.43, 0.0, 1.24)),
        ("jaw", "head", (0.46, 0.0, 1.17)),
        *mirrored(
            [
                ("left_hip", "pelvis", (0.02, 0.17, 0.74)),
                ("left_knee", "left_hip", (0.17, 0.17, 0.47)),
                ("left_ankle", "left_knee", (-0.08, 0.17, 0.23)),
                ("left_toe", "left_ankle", (0.03, 0.17, 0.045)),
                ("left_shoulder", "chest", (0.32, 0.16, 0.89)),
                ("left_elbow", "left_shoulder", (0.30, 0.16, 0.75)),
            ]
        ),
    ],
    [
        ("tail_tip", "tail_4", (-0.96, 0.0, 0.47)),
        ("head_top", "head", (0.48, 0.0, 1.50)),
        ("snout", "head", (0.86, 0.0, 1.26)),
        ("chin", "jaw", (0.80, 0.0, 1.11)),
        *mirrored(
            [
                ("left_heel", "left_toe", (-0.05, 0.17, 0.0)),
                ("left_toe_tip", "left_toe", (0.20, 0.17, 0.0)),
                ("left_hand", "left_elbow", (0.43, 0.16, 0.71)),
            ]
        ),
    ],
)

DINOSAUR_HINGES: dict[str, Point] = {
    "jaw": (0.0, 1.0, 0.0),
    "left_knee": (0.0, 1.0, 0.0),
    "right_knee": (0.0, 1.0, 0.0),
    "left_toe": (0.0, -1.0, 0.0),
    "right_toe": (0.0, -1.0, 0.0),
    "left_elbow": (0.0, -1.0, 0.0),
    "right_elbow": (0.0, -1.0, 0.0),
}
"""Axes of the dinosaur's hinges at rest. Positive angles open the jaw, bend the knee, lift the toes, bend the elbow. Its ankles are balls:
the toes stay flat while the hips sway from foot to foot."""
