"""BVH files, written so that Blender and others open them at the same positions.

A BVH's joints have no rest rotation: with R_j the world rotation and Q_j its rest, the file's world rotation is

    B_j = T^-1 R_j Q_j^-1 T          OFFSET_j = T^-1 (P_j - P_parent) / u          channels: B_parent^-1 B_j as Z Y X angles

where P are rest positions, T turns the file's up axis to Z and u is metres a unit. Position channels stand at roots, and at
joints whose bones change their length; they replace the OFFSET, as in Blender. Readers disagree whether a root's are added to its OFFSET,
so that of an only root is zero.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from surefoot.errors import InputError, one_line, unknown_name
from surefoot.motion import axes, bvh_frame, bvh_guess, quaternion
from surefoot.motion.axes import UpAxis
from surefoot.motion.files import atomic_write
from surefoot.motion.motion import Motion

Array = NDArray[np.float64]

_STRETCH = 1e-6
"""A joint that leaves its rest translation by more than this [m] gets position channels."""


def write(motion: Motion, path: str | Path) -> None:
    """Write a BVH file, in the unit and up axis the motion was read in when it came from one."""
    atomic_write(path, encode(motion))


def encode(motion: Motion, *, up: UpAxis | None = None, unit_m: float | None = None) -> bytes:
    """The bytes of a BVH file; by default as `bvh_frame.frame` chooses: as the BVH it was read from, or in centimetres with Y up."""
    usual = (up, unit_m) if up is not None and unit_m is not None else bvh_frame.frame(motion)
    axis, unit = up or usual[0], usual[1] if unit_m is None else unit_m
    if axis not in get_args(UpAxis):
        raise unknown_name("up axis", axis, get_args(UpAxis))
    if not (np.isfinite(unit) and unit > 0.0):
        raise InputError(f"the length of a unit must be a positive number of metres, got {unit}.")
    back = quaternion.conjugate(axes.upright(axis))
    skeleton = motion.skeleton
    offsets, local, turned, tips = _in_file(motion, back, unit)
    below = skeleton.parents >= 0
    if len(skeleton.roots) == 1:
        offsets[~below] = 0.0
    moving = np.abs(local - offsets).max(axis=(0, 2)) * unit > _STRETCH
    members = np.flatnonzero(moving & below)
    if len(members):
        longest = float(np.abs(offsets[below]).max())
        if "relative" in bvh_guess.reading_below_root(local[:, members], offsets[members], longest)[0]:
            moving |= below  # bones that keep their length tell a reader how the channels are meant
    moving |= ~below
    order: list[int] = []
    head = ["HIERARCHY"]
    for joint, depth, opens in _walk(skeleton.children, skeleton.roots):
        tab = "\t" * depth
        if not opens:
            head.append(f"{tab}}}")
            continue
        order.append(joint)
        channels = "6 Xposition Yposition Zposition" if moving[joint] else "3"
        name = _name(skeleton.names[joint]) or f"joint{joint}"
        head += [f"{tab}{'JOINT' if depth else 'ROOT'} {name}", f"{tab}{{", f"{tab}\tOFFSET {_triple(offsets[joint])}"]
        head += [f"{tab}\tCHANNELS {channels} Zrotation Yrotation Xrotation"]
        ends = [(_name(tip.name), at) for tip, at in zip(skeleton.tips, tips, strict=True) if tip.joint == joint]
        if not ends and not skeleton.children[joint]:
            ends = [("", np.zeros(3))]  # many readers want an End Site at every leaf
        for end, at in ends:
            head += [f"{tab}\t{f'End Site {end}'.strip()}", f"{tab}\t{{", f"{tab}\t\tOFFSET {_triple(at)}", f"{tab}\t}}"]
    blocks = [block for j in order for block in ((local[:, j],) if moving[j] else ()) + (_angles(turned[:, j]),)]
    values = np.concatenate(blocks, axis=1) + 0.0  # + 0.0: no minus before zero
    row = " ".join(["%.9g"] * values.shape[1])
    rows = [row % tuple(numbers) for numbers in values.tolist()]
    return "\n".join([*head, "MOTION", f"Frames: {len(rows)}", f"Frame Time: {motion.frame_time!r}", *rows, ""]).encode()


def _in_file(motion: Motion, back: Array, unit: float) -> tuple[Array, Array, Array, list[Array]]:
    """OFFSETs (J, 3), local translations (T, J, 3) and rotations (T, J, 4), tips, all in the file's axes and unit."""
    skeleton = motion.skeleton
    parents = skeleton.parents
    rest, rest_world = skeleton.rest
    offsets = np.where((parents >= 0)[:, None], rest - rest[parents], rest)
    positions, world = motion.world
    world = quaternion.multiply(world, quaternion.conjugate(rest_world))
    world = quaternion.multiply(quaternion.multiply(back, world), quaternion.conjugate(back))
    local, turned = skeleton.backward(quaternion.rotate(back, positions) / unit, world)
    tips = [quaternion.rotate(back, quaternion.rotate(rest_world[tip.joint], tip.offset)) / unit for tip in skeleton.tips]
    return quaternion.rotate(back, offsets) / unit, local, turned, tips


def _walk(children: tuple[tuple[int, ...], ...], roots: tuple[int, ...]) -> Iterator[tuple[int, int, bool]]:
    """Each joint twice, depth first, as (joint, depth, opens): where its block begins and where it ends."""
    stack = [(root, 0, True) for root in reversed(roots)]
    while stack:
        joint, depth, opens = stack.pop()
        yield joint, depth, opens
        if opens:
            stack.append((joint, depth, False))
            stack.extend((child, depth + 1, True) for child in reversed(children[joint]))


def _angles(q: Array) -> Array:
    """Angles (T, 3) about Z, Y, X [degrees] with q = R_z R_y R_x, without jumps by whole turns."""
    m = quaternion.to_matrix(q)
    z = np.arctan2(m[:, 1, 0], m[:, 0, 0])
    y = np.arctan2(-m[:, 2, 0], np.hypot(m[:, 0, 0], m[:, 1, 0]))
    # From the rest of the matrix once z is undone: where y is 90 degrees and z is noise, x makes up for it.
    x = np.arctan2(np.sin(z) * m[:, 0, 2] - np.cos(z) * m[:, 1, 2], np.cos(z) * m[:, 1, 1] - np.sin(z) * m[:, 0, 1])
    return np.degrees(np.unwrap(np.stack([z, y, x], axis=-1), axis=0))


def _name(name: str) -> str:
    return one_line(name.replace("{", "(").replace("}", ")"))


def _triple(v: Array) -> str:
    return " ".join(f"{c:.9g}" for c in (v + 0.0).tolist())
