"""glTF and GLB files: the animated node tree as a motion, in metres with Z up.

Each frame's world transforms are composed exactly, scales included, and only then taken apart:

    L_n = L_parent(n) R_n S_n        p_n = p_parent(n) + L_parent(n) t_n        motion: u Q p_n and the rotation nearest to Q L_n

with u metres a unit and Q the turn of the file's up axis (Y by the standard) to Z. A clip begins at the file's time zero, as players
play it; its frames are chosen such that every key falls on one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path, PurePath

import numpy as np
from numpy.typing import NDArray

from surefoot.errors import InputError, one_line, unknown_name
from surefoot.motion import axes, gltf_tree, quaternion, units
from surefoot.motion.axes import UpAxis
from surefoot.motion.files import Clip, ReadOptions, without_first_frame
from surefoot.motion.gltf_load import Document
from surefoot.motion.gltf_pose import Poser
from surefoot.motion.gltf_sample import Animation, choose_rate, on_raster, read_animations
from surefoot.motion.gltf_write import encode, write
from surefoot.motion.leading import leading_frames
from surefoot.motion.limits import MAX_COORDINATE, check_size
from surefoot.motion.motion import Guess, Motion, Source
from surefoot.motion.skeleton import Skeleton, Tip

__all__ = ["Description", "clips", "describe", "encode", "read", "write"]

Array = NDArray[np.float64]

MAX_TRANSFORMS = 300_000
"""Frames times joints that a clip may be sampled to, unless it has so many keys itself."""
LONG_LEAD = 1.0
"""A clip whose first key comes later than this [s] is read from that key on."""


@dataclass(frozen=True, kw_only=True)
class Description:
    """What is in a glTF file, whether or not it can be read as a motion."""

    name: str
    generator: str
    joints: tuple[str, ...]
    """The joints of the motion, or all nodes when there is no skeleton."""
    clips: tuple[Clip, ...]
    num_nodes: int
    num_skins: int
    num_meshes: int
    num_cameras: int
    num_lights: int
    num_morph_targets: int
    num_animations: int
    has_skeleton: bool
    """Whether it can be read as a motion: it has a skin, or nodes that an animation moves."""
    warnings: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """What it holds, in words."""
        counts = (
            (self.num_nodes, "node"),
            (self.num_skins, "skin"),
            (self.num_meshes, "mesh"),
            (self.num_morph_targets, "morph target"),
            (self.num_cameras, "camera"),
            (self.num_lights, "light"),
            (self.num_animations, "animation"),
        )
        return ", ".join(f"{n} {word if n == 1 else 'meshes' if word == 'mesh' else word + 's'}" for n, word in counts if n) or "nothing"


class _File:
    """A parsed file: its nodes, animations, and which nodes are joints."""

    def __init__(self, data: bytes, name: str, folder: Path | None) -> None:
        self.document = Document(data, name, folder)
        self.warnings: list[str] = []
        self.nodes: gltf_tree.Nodes | None = None
        self.animations: list[Animation] = []
        self.joints: list[int] = []
        self.ends: list[int] = []
        if not self.document.items("nodes"):
            return
        self.nodes = gltf_tree.read_nodes(self.document)
        self.animations, found = read_animations(self.document, len(self.nodes.items))
        self.warnings += found
        moved = set().union(*(a.moved for a in self.animations))
        self.joints, self.ends, left_out = gltf_tree.choose_joints(self.nodes, moved)
        if left_out:
            self.warnings.append(f"moving cameras or lights are left out: {_listed([self.nodes.names[n] for n in left_out])}.")
        self.has_skeleton = bool(self.document.items("skins")) or gltf_tree.moves_bodies(self.nodes, moved)

    has_skeleton = False

    @cached_property
    def motions(self) -> list[Animation]:
        """The animations that move a joint."""
        joints = set(self.joints)
        return [a for a in self.animations if not joints.isdisjoint(a.moved)] if self.has_skeleton else []

    def unused(self, animations: list[Animation]) -> list[str]:
        """What these animations do that a motion cannot hold: a line for those that move no joint, and one for each kind of channel."""
        moving = {a.index for a in self.motions}
        still = [a.name for a in animations if a.index not in moving]
        out = [f"animations that move no joint are left out: {_listed(still)}."] if still else []
        kinds: dict[str, list[str]] = {}
        for animation in animations:
            for kind in dict.fromkeys(animation.unused):
                kinds.setdefault(kind, []).append(animation.name)
        return out + [f"channels of {kind} are not used: {_listed(names)}." for kind, names in sorted(kinds.items())[:8]]

    def pick(self, clip: str | None) -> Animation | None:
        """The animation of that name, the first when None; its name may leave out what stands before a '|'."""
        motions = self.motions
        if clip is None:
            return motions[0] if motions else None
        for spelled in (lambda n: n, lambda n: n.rsplit("|", 1)[-1], str.casefold, lambda n: n.rsplit("|", 1)[-1].casefold()):
            wanted = clip.casefold() if spelled("A") == "a" else clip
            found = [a for a in motions if spelled(a.name) == wanted]
            if found:
                return found[0]
        raise unknown_name("clip", clip, [a.name for a in motions])


def read(data: bytes, name: str, options: ReadOptions | None = None, folder: Path | None = None) -> Motion:
    """The motion in the bytes of a .glb or .gltf; `folder` is where its external buffers are looked for."""
    options = options or ReadOptions()
    _check_options(options)
    file = _File(data, name, folder)
    document, nodes = file.document, file.nodes
    if nodes is None or not file.has_skeleton:
        said = describe_file(file).sentence
        raise document.fail(f"there is no skeleton in it, neither a skin nor nodes that an animation moves; it holds {said}.")
    animation = file.pick(options.clip)
    times, frame_time, extra = _frames(file, animation, options)
    poser = Poser(nodes, file.joints, animation.tracks() if animation is not None else [])
    positions, rotations = poser.pose(times)
    rest = poser.rest()
    up: UpAxis = options.up or "Y"
    unit, guesses = _unit(file, rest[0], up, options)
    _check_lengths(document, positions, unit)

    positions, rotations = _upright(positions, rotations, up, unit)
    skeleton = _skeleton(file, poser, _upright(*rest, up, unit), unit)
    clip = animation.name if animation is not None else ""
    others = [a.name for a in file.motions if a is not animation]
    if options.clip is None and others:
        extra["other_clips"] = others
    if animation is None:
        file.warnings.append("no animation moves the skeleton; its rest pose is one frame.")
    warnings = (*file.warnings, *(file.unused([animation]) if animation is not None else ()))
    source = Source(
        format="gltf", file=document.name, clip=clip, unit_m=unit, up_axis=up, guesses=tuple(guesses), warnings=warnings, extra=extra
    )
    translations, local = skeleton.backward(positions, rotations)
    motion = Motion(
        skeleton, translations, quaternion.continuous(local), frame_time, name=clip or PurePath(document.name).stem, source=source
    )
    if (in_front := leading_frames(motion)) and not options.drop_first_frame:
        motion = motion.replace(source=replace(source, extra={**extra, "leading_rest_frame": in_front}))
    elif options.drop_first_frame and animation is not None:
        motion = without_first_frame(motion, in_front or 1)
    return motion


def clips(data: bytes, name: str, options: ReadOptions | None = None, folder: Path | None = None) -> tuple[Clip, ...]:
    """The clips that move joints, with the rate and the number of frames that `read` gives them."""
    options = options or ReadOptions()
    _check_options(options)
    return _clips(_File(data, name, folder), options)


def describe(data: bytes, name: str, options: ReadOptions | None = None, folder: Path | None = None) -> Description:
    """What is in a file; unlike `read` it takes any valid glTF, also one without a skeleton."""
    return describe_file(_File(data, name, folder), options)


def describe_file(file: _File, options: ReadOptions | None = None) -> Description:
    """The description of a parsed file."""
    document = file.document
    meshes = document.items("meshes")
    targets = [p.get("targets") for i, mesh in enumerate(meshes) for p in document.items("primitives", mesh, f"meshes[{i}].")[:1]]
    extensions = document.tree.get("extensions")
    lights = extensions.get("KHR_lights_punctual") if isinstance(extensions, dict) else None
    return Description(
        name=document.name,
        generator=str(document.asset.get("generator", ""))[:200],
        joints=tuple(file.nodes.names[n] for n in file.joints) if file.nodes is not None else (),
        clips=_clips(file, options or ReadOptions()),
        num_nodes=len(document.items("nodes")),
        num_skins=len(document.items("skins")),
        num_meshes=len(meshes),
        num_cameras=len(document.items("cameras")),
        num_lights=len(document.items("lights", lights)) if isinstance(lights, dict) else 0,
        num_morph_targets=sum(len(t) for t in targets if isinstance(t, list)),
        num_animations=len(document.items("animations")),
        has_skeleton=file.has_skeleton,
        warnings=(*file.warnings, *file.unused(file.animations)),
    )


def _clips(file: _File, options: ReadOptions) -> tuple[Clip, ...]:
    out = []
    for animation in file.motions:
        _, fps, frames, _ = _raster(animation, options)
        out.append(Clip(name=animation.name, duration=(frames - 1) / fps, fps=fps, frames=frames))
    return tuple(out)


def _check_options(options: ReadOptions) -> None:
    if options.fps is not None and not (np.isfinite(options.fps) and 1e-3 <= options.fps <= 1e5):
        raise InputError(f"frames per second must be a positive number, got {options.fps}.")
    if options.unit_m is not None and not (np.isfinite(options.unit_m) and options.unit_m > 0.0):
        raise InputError(f"the length of a unit must be a positive number of metres, got {options.unit_m}.")


def _raster(animation: Animation, options: ReadOptions) -> tuple[float, float, int, bool]:
    """Start [s], frames per second and number of frames of a clip, and whether every key falls on a frame."""
    keys = animation.key_times()
    first, last = float(keys[0]), float(keys[-1])
    start = first if first < 0.0 or first > LONG_LEAD else 0.0
    said = animation.frame_time
    if options.fps is not None:
        fps, hit = options.fps, True
    elif said is not None and not start and on_raster(keys, 1.0 / said):
        fps, hit = 1.0 / said, True
    else:
        fps, hit = choose_rate(keys - start)
    frames = int(np.ceil((last - start) * fps - 0.01)) + 1
    return start, fps, max(frames, 1), hit


def _frames(file: _File, animation: Animation | None, options: ReadOptions) -> tuple[Array, float, dict[str, object]]:
    """The times of the frames (T,), the frame time, and facts for `Source.extra`."""
    extra: dict[str, object] = {"clips": [a.name for a in file.motions]}
    generator = file.document.asset.get("generator")
    if isinstance(generator, str):
        extra["generator"] = generator[:200]
    if animation is None:
        return np.zeros(1), 1.0 / (options.fps or 30.0), extra
    start, fps, frames, hit = _raster(animation, options)
    keys = animation.num_keys
    allowed = max(MAX_TRANSFORMS, 4 * keys)
    if frames * len(file.joints) > allowed:
        slower = max(1e-3, 0.9 * fps * allowed / (frames * len(file.joints)))
        raise file.document.fail(
            f"clip '{animation.name}' lasts {(frames - 1) / fps:.6g} s with {keys} keys; {frames} frames of {len(file.joints)} joints are "
            f"more than is read of so few keys. Lower the rate (--fps {slower:.3g}) if it is that long."
        )
    check_size(frames, len(file.joints))
    times = animation.key_times()
    if not hit:
        file.warnings.append(f"the keys lie on no common raster; the clip is sampled at {fps:.6g} frames a second (--fps changes it).")
    if start:
        extra["start_s"] = start
        file.warnings.append(f"the first key is at {start:.6g} s; the clip is read from there.")
    elif times[0] > 0.5 / fps:
        extra["first_key_s"] = float(times[0])
        file.warnings.append(f"the first key is at {times[0]:.4g} s; up to it the first pose is held (as players do).")
    return start + np.arange(frames) / fps, 1.0 / fps, extra


def _unit(file: _File, rest: Array, up: UpAxis, options: ReadOptions) -> tuple[float, list[Guess]]:
    """Metres in a unit. The standard says one; files that then hold a giant or a mite are in another."""
    assert file.nodes is not None
    if options.unit_m is not None:
        return options.unit_m, []
    names = [file.nodes.names[n] for n in file.joints]
    # From the rest pose alone, so that all clips of a file agree.
    body = units.Body(names=names, parents=gltf_tree.parents_among(file.nodes, file.joints), rest=rest, posed=rest[None])
    size, how = units.stature(body, up)
    low, high = (0.4, 10.0) if body.human else (0.1, 35.0)
    if low <= size <= high or size <= 0.0:
        confidence = 0.1 if size <= 0.0 else 0.9 if (0.9 <= size <= 2.2 or (not body.human and size <= 4.0)) else 0.6
        why = f"glTF is in metres by its standard, and the joints then span {size:.3g} m ({how})" if size > 0.0 else "nothing has a length"
        return 1.0, [Guess(what="unit", value="m", confidence=confidence, why=why, override="--unit m")]
    if size < low:
        return _mite(size, how, body.human)
    unit, guess = units.guess_unit(size, human=body.human, how=how, candidates=("cm", "mm", "inch", "dm"))
    return unit, [guess]


def _mite(size: float, how: str, human: bool) -> tuple[float, list[Guess]]:
    """The unit of a file that is too small in metres: no unit is longer, but a scale of 1/100 may have come into it twice."""
    unit = 100.0 if human and 0.9 <= 100.0 * size <= 2.5 else 1.0
    reason = "a scale of 0.01 came into it twice, as for bones in centimetres" if unit > 1.0 else "glTF is in metres by its standard"
    why = f"{reason}; the joints then span {unit * size:.3g} m ({how})"
    value = "m" if unit == 1.0 else "100 m"
    return unit, [Guess(what="unit", value=value, confidence=0.5 if unit > 1.0 else 0.3, why=why, override=f"--unit {value.split()[0]}")]


def _check_lengths(document: Document, positions: Array, unit: float) -> None:
    if not np.isfinite(positions).all() or np.abs(positions).max() * max(unit, 1.0) > MAX_COORDINATE:
        raise document.fail("its scales and translations put joints beyond every sensible distance; the file is damaged.")


def _upright(positions: Array, rotations: Array, up: UpAxis, unit: float) -> tuple[Array, Array]:
    return unit * axes.turn(up, positions), quaternion.multiply(axes.upright(up), rotations)


def _skeleton(file: _File, poser: Poser, rest: tuple[Array, Array], unit: float) -> Skeleton:
    """The rest pose is that of the nodes; bone ends without joints of their own are tips."""
    assert file.nodes is not None
    parents = gltf_tree.parents_among(file.nodes, file.joints)
    names, still = tuple(file.nodes.names[n] for n in file.joints), np.tile(quaternion.IDENTITY, (len(parents), 1))
    flat = Skeleton(names, np.array(parents), np.zeros((len(parents), 3)), still)
    translations, rotations = flat.backward(*rest)
    slot = {n: j for j, n in enumerate(file.joints)}
    tips = []
    for end in file.ends:
        joint = slot[file.nodes.parents[end]]
        said = gltf_tree.tip_name(file.nodes.items[end])
        tips.append(Tip(joint=joint, offset=unit * poser.end(joint, end), name=file.nodes.names[end] if said is None else said))
    return Skeleton(flat.names, flat.parents, translations, rotations, tuple(tips))


def _listed(names: list[str]) -> str:
    return ", ".join(f"'{one_line(n, 60)}'" for n in names[:6]) + (", …" if len(names) > 6 else "")
