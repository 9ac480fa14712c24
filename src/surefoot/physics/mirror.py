"""Left for right: the mirror image of a state.

Let M be the reflection in the character's sagittal plane and R_j the rest rotation of body j. A pose turns body j by D_j = W_j R_j^T away
from rest; the mirrored pose turns its partner p by M D_j M. For what lives in body frames - rotation vectors of balls and hinges, angular
velocities, targets - this is one orthogonal matrix each,

    v_p = S v_j,        S = -R_p^T M R_j

with the minus of pseudo-vectors: tilt, angular velocity and momentum turn the other way. Velocities of the root and forces go through M.
For characters whose rest frames are aligned with the plane, S only swaps and flips signs, so that mirroring twice gives the same bits.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.character.character import Character
from surefoot.errors import InputError
from surefoot.motion import quaternion
from surefoot.physics.layout import Layout

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, kw_only=True)
class Mirror:
    """Linear maps of the parts of a character's state. Functions take any leading shape."""

    plane: Array  # (3, 3)
    """M"""
    velocity: Array  # (nv, nv)
    control: Array  # (nu, nu)
    root: Array  # (4, 4)
    """Of the root's quaternion."""
    balls: tuple[tuple[int, int, Array], ...]
    """Addresses in qpos of a ball and of its partner, and S."""
    hinges: tuple[tuple[int, int, float], ...]
    """The same of hinges, and the sign."""
    layout: Layout
    bodies: NDArray[np.int64]  # (nbody,)
    """MuJoCo's index of every body's partner."""
    turns: tuple[Array, ...]
    """S of every body of the skeleton."""
    partners: tuple[int, ...]
    """Of every body of the skeleton."""

    def qpos(self, poses: ArrayLike) -> Array:
        """Mirrored poses (..., nq)."""
        poses = np.asarray(poses, dtype=float)
        out = np.array(poses)
        out[..., :3] = _apply(self.plane, poses[..., :3])
        out[..., 3:7] = _apply(self.root, poses[..., 3:7])
        for start, end, turn in self.balls:
            out[..., end] = poses[..., start]
            out[..., end + 1 : end + 4] = _apply(turn, poses[..., start + 1 : start + 4])
        for start, end, sign in self.hinges:
            out[..., end] = sign * poses[..., start]
        return out

    def qvel(self, velocities: ArrayLike) -> Array:
        """Mirrored velocities or accelerations (..., nv)."""
        return _apply(self.velocity, np.asarray(velocities, dtype=float))

    def ctrl(self, targets: ArrayLike) -> Array:
        """Mirrored targets or offsets (..., nu)."""
        return _apply(self.control, np.asarray(targets, dtype=float))

    def joints(self, vectors: ArrayLike) -> Array:
        """Mirrored rotation vectors (..., B - 1, 3) of all bodies but the root against their parents (see `features.joint_rotations`)."""
        vectors = np.asarray(vectors, dtype=float)
        out = np.empty_like(vectors)
        for j in range(1, len(self.turns)):
            out[..., self.partners[j] - 1, :] = _apply(self.turns[j], vectors[..., j - 1, :])
        return out

    def rows(self, rows: ArrayLike) -> Array:
        """Mirrored states (..., S), warm start and applied forces included."""
        rows = np.asarray(rows, dtype=float)
        parts, out = self.layout, np.array(rows)
        out[..., parts.qpos] = self.qpos(rows[..., parts.qpos])
        for part in (parts.qvel, parts.warmstart):
            out[..., part] = self.qvel(rows[..., part])
        out[..., parts.ctrl] = self.ctrl(rows[..., parts.ctrl])
        forces = rows[..., parts.xfrc].reshape(*rows.shape[:-1], -1, 6)[..., self.bodies, :]
        both = np.concatenate([_apply(self.plane, forces[..., :3]), -_apply(self.plane, forces[..., 3:])], axis=-1)
        out[..., parts.xfrc] = both.reshape(*rows.shape[:-1], -1)
        return out


