"""What the tests of our own material measure on a motion."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from surefoot.motion.motion import Motion

Array = NDArray[np.float64]
SIDES = ("left", "right")


def joint(motion: Motion, name: str) -> Array:
    """Places (T, 3) of a joint."""
    return motion.joint_positions[:, motion.skeleton.index(name)]


def tip(motion: Motion, name: str) -> Array:
    """Places (T, 3) of a bone's end."""
    return motion.tip_positions[:, [t.name for t in motion.skeleton.tips].index(name)]


def planted(motion: Motion) -> list[tuple[str, int, int, Array]]:
    """Every contact phase: joint, first and last frame, and the places of the point that stands."""
    assert motion.contacts is not None
    out = []
    for j in np.flatnonzero(motion.contacts.any(0)):
        name = motion.skeleton.names[j]
        point = joint(motion, name) if name.endswith("toe") else tip(motion, name.split("_")[0] + "_heel")
        edges = np.flatnonzero(np.diff(np.concatenate([[0], motion.contacts[:, j].astype(int), [0]])))
        out += [(name, int(a), int(b) - 1, point[a:b]) for a, b in edges.reshape(-1, 2)]
    return out


def lowest(motion: Motion) -> Array:
    """Height (T,) of the lowest joint or bone's end."""
    return np.asarray(np.minimum(motion.joint_positions[..., 2].min(1), motion.tip_positions[..., 2].min(1)))


def bend(motion: Motion, *names: str) -> Array:
    """The angle (T,) [degrees] at the second of three joints; zero is straight."""
    a, b, c = (joint(motion, name) if name in motion.skeleton.names else tip(motion, name) for name in names)
    u, v = b - a, c - b
    cosine = np.sum(u * v, -1) / np.linalg.norm(u, axis=-1) / np.linalg.norm(v, axis=-1)
    return np.asarray(np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0))))


def airborne(motion: Motion) -> tuple[int, int]:
    """First and last frame of the longest time without any foot within 1 cm of the floor."""
    heights = np.stack([tip(motion, f"{s}_{end}")[:, 2] for s in SIDES for end in ("heel", "toe_tip")]).min(0)
    edges = np.flatnonzero(np.diff(np.concatenate([[0], (heights > 0.01).astype(int), [0]]))).reshape(-1, 2)
    first, after = max(edges, key=lambda e: e[1] - e[0])
    return int(first), int(after) - 1
