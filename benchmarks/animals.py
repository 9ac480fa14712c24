"""Skeletons of animals that no file brings: a crab, a spider, a bird, a snake, a chain, a mouse, a mammoth; each with a little motion."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from surefoot.material.skeletons import HUMANOID, build, mirrored
from surefoot.motion import quaternion
from surefoot.motion.motion import Motion, Source
from surefoot.motion.skeleton import Skeleton, Tip

Point = tuple[float, float, float]
Rows = list[tuple[str, str, Point]]


def sway(skeleton: Skeleton, name: str, *, frames: int = 61, degrees: float = 8.0) -> Motion:
    """A second in which every joint but the root swings gently about an axis of its own, left and right in turn, starting at rest."""
    rng = np.random.default_rng(len(name))
    axes: dict[str, np.ndarray] = {}
    rotations = np.tile(skeleton.rotations, (frames, 1, 1))
    time = np.linspace(0.0, 1.0, frames)
    for j in range(skeleton.num_joints):
        if skeleton.parents[j] >= 0:
            other = next((n for n in _others(skeleton.names[j]) if n in axes), None)
            axis = rng.normal(size=3) if other is None else axes[other] * [-1.0, 1.0, -1.0]
            axes[skeleton.names[j]] = axis
            swing = quaternion.about(axis, np.radians(degrees) * np.sin(2.0 * np.pi * time) * (1.0 if other is None else -1.0))
            rotations[:, j] = quaternion.multiply(skeleton.rotations[j], swing)
    translations = np.tile(skeleton.translations, (frames, 1, 1))
    return Motion(skeleton, translations, rotations, time[1], name=name, source=Source(file=f"{name}.npz"))


def _others(name: str) -> list[str]:
    """Names that the left partner of a right joint may have."""
    return [name.replace(right, left) for right, left in ((".R", ".L"), ("right_", "left_")) if right in name]


def scaled(skeleton: Skeleton, height: float) -> Skeleton:
    """The same skeleton at another height [m]."""
    factor = height / skeleton.height
    tips = tuple(Tip(joint=t.joint, offset=t.offset * factor, name=t.name) for t in skeleton.tips)
    return Skeleton(skeleton.names, skeleton.parents, skeleton.translations * factor, skeleton.rotations, tips)


def crab() -> Skeleton:
    """Eight legs and two claws around a low shell."""
    rows: Rows = []
    tips: Rows = []
    for i, x in enumerate((0.06, 0.02, -0.02, -0.06)):
        rows += [
            (f"leg{i}_a.L", "shell", (x, 0.06, 0.06)),
            (f"leg{i}_b.L", f"leg{i}_a.L", (1.5 * x, 0.12, 0.09)),
            (f"leg{i}_c.L", f"leg{i}_b.L", (2 * x, 0.17, 0.05)),
        ]
        tips.append((f"leg{i}_tip.L", f"leg{i}_c.L", (2.2 * x, 0.19, 0.0)))
    rows += [
        ("claw_a.L", "shell", (0.08, 0.05, 0.06)),
        ("claw_b.L", "claw_a.L", (0.14, 0.09, 0.07)),
        ("pincer.L", "claw_b.L", (0.18, 0.05, 0.07)),
    ]
    tips.append(("pincer_tip.L", "pincer.L", (0.23, 0.03, 0.07)))
    return build([("shell", "", (0.0, 0.0, 0.06)), *_both(rows)], _both(tips))


def spider() -> Skeleton:
    """Eight legs in a star, a head and a heavy abdomen."""
    rows: Rows = [("head", "thorax", (0.08, 0.0, 0.12)), ("abdomen", "thorax", (-0.08, 0.0, 0.13))]
    tips: Rows = [("face", "head", (0.13, 0.0, 0.11)), ("spinneret", "abdomen", (-0.25, 0.0, 0.15))]
    side: Rows = []
    feet: Rows = []
    for i, degrees in enumerate((35.0, 70.0, 110.0, 145.0)):
        x, y = float(np.cos(np.radians(degrees))), float(np.sin(np.radians(degrees)))
        side += [
            (f"femur{i}.L", "thorax", (0.05 * x, 0.05 * y, 0.12)),
            (f"tibia{i}.L", f"femur{i}.L", (0.15 * x, 0.15 * y, 0.22)),
            (f"tarsus{i}.L", f"tibia{i}.L", (0.28 * x, 0.28 * y, 0.10)),
        ]
        feet.append((f"foot{i}.L", f"tarsus{i}.L", (0.33 * x, 0.33 * y, 0.0)))
    return build([("thorax", "", (0.0, 0.0, 0.12)), *rows, *_both(side)], [*tips, *_both(feet)])


def bird() -> Skeleton:
    """Thin legs with three toes, spread wings, a neck and a beak."""
    wing: Rows = [
        ("wing_a.L", "body", (0.05, 0.05, 0.32)),
        ("wing_b.L", "wing_a.L", (0.05, 0.20, 0.33)),
        ("wing_c.L", "wing_b.L", (0.02, 0.40, 0.33)),
    ]
    leg: Rows = [
        ("thigh.L", "body", (0.0, 0.04, 0.24)),
        ("shank.L", "thigh.L", (0.05, 0.04, 0.16)),
        ("foot.L", "shank.L", (0.0, 0.04, 0.03)),
    ]
    toes: Rows = [
        ("toe1.L", "foot.L", (0.05, 0.04, 0.01)),
        ("toe2.L", "foot.L", (0.04, 0.07, 0.01)),
        ("toe3.L", "foot.L", (0.04, 0.01, 0.01)),
    ]
    ends: Rows = [
        ("wing_tip.L", "wing_c.L", (-0.03, 0.62, 0.32)),
        *((f"t{i}.L", f"toe{i}.L", (0.08, y, 0.0)) for i, y in ((1, 0.04), (2, 0.09), (3, -0.01))),
    ]
    trunk: Rows = [
        ("body", "", (0.0, 0.0, 0.30)),
        ("neck", "body", (0.12, 0.0, 0.38)),
        ("head", "neck", (0.18, 0.0, 0.48)),
        ("tail", "body", (-0.12, 0.0, 0.30)),
    ]
    return build(
        [*trunk, *_both([*wing, *leg, *toes])],
        [("beak", "head", (0.27, 0.0, 0.47)), ("tail_tip", "tail", (-0.28, 0.0, 0.28)), *_both(ends)],
    )


def snake() -> Skeleton:
    """Sixteen joints in a line along the ground."""
    rows: Rows = [(f"s{i}", f"s{i - 1}" if i else "", (-0.1 * i, 0.02 * (-1) ** i, 0.03)) for i in range(16)]
    return build(rows, [("end", "s15", (-1.6, 0.0, 0.03))])


def chain() -> Skeleton:
    """Five joints hanging straight down, as a rope."""
    rows: Rows = [(f"link{i}", f"link{i - 1}" if i else "", (0.0, 0.0, 1.0 - 0.2 * i)) for i in range(5)]
    return build(rows, [("end", "link4", (0.0, 0.0, 0.0))])


def quadruped(height: float) -> Skeleton:
    """A four-legged animal with trunk, neck, head and tail, at a shoulder-to-head height [m]."""
    trunk: Rows = [
        ("hips", "", (-0.45, 0.0, 0.75)), ("spine", "hips", (0.0, 0.0, 0.78)), ("chest", "spine", (0.40, 0.0, 0.76)),
        ("neck", "chest", (0.58, 0.0, 0.84)), ("head", "neck", (0.72, 0.0, 0.98)),
        ("tail1", "hips", (-0.60, 0.0, 0.76)), ("tail2", "tail1", (-0.75, 0.0, 0.62)),
    ]  # fmt: skip
    side: Rows = [
        ("thigh.L", "hips", (-0.45, 0.15, 0.68)), ("shin.L", "thigh.L", (-0.38, 0.15, 0.42)), ("hindfoot.L", "shin.L", (-0.50, 0.15, 0.12)),
        ("arm.L", "chest", (0.38, 0.15, 0.66)), ("forearm.L", "arm.L", (0.32, 0.15, 0.40)), ("forefoot.L", "forearm.L", (0.36, 0.15, 0.10)),
    ]  # fmt: skip
    ends: Rows = [("hindtoe.L", "hindfoot.L", (-0.42, 0.15, 0.0)), ("foretoe.L", "forefoot.L", (0.43, 0.15, 0.0))]
    return scaled(
        build([*trunk, *_both(side)], [("muzzle", "head", (0.95, 0.0, 0.92)), ("tail_end", "tail2", (-0.85, 0.0, 0.45)), *_both(ends)]),
        height,
    )


def _both(rows: Rows) -> Rows:
    """Rows ending in .L, then their mirror images in .R."""
    named = [(n.replace(".L", "left_"), p.replace(".L", "left_"), at) for n, p, at in rows]
    return [
        (n.replace("left_", ".L").replace("right_", ".R"), p.replace("left_", ".L").replace("right_", ".R"), at)
        for n, p, at in mirrored(named)
    ]


ANIMALS: dict[str, Callable[[], Skeleton]] = {
    "crab": crab,
    "spider": spider,
    "bird": bird,
    "snake": snake,
    "chain": chain,
    "mouse 0.05 m": lambda: quadruped(0.05),
    "dog 0.7 m": lambda: quadruped(0.7),
    "mammoth 20 m": lambda: quadruped(20.0),
    "child 0.2 m": lambda: scaled(HUMANOID, 0.2),
    "person 1.7 m": lambda: HUMANOID,
    "giant 20 m": lambda: scaled(HUMANOID, 20.0),
}


def animal(name: str) -> Motion:
    """A made-up animal, swaying."""
    return sway(ANIMALS[name](), name)
