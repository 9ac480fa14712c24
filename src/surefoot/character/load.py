"""Characters from MJCF: ours as they are, anybody's with servos of ours.

A foreign model needs one free-floating root and hinges or balls with limits. Its actuators are replaced by `<position>`
servos derived from the inertia each joint carries, so that every method drives it like a rigged character.
"""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import mujoco
import numpy as np

from surefoot.character import mjcf
from surefoot.character.blueprint import Servo
from surefoot.character.character import Character, from_model, read_facts
from surefoot.character.servo import Gain, Load, gains, lead
from surefoot.errors import InputError, one_line
from surefoot.motion.limits import check_count, read_bytes, shown

MAX_BYTES = 16 * 2**20
MAX_DEPTH = 128
MAX_ELEMENTS = 50_000
OUTSIDE = {"include", "plugin", "extension"}
"""Elements that reach outside the file."""


def load_character(path: str | Path, servo: Servo | None = None) -> Character:
    """A character from an MJCF file."""
    name = shown(path)
    try:
        text = read_bytes(path, MAX_BYTES).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{name}: not an MJCF file: its text is not UTF-8.") from None
    return parse_character(text, name, servo)


def parse_character(text: str, name: str = "character", servo: Servo | None = None) -> Character:
    """A character from MJCF text. Includes, plugins and outside files are refused."""
    _refuse_dangers(text, name)
    try:
        spec = mujoco.MjSpec.from_string(text)
        model = spec.compile()
    except ValueError as error:
        raise InputError(f"{name}: MuJoCo cannot compile it: {error}") from None
    known = read_facts(model)
    if known is not None:
        return from_model(text, model, known)
    return _adopt(spec, model, name, servo or Servo())


def _refuse_dangers(text: str, name: str) -> None:
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise InputError(f"{name}: an MJCF file with a DOCTYPE or entities is not read.")
    depth = deepest = count = 0
    parser = ElementTree.XMLPullParser(events=("start", "end"))
    try:
        parser.feed(text)
        parser.close()
        root = None
        for event, element in parser.read_events():
            depth += 1 if event == "start" else -1
            deepest = max(deepest, depth)
            if event == "end":
                continue
            root = element.tag if root is None else root
            count += 1
            tag = str(element.tag).lower()
            if tag in OUTSIDE:
                raise InputError(f"{name}: it has a <{tag}>, which reaches outside the file; such models are not read.")
            for attribute, value in element.attrib.items():
                if attribute.startswith("file") or attribute == "content_type":
                    raise InputError(f"{name}: <{tag} {attribute}=\"{one_line(value, 60)}\"> names another file; models must stand alone (no meshes).")
    except ElementTree.ParseError as error:
        raise InputError(f"{name}: not an MJCF file: {error}.") from None
    if root != "mujoco":
        raise InputError(f"{name}: not an MJCF file: its first element is <{one_line(str(root), 40)}>, expected <mujoco>.")
    check_count(f"{name}: nested elements", deepest, MAX_DEPTH)
    check_count(f"{name}: elements", count, MAX_ELEMENTS)


def _adopt(spec: mujoco.MjSpec, model: mujoco.MjModel, name: str, servo: Servo) -> Character:
    bodies = _check_joints(model, name)
    for body in bodies:
        if not model.body(body).name:
            raise InputError(f"{name}: body {body} has no name; every body needs one.")
    load = _load(model, bodies)
    drive = gains(load, servo)
    for actuator in list(spec.actuators):
        spec.delete(actuator)
    for key in list(spec.keys):
        spec.delete(key)  # their controls belong to the actuators that were there
    for body in bodies[1:]:
        for i in range(model.body_jntadr[body], model.body_jntadr[body] + model.body_jntnum[body]):
            _drive(spec, model, i, drive[model.body(body).name])
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.timestep = min(float(model.opt.timestep), mjcf.TIMESTEP)
    if not any(model.geom_type[g] in (mujoco.mjtGeom.mjGEOM_PLANE, mujoco.mjtGeom.mjGEOM_HFIELD) for g in range(model.ngeom)):
        spec.worldbody.add_geom(name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1])
    leaves = [model.body(b).name for b in bodies if b not in set(int(model.body_parentid[c]) for c in bodies)]
    known = {
        "schema": mjcf.SCHEMA,
        "lead_s": lead(servo, load.height),
        "height_m": load.height,
        "forward": [1.0, 0.0, 0.0],
        "up": [0.0, 0.0, 1.0],
        "feet": list(load.feet),
        "end_effectors": leaves,
        "partners": _partners([model.body(b).name for b in bodies]),
        "tips": [],
        "report": [f"servos derived from carried inertia for {len(drive)} joints; the file's {model.nu} actuators are not used"],
        "source": {"file": name},
    }
    spec.add_text(name=mjcf.FACTS, data=json.dumps(known, separators=(",", ":")))
    try:
        compiled = spec.compile()
        return from_model(spec.to_xml(), compiled, known)
    except ValueError as error:
        raise InputError(f"{name}: MuJoCo cannot compile it with servos: {error}") from None


