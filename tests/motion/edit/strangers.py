"""Motions for algebra: random poses of random trees, and smooth curves whose derivatives are known."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from surefoot.motion import quaternion
from surefoot.motion.motion import Motion
from surefoot.motion.skeleton import Skeleton, Tip


def tree(rng: np.random.Generator, joints: int) -> Skeleton:
    """A tree with joints anywhere, and a tip on the last."""
    parents = np.array([-1] + [int(rng.integers(0, j)) for j in range(1, joints)])
    return Skeleton(
        names=tuple(f"joint{j}" for j in range(joints)),
        parents=parents,
        translations=rng.normal(size=(joints, 3)),
        rotations=quaternion.normalize(rng.normal(size=(joints, 4))),
        tips=(Tip(joint=joints - 1, offset=rng.normal(size=3)),),
    )


def scramble(seed: int, joints: int, frames: int, fps: float) -> Motion:
    """Poses without any connection in time."""
    rng = np.random.default_rng(seed)
    return Motion(
        tree(rng, joints),
        rng.normal(size=(frames, joints, 3)),
        quaternion.normalize(rng.normal(size=(frames, joints, 4))),
        1.0 / fps,
        contacts=rng.random((frames, joints)) < 0.5,
    )


scrambles = st.builds(
    scramble,
    seed=st.integers(0, 2**32 - 1),
    joints=st.integers(1, 6),
    frames=st.integers(2, 12),
    fps=st.sampled_from([16.0, 24.0, 30.0, 100.0, 120.0048]),
)


def curve(fps: float, duration: float = 1.0, seed: int = 0) -> Motion:
    """Three joints on smooth curves: q(t) = exp(a sin(2t + c)) exp(b t)."""
    rng = np.random.default_rng(seed)
    skeleton = tree(rng, 3)
    a, b, c, place = rng.normal(size=(4, 3, 3))
    t = (np.arange(round(duration * fps) + 1) / fps)[:, None, None]
    rotations = quaternion.multiply(quaternion.exp(a * np.sin(2.0 * t + c)), quaternion.exp(b * t))
    return Motion(skeleton, place + a * np.sin(3.0 * t + b), rotations, 1.0 / fps)


def same(a: Motion, b: Motion, tolerance: float = 1e-12) -> bool:
    """Whether two motions have the same poses, rates and contacts (a quaternion and its negative are one rotation)."""
    if a.translations.shape != b.translations.shape or abs(a.frame_time - b.frame_time) > 1e-12:
        return False
    turned = quaternion.angle(quaternion.multiply(quaternion.conjugate(a.rotations), b.rotations)).max()
    moved = np.abs(a.translations - b.translations).max()
    alike = (a.contacts is None) == (b.contacts is None) and (a.contacts is None or bool(np.array_equal(a.contacts, b.contacts)))  # type: ignore[arg-type]
    return bool(turned < 10.0 * tolerance + 1e-7 and moved < tolerance and alike)
