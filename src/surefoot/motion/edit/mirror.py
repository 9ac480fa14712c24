"""A motion seen in a mirror, left and right exchanged.

The world is reflected by M = I - 2 n n^T in a vertical plane, the rest pose reflects itself by M0 in the body's own plane. Let F_j be
joint j's rotation in the rest pose, k its partner. The turn of joint j away from rest, R_j F_j^-1, becomes that of its partner:

    R'_k = M (R_j F_j^-1) M0 F_k               p'_root = M p_root

so angles flip sign where they are pseudo-vectors, and bones keep their own lengths. Where a rest pose is not symmetric, F_k is first
corrected so that the bones of k are the mirror image of those of j. Mirrored twice is the motion itself.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from surefoot.errors import InputError
from surefoot.motion import quaternion
from surefoot.motion.anatomy import Anatomy, anatomy
from surefoot.motion.edit.measure import facing, is_straight
from surefoot.motion.motion import Motion
from surefoot.motion.skeleton import Skeleton

Array = NDArray[np.float64]

CROOKED = np.radians(4.0)
"""Bones of a rest pose that are this far from their partner's mirror image are taken for posed, not for built so."""


def mirror(motion: Motion, *, heading: float | None = None, body: Anatomy | None = None) -> Motion:
    """The motion mirrored in the vertical plane through the root's first place along `heading`, an angle from +X [rad].

    Without a heading it is the line the body travels along, or the way its first frame faces.
    """
    skeleton = motion.skeleton
    body = body or anatomy(skeleton, motion)
    root = skeleton.chain(body.trunk)[0]
    if heading is None:
        straight, along = is_straight(motion, body, root)
        heading = along if straight else float(facing(motion, body)[0])
    if not np.isfinite(heading):
        raise InputError(f"a heading is a finite angle in radians, got {heading}.")
    normal = np.array([-np.sin(heading), np.cos(heading), 0.0])
    partner = np.where(body.partner < 0, np.arange(skeleton.num_joints), body.partner)
    frames = symmetric_frames(skeleton, partner, body.left)
    # M D M0 = (M D M)(M M0): the reflected turn, after the turn by twice the angle between the planes.
    between = np.concatenate([[body.left @ normal], np.cross(body.left, normal)])
    turned = quaternion.multiply(motion.joint_rotations[:, partner], quaternion.conjugate(frames[partner]))
    world = quaternion.multiply(quaternion.multiply(reflect_rotation(turned, normal), between), frames)
    rotations = np.array(world)
    translations = np.array(motion.translations)
    for k, p in enumerate(skeleton.parents):
        j = int(partner[k])
        if p < 0:
            at = motion.joint_positions[:, j] if skeleton.parents[j] < 0 else motion.joint_positions[:, k]
            translations[:, k] = _reflect(at - motion.joint_positions[0, root], normal) + motion.joint_positions[0, root]
            continue
        rotations[:, k] = quaternion.multiply(quaternion.conjugate(world[:, p]), world[:, k])
        # What a joint's translation adds to its rest is mirrored; the bone keeps its own length.
        source = int(skeleton.parents[j])
        own = motion.translations[:, j] - skeleton.translations[j]
        aside = _reflect(quaternion.rotate(frames[source], own), body.left) if source >= 0 else np.zeros_like(own)
        translations[:, k] = skeleton.translations[k] + quaternion.rotate(quaternion.conjugate(frames[p]), aside)
    contacts = None if motion.contacts is None else motion.contacts[:, partner]
    return motion.replace(translations=translations, rotations=rotations, contacts=contacts)


def reflect_rotation(rotation: Array, normal: Array) -> Array:
    """M R M for a rotation (..., 4): its axis is a pseudo-vector, so the part along the normal stays and the rest flips."""
    return np.concatenate([rotation[..., :1], -_reflect(rotation[..., 1:], normal)], axis=-1)


def _reflect(vectors: Array, normal: Array) -> Array:
    return vectors - 2.0 * (vectors @ normal)[..., None] * normal


def symmetric_frames(skeleton: Skeleton, partner: NDArray[np.int64], left: Array) -> Array:
    """Rest rotations (J, 4) in which the bones of a right joint mirror those of its left partner; as they are where they do so already."""
    frames = np.array(skeleton.rest[1])
    for j in range(skeleton.num_joints):
        k = int(partner[j])
        if k <= j:
            continue
        mine, others = _bones(skeleton, partner, j, k)
        if len(mine) == 0:
            continue
        image = _reflect(mine, left)
        lengths = np.linalg.norm(image, axis=1) * np.linalg.norm(others, axis=1)
        cosine = np.sum(image * others, axis=1) / np.maximum(lengths, 1e-300)
        if np.arccos(np.clip(cosine, -1.0, 1.0)).max() > CROOKED:
            frames[k] = quaternion.multiply(turn_onto(image, others), frames[k])
    return frames


def _bones(skeleton: Skeleton, partner: NDArray[np.int64], j: int, k: int) -> tuple[Array, Array]:
    """Matching bones below a joint and its partner, as vectors in the rest pose (N, 3)."""
    rest = skeleton.rest[1]
    size = 1e-4 * skeleton.height
    pairs = [
        (skeleton.translations[c], skeleton.translations[partner[c]])
        for c in skeleton.children[j]
        if skeleton.parents[partner[c]] == k
    ]  # fmt: skip
    tips = [[tip.offset for tip in skeleton.tips if tip.joint == end] for end in (j, k)]
    if len(tips[0]) == len(tips[1]):
        pairs += list(zip(*tips, strict=True))
    pairs = [(a, b) for a, b in pairs if np.linalg.norm(a) > size and np.linalg.norm(b) > size]
    if not pairs:
        return np.zeros((0, 3)), np.zeros((0, 3))
    return quaternion.rotate(rest[j], np.array([a for a, _ in pairs])), quaternion.rotate(rest[k], np.array([b for _, b in pairs]))


def turn_onto(onto: Array, vectors: Array) -> Array:
    """The rotation that brings vectors (N, 3) nearest to `onto` (N, 3): of one bone the shortest, of several the best (Kabsch 1976)."""
    u, s, vt = np.linalg.svd(onto.T @ vectors)
    if len(onto) == 1 or s[1] < 0.02 * s[0]:
        longest = int(np.argmax(np.linalg.norm(onto, axis=1)))
        return quaternion.between(vectors[longest], onto[longest])
    sign = np.sign(np.linalg.det(u @ vt))
    return quaternion.from_matrix(u @ np.diag([1.0, 1.0, sign]) @ vt)
