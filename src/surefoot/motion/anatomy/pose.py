"""The pose in which a skeleton's anatomy is read: the rest pose, or a frame of the motion where the rest pose is of no use.

Some files have a rest pose with every bone along one axis, folded up, lying down, upside down, or with joints turned as no clip turns them.
Of the frames in which the body is tall, the one most like the others then serves instead: who dives is tall upside down, but not for long.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.motion import quaternion
from surefoot.motion.motion import Motion
from surefoot.motion.skeleton import Skeleton

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Pose:
    """World transforms of one pose."""

    positions: Array  # (J, 3)
    rotations: Array  # (J, 4)
    tips: Array  # (num_tips, 3)
    frame: int | None
    """The motion's frame; None for the rest pose."""
    why: str
    """Why not the rest pose; empty when it is."""

    @property
    def height(self) -> float:
        """Extent of the pose along Z, of its longest side when flat [m]; never zero."""
        points = np.concatenate([self.positions, self.tips])
        extent = np.ptp(points, axis=0)
        tall = extent[2] if extent[2] > 0.05 * extent.max() else extent.max()
        return float(tall) or 1.0


def reference_pose(skeleton: Skeleton, motion: Motion | None) -> Pose:
    """The rest pose when it shows the body, else the frame in which the body stands tall as it mostly does."""
    positions, rotations = skeleton.rest
    rest = Pose(positions=positions, rotations=rotations, tips=skeleton.tip_positions(positions, rotations), frame=None, why="")
    if motion is None or skeleton.num_joints < 3:
        return rest
    own = _bodily(skeleton)
    heights = np.ptp(motion.joint_positions[:, own, 2], axis=1)
    bones = _bones(rest.positions, skeleton)[own]
    why = _useless(rest.positions[own], motion.joint_positions[:, own], bones, heights)
    if not why and scrambled(motion):
        why = "the rest pose turns the joints as no frame of the clip does"
    if not why:
        return rest
    frame = _usual(motion.joint_positions[:, own, 2], bones, heights)
    return Pose(
        positions=motion.joint_positions[frame],
        rotations=motion.joint_rotations[frame],
        tips=motion.tip_positions[frame],
        frame=frame,
        why=why,
    )


def scrambled(motion: Motion) -> bool:
    """Whether most joints that carry something are turned by more than a quarter from the rest pose, in every frame.

    A T-pose is some way from a run, shoulders most of all, but hips, spine and neck are near; a rest pose that is none is far everywhere.
    """
    skeleton = motion.skeleton
    carrying = [j for j in range(skeleton.num_joints) if skeleton.parents[j] >= 0 and skeleton.children[j]]
    if len(carrying) < 5 or motion.num_frames < 3:
        return False
    frames = np.unique(np.linspace(0, motion.num_frames - 1, 100).astype(int))
    away = quaternion.angle(quaternion.multiply(quaternion.conjugate(skeleton.rotations), motion.rotations[frames]))[:, carrying]
    return bool(np.median(away, axis=1).min() > 0.5 * np.pi)


def _usual(z: Array, bones: Array, heights: Array) -> int:
    """The frame, of those nearly as tall as the tallest, whose joint heights (T, J) are most like those of all of these."""
    weights = _weights(bones)
    tall = np.flatnonzero(heights > 0.75 * heights.max())
    shape = z[tall] - (z[tall] @ weights)[:, None]
    mean = np.median(shape, axis=0)
    likeness = (shape * mean) @ weights / np.maximum(np.sqrt((shape**2 @ weights) * float(mean**2 @ weights)), 1e-12)
    return int(tall[np.argmax(likeness + heights[tall] / heights.max())])


def _bodily(skeleton: Skeleton) -> NDArray[np.intp]:
    """The joints from where the body begins: a root that carries one child, and that one too, says where the body is, not what it is."""
    first = 0
    while len(skeleton.roots) == 1 and len(skeleton.children[first]) == 1:
        first = skeleton.children[first][0]
    if not skeleton.children[first]:
        first = 0  # a rope
    return np.asarray(skeleton.descendants(first) if len(skeleton.roots) == 1 else range(skeleton.num_joints), dtype=np.intp)


def _bones(positions: Array, skeleton: Skeleton) -> Array:
    """Lengths (J,) of the bones that end in each joint."""
    parents = skeleton.parents
    return np.asarray(np.linalg.norm(positions - positions[np.maximum(parents, 0)], axis=1) * (parents >= 0))


def _weights(bones: Array) -> Array:
    """Shares (J,) by the lengths of bones, even ones where no joint ends a bone."""
    total = float(bones.sum())
    return bones / total if total > 0.0 else np.full(len(bones), 1.0 / len(bones))


def _useless(rest: Array, poses: Array, bones: Array, heights: Array) -> str:
    """Why the rest pose (J, 3) cannot be read, or nothing; `poses` (T, J, 3) are the motion's, `heights` (T,) how tall they stand."""
    spread = np.linalg.svd(rest - rest.mean(axis=0), compute_uv=False)
    tallest = poses[int(np.argmax(heights))]
    moving = np.linalg.svd(tallest - tallest.mean(axis=0), compute_uv=False)
    if spread[1] < 0.05 * spread[0] and moving[1] > 2.0 * spread[1] * moving[0] / max(spread[0], 1e-12):
        return "all bones of the rest pose lie along one line"
    extent = float(np.ptp(rest[:, 2]))
    if extent < 0.5 * np.percentile(heights, 90):
        return "the rest pose is folded or lies down"
    if heights.max() > 0.75 * extent and _likeness(rest, poses, bones, heights) < 0.3:
        return "the rest pose stands on its head or lies on its side"
    return ""


def _likeness(rest: Array, poses: Array, bones: Array, heights: Array) -> float:
    """How much the heights of the joints in the frames most like the rest pose are those of the rest pose, between -1 and 1.

    The best tenth of the frames counts: somebody who turns a cartwheel stands upright before and after it. Joints weigh as the bones
    they end, or a hand's fingers would outvote the legs.
    """
    weights = _weights(bones)
    z = poses[heights > 0.6 * heights.max(), :, 2]
    still = rest[:, 2] - float(weights @ rest[:, 2])
    z = z - (z @ weights)[:, None]
    lengths = np.sqrt((z**2 @ weights) * float(still**2 @ weights))
    return float(np.percentile((z * still) @ weights / np.maximum(lengths, 1e-12), 90.0))
