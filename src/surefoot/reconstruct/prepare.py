"""Whose body performs a clip, and the clip in that body's joints.

Without a character it is rigged from the motion's own skeleton. A clip that was made for the character (same joints, same bones) is taken
over exactly: every body gets its joint's world rotation less the two rest poses,

    R_body = R_joint R_joint_rest^-1 R_body_rest

Any other clip is retargeted.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.character.character import Character
from surefoot.character.retarget import RetargetConfig, retarget
from surefoot.character.rig import RigConfig, rig
from surefoot.motion import quaternion
from surefoot.motion.motion import Motion

Array = NDArray[np.float64]

SAME = 0.02
"""Bones that differ by less than this part of the height are the same."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Prepared:
    """A character and a clip in its joints."""

    character: Character
    qpos: Array  # (T, nq)
    frame_time: float
    motion: Motion
    """The source, as far as it was changed on the way."""
    how: str
    """"rigged", "own" or "retargeted"."""
    notes: tuple[str, ...] = ()


def prepare(motion: Motion, character: Character | None = None, config: RigConfig | None = None) -> Prepared:
    """The clip in the joints of a character, by default of one rigged from its own skeleton."""
    if character is None:
        rigged = rig(motion, config)
        return Prepared(
            character=rigged.character,
            qpos=rigged.qpos,
            frame_time=motion.frame_time,
            motion=rigged.motion,
            how="rigged",
            notes=rigged.character.report,
        )
    if same_body(motion, character):
        return Prepared(character=character, qpos=own_poses(motion, character), frame_time=motion.frame_time, motion=motion, how="own")
    found = retarget(motion, character, RetargetConfig())
    return Prepared(
        character=character, qpos=found.qpos, frame_time=motion.frame_time, motion=motion, how="retargeted", notes=tuple(found.notes)
    )


def same_body(motion: Motion, character: Character) -> bool:
    """Whether every body of the character is a joint of the motion, with the same parent and the same bone in the rest pose."""
    ours, theirs = character.skeleton, motion.skeleton
    if not set(ours.names) <= set(theirs.names):
        return False
    columns = [theirs.names.index(name) for name in ours.names]
    for j, parent in enumerate(ours.parents):
        above = int(theirs.parents[columns[j]])
        if (int(parent) < 0) != (above < 0) or (parent >= 0 and theirs.names[above] != ours.names[int(parent)]):
            return False
    mine = ours.rest[0] - ours.rest[0][0]
    other = theirs.rest[0][columns] - theirs.rest[0][columns[0]]
    return bool(np.linalg.norm(mine - other, axis=-1).max() < SAME * character.height)


def own_poses(motion: Motion, character: Character) -> Array:
    """Poses (T, nq) of a clip that was made for the character."""
    names = motion.skeleton.names
    columns = [names.index(name) for name in character.skeleton.names]
    turn = quaternion.multiply(quaternion.conjugate(motion.skeleton.rest[1][columns]), character.skeleton.rest[1])
    world = quaternion.multiply(motion.joint_rotations[:, columns], turn[None])
    return character.pose(motion.joint_positions[:, columns[0]], world)
