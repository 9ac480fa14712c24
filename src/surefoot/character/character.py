"""A character: a compiled MuJoCo model with servos, and the skeleton that its bodies form.

Its poses are `qpos` rows (nq). A motion on the character's own skeleton and an array of `qpos` are two ways to say the same:

    character.motion(character.qpos(motion), frame_time) == motion        (as far as hinges and fixed bones allow)

The model may come from the rig, from our own list, or from anybody's MJCF with a free root and limited joints.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot.character import mjcf
from surefoot.character.blueprint import Blueprint
from surefoot.errors import InputError, unknown_name
from surefoot.motion import quaternion
from surefoot.motion.motion import Motion
from surefoot.motion.skeleton import Skeleton, Tip

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, kw_only=True)
class Character:
    """A compiled model with servos, and what is known about its body."""

    name: str
    xml: str
    """The whole character as MJCF."""
    model: mujoco.MjModel
    skeleton: Skeleton
    """One joint a body, with the body's name and frame; the rest pose is `qpos0`."""
    forward: Array  # (3,)
    """Facing direction in the root body's frame."""
    up: Array  # (3,)
    """Up in the root body's frame."""
    feet: tuple[str, ...] = ()
    """Bodies that it stands on."""
    end_effectors: tuple[str, ...] = ()
    partners: dict[str, str] = field(default_factory=dict)
    """Mirror partner of each body, itself when central."""
    lead: float = 0.05
    """Seconds by which servo targets are read ahead."""
    height: float = 1.7
    """[m]"""
    report: tuple[str, ...] = ()
    """What was guessed, merged or left out, line by line."""
    source: dict[str, Any] = field(default_factory=dict)

    @staticmethod
    def from_blueprint(blueprint: Blueprint) -> Character:
        """Compile a blueprint."""
        return Character.from_xml(mjcf.write(blueprint))

    @staticmethod
    def from_xml(xml: str) -> Character:
        """A character from MJCF that we wrote (it carries our facts); see `load` for anybody's."""
        try:
            model = mujoco.MjModel.from_xml_string(xml)
        except ValueError as error:
            raise InputError(f"MuJoCo cannot compile the character: {error}") from None
        known = read_facts(model)
        if known is None:
            raise InputError("this MJCF holds no facts of ours; load it with surefoot.load_character.")
        return from_model(xml, model, known)

    @property
    def mass(self) -> float:
        """[kg]"""
        return float(self.model.body_subtreemass[1])

    @property
    def timestep(self) -> float:
        """[s]"""
        return float(self.model.opt.timestep)

    def body(self, name: str) -> int:
        """MuJoCo's index of the body of that name."""
        if name not in self.skeleton.names:
            raise unknown_name("body", name, self.skeleton.names)
        return int(self.model.body(name).id)

    @cached_property
    def body_ids(self) -> NDArray[np.int64]:
        """MuJoCo's body index of every skeleton joint (J,)."""
        return np.array([self.model.body(name).id for name in self.skeleton.names])

    def qpos(self, motion: Motion) -> Array:
        """Poses (T, nq) that give every body the world rotation its joint has in `motion`, and the root its position.

        Joints of the motion are found by name; bodies whose joint the motion lacks keep their rest rotation.
        """
        names = motion.skeleton.names
        columns = [names.index(name) if name in names else -1 for name in self.skeleton.names]
        if columns[0] < 0:
            raise unknown_name("joint", self.skeleton.names[0], names)
        world = np.empty((motion.num_frames, len(columns), 4))
        for j, (column, parent) in enumerate(zip(columns, self.skeleton.parents, strict=True)):
            if column >= 0:
                world[:, j] = motion.joint_rotations[:, column]
            else:
                world[:, j] = quaternion.multiply(world[:, parent], self.skeleton.rotations[j])
        return self.pose(motion.joint_positions[:, columns[0]], world)

    def pose(self, root: Array, world: Array) -> Array:
        """`qpos` (T, nq) from root positions (T, 3) and world rotations of all bodies (T, J, 4), as near as the joints allow."""
        model = self.model
        out = np.tile(model.qpos0, (len(root), 1))
        actual = np.array(world)
        for j, body in enumerate(self.body_ids):
            parent = self.skeleton.parents[j]
            first, count = model.body_jntadr[body], model.body_jntnum[body]
            if parent < 0:
                adr = model.jnt_qposadr[first]
                out[:, adr : adr + 3] = root
                out[:, adr + 3 : adr + 7] = quaternion.continuous(world[:, j])
                continue
            rest = quaternion.multiply(actual[:, parent], self.skeleton.rotations[j])
            local = quaternion.multiply(quaternion.conjugate(rest), world[:, j])
            if count == 1 and model.jnt_type[first] == mujoco.mjtJoint.mjJNT_BALL:
                adr = model.jnt_qposadr[first]
                out[:, adr : adr + 4] = quaternion.continuous(local)
            elif count:
                axes = model.jnt_axis[first : first + count]
                angles = hinge_angles(axes, local)
                adr = model.jnt_qposadr[first]
                out[:, adr : adr + count] = model.qpos0[adr : adr + count] + angles
                local = _compose(axes, angles)
                actual[:, j] = quaternion.multiply(rest, local)
            else:
                actual[:, j] = rest
        return out

    def world(self, qpos: Array) -> tuple[Array, Array]:
        """World positions (T, J, 3) and rotations (T, J, 4) of all bodies in the poses `qpos` (T, nq)."""
        model = self.model
        qpos = np.atleast_2d(qpos)
        frames = len(qpos)
        rotations = np.broadcast_to(self.skeleton.rotations, (frames, *self.skeleton.rotations.shape)).copy()
        translations = np.broadcast_to(self.skeleton.translations, (frames, *self.skeleton.translations.shape)).copy()
        for j, body in enumerate(self.body_ids):
            first, count = model.body_jntadr[body], model.body_jntnum[body]
            adr = model.jnt_qposadr[first] if count else 0
            if self.skeleton.parents[j] < 0:
                translations[:, j], rotations[:, j] = qpos[:, adr : adr + 3], qpos[:, adr + 3 : adr + 7]
            elif count and model.jnt_type[first] == mujoco.mjtJoint.mjJNT_BALL:
                rotations[:, j] = quaternion.multiply(self.skeleton.rotations[j], qpos[:, adr : adr + 4])
            elif count:
                axes = model.jnt_axis[first : first + count]
                local = _compose(axes, qpos[:, adr : adr + count] - model.qpos0[adr : adr + count])
                anchor = model.jnt_pos[first]
                shift = anchor - quaternion.rotate(local, anchor)  # a hinge away from its body's origin moves it
                translations[:, j] += quaternion.rotate(self.skeleton.rotations[j], shift)
                rotations[:, j] = quaternion.multiply(self.skeleton.rotations[j], local)
        return self.skeleton.forward(translations, rotations)

    def motion(self, qpos: Array, frame_time: float, **fields: Any) -> Motion:
        """The poses `qpos` (T, nq) as a motion on the character's own skeleton."""
        positions, rotations = self.world(qpos)
        return Motion.from_world(self.skeleton, positions, rotations, frame_time, **fields)


