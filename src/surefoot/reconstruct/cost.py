"""What a sample costs: Simulation for Control, equations 3 to 7.

    E = w_p E_p + w_r E_r + w_e E_e + w_b E_b + w_c E_c + w_v E_v + w_L E_L + w_a E_a                                              (3)

    E_p = sum_i w_i (d_q(q_i, q~_i) + 0.1 d_v(q'_i, q~'_i)) / sum_i w_i          pose, w_i = 5 for spine and legs, 1 for the rest   (4)
    E_r = d_q(q_0, q~_0) + 0.1 d_v(q'_0, q~'_0)                                  root                                               (5)
    E_e = 1/k sum_i (h_i - h~_i)^2                                               heights of the end effectors                       (6)
    E_b = sum_i w_i |r_i - r~_i| / sum_i w_i + 0.1 |v - v~|                      balance: r_i from end effector i to the centre of
                                                                                 mass, w_i = 1 / (0.001 + h~_i)                     (7)
    E_c, E_v, E_L: distances of the centre of mass, its velocity and the angular momentum;  E_a: the length of the action

~ marks the reference. The weights are those of a person: lengths are measured in parts of 1.7 m of height, masses in parts of 62 kg,
times in those of a pendulum of that length, so that a mouse and a dinosaur are judged alike. An end effector is where its body's mass is.
All arrays follow the array API, N rows; sums run in a fixed order, so that a row's cost does not depend on the rows beside it.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot.character.character import Character
from surefoot.physics.features.algebra import array_namespace, norm
from surefoot.physics.features.anatomy import anatomy
from surefoot.physics.features.observation import Observation
from surefoot.reconstruct.actions import carrying

Array = NDArray[np.float64]

PERSON_HEIGHT, PERSON_MASS = 1.7, 62.0


@dataclass(frozen=True, kw_only=True)
class Weights:
    """Weights of the cost's terms; those of Simulation for Control."""

    pose: float = 4.0
    """w_p"""
    root: float = 4.0
    """w_r"""
    ends: float = 10.0
    """w_e"""
    balance: float = 1.0
    """w_b"""
    position: float = 3.0
    """w_c"""
    velocity: float = 0.1
    """w_v"""
    momentum: float = 0.03
    """w_L"""
    action: float = 0.05
    """w_a"""


TERMS = tuple(field.name for field in fields(Weights))


class Cost:
    """The cost of states of one character against a reference's."""

    def __init__(self, character: Character, weights: Weights | None = None) -> None:
        self.weights = weights or Weights()
        model, names = character.model, character.skeleton.names
        heavy = carrying(character)
        balls: list[tuple[int, int, float]] = []
        hinges: list[tuple[int, int, float]] = []
        for j in range(model.njnt):
            body = int(model.jnt_bodyid[j])
            if body not in character.body_ids or model.jnt_type[j] == mujoco.mjtJoint.mjJNT_FREE:
                continue
            weight = 5.0 if heavy[int(np.flatnonzero(character.body_ids == body)[0])] else 1.0
            found = balls if model.jnt_type[j] == mujoco.mjtJoint.mjJNT_BALL else hinges
            found.append((int(model.jnt_qposadr[j]), int(model.jnt_dofadr[j]), weight))
        self._balls, self._hinges = balls, hinges
        self._joint_weight = sum(w for _, _, w in (*balls, *hinges)) or 1.0
        ends = list(anatomy(character).ends)
        self._ends = ends or list(range(len(names)))
        self.length = character.height / PERSON_HEIGHT
        self.time = float(np.sqrt(self.length))
        self.mass = character.mass / PERSON_MASS

    def terms(
        self, qpos: Any, qvel: Any, seen: Observation, ref_qpos: Any, ref_qvel: Any, ref_seen: Observation, action: Any
    ) -> dict[str, Any]:
        """Every term (N,), unweighted. States of N rows; the reference's of N rows or one; actions (N, d)."""
        xp = array_namespace(qpos)
        slow = 0.1 * self.time
        pose = 0.0 * qpos[:, 0]
        for q, v, w in self._balls:
            turn = angle(qpos[:, q : q + 4], ref_qpos[:, q : q + 4])
            pose = pose + w * (turn + slow * norm(qvel[:, v : v + 3] - ref_qvel[:, v : v + 3]))
        for q, v, w in self._hinges:
            pose = pose + w * (xp.abs(qpos[:, q] - ref_qpos[:, q]) + slow * xp.abs(qvel[:, v] - ref_qvel[:, v]))
        ends, weights, apart = 0.0 * pose, 0.0 * pose, 0.0 * pose
        fall = norm(seen.com_velocity - ref_seen.com_velocity) * (self.time / self.length)
        for e in self._ends:
            place, want = seen.center[:, e, :], ref_seen.center[:, e, :]
            ends = ends + ((place[:, 2] - want[:, 2]) / self.length) ** 2
            height = want[:, 2] / self.length
            weight = 1.0 / (0.001 + xp.where(height > 0.0, height, 0.0 * height))
            lever = norm((seen.com - place) - (ref_seen.com - want)) / self.length
            weights, apart = weights + weight, apart + weight * lever
        momentum = self.length**2 / self.time * self.mass
        return {
            "pose": pose / self._joint_weight,
            "root": angle(qpos[:, 3:7], ref_qpos[:, 3:7]) + slow * norm(qvel[:, 3:6] - ref_qvel[:, 3:6]),
            "ends": ends / float(len(self._ends)),
            "balance": apart / weights + 0.1 * fall,
            "position": norm(seen.com - ref_seen.com) / self.length,
            "velocity": fall,
            "momentum": norm(seen.angular_momentum - ref_seen.angular_momentum) / momentum,
            "action": norm(action) if action.shape[-1] else 0.0 * pose,
        }

    def total(self, terms: dict[str, Any]) -> Any:
        """E (N,)"""
        out: Any = None
        for name in TERMS:
            part = getattr(self.weights, name) * terms[name]
            out = part if out is None else out + part
        return out


def angle(a: Any, b: Any) -> Any:
    """The angle (...) between rotations (..., 4) [rad], exact near zero."""
    xp = array_namespace(a)
    apart, other = norm(a - b), norm(a + b)
    least = 0.5 * xp.where(apart < other, apart, other)
    return 4.0 * xp.asin(xp.where(least < 1.0, least, 0.0 * least + 1.0))
