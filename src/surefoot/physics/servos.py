"""From poses to servo targets and back: one target for a hinge [rad], a rotation vector for a ball [rad].

An offset turns the target in the parent's frame (Simulation for Control, 3.1: the quaternion product of offset and reference):

    target = log(exp(offset) * exp(reference))     for balls,          target = offset + reference     for hinges

A rotation vector v and v - 2 pi v/|v| are the same rotation, but not the same to a servo, which measures in (-pi, pi] and turns from there.
Targets therefore choose the one that lies nearest to their neighbour (the reference, the frame before): a joint at 170 degrees with a
target at 190 is pushed to its limit, not all the way round. No target lies further than one and a half pi from rest.

Far from its frame's zero a ball's servo weakens across the axis and couples the directions there. With the damping ratio z it holds still
up to the angle t with (t/2) tan(t/2) = 4 z^2 (112 degrees for z = 0.6) and flutters beyond: a reason to centre each ball's frame.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.character.character import Character
from surefoot.errors import InputError, unknown_name
from surefoot.motion import quaternion

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

FURTHEST = 1.5 * np.pi


@dataclass(frozen=True, eq=False)
class Servos:
    """Which target drives which joint. B balls, H hinges; nu = 3 B + H."""

    num: int
    """nu"""
    names: tuple[str, ...]
    """The body that each target turns (nu,)."""
    ball_ctrl: Indices  # (B, 3)
    ball_qpos: Indices  # (B, 4)
    hinge_ctrl: Indices  # (H,)
    hinge_qpos: Indices  # (H,)

    def ctrl(self, qpos: ArrayLike) -> Array:
        """Targets (T, nu) that ask for the poses qpos (T, nq); continuous along T. A single pose (nq,) gives (nu,)."""
        poses = np.asarray(qpos, dtype=float)
        if poses.ndim == 1:
            return np.asarray(self.ctrl(poses[None])[0])
        out = np.zeros((*poses.shape[:-1], self.num))
        out[..., self.hinge_ctrl] = poses[..., self.hinge_qpos]
        vectors = quaternion.log(poses[..., self.ball_qpos])
        for t in range(1, len(vectors)):
            vectors[t] = nearest(vectors[t], vectors[t - 1])
        out[..., self.ball_ctrl] = vectors
        return out

    def compose(self, reference: ArrayLike, offsets: ArrayLike) -> Array:
        """Targets (..., nu) of references (..., nu) turned by offsets (..., nu), which broadcast. Zero offsets change nothing."""
        reference, offsets = np.broadcast_arrays(np.asarray(reference, dtype=float), np.asarray(offsets, dtype=float))
        out = reference + offsets
        before, turn = reference[..., self.ball_ctrl], offsets[..., self.ball_ctrl]
        turned = nearest(quaternion.log(quaternion.multiply(quaternion.exp(turn), quaternion.exp(before))), before)
        out[..., self.ball_ctrl] = np.where(np.any(turn != 0.0, axis=-1, keepdims=True), turned, before)
        return out

    def columns(self, bodies: Iterable[str]) -> Indices:
        """Indices (n,) of the targets that turn these bodies against their parents, in the order given."""
        found: list[int] = []
        for body in bodies:
            mine = [i for i, name in enumerate(self.names) if name == body]
            if not mine:
                raise unknown_name("driven body", body, dict.fromkeys(self.names))
            found += mine
        return np.array(found, dtype=np.int64)


def nearest(vectors: ArrayLike, near: ArrayLike) -> Array:
    """Rotation vectors (..., 3) of the same rotations as `vectors`, each the one that lies nearest to `near` (..., 3)."""
    vectors, near = np.asarray(vectors, dtype=float), np.asarray(near, dtype=float)
    angle = np.linalg.norm(vectors, axis=-1, keepdims=True)
    axis = vectors / np.where(angle < 1e-9, 1.0, angle)
    # v + 2 pi k axis is nearest for the k that brings its component along the axis nearest.
    along = np.sum(near * axis, axis=-1, keepdims=True)
    turns = np.where(angle < 1e-9, 0.0, np.round((along - angle) / (2.0 * np.pi)))
    moved = vectors + 2.0 * np.pi * turns * axis
    return np.where(np.abs(angle + 2.0 * np.pi * turns) > FURTHEST, vectors, moved)


def servos(character: Character) -> Servos:
    """Which target drives which joint of a character; an error when a target drives none."""
    model = character.model
    balls: dict[int, list[int]] = {}
    hinges: list[tuple[int, int]] = []
    names = []
    for a in range(model.nu):
        joint = int(model.actuator_trnid[a, 0])
        kind = model.jnt_type[joint] if model.actuator_trntype[a] == mujoco.mjtTrn.mjTRN_JOINT else None
        if kind == mujoco.mjtJoint.mjJNT_BALL and np.count_nonzero(model.actuator_gear[a, :3]) == 1:
            balls.setdefault(joint, [-1, -1, -1])[int(np.argmax(model.actuator_gear[a, :3]))] = a
        elif kind == mujoco.mjtJoint.mjJNT_HINGE:
            hinges.append((a, int(model.jnt_qposadr[joint])))
        else:
            raise InputError(f"actuator '{model.actuator(a).name}' turns no single axis of a hinge or ball; load it with servos of ours.")
        names.append(model.body(int(model.jnt_bodyid[joint])).name)
    for joint, found in balls.items():
        if -1 in found:
            raise InputError(f"the ball joint '{model.joint(joint).name}' needs three actuators, along x, y and z.")
    return Servos(
        num=int(model.nu),
        names=tuple(names),
        ball_ctrl=np.array(list(balls.values()), dtype=np.int64).reshape(-1, 3),
        ball_qpos=np.array([model.jnt_qposadr[j] + np.arange(4) for j in balls], dtype=np.int64).reshape(-1, 4),
        hinge_ctrl=np.array([a for a, _ in hinges], dtype=np.int64),
        hinge_qpos=np.array([q for _, q in hinges], dtype=np.int64),
    )
