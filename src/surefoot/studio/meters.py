"""What is measured of a performance at the moments that are kept of it.

    error      how far joints are from the reference's, root-relative, and the root's height [mm]
    terms      the terms of the cost, weighted as a reconstruction weighs them          (Simulation for Control, equations 3 to 7)
    torque     of every servo [N m]
    contact    forces from outside on each foot, and on the rest of the body [N]
    offset     how far every servo's target is turned from the reference's, which is read the character's lead ahead [rad]

M moments, nu servos. Everything follows from the world's rows, so that the past can be measured when somebody asks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot.motion import quaternion
from surefoot.physics.batch import BatchEngine
from surefoot.physics.features import anatomy
from surefoot.physics.layout import ALL, Layout
from surefoot.physics.servos import nearest, servos
from surefoot.reconstruct.cost import TERMS, Cost
from surefoot.studio.show import Show
from surefoot.studio.world import Frame

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, kw_only=True)
class Reading:
    """One moment measured."""

    error: Array  # (2,)
    terms: Array  # (8,)
    torque: Array  # (nu,)
    contact: Array  # (feet + 1,)
    offset: Array  # (nu,)


class Meters:
    """Measures frames of one show in the world's model, each once."""

    def __init__(self, show: Show, model: mujoco.MjModel, layout: Layout) -> None:
        character = show.character
        self._show = show
        self._model, self._data, self._layout = model, mujoco.MjData(model), layout
        self._engine = BatchEngine(character, 1, 1)
        self._servos = servos(character)
        self._cost = Cost(character)
        self._known: WeakKeyDictionary[Frame, Reading] = WeakKeyDictionary()
        feet = anatomy(character).feet
        self.feet = tuple(foot.name for foot in feet)
        self._part = np.full(model.nbody, -1)
        self._part[character.body_ids] = len(feet)
        for k, foot in enumerate(feet):
            self._part[character.body_ids[list(foot.bodies)]] = k

    def read(self, frames: Sequence[Frame]) -> dict[str, Array]:
        """Measurements of M frames by name (M, ...), and their times (M,); frames without a reference are left out."""
        frames = [frame for frame in frames if frame.ghost is not None and np.isfinite(frame.row).all()]
        new = [frame for frame in frames if frame not in self._known]
        if new:
            for frame, reading in zip(new, self._measure(new), strict=True):
                self._known[frame] = reading
        readings = [self._known[frame] for frame in frames]
        out = {name: np.array([getattr(reading, name) for reading in readings]) for name in Reading.__dataclass_fields__}
        return {"time": np.array([frame.time for frame in frames]), **out}

    def _measure(self, frames: list[Frame]) -> list[Reading]:
        body, layout = self._show.character.model, self._layout
        forces = [self._forces(frame) for frame in frames]
        whole = np.array([frame.row for frame in frames])
        sizes = ((layout.qpos, body.nq), (layout.qvel, body.nv), (layout.ctrl, body.nu))
        qpos, qvel, ctrl = (whole[:, part.start : part.start + n] for part, n in sizes)  # props come after the character
        wanted = np.array([frame.ghost for frame in frames])
        speed = self._speed(frames, wanted)
        seen = self._engine.observe(self._engine.rows(qpos, qvel))
        aimed = self._engine.observe(self._engine.rows(wanted, speed))
        apart = (seen.position - seen.position[:, :1]) - (aimed.position - aimed.position[:, :1])
        joints = np.linalg.norm(apart, axis=-1).mean(axis=-1)
        height = np.abs(seen.position[:, 0, 2] - aimed.position[:, 0, 2])
        offset = self._offsets(frames, ctrl)
        terms = self._cost.terms(qpos, qvel, seen, wanted, speed, aimed, offset)
        weighed = np.stack([getattr(self._cost.weights, name) * np.asarray(terms[name]) for name in TERMS], axis=-1)
        return [
            Reading(
                error=1e3 * np.array([joints[m], height[m]]), terms=weighed[m], torque=forces[m][0], contact=forces[m][1], offset=offset[m]
            )
            for m in range(len(frames))
        ]

    def _speed(self, frames: list[Frame], wanted: Array) -> Array:
        """Velocities (M, nv) of the reference where the ghost stands, which may be turned about z."""
        times = np.array([frame.place for frame in frames])
        out = self._show.reference.velocity_at(times)
        plain = self._show.reference.at(times)
        turn = quaternion.multiply(wanted[:, 3:7], quaternion.conjugate(plain[:, 3:7]))
        out[:, :3] = quaternion.rotate(turn, out[:, :3])
        return out

    def _forces(self, frame: Frame) -> tuple[Array, Array]:
        """Torques (nu,) and contact forces (feet + 1,)."""
        model, data = self._model, self._data
        mujoco.mj_setState(model, data, frame.row, ALL)
        mujoco.mj_forward(model, data)
        felt, force = np.zeros((len(self.feet) + 1, 3)), np.zeros(6)
        for k in range(data.ncon):
            contact = data.contact[k]
            mujoco.mj_contactForce(model, data, k, force)
            world = np.asarray(contact.frame).reshape(3, 3).T @ force[:3]
            for geom, sign in zip(contact.geom, (-1.0, 1.0), strict=True):
                part = self._part[model.geom_bodyid[geom]]
                other = self._part[model.geom_bodyid[contact.geom[0] if sign > 0.0 else contact.geom[1]]]
                if part >= 0 and other < 0:
                    felt[part] += sign * world
        return np.array(data.actuator_force[: self._servos.num]), np.linalg.norm(felt, axis=-1)

    def _offsets(self, frames: list[Frame], ctrl: Array) -> Array:
        """Turns (M, nu) of the targets against the reference's own."""
        drive = self._servos
        ahead = np.array([frame.place for frame in frames]) + self._show.character.lead
        plain = np.array([drive.ctrl(pose) for pose in self._show.reference.at(ahead)])
        out = ctrl - plain
        balls = drive.ball_ctrl
        turn = quaternion.multiply(quaternion.exp(ctrl[:, balls]), quaternion.conjugate(quaternion.exp(plain[:, balls])))
        out[:, balls] = nearest(quaternion.log(turn), np.zeros((*turn.shape[:-1], 3)))
        return np.asarray(out)
