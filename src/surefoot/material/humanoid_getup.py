"""The humanoid gets up: face down on the floor, it pushes its chest up, draws its hips over its knees, sets the left foot between its hands
and stands up over it."""

from __future__ import annotations

from surefoot.material.keyframes import Keys, Score, both, score


def getup() -> Score:
    """Lying (to 0.3 s), pushed up (1.1 s), on all fours (1.6 s), left foot set (2.4 s), upright on one knee (2.75 s), standing (3.9 s)."""
    trunk: Keys = [
        (0.00, {"root": (0.00, 0.00, 0.125), "pelvis": (88, 0, 0), "waist": (0, 0, 0), "chest": (0, 0, 0), "neck": (-8, 0, 0)}),
        (0.30, {"root": (0.00, 0.00, 0.125), "pelvis": (88, 0, 0), "waist": (0, 0, 0), "chest": (-2, 0, 0), "neck": (-16, 0, 0)}),
        (0.75, {"root": (-0.04, 0.00, 0.195), "pelvis": (78, 0, 0), "waist": (-8, 0, 0), "chest": (-10, 0, 0), "neck": (-34, 0, 0)}),
        (1.10, {"root": (-0.11, 0.00, 0.320), "pelvis": (68, 0, 0), "waist": (-6, 0, 0), "chest": (-6, 0, 0), "neck": (-34, 0, 0)}),
        (1.60, {"root": (-0.24, 0.00, 0.440), "pelvis": (76, 0, 0), "waist": (2, 0, 0), "chest": (4, 0, 0), "neck": (-34, 0, 0)}),
        (1.90, {"root": (-0.24, -0.045, 0.440), "pelvis": (62, -3, -3), "waist": (12, 1, 0), "chest": (14, 1, 0), "neck": (-38, 0, 0)}),
        (2.20, {"root": (-0.24, -0.045, 0.450), "pelvis": (40, -4, -3), "waist": (25, 1, 0), "chest": (26, 1, 0), "neck": (-42, 0, 0)}),
        (2.70, {"root": (-0.31, 0.00, 0.480), "pelvis": (36, 0, -2), "waist": (10, 0, 0), "chest": (10, 0, 0), "neck": (-28, 0, 0)}),
        (2.95, {"root": (-0.22, 0.03, 0.515), "pelvis": (38, 1, 0), "waist": (10, 0, 0), "chest": (10, 0, 0), "neck": (-30, 0, 0)}),
        (3.20, {"root": (-0.05, 0.05, 0.690), "pelvis": (34, 2, 3), "waist": (8, -1, 0), "chest": (8, -1, 0), "neck": (-26, 0, 0)}),
        (3.50, {"root": (0.04, 0.05, 0.860), "pelvis": (14, 2, 3), "waist": (5, -1, 0), "chest": (5, -1, 0), "neck": (-12, 0, 0)}),
        (3.90, {"root": (0.06, 0.005, 0.926), "pelvis": (-1, 0, 0), "waist": (0, 0, 0), "chest": (0, 0, 0), "neck": (1, 0, 0)}),
        (4.30, {"root": (0.06, 0.00, 0.922), "pelvis": (0, 0, 0), "waist": (1, 0, 0), "chest": (2, 0, 0), "neck": (-2, 0, 0)}),
    ]
    arms: Keys = [
        (0.00, both(grip=(0.34, 0.26, 0.055, 1, 10))),
        (2.30, both(grip=(0.34, 0.26, 0.055, 1, 10))),
        (2.70, both(grip=(0.24, 0.24, 0.25, 0, 30))),
    ]
    free: Keys = [
        (2.20, both(shoulder=(84, 14, 0), elbow=(10,))),
        (2.75, {"left_shoulder": (44, 14, 6), "left_elbow": (46,), "right_shoulder": (34, 12, 6), "right_elbow": (30,)}),
        (3.00, {"left_shoulder": (38, 14, 6), "left_elbow": (40,), "right_shoulder": (40, 12, 6), "right_elbow": (36,)}),
        (3.45, {"left_shoulder": (-8, 9, 12), "left_elbow": (22,), "right_shoulder": (18, 9, 12), "right_elbow": (28,)}),
        (3.90, both(shoulder=(-1, 7, 14), elbow=(14,))),
        (4.30, both(shoulder=(0, 7, 14), elbow=(14,))),
    ]
    knees: Keys = [
        (1.70, both(knee=(4,))),
        (1.92, {"left_knee": (24,)}),
        (2.17, {"left_knee": (21,)}),
        (2.40, {"left_knee": (2,)}),
        (3.00, both(knee=(4,))),
    ]
    feet: Keys = [
        (0.00, both(foot=(-1.00, 0.10, 0, 76, 0, 0))),
        (0.80, both(foot=(-1.00, 0.10, 0, 76, 0, 0))),
        (1.70, both(foot=(-1.00, 0.10, 0, 66, 0, 0))),
        (1.80, {"left_foot": (-0.97, 0.10, 0.02, 60, 12, 0)}),
        (1.95, {"left_foot": (-0.72, 0.11, 0.08, 40, 30, 0)}),
        (2.15, {"left_foot": (-0.20, 0.13, 0.09, 10, 16, 4)}),
        (2.38, {"left_foot": (0.04, 0.115, 0.0, 0, 0, 7), "right_foot": (-1.00, 0.10, 0, 66, 0, 0)}),
        (2.95, {"right_foot": (-1.00, 0.10, 0, 66, 0, 0)}),
        (3.08, {"right_foot": (-0.97, 0.10, 0.01, 60, 20, 0)}),
        (3.22, {"right_foot": (-0.70, 0.10, 0.07, 34, 40, 2)}),
        (3.42, {"right_foot": (-0.18, 0.11, 0.07, 8, 14, 4)}),
        (3.60, {"right_foot": (0.04, 0.115, 0.0, 0, 0, 7)}),
        (4.30, both(foot=(0.04, 0.115, 0.0, 0, 0, 7))),
    ]
    return score(trunk, arms, free, knees, feet)
