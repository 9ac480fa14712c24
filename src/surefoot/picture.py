"""Pictures of motions and characters without a graphics card: one frame, a contact sheet, frames of a film.

Left limbs are warm, right limbs cool, so that a person can tell the legs apart. A ghost, another motion or pose, shines through behind.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from surefoot.clothing import clothe, side_of
from surefoot.errors import InputError, unknown_name
from surefoot.motion import quaternion
from surefoot.motion.motion import Motion
from surefoot.painter import Camera, Pixels, paint
from surefoot.solids import Block, Colour, Cone, Solid

if TYPE_CHECKING:
    from surefoot.character.character import Character

Array = NDArray[np.float64]
View = Literal["side", "quarter", "front"]

LEFT, RIGHT, MIDDLE, GHOST = (0.93, 0.52, 0.22), (0.20, 0.52, 0.78), (0.74, 0.74, 0.72), (0.55, 0.62, 0.70)
LARGEST = 4096
"""No picture is wider or higher [pixels]."""
_VIEWS: dict[str, tuple[float, float, float]] = {"side": (1.0, 0.0, 0.16), "quarter": (0.66, 0.75, 0.30), "front": (0.0, 1.0, 0.16)}
"""How far the eye stands to the character's right, ahead of it and above."""


def heading(motion: Motion) -> Array:
    """The unit horizontal direction (3,) the character travels in, or faces when it stays: left minus right, turned by -90 degrees."""
    positions = motion.joint_positions
    root = positions[:, motion.skeleton.roots[0]]
    travel = (root[-1] - root[0]) * [1.0, 1.0, 0.0]
    if np.linalg.norm(travel) > 0.6 * motion.skeleton.height:
        return np.asarray(travel / np.linalg.norm(travel))
    sides = np.array([side_of(name) for name in motion.skeleton.names])
    if (sides > 0).any() and (sides < 0).any():
        across = positions[:, sides > 0].mean(1) - positions[:, sides < 0].mean(1)
        forward = np.cross(across, [0.0, 0.0, 1.0]).mean(0)
        if np.linalg.norm(forward) > 0.02 * motion.skeleton.height:
            return np.asarray(forward / np.linalg.norm(forward))
    return np.array([1.0, 0.0, 0.0])


def dressed(motion: Motion, time: float, tints: tuple[Colour, Colour, Colour] = (MIDDLE, LEFT, RIGHT)) -> list[Solid]:
    """The clothed skeleton at `time` [s]; tints of the middle, the left and the right."""
    translations, rotations = motion.sample([time])
    positions, world = motion.skeleton.forward(translations[0], rotations[0])
    limbs = clothe(motion.skeleton)
    joints = [limb.joint for limb in limbs]
    starts = positions[joints] + quaternion.rotate(world[joints], np.array([limb.start for limb in limbs]).reshape(-1, 3))
    ends = positions[joints] + quaternion.rotate(world[joints], np.array([limb.end for limb in limbs]).reshape(-1, 3))
    return [
        Cone(a=a, b=b, radius_a=limb.radius_start, radius_b=limb.radius_end, colour=tints[limb.side])
        for limb, a, b in zip(limbs, starts, ends, strict=True)
    ]


def look_at(motion: Motion, time: float, view: View, width: int, height: int) -> Camera:
    """A camera that follows the root along the floor and holds its height, so that a jump is seen to leave the ground."""
    translations, rotations = motion.sample([time])
    root = motion.skeleton.forward(translations, rotations)[0][0, motion.skeleton.roots[0]]
    along = motion.joint_positions[:, motion.skeleton.roots[:1]] * [1.0, 1.0, 0.0]
    points = np.concatenate([(motion.joint_positions - along).reshape(-1, 3), (motion.tip_positions - along).reshape(-1, 3)])
    return aim(root, points, heading(motion), motion.skeleton.height, view, (width, height))


