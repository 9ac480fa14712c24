"""A character with other proportions, made from its MJCF: for bodies whose blueprint nobody has, as those in bundles.

    places of joints, shapes and tips, lengths of capsules     times the length's factor of the body they belong to; girth stays
    masses                                                     times length's factor and mass's factor
    kp, kd, torque limits, damping                             times (mass * height) of the new body over that of the old
    armature                                                   times (mass * height^2), likewise

What is said of one side holds for the other. The root is moved so that the lowest joint keeps its height. Gains grow as gravity's moments
do, so that servos of a heavier body sag and lag as those of the old one.

A file says the same: {"schema": 1, "lengths": {"left_knee": 1.2}, "masses": {"chest": 1.3}}
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot.character import mjcf
from surefoot.character.character import Character
from surefoot.character.load import parse_character
from surefoot.errors import InputError, unknown_name
from surefoot.motion.limits import read_bytes, shown

Array = NDArray[np.float64]

SCHEMA = 1
MAX_BYTES = 2**20
LEAST, MOST = 0.2, 5.0
"""Factors that a body is tried with."""


@dataclass(frozen=True, kw_only=True)
class Proportions:
    """Factors by body; who is not named stays."""

    lengths: Mapping[str, float] = field(default_factory=dict)
    masses: Mapping[str, float] = field(default_factory=dict)


def read_proportions(path: str | Path) -> Proportions:
    """Proportions from a JSON file."""
    name = shown(path)
    try:
        tree = json.loads(read_bytes(path, MAX_BYTES).decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{name}: not readable as JSON ({error}).") from None
    if not isinstance(tree, dict):
        raise InputError(f"{name}: proportions are a JSON object with 'lengths' and 'masses', got {type(tree).__name__}.")
    for key in tree:
        if key not in ("schema", "lengths", "masses"):
            raise InputError(f"{name}: {unknown_name('part of proportions', str(key), ('schema', 'lengths', 'masses'))}")
    if tree.get("schema", SCHEMA) != SCHEMA:
        raise InputError(f"{name}: schema {tree['schema']!r} is not known; this version reads {SCHEMA}.")
    parts = {}
    for key in ("lengths", "masses"):
        given = tree.get(key, {})
        if not isinstance(given, dict) or any(isinstance(v, bool) or not isinstance(v, int | float) for v in given.values()):
            raise InputError(f"{name}: '{key}' is an object of numbers by body, as {{\"left_knee\": 1.2}}.")
        parts[key] = {str(body): float(factor) for body, factor in given.items()}
    return Proportions(**parts)


def changed(character: Character, proportions: Proportions, name: str | None = None) -> Character:
    """The character with other proportions, under a name of its own."""
    names = character.skeleton.names
    long, heavy = (_factors(character, given) for given in (proportions.lengths, proportions.masses))
    spec = mujoco.MjSpec.from_string(character.xml)
    spec.modelname = name or f"{character.name} changed"
    parents = {body: names[int(p)] if p >= 0 else None for body, p in zip(names, character.skeleton.parents, strict=True)}
    for body in names:
        above = parents[body]
        _stretch(spec.body(body), long[body], heavy[body], 1.0 if above is None else long[above])
    tips = [(tip.joint, np.asarray(tip.offset) * long[names[tip.joint]]) for tip in character.skeleton.tips]
    try:
        model = spec.compile()
    except ValueError as error:
        raise InputError(f"MuJoCo cannot compile the changed body: {error}") from None
    old, new = _rest(character.model, character.body_ids), _rest(model, character.body_ids)
    low = float(old[:, 2].min() - new[:, 2].min())
    root = spec.body(names[0])
    root.pos = np.asarray(root.pos) + np.array([0.0, 0.0, low])
    tall = character.height * _reach(new) / _reach(old)
    weight = float(model.body_subtreemass[1]) * tall / (character.mass * character.height)
    for actuator in spec.actuators:
        actuator.gainprm = np.asarray(actuator.gainprm) * weight
        actuator.biasprm = np.asarray(actuator.biasprm) * weight
        actuator.forcerange = np.asarray(actuator.forcerange) * weight
    for joint in spec.joints:
        if joint.type != mujoco.mjtJoint.mjJNT_FREE:
            joint.damping = np.asarray(joint.damping) * weight
            joint.armature = float(joint.armature) * weight * tall / character.height
    for key in list(spec.keys):
        spec.delete(key)
    for text in spec.texts:
        if text.name == mjcf.FACTS:
            text.data = json.dumps(_facts(json.loads(text.data), tall, character.height, tips, names))
    return parse_character(spec.to_xml(), spec.modelname)


def _factors(character: Character, given: Mapping[str, float]) -> dict[str, float]:
    """Factors of all bodies; one that is named for one side alone counts for both."""
    names = character.skeleton.names
    out = dict.fromkeys(names, 1.0)
    for name, factor in given.items():
        if name not in out:
            raise unknown_name("body", name, names)
        if not (math.isfinite(factor) and LEAST <= factor <= MOST):
            raise InputError(f"{name}: a body is made {LEAST:g} to {MOST:g} times as long or heavy, not {factor:g}.")
        out[name] = factor
        other = character.partners.get(name, name)
        if other not in given:
            out[other] = factor
    return out


def _stretch(body: Any, long: float, heavy: float, above: float) -> None:
    """Make one body of a spec so many times as long and heavy; its place goes with the body above."""
    body.pos = above * np.asarray(body.pos)
    if body.explicitinertial:
        body.ipos = long * np.asarray(body.ipos)
        body.mass = float(body.mass) * long * heavy
        body.inertia = np.asarray(body.inertia) * long**3 * heavy
        body.fullinertia = np.asarray(body.fullinertia) * long**3 * heavy
    for geom in body.geoms:
        geom.pos = long * np.asarray(geom.pos)
        if np.isfinite(np.asarray(geom.fromto)).all():
            geom.fromto = long * np.asarray(geom.fromto)
        elif geom.type in (mujoco.mjtGeom.mjGEOM_CAPSULE, mujoco.mjtGeom.mjGEOM_CYLINDER):
            geom.size = np.asarray(geom.size) * [1.0, long, 1.0]
        if math.isfinite(geom.mass):
            geom.mass = float(geom.mass) * long * heavy
        else:
            geom.density = float(geom.density) * heavy
    for thing in (*body.joints, *body.sites):
        thing.pos = long * np.asarray(thing.pos)


def _rest(model: mujoco.MjModel, bodies: NDArray[np.int64]) -> Array:
    """Places (B, 3) of the joints in the rest pose."""
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    return np.array(data.xpos[bodies])


def _reach(places: Array) -> float:
    """Size of the rest pose by its joints: its height, but at least half its longest side."""
    extent = places.max(axis=0) - places.min(axis=0)
    return float(max(extent[2], 0.5 * extent.max(), 1e-6))


def _facts(known: dict[str, Any], tall: float, was: float, tips: list[tuple[int, Array]], names: tuple[str, ...]) -> dict[str, Any]:
    known = {**known, "height_m": tall, "tips": [[names[joint], offset.tolist()] for joint, offset in tips]}
    known["lead_s"] = float(known["lead_s"]) * math.sqrt(tall / was)
    known["source"] = {}
    return known
