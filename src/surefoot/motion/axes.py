"""Turning a file's up axis to Z.

A file's vectors v become q v q^-1, with q the shortest quarter or half turn that takes the file's up axis to +Z; Y up goes by
(x, y, z) -> (x, -z, y), so what walks along +X keeps walking along +X.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from surefoot.motion import quaternion

Array = NDArray[np.float64]
UpAxis = Literal["X", "Y", "Z", "-X", "-Y", "-Z"]

_HALF = float(np.sqrt(0.5))
_TURNS = {
    "Z": (1.0, 0.0, 0.0, 0.0),
    "Y": (_HALF, _HALF, 0.0, 0.0),
    "-Y": (_HALF, -_HALF, 0.0, 0.0),
    "X": (_HALF, 0.0, -_HALF, 0.0),
    "-X": (_HALF, 0.0, _HALF, 0.0),
    "-Z": (0.0, 1.0, 0.0, 0.0),
}


def upright(up: UpAxis) -> Array:
    """The rotation that turns the axis `up` to +Z."""
    return np.array(_TURNS[up])


def turn(up: UpAxis, vectors: Array) -> Array:
    """Vectors (..., 3) of a file with that up axis, Z up."""
    return quaternion.rotate(upright(up), vectors)
