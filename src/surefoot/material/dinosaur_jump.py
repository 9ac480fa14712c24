"""The dinosaur's hovering jump: deep crouch with its tail high, a leap 0.9 m forwards with flapping arms, a hang in the air that no gravity
allows, a landing that sinks in, a shake of the head."""

from __future__ import annotations

from surefoot.material.keyframes import Keys, Score, both, score

TAKE_OFF, TOUCH_DOWN = 1.00, 2.15
"""The flight [s]."""


def jump() -> Score:
    """Stand, crouch (0.7 s), take-off (1.0 s), hover, touch-down (2.15 s), sink (2.4 s), stand (3.2 s)."""
    trunk: Keys = [
        (0.00, {"root": (0.00, 0, 0.775), "pelvis": (0, 0, 0), "chest": (0, 0, 0), "neck": (0, 0, 0), "head": (0, 0, 0)}),
        (0.06, {"root": (0.00, 0, 0.775), "pelvis": (0, 0, 0), "chest": (0, 0, 0), "neck": (0, 0, 0), "head": (0, 0, 0)}),
        (0.22, {"root": (0.01, 0, 0.785), "pelvis": (-3, 0, 0), "chest": (-2, 0, 0), "neck": (-2, 0, 0), "head": (2, 0, 0)}),
        (0.62, {"root": (-0.10, 0, 0.540), "pelvis": (8, 0, 0), "chest": (0, 0, 0), "neck": (14, 0, 0), "head": (-22, 0, 0)}),
        (0.76, {"root": (-0.10, 0, 0.525), "pelvis": (10, 0, 0), "chest": (0, 0, 0), "neck": (18, 0, 0), "head": (-28, 0, 0)}),
        (0.90, {"root": (0.06, 0, 0.700), "pelvis": (-4, 0, 0), "chest": (2, 0, 0), "neck": (4, 0, 0), "head": (-12, 0, 0)}),
        (1.00, {"root": (0.20, 0, 0.880), "pelvis": (-20, 0, 0), "chest": (-8, 0, 0), "neck": (-8, 0, 0), "head": (8, 0, 0)}),
        (1.18, {"root": (0.34, 0, 1.130), "pelvis": (-16, 0, 0), "chest": (-8, 0, 0), "neck": (-14, 0, 0), "head": (14, 0, 0)}),
        (1.38, {"root": (0.46, 0, 1.240), "pelvis": (-4, 0, 0), "chest": (0, 0, 0), "neck": (-6, 0, 0), "head": (10, 0, 0)}),
        (1.58, {"root": (0.56, 0, 1.260), "pelvis": (4, 0, 0), "chest": (4, 0, 0), "neck": (2, 0, 0), "head": (6, 0, 0)}),
        (1.80, {"root": (0.67, 0, 1.230), "pelvis": (8, 0, 0), "chest": (6, 0, 0), "neck": (6, 0, 0), "head": (2, 0, 0)}),
        (2.00, {"root": (0.79, 0, 1.030), "pelvis": (2, 0, 0), "chest": (2, 0, 0), "neck": (-4, 0, 0), "head": (-2, 0, 0)}),
        (2.15, {"root": (0.87, 0, 0.790), "pelvis": (-4, 0, 0), "chest": (-4, 0, 0), "neck": (-10, 0, 0), "head": (4, 0, 0)}),
        (2.30, {"root": (0.87, 0, 0.550), "pelvis": (4, 0, 0), "chest": (0, 0, 0), "neck": (12, 0, 0), "head": (0, 0, 0)}),
        (2.44, {"root": (0.86, 0, 0.525), "pelvis": (9, 0, 0), "chest": (2, 0, 0), "neck": (22, 0, 0), "head": (-8, 0, 0)}),
        (2.60, {"root": (0.86, 0, 0.540), "pelvis": (8, 0, 0), "chest": (1, 0, 0), "neck": (14, 0, 0), "head": (-20, 0, 0)}),
        (3.00, {"root": (0.91, 0, 0.775), "pelvis": (-3, 0, 0), "chest": (-3, 0, 0), "neck": (-4, 0, 0), "head": (2, 0, 0)}),
        (3.20, {"root": (0.905, 0, 0.785), "pelvis": (-1, 0, 0), "chest": (-1, 0, 0), "neck": (-1, 0, 0), "head": (1, 0, 0)}),
        (3.50, {"root": (0.90, 0, 0.775), "pelvis": (0, 0, 0), "chest": (0, 0, 0), "neck": (0, 0, 0), "head": (0, 0, 0)}),
    ]
    tail: Keys = [
        (0.00, {"tail_1": (0, 0, 0), "tail_2": (0, 0, 0), "tail_3": (0, 0, 0), "tail_4": (0, 0, 0), "jaw": (3,)}),
        (0.70, {"tail_1": (6, 0, 0), "tail_2": (8, 0, 0), "tail_3": (12, 0, 0), "tail_4": (14, 0, 0), "jaw": (0,)}),
        (0.98, {"tail_1": (-8, 0, 0), "tail_2": (-2, 0, 0), "tail_3": (6, 0, 0), "tail_4": (12, 0, 0), "jaw": (8,)}),
        (1.25, {"tail_1": (2, 0, 0), "tail_2": (-8, 0, 0), "tail_3": (-14, 0, 0), "tail_4": (-10, 0, 0), "jaw": (26,)}),
        (1.58, {"tail_1": (8, 0, 0), "tail_2": (4, 0, 0), "tail_3": (-4, 0, 0), "tail_4": (-14, 0, 0), "jaw": (24,)}),
        (1.90, {"tail_1": (10, 0, 0), "tail_2": (14, 0, 0), "tail_3": (12, 0, 0), "tail_4": (8, 0, 0), "jaw": (14,)}),
        (2.18, {"tail_1": (6, 0, 0), "tail_2": (12, 0, 0), "tail_3": (18, 0, 0), "tail_4": (20, 0, 0), "jaw": (8,)}),
        (2.46, {"tail_1": (4, 0, 0), "tail_2": (2, 0, 0), "tail_3": (0, 0, 0), "tail_4": (2, 0, 0), "jaw": (14,)}),
        (2.75, {"tail_1": (6, 0, 0), "tail_2": (6, 0, 0), "tail_3": (8, 0, 0), "tail_4": (4, 0, 0), "jaw": (5,)}),
        (3.10, {"tail_1": (-2, 0, 0), "tail_2": (-1, 0, 0), "tail_3": (2, 0, 0), "tail_4": (5, 0, 0)}),
        (3.50, {"tail_1": (0, 0, 0), "tail_2": (0, 0, 0), "tail_3": (0, 0, 0), "tail_4": (0, 0, 0), "jaw": (3,)}),
    ]
    arms: Keys = [
        (0.00, both(shoulder=(0, 4, 0), elbow=(0,))),
        (0.66, both(shoulder=(-44, 60, 0), elbow=(-10,))),
        (0.80, both(shoulder=(-48, 62, 0), elbow=(-10,))),
        (1.00, both(shoulder=(74, 30, 0), elbow=(-10,))),
        (1.20, both(shoulder=(60, 66, 0), elbow=(-30,))),
        (1.36, both(shoulder=(40, 34, 0), elbow=(-30,))),
        (1.52, both(shoulder=(52, 70, 0), elbow=(-30,))),
        (1.68, both(shoulder=(38, 34, 0), elbow=(-30,))),
        (1.84, both(shoulder=(52, 70, 0), elbow=(-30,))),
        (2.10, both(shoulder=(44, 50, 0), elbow=(-20,))),
        (2.40, both(shoulder=(16, 34, 0), elbow=(10,))),
        (2.62, both(shoulder=(20, 28, 0), elbow=(6,))),
        (3.05, both(shoulder=(-6, 4, 0), elbow=(0,))),
        (3.50, both(shoulder=(0, 4, 0), elbow=(0,))),
    ]
    feet: Keys = [
        (0.00, both(foot=(-0.08, 0.16, 0, 0, 0, 8), knee=(6,))),
        (0.80, both(foot=(-0.08, 0.16, 0, 0, 0, 8), knee=(20,))),
        (0.97, both(foot=(-0.08, 0.16, 0, 34, 10, 8), knee=(6,))),
        (1.06, both(foot=(0.00, 0.16, 0.07, 24, 34, 8))),
        (1.24, both(foot=(0.12, 0.17, 0.30, 8, 52, 8))),
        (1.50, both(foot=(0.36, 0.18, 0.56, 0, 24, 8), knee=(12,))),
        (1.70, both(foot=(0.50, 0.18, 0.58, 0, 12, 8))),
        (1.98, both(foot=(0.80, 0.17, 0.24, 0, -6, 8))),
        (2.15, both(foot=(0.84, 0.17, 0.0, -6, 0, 8))),
        (2.20, both(foot=(0.84, 0.17, 0.0, 0, 0, 8), knee=(20,))),
        (3.00, both(knee=(6,))),
        (3.50, both(foot=(0.84, 0.17, 0.0, 0, 0, 8))),
    ]
    return score(trunk, tail, arms, feet)