def _check_joints(model: mujoco.MjModel, name: str) -> list[int]:
    """The bodies of the one free-floating tree, root first; an error when the joints are not what a character needs."""
    free = [j for j in range(model.njnt) if model.jnt_type[j] == mujoco.mjtJoint.mjJNT_FREE]
    if len(free) != 1:
        raise InputError(f"{name}: a character needs one free joint at its root, this model has {len(free)}; add <freejoint/> to its first body.")
    root = int(model.jnt_bodyid[free[0]])
    bodies = [b for b in range(1, model.nbody) if model.body_rootid[b] == root]
    if root != 1 or len(bodies) != model.nbody - 1:
        raise InputError(f"{name}: a character is one tree of bodies; this model has {model.nbody - 1 - len(bodies)} bodies beside it.")
    unlimited, sliding = [], []
    for j in range(model.njnt):
        if j == free[0]:
            continue
        if model.jnt_type[j] == mujoco.mjtJoint.mjJNT_SLIDE:
            sliding.append(model.joint(j).name)
        elif not model.jnt_limited[j]:
            unlimited.append(model.joint(j).name)
    if sliding:
        raise InputError(f"{name}: sliding joints cannot be driven yet: {', '.join(sliding[:6])}; hinges and balls can.")
    if unlimited:
        raise InputError(f"{name}: joints without limits: {', '.join(unlimited[:6])}; give each a range.")
    return bodies


def _load(model: mujoco.MjModel, bodies: list[int]) -> Load:
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    index = {b: i for i, b in enumerate(bodies)}
    positions = data.xpos[bodies].copy()
    for i, b in enumerate(bodies):
        if model.body_jntnum[b]:
            positions[i] = data.xanchor[model.body_jntadr[b]]
    points = np.concatenate([data.xpos[bodies], *[data.geom_xpos[[g]] for g in range(model.ngeom) if model.geom_bodyid[g] in index]])
    extent = np.ptp(points, axis=0) + 2.0 * float(np.median(model.geom_rbound[model.geom_bodyid > 0]) if model.ngeom else 0.0) * 0.5
    lowest = dict.fromkeys(bodies, np.inf)
    for g in range(model.ngeom):
        b = int(model.geom_bodyid[g])
        if b in lowest and model.geom_contype[g] | model.geom_conaffinity[g]:
            lowest[b] = min(lowest[b], float(data.geom_xpos[g, 2] - data.geom_xmat[g].reshape(3, 3)[2] @ np.diag(np.sign(data.geom_xmat[g].reshape(3, 3)[2])) @ _half(model, g)))
    height = float(max(extent[2], 0.5 * extent.max(), 1e-6))
    ground = min(lowest.values())
    feet = tuple(model.body(b).name for b in bodies[1:] if lowest[b] < ground + 0.03 * height)
    return Load(
        names=tuple(model.body(b).name for b in bodies),
        parents=np.array([index.get(int(model.body_parentid[b]), -1) for b in bodies]),
        positions=positions,
        masses=np.maximum(model.body_mass[bodies], 1e-12),
        centers=data.xipos[bodies].copy(),
        inertias=np.sort(model.body_inertia[bodies], axis=1)[:, -1],
        feet=feet,
        height=height,
    )


def _half(model: mujoco.MjModel, geom: int) -> np.ndarray:
    """Half sides of a geom's box, in its own frame."""
    size, kind = model.geom_size[geom], int(model.geom_type[geom])
    if kind == mujoco.mjtGeom.mjGEOM_SPHERE:
        return np.full(3, size[0])
    if kind in (mujoco.mjtGeom.mjGEOM_CAPSULE, mujoco.mjtGeom.mjGEOM_CYLINDER):
        return np.array([size[0], size[0], size[1] + (size[0] if kind == mujoco.mjtGeom.mjGEOM_CAPSULE else 0.0)])
    return np.array(size)


def _drive(spec: mujoco.MjSpec, model: mujoco.MjModel, joint: int, gain: Gain) -> None:
    name = model.joint(joint).name
    ball = model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_BALL
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


def _partners(names: list[str]) -> dict[str, str]:
    """Left and right by name, as most MJCF writes them."""
    swaps = [("left", "right"), ("Left", "Right"), ("LEFT", "RIGHT"), ("L_", "R_"), ("_L", "_R"), ("l_", "r_"), ("_l", "_r")]
    out = {}
    for name in names:
        out[name] = name
        for a, b in [*swaps, *[(b, a) for a, b in swaps]]:
            other = re.sub(re.escape(a), b, name, count=1)
            if other != name and other in names:
                out[name] = other
                break
    return out
