"""Anybody's MJCF as a character: a free root, hinges and balls with limits.

Its actuators, sensors and key poses make way for `<position>` servos derived from the inertia each joint carries, so that every method
drives it like a rigged character. Feet are the bodies that reach the ground in the rest pose; the way it faces, left and right, and what
its limbs are come from the anatomy of its bodies.
"""

from __future__ import annotations

import json

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot.character import mjcf
from surefoot.character.adopt_rest import extents, rebase, stand
from surefoot.character.blueprint import Servo
from surefoot.character.character import Character, from_model, skeleton_of
from surefoot.character.servo import Gain, Load, gains, lead
from surefoot.errors import InputError
from surefoot.motion import quaternion
from surefoot.motion.anatomy import Anatomy, anatomy
from surefoot.motion.limits import check_count

Array = NDArray[np.float64]
Joint = mujoco.mjtJoint

SHORTEST_STEP = 0.001
"""[s]"""
MAX_BODIES = 500
MAX_PARTS = 1500
LONGEST = 1e5
"""[m]"""


def adopt(spec: mujoco.MjSpec, model: mujoco.MjModel, name: str, servo: Servo) -> Character:
    """The character in a compiled foreign model."""
    try:
        return _adopt(spec, model, name, servo)
    except ValueError as error:  # MuJoCo's own
        raise InputError(f"{name}: MuJoCo cannot compile it with servos: {error}") from None


def _adopt(spec: mujoco.MjSpec, model: mujoco.MjModel, name: str, servo: Servo) -> Character:
    report = [f"servos derived from carried inertia; the file's {model.nu} actuators are not used"]
    parts = [*spec.actuators, *spec.sensors, *spec.keys]  # keys hold controls of the actuators that were there
    check_count(f"{name}: actuators, sensors and key poses", len(parts), MAX_PARTS)
    for part in parts:
        spec.delete(part)
    report += _named(spec)
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.timestep = float(np.clip(model.opt.timestep, SHORTEST_STEP, mjcf.TIMESTEP))
    model = spec.compile()
    report += rebase(spec, model)
    model = spec.compile()
    report += stand(spec, model)
    model = spec.compile()

    known = anatomy(skeleton_of(model))
    load = _load(model)
    drive = gains(load, servo)
    for j in range(1, model.njnt):
        _drive(spec, model, j, drive[model.body(model.jnt_bodyid[j]).name])
    root = model.body(1).name
    for kind, label in (("SUBTREECOM", "com"), ("SUBTREELINVEL", "com velocity"), ("SUBTREEANGMOM", "angular momentum")):
        spec.add_sensor(
            name=label, type=getattr(mujoco.mjtSensor, f"mjSENS_{kind}"), objtype=mujoco.mjtObj.mjOBJ_BODY, objname=root
        )  # fmt: skip
    facts = _facts(model, known, load, servo, report, name)
    spec.add_text(name=mjcf.FACTS, data=json.dumps(facts, separators=(",", ":")))
    spec.compile()
    xml = spec.to_xml()
    return from_model(xml, mujoco.MjModel.from_xml_string(xml), facts)


def check_joints(model: mujoco.MjModel, name: str) -> None:
    """An error when a model's joints are not what a character needs: one tree, floating freely, hinges and balls with limits."""
    free = [j for j in range(model.njnt) if model.jnt_type[j] == Joint.mjJNT_FREE]
    if len(free) != 1:
        raise InputError(
            f"{name}: a character needs one free joint, at its root, this model has {len(free)}; add <freejoint/> to its first body."
        )
    beside = [model.body(b).name or f"body {b}" for b in range(1, model.nbody) if model.body_rootid[b] != 1]
    if model.jnt_bodyid[free[0]] != 1 or beside:
        raise InputError(
            f"{name}: a character is one tree of bodies, its root first; beside it stand: {', '.join(beside[:6]) or 'others'}."
        )
    if model.nbody - 1 > MAX_BODIES:
        raise InputError(f"{name}: {model.nbody - 1} bodies, a character has at most {MAX_BODIES}.")
    if model.njnt < 2:
        raise InputError(f"{name}: a single rigid body; a character needs at least one hinge or ball.")
    labels = [model.joint(j).name or f"of {model.body(model.jnt_bodyid[j]).name or 'a body without a name'}" for j in range(model.njnt)]
    sliding = [labels[j] for j in range(model.njnt) if model.jnt_type[j] == Joint.mjJNT_SLIDE]
    if sliding:
        raise InputError(f"{name}: sliding joints cannot be driven yet: {', '.join(sliding[:6])}; hinges and balls can.")
    loose = [labels[j] for j in range(model.njnt) if j != free[0] and not model.jnt_limited[j]]
    if loose:
        raise InputError(f"{name}: joints without limits: {', '.join(loose[:6])}; give each a range.")
    own = model.geom_bodyid > 0
    lengths = (model.body_pos[1:], model.jnt_pos, model.geom_pos[own], model.geom_size[own])
    longest = max(float(np.abs(part).max(initial=0.0)) for part in lengths)
    if not longest < LONGEST:
        raise InputError(f"{name}: it has a length of {longest:g} m; lengths are metres, and at most {LONGEST:g} m in a character.")
    mass = float(model.body_subtreemass[1])
    if not 1e-6 < mass < 1e8:
        raise InputError(f"{name}: it weighs {mass:g} kg; a character weighs between a milligram and 100,000 tonnes.")


