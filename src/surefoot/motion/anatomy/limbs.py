"""The body's layout: which joint carries it, the axis through it, and the limbs that branch off.

A limb is a subtree beside the axis. The lowest pair are legs; another pair are legs, too, when it reaches as low and does not
hang from a body that stands upright above the first. Everything else with joints enough is an arm.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.motion.anatomy.pose import Pose
from surefoot.motion.anatomy.symmetry import Symmetry
from surefoot.motion.anatomy.words import parts
from surefoot.motion.motion import Motion
from surefoot.motion.skeleton import Skeleton

Array = NDArray[np.float64]


OTHER = frozenset({"face", "wing", "tail", "soft"})
"""Parts of the body that are neither leg nor arm."""


class Tree:
    """A skeleton's pose with the joints that are body, and measures along its branches."""

    def __init__(self, skeleton: Skeleton, pose: Pose, body: NDArray[np.bool_], parents: NDArray[np.int64] | None = None) -> None:
        self.skeleton, self.pose, self.body = skeleton, pose, body
        self.points = pose.positions
        self.height = pose.height
        self.parents = [int(p) for p in (skeleton.parents if parents is None else parents)]
        num = skeleton.num_joints
        self.children: list[list[int]] = [[] for _ in range(num)]
        for j, p in enumerate(self.parents):
            if p >= 0 and body[j]:
                self.children[p].append(j)
        self.parts = [parts(name) for name in skeleton.names]
        self.ends: list[list[Array]] = [[] for _ in range(num)]
        """Points beyond a joint that carry no joint: tips, and children that are bare ends."""
        for tip, point in zip(skeleton.tips, pose.tips, strict=True):
            self.ends[tip.joint].append(point)
        for j, p in enumerate(self.parents):
            if p >= 0 and not body[j] and "end" in self.parts[j]:
                self.ends[p].append(self.points[j])
        self.reach = [0.0] * num
        """Longest way down from each joint, tips included [m]."""
        self.count = [1] * num
        for j in self.below_first():
            self.reach[j] = max((float(np.linalg.norm(e - self.points[j])) for e in self.ends[j]), default=0.0)
            for c in self.children[j]:
                self.reach[j] = max(self.reach[j], self.bone(c) + self.reach[c])
                self.count[j] += self.count[c]

    def below_first(self) -> list[int]:
        order: list[int] = []
        stack = [j for j, p in enumerate(self.parents) if p < 0 or not self.body[j]]
        while stack:
            j = stack.pop()
            order.append(j)
            stack.extend(self.children[j])
        return order[::-1]

    def bone(self, j: int) -> float:
        """Length from the parent to the joint [m]."""
        p = self.parents[j]
        return float(np.linalg.norm(self.points[j] - self.points[p])) if p >= 0 else 0.0

    def subtree(self, j: int) -> list[int]:
        out, stack = [], [j]
        while stack:
            k = stack.pop()
            out.append(k)
            stack.extend(reversed(self.children[k]))
        return out

    def lowest(self, j: int) -> float:
        """Height of the lowest point of a subtree [m]."""
        return min(min([float(self.points[k][2]), *(float(e[2]) for e in self.ends[k])]) for k in self.subtree(j))

    def longest(self, j: int) -> list[int]:
        """The way from a joint down to its farthest leaf."""
        out = [j]
        while self.children[out[-1]]:
            out.append(max(self.children[out[-1]], key=lambda c: (self.bone(c) + self.reach[c], self.count[c])))
        return out


@dataclass(frozen=True, kw_only=True)
class Limb:
    """One limb: a subtree beside the axis."""

    root: int
    kind: str
    """"leg", "arm" or "other" (ears, eyes, wings, tails in pairs, skirts)."""
    chain: tuple[int, ...]
    """From the hip or shoulder to the last joint of the leg, to the hand of an arm."""
    end: int
    """The joint that stands, or the hand."""


def find_trunk(tree: Tree, moving: frozenset[int] = frozenset()) -> int:
    """The lowest joint that all of the body hangs from: there the limbs part. Of several bodies, one whose root is among the `moving`."""
    roots = [j for j, p in enumerate(tree.parents) if p < 0 and tree.body[j]]
    if not roots:
        return 0
    most = max(tree.count[j] for j in roots)
    roots = [j for j in roots if j in moving and 2 * tree.count[j] >= most] or roots
    # Of two bodies of as many joints, the first in the file.
    at = max(roots, key=lambda j: (tree.count[j], tree.reach[j] if tree.count[j] < 4 else 0.0))
    start = at
    while True:
        children = tree.children[at]
        if not children:
            return start  # one line of joints, nothing branches: a snake, a rope
        main = max(children, key=lambda c: (tree.count[c], tree.reach[c]))
        others = [c for c in children if c != main]
        if any(_carries(tree, at, c) and not _strays(tree, at, c, main) for c in others):
            return at
        at = main


