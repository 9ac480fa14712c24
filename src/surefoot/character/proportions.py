"""The same body with other proportions: bones longer or shorter, segments heavier or lighter (Simulation for Control, 3.2 and figure 13).

    position of child joints, middles and lengths of shapes, tips     times the length's factor of the body they belong to
    mass                                                              times length's factor and mass's factor; girth stays

What is said of one side holds for the other. The root is moved up or down so that the lowest joint keeps its height above the ground.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from surefoot.character.blueprint import Blueprint, Body, Shape
from surefoot.errors import InputError, unknown_name

LEAST, MOST = 0.2, 5.0
"""Factors that a body is tried with."""


def proportioned(blueprint: Blueprint, lengths: Mapping[str, float], masses: Mapping[str, float] | None = None) -> Blueprint:
    """A blueprint with bones `lengths` and segments `masses` times as long and as heavy, by body; bodies that are not named stay."""
    names = [body.name for body in blueprint.bodies]
    long, heavy = (_both(blueprint, names, given) for given in (lengths, masses or {}))
    bodies = []
    for body in blueprint.bodies:
        above = 1.0 if body.parent is None else long[body.parent]
        mine = long[body.name]
        bodies.append(
            replace(
                body,
                position=above * np.asarray(body.position),
                shapes=tuple(_stretched(shape, mine) for shape in body.shapes),
                mass=body.mass * mine * heavy[body.name],
            )
        )
    tips = tuple((name, (long[name] * x, long[name] * y, long[name] * z)) for name, (x, y, z) in blueprint.tips)
    made = replace(blueprint, bodies=tuple(bodies), tips=tips, poses={}, source={})
    drop = float(blueprint.rest[0][:, 2].min() - made.rest[0][:, 2].min())
    root: Body = replace(made.bodies[0], position=made.bodies[0].position + np.array([0.0, 0.0, drop]))
    return replace(made, bodies=(root, *made.bodies[1:]))


def _both(blueprint: Blueprint, names: list[str], given: Mapping[str, float]) -> dict[str, float]:
    """Factors of all bodies; one that is named for one side alone counts for both."""
    out = dict.fromkeys(names, 1.0)
    for name, factor in given.items():
        if name not in out:
            raise unknown_name("body", name, names)
        if not LEAST <= factor <= MOST:
            raise InputError(f"{name}: a body is made {LEAST:g} to {MOST:g} times as long or heavy, not {factor:g}.")
        out[name] = factor
        other = blueprint.partners.get(name, name)
        if other not in given:
            out[other] = factor
    return out


def _stretched(shape: Shape, factor: float) -> Shape:
    """A shape along a bone that is so many times as long. Boxes and spheres stand further out, and keep their size."""
    size = (shape.size[0], shape.size[1] * factor) if shape.kind == "capsule" else shape.size
    return replace(shape, center=factor * np.asarray(shape.center), size=size)
