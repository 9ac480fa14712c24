"""A blueprint as MJCF text: bodies, joints, `<position>` servos, and our own facts in a custom text.

A ball is driven by three actuators (gear along x, y, z of the body's frame; the target is a rotation vector from the rest
pose [rad]), a hinge by one. Zero controls hold the rest pose (DESIGN, decision 2). The result is self-contained: MuJoCo's
own viewer opens it.
"""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from surefoot.character.blueprint import Blueprint, Body, Shape
from surefoot.character.servo import Gain, gains, lead, load_of, rest_height, rest_transforms
from surefoot.motion import quaternion

SCHEMA = 1
"""Version of the facts in the custom text."""
FACTS = "surefoot"
"""Name of that text."""
TIMESTEP = 0.005

Element = ElementTree.Element


def write(blueprint: Blueprint) -> str:
    """The character as MJCF."""
    height = rest_height(blueprint)
    drive = gains(load_of(blueprint), blueprint.servo, blueprint.gains)
    root = Element("mujoco", model=blueprint.name)
    _sub(root, "compiler", angle="radian", autolimits="true")
    _sub(root, "option", timestep=_num(TIMESTEP), integrator="implicitfast", solver="Newton", iterations="10")
    _sub(root, "statistic", extent=_num(1.5 * height), center=_vec([0.0, 0.0, 0.5 * height]))
    visual = _sub(root, "visual")
    _sub(visual, "global", offwidth="1920", offheight="1080", azimuth="120", elevation="-12")
    _sub(visual, "quality", shadowsize="4096")
    asset = _sub(root, "asset")
    _sub(asset, "texture", type="skybox", builtin="gradient", rgb1="0.75 0.83 0.92", rgb2="0.95 0.96 0.98", width="64", height="384")
    _sub(
        asset,
        "texture",
        name="ground",
        type="2d",
        builtin="checker",
        rgb1="0.80 0.80 0.78",
        rgb2="0.72 0.73 0.72",
        width="256",
        height="256",
    )
    _sub(asset, "material", name="ground", texture="ground", texrepeat="0.5 0.5", texuniform="true", reflectance="0.05")
    default = _sub(root, "default")
    # Contacts settle within about the time a body of this size falls a hundredth of its height.
    contact_time = float(np.clip(0.02 * np.sqrt(height / 1.7), 2.0 * TIMESTEP, 0.02))
    _sub(default, "geom", friction="1 0.01 0.001", condim="3", solref=f"{_num(contact_time)} 1", rgba="0.55 0.62 0.72 1")
    world = _sub(root, "worldbody")
    _sub(world, "light", pos=_vec([0, -0.5 * height, 3 * height]), dir="0.1 0.2 -1", directional="true", castshadow="true")
    _sub(world, "geom", name="floor", type="plane", size="0 0 1", material="ground", rgba="1 1 1 1")
    _bodies(world, blueprint, drive, height)
    contact = _sub(root, "contact")
    # MuJoCo keeps neighbours apart by itself, but for those of a root that somebody welds to the world.
    held = [(blueprint.bodies[0].name, body.name) for body in blueprint.bodies if body.parent == blueprint.bodies[0].name]
    for a, b in dict.fromkeys((*held, *blueprint.excludes)):
        _sub(contact, "exclude", body1=a, body2=b)
    actuator = _sub(root, "actuator")
    for body in blueprint.bodies:
        if body.joint != "free":
            _servo(actuator, body, drive[body.name])
    _sensors(_sub(root, "sensor"), blueprint)
    custom = _sub(root, "custom")
    _sub(custom, "text", name=FACTS, data=json.dumps(facts(blueprint), ensure_ascii=True, separators=(",", ":")))
    _poses(_sub(root, "keyframe"), blueprint)
    for empty in [e for e in root if len(e) == 0 and not e.attrib]:
        root.remove(empty)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def facts(blueprint: Blueprint) -> dict[str, object]:
    """What a character knows besides its model, as JSON values."""
    height = rest_height(blueprint)
    return {
        "schema": SCHEMA,
        "lead_s": lead(blueprint.servo, height),
        "height_m": height,
        "forward": [float(x) for x in blueprint.forward],
        "up": [float(x) for x in blueprint.up],
        "feet": [body.name for body in blueprint.bodies if body.foot],
        "end_effectors": list(blueprint.end_effectors),
        "partners": blueprint.partners,
        "tips": [[name, list(offset)] for name, offset in blueprint.tips],
        "report": list(blueprint.report),
        "source": blueprint.source,
    }


