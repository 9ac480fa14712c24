"""The character's rest pose: the file's when a body can stand in it, else a frame of the clip.

Files come with T-poses, A-poses, a frame of some clip, or all bones along one axis. A rest pose will do when the legs are
stretched downwards and the two sides do not lie in one another.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from surefoot.character.rig.draft import Draft

Array = NDArray[np.float64]


def rest_rotations(draft: Draft) -> Array:
    """World rotations (J, 4) of all joints in the character's rest pose."""
    skeleton = draft.motion.skeleton
    fault = _fault(draft, skeleton.rest[0])
    if fault is None:
        return skeleton.rest[1]
    motion = draft.motion
    for t in np.unique(np.linspace(0, motion.num_frames - 1, 12).astype(int)):
        if _fault(draft, motion.joint_positions[t]) is None:
            draft.notes.append(f"rest pose taken from the clip at {t * motion.frame_time:.2f} s: in the file's own {fault}")
            return motion.joint_rotations[t]
    return skeleton.rest[1] if draft.motion.num_frames == 1 else motion.joint_rotations[0]


def _fault(draft: Draft, positions: Array) -> str | None:
    """What is wrong with a pose (J, 3) as a rest pose, None when it will do."""
    anatomy = draft.anatomy
    for leg in anatomy.legs:
        start, end = positions[leg[0]], positions[leg[-1]]
        length = float(np.linalg.norm(np.diff(positions[list(leg)], axis=0), axis=-1).sum())
        if length > 1e-9 and start[2] - end[2] < 0.3 * length:
            return "the legs do not point down"
    for j in draft.kept:
        k = int(anatomy.partner[j])
        if k > j and draft.owner[k] == k and np.linalg.norm(positions[j] - positions[k]) < 0.01 * draft.size:
            own = [leg for leg in (*anatomy.legs, *anatomy.arms) if j in leg and leg[0] != j]
            if own:
                return "left and right lie in one another"
    return None
