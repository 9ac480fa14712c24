"""A character before it is compiled: bodies, shapes, joints and a few facts about them.

A blueprint is what the rig makes, what built-in characters are written in, and what `mjcf.write` turns into MJCF.
Body frames are the joints' own frames, so a body's world rotation is its source joint's world rotation.
Metres, kilograms, radians; Z up.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from surefoot.errors import InputError, unknown_name
from surefoot.motion import quaternion

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Shape:
    """A collision shape in its body's frame."""

    kind: Literal["capsule", "box", "sphere"]
    center: Array  # (3,)
    rotation: Array  # (4,)
    size: tuple[float, ...]
    """Capsule: radius, half length along its z. Box: three half sides. Sphere: radius."""

    @property
    def volume(self) -> float:
        """[m^3]"""
        if self.kind == "capsule":
            radius, half = self.size
            return float(np.pi * radius**2 * (2.0 * half + 4.0 / 3.0 * radius))
        if self.kind == "sphere":
            return float(4.0 / 3.0 * np.pi * self.size[0] ** 3)
        return float(8.0 * np.prod(self.size))


@dataclass(frozen=True, kw_only=True)
class Body:
    """One rigid body and the joint that ties it to its parent."""

    name: str
    parent: str | None
    """Name of the parent body; None for the root, which floats freely."""
    position: Array  # (3,)
    """In the parent's frame [m]; the root's stands in the world's."""
    rotation: Array  # (4,)
    """In the parent's frame, in the rest pose."""
    joint: Literal["free", "ball", "hinge"]
    axis: Array | None = None  # (3,)
    """Hinge axis in the body's own frame."""
    limits: tuple[float, float] = (0.0, np.pi)
    """Hinge: lowest and highest angle. Ball: zero and the largest angle from the rest pose [rad]."""
    shapes: tuple[Shape, ...] = ()
    mass: float = 0.0
    """[kg]"""
    foot: bool = False
    """Whether the character stands on it."""


@dataclass(frozen=True, kw_only=True)
class Servo:
    """How a character's joints are driven. The one place to scale them all.

    torque = kp (target - q) - kd dq/dt, clipped to the limit, with the damping integrated implicitly.
    """

    frequency: float | None = None
    """Undamped frequency [rad/s] of a joint that carries its share of the body; None derives it from the height."""
    damping_ratio: float = 0.6
    """Of that frequency; kd / kp = 2 damping_ratio / frequency for every joint."""
    support: float = 0.6
    """Joints between a foot and the trunk have at least kp = support * mass * gravity * height [per rad]."""
    least: float = 5e-4
    """No joint has less kp than least * mass * gravity * height, or the body would shake what is tiny [per rad]."""
    strength: float = 0.6
    """Torque limit / kp [rad]: the error at which a servo saturates."""
    strongest: float = 1.0
    """No torque limit exceeds strongest * mass * gravity * height."""
    passive: float = 0.02
    """Part of kd that stays when the servo is off."""
    armature: float = 0.02
    """Rotor inertia as a part of the inertia that the servo can move, kp / frequency^2. Contacts feel it in a stiff joint on a light foot:
    without it contacts go soft, because the solver knows of inertia but not of damping."""
    lead: float | None = None
    """Seconds by which targets are read ahead; None takes 1.25 kd / kp."""
    scale: float = 1.0
    """Multiplies kp, kd and the torque limits of all joints."""


@dataclass(frozen=True, kw_only=True)
class Blueprint:
    """Everything a character is made from."""

    name: str
    bodies: tuple[Body, ...]
    """Parents before children; the first is the root."""
    forward: Array  # (3,)
    """Facing direction in the root body's frame."""
    up: Array  # (3,)
    """Up in the root body's frame."""
    end_effectors: tuple[str, ...] = ()
    partners: dict[str, str] = field(default_factory=dict)
    """Mirror partner of each body (itself when central)."""
    tips: tuple[tuple[str, tuple[float, float, float]], ...] = ()
    """Far ends of the last bones: body and position in its frame [m]."""
    servo: Servo = field(default_factory=Servo)
    gains: dict[str, tuple[float, float]] = field(default_factory=dict)
    """Joints whose kp [per rad] and torque limit are given instead of derived, by body."""
    excludes: tuple[tuple[str, str], ...] = ()
    """Pairs of bodies that do not collide, besides neighbours."""
    report: tuple[str, ...] = ()
    """What was guessed, merged or left out, line by line."""
    poses: dict[str, tuple[Array, dict[str, Array]]] = field(default_factory=dict)
    """Named poses besides the rest pose: root position and world rotation of each body."""
    source: dict[str, Any] = field(default_factory=dict)
    """Where it came from (JSON values)."""

    def __post_init__(self) -> None:
        seen: set[str] = set()
        for i, body in enumerate(self.bodies):
            if body.name in seen:
                raise InputError(f"two bodies are named '{body.name}'; names must be unique.")
            if (body.parent is None) != (i == 0):
                raise InputError(f"body '{body.name}' needs a parent: only the first body floats freely.")
            if body.parent is not None and body.parent not in seen:
                raise unknown_name("parent body", body.parent, seen)
            seen.add(body.name)

    def body(self, name: str) -> Body:
        """The body of that name."""
        for body in self.bodies:
            if body.name == name:
                return body
        raise unknown_name("body", name, [b.name for b in self.bodies])

    @cached_property
    def rest(self) -> tuple[Array, Array]:
        """World positions (B, 3) and rotations (B, 4) of all bodies in the rest pose."""
        index = {body.name: i for i, body in enumerate(self.bodies)}
        positions, rotations = np.zeros((len(index), 3)), np.zeros((len(index), 4))
        for i, body in enumerate(self.bodies):
            if body.parent is None:
                positions[i], rotations[i] = body.position, body.rotation
            else:
                p = index[body.parent]
                positions[i] = positions[p] + quaternion.rotate(rotations[p], body.position)
                rotations[i] = quaternion.multiply(rotations[p], body.rotation)
        return positions, rotations

    @cached_property
    def height(self) -> float:
        """Size of the rest pose [m]: its height, but at least half its longest side (for animals that are longer than tall)."""
        positions, rotations = self.rest
        owners = [i for i, body in enumerate(self.bodies) for _ in body.shapes]
        shapes = [shape for body in self.bodies for shape in body.shapes]
        low, high = positions.min(axis=0), positions.max(axis=0)
        if shapes:
            centers = positions[owners] + quaternion.rotate(rotations[owners], np.stack([s.center for s in shapes]))
            matrices = quaternion.to_matrix(quaternion.multiply(rotations[owners], np.stack([s.rotation for s in shapes])))
            reach = np.stack([_reach(s, m) for s, m in zip(shapes, matrices, strict=True)])
            low, high = np.minimum(low, (centers - reach).min(axis=0)), np.maximum(high, (centers + reach).max(axis=0))
        extent = high - low
        return float(max(extent[2], 0.5 * extent.max(), 1e-6))

    @property
    def mass(self) -> float:
        """[kg]"""
        return float(sum(body.mass for body in self.bodies))

    def replace(self, **changes: Any) -> Blueprint:
        """A copy with some fields changed."""
        return replace(self, **changes)


def _reach(shape: Shape, matrix: Array) -> Array:
    """How far a shape reaches from its centre along x, y and z of the world (3,), its axes being the columns of `matrix`."""
    if shape.kind == "box":
        return np.asarray(np.abs(matrix) @ np.asarray(shape.size))
    along = np.abs(matrix[:, 2]) * shape.size[1] if shape.kind == "capsule" else np.zeros(3)
    return np.asarray(shape.size[0] + along)
