"""Pictures of a motion without a graphics card: one frame, or a contact sheet of many.

Bones are drawn as round cones, left limbs warm, right limbs cool, so that a person can tell the legs apart. `width` and `height` are of one
frame; everything is painted at twice the size and averaged down.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from surefoot.motion import quaternion
from surefoot.motion.motion import Motion
from surefoot.motion.skeleton import Skeleton
from surefoot.painter import Camera, Cones, paint

Array = NDArray[np.float64]
View = Literal["side", "quarter", "front"]

LEFT, RIGHT, MIDDLE, GHOST = (0.93, 0.52, 0.22), (0.20, 0.52, 0.78), (0.74, 0.74, 0.72), (0.55, 0.62, 0.70)
SUPERSAMPLE = 2


def side_of(name: str) -> int:
    """+1 for a name that says left, -1 for right, 0 for neither: "LeftFoot", "foot.L", "r_arm", "mixamorig:RightLeg"."""
    words = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name.rsplit(":", 1)[-1])
    lower = {word.lower() for word in words}
    if lower & {"left", "l"} or name.lower().startswith("left"):
        return 1
    return -1 if lower & {"right", "r"} or name.lower().startswith("right") else 0


def heading(motion: Motion) -> Array:
    """The unit horizontal direction (3,) the character travels in, or faces when it stays: forward = left - right, turned by -90 degrees."""
    positions = motion.joint_positions
    root = positions[:, motion.skeleton.roots[0]]
    travel = (root[-1] - root[0]) * [1.0, 1.0, 0.0]
    if np.linalg.norm(travel) > 0.6 * motion.skeleton.height:
        return travel / np.linalg.norm(travel)
    sides = np.array([side_of(name) for name in motion.skeleton.names])
    if (sides > 0).any() and (sides < 0).any():
        across = positions[:, sides > 0].mean(1) - positions[:, sides < 0].mean(1)
        forward = np.cross(across, [0.0, 0.0, 1.0]).mean(0)
        if np.linalg.norm(forward) > 0.02 * motion.skeleton.height:
            return forward / np.linalg.norm(forward)
    return np.array([1.0, 0.0, 0.0])


def flesh(skeleton: Skeleton) -> Iterator[tuple[int, Array, Array, float, float, int]]:
    """Round cones that clothe the bones: (joint, from, to, radius, radius, side), both ends in the joint's frame [m]."""
    positions, world = skeleton.rest
    height = skeleton.height
    sides = [side_of(name) for name in skeleton.names]
    ends: list[list[tuple[Array, int, str]]] = [[] for _ in skeleton.names]
    for j, p in enumerate(skeleton.parents):
        if p >= 0:
            ends[p].append((quaternion.rotate(quaternion.conjugate(world[p]), positions[j] - positions[p]), sides[j], ""))
    for tip in skeleton.tips:
        ends[tip.joint].append((tip.offset, sides[tip.joint], tip.name or "tip"))
    paired = {s: [j for j, side in enumerate(sides) if side == s] for s in (1, -1)}
    across = positions[paired[1]].mean(0) - positions[paired[-1]].mean(0) if paired[1] and paired[-1] else np.zeros(3)
    across = across / max(float(np.linalg.norm(across)), 1e-9)
    for j, bones in enumerate(ends):
        limbs = sum(sides[d] != 0 for d in skeleton.descendants(j))
        below = len(skeleton.descendants(j)) - 1
        wide = quaternion.rotate(quaternion.conjugate(world[j]), across)
        girdle = [offset for offset, side, _ in bones if sides[j] == 0 and side != 0]
        middle = np.mean(girdle, axis=0) if girdle else np.zeros(3)
        for offset, side, tip in bones:
            length = float(np.linalg.norm(offset))
            if length < 1e-4 * height:
                continue
            if sides[j] != 0:
                thick = float(np.clip(0.16 * length, 0.013 * height, 0.044 * height))
                yield j, np.zeros(3), offset, thick, thick * (0.72 if length > 0.08 * height else 0.9), sides[j]
            elif side != 0:  # hips and shoulders: a bar from the middle to the limb
                yield j, middle, offset, 0.046 * height, 0.036 * height, 0
            elif tip and re.search("head|neck", skeleton.names[j].lower()):
                yield from _head(j, offset, height, alone=len(bones) == 1)
            elif limbs:
                for s in (1.0, -1.0):
                    yield j, s * 0.026 * height * wide, offset + s * 0.026 * height * wide, 0.054 * height, 0.054 * height, 0
            else:  # a tail or a neck: thinner towards its end
                thick = np.minimum(0.5 * length, np.array([0.026, 0.013]) * height + 0.013 * below * height)
                yield j, np.zeros(3), offset, float(thick[0]), float(thick[1]), 0


