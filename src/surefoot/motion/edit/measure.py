"""What edits need to know of a body: how tall it is, where its floor lies, which way it faces, the points of its feet.

The yaw of a rotation R (from the rest pose) is the angle of the turn about Z nearest to it: atan2(R10 - R01, R00 + R11).
T frames, J joints, P points.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.motion import quaternion
from surefoot.motion.anatomy import Anatomy
from surefoot.motion.anatomy.pose import reference_pose
from surefoot.motion.motion import Motion

Array = NDArray[np.float64]

HUMAN_HEIGHT = 1.7
"""Lengths in this package are stated for a body of this height [m] and scale with it; speeds scale with its square root."""


def body_height(motion: Motion) -> float:
    """Height of the standing body [m]: of its rest pose, or of its tallest frame where the rest pose tells nothing."""
    return reference_pose(motion.skeleton, motion).height


def size_factors(motion: Motion) -> tuple[float, float]:
    """What lengths and speeds stated for a person of 1.7 m are multiplied with for this body (gravity is the same for all)."""
    ratio = body_height(motion) / HUMAN_HEIGHT
    return ratio, float(np.sqrt(ratio))


@dataclass(frozen=True, kw_only=True, eq=False)
class FootPoints:
    """Points that may touch the ground: ankles, toes, and the tips below them."""

    joint: NDArray[np.int64]  # (P,) the joint each point belongs to
    foot: NDArray[np.int64]  # (P,) the number of the leg
    positions: Array  # (T, P, 3)
    standing: Array  # (P,) height of each point when it stands on the ground


def foot_points(motion: Motion, body: Anatomy) -> FootPoints:
    """The points of all feet; none when the body has no legs."""
    skeleton = motion.skeleton
    joints: list[int] = []
    feet: list[int] = []
    for number, chain in enumerate(body.legs):
        start = chain.index(body.feet[number]) if body.feet[number] in chain else len(chain) - 1
        inside: list[int] = list(chain[start:])
        inside += [j for k in chain[start:] for j in skeleton.descendants(k) if j not in inside]
        for j in dict.fromkeys(inside):
            if j not in body.controls:
                joints.append(j)
                feet.append(number)
    tips = [(i, feet[joints.index(tip.joint)]) for i, tip in enumerate(skeleton.tips) if tip.joint in joints]
    positions = np.concatenate([motion.joint_positions[:, joints], motion.tip_positions[:, [i for i, _ in tips]]], axis=1)
    return FootPoints(
        joint=np.array(joints + [skeleton.tips[i].joint for i, _ in tips], dtype=np.int64),
        foot=np.array(feet + [foot for _, foot in tips], dtype=np.int64),
        positions=positions,
        standing=_standing(positions[..., 2], body_height(motion)),
    )


def _standing(heights: Array, body: float) -> Array:
    """The height (P,) at which each point rests on the floor: its own low percentile, or no more than a foot's height above the
    lowest's.
    """
    if heights.shape[1] == 0:
        return np.zeros(0)
    own = np.percentile(heights, 5.0, axis=0)
    return np.minimum(own, own.min() + 0.08 * body)


def body_joints(motion: Motion, body: Anatomy) -> list[int]:
    """The joints that are body: neither controls of the rig nor what carries the trunk (a root that lies on the floor)."""
    outside = set(body.controls) | set(motion.skeleton.chain(body.trunk)[:-1])
    return [j for j in range(motion.skeleton.num_joints) if j not in outside]


def lowest(motion: Motion, body: Anatomy) -> Array:
    """Height of the lowest point of the body in each frame (T,) [m]."""
    keep = body_joints(motion, body)
    low: Array = motion.joint_positions[:, keep, 2].min(axis=1)
    tips = [i for i, tip in enumerate(motion.skeleton.tips) if tip.joint in keep]
    return np.minimum(low, motion.tip_positions[:, tips, 2].min(axis=1)) if tips else low


def rest_clearance(motion: Motion, body: Anatomy) -> float:
    """How high above z = 0 the lowest joint of the rest pose stands [m], where it stands at all: rigid legs have none at their soles."""
    rest = motion.skeleton.rest[0][body_joints(motion, body), 2]
    return max(0.0, min(float(rest.min()), float(motion.skeleton.tip_positions(*motion.skeleton.rest)[:, 2].min(initial=np.inf))))


def floor_level(motion: Motion, body: Anatomy) -> float:
    """Height of the floor that the body stands on [m]: a low percentile of its lowest points, so that single bad frames do not count.

    Joints lie inside the flesh, and those of a foot lie nearest to its skin: feet decide where they come near the floor at all.
    """
    height = body_height(motion)
    level = float(np.percentile(lowest(motion, body), 5.0))
    points = foot_points(motion, body)
    if points.positions.shape[1] == 0:
        return level
    feet = float(np.percentile(points.positions[..., 2].min(axis=1), 5.0))
    return feet if feet - level < 0.08 * height else level


def yaw_of(rotations: Array) -> Array:
    """The angle (...) [rad] of the turn about Z nearest to rotations (..., 4)."""
    return 2.0 * np.arctan2(rotations[..., 3], rotations[..., 0])


def wrap(angle: Array | float) -> Array:
    """Angles in (-pi, pi]."""
    return np.asarray(np.pi - np.mod(np.pi - np.asarray(angle), 2.0 * np.pi))


def facing(motion: Motion, body: Anatomy) -> Array:
    """The direction the trunk faces in each frame, as an angle from +X about Z (T,) [rad], without jumps of a full turn."""
    rest = motion.skeleton.rest[1][body.trunk]
    turned = quaternion.multiply(motion.joint_rotations[:, body.trunk], quaternion.conjugate(rest))
    upright = quaternion.between(body.up, np.array([0.0, 0.0, 1.0]))
    ahead = quaternion.rotate(upright, body.forward)
    yaw = yaw_of(quaternion.multiply(turned, quaternion.conjugate(upright)))
    return np.unwrap(wrap(yaw + np.arctan2(ahead[1], ahead[0])))


def uprightness(motion: Motion, body: Anatomy) -> Array:
    """How upright the trunk is in each frame (T,): 1 as in the rest pose, 0 lying, -1 upside down."""
    turned = quaternion.multiply(motion.joint_rotations[:, body.trunk], quaternion.conjugate(motion.skeleton.rest[1][body.trunk]))
    return np.asarray(quaternion.rotate(turned, body.up)[:, 2])


def is_straight(motion: Motion, body: Anatomy, joint: int | None = None) -> tuple[bool, float]:
    """Whether the body (its trunk, or `joint`) travels along a line, and that line's angle from +X [rad]."""
    path = motion.joint_positions[:, body.trunk if joint is None else joint, :2]
    net = path[-1] - path[0]
    far = float(np.linalg.norm(net))
    angle = float(np.arctan2(net[1], net[0]))
    if far < 0.4 * motion.skeleton.height:  # of the rest pose, which does not change under edits of the poses
        return False, angle
    along = net / far
    aside = np.abs((path - path[0]) @ np.array([-along[1], along[0]]))
    return bool(aside.max() < 0.1 * far), angle
