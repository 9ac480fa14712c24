"""How a BVH's position channels are meant.

Below the root, a joint's position channels p either replace its OFFSET o ("absolute") or add to it ("relative"). Bones keep their
lengths, so of |p - o| and |p| the reading with the smaller one is meant. A joint that travels (hips under a root at the
origin) tells less: it follows the others.

At the root, Blender and most exporters replace; some add. They differ by the constant o: the one whose lowest points are on
the floor is meant.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from surefoot.motion.motion import Guess

Array = NDArray[np.float64]
Reading = Literal["absolute", "relative"]


def reading_below_root(positions: Array, offsets: Array, size: float) -> tuple[list[Reading], Guess | None, list[int]]:
    """The reading of each joint of positions (T, J, 3), offsets (J, 3); a Guess when the readings differ; joints that disagree."""
    num = len(offsets)
    replaced = np.median(np.linalg.norm(positions - offsets, axis=-1), axis=0)  # (J,)
    added = np.median(np.linalg.norm(positions, axis=-1), axis=0)
    length = np.linalg.norm(offsets, axis=-1)
    telling = length > 1e-4 * size
    if not telling.any():
        return ["absolute"] * num, None, []
    # Between -1 (relative) and 1 (absolute) for each joint that tells.
    lean = np.where(telling, (added - replaced) / np.maximum(added + replaced, 1e-300), 0.0)
    total = float(lean.sum())
    common: Reading = "relative" if total < 0.0 else "absolute"
    sign = -1.0 if common == "relative" else 1.0
    readings: list[Reading] = [common] * num
    others: list[int] = []
    for j in np.flatnonzero(lean * sign < -0.8):  # a joint that plainly does it the other way, as hips under a root may
        readings[j] = "absolute" if common == "relative" else "relative"
        others.append(int(j))
    error = replaced if common == "absolute" else added
    kept = float(np.median(error[telling] / length[telling]))
    confidence = round(float(np.clip(0.5 + 0.49 * abs(total) / telling.sum(), 0.3, 0.99)), 2)
    what = "replace the OFFSETs" if common == "absolute" else "are added to the OFFSETs"
    why = f"then bones keep their OFFSET's length within {100.0 * kept:.2g} %"
    guess = Guess(what="position channels", value=f"{common} ({what})", confidence=confidence, why=why, override=f"--positions {common}")
    return readings, guess, others


def reading_of_roots(absolute: Array, relative: Array, size: float) -> tuple[Reading, Guess | None]:
    """The reading of the roots, from the lowest height of each frame (T,) in either reading."""
    first, second = abs(float(np.percentile(absolute, 10))), abs(float(np.percentile(relative, 10)))
    apart = abs(first - second) / max(size, 1e-300)
    if float(np.abs(absolute - relative).max(initial=0.0)) < 0.02 * size:
        return "absolute", None
    reading: Reading = "relative" if second < 0.15 * size and second < first - 0.15 * size else "absolute"
    if (reading == "absolute") == (first <= second):
        why = f"then the lowest points are {100 * min(first, second) / max(size, 1e-300):.0f} % of the body's size from zero height"
        confidence = round(float(np.clip(0.5 + apart, 0.5, 0.97)), 2)
    else:
        why, confidence = "as Blender reads it; neither reading puts the lowest points at zero height", 0.5
    value = "replaces the root's OFFSET" if reading == "absolute" else "is added to the root's OFFSET"
    return reading, Guess(
        what="root position", value=f"{reading} ({value})", confidence=confidence, why=why, override=f"--positions {reading}"
    )
