"""Feet of the source and of the character: where their soles are, and in which frames the source stands flat.

A sole has two points in the ankle's frame: the heel, straight below the ankle, and the ball. Rest poses do not tell how a sole lies (legs
may be spread, feet may point), so the source's is read from the frames in which ankle and ball are low and slow.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot.character.character import Character
from surefoot.character.retarget.config import RetargetConfig
from surefoot.character.retarget.ground import surface_points
from surefoot.character.retarget.limbs import Point
from surefoot.character.retarget.matching import Pair
from surefoot.motion import quaternion
from surefoot.motion.anatomy.pose import Pose
from surefoot.motion.motion import Motion

Array = NDArray[np.float64]
UP: Array = np.array([0.0, 0.0, 1.0])
UP.flags.writeable = False

TILT = np.radians(40.0)
"""A source's sole may lie this far from the reference pose's horizontal."""


@dataclass(frozen=True, kw_only=True)
class SourceFoot:
    """One foot of the source."""

    ankle: Point
    ball: Point | None
    """None when the leg ends in a point."""
    up: Array  # (3,)
    """The sole's normal in the ankle's frame."""
    height: float
    """Of the ankle above z = 0 when the foot stands flat [m]."""
    ball_height: float
    flat: NDArray[np.int64]
    """Frames in which it certainly stands flat."""


@dataclass(frozen=True, kw_only=True)
class TargetFoot:
    """One foot of the character. Points are in the ankle body's frame."""

    ankle: int
    """Skeleton joint (body)."""
    toe: int | None
    heel: Point
    ball: Point
    up: Array  # (3,)
    forward: Array  # (3,)
    height: float
    """Of the ankle above its sole [m]."""


def speeds(places: Array, frame_time: float) -> Array:
    """Speed (T,) [m/s] of a point (T, 3), central differences."""
    if len(places) < 2:
        return np.zeros(len(places))
    return np.asarray(np.linalg.norm(np.gradient(places, frame_time, axis=0), axis=-1))


def source_foot(motion: Motion, pair: Pair, pose: Pose, config: RetargetConfig) -> SourceFoot:
    """Calibrate one foot of the source."""
    size = motion.skeleton.height / 1.7
    points = pair.source.points
    at = round(pair.source_end)
    ankle = points[at]
    ball = points[at + 1] if at + 1 < len(points) and pair.end + 1 < len(pair.target.points) else None
    joint = ankle.joint
    reference_up = quaternion.rotate(quaternion.conjugate(pose.rotations[joint]), UP)
    a = ankle.places(*motion.world)
    b = a if ball is None else ball.places(*motion.world)
    upright = quaternion.rotate(motion.joint_rotations[:, joint], reference_up)[:, 2] > np.cos(TILT)
    if ball is None:
        upright[:] = True
    slow = np.maximum(speeds(a, motion.frame_time), speeds(b, motion.frame_time)) < config.contact_speed * size
    flat = np.flatnonzero(upright & slow)
    if len(flat):
        low = (a[flat, 2] < np.percentile(a[flat, 2], 10) + 0.025 * size) & (b[flat, 2] < np.percentile(b[flat, 2], 10) + 0.02 * size)
        flat = flat[low]
    lowest = min(float(p.places(pose.positions, pose.rotations)[2]) for p in points[at:])
    rest_height = float(ankle.places(pose.positions, pose.rotations)[2]) - lowest
    if len(flat) >= 3 and np.median(a[flat, 2]) - _floor(motion) < 0.16 * motion.skeleton.height:
        local = quaternion.rotate(quaternion.conjugate(motion.joint_rotations[flat, joint]), UP)
        up = np.median(local, axis=0)
        up = up / max(float(np.linalg.norm(up)), 1e-9)
        height, ball_height = float(np.median(a[flat, 2])), float(np.median(b[flat, 2]))
    else:
        flat, up = flat[:0], reference_up
        height = _floor(motion) + rest_height
        ball_height = height if ball is None else _floor(motion) + float(ball.places(pose.positions, pose.rotations)[2]) - lowest
    return SourceFoot(ankle=ankle, ball=ball, up=up, height=height, ball_height=ball_height, flat=flat)


def _floor(motion: Motion) -> float:
    """The height of the source's ground: 0, unless its lowest points stay far from it."""
    lowest = motion.joint_positions[..., 2].min(axis=1)
    if len(motion.skeleton.tips):
        lowest = np.minimum(lowest, motion.tip_positions[..., 2].min(axis=1))
    low = float(np.percentile(lowest, 5))
    return low if abs(low) > 0.12 * motion.skeleton.height else 0.0


def target_foot(character: Character, pair: Pair, forward: Array) -> TargetFoot:
    """One foot of the character, as it stands in the rest pose; `forward` is the character's in the world."""
    skeleton = character.skeleton
    positions, rotations = skeleton.rest
    points = pair.target.points
    end = points[pair.end]
    ankle = end.joint
    inside = skeleton.descendants(ankle)
    toe = next((p.joint for p in points[pair.end + 1 :] if p.joint != ankle), None)
    soles = []  # points of the foot's surface in the world
    data = mujoco.MjData(character.model)
    mujoco.mj_kinematics(character.model, data)
    for body, local, radius in zip(*surface_points(character.model), strict=True):
        names = [character.body_ids[j] for j in inside]
        if body in names:
            soles.append(data.xpos[body] + data.xmat[body].reshape(3, 3) @ local - [0.0, 0.0, radius])
    at = end.places(positions, rotations)
    bottom = min((float(p[2]) for p in soles), default=float(at[2]))
    next_point = points[pair.end + 1].places(positions, rotations) if pair.end + 1 < len(points) else None
    along = forward if next_point is None else next_point - at
    along = along - along[2] * UP
    if np.linalg.norm(along) < 1e-6:
        along = forward
    along = along / np.linalg.norm(along)
    if toe is not None:
        reach = float((positions[toe] - at) @ along)
    else:
        own = [p for p in soles if p[2] < bottom + 0.02 * character.height]
        reach = max((float((p - at) @ along) for p in own), default=0.0)
    inverse = quaternion.conjugate(rotations[ankle])
    down = np.array([0.0, 0.0, bottom - at[2]])
    origin = at - positions[ankle]

    def point(world: Array) -> Point:
        local = quaternion.rotate(inverse, world)
        return Point(joint=ankle, offset=(float(local[0]), float(local[1]), float(local[2])))

    return TargetFoot(
        ankle=ankle,
        toe=toe,
        heel=point(origin + down),
        ball=point(origin + down + reach * along) if next_point is not None else point(origin + down),
        up=quaternion.rotate(inverse, UP),
        forward=quaternion.rotate(inverse, along),
        height=float(at[2]) - bottom,
    )


def frame(up: Array, forward: Array) -> Array:
    """The rotation (4,) whose z is `up` and whose x is nearest to `forward`."""
    z = up / np.linalg.norm(up)
    x = forward - (forward @ z) * z
    x = x / max(float(np.linalg.norm(x)), 1e-9)
    return quaternion.from_matrix(np.stack([x, np.cross(z, x), z], axis=-1))
