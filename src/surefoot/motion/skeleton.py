"""A skeleton: joints in a tree, with a rest pose.

World transforms follow from local ones by forward kinematics, parents before children:

    R_j = R_parent(j) * r_j            p_j = p_parent(j) + R_parent(j) t_j

where r_j, t_j are joint j's rotation and translation in its parent's frame (in the world for a root).
Metres, Z up. J joints.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from surefoot.errors import InputError, unknown_name
from surefoot.motion import quaternion

Array = NDArray[np.float64]


def read_only(array: object, dtype: type = float) -> NDArray:
    """A read-only copy of `array`."""
    out: NDArray = np.array(array, dtype=dtype)
    out.flags.writeable = False
    return out


@dataclass(frozen=True, kw_only=True)
class Tip:
    """The far end of a bone that carries no joint (a BVH end site)."""

    joint: int
    """Index of the joint it belongs to."""
    offset: Array  # (3,)
    """Position in that joint's frame [m]."""
    name: str = ""
    """Usually empty; file formats may name it."""


@dataclass(frozen=True, eq=False)
class Skeleton:
    """Joints in a tree with a rest pose. Parents stand before their children; names need not be unique."""

    names: tuple[str, ...]
    parents: NDArray[np.int64]  # (J,), -1 for a root
    translations: Array  # (J, 3) rest translation in the parent's frame [m]
    rotations: Array  # (J, 4) rest rotation in the parent's frame
    tips: tuple[Tip, ...] = field(default=())

    def __post_init__(self) -> None:
        num = len(self.names)
        object.__setattr__(self, "names", tuple(self.names))
        object.__setattr__(self, "parents", read_only(self.parents, np.int64))
        object.__setattr__(self, "translations", read_only(self.translations))
        object.__setattr__(self, "rotations", read_only(self.rotations))
        object.__setattr__(self, "tips", tuple(self.tips))
        if num == 0:
            raise InputError("a skeleton needs at least one joint, got none.")
        if self.parents.shape != (num,) or self.translations.shape != (num, 3) or self.rotations.shape != (num, 4):
            raise InputError(
                f"a skeleton of {num} joints needs parents ({num},), translations ({num}, 3), rotations ({num}, 4); got "
                f"{self.parents.shape}, {self.translations.shape}, {self.rotations.shape}."
            )
        if np.any(self.parents >= np.arange(num)) or np.any(self.parents < -1):
            raise InputError("a skeleton's parents must stand before their children, -1 for a root.")

    @property
    def num_joints(self) -> int:
        return len(self.names)

    @cached_property
    def roots(self) -> tuple[int, ...]:
        """Indices of the joints without a parent."""
        return tuple(int(j) for j in np.flatnonzero(self.parents < 0))

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """For each joint the indices of its children, in order."""
        out: list[list[int]] = [[] for _ in self.names]
        for j, p in enumerate(self.parents):
            if p >= 0:
                out[p].append(j)
        return tuple(tuple(c) for c in out)

    def index(self, name: str) -> int:
        """The first joint of that name."""
        try:
            return self.names.index(name)
        except ValueError:
            raise unknown_name("joint", name, self.names) from None

    def descendants(self, joint: int) -> tuple[int, ...]:
        """The joint itself and all joints below it, parents first."""
        inside = np.zeros(self.num_joints, dtype=bool)
        inside[joint] = True
        for j in range(joint + 1, self.num_joints):
            if self.parents[j] >= 0 and inside[self.parents[j]]:
                inside[j] = True
        return tuple(int(j) for j in np.flatnonzero(inside))

    def chain(self, joint: int) -> tuple[int, ...]:
        """The joints from the root down to `joint`."""
        out = [joint]
        while self.parents[out[-1]] >= 0:
            out.append(int(self.parents[out[-1]]))
        return tuple(reversed(out))

    def forward(self, translations: Array, rotations: Array) -> tuple[Array, Array]:
        """World positions (..., J, 3) and rotations (..., J, 4) of local transforms of the same shapes."""
        positions = np.empty_like(translations)
        world = np.empty_like(rotations)
        for j, p in enumerate(self.parents):
            if p < 0:
                positions[..., j, :] = translations[..., j, :]
                world[..., j, :] = rotations[..., j, :]
            else:
                positions[..., j, :] = positions[..., p, :] + quaternion.rotate(world[..., p, :], translations[..., j, :])
                world[..., j, :] = quaternion.multiply(world[..., p, :], rotations[..., j, :])
        return positions, world

    def backward(self, positions: Array, world: Array) -> tuple[Array, Array]:
        """Local translations and rotations of world transforms: the inverse of `forward`."""
        translations, rotations = np.array(positions), np.array(world)
        for j, p in enumerate(self.parents):
            if p >= 0:
                inverse = quaternion.conjugate(world[..., p, :])
                translations[..., j, :] = quaternion.rotate(inverse, positions[..., j, :] - positions[..., p, :])
                rotations[..., j, :] = quaternion.multiply(inverse, world[..., j, :])
        return translations, rotations

    @cached_property
    def rest(self) -> tuple[Array, Array]:
        """World positions (J, 3) and rotations (J, 4) of the rest pose."""
        positions, world = self.forward(self.translations, self.rotations)
        return read_only(positions), read_only(world)

    def tip_positions(self, positions: Array, world: Array) -> Array:
        """World positions (..., num_tips, 3) of the tips, given the joints' world transforms."""
        if not self.tips:
            return np.zeros((*positions.shape[:-2], 0, 3))
        joints = [tip.joint for tip in self.tips]
        offsets = np.stack([tip.offset for tip in self.tips])
        return positions[..., joints, :] + quaternion.rotate(world[..., joints, :], offsets)

    @cached_property
    def height(self) -> float:
        """Extent of the rest pose along Z, tips included [m]; of its longest side when it is flat."""
        points = np.concatenate([self.rest[0], self.tip_positions(*self.rest)])
        extent = np.ptp(points, axis=0)
        return float(extent[2] if extent[2] > 0.05 * extent.max() else extent.max())


def topological(parents: Sequence[int]) -> list[int]:
    """An order of the nodes in which parents stand before children; an `InputError` on a cycle."""
    num = len(parents)
    children: list[list[int]] = [[] for _ in range(num)]
    stack = []
    for j in reversed(range(num)):
        p = parents[j]
        if p >= num:
            raise InputError(f"joint {j} hangs below joint {p}; there are {num}.")
        if p < 0:
            stack.append(j)
        else:
            children[p].append(j)
    order: list[int] = []
    while stack:
        j = stack.pop()
        order.append(j)
        stack.extend(children[j])  # children were collected in reverse, so they pop in order
    if len(order) != num:
        raise InputError(f"the joints form a cycle: {num - len(order)} of {num} hang below themselves.")
    return order
