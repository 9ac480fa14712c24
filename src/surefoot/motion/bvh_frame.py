"""The unit and up axis that a BVH is written in: those that its reader finds again.

A BVH does not say either, so that whoever reads it guesses from the body (`surefoot.motion.units`). Most bodies are found again in
centimetres with Y up, as most programs expect. A dinosaur of 13 m is not: in centimetres it is taken for one of 1.3 m in millimetres.
So the same guess is made before writing, and the first frame in which it is right is used.
"""

from __future__ import annotations

from typing import cast

import numpy as np

from surefoot.motion import axes, quaternion, units
from surefoot.motion.axes import UpAxis
from surefoot.motion.motion import Motion

_UNITS = (0.01, 1.0, 0.001)
_AXES: tuple[UpAxis, ...] = ("Y", "Z")


def frame(motion: Motion) -> tuple[UpAxis, float]:
    """The up axis and the unit [m]: those of the BVH the motion came from, else the first that are found again, else Y and a centimetre."""
    if motion.source.format == "bvh":
        return cast(UpAxis, motion.source.up_axis), motion.source.unit_m
    for up in _AXES:
        for unit in _UNITS:
            if found(motion, up, unit) == (up, unit):
                return up, unit
    return _AXES[0], _UNITS[0]


def found(motion: Motion, up: UpAxis, unit: float) -> tuple[UpAxis, float]:
    """What a reader with no settings takes the motion for when it is written so."""
    back = quaternion.conjugate(axes.upright(up))
    skeleton = motion.skeleton
    frames = motion.replace(
        translations=motion.translations[(picked := units.picked(motion.num_frames, motion.frame_time))],
        rotations=motion.rotations[picked],
        contacts=None,
    )
    leaves = [j for j, below in enumerate(skeleton.children) if not below and not any(tip.joint == j for tip in skeleton.tips)]
    rest, world = skeleton.rest
    posed = np.concatenate([frames.joint_positions, frames.tip_positions, frames.joint_positions[:, leaves]], axis=1)
    still = np.concatenate([rest, skeleton.tip_positions(rest, world), rest[leaves]])
    body = units.Body(
        names=[*skeleton.names, *("" for _ in skeleton.tips), *("" for _ in leaves)],
        parents=[*(int(p) for p in skeleton.parents), *(tip.joint for tip in skeleton.tips), *leaves],
        rest=quaternion.rotate(back, still) / unit,
        posed=quaternion.rotate(back, posed) / unit,
    )
    guessed, _ = units.guess_up(body)
    size, how = units.stature(body, guessed)
    return guessed, units.guess_unit(size, human=body.human, how=how)[0]


def reminder(motion: Motion) -> str | None:
    """Which flags bring a written BVH back as it was, where a reader would guess otherwise."""
    up, unit = frame(motion)
    guessed, size = found(motion, up, unit)
    flags = ([] if np.isclose(size, unit) else [f"--unit {unit:.8g}"]) + ([] if guessed == up else [f"--up {up}"])
    return f"a BVH does not say its unit and up axis; reading this one again needs {' '.join(flags)}" if flags else None
