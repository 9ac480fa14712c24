"""Left and right partners: by names where they tell, else by the plane in which the pose mirrors itself.

The plane is vertical, { x : n . x = c }. Partners are matched down the tree: children of a joint on the plane pair up with
each other or lie on it themselves, children of a left joint pair with those of its right partner.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.motion.anatomy.pose import Pose
from surefoot.motion.anatomy.words import named_partners, parts, tokens
from surefoot.motion.skeleton import Skeleton

Array = NDArray[np.float64]
Bools = NDArray[np.bool_]

MAX_SIBLINGS = 48
"""Groups of more siblings than this are not matched by geometry."""


@dataclass(frozen=True, kw_only=True)
class Symmetry:
    """The mirror plane and who mirrors whom."""

    partner: tuple[int, ...]
    """Per joint its partner, itself when central, -1 when unknown."""
    normal: Array | None  # (3,)
    """Unit, horizontal; towards the left as names tell it. None when no plane was found."""
    offset: float
    """The plane is normal . x = offset."""
    named: tuple[int, ...]
    """Per joint the side its name says: +1 left, -1 right, 0 neither."""
    by_name: bool


class _Matcher:
    """Matches partners down the tree for a given plane."""

    def __init__(self, skeleton: Skeleton, pose: Pose, named: list[int], own: Bools) -> None:
        self.skeleton, self.named, self.height = skeleton, named, pose.height
        self.positions = pose.positions
        self.roots = [r for r in skeleton.roots if own[r]]
        self.own = pose.positions[own]
        self.num = len(named)
        self.sizes = np.ones(self.num)
        sums = pose.positions.copy()
        for j in range(self.num - 1, 0, -1):
            p = skeleton.parents[j]
            if p >= 0:
                self.sizes[p] += self.sizes[j]
                sums[p] += sums[j]
        self.centres = sums / self.sizes[:, None]
        self.depths = np.zeros(self.num)
        for j in range(self.num - 1, 0, -1):
            p = skeleton.parents[j]
            if p >= 0:
                self.depths[p] = max(self.depths[p], self.depths[j] + 1)
        self.parts = [parts(name) for name in skeleton.names]
        self.words = [tuple(w for w in tokens(name) if not w.isdigit()) for name in skeleton.names]

    def costs(self, left: list[int], right: list[int], normal: Array, offset: float) -> Array:
        """How badly each of `left`, reflected, fits each of `right` (len(left), len(right)), in heights; a head is no tail's other side."""

        def reflect(points: Array) -> Array:
            return points - 2.0 * ((points @ normal) - offset)[:, None] * normal

        near = np.linalg.norm(reflect(self.positions[left])[:, None] - self.positions[right][None], axis=-1)
        bulk = np.linalg.norm(reflect(self.centres[left])[:, None] - self.centres[right][None], axis=-1)
        shape = 0.05 * np.abs(self.depths[left][:, None] - self.depths[right][None])
        size = np.abs(np.log(self.sizes[left][:, None] / self.sizes[right][None]))
        alien = np.array([[bool(self.parts[a] and self.parts[b]) and not self.parts[a] & self.parts[b] for b in right] for a in left])
        return np.asarray(0.5 * (near + bulk) / self.height + shape + 0.05 * size + 0.5 * alien)

    def match(self, normal: Array, offset: float, tolerance: float, lone: bool) -> tuple[list[int], float]:
        """Partners and how well they fit, the larger the better. `lone`: an unmatched child of the plane lies on the plane."""
        partner = [-1] * self.num
        score = self._siblings(self.roots, normal, offset, tolerance, lone, partner)
        for j in range(self.num):
            k = partner[j]
            if k == j:
                score += self._siblings(list(self.skeleton.children[j]), normal, offset, tolerance, lone, partner)
            elif k > j:
                score += self._across(list(self.skeleton.children[j]), list(self.skeleton.children[k]), normal, offset, partner)
        return partner, score

    def _siblings(self, group: list[int], normal: Array, offset: float, tolerance: float, lone: bool, partner: list[int]) -> float:
        score = 0.0
        free = []
        for j in group:
            if self.named[j] in group:
                partner[j] = self.named[j]
                score += 1.0
            else:
                free.append(j)
        if not free:
            return score
        if len(free) <= MAX_SIBLINGS:
            cost = self.costs(free, free, normal, offset)
            pairs = sorted(
                (float(cost[a, b]) + (0.3 * tolerance if a == b else 0.0), a, b) for a in range(len(free)) for b in range(a, len(free))
            )
            for value, a, b in pairs:
                if value > tolerance or partner[free[a]] >= 0 or partner[free[b]] >= 0:
                    continue
                if a != b and (self.words[free[a]] and self.named_alone(free[a], free[b])):
                    continue
                if a != b and self.central(free[a], normal, offset) and self.central(free[b], normal, offset):
                    continue
                partner[free[a]], partner[free[b]] = free[b], free[a]
                score += (2.0 if a != b else 0.5) * (1.0 - value / (1.4 * tolerance))
        for j in free:
            if partner[j] < 0 and (lone or len(group) == 1):
                partner[j] = j
        return score

    def named_alone(self, a: int, b: int) -> bool:
        """Whether exactly one of two joints has a partner by name, elsewhere in the tree: then they are none."""
        return (self.named[a] >= 0) != (self.named[b] >= 0)

    def central(self, joint: int, normal: Array, offset: float) -> bool:
        """Whether a joint and the middle of all below it lie on the plane: two such are no left and right."""
        off = [abs(float(point @ normal) - offset) for point in (self.positions[joint], self.centres[joint])]
        return max(off) < 0.005 * self.height

    def _across(self, left: list[int], right: list[int], normal: Array, offset: float, partner: list[int]) -> float:
        score = 0.0
        for a in left:
            if self.named[a] in right:
                partner[a], partner[self.named[a]] = self.named[a], a
                score += 2.0
        left = [a for a in left if partner[a] < 0]
        right = [b for b in right if partner[b] < 0]
        if not left or not right or max(len(left), len(right)) > MAX_SIBLINGS:
            return score
        cost = self.costs(left, right, normal, offset)
        for a, b in sorted(np.ndindex(cost.shape), key=lambda ab: float(cost[ab])):
            if partner[left[a]] < 0 and partner[right[b]] < 0:
                partner[left[a]], partner[right[b]] = right[b], left[a]
                score += 2.0 * max(1.0 - float(cost[a, b]) / 0.3, -0.5)
        return score


