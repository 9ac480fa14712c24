"""Acclaim skeletons (ASF) and motions (AMC).

A bone b hangs at the far end of its parent p and turns about axes of its own, given once as C_b in the rest pose:

    R_b = R_p  C_b M_b C_b^-1           p_b = p_p + R_p (length_p direction_p)

with M_b the product of its degrees of freedom; an order "rx ry rz" or "XYZ" turns about x first: M = Rz Ry Rx. Each bone becomes a
joint at its near end, all aligned with the world in the rest pose; a last bone's far end becomes a tip. An .asf alone is its rest pose.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from surefoot.errors import InputError, one_line
from surefoot.motion import quaternion
from surefoot.motion.asf import Bone, Figure, number, parse_figure, text_lines
from surefoot.motion.axes import UpAxis, turn, upright
from surefoot.motion.files import ReadOptions, without_first_frame
from surefoot.motion.limits import MAX_FRAMES, check_count, check_size, read_bytes, shown
from surefoot.motion.motion import Guess, Motion, Source
from surefoot.motion.skeleton import Skeleton, Tip

Array = NDArray[np.float64]

USUAL_FPS = 120.0
INCH = 0.0254


def read(data: bytes, name: str, options: ReadOptions, folder: Path | None = None) -> Motion:
    """Read an AMC with the skeleton that `options.skeleton` names, or the only .asf in `folder`; an ASF as its rest pose."""
    if is_figure(data):
        return compose(parse_figure(data, name), None, name, options, "")
    path = options.skeleton or _only_figure(folder, name)
    figure = parse_figure(read_bytes(path), shown(path))
    return compose(figure, parse_frames(data, name, figure), name, options, shown(path))


def is_figure(data: bytes) -> bool:
    """Whether the text is an ASF rather than an AMC."""
    head = data[:65536].lower()
    return b":bonedata" in head or b":hierarchy" in head


def parse_frames(data: bytes, name: str, figure: Figure) -> tuple[dict[str, Array], list[str]]:
    """The channels of each bone (T, num_dof), angles as written, and warnings."""
    widths = {bone.name: len(bone.dof) for bone in figure.bones}
    values: dict[str, list[list[float]]] = {bone: [] for bone in widths}
    frames, started, numbers = 0, 0, 0
    unit = figure.degrees
    for line, text in text_lines(data, name):
        words = text.split()
        if text.startswith(":"):
            unit = {":degrees": True, ":radians": False}.get(words[0].lower(), unit)
            continue
        if len(words) == 1 and words[0].lstrip("+-").isdigit():
            _check_complete(values, widths, frames, name, started)
            frames = check_count(f"{name}, line {line}: frames", frames + 1, MAX_FRAMES)
            check_size(frames, len(widths), numbers)
            started = line
            continue
        if frames == 0:
            raise InputError(f"{name}, line {line}: a frame number was expected before '{one_line(text, 40)}'.")
        bone = words[0]
        if bone not in widths:
            raise InputError(f"{name}, line {line}: the skeleton has no bone '{one_line(bone, 40)}'; is it the right .asf?")
        if len(words) - 1 != widths[bone]:
            raise InputError(f"{name}, line {line}: bone '{bone}' has {len(words) - 1} numbers, its skeleton says {widths[bone]}.")
        if len(values[bone]) >= frames:
            raise InputError(f"{name}, line {line}: bone '{bone}' stands twice in its frame.")
        values[bone].append([number(word, name, line) for word in words[1:]])
        numbers += len(words) - 1
    _check_complete(values, widths, frames, name, started)
    if frames == 0:
        raise InputError(f"{name}: no frames; a line with the frame's number was expected before its bones.")
    still = [bone for bone, rows in values.items() if not rows and widths[bone]]
    warnings = [f"bones without data, held at rest: {one_line(', '.join(still), 120)}"] if still else []
    figure_unit = figure.with_unit(degrees=unit)
    scale = np.pi / 180.0 if figure_unit.degrees else 1.0
    channels: dict[str, Array] = {}
    for part in figure.bones:
        rows = np.array(values[part.name] or np.zeros((frames, len(part.dof))), dtype=float).reshape(frames, -1)
        factors = np.array([scale if d.startswith("r") else 1.0 for d in part.dof])
        channels[part.name] = rows * factors
    return channels, warnings


def compose(
    figure: Figure, content: tuple[dict[str, Array], list[str]] | None, name: str, options: ReadOptions, skeleton_file: str
) -> Motion:
    """The Motion of a figure and its channels (its rest pose when None)."""
    up: UpAxis = options.up or "Y"
    unit_m, guesses = _unit(figure, options)
    if options.up is None:
        guesses.append(Guess(what="up axis", value="Y", confidence=0.95, why="the custom of Acclaim files", override="--up Z"))
    body = _skeleton(figure, unit_m, up)
    if content is None:
        channels = {bone.name: np.zeros((1, len(bone.dof))) for bone in figure.bones}
        warnings = ["a skeleton without a motion: its rest pose"]
    else:
        channels, warnings = content
        if options.fps is None:
            guesses.append(
                Guess(what="fps", value="120", confidence=0.8, why="the file holds no rate; 120 is the custom", override="--fps 60")
            )
    frames = len(channels[figure.bones[0].name])
    check_size(frames, len(figure.bones), sum(rows.size for rows in channels.values()))

    translations = np.tile(body.translations, (frames, 1, 1))
    rotations = np.tile(quaternion.IDENTITY, (frames, len(figure.bones), 1))
    slots = figure.order
    stretched: dict[int, Array] = {}
    for j, b in enumerate(slots):
        bone = figure.bones[b]
        rotation, shift, length = _pose(bone, channels[bone.name])
        if bone.parent < 0:  # the skeleton's root position is added to the data, as the format's definition says
            translations[:, j] = turn(up, (np.asarray(bone.position) + shift) * unit_m)
            rotations[:, j] = quaternion.multiply(upright(up), rotation)
        else:
            translations[:, j] += shift * unit_m
            rotations[:, j] = rotation
        if length is not None:
            stretched[b] = length
    for j, b in enumerate(slots):  # a bone that stretches moves what hangs at its end
        parent = figure.bones[b].parent
        if parent in stretched:
            translations[:, j] += stretched[parent][:, None] * np.asarray(figure.bones[parent].direction) * unit_m
    stem = name.rsplit(".", 1)[0]
    motion = Motion(
        body,
        translations,
        quaternion.continuous(rotations),
        1.0 / (options.fps or USUAL_FPS),
        name=stem,
        source=Source(
            format="amc",
            file=name,
            clip=stem,
            unit_m=unit_m,
            up_axis=up,
            guesses=tuple(guesses),
            warnings=tuple(figure.warnings) + tuple(warnings),
            extra={"skeleton": skeleton_file} if skeleton_file else {},
        ),
    )
    return without_first_frame(motion) if options.drop_first_frame and content is not None else motion


def _pose(bone: Bone, values: Array) -> tuple[Array, Array, Array | None]:
    """A bone's rotation C M C^-1 (T, 4), shift C t (T, 3) in file units, and change of length (T,) or None."""
    turned = np.tile(quaternion.IDENTITY, (len(values), 1))
    shift = np.zeros((len(values), 3))
    length = None
    for k, dof in enumerate(bone.dof):
        if dof[0] == "r":
            turned = quaternion.multiply(quaternion.about(np.eye(3)["xyz".index(dof[1])], values[:, k]), turned)
        elif dof[0] == "t":
            shift[:, "xyz".index(dof[1])] += values[:, k]
        else:
            length = values[:, k]
    axis = bone.axis
    rotation = quaternion.multiply(quaternion.multiply(axis, turned), quaternion.conjugate(axis))
    # A root's shift is in the file's axes, any other's in the bone's own.
    return rotation, shift if bone.parent < 0 else quaternion.rotate(axis, shift), length


