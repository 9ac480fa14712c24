"""World transforms of joints from channels and default transforms, exact under any scale.

    L_n = L_parent(n) R_n S_n            p_n = p_parent(n) + L_parent(n) t_n

A joint's rotation is the product of the R above it while all scales there are uniform and positive; otherwise it is the one nearest to
L (its polar factor, a mirrored first axis turned back), and the product of the R again where L has collapsed. T frames, J joints.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from surefoot.motion import gltf_tree, quaternion
from surefoot.motion.gltf_sample import Track
from surefoot.motion.gltf_tree import Nodes

Array = NDArray[np.float64]
_CHUNK = 4096
"""Frames posed at once: bounds the memory that the matrices take."""


class Poser:
    """The joints of a file, posed by the channels of one clip."""

    def __init__(self, nodes: Nodes, joints: Sequence[int], tracks: Sequence[Track]) -> None:
        self.nodes = nodes
        self.joints = list(joints)
        self.parents = gltf_tree.parents_among(nodes, self.joints)
        wanted = set(self.joints)
        self.tracks: dict[int, dict[str, Track]] = {}
        for track in tracks:
            if track.node in wanted:
                self.tracks.setdefault(track.node, {})[track.path] = track
        with np.errstate(all="ignore"):
            self._above = {j: self._still(nodes.parents[n]) for j, n in enumerate(self.joints) if self.parents[j] < 0}
            self._rest = self._posed(np.zeros(1), {})

    def pose(self, times: Array) -> tuple[Array, Array]:
        """World positions (T, J, 3) and rotations (T, J, 4) at `times` (T,), in the file's unit and axes."""
        positions = np.empty((len(times), len(self.joints), 3))
        rotations = np.empty((len(times), len(self.joints), 4))
        with np.errstate(all="ignore"):  # huge numbers are refused by the caller, who sees infinities
            for start in range(0, len(times), _CHUNK):
                part = slice(start, start + _CHUNK)
                positions[part], rotations[part], _ = self._posed(times[part], self.tracks)
        return positions, rotations

    def rest(self) -> tuple[Array, Array]:
        """World positions (J, 3) and rotations (J, 4) of the nodes' default transforms."""
        return self._rest[0][0], self._rest[1][0]

    def end(self, joint: int, node: int) -> Array:
        """The place (3,) of a node below a joint, in the joint's frame without its scale."""
        linear, turned = self._rest[2][joint][0], self._rest[1][0, joint]
        with np.errstate(all="ignore"):
            offset = quaternion.rotate(quaternion.conjugate(turned), linear @ self.nodes.local(node)[0])
        return offset if np.isfinite(offset).all() else np.zeros(3)

    def _still(self, node: int) -> tuple[Array, Array, Array, bool]:
        """p (3,), L (3, 3), product of R (4,), and whether all scales are uniform, of a node that no clip moves."""
        chain = []
        while node >= 0:
            chain.append(node)
            node = self.nodes.parents[node]
        position, linear, turned, plain = np.zeros(3), np.eye(3), np.array(quaternion.IDENTITY), True
        for n in reversed(chain):
            translation, rotation, scale, matrix = self.nodes.local(n)
            position = position + linear @ translation
            linear = linear @ matrix
            turned = quaternion.multiply(turned, rotation)
            plain = plain and _plain(scale[None]) and "matrix" not in self.nodes.items[n]
        return position, linear, turned, plain

    def _posed(self, times: Array, tracks: dict[int, dict[str, Track]]) -> tuple[Array, Array, list[Array]]:
        """World positions (T, J, 3), rotations (T, J, 4) and L (T, 3, 3) of each joint; L of one frame where nothing moves."""
        num = len(self.joints)
        positions, rotations = np.empty((len(times), num, 3)), np.empty((len(times), num, 4))
        world: list[tuple[Array, Array, Array, bool]] = []  # p, L, product of R, plain; first axis T or 1
        for j, n in enumerate(self.joints):
            p, linear, turned, plain = world[self.parents[j]] if self.parents[j] >= 0 else _framed(self._above[j])
            translation, rotation, scale, matrix = self.nodes.local(n)
            own = tracks.get(n, {})
            t = own["translation"].at(times) if "translation" in own else translation[None]
            r = own["rotation"].at(times) if "rotation" in own else rotation[None]
            s = own["scale"].at(times) if "scale" in own else scale[None]
            local = matrix[None] if not {"rotation", "scale"} & own.keys() else quaternion.to_matrix(r) * s[:, None, :]
            sheared = "matrix" in self.nodes.items[n] and not {"rotation", "scale"} & own.keys() and not _rigid(matrix)
            p = p + (linear @ t[..., None])[..., 0]
            turned = quaternion.multiply(turned, r)
            plain = plain and not sheared and _plain(s)
            linear = linear @ local
            world.append((p, linear, turned, plain))
            positions[:, j] = p
            rotations[:, j] = turned if plain else _nearest(linear, turned)
        return positions, rotations, [w[1] for w in world]


def _framed(above: tuple[Array, Array, Array, bool]) -> tuple[Array, Array, Array, bool]:
    p, linear, turned, plain = above
    return p[None], linear[None], turned[None], plain


def _plain(scale: Array) -> bool:
    """Whether scales (T, 3) are uniform and positive."""
    return bool(np.all(scale > 0.0) and np.ptp(scale, axis=-1).max() <= 1e-9 * np.abs(scale).max())


def _rigid(matrix: Array) -> bool:
    """Whether a matrix (3, 3) is a rotation times a positive number."""
    size = float(np.linalg.norm(matrix[:, 0]))
    return bool(size > 0.0 and np.abs(matrix.T @ matrix / size**2 - np.eye(3)).max() <= 1e-9 and np.linalg.det(matrix / size) > 0.0)


def _nearest(linear: Array, fallback: Array) -> Array:
    """The rotations (T, 4) nearest to L (T, 3, 3), unit columns first, or the fallback's where L has no direction."""
    frames = max(len(linear), len(fallback))
    linear = np.broadcast_to(linear, (frames, 3, 3))
    fallback = np.broadcast_to(fallback, (frames, 4))
    lengths = np.linalg.norm(linear, axis=1)  # (T, 3), of the columns
    good = np.isfinite(lengths).all(axis=-1) & (lengths.min(axis=-1) > 1e-9 * lengths.max(axis=-1))
    unit = np.where(good[:, None, None], linear / np.where(lengths > 0.0, lengths, 1.0)[:, None, :], np.eye(3))
    mirrored = np.linalg.det(unit) < 0.0
    unit = np.where(mirrored[:, None, None], unit * np.array([-1.0, 1.0, 1.0]), unit)
    u, size, v = np.linalg.svd(unit)
    good &= size[:, -1] > 1e-9
    return np.where(good[:, None], quaternion.from_matrix(u @ v), fallback)
