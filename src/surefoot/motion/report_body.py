"""A body for a report: its joints as a tree with what each is, its feet and how they stand."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.motion.anatomy import Anatomy
from surefoot.motion.motion import Motion


@dataclass(frozen=True, kw_only=True)
class JointFacts:
    """One joint of the tree."""

    name: str
    parent: str
    """Empty for a root."""
    depth: int
    part: str
    """What it is: "trunk", "left leg", "right arm, hand", "head", "tail", "control", ...; empty when nothing in particular."""


@dataclass(frozen=True, kw_only=True)
class FootFacts:
    """How one foot stands."""

    joint: str
    contact_share: float
    """Share of the time it is planted."""
    contacts: int
    """How many times it stands."""


def foot_facts(motion: Motion, body: Anatomy, leg: int, flags: NDArray[np.bool_]) -> FootFacts:
    """How the foot of a leg stands, by contacts (T, J)."""
    chain = body.legs[leg]
    below = sorted({d for j in chain for d in motion.skeleton.descendants(j)})
    planted = np.asarray(flags[:, below].any(axis=1))
    starts = int(planted[0]) + int(np.count_nonzero(planted[1:] & ~planted[:-1]))
    return FootFacts(joint=motion.skeleton.names[body.feet[leg]], contact_share=round(float(planted.mean()), 4), contacts=starts)


def joint_tree(motion: Motion, body: Anatomy) -> tuple[JointFacts, ...]:
    """All joints, depth first."""
    skeleton = motion.skeleton
    parts = _parts(motion, body)
    out: list[JointFacts] = []

    def add(joint: int, depth: int) -> None:
        stack = [(joint, depth)]
        while stack:
            j, d = stack.pop()
            parent = int(skeleton.parents[j])
            out.append(JointFacts(name=skeleton.names[j], parent=skeleton.names[parent] if parent >= 0 else "", depth=d, part=parts[j]))
            stack.extend((c, d + 1) for c in reversed(skeleton.children[j]))

    for root in skeleton.roots:
        add(root, 0)
    return tuple(out)


def _parts(motion: Motion, body: Anatomy) -> list[str]:
    """What each joint is, in words."""
    parts = [""] * motion.skeleton.num_joints

    def limb(chains: tuple[tuple[int, ...], ...], ends: tuple[int, ...], kind: str, end: str) -> None:
        pairs = len(chains) > 2
        for number, (chain, last) in enumerate(zip(chains, ends, strict=True)):
            where = ("front " if number < 2 else "hind " if number >= len(chains) - 2 else "middle ") if pairs and kind == "leg" else ""
            side = body.side[chain[-1]]
            for j in chain:
                parts[j] = f"{where}{side + ' ' if side != 'centre' else ''}{kind}" + (f", {end}" if j == last else "")

    for j in body.spine[1:]:
        parts[j] = "spine"
    for j in body.tail:
        parts[j] = "tail"
    limb(body.legs, body.feet, "leg", "foot")
    limb(body.arms, body.hands, "arm", "hand")
    if body.head is not None:
        parts[body.head] = "head"
    parts[body.trunk] = "trunk"
    for j in body.controls:
        parts[j] = "no part of the body"
    return parts


def body_words(body: Anatomy) -> str:
    """The body in a few words: "2 legs, 2 arms, a head, a tail"."""

    def count(number: int, one: str) -> list[str]:
        return [f"{number} {one}{'' if number == 1 else 's'}"] if number else []

    said = count(len(body.legs), "leg") + count(len(body.arms), "arm")
    said += ["a head"] if body.head is not None else []
    said += ["a tail"] if body.tail else []
    return ", ".join(said) or "no limbs"
