"""A simulation on the source's own skeleton, every joint of it, so that the user's rig and mesh take it back.

Body frames are joint frames. With R_b, x_b a body's world rotation and place in the simulation and p the joint's parent in the source,

    joints with a body      R_j = R_b, x_j = x_b:     r_j = R_p^-1 R_b        t_j = R_p^-1 (x_b - x_p)
    all others              r_j, t_j as the source's clip has them at that time: fingers, helpers and controls keep their local pose

Joints that the rig hung elsewhere (feet on IK controls) go back below the parent that the file gives them. The ground is at z = 0, as in
the simulation. T frames, J joints, B bodies.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.character.character import Character
from surefoot.errors import InputError
from surefoot.motion import quaternion
from surefoot.motion.motion import Motion

Array = NDArray[np.float64]

SAME = 1e-6
"""A translation that stays this close to the source's [m] is the source's, so that no bone seems to stretch by rounding."""
COINCIDES = 1e-3
"""A joint above the root body that stays this near to it, in heights, is carried by it."""


def source_joints(character: Character, motion: Motion) -> dict[int, int]:
    """For each joint of the source that has a body, by index, that body's index; empty when the character was not rigged from it."""
    said = character.source.get("joints")
    if not isinstance(said, dict):
        return {}
    places: dict[str, list[int]] = {}
    for j, name in enumerate(motion.skeleton.names):
        places.setdefault(name, []).append(j)
    which = character.source.get("namesakes")
    which = which if isinstance(which, dict) else {}
    out: dict[int, int] = {}
    for b, body in enumerate(character.skeleton.names):
        named, nth = places.get(str(said.get(body, "")), []), which.get(body, 0)
        if isinstance(nth, int) and 0 <= nth < len(named) and named[nth] not in out:
            out[named[nth]] = b
    root = [j for j, b in out.items() if b == 0]
    return out if root and len(out) > 1 else {}


def on_source(
    character: Character, qpos: ArrayLike, frame_time: float, motion: Motion, *, start: float = 0.0, cycle: bool = False
) -> Motion:
    """Poses (T, nq) as a motion on the skeleton of `motion`, the clip that the character was rigged from.

    `start` is the time in the clip [s] of the first pose; beyond the clip's end it is held there, or begun again in a `cycle`.
    """
    poses = np.atleast_2d(np.asarray(qpos, dtype=float))
    joints = source_joints(character, motion)
    if not joints:
        raise InputError(
            f"'{character.name}' was not rigged from '{motion.source.file or motion.name}', so its poses cannot go back onto that "
            "skeleton; export them on the character's own."
        )
    times = start + frame_time * np.arange(len(poses))
    if cycle and motion.duration > 0.0:
        times = np.mod(times, motion.duration)
    translations, rotations = motion.sample(times)
    at, turned = character.world(poses)
    skeleton = motion.skeleton
    positions, world = np.empty_like(translations), np.empty_like(rotations)
    carried = _carried(motion, joints)
    if carried:
        seen, seen_turned = skeleton.forward(translations, rotations)
        root = next(j for j, b in joints.items() if b == 0)
        turn = quaternion.multiply(turned[:, 0], quaternion.conjugate(seen_turned[:, root]))
    for j, p in enumerate(skeleton.parents):
        if j in joints or j in carried:
            if j in joints:
                goal, facing = at[:, joints[j]], turned[:, joints[j]]
            else:
                goal = at[:, 0] + quaternion.rotate(turn, seen[:, j] - seen[:, root])
                facing = quaternion.multiply(turn, seen_turned[:, j])
            if p < 0:
                translations[:, j], rotations[:, j] = goal, facing
            else:
                inverse = quaternion.conjugate(world[:, p])
                rotations[:, j] = quaternion.multiply(inverse, facing)
                moved = quaternion.rotate(inverse, goal - positions[:, p])
                if np.abs(moved - translations[:, j]).max() > SAME:
                    translations[:, j] = moved
        if p < 0:
            positions[:, j], world[:, j] = translations[:, j], rotations[:, j]
        else:
            positions[:, j] = positions[:, p] + quaternion.rotate(world[:, p], translations[:, j])
            world[:, j] = quaternion.multiply(world[:, p], rotations[:, j])
    extra = {key: value for key, value in motion.source.extra.items() if key not in ("other_clips", "leading_rest_frame", "clips")}
    return Motion(
        skeleton,
        translations,
        quaternion.continuous(quaternion.normalize(rotations)),
        frame_time,
        name=motion.name,
        source=replace(motion.source, guesses=(), warnings=(), loop=None, extra=extra),
    )


def _carried(motion: Motion, joints: dict[int, int]) -> set[int]:
    """Joints above the root body's that sit on it throughout the clip: a root of no length is where the body is."""
    root = next(j for j, b in joints.items() if b == 0)
    near = COINCIDES * motion.skeleton.height
    out: set[int] = set()
    for j in reversed(motion.skeleton.chain(root)[:-1]):
        if np.linalg.norm(motion.joint_positions[:, j] - motion.joint_positions[:, root], axis=-1).max() > near:
            break
        out.add(j)
    return out