def read_facts(model: mujoco.MjModel) -> dict[str, Any] | None:
    """The facts that our MJCF carries, or None when there are none."""
    for i in range(model.ntext):
        if mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_TEXT, i) == mjcf.FACTS:
            start, size = model.text_adr[i], model.text_size[i]
            raw = bytes(model.text_data[start : start + size - 1])
            try:
                known = json.loads(raw)
            except (ValueError, RecursionError):
                raise InputError("the character's own facts are damaged: not JSON.") from None
            if not isinstance(known, dict) or not isinstance(known.get("schema"), int):
                raise InputError("the character's own facts are damaged: no schema number.")
            if known["schema"] > mjcf.SCHEMA:
                raise InputError(f"the character was written by a newer surefoot (schema {known['schema']}, this one reads {mjcf.SCHEMA}).")
            return known
    return None


def from_model(xml: str, model: mujoco.MjModel, known: dict[str, Any]) -> Character:
    """A character from its compiled model and its facts."""
    skeleton = skeleton_of(model, known.get("tips", ()))
    try:
        return Character(
            name=_model_name(model),
            xml=xml,
            model=model,
            skeleton=skeleton,
            forward=np.array(known["forward"], dtype=float).reshape(3),
            up=np.array(known["up"], dtype=float).reshape(3),
            feet=tuple(str(n) for n in known["feet"] if n in skeleton.names),
            end_effectors=tuple(str(n) for n in known["end_effectors"] if n in skeleton.names),
            partners={str(a): str(b) for a, b in known["partners"].items() if a in skeleton.names and b in skeleton.names},
            lead=float(known["lead_s"]),
            height=float(known["height_m"]),
            report=tuple(str(line) for line in known.get("report", ())),
            source=dict(known.get("source", {})),
        )
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise InputError(f"the character's own facts are damaged: {error}.") from None


