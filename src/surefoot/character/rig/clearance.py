"""Bodies that lie in one another: which are made thinner, and which pairs must not collide.

Neighbours never collide. Bodies with one other between them are flesh of one limb or trunk: where they touch, they do not either.
Other pairs that touch at rest are made thinner (limbs, not the trunk), on both sides of the body alike; the rest does not collide.
Pairs that overlap through much of the clip (arms on a thick trunk, crossed legs of a cartoon) do not, since the clip asks for it.
"""

from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot.character.blueprint import Blueprint, Shape
from surefoot.character.character import Character

Array = NDArray[np.float64]
Pair = tuple[str, str]

THINNEST = 0.5
"""No shape loses more than this part of its radius to make room."""
OFTEN = 0.10
"""Pairs that overlap in more than this part of the clip do not collide."""
DEEP = 5e-3 / 1.7
"""By more than this part of the height."""
POSES = 40
"""Poses of the clip that are looked at."""


def touching(model: mujoco.MjModel, qpos: Array) -> dict[Pair, Array]:
    """Pairs of bodies in contact over the poses `qpos` (T, nq): overlap in each pose (T,) [m]."""
    data = mujoco.MjData(model)
    out: dict[Pair, Array] = {}
    for t, pose in enumerate(qpos):
        data.qpos[:] = pose
        mujoco.mj_fwdPosition(model, data)
        if not data.ncon:
            continue
        geoms, depths = data.contact.geom, -data.contact.dist
        bodies = np.sort(model.geom_bodyid[geoms], axis=1)
        for (a, b), depth in zip(bodies, depths, strict=True):
            if a > 0 and depth > 0.0:
                pair = (model.body(a).name, model.body(b).name)
                worst = out.setdefault(pair, np.zeros(len(qpos)))
                worst[t] = max(worst[t], float(depth))
    return out


def clear_rest(blueprint: Blueprint, *, thin: bool = True) -> tuple[Blueprint, Character]:
    """A blueprint whose rest pose has no self-contact, and its character. Without `thin` shapes stay as they are."""
    parents = {body.name: body.parent for body in blueprint.bodies}
    excludes: dict[Pair, None] = {}
    original = {body.name: body.shapes for body in blueprint.bodies}
    trunk = _trunk(blueprint)
    for attempt in range(4):
        character = Character.from_blueprint(blueprint)
        pairs = touching(character.model, character.model.qpos0[None])
        if not pairs:
            break
        less: dict[str, float] = {}
        for pair, depth in pairs.items():
            limbs = [name for name in pair if name not in trunk]
            if not thin or attempt == 3 or not limbs or _near(*pair, parents):
                excludes.update(dict.fromkeys(_mirrored(pair, blueprint, character)))
                continue
            for name in limbs:
                need = (1.05 * float(depth[0]) + 1e-4 * character.height) / len(limbs)
                for side in {name, blueprint.partners.get(name, name)}:
                    less[side] = max(less.get(side, 0.0), need)
        bodies = tuple(_thinner(body.shapes, original[body.name], less.get(body.name, 0.0)) for body in blueprint.bodies)
        blueprint = blueprint.replace(
            bodies=tuple(replace(body, shapes=shapes) for body, shapes in zip(blueprint.bodies, bodies, strict=True)),
            excludes=tuple(dict.fromkeys((*blueprint.excludes, *excludes))),
        )
    else:
        character = Character.from_blueprint(blueprint)
    if excludes:
        blueprint = _reported(blueprint, list(excludes), "they overlap in the rest pose")
    return blueprint, character


def clear_clip(blueprint: Blueprint, character: Character, qpos: Array) -> Blueprint:
    """Exclude pairs that overlap through much of the clip's poses `qpos` (T, nq)."""
    sample = qpos[np.unique(np.linspace(0, len(qpos) - 1, POSES).astype(int))]
    pairs = touching(character.model, sample)
    often: dict[Pair, None] = {}
    for pair, depth in pairs.items():
        if np.count_nonzero(depth > DEEP * character.height) > max(OFTEN * len(sample), 1):
            often.update(dict.fromkeys(_mirrored(pair, blueprint, character)))
    often = {pair: None for pair in often if pair not in blueprint.excludes}
    if not often:
        return blueprint
    return _reported(blueprint.replace(excludes=(*blueprint.excludes, *often)), list(often), "they overlap in the clip")


def _reported(blueprint: Blueprint, pairs: list[Pair], why: str) -> Blueprint:
    lines = ", ".join(f"{a} and {b}" for a, b in pairs[:8]) + (f" and {len(pairs) - 8} more" if len(pairs) > 8 else "")
    return blueprint.replace(report=(*blueprint.report, f"do not collide, {why}: {lines}"))


def _mirrored(pair: Pair, blueprint: Blueprint, character: Character) -> list[Pair]:
    """A pair of bodies and its mirror image, each in the order of the bodies."""
    order = {name: i for i, name in enumerate(character.skeleton.names)}
    other = tuple(blueprint.partners.get(name, name) for name in pair)
    out = []
    for a, b in (pair, other):
        if a != b:
            out.append((a, b) if order[a] < order[b] else (b, a))
    return list(dict.fromkeys(out))


def _near(a: str, b: str, parents: dict[str, str | None]) -> bool:
    """Whether at most one body lies between two."""
    grand = {parents[name] and parents[str(parents[name])] for name in (a, b)}
    return parents[a] == parents[b] or a in grand or b in grand


def _trunk(blueprint: Blueprint) -> set[str]:
    """The bodies in the middle."""
    return {body.name for body in blueprint.bodies if blueprint.partners.get(body.name, "") == body.name or body.parent is None}


def _thinner(shapes: tuple[Shape, ...], original: tuple[Shape, ...], amount: float) -> tuple[Shape, ...]:
    """The shapes with `amount` [m] less radius (boxes: half width), but at least THINNEST of what they had."""
    if amount <= 0.0:
        return shapes
    out = []
    for shape, first in zip(shapes, original, strict=True):
        if shape.kind == "box":
            width = max(shape.size[1] - amount, THINNEST * first.size[1])
            out.append(replace(shape, size=(shape.size[0], width, shape.size[2])))
            continue
        radius = max(shape.size[0] - amount, THINNEST * first.size[0])
        # A capsule's ends stay where they are.
        rest = () if shape.kind == "sphere" else (shape.size[1] + shape.size[0] - radius,)
        out.append(replace(shape, size=(radius, *rest)))
    return tuple(out)
