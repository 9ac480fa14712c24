"""Derived quantities of states: where every body is, how it moves, and the whole body's momentum.

After a step MuJoCo's derived fields still describe the state before the last substep. The `Observer` computes them at the state itself, on
a batch of its own whose model has contacts and forces switched off (they do not matter to these fields): about 1 % of the cost of the
0.1 s that lead there. Whatever array library holds the rows' numbers, an `Observation` is plain arrays and the features are written against
the array API.
N rows, B bodies of the character, its root first. Metres, seconds, world frame.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import mujoco
import numpy as np
from mujoco.batch import Batch
from numpy.typing import NDArray

from surefoot.physics.features import algebra
from surefoot.physics.layout import Layout

Array = NDArray[np.float64]

SENSORS = {"com velocity": mujoco.mjtSensor.mjSENS_SUBTREELINVEL, "angular momentum": mujoco.mjtSensor.mjSENS_SUBTREEANGMOM}
"""Sensors of the root's whole subtree that an observed model needs."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Observation:
    """What the features are made of. Arrays have any leading shape, written N."""

    position: Any  # (N, B, 3)
    """Origins of the bodies' frames."""
    rotation: Any  # (N, B, 4)
    center: Any  # (N, B, 3)
    """The bodies' own centres of mass."""
    com: Any  # (N, 3)
    """Centre of mass of the whole character."""
    com_velocity: Any  # (N, 3)
    angular_momentum: Any  # (N, 3)
    """About the centre of mass [kg m^2 / s]."""
    twist: Any  # (N, B, 6)
    """Angular velocity of each body, and the velocity of its material at the whole character's centre of mass."""

    @cached_property
    def angular_velocity(self) -> Any:  # (N, B, 3)
        """[rad / s]"""
        return self.twist[..., :3]

    @cached_property
    def velocity(self) -> Any:  # (N, B, 3)
        """Of the origins of the bodies' frames [m / s]."""
        return self.twist[..., 3:] + algebra.cross(self.twist[..., :3], self.position - self.com[..., None, :])

    def __getitem__(self, index: Any) -> Observation:
        """The same for some of the rows (an index along the first axis)."""
        return Observation(**{name: getattr(self, name)[index] for name in FIELDS})


FIELDS = tuple(Observation.__dataclass_fields__)


class Observer:
    """Computes observations of rows, many at a time."""

    def __init__(self, batch: Batch, layout: Layout, num_bodies: int) -> None:
        """`batch` runs a model `without_forces`."""
        self.batch = batch
        self.layout = layout
        self._moving = (slice(layout.qpos.start, layout.qvel.stop), slice(layout.mocap_pos.start, layout.mocap_quat.stop))
        bodies = slice(1, 1 + num_bodies)
        self._live = {
            "position": batch.bind("xpos")[:, bodies],
            "rotation": batch.bind("xquat")[:, bodies],
            "center": batch.bind("xipos")[:, bodies],
            "com": batch.bind("subtree_com")[:, 1],
            "com_velocity": batch.sensor("com velocity").data,
            "angular_momentum": batch.sensor("angular momentum").data,
            "twist": batch.bind("cvel")[:, bodies],
        }

    def __call__(self, rows: Array) -> Observation:
        """Observations of rows (M, S), M at most the width; row i is seen with simulation i's own model. NaN rows give NaN."""
        num = len(rows)
        state = self.batch.state
        for part in self._moving:
            if part.stop > part.start:
                state[:num, part] = rows[:, part]
        finite = np.isfinite(rows[:, self.layout.time])
        everyone = bool(finite.all())
        ids = None if everyone and num == self.batch.nsim else np.flatnonzero(finite)
        self.batch.forward(ids, stage=mujoco.mjtStage.mjSTAGE_VEL.value)
        out = {name: np.array(live[:num]) for name, live in self._live.items()}
        if not everyone:
            for array in out.values():
                array[~finite] = np.nan
        return Observation(**out)


def without_forces(model: mujoco.MjModel) -> mujoco.MjModel:
    """A copy of a model with contacts and forces switched off: where bodies are and how they move does not depend on them."""
    still = copy.copy(model)
    off = mujoco.mjtDisableBit
    for bit in (off.mjDSBL_CONTACT, off.mjDSBL_CONSTRAINT, off.mjDSBL_ACTUATION, off.mjDSBL_SPRING, off.mjDSBL_DAMPER):
        still.opt.disableflags |= int(bit)
    return still


def add_sensors(spec: mujoco.MjSpec, root: str) -> None:
    """Give a model the sensors that observations need, where it lacks them."""
    have = {sensor.name for sensor in spec.sensors}
    for name, kind in SENSORS.items():
        if name not in have:
            spec.add_sensor(name=name, type=kind, objtype=mujoco.mjtObj.mjOBJ_BODY, objname=root)