def symmetry(skeleton: Skeleton, pose: Pose, moving: frozenset[int] = frozenset()) -> Symmetry:
    """Partners of all joints, by names first; of several bodies those of one that moves, by its root among the `moving`."""
    named, sides = named_partners(skeleton.names, skeleton.parents.tolist())
    one = _one_body(skeleton, moving)
    named = [k if one[j] else -1 for j, k in enumerate(named)]
    sides = [s if one[j] else 0 for j, s in enumerate(sides)]
    matcher = _Matcher(skeleton, pose, named, one)
    plane = _named_plane(named, sides, pose)
    by_name = plane is not None
    if plane is None:
        sides = [0] * len(named)
        plane = _searched_plane(matcher, pose)
    if plane is None:
        partner = list(range(len(named))) if not any(k >= 0 for k in named) else [k if k >= 0 else j for j, k in enumerate(named)]
        return Symmetry(partner=tuple(partner), normal=None, offset=0.0, named=tuple(sides), by_name=False)
    normal, offset = plane
    partner, _ = matcher.match(normal, offset, 0.25, lone=by_name)
    for j, k in enumerate(named):
        if by_name and k >= 0 and partner[j] in (-1, j):
            partner[j] = k
    for j, k in enumerate(partner):
        if k >= 0 and partner[k] != j:
            partner[j] = -1
    return Symmetry(partner=tuple(partner), normal=normal, offset=offset, named=tuple(sides), by_name=by_name)


def _one_body(skeleton: Skeleton, moving: frozenset[int]) -> Bools:
    """Which joints (J,) are not those of a second body beside the first: a piece at least half as large as the largest."""
    pieces = {root: skeleton.descendants(root) for root in skeleton.roots}
    most = max(len(piece) for piece in pieces.values())
    able = [root for root in pieces if root in moving and 2 * len(pieces[root]) >= most] or list(pieces)
    first = max(able, key=lambda root: len(pieces[root]))
    out = np.ones(skeleton.num_joints, dtype=bool)
    for root, piece in pieces.items():
        if root != first and len(piece) > 3 and 2 * len(piece) >= most:
            out[list(piece)] = False
    return out


def _named_plane(named: list[int], sides: list[int], pose: Pose) -> tuple[Array, float] | None:
    """The plane between the joints whose names pair, when their positions agree on one."""
    lefts = [j for j, k in enumerate(named) if k >= 0 and sides[j] > 0]
    if not lefts:
        return None
    rights = [named[j] for j in lefts]
    apart = pose.positions[lefts] - pose.positions[rights]
    apart = apart[np.linalg.norm(apart, axis=1) > 1e-3 * pose.height]
    if len(apart) == 0:
        return None
    normal = _horizontal(apart.sum(axis=0))
    if normal is None or np.median(apart @ normal / np.linalg.norm(apart, axis=1)) < 0.3:
        return None
    offset = float(np.median(0.5 * (pose.positions[lefts] + pose.positions[rights]) @ normal))
    return normal, offset


def _searched_plane(matcher: _Matcher, pose: Pose) -> tuple[Array, float] | None:
    """The vertical plane in which the pose mirrors itself best, with at least one pair."""
    best: tuple[float, list[int], Array] | None = None
    centred = matcher.own - matcher.own.mean(axis=0)
    for angle in np.radians(np.arange(0.0, 180.0, 5.0)):
        normal = np.array([np.cos(angle), np.sin(angle), 0.0])
        across = np.array([-normal[1], normal[0], 0.0])
        partner, score = matcher.match(normal, float(matcher.own.mean(axis=0) @ normal), 0.12, lone=False)
        # Of two planes that fit alike, the body is longer along the one than across it.
        score += 0.5 * float(np.ptp(centred @ across) / (np.ptp(centred @ across) + np.ptp(centred @ normal) + 1e-12))
        if any(k >= 0 and k != j for j, k in enumerate(partner)) and (best is None or score > best[0] + 1e-9):
            best = (score, partner, normal)
    if best is None:
        return None
    _, partner, normal = best
    pairs = [(j, k) if (pose.positions[j] - pose.positions[k]) @ normal > 0 else (k, j) for j, k in enumerate(partner) if k > j]
    lefts, rights = [a for a, _ in pairs], [b for _, b in pairs]
    exact = _horizontal((pose.positions[lefts] - pose.positions[rights]).sum(axis=0))
    normal = normal if exact is None or exact @ normal < 0.9 else exact
    return normal, float(np.median(0.5 * (pose.positions[lefts] + pose.positions[rights]) @ normal))


def _horizontal(vector: Array) -> Array | None:
    flat = np.array([vector[0], vector[1], 0.0])
    length = float(np.linalg.norm(flat))
    return flat / length if length > 0.2 * np.linalg.norm(vector) and length > 1e-9 else None
