"""Anatomy: what each joint of a skeleton is, by the geometry of its rest pose and its motion, with names as hints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from surefoot.motion import quaternion
from surefoot.motion.anatomy.detached import detached_ends
from surefoot.motion.anatomy.facing import UP, facing
from surefoot.motion.anatomy.limbs import Limb, Tree, find_limbs, find_trunk
from surefoot.motion.anatomy.loose import loose_joints
from surefoot.motion.anatomy.pose import reference_pose
from surefoot.motion.anatomy.symmetry import Symmetry, symmetry
from surefoot.motion.anatomy.words import parts
from surefoot.motion.anatomy.words import side as named_side
from surefoot.motion.motion import Motion
from surefoot.motion.skeleton import Skeleton, read_only

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class Anatomy:
    """Who is who in a skeleton of J joints. Numbers are joint indices."""

    trunk: int
    """The joint that carries the body: the limbs hang from it."""
    partner: NDArray[np.int64]  # (J,)
    """Mirror partner of each joint: itself when central, -1 when unknown."""
    side: tuple[str, ...]
    """"left", "right" or "centre" for each joint; left is up x forward."""
    forward: Array  # (3,)
    """Unit direction in the rest pose, world frame."""
    up: Array  # (3,)
    """Unit direction in the rest pose, world frame."""
    legs: tuple[tuple[int, ...], ...]
    """Chains from hip to the last joint, toes included, detached feet appended; left before right."""
    arms: tuple[tuple[int, ...], ...]
    """Chains from shoulder to hand; left before right."""
    spine: tuple[int, ...]
    """From the trunk to the head, or to the last joint of the back."""
    head: int | None
    tail: tuple[int, ...]
    feet: tuple[int, ...]
    """The joint of each leg that stands (the ankle)."""
    hands: tuple[int, ...]
    """The last joint of each arm's chain."""
    detached: Mapping[int, int]
    """Joints that hang outside their limb, and the joint each belongs under (`attach(motion, dict(detached))` moves them)."""
    controls: tuple[int, ...]
    """Joints of the rig without body: pole targets, handles, sockets, bare bone ends, strays."""
    confidence: float
    """Of forward and of left and right, between 0 and 1."""
    notes: tuple[str, ...]
    """What was doubtful, in words."""

    @property
    def end_effectors(self) -> tuple[int, ...]:
        """Feet, hands and head."""
        return (*self.feet, *self.hands, *(() if self.head is None else (self.head,)))

    @property
    def left(self) -> Array:
        """Unit direction in the rest pose (3,): up x forward."""
        return np.cross(self.up, self.forward)


def anatomy(skeleton: Skeleton, motion: Motion | None = None) -> Anatomy:
    """The anatomy of a skeleton; a motion of it tells more where the rest pose is odd or feet are detached."""
    notes: list[str] = []
    pose = reference_pose(skeleton, motion)
    if pose.frame is not None:
        notes.append(f"{pose.why}: frame {pose.frame} was read instead")
    moving = _moving_roots(skeleton, motion)
    sides = symmetry(skeleton, pose, moving)
    body = _body(skeleton, motion)
    loose = loose_joints(skeleton, body, pose.height, motion)
    tree = Tree(skeleton, pose, body, _parents(skeleton, loose))
    trunk = find_trunk(tree, moving)
    detached = loose | detached_ends(tree, sides, trunk, motion)
    hoisted = _hoist(tree, trunk)
    if hoisted is not None:
        trunk, moved = hoisted
        detached = {**moved, **detached}
        notes.append(f"the limbs part at '{skeleton.names[trunk]}', away from their common parent: they are hung from it")
    if detached:
        tree = Tree(skeleton, pose, body, _parents(skeleton, detached))
        if hoisted is None:
            listed = [f"'{skeleton.names[j]}' to '{skeleton.names[p]}'" for j, p in detached.items()]
            more = f" and {len(listed) - 8} more" if len(listed) > 8 else ""
            notes.append(f"joints that hang elsewhere: {', '.join(listed[:8])}{more}")
    sides = _centred(sides, skeleton.chain(trunk))
    inside = set(tree.subtree(trunk))
    above = set(skeleton.chain(trunk))
    controls = tuple(j for j in range(skeleton.num_joints) if j not in inside and j not in above)
    limbs = find_limbs(tree, sides, trunk, motion)
    spine, head, tail = _axis(tree, sides, limbs, trunk)
    forward, confidence, doubts = facing(tree, sides, limbs, trunk, head, tail, motion)
    notes += doubts
    left = np.cross(UP, forward)
    side, plane = _sides(tree, sides, left)
    legs = _ordered(tree, sides, [limb for limb in limbs if limb.kind == "leg"], forward, left, plane)
    arms = _ordered(tree, sides, [limb for limb in limbs if limb.kind == "arm"], forward, left, plane)
    if not legs:
        notes.append("no legs found")
    to_rest = quaternion.multiply(skeleton.rest[1][trunk], quaternion.conjugate(pose.rotations[trunk]))
    return Anatomy(
        trunk=trunk,
        partner=read_only(sides.partner, np.int64),
        side=side,
        forward=read_only(quaternion.rotate(to_rest, forward) if pose.frame is not None else forward),
        up=read_only(quaternion.rotate(to_rest, UP) if pose.frame is not None else UP),
        legs=tuple(limb.chain for limb in legs),
        arms=tuple(limb.chain for limb in arms),
        spine=spine,
        head=head,
        tail=tail,
        feet=tuple(limb.end for limb in legs),
        hands=tuple(limb.end for limb in arms),
        detached=MappingProxyType(detached),
        controls=controls,
        confidence=round(confidence, 3),
        notes=tuple(notes),
    )