def mirror(character: Character, layout: Layout) -> Mirror:
    """How a character's states are mirrored. `layout` is its model's; scenes with props have no mirror."""
    model, skeleton = character.model, character.skeleton
    if layout.qpos.stop - layout.qpos.start != model.nq:
        raise InputError("only a character alone can be mirrored, not a scene with props.")
    rest = quaternion.to_matrix(skeleton.rest[1])
    across = quaternion.rotate(skeleton.rest[1][0], np.cross(character.up, character.forward))
    across = across / np.linalg.norm(across)
    plane = _clean(np.eye(3) - 2.0 * np.outer(across, across))
    partner = {j: skeleton.names.index(character.partners.get(name, name)) for j, name in enumerate(skeleton.names)}
    turns = {j: _clean(-rest[p].T @ plane @ rest[j]) for j, p in partner.items()}

    velocity, control = np.zeros((model.nv, model.nv)), np.zeros((model.nu, model.nu))
    velocity[:3, :3], velocity[3:6, 3:6] = plane, turns[0]
    driven: dict[int, list[int]] = {}
    for a in range(model.nu):
        driven.setdefault(int(model.actuator_trnid[a, 0]), []).append(a)
    balls: list[tuple[int, int, Array]] = []
    hinges: list[tuple[int, int, float]] = []
    for j in range(1, len(skeleton.names)):
        here, there = _joints(model, character.body_ids[j]), _joints(model, character.body_ids[partner[j]])
        if [model.jnt_type[i] for i in here] != [model.jnt_type[i] for i in there]:
            raise InputError(f"'{skeleton.names[j]}' and its partner '{skeleton.names[partner[j]]}' have different joints: no mirror.")
        for a, b in zip(here, there, strict=True):
            start, end = int(model.jnt_qposadr[a]), int(model.jnt_qposadr[b])
            dof, other = int(model.jnt_dofadr[a]), int(model.jnt_dofadr[b])
            if model.jnt_type[a] == mujoco.mjtJoint.mjJNT_BALL:
                turn = turns[j]
                balls.append((start, end, turn))
                velocity[other : other + 3, dof : dof + 3] = turn
            else:
                along = float(model.jnt_axis[b] @ turns[j] @ model.jnt_axis[a])
                if abs(abs(along) - 1.0) > 1e-6:
                    raise InputError(f"the hinge axes of '{skeleton.names[j]}' and its partner are no mirror images.")
                turn = np.array([[np.sign(along)]])
                hinges.append((start, end, float(turn[0, 0])))
                velocity[other, dof] = turn[0, 0]
            if driven.get(a):
                control[np.ix_(driven[b], driven[a])] = turn
    bodies = np.arange(model.nbody)
    bodies[character.body_ids] = character.body_ids[[partner[j] for j in range(len(partner))]]
    return Mirror(
        plane=plane,
        velocity=velocity,
        control=control,
        root=_root_map(plane, turns[0]),
        balls=tuple(balls),
        hinges=tuple(hinges),
        layout=layout,
        bodies=bodies,
        turns=tuple(turns[j] for j in range(len(turns))),
        partners=tuple(partner[j] for j in range(len(partner))),
    )


def _root_map(plane: Array, turn: Array) -> Array:
    """The matrix (4, 4) that takes the root's quaternion to that of the rotation (-M) W S^T, both factors proper rotations."""
    left, right = quaternion.from_matrix(-plane), quaternion.conjugate(quaternion.from_matrix(turn))
    columns = [quaternion.multiply(quaternion.multiply(left, unit), right) for unit in np.eye(4)]
    root = _clean(np.stack(columns, axis=-1))
    return root if root[0, 0] >= 0.0 else -root


def _joints(model: mujoco.MjModel, body: int) -> list[int]:
    first = int(model.body_jntadr[body])
    return list(range(first, first + int(model.body_jntnum[body])))


def _clean(matrix: Array) -> Array:
    """Without the rounding errors of entries that mean 0 or 1."""
    near = np.round(matrix)
    return np.where(np.abs(matrix - near) < 1e-9, near, matrix) + 0.0


def _apply(matrix: Array, vectors: Array) -> Array:
    """matrix (n, n) times vectors (..., n), with bits that do not depend on how many there are."""
    return np.asarray(np.einsum("ij,...j->...i", matrix, vectors))
