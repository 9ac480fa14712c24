"""The state features of Simulation for Control, section 3.1, in the facing frame:

    s = (q0*, h0, c, c', d_1 .. d_n, L)            18 numbers for a character with two feet

q0*  the two horizontal components of the root's rotation vector [rad]      h0  the root's height [m]
c    the centre of mass, horizontally from the root, its own height [m]     c'  its velocity [m/s]
d_i  from the centre of mass to the centre of foot i, left before right [m] L   the angular momentum about it [kg m^2/s]

Where the paper's c is measured from horizontally it does not say; a world position would mean nothing to a controller that may walk
anywhere, so it is the root. Heights are above z = 0 unless the ground's height under the root is given.
"""

from __future__ import annotations

from typing import Any

from surefoot.physics.features import facing
from surefoot.physics.features.algebra import array_namespace, log, nearest
from surefoot.physics.features.anatomy import Anatomy
from surefoot.physics.features.observation import Observation


def state_features(seen: Observation, body: Anatomy, *, near: Any = None, ground: Any = 0.0) -> Any:
    """s (..., 12 + 3 feet). `near` (..., 3), e.g. the reference's `tilt`, chooses among equal rotation vectors when the body turns over."""
    xp = array_namespace(seen.com)
    front = body.front(seen.rotation[..., 0, :])
    frame = facing.heading(front)
    turn = _tilt(frame, front, near)
    root = seen.position[..., 0, :]
    height = root[..., 2] - ground
    from_root = facing.into(frame, seen.com - root)
    parts = [
        turn[..., :2],
        height[..., None],
        from_root[..., :2],
        (seen.com[..., 2] - ground)[..., None],
        facing.into(frame, seen.com_velocity),
    ]
    for foot in body.feet:
        parts.append(facing.into(frame, foot_center(seen, foot.bodies, foot.weights) - seen.com))
    parts.append(facing.into(frame, seen.angular_momentum))
    return xp.concat(parts, axis=-1)


def names(body: Anatomy) -> tuple[str, ...]:
    """What each of the features is, for tables and plots."""
    axes = ("forward", "left", "up")
    out = ["roll", "pitch", "root height"]
    out += [f"centre of mass {axis}" for axis in axes] + [f"velocity {axis}" for axis in axes]
    for foot in body.feet:
        out += [f"{foot.name} {axis}" for axis in axes]
    return tuple(out + [f"angular momentum {axis}" for axis in axes])


def units(body: Anatomy) -> tuple[str, ...]:
    """The unit of each of the features."""
    return ("rad", "rad", "m", "m", "m", "m", "m/s", "m/s", "m/s", *["m"] * (3 * len(body.feet)), *["kg m^2/s"] * 3)


def tilt(seen: Observation, body: Anatomy, near: Any = None) -> Any:
    """The root's rotation vector in the facing frame (..., 3)."""
    front = body.front(seen.rotation[..., 0, :])
    return _tilt(facing.heading(front), front, near)


def mirrored(features: Any, body: Anatomy) -> Any:
    """The features of the mirrored state: left is right, and rotations (roll, momentum about forward and up) turn the other way."""
    xp = array_namespace(features)
    feet = len(body.feet)
    columns = [*range(9)]
    for i in range(feet):
        columns += [9 + 3 * body.foot_partners[i] + axis for axis in range(3)]
    columns += [9 + 3 * feet + axis for axis in range(3)]
    signs = [-1.0, 1.0, 1.0, 1.0, -1.0, 1.0, 1.0, -1.0, 1.0, *([1.0, -1.0, 1.0] * feet), -1.0, 1.0, -1.0]
    return xp.stack([features[..., c] * s for c, s in zip(columns, signs, strict=True)], axis=-1)


def foot_center(seen: Observation, bodies: tuple[int, ...], weights: tuple[float, ...]) -> Any:
    """Centre of mass (..., 3) of the bodies of a foot."""
    total = weights[0] * seen.center[..., bodies[0], :]
    for joint, weight in zip(bodies[1:], weights[1:], strict=True):
        total = total + weight * seen.center[..., joint, :]
    return total


def _tilt(frame: tuple[Any, Any], front: Any, near: Any) -> Any:
    turn = log(facing.turned(frame, front))
    return turn if near is None else nearest(turn, near)
