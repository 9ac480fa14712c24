"""A draft's bodies put together: names, joints, shapes and masses in one blueprint."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from surefoot.character.blueprint import Blueprint, Body
from surefoot.character.rig.bones import Bone, bones, world_frames
from surefoot.character.rig.config import RigConfig
from surefoot.character.rig.draft import Draft
from surefoot.character.rig.flesh import flesh, points
from surefoot.character.rig.mass import shared_volumes
from surefoot.character.rig.ranges import ranges
from surefoot.character.rig.soles import soles
from surefoot.character.servo import rest_transforms
from surefoot.motion import quaternion

Array = NDArray[np.float64]

LIGHTEST = 5e-4
"""No body weighs less than this part of the whole: lighter ones shake."""


def assemble(sketch: Draft, config: RigConfig) -> tuple[Blueprint, list[Bone], dict[int, str]]:
    """The blueprint, not yet weighed, with its bones and the name of each joint's body."""
    skeleton, found = sketch.motion.skeleton, sketch.anatomy
    all_bones = bones(sketch)
    frames = world_frames(all_bones)
    joint_ranges = ranges(sketch, all_bones, frames, config)
    standing = soles(sketch)
    shapes = flesh(sketch, all_bones, frames, standing, config)
    names = _names(sketch)
    bodies = []
    for b in all_bones:
        own = joint_ranges.get(b.joint)
        bodies.append(
            Body(
                name=names[b.joint],
                parent=None if b.parent < 0 else names[b.parent],
                position=b.offset,
                rotation=b.rest,
                joint="free" if own is None else "hinge" if own.kind == "hinge" else "ball",
                axis=None if own is None else own.axis,
                limits=(0.0, np.pi) if own is None else own.limits,
                shapes=tuple(shapes[b.joint]),
                mass=1.0,
                foot=b.joint in standing,
            )
        )
    root = all_bones[0].joint
    inverse = quaternion.conjugate(skeleton.rest[1][root])
    tips = [
        (names[b.joint], p)
        for b, pts in zip(all_bones, points(sketch, all_bones).values(), strict=True)
        if not len(pts.children)
        for p in pts.merged
    ]
    blueprint = Blueprint(
        name=_clean(sketch.motion.source.file.rsplit(".", 1)[0] or sketch.motion.name) or "character",
        bodies=tuple(bodies),
        forward=quaternion.rotate(inverse, found.forward),
        up=quaternion.rotate(inverse, found.up),
        end_effectors=tuple(dict.fromkeys(names[int(sketch.owner[j])] for j in found.end_effectors if int(sketch.owner[j]) in names)),
        partners={names[j]: names[int(found.partner[j])] for j in names if int(found.partner[j]) in names},
        tips=tuple((name, (float(p[0]), float(p[1]), float(p[2]))) for name, p in tips),
        servo=config.servo,
        source={
            "file": sketch.motion.source.file,
            "clip": sketch.motion.source.clip,
            "joints": {names[j]: skeleton.names[j] for j in names},
            **_namesakes(sketch, names),
        },
    )
    return blueprint, all_bones, names


def weighed(blueprint: Blueprint, density: float, mass: float | None) -> Blueprint:
    """Masses from the space the shapes fill, alike for mirror partners, summing to what was asked for."""
    shapes = [list(body.shapes) for body in blueprint.bodies]
    volumes = shared_volumes(shapes, *rest_transforms(blueprint))
    masses = {body.name: density * sum(own) for body, own in zip(blueprint.bodies, volumes, strict=True)}
    masses = {name: 0.5 * (own + masses.get(blueprint.partners.get(name, name), own)) for name, own in masses.items()}
    floor = LIGHTEST * sum(masses.values())
    masses = {name: max(own, floor) for name, own in masses.items()}
    scale = 1.0 if mass is None else mass / sum(masses.values())
    return blueprint.replace(bodies=tuple(replace(body, mass=scale * masses[body.name]) for body in blueprint.bodies))


def _names(sketch: Draft) -> dict[int, str]:
    """A unique name MJCF can hold for every body."""
    taken: set[str] = {"world"}
    out: dict[int, str] = {}
    for j in sketch.kept:
        base = _clean(sketch.motion.skeleton.names[j]) or f"joint {j}"
        name, n = base, 2
        while name in taken:
            name, n = f"{base} #{n}", n + 1
        taken.add(name)
        out[j] = name
    return out


def _namesakes(sketch: Draft, names: dict[int, str]) -> dict[str, dict[str, int]]:
    """Where several joints of the source share a name: which of them each body stands for, counted from 0."""
    all_names = sketch.motion.skeleton.names
    shared = {names[j]: all_names[:j].count(all_names[j]) for j in names if all_names.count(all_names[j]) > 1}
    return {"namesakes": shared} if shared else {}


def _clean(name: str) -> str:
    return re.sub(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]", "", name).strip()[:100]
