"""The facing frame: vertical, turned to where the character faces, and quiet while it flips, rolls and cartwheels.

Which way does a body face? Let (w, x, y, z) be the rotation of a frame whose x is forward and whose z is up, A = w + iz, B = (x + iy) / s.
The twist of swing and twist faces along A^2, which says nothing when the body is upside down: A = 0. No rule is continuous
everywhere; one that respects mirroring can at best be undefined at two postures, mirror images of each other. So we add a term that takes
over near the bottom,

    h = A^2 + |B|^2 / (|A|^2 + |B|^2) (i a A B - B^2),          heading = h / |h|

which moves them from "upside down" to "tilted by 145 degrees, half sideways, half over", off the paths of a somersault and of a cartwheel
(s = tan(145 deg / 2) / sqrt(golden ratio), a = 1.6). Upright it is the twist up to the third order of the tilt; through a forward or
backward roll the heading does not change; over a cartwheel it turns once, smoothly, as it must. A turn about the vertical turns h alike.
"""

from __future__ import annotations

import math
from typing import Any

from surefoot.physics.features.algebra import array_namespace, multiply, sign

SCALE = math.tan(math.radians(145.0) / 2.0) / math.sqrt((1.0 + math.sqrt(5.0)) / 2.0)
SIDEWAYS = 1.6
"""Below 2, or the two postures meet in the sagittal plane."""


def heading(rotation: Any) -> tuple[Any, Any]:
    """Cosine and sine (...) of the direction in which rotations (..., 4) of a frame with x forward and z up face."""
    xp = array_namespace(rotation)
    w, z = rotation[..., 0], rotation[..., 3]
    x, y = rotation[..., 1] / SCALE, rotation[..., 2] / SCALE
    up, down = w * w + z * z, x * x + y * y
    part = down / (up + down)
    real = (w * w - z * z) + part * (-SIDEWAYS * (w * y + z * x) - (x * x - y * y))
    imaginary = 2.0 * w * z + part * (SIDEWAYS * (w * x - z * y) - 2.0 * x * y)
    length = xp.sqrt(real * real + imaginary * imaginary)
    none = length < 1e-12
    safe = xp.where(none, 1.0, length)
    return xp.where(none, 1.0, real / safe), xp.where(none, 0.0, imaginary / safe)


def into(facing: tuple[Any, Any], vectors: Any) -> Any:
    """World vectors (..., 3) in the facing frame (cosine and sine of its heading, (...))."""
    xp = array_namespace(vectors)
    cosine, sine = facing
    x, y, z = vectors[..., 0], vectors[..., 1], vectors[..., 2]
    return xp.stack([cosine * x + sine * y, cosine * y - sine * x, z + xp.zeros_like(cosine)], axis=-1)


def turned(facing: tuple[Any, Any], rotation: Any) -> Any:
    """World rotations (..., 4) as seen in the facing frame."""
    xp = array_namespace(rotation)
    cosine, sine = facing
    # Half the angle without losing digits near half a turn.
    half_cosine = xp.sqrt(xp.maximum(0.5 * (1.0 + xp.abs(cosine)), xp.zeros_like(cosine)))
    small = 0.5 * xp.abs(sine) / half_cosine
    ahead = cosine >= 0.0
    w, z = xp.where(ahead, half_cosine, small), sign(sine) * xp.where(ahead, small, half_cosine)
    zero = xp.zeros_like(w)
    return multiply(xp.stack([w, zero, zero, -z], axis=-1), rotation)
