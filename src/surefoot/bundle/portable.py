"""A skill for other programs: all that runs it, as JSON with the model inside; `examples/05_a_skill_in_numpy.py` runs it.

    each period:    where a fragment begins,  action = gain (features - center) + action + turn rate * turn
                    target = reference turned by the action, reached linearly at the end of the period

Numbers are written with all their digits: what runs them alike gets the states of our player.
"""

from __future__ import annotations

import hashlib
import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import numpy as np

from surefoot.bundle.bundle import Bundle
from surefoot.bundle.perform import player
from surefoot.errors import InputError
from surefoot.feedback.policy import LinearFeedback
from surefoot.feedback.readable import targets
from surefoot.motion.files import atomic_write
from surefoot.motion.limits import shown
from surefoot.physics.features import anatomy, facing, names, units
from surefoot.physics.scene import Scene
from surefoot.physics.terrain import FLOOR

SCHEMA = 1
FORMAT = "surefoot policy"

HOW = (
    "Frames are right-handed, Z up; quaternions have w first; SI units. `model.xml` is MJCF, `start` where to begin.",
    "A control period lasts `period_s`, `substeps` steps of the model. Period p of the cycle is p mod edges[-1]; where `again` is not 0, "
    "periods from edges[-1] on repeat those from edges[again].",
    "Fragment k lasts from period edges[k] to edges[k + 1]. Where one begins, s are the features of the state as it is then, and "
    "a = gain[k] (s - center[k]) + action[k] + r turn[k]; for a turn rate w [rad/s] that is asked for, anticlockwise, r lies on the curve "
    "through the points (answers[0], answers[1]), level beyond its ends, or is w itself (`turn` is zero where `turns` is false).",
    "The action is held for the fragment. The targets of period p are reference[p], those in `columns` turned by a: hinges add it; the "
    "three targets of a ball are a rotation vector v and become log(exp(a) exp(v)), of equal rotation vectors the one nearest to v.",
    "Targets are written to ctrl so that they are reached linearly at the end of the period: at substep i of n, ctrl = before + i / n "
    "(target - before).",
)
FACING = (
    "With (w, x, y, z) = rotation of the root times `front`, X = x / scale, Y = y / scale, up = w w + z z, down = X X + Y Y, part = down / "
    "(up + down): h = (w w - z z + part (-sideways (w Y + z X) - (X X - Y Y))) + i (2 w z + part (sideways (w X - z Y) - 2 X Y)). The "
    "facing frame is vertical and turned about z by the angle of h; vectors are given as forward, left, up in it."
)


def portable(bundle: Bundle) -> dict[str, Any]:
    """The skill as JSON values."""
    policy, character = bundle.policy, bundle.character
    if not isinstance(policy, LinearFeedback):
        raise InputError(
            f"{bundle.name} is '{policy.kind}'; only what `surefoot learn` makes, '{LinearFeedback.kind}', is written as JSON."
        )
    if bundle.scene != Scene():
        raise InputError(f"{bundle.name} performs in a scene of its own; its skill is written as JSON for flat ground only.")
    body, model = anatomy(character), character.model
    skeleton, servos = character.skeleton, policy.servos
    xml = _grounded(character.xml)
    start = player(bundle).states()
    drives = []
    for a, (body_name, name) in enumerate(zip(servos.names, targets(character, policy), strict=True)):
        kp, kd = float(model.actuator_gainprm[a, 0]), -float(model.actuator_biasprm[a, 2])
        limits = model.actuator_forcerange[a].tolist() if model.actuator_forcelimited[a] else None
        actuator = model.actuator(a).name
        drives.append({"name": name, "body": body_name, "actuator": actuator, "kp": kp, "kd": kd, "torque_n_m": limits})
    return {
        "format": FORMAT,
        "schema": SCHEMA,
        "name": bundle.name,
        "versions": bundle.versions,
        "how": list(HOW),
        "model": {"xml": xml, "sha256": hashlib.sha256(xml.encode()).hexdigest(), "timestep_s": character.timestep},
        "start": {"qpos": start.qpos[0].tolist(), "qvel": start.qvel[0].tolist(), "ctrl": start.ctrl[0].tolist()},
        "period_s": policy.period,
        "substeps": round(policy.period / character.timestep),
        "edges": policy.edges.tolist(),
        "again": policy.again,
        "root": skeleton.names[0],
        "facing": {"front": body.to_front.tolist(), "scale": facing.SCALE, "sideways": facing.SIDEWAYS, "how": FACING},
        "feet": [
            {"name": foot.name, "bodies": [skeleton.names[j] for j in foot.bodies], "weights": list(foot.weights)} for foot in body.feet
        ],
        "features": [
            {"name": n, "unit": unit, "is": what}
            for n, unit, what in zip(names(body), units(body), definitions(len(body.feet)), strict=True)
        ],
        "targets": drives,
        "balls": servos.ball_ctrl.tolist(),
        "columns": policy.columns.tolist(),
        "tilts": policy.tilts.tolist(),
        "center": policy.center.tolist(),
        "gain": policy.gain.tolist(),
        "action": policy.action.tolist(),
        "turns": policy.turn is not None,
        "answers": None if policy.answers is None else policy.answers.tolist(),
        "turn": np.zeros_like(policy.action).tolist() if policy.turn is None else policy.turn.tolist(),
        "reference": policy.reference.tolist(),
    }


def definitions(feet: int) -> tuple[str, ...]:
    """What each feature is, in words, all in the facing frame."""
    turned = "of the rotation vector of root times front; of equal ones the one nearest to `tilts` of the fragment"
    com = "the whole body's centre of mass"
    axes = ("forward", "left", "up")
    return (
        f"forward component {turned}",
        f"left component {turned}",
        "height of the root's frame above the ground",
        f"from the root's frame to {com}, forward",
        f"from the root's frame to {com}, left",
        f"height of {com} above the ground",
        *[f"velocity of {com}, {axis}" for axis in axes],
        *[f"from {com} to that of the foot, {axis}" for _ in range(feet) for axis in axes],
        *[f"angular momentum about {com}, {axis}" for axis in axes],
    )


def write_portable(bundle: Bundle, path: str | Path) -> None:
    """Write the skill as .json."""
    if Path(path).suffix.lower() != ".json":
        raise InputError(f"{shown(path)}: a skill is written as .json for other programs, not as '{Path(path).suffix}'.")
    atomic_write(path, (json.dumps(portable(bundle), allow_nan=False) + "\n").encode())


def _grounded(xml: str) -> str:
    """The model with a floor, which scenes add where it has none."""
    root = ElementTree.fromstring(xml)
    world = root.find("worldbody")
    if world is None or any(geom.get("type") == "plane" for geom in world.findall("geom")):
        return xml
    ElementTree.SubElement(world, "geom", name=FLOOR, type="plane", size="0 0 1")
    return ElementTree.tostring(root, encoding="unicode")


__all__ = ["FORMAT", "SCHEMA", "definitions", "portable", "write_portable"]
