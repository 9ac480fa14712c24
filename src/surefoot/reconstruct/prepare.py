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
from surefoot.character.rig.replay import lowest_points
from surefoot.motion import quaternion
from surefoot.motion.motion import Motion
from surefoot.policy.reference import Reference

Array = NDArray[np.float64]

TOUCHING = 10.0
"""Part of the time in which a clip's lowest point is at the ground or below [%]."""
SAME = 0.02
"""Bones that differ by less than this part of the height are the same."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Prepared:
    """A character and a clip in its joints."""

    character: Character
    qpos: Array  # (T, nq)
    """Poses whose lowest points touch the ground."""
    frame_time: float
    motion: Motion
    """The source, as far as it was changed on the way."""
    how: str
    """"rigged", "own" or "retargeted"."""
    notes: tuple[str, ...] = ()

    @property
    def reference(self) -> Reference:
        """The clip as what is to be performed."""
        return Reference(character=self.character, qpos=self.qpos, frame_time=self.frame_time)


def prepare(motion: Motion, character: Character | None = None, config: RigConfig | None = None) -> Prepared:
    """The clip in the joints of a character, by default of one rigged from its own skeleton."""
    if character is None:
        rigged = rig(motion, config)
        return _standing(rigged.character, rigged.qpos, rigged.motion, "rigged", rigged.character.report)
    if same_body(motion, character):
        return _standing(character, own_poses(motion, character), motion, "own")
    found = retarget(motion, character, RetargetConfig())
    return _standing(character, found.qpos, motion, "retargeted", tuple(found.notes))


def _standing(character: Character, qpos: Array, motion: Motion, how: str, notes: tuple[str, ...] = ()) -> Prepared:
    poses = np.array(qpos)
    poses[:, 2] += lift(character, poses)
    return Prepared(character=character, qpos=poses, frame_time=motion.frame_time, motion=motion, how=how, notes=notes)


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


def lift(character: Character, qpos: Array) -> float:
    """How far to raise poses (T, nq) so that their lowest points touch the ground a tenth of the time [m]."""
    every = max(len(qpos) // 400, 1)
    low = lowest_points(character, qpos[::every])
    low = low[np.isfinite(low)]
    return -float(np.percentile(low, TOUCHING)) if len(low) else 0.0
