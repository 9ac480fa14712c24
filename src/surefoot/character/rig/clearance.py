"""Bodies that lie in one another: which pairs must not collide.

Neighbours never collide. Other pairs that touch in the rest pose are first made thinner, then excluded; pairs that overlap
through much of the clip (arms on a thick trunk, crossed legs of a cartoon) are excluded, too, since the clip asks for it.
"""

from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot.character.blueprint import Blueprint, Shape
from surefoot.character.character import Character

Array = NDArray[np.float64]

THINNEST = 0.6
"""Shapes may lose this much of their radius, at most, to make room."""
OFTEN = 0.10
"""Pairs that overlap in more than this part of the clip do not collide."""


def touching(character: Character, qpos: Array) -> dict[tuple[str, str], tuple[float, int]]:
    """Pairs of bodies in contact over the poses `qpos` (T, nq): deepest overlap [m] and number of poses."""
    model, data = character.model, mujoco.MjData(character.model)
    out: dict[tuple[str, str], tuple[float, int]] = {}
    for pose in qpos:
        data.qpos[:] = pose
        mujoco.mj_fwdPosition(model, data)
        deepest: dict[tuple[str, str], float] = {}
        for i in range(data.ncon):
            contact = data.contact[i]
            a, b = (int(model.geom_bodyid[g]) for g in contact.geom)
            if a == 0 or b == 0 or contact.dist >= 0.0:
                continue
            pair = (model.body(min(a, b)).name, model.body(max(a, b)).name)
            deepest[pair] = max(deepest.get(pair, 0.0), -float(contact.dist))
        for pair, depth in deepest.items():
            worst, count = out.get(pair, (0.0, 0))
            out[pair] = (max(worst, depth), count + 1)
    return out


def clear_rest(blueprint: Blueprint) -> Blueprint:
    """A blueprint whose rest pose has no self-contact: shapes made thinner, then pairs excluded."""
    for _ in range(6):
        character = Character.from_blueprint(blueprint)
        pairs = touching(character, character.model.qpos0[None])
        if not pairs:
            return blueprint
        names = {name for pair in pairs for name in pair}
        bodies = []
        changed = False
        for body in blueprint.bodies:
            shapes = tuple(_thinner(s) for s in body.shapes) if body.name in names and not body.foot else body.shapes
            worth = body.name in names and not body.foot and _thinned(body.name, blueprint) > THINNEST
            changed |= worth
            bodies.append(replace(body, shapes=shapes) if worth else body)
        if not changed:
            break
        thin = {n: _thinned(n, blueprint) * 0.9 for n in names}
        blueprint = blueprint.replace(bodies=tuple(bodies), source={**blueprint.source, "thinned": {**blueprint.source.get("thinned", {}), **thin}})
    left = touching(Character.from_blueprint(blueprint), Character.from_blueprint(blueprint).model.qpos0[None])
    if not left:
        return blueprint
    lines = ", ".join(f"{a} and {b}" for a, b in left)
    return blueprint.replace(
        excludes=(*blueprint.excludes, *left), report=(*blueprint.report, f"do not collide, they overlap in the rest pose: {lines}")
    )


def clear_clip(blueprint: Blueprint, qpos: Array) -> Blueprint:
    """Exclude pairs that overlap through much of the clip's poses `qpos` (T, nq)."""
    sample = qpos[np.unique(np.linspace(0, len(qpos) - 1, 40).astype(int))]
    pairs = touching(Character.from_blueprint(blueprint), sample)
    often = [pair for pair, (_, count) in pairs.items() if count > OFTEN * len(sample) and count > 1]
    if not often:
        return blueprint
    lines = ", ".join(f"{a} and {b}" for a, b in often)
    return blueprint.replace(
        excludes=(*blueprint.excludes, *often), report=(*blueprint.report, f"do not collide, they overlap in the clip: {lines}")
    )


def _thinned(name: str, blueprint: Blueprint) -> float:
    return float(blueprint.source.get("thinned", {}).get(name, 1.0))


def _thinner(shape: Shape) -> Shape:
    if shape.kind == "box":
        return shape
    radius = shape.size[0]
    if shape.kind == "sphere":
        return replace(shape, size=(0.9 * radius,))
    # The capsule keeps its ends where they are.
    return replace(shape, size=(0.9 * radius, shape.size[1] + 0.1 * radius))