def _skeleton(figure: Figure, unit_m: float, up: UpAxis) -> Skeleton:
    """The rest pose: every joint aligned with the world, the root's joint turned upright."""
    slot = {b: j for j, b in enumerate(figure.order)}
    translations, parents = np.zeros((len(slot), 3)), np.full(len(slot), -1)
    rotations = np.tile(quaternion.IDENTITY, (len(slot), 1))
    has_child = {bone.parent for bone in figure.bones}
    tips = []
    for b, j in slot.items():
        bone = figure.bones[b]
        if bone.parent < 0:
            translations[j] = turn(up, np.asarray(bone.position) * unit_m)
            rotations[j] = upright(up)
        else:
            above = figure.bones[bone.parent]
            parents[j] = slot[bone.parent]
            translations[j] = np.asarray(above.direction) * above.length * unit_m
        if b not in has_child and bone.length > 0.0:
            tips.append(Tip(joint=j, offset=np.asarray(bone.direction) * bone.length * unit_m))
    return Skeleton(
        names=tuple(figure.bones[b].name for b in figure.order),
        parents=parents,
        translations=translations,
        rotations=rotations,
        tips=tuple(tips),
    )


def _unit(figure: Figure, options: ReadOptions) -> tuple[float, list[Guess]]:
    """Metres of one unit: a file divides inches by its `length`, by the custom of the CMU files."""
    if options.unit_m is not None:
        return options.unit_m, []
    extent = float(np.ptp(_skeleton(figure, 1.0, "Z").rest[0], axis=0).max())
    custom = INCH / figure.length
    acclaim = f"length {figure.length:g} of an inch, the custom of Acclaim files"
    for unit_m, why in ((custom, acclaim), (0.01, "cm"), (1.0, "m"), (0.001, "mm")):
        if 0.5 <= extent * unit_m <= 4.0:
            confidence = 0.95 if unit_m == custom else 0.5
            text = f"{why}; makes the figure {extent * unit_m:.2f} m"
            return unit_m, [Guess(what="unit", value=f"{unit_m:.6g} m", confidence=confidence, why=text, override="--unit cm")]
    text = f"length {figure.length:g} of an inch; makes the figure {extent * custom:.3g} m"
    return custom, [Guess(what="unit", value=f"{custom:.6g} m", confidence=0.3, why=text, override="--unit cm")]


def _only_figure(folder: Path | None, name: str) -> Path:
    found = sorted(p for p in folder.iterdir() if p.suffix.lower() == ".asf") if folder is not None and folder.is_dir() else []
    if len(found) != 1:
        exist = f"{len(found)} stand beside it: {', '.join(p.name for p in found[:6])}" if found else "none stands beside it"
        raise InputError(f"{name}: an .amc needs its skeleton, an .asf; {exist}. Name one with --skeleton FILE.asf.")
    return found[0]


def _check_complete(values: dict[str, list[list[float]]], widths: dict[str, int], frames: int, name: str, line: int) -> None:
    """Every bone that has data has it in each frame."""
    for bone, rows in values.items():
        if widths[bone] and len(rows) != frames and (rows or (frames and bone == "root")):
            raise InputError(f"{name}, line {line}: the frame that begins here has no line for bone '{bone}', other frames have.")