def _head(joint: int, offset: Array, height: float, *, alone: bool) -> Iterator[tuple[int, Array, Array, float, float, int]]:
    """A neck and a skull along the last bone of the spine; a head with several tips has a cone to each of them."""
    length = float(np.linalg.norm(offset))
    skull = min(0.34 * length, 0.075 * height)
    top = offset * (1.0 - skull / length)
    low = offset * max(1.0 - 1.9 * skull / length, 0.1)
    if alone:
        yield joint, np.zeros(3), low, 0.033 * height, 0.033 * height, 0
        yield joint, low, top, 0.82 * skull, skull, 0
    else:
        yield joint, np.zeros(3), offset * (1.0 - 0.6 * skull / length), 1.1 * skull, 0.6 * skull, 0


def dressed(motion: Motion, time: float, tints: tuple[tuple[float, float, float], ...] = (MIDDLE, LEFT, RIGHT)) -> Cones:
    """The character's cones at `time` [s]; tints of the middle, the left and the right."""
    translations, rotations = motion.sample([time])
    positions, world = motion.skeleton.forward(translations[0], rotations[0])
    parts = list(flesh(motion.skeleton))
    joints = [part[0] for part in parts]
    a = positions[joints] + quaternion.rotate(world[joints], np.array([part[1] for part in parts]))
    b = positions[joints] + quaternion.rotate(world[joints], np.array([part[2] for part in parts]))
    colours = np.array([tints[part[5]] for part in parts])
    return Cones(a=a, b=b, radius_a=np.array([p[3] for p in parts]), radius_b=np.array([p[4] for p in parts]), colours=colours)


def look_at(motion: Motion, time: float, view: View, width: int, height: int) -> Camera:
    """A camera that follows the root along the floor and holds its height, so that a jump is seen to leave the ground."""
    translations, rotations = motion.sample([time])
    root = motion.skeleton.forward(translations, rotations)[0][0, motion.skeleton.roots[0]]
    points = motion.joint_positions - motion.joint_positions[:, motion.skeleton.roots[:1]] * [1.0, 1.0, 0.0]
    tips = motion.tip_positions - motion.joint_positions[:, motion.skeleton.roots[:1]] * [1.0, 1.0, 0.0]
    points = np.concatenate([points.reshape(-1, 3), tips.reshape(-1, 3)])
    forward = heading(motion)
    right = np.cross(forward, [0.0, 0.0, 1.0])
    out = {"side": right, "quarter": 0.66 * right + 0.75 * forward, "front": forward}[view]
    across = np.cross([0.0, 0.0, 1.0], out / np.linalg.norm(out))
    low, high = min(float(points[:, 2].min()), 0.0), float(points[:, 2].max())
    near, far = float((points @ across).min()), float((points @ across).max())
    view_height = 1.16 * max(high - low, (far - near) * height / width, 0.6 * motion.skeleton.height)
    target = np.array([root[0], root[1], 0.5 * (low + high)]) + 0.5 * (near + far) * across
    tilt = {"side": 0.16, "quarter": 0.30, "front": 0.16}[view]
    eye = target + 3.2 * view_height * (out / np.linalg.norm(out) + [0.0, 0.0, tilt])
    return Camera(eye=eye, target=target, view_height=view_height, width=width, height=height)


def picture(
    motion: Motion, time: float, *, view: View = "quarter", size: tuple[int, int] = (320, 320), ghost: Motion | None = None
) -> Image.Image:
    """One frame of `motion` at `time` [s]; a `ghost`, another motion, shines through behind it."""
    camera = look_at(motion, time, view, size[0] * SUPERSAMPLE, size[1] * SUPERSAMPLE)
    cones = dressed(motion, time)
    pixels = paint(cones, camera)
    if ghost is not None:
        pixels = paint(dressed(ghost, time, (GHOST,) * 3), camera, background=pixels, opacity=0.45)
        pixels = paint(cones, camera, background=pixels, opacity=0.85)
    small = pixels.reshape(size[1], SUPERSAMPLE, size[0], SUPERSAMPLE, 3).mean((1, 3))
    return Image.fromarray((np.clip(small, 0.0, 1.0) * 255.0 + 0.5).astype(np.uint8), "RGB")


def contact_sheet(
    motion: Motion,
    *,
    frames: int = 8,
    view: View = "side",
    size: tuple[int, int] = (240, 280),
    ghost: Motion | None = None,
    columns: int | None = None,
) -> Image.Image:
    """`frames` pictures at equal steps of time, from the first frame to the last, each with its time."""
    frames = max(1, frames)
    columns = columns or min(frames, 6)
    rows = -(-frames // columns)
    gap = 3
    sheet = Image.new("RGB", (columns * (size[0] + gap) - gap, rows * (size[1] + gap) - gap), "white")
    draw = ImageDraw.Draw(sheet)
    font = ImageFont.load_default(13)
    for n, time in enumerate(np.linspace(0.0, motion.duration, frames)):
        left, top = n % columns * (size[0] + gap), n // columns * (size[1] + gap)
        sheet.paste(picture(motion, float(time), view=view, size=size, ghost=ghost), (left, top))
        draw.text((left + 7, top + 5), f"{time:.2f} s", fill=(70, 76, 84), font=font)
    return sheet