def _moving_roots(skeleton: Skeleton, motion: Motion | None) -> frozenset[int]:
    """The roots of what the motion moves, where that is a part of the whole: a file may hold several bodies, a clip one of them."""
    if motion is None or motion.num_frames < 2 or len(skeleton.roots) < 2:
        return frozenset()
    moves = (np.ptp(motion.rotations, axis=0).max(axis=1) > 1e-6) | (
        np.ptp(motion.translations, axis=0).max(axis=1) > 1e-6 * skeleton.height
    )
    return frozenset(root for root in skeleton.roots if moves[list(skeleton.descendants(root))].any())


def _parents(skeleton: Skeleton, moved: Mapping[int, int]) -> NDArray[np.int64]:
    """The parents (J,) with some joints hung elsewhere."""
    parents = np.array(skeleton.parents)
    for joint, parent in moved.items():
        parents[joint] = parent
    return parents


def _body(skeleton: Skeleton, motion: Motion | None) -> NDArray[np.bool_]:
    """Which joints have body: not controls by name with nothing but controls below, not bare ends, not rigid copies of their parent."""
    body = np.ones(skeleton.num_joints, dtype=bool)
    for j in range(skeleton.num_joints - 1, -1, -1):
        if any(body[c] for c in skeleton.children[j]):
            continue
        words = parts(skeleton.names[j])
        limb = words & {"foot", "hand", "toe"}
        parent = int(skeleton.parents[j])
        double = ("control" in words) and _doubled(skeleton, j, limb)
        if ("control" in words and (double or not limb or parent < 0 or "slot" in skeleton.names[j].lower())) or ("end" in words):
            body[j] = False
        elif parent < 0 and len(skeleton.roots) > 1 and not skeleton.children[j]:
            body[j] = False  # a lone joint beside the skeleton: a prop, a mesh's node
        elif parent >= 0 and not skeleton.children[j] and _copies(skeleton, j, parent, motion):
            body[j] = False
    return body if body.any() else np.ones(skeleton.num_joints, dtype=bool)


def _doubled(skeleton: Skeleton, control: int, limb: frozenset[str]) -> bool:
    """Whether the foot or hand that a control is named after is there besides, on the same side: then the control is only a handle."""
    which = named_side(skeleton.names[control])
    return any(
        limb & parts(name) and "control" not in parts(name) and "end" not in parts(name) and which * named_side(name) >= 0
        for j, name in enumerate(skeleton.names)
        if j != control and skeleton.parents[j] >= 0
    )


def _copies(skeleton: Skeleton, joint: int, parent: int, motion: Motion | None) -> bool:
    """Whether a leaf is only the node of its parent's mesh: it never moves against the parent and is named like another joint of its
    line.
    """
    if motion is None or motion.num_frames < 2:
        return False
    still = np.ptp(motion.rotations[:, joint], axis=0).max() < 1e-9 and np.ptp(motion.translations[:, joint], axis=0).max() < 1e-9
    bare = skeleton.names[joint].lower()
    return bool(still and any(bare == skeleton.names[k].lower() for k in skeleton.chain(parent)[-2:]))


def _hoist(tree: Tree, trunk: int) -> tuple[int, dict[int, int]] | None:
    """Where the body hangs from a joint on the ground: the central child that all other limbs start at, and what to hang from it."""
    children = tree.children[trunk]
    if len(children) < 2 or tree.points[trunk][2] > tree.lowest(trunk) + 0.1 * tree.height:
        return None
    for child in sorted(children, key=lambda c: (-tree.count[c], -tree.reach[c])):
        others = [c for c in children if c != child]
        near = [float(np.linalg.norm(tree.points[c] - tree.points[child])) for c in others]
        far = [tree.bone(c) for c in others]
        if all(n < 0.75 * f for n, f in zip(near, far, strict=True)) and tree.bone(child) > 0.1 * tree.height:
            return child, dict.fromkeys(others, child)
    return None