def aim(root: Array, points: Array, forward: Array, tall: float, view: View, size: tuple[int, int]) -> Camera:
    """The camera that has all `points` (n, 3), given from the root's place on the floor, in sight."""
    if view not in _VIEWS:
        raise unknown_name("view", view, _VIEWS)
    width, height = size
    if not (1 <= width <= LARGEST and 1 <= height <= LARGEST):
        raise InputError(f"a picture is 1 to {LARGEST} pixels wide and high, got {width} x {height}.")
    sideways, ahead, tilt = _VIEWS[view]
    out = sideways * np.cross(forward, [0.0, 0.0, 1.0]) + ahead * forward
    out = out / np.linalg.norm(out)
    across = np.cross([0.0, 0.0, 1.0], out)
    low, high = min(float(points[:, 2].min()), 0.0), float(points[:, 2].max())
    near, far = float((points @ across).min()), float((points @ across).max())
    middle = 0.5 * (near + far) * across + np.array([0.0, 0.0, 0.5 * (low + high)])
    view_height = 1.16 * max(high - low, (far - near) * height / width, 0.6 * tall)
    stand = 3.2 * (out + np.array([0.0, 0.0, tilt]))
    for _ in range(2):  # what comes near the eye looks larger: step back until all is in sight
        camera = Camera(eye=middle + view_height * stand, target=middle, view_height=view_height, width=width, height=height)
        places, _ = camera.project(points)
        reach = float(np.abs(2.0 * places / [width, height] - 1.0).max())
        view_height *= max(1.0, reach / 0.9)
    target = middle + root * [1.0, 1.0, 0.0]
    return Camera(eye=target + view_height * stand, target=target, view_height=view_height, width=width, height=height)


def picture(
    motion: Motion, time: float, *, view: View = "quarter", size: tuple[int, int] = (320, 320), ghost: Motion | None = None
) -> Image.Image:
    """One frame of `motion` at `time` [s]; a `ghost`, another motion, shines through behind it."""
    camera = look_at(motion, time, view, *size)
    return _image(painted(dressed(motion, time), None if ghost is None else dressed(ghost, time, (GHOST,) * 3), camera, 0.0))


def painted(solids: Sequence[Solid], ghost: Sequence[Solid] | None, camera: Camera, floor: float | None) -> Pixels:
    pixels = paint(solids, camera, floor=floor)
    if ghost is not None:
        pixels = paint(ghost, camera, floor=floor, background=pixels, opacity=0.45)
        pixels = paint(solids, camera, floor=floor, background=pixels, opacity=0.85)
    return pixels


def as_bytes(pixels: Pixels) -> NDArray[np.uint8]:
    return np.asarray(np.clip(pixels, 0.0, 1.0) * 255.0 + 0.5, dtype=np.uint8)


def _image(pixels: Pixels) -> Image.Image:
    return Image.fromarray(as_bytes(pixels), "RGB")


def contact_sheet(
    motion: Motion,
    *,
    frames: int = 8,
    view: View = "side",
    size: tuple[int, int] = (240, 280),
    ghost: Motion | None = None,
    columns: int | None = None,
    times: Sequence[float] | None = None,
) -> Image.Image:
    """Pictures at `times` [s], or `frames` of them at equal steps from the first frame to the last, each with its time."""
    times = times or np.linspace(0.0, motion.duration, max(1, frames)).tolist()
    return tiled([picture(motion, float(t), view=view, size=size, ghost=ghost) for t in times], [f"{t:.2f} s" for t in times], columns)


