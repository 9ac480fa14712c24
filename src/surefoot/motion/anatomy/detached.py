"""Joints in the wrong place: feet that hang from the root as IK controls, sockets and pole targets; and moving them.

A stray joint is a limb's end when it stays where the limb ends: at the tip of the last bone, or at a steady distance beyond
the last joint, throughout the motion. What stays nowhere is a control without body.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from surefoot.errors import InputError
from surefoot.motion import quaternion
from surefoot.motion.anatomy.limbs import Tree
from surefoot.motion.anatomy.symmetry import Symmetry
from surefoot.motion.motion import Motion
from surefoot.motion.skeleton import Skeleton, Tip, topological

Array = NDArray[np.float64]


def detached_ends(tree: Tree, symmetry: Symmetry, trunk: int, motion: Motion | None) -> dict[int, int]:
    """For each stray joint that is a limb's end, the joint it belongs under."""
    inside = set(tree.subtree(trunk))
    above = set(tree.skeleton.chain(trunk))
    strays = [
        j for j in range(len(tree.parents)) if tree.body[j] and j not in inside and j not in above and tree.parents[j] in above | {-1}
    ]
    leaves = [j for j in inside if not tree.children[j] and j != trunk and symmetry.partner[j] != j]
    found: list[tuple[float, int, int]] = []
    for stray in strays:
        for leaf in leaves:
            misfit = _misfit(tree, motion, stray, leaf)
            named, other = symmetry.named[stray], symmetry.named[leaf]
            if misfit is not None and named * other >= 0:
                found.append((misfit, stray, leaf))
    out: dict[int, int] = {}
    for _, stray, leaf in sorted(found):
        if stray not in out and leaf not in out.values():
            out[stray] = leaf
    for stray in strays:  # what one foot tells, its partner follows
        told = out.get(symmetry.partner[stray], -1)
        leaf = symmetry.partner[told] if told >= 0 else -1
        if stray not in out and leaf in leaves and leaf not in out.values():
            out[stray] = leaf
    return out


def _misfit(tree: Tree, motion: Motion | None, stray: int, leaf: int) -> float | None:
    """How badly a stray joint continues the bone of a leaf, in bone lengths; None when it does not."""
    bone = max(tree.bone(leaf), 0.02 * tree.height)
    tips = [i for i, tip in enumerate(tree.skeleton.tips) if tip.joint == leaf]
    bare = [j for j, p in enumerate(tree.parents) if p == leaf and not tree.body[j] and "end" in tree.parts[j]]
    if motion is None:
        apart = np.linalg.norm((tree.points[stray] - tree.points[leaf])[None], axis=-1)
        gaps = [np.linalg.norm((end - tree.points[stray])[None], axis=-1) for end in tree.ends[leaf]]
    else:
        step = max(1, motion.num_frames // 200)
        at = motion.joint_positions[::step, stray]
        apart = np.linalg.norm(at - motion.joint_positions[::step, leaf], axis=-1)
        gaps = [np.linalg.norm(at - motion.tip_positions[::step, i], axis=-1) for i in tips]
        gaps += [np.linalg.norm(at - motion.joint_positions[::step, j], axis=-1) for j in bare]
    if np.median(apart) < 0.1 * bone:
        return None  # the limb has a joint there already: this is a handle
    if gaps:
        gap = min(float(np.median(g)) for g in gaps)
        if gap < 0.35 * bone:
            return gap / bone
    lower = tree.points[stray][2] < tree.points[leaf][2]
    steady = motion is not None and motion.num_frames > 4 and np.std(apart) < 0.1 * np.mean(apart)
    if lower and steady and np.median(apart) < 1.5 * bone and _moves_alone(motion, stray, leaf):
        return 1.0 + float(np.std(apart) / bone)
    return None


def _moves_alone(motion: Motion | None, stray: int, leaf: int) -> bool:
    """Whether both joints move, so that a steady distance says something."""
    if motion is None:
        return False
    moved = [float(np.ptp(motion.joint_positions[:, j], axis=0).max()) for j in (stray, leaf)]
    return min(moved) > 0.02 * motion.skeleton.height


def reparent(motion: Motion, joint: int, parent: int) -> Motion:
    """Hang `joint` (with all below it) under `parent`, -1 for none; every world transform stays, in the rest pose and all frames.

    Joints change places only as far as parents must stand before their children.
    """
    return attach(motion, {joint: parent})[0]


def attach(motion: Motion, moves: dict[int, int]) -> tuple[Motion, list[int]]:
    """Reparent several joints at once. Also returns, for each joint of the result, its old index."""
    skeleton = motion.skeleton
    parents = skeleton.parents.tolist()
    for joint, parent in moves.items():
        if not (0 <= joint < skeleton.num_joints and -1 <= parent < skeleton.num_joints):
            raise InputError(f"cannot hang joint {joint} under {parent}: there are joints 0 to {skeleton.num_joints - 1}.")
        parents[joint] = parent
    try:
        order = topological(parents)
    except InputError:
        listed = ", ".join(f"'{skeleton.names[j]}' under '{skeleton.names[p]}'" for j, p in moves.items() if p >= 0)
        raise InputError(f"cannot hang {listed}: a joint cannot hang below itself.") from None
    if all(parents[j] < j for j in range(len(parents))):
        order = list(range(len(parents)))
    place = {old: new for new, old in enumerate(order)}
    names = tuple(skeleton.names[j] for j in order)
    new_parents = np.array([place[parents[j]] if parents[j] >= 0 else -1 for j in order])
    tips = tuple(Tip(joint=place[tip.joint], offset=tip.offset, name=tip.name) for tip in skeleton.tips)
    moved = [j for j in order if parents[j] != skeleton.parents[j]]
    translations, rotations = _local(skeleton, parents, moved, skeleton.translations, skeleton.rotations, *skeleton.rest)
    result = Skeleton(names, new_parents, translations[order], rotations[order], tips)
    translations, rotations = _local(skeleton, parents, moved, motion.translations, motion.rotations, *motion.world)
    contacts = None if motion.contacts is None else motion.contacts[:, order]
    return motion.replace(skeleton=result, translations=translations[:, order], rotations=rotations[:, order], contacts=contacts), order


def _local(
    skeleton: Skeleton, parents: list[int], moved: list[int], translations: Array, rotations: Array, positions: Array, world: Array
) -> tuple[Array, Array]:
    """Local transforms under the new parents; those of joints that stay are kept bit for bit."""
    translations, rotations = np.array(translations), np.array(rotations)
    for j in moved:
        p = parents[j]
        if p < 0:
            translations[..., j, :], rotations[..., j, :] = positions[..., j, :], world[..., j, :]
        else:
            inverse = quaternion.conjugate(world[..., p, :])
            translations[..., j, :] = quaternion.rotate(inverse, positions[..., j, :] - positions[..., p, :])
            rotations[..., j, :] = quaternion.multiply(inverse, world[..., j, :])
    return translations, rotations
