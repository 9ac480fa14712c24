"""BVH files of any exporter, read into metres with Z up.

A joint's local transform is, with o its OFFSET, p its position channels and a_1 … a_k its rotation channels in their order,

    t = o, or p (absolute), or o + p (relative)         r = R(a_1) R(a_2) … R(a_k)

Roots are turned and everything is scaled: t_root <- u Q t, r_root <- Q r, t <- u t, with u metres a unit and Q the turn of the file's up
axis to Z. What the file does not say (unit, up axis, how p is meant) is guessed and stands in `motion.source.guesses`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath

import numpy as np
from numpy.typing import NDArray

from surefoot.errors import InputError
from surefoot.motion import axes, bvh_guess, quaternion, units
from surefoot.motion.axes import UpAxis
from surefoot.motion.bvh_parse import Parsed, parse
from surefoot.motion.bvh_write import encode, write
from surefoot.motion.files import ReadOptions, without_first_frame
from surefoot.motion.motion import Guess, Motion, Source
from surefoot.motion.skeleton import Skeleton, Tip

__all__ = ["encode", "read", "write"]

Array = NDArray[np.float64]


def read(data: bytes, name: str, options: ReadOptions | None = None) -> Motion:
    """The motion in the bytes of a BVH file; `name` is the file's base name, for messages."""
    options = options or ReadOptions()
    parsed = parse(data, name)
    guesses: list[Guess] = []
    warnings = list(parsed.warnings)
    frame_time = _frame_time(parsed, options, guesses, warnings)
    raw = _Raw.of(parsed)
    translations = raw.below_root(options, guesses, warnings)
    pose = raw.sample(translations, frame_time)
    up, turn = _up(raw, translations, pose, options, guesses)
    unit = _unit(raw, pose, up, options, guesses)

    roots = list(raw.skeleton.roots)
    rotations = raw.rotations
    translations *= unit
    translations[:, roots] = quaternion.rotate(turn, translations[:, roots])
    rotations[:, roots] = quaternion.multiply(turn, rotations[:, roots])
    rest = raw.rest * unit
    rest[roots] = quaternion.rotate(turn, rest[roots])
    rest_rotations = np.tile(quaternion.IDENTITY, (len(rest), 1))
    rest_rotations[roots] = turn
    tips = tuple(Tip(joint=t.joint, offset=t.offset * unit, name=t.name) for t in raw.skeleton.tips)
    skeleton = Skeleton(raw.skeleton.names, raw.skeleton.parents, rest, rest_rotations, tips)
    rotations = quaternion.continuous(rotations)
    extra = {}
    if _snaps(translations, rotations, rest_rotations, float(np.linalg.norm(np.ptp(pose.rest, axis=0))) * unit):
        extra["leading_rest_frame"] = True
        if not options.drop_first_frame:
            warnings.append("Frame 0 snaps to frame 1, as a T-pose put there by an exporter does; --drop-first-frame leaves it out.")
    source = Source(
        format="bvh", file=name, unit_m=unit, up_axis=up, guesses=tuple(guesses), warnings=tuple(warnings), extra=extra
    )  # fmt: skip
    motion = Motion(skeleton, translations, rotations, frame_time, name=PurePath(name).stem, source=source)
    if options.drop_first_frame:
        motion = without_first_frame(motion)
    return motion


def _frame_time(parsed: Parsed, options: ReadOptions, guesses: list[Guess], warnings: list[str]) -> float:
    if options.fps is not None:
        if not (np.isfinite(options.fps) and options.fps > 0.0):
            raise InputError(f"frames per second must be a positive number, got {options.fps}.")
        return 1.0 / options.fps
    given = parsed.frame_time
    if given is not None and 1e-5 <= given <= 10.0:
        return given
    if given is not None and 10.0 < given <= 1000.0:
        warnings.append(f"Frame Time: {given:g} would be {given:g} s a frame; it is taken for frames a second.")
        why = f"the file has Frame Time: {given:g}"
        guesses.append(Guess(what="fps", value=f"{given:g}", confidence=0.7, why=why, override=f"--fps {given:g}"))
        return 1.0 / given
    said = "no Frame Time" if given is None else f"Frame Time: {given:g}"
    warnings.append(f"The file has {said}, which is no use; 30 frames a second are assumed.")
    guesses.append(Guess(what="fps", value="30", confidence=0.3, why=f"the file has {said}", override="--fps 30"))
    return 1.0 / 30.0