def _named(spec: mujoco.MjSpec) -> list[str]:
    """Give bodies and joints without a name one."""
    taken = {body.name for body in spec.bodies} | {joint.name for joint in spec.joints}
    made = []
    for things, word in ((spec.bodies, "body"), (spec.joints, "joint")):
        for n, thing in enumerate(things):
            if not thing.name:
                label = f"{word} {n}"
                while label in taken:
                    label += "'"
                thing.name = label
                taken.add(label)
                made.append(label)
    return [f"without a name in the file: {', '.join(made[:8])}"] if made else []


def _load(model: mujoco.MjModel) -> Load:
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    bodies = list(range(1, model.nbody))
    positions = data.xpos[bodies].copy()
    for i, b in enumerate(bodies):
        if model.body_jntnum[b]:
            positions[i] = data.xanchor[model.body_jntadr[b]]
    low, high = extents(model, data)
    extent = high.max(axis=0) - low.min(axis=0)
    height = float(max(extent[2], 0.5 * extent.max(), 1e-6))
    return Load(
        names=tuple(model.body(b).name for b in bodies),
        parents=np.array([int(model.body_parentid[b]) - 1 for b in bodies]),
        positions=positions,
        masses=np.maximum(model.body_mass[bodies], 1e-12),
        centers=data.xipos[bodies].copy(),
        inertias=model.body_inertia[bodies].max(axis=1),
        feet=_feet(model, low[:, 2], height),
        height=height,
    )


def _feet(model: mujoco.MjModel, lowest: Array, height: float) -> tuple[str, ...]:
    """The bodies that reach the ground at rest; none when most do (a snake, something that lies)."""
    near = [b for b in range(2, model.nbody) if lowest[b - 1] < lowest.min() + 0.03 * height]
    return () if len(near) > 0.5 * (model.nbody - 1) and model.nbody > 5 else tuple(model.body(b).name for b in near)


def _drive(spec: mujoco.MjSpec, model: mujoco.MjModel, joint: int, gain: Gain) -> None:
    name = model.joint(joint).name
    ball = model.jnt_type[joint] == Joint.mjJNT_BALL
    spec.joint(name).armature = max(float(model.dof_armature[model.jnt_dofadr[joint]]), gain.armature)
    for axis in range(3 if ball else 1):
        gear = np.zeros(6)
        gear[axis] = 1.0
        actuator = spec.add_actuator(
            name=f"{name} {'xyz'[axis]}" if ball else name,
            target=name,
            trntype=mujoco.mjtTrn.mjTRN_JOINT,
            gear=gear,
            forcelimited=True,
            forcerange=[-gain.torque, gain.torque],
        )
        actuator.set_to_position(kp=gain.kp, kv=gain.kd)


def _facts(model: mujoco.MjModel, known: Anatomy, load: Load, servo: Servo, report: list[str], name: str) -> dict[str, object]:
    names = load.names
    inverse = quaternion.conjugate(quaternion.normalize(model.body_quat[1]))
    upward = quaternion.rotate(inverse, [0.0, 0.0, 1.0])
    forward = quaternion.rotate(inverse, known.forward)
    if known.confidence < 0.5:
        report = [*report, "which way it faces is not clear from its bodies: the +X axis of its root is taken"]
        axis = np.eye(3)[0] if abs(float(upward[0])) < 0.9 else np.eye(3)[1]
        forward = axis - upward * float(axis @ upward)
        forward /= np.linalg.norm(forward)
    leaves = [names[b - 1] for b in range(1, model.nbody) if b not in set(model.body_parentid.tolist())]
    limbs = [names[j] for j in known.end_effectors]
    return {
        "schema": mjcf.SCHEMA,
        "lead_s": lead(servo, load.height),
        "height_m": load.height,
        "forward": forward.tolist(),
        "up": upward.tolist(),
        "feet": list(load.feet),
        "end_effectors": list(dict.fromkeys(limbs or leaves)),
        "partners": {names[j]: names[int(k)] for j, k in enumerate(known.partner) if k >= 0},
        "tips": [],
        "report": report,
        "source": {"file": name},
    }
