"""Wilson's score interval: between which rates the truth lies, with 95 % confidence, after so many successes of so many trials."""

from __future__ import annotations

import math


def wilson(successes: int, trials: int, z: float = 1.959963984540054) -> tuple[float, float]:
    """Wilson's score interval of a rate; 95 % by default."""
    if trials < 1:
        return 0.0, 1.0
    share, square = successes / trials, z * z / trials
    middle = (share + 0.5 * square) / (1.0 + square)
    half = z / (1.0 + square) * math.sqrt(share * (1.0 - share) / trials + 0.25 * square / trials)
    return max(0.0, middle - half), min(1.0, middle + half)