@dataclass
class _Raw:
    """The file's skeleton and poses, in its own units and axes."""

    skeleton: Skeleton
    offsets: Array  # (J, 3)
    rest: Array  # (J, 3)
    positions: Array  # (T, J, 3), zero where there is no channel
    given: NDArray[np.bool_]  # (J, 3), whether there is a channel
    rotations: Array  # (T, J, 4)

    @staticmethod
    def of(parsed: Parsed) -> _Raw:
        joints = parsed.joints
        frames, num = len(parsed.values), len(joints)
        offsets = np.array([joint.offset or (0.0, 0.0, 0.0) for joint in joints])
        positions = np.zeros((frames, num, 3))
        given = np.zeros((num, 3), dtype=bool)
        orders: dict[str, list[tuple[int, list[int]]]] = {}
        for j, joint in enumerate(joints):
            for kind, axis, column in joint.channels:
                if kind == "position":
                    positions[:, j, axis] = parsed.values[:, column]
                    given[j, axis] = True
            turns = [(axis, column) for kind, axis, column in joint.channels if kind == "rotation"]
            if turns:
                orders.setdefault("".join("XYZ"[axis] for axis, _ in turns), []).append((j, [column for _, column in turns]))
        rotations = np.tile(quaternion.IDENTITY, (frames, num, 1))
        for order, members in orders.items():
            rotations[:, [j for j, _ in members]] = quaternion.from_euler(order, parsed.values[:, [columns for _, columns in members]])
        tips = tuple(Tip(joint=end.joint, offset=np.array(end.offset), name=end.name) for end in parsed.ends)
        skeleton = Skeleton(
            tuple(joint.name for joint in joints),
            np.array([joint.parent for joint in joints]),
            offsets,
            np.tile(quaternion.IDENTITY, (num, 1)),
            tips,
        )
        return _Raw(skeleton, offsets, offsets.copy(), positions, given, rotations)

    def local(self, joints: list[int], reading: str) -> Array:
        """Translations (T, len(joints), 3) of some joints in one reading."""
        offsets, positions = self.offsets[joints], self.positions[:, joints]
        if reading == "relative":
            return offsets + positions
        if reading == "ignore":
            return np.broadcast_to(offsets, positions.shape)
        return np.where(self.given[joints], positions, offsets)

    def below_root(self, options: ReadOptions, guesses: list[Guess], warnings: list[str]) -> Array:
        """Translations (T, J, 3) with the joints below the roots decided, and the roots absolute."""
        out = self.local(list(range(len(self.offsets))), "absolute")
        moving = [int(j) for j in np.flatnonzero(self.given.any(axis=1)) if self.skeleton.parents[j] >= 0]
        if not moving:
            return out
        if options.positions is not None:
            out[:, moving] = self.local(moving, options.positions)
        else:
            picked = self.local(moving, "absolute")[:: max(1, len(out) // units.SAMPLES)]
            picked = np.where(self.given[moving], picked, 0.0)
            size = float(np.abs(self.offsets).max(initial=0.0))
            offsets = np.where(self.given[moving], self.offsets[moving], 0.0)
            readings, guess, others = bvh_guess.reading_below_root(picked, offsets, size)
            for reading in ("absolute", "relative"):
                members = [j for j, r in zip(moving, readings, strict=True) if r == reading]
                out[:, members] = self.local(members, reading)
            if guess is not None:
                guesses.append(guess)
            if others:
                named = ", ".join(f"'{self.skeleton.names[moving[k]]}'" for k in others[:4])
                warnings.append(f"Position channels of {len(others)} joints ({named}) are meant the other way than the rest's.")
        self._rest_from_poses(out, moving, warnings)
        return out

    def _rest_from_poses(self, translations: Array, moving: list[int], warnings: list[str]) -> None:
        """Without OFFSETs there is no rest pose; the middle of the position channels makes one."""
        below = self.skeleton.parents >= 0
        median = np.median(translations, axis=0)
        if np.abs(self.offsets[below]).max() <= 1e-9 * np.abs(median[below]).max():
            self.rest[moving] = median[moving]
            warnings.append("All OFFSETs are zero; the bones' lengths are those of the position channels.")

    def sample(self, translations: Array, frame_time: float) -> units.Body:
        """Some poses, for guessing; the first frame, which may be a T-pose, is left out where there are others."""
        picked = units.picked(len(translations), frame_time)
        world = self.skeleton.forward(translations[picked], self.rotations[picked])
        still = self.skeleton.forward(self.rest, np.tile(quaternion.IDENTITY, (len(self.rest), 1)))
        return units.Body(
            names=[*self.skeleton.names, *("" for _ in self.skeleton.tips)],
            parents=[*(int(p) for p in self.skeleton.parents), *(tip.joint for tip in self.skeleton.tips)],
            rest=np.concatenate([still[0], self.skeleton.tip_positions(*still)]),
            posed=np.concatenate([world[0], self.skeleton.tip_positions(*world)], axis=1),
        )


def _up(raw: _Raw, translations: Array, pose: units.Body, options: ReadOptions, guesses: list[Guess]) -> tuple[UpAxis, Array]:
    """The up axis and its turn; the roots' `translations` are changed in place where the file means them relative."""
    up: UpAxis
    if options.up is not None:
        up, found = options.up, None
    else:
        up, found = units.guess_up(pose)
    roots = list(raw.skeleton.roots)
    below = bool(raw.given[raw.skeleton.parents >= 0].any())
    reading, guess = "absolute", None
    if options.positions == "absolute" or (options.positions == "relative" and not below):
        reading = options.positions
    else:
        height = axes.turn(up, pose.posed)[..., 2].min(axis=1)
        lift = float(axes.turn(up, np.where(raw.given[roots], raw.offsets[roots], 0.0)).mean(axis=0)[2])
        reading, guess = bvh_guess.reading_of_roots(height, height + lift, pose.size)
    if reading == "relative":
        translations[:, roots] = raw.local(roots, "relative")
    guesses.extend(g for g in (found, guess) if g is not None)
    return up, axes.upright(up)


def _unit(raw: _Raw, pose: units.Body, up: UpAxis, options: ReadOptions, guesses: list[Guess]) -> float:
    if options.unit_m is not None:
        if not (np.isfinite(options.unit_m) and options.unit_m > 0.0):
            raise InputError(f"the length of a unit must be a positive number of metres, got {options.unit_m}.")
        return options.unit_m
    size, how = units.stature(pose, up)
    unit, guess = units.guess_unit(size, human=pose.human, how=how)
    guesses.append(guess)
    return unit


def _snaps(translations: Array, rotations: Array, rest: Array, size: float) -> bool:
    """Whether frame 0 is far from frame 1 compared with the frames after it; less is asked where frame 0 is the rest pose."""
    if len(rotations) < 4:
        return False
    turned = quaternion.angle(quaternion.multiply(quaternion.conjugate(rotations[:-1]), rotations[1:])).mean(axis=-1)  # (T-1,)
    moved = np.linalg.norm(np.diff(translations, axis=0), axis=-1).max(axis=-1) / max(size, 1e-300)
    step = turned + moved
    pose = bool((quaternion.angle(quaternion.multiply(quaternion.conjugate(rest), rotations[0])) < 1e-3).mean() > 0.9)
    times = 2.0 if pose else 4.0
    return bool(turned[0] > np.radians(3.0) and step[0] > times * step[1:9].max() and step[0] > 1.5 * times * np.median(step[1:]))
