"""Bones clothed in round cones, so that a skeleton looks like a body: what pictures and meshes of our own material are made of.

Radii follow from the bones' lengths and the skeleton's height. Sides are told by the joints' names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from surefoot.motion import quaternion
from surefoot.motion.skeleton import Skeleton

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Limb:
    """A round cone that hangs on a joint; both ends in the joint's frame [m]."""

    joint: int
    start: Array  # (3,)
    end: Array  # (3,)
    radius_start: float
    radius_end: float
    side: int
    """+1 left, -1 right, 0 the middle."""


def side_of(name: str) -> int:
    """+1 for a name that says left, -1 for right, 0 for neither: "LeftFoot", "foot.L", "r_arm", "mixamorig:RightLeg"."""
    words = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name.rsplit(":", 1)[-1])
    lower = {word.lower() for word in words}
    if lower & {"left", "l"} or name.lower().startswith("left"):
        return 1
    return -1 if lower & {"right", "r"} or name.lower().startswith("right") else 0


@lru_cache(maxsize=32)
def clothe(skeleton: Skeleton) -> tuple[Limb, ...]:
    """The limbs of a body, joint by joint."""
    return tuple(_limbs(skeleton))


def _limbs(skeleton: Skeleton) -> Iterator[Limb]:
    positions, world = skeleton.rest
    height = skeleton.height
    sides = [side_of(name) for name in skeleton.names]
    paired = {s: [j for j, side in enumerate(sides) if side == s] for s in (1, -1)}
    across = positions[paired[1]].mean(0) - positions[paired[-1]].mean(0) if paired[1] and paired[-1] else np.zeros(3)
    across = across / max(float(np.linalg.norm(across)), 1e-9)
    nothing = np.zeros(3)
    for j, bones in enumerate(_bones(skeleton, sides)):
        family = skeleton.descendants(j)
        trunk = any(sides[d] != 0 for d in family)
        wide = quaternion.rotate(quaternion.conjugate(world[j]), across)
        girdle = [offset for offset, side, _ in bones if sides[j] == 0 and side != 0]
        middle = np.asarray(np.mean(girdle, axis=0)) if girdle else nothing
        for offset, side, tip in bones:
            length = float(np.linalg.norm(offset))
            if length < 1e-4 * height:
                continue
            if sides[j] != 0:
                thick = float(np.clip(0.19 * length, 0.013 * height, 0.044 * height))
                yield _limb(j, nothing, offset, thick, thick * (0.72 if length > 0.08 * height else 0.9), sides[j])
            elif side != 0:  # hips and shoulders: a bar from the middle to the limb
                yield _limb(j, middle, offset, 0.046 * height, 0.036 * height, 0)
            elif tip and re.search("head|neck", skeleton.names[j].lower()):
                yield from _head(j, offset, height, alone=len(bones) == 1)
            elif trunk:
                for s in (1.0, -1.0):
                    shift = s * 0.026 * height * wide
                    yield _limb(j, shift, offset + shift, 0.054 * height, 0.054 * height, 0)
            else:  # a tail or a neck: thinner towards its end
                start, end = (min(0.5 * length, (part + 0.013 * (len(family) - 1)) * height) for part in (0.026, 0.013))
                yield _limb(j, nothing, offset, start, end, 0)


def _bones(skeleton: Skeleton, sides: list[int]) -> list[list[tuple[Array, int, bool]]]:
    """For each joint its bones: where they end in the joint's frame, the side of what is there, whether it is a tip."""
    positions, world = skeleton.rest
    out: list[list[tuple[Array, int, bool]]] = [[] for _ in skeleton.names]
    for j, p in enumerate(skeleton.parents):
        if p >= 0:
            out[p].append((quaternion.rotate(quaternion.conjugate(world[p]), positions[j] - positions[p]), sides[j], False))
    for tip in skeleton.tips:
        out[tip.joint].append((tip.offset, sides[tip.joint], True))
    return out


def _head(joint: int, offset: Array, height: float, *, alone: bool) -> Iterator[Limb]:
    """A neck and a skull along the last bone of the spine; a head with several tips has a cone to each of them."""
    length = float(np.linalg.norm(offset))
    skull = min(0.34 * length, 0.075 * height)
    if alone:
        low = offset * max(1.0 - 1.9 * skull / length, 0.1)
        yield _limb(joint, np.zeros(3), low, 0.033 * height, 0.033 * height, 0)
        yield _limb(joint, low, offset * (1.0 - skull / length), 0.82 * skull, skull, 0)
    else:
        yield _limb(joint, np.zeros(3), offset * (1.0 - 0.6 * skull / length), 1.1 * skull, 0.6 * skull, 0)


def _limb(joint: int, start: Array, end: Array, radius_start: float, radius_end: float, side: int) -> Limb:
    return Limb(joint=joint, start=start, end=end, radius_start=radius_start, radius_end=radius_end, side=side)