def tiled(images: Sequence[Image.Image], titles: Sequence[str], columns: int | None = None) -> Image.Image:
    """Pictures of one size in rows, each with its title."""
    columns = columns or min(len(images), 6)
    rows = -(-len(images) // columns)
    gap = 3
    width, height = images[0].size
    sheet = Image.new("RGB", (columns * (width + gap) - gap, rows * (height + gap) - gap), "white")
    draw = ImageDraw.Draw(sheet)
    font = ImageFont.load_default(13)
    for n, (image, title) in enumerate(zip(images, titles, strict=True)):
        left, top = n % columns * (width + gap), n // columns * (height + gap)
        sheet.paste(image, (left, top))
        draw.text((left + 7, top + 5), title, fill=(70, 76, 84), font=font)
    return sheet


def geoms(model: Any, data: Any) -> tuple[list[Solid], float | None]:
    """The visible geoms of a MuJoCo model as solids, and the floor's height (None without a level plane). Meshes are drawn as boxes."""
    import mujoco

    kinds = mujoco.mjtGeom
    solids: list[Solid] = []
    floor: float | None = None
    for g in range(model.ngeom):
        material = int(model.geom_matid[g])
        rgba = model.geom_rgba[g] if material < 0 else model.geom_rgba[g] * model.mat_rgba[material]
        centre, axes, size = np.array(data.geom_xpos[g]), np.array(data.geom_xmat[g]).reshape(3, 3), np.array(model.geom_size[g])
        kind = int(model.geom_type[g])
        if kind == kinds.mjGEOM_PLANE:
            if axes[2, 2] > 0.999:
                floor = float(centre[2]) if floor is None else max(floor, float(centre[2]))
            continue
        if rgba[3] == 0.0 or model.geom_group[g] > 2:
            continue
        colour = (float(rgba[0]), float(rgba[1]), float(rgba[2]))
        if kind in (kinds.mjGEOM_CAPSULE, kinds.mjGEOM_SPHERE):
            along = axes[:, 2] * (size[1] if kind == kinds.mjGEOM_CAPSULE else 0.0)
            radius = float(size[0])
            solids.append(Cone(a=centre - along, b=centre + along, radius_a=radius, radius_b=radius, colour=colour))
        elif kind == kinds.mjGEOM_CYLINDER:
            solids.append(Block(kind="cylinder", centre=centre, axes=axes, half=size[[0, 0, 1]], colour=colour))
        elif kind == kinds.mjGEOM_ELLIPSOID:
            solids.append(Block(kind="ellipsoid", centre=centre, axes=axes, half=size, colour=colour))
        elif kind in (kinds.mjGEOM_BOX, kinds.mjGEOM_MESH):
            middle = centre + axes @ model.geom_aabb[g, :3]
            solids.append(Block(kind="box", centre=middle, axes=axes, half=np.array(model.geom_aabb[g, 3:]), colour=colour))
    return solids, floor


def character_frames(
    character: Character,
    qpos: Array,
    *,
    view: View = "quarter",
    size: tuple[int, int] = (480, 360),
    ghost: Array | None = None,
    extra: Sequence[Sequence[Solid]] | None = None,
) -> Iterator[NDArray[np.uint8]]:
    """Frames (height, width, 3) of a film, one for each pose of `qpos` (T, nq). The camera looks the same way all along and follows the
    root over the floor. `ghost` (T, nq) shines through; `extra` adds solids, frame by frame."""
    import mujoco

    poses = np.atleast_2d(np.asarray(qpos, dtype=float))
    others = None if ghost is None else np.atleast_2d(np.asarray(ghost, dtype=float))
    for given in (poses, others):
        if given is not None and (given.shape[-1] != character.model.nq or len(given) != len(poses)):
            raise InputError(f"'{character.name}' needs poses ({len(poses)}, {character.model.nq}), got {given.shape}.")
    model, data = character.model, mujoco.MjData(character.model)
    positions, rotations = character.world(poses)
    forward = travelling(positions[:, 0], quaternion.rotate(rotations[:, 0], character.forward), character.height)
    points = np.concatenate([outline(model, data, q) for q in poses[:: 1 + len(poses) // 100]])

    def pose(q: Array) -> tuple[list[Solid], float | None]:
        data.qpos[:] = q
        mujoco.mj_kinematics(model, data)
        return geoms(model, data)

    for n, q in enumerate(poses):
        camera = aim(positions[n, 0], points, forward, character.height, view, size)
        solids, floor = pose(q)
        if extra is not None:
            solids += extra[n]
        shade = None if others is None else [tinted(solid) for solid in pose(others[n])[0]]
        yield as_bytes(painted(solids, shade, camera, floor))


def outline(model: Any, data: Any, qpos: Array) -> Array:
    """Corners (P, 3) of boxes around a pose's geoms, with the root above the origin."""
    import mujoco

    data.qpos[:] = qpos
    mujoco.mj_kinematics(model, data)
    own = np.flatnonzero((model.geom_bodyid > 0) & (model.geom_rbound > 0.0))
    centers = data.geom_xpos[own] - data.xpos[1] * [1.0, 1.0, 0.0]
    reach = model.geom_rbound[own, None, None] * np.concatenate([np.eye(3), -np.eye(3)])
    return np.asarray((centers[:, None] + reach).reshape(-1, 3))


def character_picture(
    character: Character, qpos: Array, *, view: View = "quarter", size: tuple[int, int] = (480, 360), ghost: Array | None = None
) -> Image.Image:
    """One pose (nq,) of a character, drawn from its geoms; a `ghost`, another pose, shines through."""
    return Image.fromarray(next(character_frames(character, qpos, view=view, size=size, ghost=ghost)), "RGB")


def travelling(root: Array, forward: Array, tall: float) -> Array:
    """The way (3,) a film's character travels, or faces on the average when it stays."""
    travel = (root[-1] - root[0]) * [1.0, 1.0, 0.0]
    mean = forward.mean(0) * [1.0, 1.0, 0.0]
    for way, enough in ((travel, 0.6 * tall), (mean, 0.1)):
        if np.linalg.norm(way) > enough:
            return np.asarray(way / np.linalg.norm(way))
    return np.array([1.0, 0.0, 0.0])


def tinted(solid: Solid) -> Solid:
    return replace(solid, colour=GHOST)