def _carries(tree: Tree, at: int, child: int) -> bool:
    """Whether a branch is a part of the body rather than a stray helper."""
    if tree.parts[child] & {"leg", "foot", "arm", "hand", "spine", "pelvis", "tail", "neck", "head"}:
        return True
    return tree.count[child] >= 2 or tree.bone(child) + tree.reach[child] > 0.05 * tree.height


def _strays(tree: Tree, at: int, child: int, main: int) -> bool:
    """Whether a branch is the foot or hand of a limb of the main branch, parked on `at` by the rig: it stands where that limb ends."""
    if tree.count[child] > 2 or not tree.parts[child] & {"foot", "hand"} or tree.count[main] < 4:
        return False
    leaves = [j for j in tree.subtree(main) if not tree.children[j]]
    # Which of a limb's bones has the end in reach: a bone's length beyond the leaf at most.
    return any(
        float(np.linalg.norm(tree.points[child] - tree.points[j])) < 1.2 * tree.bone(j)
        or any(float(np.linalg.norm(tree.points[child] - end)) < 0.5 * tree.bone(j) for end in tree.ends[j])
        for j in leaves
    )


def find_limbs(tree: Tree, symmetry: Symmetry, trunk: int, motion: Motion | None = None) -> list[Limb]:
    """All limbs below the trunk. Where a frame stands for the rest pose, the other frames tell of a leg that is lifted in it."""
    partner = symmetry.partner
    roots: list[int] = []
    stack = [trunk]
    while stack:
        j = stack.pop()
        for c in tree.children[j]:
            if partner[c] == c:
                stack.append(c)
            else:
                roots.append(c)
    roots.sort()
    lone = _lone_legs(tree, trunk, partner)
    roots = sorted({*roots, *lone})
    if not roots:
        return []
    ground = min(tree.lowest(trunk), min(float(tree.points[j][2]) for j in tree.subtree(trunk)))
    low = {r: (tree.lowest(r) - ground) / tree.height for r in roots}
    if tree.pose.frame is not None and motion is not None:
        low |= {r: min(low[r], _usual_low(tree, r, trunk, motion)) for r in roots if _says(tree, r) == "leg"}
    # Both sides of a pair are the same kind of limb, however the pose bends them.
    low = {r: min(low[r], low.get(int(partner[r]), low[r])) for r in roots}
    legged = [r for r in roots if not tree.parts[r] & OTHER] or roots
    said = [r for r in legged if _says(tree, r) == "leg" and low[r] < 0.5]
    first = min(said or legged, key=lambda r: low[r])
    pair = {first, partner[first]}
    limbs = []
    for r in roots:
        kind = "leg" if r in pair and low[first] < 0.5 else _kind(tree, r, first, low)
        chain = _chain(tree, symmetry, r, kind)
        limbs.append(Limb(root=r, kind=kind, chain=chain, end=_end(tree, chain, kind, ground, partner)))
    return limbs


def _usual_low(tree: Tree, root: int, trunk: int, motion: Motion) -> float:
    """How far a limb is above the body's lowest joint in the tenth of the frames in which it is lowest, as a part of the height."""
    z = motion.joint_positions[..., 2]
    above = z[:, tree.subtree(root)].min(axis=1) - z[:, tree.subtree(trunk)].min(axis=1)
    return float(np.percentile(above, 10.0)) / tree.height


def _lone_legs(tree: Tree, trunk: int, partner: tuple[int, ...]) -> list[int]:
    """A leg in the middle, of one who hops: said to be one, and on the ground."""
    ground = tree.lowest(trunk)
    legs = [c for c in tree.children[trunk] if partner[c] == c and _says(tree, c) == "leg"]
    paths = {c: tree.longest(c) for c in legs}
    legs = [c for c in legs if 3 * sum(partner[j] == j for j in paths[c]) >= 2 * len(paths[c])]  # no spine that ends in forelegs
    return [c for c in legs if tree.lowest(c) < ground + 0.1 * tree.height]


def _says(tree: Tree, root: int) -> str:
    """What the names along a limb say it is: "leg", "arm" or nothing."""
    words: set[str] = set()
    for j in tree.longest(root):
        words |= tree.parts[j]
    leg, arm = len(words & {"leg", "foot", "toe"}), len(words & {"arm", "hand", "finger"})
    return "leg" if leg > arm else "arm" if arm > leg else ""


