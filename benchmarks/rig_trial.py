"""What a rigged character must be able to do, measured: replay its clip, stand, hold its pose, fall in peace.

Lengths are scaled to a body of 1.7 m, speeds by the square root of that (Froude), so that a mouse and a mammoth are judged alike.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot.character.character import Character
from surefoot.character.rig import Rigged
from surefoot.export import source_joints
from surefoot.motion import quaternion
from surefoot.motion.motion import Motion

Array = NDArray[np.float64]
HUMAN = 1.7
SECONDS = 10.0


@dataclass(frozen=True, kw_only=True)
class Trial:
    """What was measured on one character."""

    replay_mm: float
    """Largest distance of a body's joint from the source's, bones held at one length, over the clip (scaled)."""
    self_contacts: int
    """Contacts between bodies in the rest pose."""
    rest_gap_mm: float
    """Lowest point of the rest pose above the ground (scaled)."""
    first_gap_mm: float
    """Lowest point of the first frame above the ground (scaled)."""
    held_deg: float
    """Largest turn of a joint away from its pose in 10 s with the root held, in the rest pose and in the first frame's."""
    speed: float
    """Fastest body in 10 s let go from the rest pose (scaled) [m/s]."""
    finite: bool
    warnings: int
    stands_s: float
    """How long the root stays within a quarter of its height, targets at rest [s]."""


def try_out(rigged: Rigged, seconds: float = SECONDS) -> Trial:
    """Measure one character."""
    character = rigged.character
    scale = HUMAN / character.height
    data = mujoco.MjData(character.model)
    mujoco.mj_forward(character.model, data)
    contacts = sum(
        1 for c in data.contact if min(character.model.geom_bodyid[c.geom1], character.model.geom_bodyid[c.geom2]) > 0 and c.dist < 0
    )
    held = max(held_deviation(character, pose, seconds) for pose in (character.model.qpos0, rigged.qpos[0]))
    speed, finite, warnings, stands = let_go(character, seconds)
    return Trial(
        replay_mm=1e3 * scale * replay_error(rigged),
        self_contacts=contacts,
        rest_gap_mm=1e3 * scale * lowest(character, character.model.qpos0),
        first_gap_mm=1e3 * scale * lowest(character, rigged.qpos[0]),
        held_deg=held,
        speed=speed * float(np.sqrt(scale)),
        finite=finite,
        warnings=warnings,
        stands_s=stands,
    )


def with_fixed_bones(motion: Motion) -> Motion:
    """The motion with every joint at one place in its parent: the rest pose's, or the clip's median where it never is there."""
    skeleton = motion.skeleton
    rest, clip = skeleton.translations, motion.translations
    off = np.linalg.norm(clip - rest, axis=-1).min(axis=0) > 1e-3 * skeleton.height / HUMAN
    fixed = np.where(off[:, None], np.median(clip, axis=0), rest)
    translations = np.array(clip)
    inner = skeleton.parents >= 0
    translations[:, inner] = fixed[inner]
    return motion.replace(translations=translations)


def replay_error(rigged: Rigged) -> float:
    """Largest distance of a joint from the source's with its bone lengths held fixed, roots brought together [m]."""
    character, motion = rigged.character, with_fixed_bones(rigged.motion)
    joints = {body: joint for joint, body in source_joints(character, motion).items()}
    columns = [joints[body] for body in range(len(character.skeleton.names))]
    positions, _ = character.world(rigged.qpos)
    theirs = motion.joint_positions[:, columns]
    return float(np.linalg.norm((positions - positions[:, :1]) - (theirs - theirs[:, :1]), axis=-1).max())


def lowest(character: Character, qpos: Array) -> float:
    """Height of the lowest point of any shape [m]: the distance MuJoCo measures from each geom to the floor."""
    model, data = character.model, mujoco.MjData(character.model)
    data.qpos[:] = qpos
    mujoco.mj_kinematics(model, data)
    floor = next(g for g in range(model.ngeom) if model.geom_bodyid[g] == 0)
    far = 10.0 * character.height
    bodies = [g for g in range(model.ngeom) if model.geom_bodyid[g] > 0]
    return min(mujoco.mj_geomDistance(model, data, floor, g, far, None) for g in bodies)


def controls(character: Character, qpos: Array) -> Array:
    """Servo targets (nu,) that ask for the pose `qpos`."""
    model = character.model
    ctrl = np.zeros(model.nu)
    for u in range(model.nu):
        joint = model.actuator_trnid[u, 0]
        adr = model.jnt_qposadr[joint]
        if model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_BALL:
            ctrl[u] = model.actuator_gear[u, :3] @ quaternion.log(qpos[adr : adr + 4])
        else:
            ctrl[u] = qpos[adr]
    return ctrl


def held_deviation(character: Character, qpos: Array, seconds: float = SECONDS) -> float:
    """Largest turn [degrees] of a joint away from the pose `qpos` while the root is held and the servos ask for that pose."""
    spec = mujoco.MjSpec.from_string(character.xml)
    root = character.skeleton.names[0]
    spec.body(root).pos = [0.0, 0.0, 3.0 * character.height]
    spec.body(root).quat = qpos[3:7]
    spec.delete(spec.body(root).joints[0])
    for key in list(spec.keys):
        spec.delete(key)
    model = spec.compile()
    data = mujoco.MjData(model)
    data.qpos[:] = qpos[7:]
    data.ctrl[:] = controls(character, qpos)
    start = data.qpos.copy()
    balls = [model.jnt_qposadr[j] for j in range(model.njnt) if model.jnt_type[j] == mujoco.mjtJoint.mjJNT_BALL]
    hinges = [model.jnt_qposadr[j] for j in range(model.njnt) if model.jnt_type[j] == mujoco.mjtJoint.mjJNT_HINGE]
    worst = 0.0
    for step in range(round(seconds / model.opt.timestep)):
        mujoco.mj_step(model, data)
        if step % 4 == 0:
            away = [abs(data.qpos[h] - start[h]) for h in hinges]
            if balls:
                index = np.add.outer(balls, np.arange(4))
                away += [2.0 * float(np.arccos(np.clip(np.abs(np.sum(data.qpos[index] * start[index], axis=1)).min(), 0.0, 1.0)))]
            worst = max(worst, *away)
    if data.warning.number.sum():
        return float("inf")
    return float(np.degrees(worst))


def let_go(character: Character, seconds: float = SECONDS) -> tuple[float, bool, int, float]:
    """Fastest body [m/s], whether all stays finite, engine warnings, and how long it stands [s]; targets at the rest pose."""
    model, data = character.model, mujoco.MjData(character.model)
    fastest, stands = 0.0, seconds
    for _ in range(round(seconds / model.opt.timestep)):
        mujoco.mj_step(model, data)
        arm = data.xipos[1:] - data.subtree_com[1]
        speed = data.cvel[1:, 3:] + np.cross(data.cvel[1:, :3], arm)
        fastest = max(fastest, float(np.abs(np.linalg.norm(speed, axis=1)).max()))
        if data.qpos[2] < 0.75 * model.qpos0[2]:
            stands = min(stands, float(data.time))
    return fastest, bool(np.isfinite(data.qpos).all()), int(data.warning.number.sum()), stands