def _axis(tree: Tree, sides: Symmetry, limbs: list[Limb], trunk: int) -> tuple[tuple[int, ...], int | None, tuple[int, ...]]:
    """Spine, head and tail: the central branches of the trunk."""
    limb_joints = {j for limb in limbs for j in tree.subtree(limb.root)}
    arm_roots = [limb.root for limb in limbs if limb.kind == "arm"]

    def central(j: int) -> list[int]:
        return [c for c in tree.children[j] if c not in limb_joints and "soft" not in tree.parts[c]]

    def line(j: int) -> list[int]:
        out = [j]
        while further := [c for c in central(out[-1]) if "face" not in tree.parts[c]]:
            out.append(
                max(
                    further,
                    key=lambda c: (_heads(tree, c, limb_joints), _carries(tree, c, arm_roots), tree.bone(c) + tree.reach[c]),
                )
            )
        return out

    branches = [line(c) for c in central(trunk)]
    if not branches:
        return (trunk,), None, ()

    def spine_like(path: list[int]) -> tuple[float, ...]:
        words = set().union(*(tree.parts[j] for j in path))
        legs = [limb.root for limb in limbs if limb.kind == "leg"]
        return (
            float(bool(words & {"head", "neck"})) - 2.0 * float("tail" in words),
            float(_carries(tree, path[0], arm_roots or legs)),
            float(bool(words & {"spine"})),
            float(tree.points[path[-1]][2]),
        )

    branches.sort(key=spine_like, reverse=True)
    best = branches[0]
    tails = [b for b in branches[1:] if _is_tail(tree, b)]
    if _is_tail(tree, best) and "tail" in set().union(*(tree.parts[j] for j in best)):
        return (trunk,), None, tuple(best)
    named = [j for j in best if "head" in tree.parts[j] and "neck" not in tree.parts[j]]
    if named:
        best = best[: best.index(named[0]) + 1]
    carriers = [i for i, j in enumerate(best) if any(tree.parents[r] == j for r in arm_roots)]
    beyond = not carriers or carriers[-1] < len(best) - 1
    head = named[0] if named else best[-1] if beyond and len(branches[0]) > 0 else None
    tail = max(tails, key=len, default=[])
    return (trunk, *best), head, tuple(tail)


def _heads(tree: Tree, joint: int, limb_joints: set[int]) -> bool:
    return any(tree.parts[j] & {"head", "neck"} for j in tree.subtree(joint) if j not in limb_joints)


def _carries(tree: Tree, joint: int, limb_roots: list[int]) -> bool:
    inside = set(tree.subtree(joint))
    return any(r in inside for r in limb_roots)


def _is_tail(tree: Tree, branch: list[int]) -> bool:
    words = set().union(*(tree.parts[j] for j in branch))
    if "tail" in words:
        return True
    return len(branch) >= 2 and not words & {"head", "neck", "spine", "face"}


def _centred(sides: Symmetry, chain: Sequence[int]) -> Symmetry:
    """The symmetry with every joint of a chain, the one that carries the body, as its own partner."""
    partner = list(sides.partner)
    for j in chain:
        if partner[j] not in (j, -1):
            partner[partner[j]] = -1
        partner[j] = j
    return replace(sides, partner=tuple(partner))


def _sides(tree: Tree, sides: Symmetry, left: Array) -> tuple[tuple[str, ...], float]:
    """Side of every joint, and the plane's offset along `left`."""
    points = tree.points @ left
    if sides.normal is None:
        middle = float(np.median(points))
        sign = 0.0
    else:
        sign = 1.0 if sides.normal @ left > 0.0 else -1.0
        middle = sign * sides.offset
    out = []
    for j, k in enumerate(sides.partner):
        if k == j:
            out.append("centre")
            continue
        apart = points[j] - (points[k] if k >= 0 else middle)
        if k >= 0 and abs(apart) < 0.02 * tree.height and sides.named[j]:
            apart = sides.named[j] * sign
        if k < 0 and abs(apart) < 0.03 * tree.height:
            out.append("centre")
        else:
            out.append("left" if apart > 0.0 else "right")
    return tuple(out), middle


def _ordered(tree: Tree, sides: Symmetry, limbs: list[Limb], forward: Array, left: Array, middle: float) -> list[Limb]:
    """Front pairs first, left before right within a pair."""

    def key(limb: Limb) -> tuple[float, float]:
        other = sides.partner[limb.root]
        attach = 0.5 * (tree.points[limb.root] + tree.points[other if other >= 0 else limb.root])
        return (-round(float(attach @ forward) / (0.15 * tree.height)), -(float(tree.points[limb.chain[-1]] @ left) - middle))

    return sorted(limbs, key=key)
