"""Source motions of our own, made from joint angles: they need no folder of real clips."""

from __future__ import annotations

import numpy as np

from surefoot.character.builtin import builtin
from surefoot.motion import quaternion
from surefoot.motion.motion import Motion
from surefoot.motion.skeleton import Skeleton, Tip

FPS = 60.0


def steps(name: str = "humanoid", frames: int = 60) -> Motion:
    """A built-in character that bends its knees deeper and less deep in one place, swings its arms and turns its chest."""
    character = builtin(name)
    phase = np.linspace(0.0, 2.0 * np.pi, frames)
    bend = 0.35 + 0.25 * np.sin(phase)
    skeleton = character.skeleton
    rotations = np.tile(skeleton.rotations, (frames, 1, 1))
    translations = np.tile(skeleton.translations, (frames, 1, 1))
    for side in ("left_", "right_"):
        sign = 1.0 if side == "left_" else -1.0
        for joint, angle in (("hip", -bend), ("knee", 2.0 * bend), ("ankle", -bend)):
            rotations[:, skeleton.index(side + joint)] = quaternion.about([0.0, 1.0, 0.0], angle)
        swing = quaternion.about([0.0, 1.0, 0.0], sign * 0.5 * np.sin(phase))
        j = skeleton.index(side + "shoulder")
        rotations[:, j] = quaternion.multiply(swing, rotations[:, j])
    rotations[:, skeleton.index("chest")] = quaternion.about([0.0, 0.0, 1.0], 0.3 * np.sin(phase))
    positions, _ = skeleton.forward(translations, rotations)
    ankle = skeleton.index("left_ankle")
    translations[:, 0] += skeleton.rest[0][ankle] - positions[:, ankle]
    return Motion(skeleton, translations, rotations, 1.0 / FPS, name="squats")


def resized(motion: Motion, factor: float) -> Motion:
    """The same motion of a body `factor` times as large."""
    skeleton = motion.skeleton
    tips = tuple(Tip(joint=t.joint, offset=factor * t.offset, name=t.name) for t in skeleton.tips)
    bigger = Skeleton(skeleton.names, skeleton.parents, factor * skeleton.translations, skeleton.rotations, tips)
    return motion.replace(skeleton=bigger, translations=factor * motion.translations)


def turned(motion: Motion, radians: float) -> Motion:
    """The same motion, heading elsewhere, rest pose and all."""
    about = quaternion.about([0.0, 0.0, 1.0], radians)
    skeleton = motion.skeleton
    translations, rotations = np.array(skeleton.translations), np.array(skeleton.rotations)
    moved, spun = np.array(motion.translations), np.array(motion.rotations)
    for t, r in ((translations[None], rotations[None]), (moved, spun)):
        t[:, 0] = quaternion.rotate(about, t[:, 0])
        r[:, 0] = quaternion.multiply(about, r[:, 0])
    return motion.replace(
        skeleton=Skeleton(skeleton.names, skeleton.parents, translations, rotations, skeleton.tips), translations=moved, rotations=spun
    )
