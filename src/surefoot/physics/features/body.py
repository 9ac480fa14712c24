"""Whole-body features in the facing frame: end effectors, any other vectors, and every joint's rotation as an exponential map."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from surefoot.physics.features import facing
from surefoot.physics.features.algebra import array_namespace, conjugate, like, log, multiply, nearest, rows
from surefoot.physics.features.anatomy import Anatomy
from surefoot.physics.features.observation import Observation


def end_effectors(seen: Observation, body: Anatomy) -> Any:
    """Positions (..., E, 3) of the end effectors' frames from the root, in the facing frame [m]."""
    root = seen.position[..., :1, :]
    return faced(seen, body, rows(seen.position, body.ends) - root)


def end_effector_velocities(seen: Observation, body: Anatomy) -> Any:
    """Velocities (..., E, 3) of the end effectors' frames, in the facing frame [m/s]."""
    return faced(seen, body, rows(seen.velocity, body.ends))


def root_velocities(seen: Observation, body: Anatomy) -> Any:
    """The root's linear and angular velocity (..., 6), in the facing frame [m/s, rad/s]."""
    xp = array_namespace(seen.com)
    both = xp.stack([seen.velocity[..., 0, :], seen.angular_velocity[..., 0, :]], axis=-2)
    moved = faced(seen, body, both)
    return xp.concat([moved[..., 0, :], moved[..., 1, :]], axis=-1)


def joint_rotations(seen: Observation, parents: Any, rest: Any, near: Any = None) -> Any:
    """Rotation vectors (..., B - 1, 3) [rad] of all bodies but the root against their parents, from the rest rotations (B, 4).

    `near` (..., B - 1, 3) chooses among equal rotation vectors near half a turn, e.g. the reference's.
    """
    xp = array_namespace(seen.rotation)
    above = rows(seen.rotation, parents[1:])
    default = multiply(above, like(rest, above)[1:, :] + xp.zeros_like(above))
    vectors = log(multiply(conjugate(default), seen.rotation[..., 1:, :]))
    return vectors if near is None else nearest(vectors, near)


def faced(seen: Observation, body: Anatomy, vectors: Any) -> Any:
    """World vectors (..., n, 3) in the facing frame of each row: forces of feet, or points measured from the root."""
    cosine, sine = facing.heading(body.front(seen.rotation[..., 0, :]))
    return facing.into((cosine[..., None], sine[..., None]), vectors)


def mirrored_vectors(vectors: Any, partners: Sequence[int], *, turning: bool = False) -> Any:
    """What vectors (..., n, 3) in the facing frame are in the mirrored state: left is right, and each goes to its partner.

    `turning` vectors (velocities of rotation, moments) turn the other way.
    """
    xp = array_namespace(vectors)
    x, y, z = (xp.stack([vectors[..., p, axis] for p in partners], axis=-1) for axis in range(3))
    return xp.stack([-x, y, -z] if turning else [x, -y, z], axis=-1)