def _bodies(world: Element, blueprint: Blueprint, drive: dict[str, Gain], height: float) -> None:
    elements: dict[str, Element] = {}
    for body in blueprint.bodies:
        parent = world if body.parent is None else elements[body.parent]
        element = _sub(parent, "body", name=body.name, pos=_vec(body.position), quat=_vec(body.rotation))
        elements[body.name] = element
        if body.joint == "free":
            _sub(element, "freejoint", name=body.name)
            _sub(
                element, "light", mode="trackcom", pos=_vec([0, 0, 3 * height]), dir="0 0 -1", diffuse="0.25 0.25 0.25", castshadow="false"
            )
        else:
            gain = drive[body.name]
            low, high = body.limits
            common = {
                "name": body.name,
                "armature": _num(gain.armature),
                "damping": _num(gain.damping),
                "range": f"{_num(low)} {_num(high)}",
            }
            if body.joint == "ball":
                _sub(element, "joint", type="ball", **common)
            else:
                assert body.axis is not None
                _sub(element, "joint", type="hinge", axis=_vec(body.axis), **common)
        volumes = [shape.volume for shape in body.shapes]
        for i, (shape, volume) in enumerate(zip(body.shapes, volumes, strict=True)):
            name = body.name if i == 0 else f"{body.name} {i + 1}"
            _sub(element, "geom", name=name, mass=_num(body.mass * volume / sum(volumes)), **_geom(shape), **_tint(body, blueprint))


def _geom(shape: Shape) -> dict[str, str]:
    out = {"type": shape.kind, "size": _vec(shape.size), "pos": _vec(shape.center)}
    if shape.kind != "sphere":
        out["quat"] = _vec(shape.rotation)
    return out


def _tint(body: Body, blueprint: Blueprint) -> dict[str, str]:
    """Left limbs are warmer than right ones, so that a person can tell them apart."""
    partner = blueprint.partners.get(body.name, body.name)
    if partner == body.name:
        return {}
    names = [b.name for b in blueprint.bodies]
    positions, rotations = rest_transforms(blueprint)
    left = np.cross(quaternion.rotate(rotations[0], blueprint.up), quaternion.rotate(rotations[0], blueprint.forward))
    middle = positions[names.index(body.name)] - positions[names.index(partner)] if partner in names else left
    return {"rgba": "0.85 0.60 0.40 1" if float(np.dot(middle, left)) > 0 else "0.42 0.58 0.78 1"}


def _servo(actuator: Element, body: Body, gain: Gain) -> None:
    common = {
        "joint": body.name,
        "kp": _num(gain.kp),
        "kv": _num(gain.kd),
        "forcerange": f"{_num(-gain.torque)} {_num(gain.torque)}",
    }
    if body.joint == "hinge":
        _sub(actuator, "position", name=body.name, **common)
        return
    for axis, gear in zip("xyz", np.eye(3), strict=True):
        _sub(actuator, "position", name=f"{body.name} {axis}", gear=_vec([*gear, 0, 0, 0]), **common)


def _sensors(sensor: Element, blueprint: Blueprint) -> None:
    root = blueprint.bodies[0].name
    _sub(sensor, "subtreecom", name="com", body=root)
    _sub(sensor, "subtreelinvel", name="com velocity", body=root)
    _sub(sensor, "subtreeangmom", name="angular momentum", body=root)


def _poses(keyframe: Element, blueprint: Blueprint) -> None:
    for name, (position, rotations) in blueprint.poses.items():
        qpos = [*position]
        for body in blueprint.bodies:
            if body.parent is None:
                qpos += [*rotations[body.name]]
                continue
            local = quaternion.multiply(quaternion.conjugate(rotations[body.parent]), rotations[body.name])
            local = quaternion.multiply(quaternion.conjugate(body.rotation), local)
            if body.joint == "ball":
                qpos += [*local]
            else:
                assert body.axis is not None
                qpos.append(float(np.dot(quaternion.log(quaternion.swing_twist(local, body.axis)[1]), body.axis)))
        _sub(keyframe, "key", name=name, qpos=_vec(qpos))


def _sub(parent: Element, tag: str, /, **attributes: str) -> Element:
    # MJCF calls an attribute "class"; Python would not let us write it, and we need none.
    return ElementTree.SubElement(parent, tag, attributes)


def _num(value: float) -> str:
    return f"{float(value) + 0.0:.12g}"


def _vec(values: ArrayLike | Iterable[float]) -> str:
    return " ".join(_num(v) for v in np.asarray(values, dtype=float).ravel())


__all__ = ["FACTS", "SCHEMA", "TIMESTEP", "facts", "write"]
