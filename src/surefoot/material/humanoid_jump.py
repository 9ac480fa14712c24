"""The humanoid's hovering jump: it crouches with its arms behind, leaps 1.1 m forwards, hangs in the air twice as long as gravity allows,
lands through its toes, sinks and stands up again."""

from __future__ import annotations

from surefoot.material.keyframes import Keys, Score, both, score

TAKE_OFF, TOUCH_DOWN = 0.95, 2.15
"""The flight [s]."""


def jump() -> Score:
    """Stand, crouch (0.65 s), take-off (0.95 s), hover, touch-down (2.15 s), sink (2.40 s), stand (3.2 s)."""
    trunk: Keys = [
        (0.00, {"root": (0.00, 0, 0.922), "pelvis": (0, 0, 0), "waist": (1, 0, 0), "chest": (2, 0, 0), "neck": (-2, 0, 0)}),
        (0.12, {"root": (0.01, 0, 0.924), "pelvis": (0, 0, 0), "waist": (0, 0, 0), "chest": (0, 0, 0), "neck": (0, 0, 0)}),
        (0.60, {"root": (-0.16, 0, 0.610), "pelvis": (34, 0, 0), "waist": (12, 0, 0), "chest": (12, 0, 0), "neck": (-34, 0, 0)}),
        (0.70, {"root": (-0.15, 0, 0.600), "pelvis": (36, 0, 0), "waist": (12, 0, 0), "chest": (12, 0, 0), "neck": (-36, 0, 0)}),
        (0.85, {"root": (0.08, 0, 0.830), "pelvis": (24, 0, 0), "waist": (4, 0, 0), "chest": (2, 0, 0), "neck": (-24, 0, 0)}),
        (0.95, {"root": (0.24, 0, 1.020), "pelvis": (8, 0, 0), "waist": (-4, 0, 0), "chest": (-6, 0, 0), "neck": (-6, 0, 0)}),
        (1.15, {"root": (0.42, 0, 1.290), "pelvis": (4, 0, 0), "waist": (0, 0, 0), "chest": (-4, 0, 0), "neck": (-2, 0, 0)}),
        (1.35, {"root": (0.56, 0, 1.420), "pelvis": (12, 0, 0), "waist": (8, 0, 0), "chest": (4, 0, 0), "neck": (-12, 0, 0)}),
        (1.55, {"root": (0.67, 0, 1.450), "pelvis": (14, 0, 0), "waist": (10, 0, 0), "chest": (6, 0, 0), "neck": (-16, 0, 0)}),
        (1.78, {"root": (0.80, 0, 1.420), "pelvis": (12, 0, 0), "waist": (10, 0, 0), "chest": (6, 0, 0), "neck": (-10, 0, 0)}),
        (2.00, {"root": (0.97, 0, 1.190), "pelvis": (10, 0, 0), "waist": (8, 0, 0), "chest": (6, 0, 0), "neck": (-2, 0, 0)}),
        (2.15, {"root": (1.06, 0, 0.920), "pelvis": (14, 0, 0), "waist": (8, 0, 0), "chest": (8, 0, 0), "neck": (-8, 0, 0)}),
        (2.28, {"root": (1.05, 0, 0.690), "pelvis": (28, 0, 0), "waist": (12, 0, 0), "chest": (12, 0, 0), "neck": (-26, 0, 0)}),
        (2.42, {"root": (1.03, 0, 0.620), "pelvis": (36, 0, 0), "waist": (12, 0, 0), "chest": (12, 0, 0), "neck": (-34, 0, 0)}),
        (2.55, {"root": (1.04, 0, 0.640), "pelvis": (35, 0, 0), "waist": (11, 0, 0), "chest": (11, 0, 0), "neck": (-32, 0, 0)}),
        (3.00, {"root": (1.16, 0, 0.910), "pelvis": (3, 0, 0), "waist": (2, 0, 0), "chest": (2, 0, 0), "neck": (-4, 0, 0)}),
        (3.20, {"root": (1.165, 0, 0.925), "pelvis": (-1, 0, 0), "waist": (0, 0, 0), "chest": (1, 0, 0), "neck": (-1, 0, 0)}),
        (3.50, {"root": (1.16, 0, 0.922), "pelvis": (0, 0, 0), "waist": (1, 0, 0), "chest": (2, 0, 0), "neck": (-2, 0, 0)}),
    ]
    arms: Keys = [
        (0.00, both(shoulder=(0, 7, 14), elbow=(14,), wrist=(0, 0, 0))),
        (0.10, both(shoulder=(0, 7, 14), elbow=(14,))),
        (0.24, both(shoulder=(14, 8, 10), elbow=(20,))),
        (0.60, both(shoulder=(-64, 10, 0), elbow=(10,), wrist=(-10, 0, 0))),
        (0.70, both(shoulder=(-68, 10, 0), elbow=(10,), wrist=(-10, 0, 0))),
        (0.84, both(shoulder=(20, 8, 0), elbow=(34,), wrist=(0, 0, 0))),
        (0.97, both(shoulder=(140, 16, 0), elbow=(24,))),
        (1.20, both(shoulder=(162, 24, 0), elbow=(10,))),
        (1.50, both(shoulder=(120, 50, 0), elbow=(14,), wrist=(0, 0, 0))),
        (1.80, both(shoulder=(86, 56, 0), elbow=(20,), wrist=(-8, 0, 0))),
        (2.15, both(shoulder=(60, 40, 0), elbow=(26,), wrist=(0, 0, 0))),
        (2.42, both(shoulder=(66, 16, 0), elbow=(30,))),
        (2.58, both(shoulder=(62, 14, 4), elbow=(30,))),
        (3.05, both(shoulder=(-6, 8, 12), elbow=(12,))),
        (3.50, both(shoulder=(0, 7, 14), elbow=(14,), wrist=(0, 0, 0))),
    ]
    feet: Keys = [
        (0.00, both(foot=(0, 0.105, 0, 0, 0, 8), knee=(4,))),
        (0.66, both(foot=(0, 0.105, 0, 0, 0, 8), knee=(8,))),
        (0.82, both(foot=(0, 0.105, 0, 16, 0, 8))),
        (0.93, both(foot=(0, 0.105, 0, 44, 20, 8), knee=(4,))),
        (1.02, both(foot=(0.10, 0.105, 0.10, 30, 44, 8))),
        (1.20, both(foot=(0.25, 0.11, 0.34, 6, 62, 6))),
        (1.48, both(foot=(0.46, 0.12, 0.74, 0, 44, 6), knee=(9,))),
        (1.68, both(foot=(0.64, 0.12, 0.76, 0, 34, 6), knee=(9,))),
        (1.95, both(foot=(1.06, 0.12, 0.34, 0, 14, 8))),
        (2.15, both(foot=(1.14, 0.115, 0.0, 14, 0, 8))),
        (2.22, both(foot=(1.14, 0.115, 0.0, 0, 0, 8), knee=(8,))),
        (3.00, both(knee=(4,))),
        (3.50, both(foot=(1.14, 0.115, 0.0, 0, 0, 8))),
    ]
    return score(trunk, arms, feet)
