"""The humanoid walks (1.31 m/s) and runs (3.07 m/s): one cycle each, the last frame is the first one stride on.

Keys of the left side begin with the left heel's strike; the right side follows half a period later. Numbers as in `puppet`.
"""

from __future__ import annotations

from surefoot.material.keyframes import Keys, Score, gait


def walk() -> Score:
    """Stance until 0.66 s: heel, flat, ball, toes. Pelvis lowest with both feet down, highest and over the foot in mid-stance."""
    trunk: Keys = [
        (0.000, {"root": (0.000, 0.000, 0.899), "pelvis": (3, 0, -6), "waist": (1, 0, 5), "chest": (2, 0, 6), "neck": (-3, 0, -4)}),
        (0.060, {"root": (0.080, 0.009, 0.897)}),
        (0.130, {"root": (0.172, 0.016, 0.906), "pelvis": (4, -4, -4), "waist": (1, 2, 4), "chest": (2, 2, 4), "neck": (-3, 0, -3)}),
        (0.267, {"root": (0.350, 0.021, 0.917), "pelvis": (3, -2, 0), "waist": (1, 1, 0), "chest": (1, 1, 0), "neck": (-2, 0, 0)}),
        (0.400, {"root": (0.524, 0.016, 0.914), "pelvis": (3, 0, 4), "waist": (1, 0, -3), "chest": (2, 0, -4), "neck": (-3, 0, 3)}),
    ]
    left: Keys = [
        (0.0000, {"foot": (0.29, 0.085, 0.000, -20, 0, 6), "shoulder": (-24, 5, 10), "elbow": (14,), "wrist": (0, 0, 0)}),
        (0.0700, {"foot": (0.29, 0.085, 0.000, 0, 0, 6)}),
        (0.2667, {"shoulder": (-2, 6, 12), "elbow": (18,)}),
        (0.2900, {"foot": (0.29, 0.085, 0.000, 0, 0, 6)}),
        (0.4100, {"foot": (0.29, 0.085, 0.000, 11, 0, 6)}),
        (0.5333, {"foot": (0.29, 0.085, 0.000, 30, 0, 6), "shoulder": (21, 4, 18), "elbow": (34,), "wrist": (5, 0, 0)}),
        (0.6500, {"foot": (0.30, 0.085, 0.004, 36, 28, 6)}),
        (0.7300, {"foot": (0.50, 0.090, 0.045, 14, 42, 4)}),
        (0.8000, {"shoulder": (0, 6, 14), "elbow": (26,)}),
        (0.8400, {"foot": (1.00, 0.095, 0.055, 0, 14, 4)}),
        (0.9500, {"foot": (1.50, 0.090, 0.050, -12, 0, 5)}),
    ]
    return gait(32 / 30, 1.40, trunk, left)


def run() -> Score:
    """Stance until 0.25 s, then 0.12 s in the air; the heel swings up behind, the knee drives through."""
    trunk: Keys = [
        (0.000, {"root": (0.000, 0.000, 0.898), "pelvis": (9, 0, -9), "waist": (3, 0, 7), "chest": (3, 0, 10), "neck": (-9, 0, -7)}),
        (0.100, {"root": (0.300, 0.010, 0.862), "pelvis": (10, -5, -4), "waist": (4, 3, 4), "chest": (3, 2, 5), "neck": (-10, 0, -4)}),
        (0.180, {"root": (0.545, 0.010, 0.878), "pelvis": (9, -2, 2), "waist": (3, 1, -2), "chest": (3, 1, -2), "neck": (-9, 0, 1)}),
        (0.250, {"root": (0.765, 0.006, 0.915), "pelvis": (8, 0, 8), "waist": (3, 0, -5), "chest": (3, 0, -8), "neck": (-8, 0, 5)}),
        (0.310, {"root": (0.950, 0.002, 0.927), "pelvis": (8, 0, 10), "waist": (3, 0, -7), "chest": (3, 0, -10), "neck": (-8, 0, 7)}),
    ]
    left: Keys = [
        (0.0000, {"foot": (0.22, 0.070, 0.000, -8, 0, 5), "shoulder": (-52, 12, 10), "elbow": (84,), "wrist": (5, 0, 0)}),
        (0.0350, {"foot": (0.22, 0.070, 0.000, 0, 0, 5)}),
        (0.1100, {"foot": (0.22, 0.070, 0.000, 3, 0, 5)}),
        (0.1800, {"foot": (0.22, 0.070, 0.000, 20, 0, 5), "shoulder": (-14, 10, 14), "elbow": (78,)}),
        (0.2400, {"foot": (0.22, 0.070, 0.000, 42, 12, 5)}),
        (0.3000, {"foot": (0.34, 0.075, 0.090, 18, 60, 4), "shoulder": (18, 6, 30), "elbow": (92,)}),
        (0.3667, {"shoulder": (28, 4, 36), "elbow": (102,), "wrist": (5, 0, 0)}),
        (0.4200, {"foot": (0.70, 0.085, 0.230, 0, 84, 3)}),
        (0.5300, {"foot": (1.50, 0.085, 0.210, 0, 40, 3), "shoulder": (-4, 9, 18), "elbow": (88,)}),
        (0.6300, {"foot": (2.28, 0.078, 0.130, -4, 4, 4)}),
        (0.7000, {"foot": (2.46, 0.072, 0.030, -10, 0, 5)}),
    ]
    return gait(22 / 30, 2.25, trunk, left)
