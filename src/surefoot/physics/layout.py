"""A simulation is one row of numbers: everything that the next step depends on.

    row = (time, qpos, qvel, act, history, qacc_warmstart, ctrl, qfrc_applied, xfrc_applied, eq_active, mocap, ...)

in the order of MuJoCo's `mjSTATE_INTEGRATION`. The solver's warm start is part of it, so a copied row continues bit for bit.
A simulation that diverged is a row of NaN, so nobody can take it for one that stands still.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot.errors import InputError

Array = NDArray[np.float64]

ALL = int(mujoco.mjtState.mjSTATE_INTEGRATION)


@dataclass(frozen=True, eq=False)
class Layout:
    """Where the parts of a row lie. Index the last axis of any array of rows with them: `rows[..., layout.qpos]`."""

    size: int
    """Length of a row."""
    time: int
    qpos: slice
    qvel: slice
    warmstart: slice
    ctrl: slice
    xfrc: slice
    """`xfrc_applied`, six numbers a body: force, torque [N, N m], in the world, at the body's centre of mass."""
    mocap_pos: slice
    mocap_quat: slice
    default: Array  # (size,)
    """The row of the model's default state."""

    def rows(self, qpos: object, qvel: object = None, ctrl: object = None, time: object = 0.0) -> Array:
        """Fresh rows (..., size) of poses (..., nq), velocities (..., nv) and targets (..., nu), without warm start."""
        position = np.asarray(qpos, dtype=float)
        rows = np.tile(self.default, (*position.shape[:-1], 1))
        for part, value in ((self.qpos, position), (self.qvel, qvel), (self.ctrl, ctrl)):
            if value is None:
                continue
            given = np.asarray(value, dtype=float)
            width = part.stop - part.start
            if given.shape[-1:] != (width,):
                name = "qpos" if part == self.qpos else "qvel" if part == self.qvel else "ctrl"
                raise InputError(f"{name} needs {width} numbers a row, got an array of shape {given.shape}.")
            rows[..., part] = given
        rows[..., self.time] = np.asarray(time, dtype=float)
        return rows


def layout(model: mujoco.MjModel) -> Layout:
    """Where the parts of a model's rows lie."""

    def part(bit: mujoco.mjtState) -> slice:
        start = mujoco.mj_stateSize(model, int(bit) - 1)  # all bits below it
        return slice(start, start + mujoco.mj_stateSize(model, int(bit)))

    size = mujoco.mj_stateSize(model, ALL)
    default = np.zeros(size)
    mujoco.mj_getState(model, mujoco.MjData(model), default, ALL)
    default.flags.writeable = False
    bits = mujoco.mjtState
    return Layout(
        size=size,
        time=part(bits.mjSTATE_TIME).start,
        qpos=part(bits.mjSTATE_QPOS),
        qvel=part(bits.mjSTATE_QVEL),
        warmstart=part(bits.mjSTATE_WARMSTART),
        ctrl=part(bits.mjSTATE_CTRL),
        xfrc=part(bits.mjSTATE_XFRC_APPLIED),
        mocap_pos=part(bits.mjSTATE_MOCAP_POS),
        mocap_quat=part(bits.mjSTATE_MOCAP_QUAT),
        default=default,
    )