def skeleton_of(model: mujoco.MjModel, tips: Any = ()) -> Skeleton:
    """The skeleton that a model's first free-floating tree of bodies forms in its rest pose."""
    root = 1
    bodies = [b for b in range(1, model.nbody) if model.body_rootid[b] == model.body_rootid[root]]
    index = {b: j for j, b in enumerate(bodies)}
    names = tuple(model.body(b).name for b in bodies)
    parents = np.array([index.get(int(model.body_parentid[b]), -1) for b in bodies])
    translations, rotations = model.body_pos[bodies].copy(), quaternion.normalize(model.body_quat[bodies])
    ends: list[Tip] = []
    try:
        for name, offset in tips:
            if name in names:
                ends.append(Tip(joint=names.index(name), offset=np.array(offset, dtype=float).reshape(3)))
    except (TypeError, ValueError, OverflowError):
        raise InputError("the character's own facts are damaged: tips are pairs of a body and a point.") from None
    return Skeleton(names, parents, translations, rotations, tuple(ends))


def hinge_angles(axes: Array, local: Array) -> Array:
    """Angles (T, n) of n hinges in a row on one body whose product comes nearest to the rotations `local` (T, 4)."""
    if len(axes) == 1:
        return _signed_twist(local, axes[0])[:, None]
    angles = np.zeros((len(local), len(axes)))
    for _ in range(12):  # Gauss-Newton on the rotation error; frames are independent
        prefix = np.broadcast_to(quaternion.IDENTITY, local.shape)
        columns = []
        for i, axis in enumerate(axes):
            columns.append(quaternion.rotate(prefix, axis))
            prefix = quaternion.multiply(prefix, quaternion.about(axis, angles[:, i]))
        error = quaternion.log(quaternion.multiply(local, quaternion.conjugate(prefix)))
        if np.abs(error).max() < 1e-10:
            break
        jacobian = np.stack(columns, axis=-1)
        damped = np.swapaxes(jacobian, -1, -2) @ jacobian + 1e-8 * np.eye(len(axes))
        angles += np.linalg.solve(damped, np.swapaxes(jacobian, -1, -2) @ error[..., None])[..., 0]
    return np.asarray(np.unwrap(angles, axis=0))


def _signed_twist(local: Array, axis: Array) -> Array:
    _, twist = quaternion.swing_twist(local, axis)
    angles = np.unwrap(2.0 * np.arctan2(np.sum(twist[:, 1:] * axis, axis=-1), twist[:, 0]), period=2 * np.pi)
    return np.asarray(angles - 2.0 * np.pi * np.round(angles[:1] / (2.0 * np.pi)))  # begun within half a turn of the rest pose


def _compose(axes: Array, angles: Array) -> Array:
    out = np.broadcast_to(quaternion.IDENTITY, (len(angles), 4))
    for i, axis in enumerate(axes):
        out = quaternion.multiply(out, quaternion.about(axis, angles[:, i]))
    return np.array(out)


def _model_name(model: mujoco.MjModel) -> str:
    return bytes(model.names).split(b"\0", 1)[0].decode("utf-8", "replace") or "character"