def _kind(tree: Tree, root: int, first: int, low: dict[int, float]) -> str:
    joint_parts = tree.parts[root]
    if joint_parts & OTHER:
        return "other"
    said = _says(tree, root)
    if not said and tree.bone(root) + tree.reach[root] < 0.12 * tree.height:
        return "other"
    between = tree.points[_attach(tree, root)] - tree.points[_attach(tree, first)]
    rise = float(between[2])
    above = rise > 0.15 * tree.height and rise > float(np.linalg.norm(between[:2]))
    height = low[root] - low[first]
    if above:
        return "leg" if said == "leg" and height < 0.15 else "arm"
    if height > 0.18:
        return "arm"
    # Arms that hang low start where the legs do; forelegs start farther ahead, whatever they are called.
    ahead = float(np.linalg.norm(between[:2])) > 0.15 * tree.height
    return "leg" if said != "arm" or (height < 0.15 and ahead) else "arm"


def _attach(tree: Tree, root: int) -> int:
    p = tree.parents[root]
    return p if p >= 0 else root


def _chain(tree: Tree, symmetry: Symmetry, root: int, kind: str) -> tuple[int, ...]:
    """The main line of a limb, without helpers that sit in the plane of symmetry."""
    path = tree.longest(root)
    if kind == "leg":
        path = _to_one_toe(tree, path)
    else:
        path = _to_the_hand(tree, path)
    if symmetry.normal is not None and symmetry.partner[root] != root:
        across = tree.points @ symmetry.normal - symmetry.offset
        both = [(j, symmetry.partner[j] if symmetry.partner[j] >= 0 else j) for j in path]
        start = next((i for i, (j, k) in enumerate(both) if abs(across[j]) + abs(across[k]) > 0.02 * tree.height), 0)
        path = path[start:]
    return tuple(path)


def _to_one_toe(tree: Tree, path: list[int]) -> list[int]:
    """A leg's line with one joint past a fan of toes."""
    for i, j in enumerate(path):
        fan = [c for c in tree.children[j] if tree.bone(c) + tree.reach[c] > 1e-6 * tree.height]
        if i >= 2 and len(fan) > 1:
            return path[: i + 2]
    return path


def _to_the_hand(tree: Tree, path: list[int]) -> list[int]:
    """An arm's line down to the hand: the joint so named, else where the fingers fan out, else the end of the last long bone."""
    fingers = next((i for i, j in enumerate(path) if "finger" in tree.parts[j] and "hand" not in tree.parts[j]), len(path))
    named = [i for i, j in enumerate(path) if "hand" in tree.parts[j] and i <= fingers]
    # "LeftHandIndex1" is a finger where the arm has a "LeftHand", and else the hand.
    named = [i for i in named if "finger" not in tree.parts[path[i]]] or named
    if named:
        hands = [i for i in named if tree.bone(path[i]) > 1e-6 * tree.height]
        return path[: (hands or named)[-1] + 1]
    for i in range(1, len(path) - 1):
        fan = tree.children[path[i]]
        if len(fan) > 1:
            far = np.median([tree.bone(c) for c in fan])
            return path[: i + 2] if far > 0.5 * tree.bone(path[i]) else path[: i + 1]
    path = path[: max(fingers, 1)]
    longest = max((tree.bone(j) for j in path[1:]), default=0.0)
    last = max((i for i, j in enumerate(path) if i > 0 and tree.bone(j) > 0.4 * longest), default=0)
    return path[: last + 1]


def _end(tree: Tree, chain: tuple[int, ...], kind: str, ground: float, partner: tuple[int, ...]) -> int:
    """The joint that stands (the ankle), or the hand; the same on both sides, however the pose bends them."""
    if kind != "leg":
        return chain[-1]
    both = {j: (j, partner[j] if partner[j] >= 0 else j) for j in chain}
    z = {j: 0.5 * float(tree.points[a][2] + tree.points[b][2]) for j, (a, b) in both.items()}
    bone = {j: 0.5 * (tree.bone(a) + tree.bone(b)) for j, (a, b) in both.items()}
    hip = max(z[chain[0]] - ground, 1e-9)
    high = {j: (z[j] - ground) / hip for j in chain}
    for j in chain:
        if "foot" in tree.parts[j] and "toe" not in tree.parts[j] and high[j] < 0.3:
            return j
    for i, j in enumerate(chain):
        if i > 0 and high[j] < 0.28 and "toe" not in tree.parts[j]:
            # The shank ends where the line turns from falling to lying.
            after = chain[i + 1] if i + 1 < len(chain) else None
            if after is None or abs(z[after] - z[j]) <= 0.9 * bone[after] + 1e-12 or high[after] < 0.02:
                return j
    low = [j for j in chain if high[j] < 0.28]
    return low[0] if low and low[0] != chain[0] else chain[-1]
