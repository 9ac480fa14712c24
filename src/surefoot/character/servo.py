"""Gains, torque limits and lead of every joint, derived from what it carries.

A joint splits the body into two parts. About the joint they have the inertias I_below and I_above, and pushing one away
from the other meets

    I = 1 / (1 / I_below + 1 / I_above),     kp = I w^2,     kd = 2 z kp / w

with one frequency w for the whole character, w = 12.5 sqrt(gravity / height) but at least 20 rad/s (30 rad/s for a person). Joints
between a foot and the trunk also carry the body when it stands: they have at least kp = support * mass * gravity * height.
Every servo then shares kd / kp, hence one lag, and the lead that makes up for it (DESIGN 2, 3; Simulation for Control 3.1
uses kp 500 for a 62 kg person, 1000 and 2000 for stunts: the same size).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.character.blueprint import Blueprint, Servo, Shape
from surefoot.motion import quaternion

GRAVITY = 9.81

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Gain:
    """Drive of one joint."""

    kp: float
    """[N m / rad]"""
    kd: float
    """[N m s / rad]"""
    torque: float
    """Largest torque about one axis [N m]."""
    armature: float
    """[kg m^2]"""
    damping: float
    """Passive, stays when the servo is off [N m s / rad]."""


def frequency(servo: Servo, height: float) -> float:
    """Undamped frequency [rad/s] of the servos of a character of that height [m]."""
    return servo.frequency or max(12.5 * float(np.sqrt(GRAVITY / height)), 20.0)


def lead(servo: Servo, height: float) -> float:
    """Seconds by which targets are read ahead."""
    if servo.lead is not None:
        return servo.lead
    return 1.25 * 2.0 * servo.damping_ratio / frequency(servo, height)


@dataclass(frozen=True, kw_only=True)
class Load:
    """What the joints of a character carry, in the rest pose. B bodies, parents first."""

    names: tuple[str, ...]
    parents: NDArray[np.int64]  # (B,), -1 for the root
    positions: Array  # (B, 3) of the joints
    masses: Array  # (B,)
    centers: Array  # (B, 3) of mass
    inertias: Array  # (B,) about the centre of mass, across the longest side
    feet: tuple[str, ...]
    height: float


def gains(load: Load, servo: Servo, given: dict[str, tuple[float, float]] | None = None) -> dict[str, Gain]:
    """The drive of every joint but the root's, by body. `given` are kp and torque limit that are known instead of derived."""
    weight_moment = float(load.masses.sum()) * GRAVITY * load.height
    omega = frequency(servo, load.height)
    below = _below(load.parents)
    # Whatever a foot hangs on carries the body when the foot stands.
    standing = [load.names.index(name) for name in load.feet]
    carries = np.asarray(below[:, standing].any(axis=1), dtype=np.bool_)
    out: dict[str, Gain] = {}
    for i, name in enumerate(load.names):
        if load.parents[i] < 0:
            continue
        hangs = below[i]
        carried = 1.0 / (1.0 / max(_inertia(load, i, hangs), 1e-12) + 1.0 / max(_inertia(load, i, ~hangs), 1e-12))
        kp = carried * omega**2
        if carries[i]:
            kp = max(kp, servo.support * weight_moment)
        # Whatever hangs from the joint must not sag by more than about 6 degrees.
        arm = np.linalg.norm(np.average(load.centers[hangs], axis=0, weights=load.masses[hangs]) - load.positions[i])
        kp = max(kp, servo.least * weight_moment)
        hanging = float(load.masses[hangs].sum()) * GRAVITY * float(arm)
        kp = max(kp, 10.0 * hanging)
        torque = min(servo.strength * kp, max(servo.strongest * weight_moment, 3.0 * hanging))
        if given and name in given:
            kp, torque = given[name]
        kd = 2.0 * servo.damping_ratio / omega * kp
        out[name] = Gain(
            kp=servo.scale * kp,
            kd=servo.scale * kd,
            torque=servo.scale * torque,
            armature=servo.armature * kp / omega**2,
            damping=servo.passive * kd,
        )
    return out


def load_of(blueprint: Blueprint) -> Load:
    """What a blueprint's joints carry."""
    positions, rotations = rest_transforms(blueprint)
    index = {body.name: i for i, body in enumerate(blueprint.bodies)}
    centers, inertias = positions.copy(), np.zeros(len(index))
    for i, body in enumerate(blueprint.bodies):
        volumes = np.array([shape.volume for shape in body.shapes])
        if not len(volumes):
            continue
        middles = np.stack([shape.center for shape in body.shapes])
        center = volumes @ middles / volumes.sum()
        centers[i] = positions[i] + quaternion.rotate(rotations[i], center)
        for volume, shape in zip(volumes, body.shapes, strict=True):
            share = body.mass * volume / volumes.sum()
            inertias[i] += share * (_radius_of_gyration(shape) ** 2 + float(np.sum((shape.center - center) ** 2)))
    return Load(
        names=tuple(index),
        parents=np.array([-1 if body.parent is None else index[body.parent] for body in blueprint.bodies]),
        positions=positions,
        masses=np.array([body.mass for body in blueprint.bodies]),
        centers=centers,
        inertias=inertias,
        feet=tuple(body.name for body in blueprint.bodies if body.foot),
        height=rest_height(blueprint),
    )


def rest_transforms(blueprint: Blueprint) -> tuple[Array, Array]:
    """World positions (B, 3) and rotations (B, 4) of all bodies in the rest pose."""
    return blueprint.rest


def rest_height(blueprint: Blueprint) -> float:
    """Size of the rest pose [m]: its height, but at least half its longest side (for animals that are longer than tall)."""
    return blueprint.height


def _below(parents: NDArray[np.int64]) -> NDArray[np.bool_]:
    """(B, B): whether body j hangs on body i (or is it)."""
    below = np.eye(len(parents), dtype=bool)
    for j in reversed(range(len(parents))):
        if parents[j] >= 0:
            below[parents[j]] |= below[j]
    return below


def _radius_of_gyration(shape: Shape) -> float:
    """About an axis across the shape's longest side [m]; enclosing box (Wide band 4.1)."""
    if shape.kind == "sphere":
        sides = np.full(3, 2.0 * shape.size[0])
    elif shape.kind == "capsule":
        radius, half = shape.size
        sides = np.array([2.0 * radius, 2.0 * radius, 2.0 * (radius + half)])
    else:
        sides = 2.0 * np.asarray(shape.size)
    big = np.sort(sides)[1:]
    return float(np.sqrt((big**2).sum() / 12.0))


def _inertia(load: Load, joint: int, part: NDArray[np.bool_]) -> float:
    """Inertia of a part of the body about an axis through a joint, across the part's longest side [kg m^2]."""
    arms = np.sum((load.centers[part] - load.positions[joint]) ** 2, axis=-1)
    return float(np.sum(load.inertias[part] + load.masses[part] * arms))
