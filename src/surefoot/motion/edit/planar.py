"""Rigid moves along the floor: x' = Rz(yaw) x + (x, y, 0), and the one that brings one pose nearest to another.

With horizontal coordinates as complex numbers z = x + iy, the best move of points b onto points a (least squares) turns by

    yaw = arg( sum (a - mean a) conj(b - mean b) )

and leaves the squared error |a|^2 + |b|^2 - 2 |sum a conj(b)| of the centred points (Kovar et al. 2002, in complex form).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.motion import quaternion
from surefoot.motion.motion import Motion

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Planar:
    """A turn about Z followed by a shift along the floor."""

    x: float = 0.0
    """[m]"""
    y: float = 0.0
    """[m]"""
    yaw: float = 0.0
    """[rad]"""

    @property
    def rotation(self) -> Array:
        """The turn as a quaternion (4,)."""
        return np.array([np.cos(0.5 * self.yaw), 0.0, 0.0, np.sin(0.5 * self.yaw)])

    @property
    def shift(self) -> Array:
        """(3,) [m]"""
        return np.array([self.x, self.y, 0.0])

    def after(self, first: Planar) -> Planar:
        """The move that does `first`, then this one."""
        at = quaternion.rotate(self.rotation, first.shift) + self.shift
        return Planar(x=float(at[0]), y=float(at[1]), yaw=self.yaw + first.yaw)

    def inverse(self) -> Planar:
        """The move back."""
        at = quaternion.rotate(quaternion.conjugate(self.rotation), -self.shift)
        return Planar(x=float(at[0]), y=float(at[1]), yaw=-self.yaw)

    def power(self, times: int) -> Planar:
        """The move done `times` times."""
        out = Planar()
        for _ in range(times):
            out = self.after(out)
        return out

    def points(self, points: Array) -> Array:
        """Moved points (..., 3)."""
        return quaternion.rotate(self.rotation, points) + self.shift


def move(motion: Motion, by: Planar) -> Motion:
    """The motion with every frame moved along the floor."""
    return place(motion, by.rotation, by.shift)


def place(motion: Motion, rotation: Array, shift: Array, *, rest: bool = False) -> Motion:
    """The motion turned by `rotation` (4,) about the origin, then shifted by (3,) [m]; `rest`: the rest pose is turned, too."""
    roots = list(motion.skeleton.roots)
    translations, rotations = np.array(motion.translations), np.array(motion.rotations)
    translations[:, roots] = quaternion.rotate(rotation, translations[:, roots]) + shift
    rotations[:, roots] = quaternion.multiply(rotation, rotations[:, roots])
    skeleton = motion.skeleton
    if rest:
        resting, turned = np.array(skeleton.translations), np.array(skeleton.rotations)
        resting[roots] = quaternion.rotate(rotation, resting[roots])
        turned[roots] = quaternion.multiply(rotation, turned[roots])
        skeleton = type(skeleton)(skeleton.names, skeleton.parents, resting, turned, skeleton.tips)
    return motion.replace(skeleton=skeleton, translations=translations, rotations=rotations)


def nearest(onto: Array, points: Array, yaw: float | None = None) -> Planar:
    """The move that brings `points` (P, 3) nearest to `onto` (P, 3), with the turn given or free."""
    a, b = onto[:, 0] + 1j * onto[:, 1], points[:, 0] + 1j * points[:, 1]
    if yaw is None:
        yaw = float(np.angle(np.sum((a - a.mean()) * np.conj(b - b.mean()))))
    shift = a.mean() - np.exp(1j * yaw) * b.mean()
    return Planar(x=float(shift.real), y=float(shift.imag), yaw=yaw)
