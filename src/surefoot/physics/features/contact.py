"""What the ground does to the body: forces, and the centre of pressure.

Contact forces depend on the servos and on what happened before (the solver's warm start), all of which a row holds, so they are a function
of the row: those that the next substep will begin with. They need MuJoCo's whole forward pass, about the price of one more substep,
and are therefore computed only when asked for. Contacts with the world and with props count; the body touching itself does not.

The centre of pressure of a wrench (F, M about the point p) is where its horizontal moment vanishes, at the height of p:

    x = p_x - M_y / F_z,        y = p_y + M_x / F_z
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from mujoco.batch import Batch
from numpy.typing import NDArray

from surefoot.physics.features import algebra
from surefoot.physics.features.anatomy import Anatomy
from surefoot.physics.layout import Layout

Array = NDArray[np.float64]

_DATA = sum(
    1 << int(kind)
    for kind in (
        mujoco.mjtConDataField.mjCONDATA_FOUND,
        mujoco.mjtConDataField.mjCONDATA_FORCE,
        mujoco.mjtConDataField.mjCONDATA_TORQUE,
        mujoco.mjtConDataField.mjCONDATA_POS,
    )
)
_NET_FORCE = 3
"""reduce="netforce": all contacts as one, at the centroid of their forces."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Contacts:
    """What acts on each body from outside the character."""

    force: Any  # (N, B, 3)
    """[N], world frame."""
    moment: Any  # (N, B, 3)
    """About the origin of the world [N m]."""
    point: Any  # (N, B, 3)
    """Centroid of the contact points [m]; zero for a body that touches nothing."""
    touches: Any  # (N, B)
    """Whether there is any contact."""


class ContactObserver:
    """Computes contacts of rows, many at a time."""

    def __init__(self, batch: Batch, layout: Layout, num_bodies: int) -> None:
        """`batch` runs a model with the sensors of `add_contact_sensors`."""
        self.batch = batch
        self.layout = layout
        self._read = batch.bind("sensordata")
        self._shape = (self._read.shape[1] // (10 * num_bodies), num_bodies, 10)

    def __call__(self, rows: Array) -> Contacts:
        """Contacts of rows (M, S), M at most the width. NaN rows give NaN."""
        num = len(rows)
        self.batch.state[:num] = rows
        finite = np.isfinite(rows[:, self.layout.time])
        self.batch.forward(np.flatnonzero(finite))
        read = self._read[:num].reshape(num, *self._shape)
        found = read[..., 0] > 0.0
        # The sensor's normal points from the body outwards: its force acts on the other one.
        force, torque, point = -read[..., 1:4], -read[..., 4:7], read[..., 7:10]
        moment = torque + algebra.cross(point, force)
        weight = algebra.norm(force)[..., None]
        total = weight.sum(axis=1)
        middle = (weight * point).sum(axis=1) / np.where(total == 0.0, 1.0, total)
        out = [force.sum(axis=1), moment.sum(axis=1), middle]
        for array in out:
            array[~finite] = np.nan
        return Contacts(force=out[0], moment=out[1], point=out[2], touches=found.any(axis=1) & finite[:, None])


def add_contact_sensors(spec: mujoco.MjSpec, bodies: Sequence[str]) -> None:
    """Replace a model's sensors by one for every body of the character and everything it may touch: the world, and each prop."""
    for sensor in list(spec.sensors):
        spec.delete(sensor)
    others = ["world", *[body.name for body in spec.worldbody.bodies if body.name != bodies[0]]]
    for other in others:
        for body in bodies:
            spec.add_sensor(
                type=mujoco.mjtSensor.mjSENS_CONTACT,
                objtype=mujoco.mjtObj.mjOBJ_BODY,
                objname=body,
                reftype=mujoco.mjtObj.mjOBJ_BODY,
                refname=other,
                intprm=[_DATA, _NET_FORCE, 1],
            )


def foot_forces(contacts: Contacts, body: Anatomy) -> Any:
    """Ground reaction forces (..., F, 3) of the feet [N], world frame."""
    xp = algebra.array_namespace(contacts.force)
    return xp.stack([_over(contacts.force, foot.bodies) for foot in body.feet], axis=-2)


def center_of_pressure(contacts: Contacts, body: Anatomy, foot: int | None = None) -> Any:
    """Centre of pressure (..., 3) of one foot or of all feet together [m], world frame; NaN where nothing presses on the ground."""
    xp = algebra.array_namespace(contacts.force)
    joints = [j for i, part in enumerate(body.feet) for j in part.bodies if foot is None or i == foot]
    force, moment = _over(contacts.force, joints), _over(contacts.moment, joints)
    up = force[..., 2]
    presses = up > 1e-9
    safe = xp.where(presses, up, 1.0)
    nothing = xp.where(presses, xp.zeros_like(up), xp.nan)
    share = xp.stack([contacts.force[..., j, 2] for j in joints], axis=-1)
    heights = xp.stack([contacts.point[..., j, 2] for j in joints], axis=-1)
    z = _over((share * heights)[..., None], range(len(joints)))[..., 0] / safe
    # About the point (0, 0, z) the moment is M - (0, 0, z) x F.
    mx, my = moment[..., 0] + z * force[..., 1], moment[..., 1] - z * force[..., 0]
    return xp.stack([-my / safe + nothing, mx / safe + nothing, z + nothing], axis=-1)


def _over(values: Any, joints: Sequence[int]) -> Any:
    """The sum over some bodies of (..., B, n), in order."""
    total = values[..., joints[0], :]
    for joint in joints[1:]:
        total = total + values[..., joint, :]
    return total
