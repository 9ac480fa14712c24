"""One known motion written as BVH in the dialects of the exporters that are met, with nothing of the reader's own code.

A file's joint j turns by the local rotation L_j = (B_parent A_parent)^T B_j A_j, where B are the clip's world rotations in the file's axes
and A_j the rest frame that the exporter gives the joint; its OFFSET is A_parent^T o_j. With A the identity the rest pose is the clip's.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from tests.motion.bodies import Clip

Array = NDArray[np.float64]

# Rows: the file's axes in the clip's (metres, Z up).
AXES: dict[str, Array] = {
    "Z": np.eye(3),
    "Y": np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]]),
    "X": np.array([[0.0, 0, 1], [0, 1, 0], [-1, 0, 0]]),
    "-Y": np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]]),
    "-Z": np.array([[1.0, 0, 0], [0, -1, 0], [0, 0, -1]]),
    "-X": np.array([[0.0, 0, -1], [0, 1, 0], [1, 0, 0]]),
}
MIXED = ("ZXY", "XYZ", "YZX", "ZYX", "YXZ", "XZY")


@dataclass(frozen=True, kw_only=True)
class Dialect:
    """How one exporter writes."""

    unit_m: float = 0.01
    up: str = "Y"
    orders: tuple[str, ...] = ("ZXY",)
    """Rotation orders, taken in turn by the joints."""
    rotation_first: bool = False
    positions: Literal["root", "absolute", "relative"] = "root"
    """Whether joints below the root have position channels, and how they are meant."""
    root_position: Literal["absolute", "relative"] = "absolute"
    root_offset: Literal["zero", "rest", "first"] = "zero"
    travel: Literal["hips", "above", "below"] = "hips"
    """Whether the hips are the root; or a root above them carries the travel; or a root above them never moves."""
    root_name: str = "Reference"
    ends: bool = True
    rest: Literal["clip", "along x", "odd"] = "clip"
    """The rest pose: the clip's T-pose, all bones along +X, or arbitrary frames."""
    zero_offsets: bool = False
    """No OFFSETs; the position channels alone hold the bones."""
    t_pose_first: bool = False
    wraps: bool = False
    """Angles with whole turns added at random."""
    number: str = "%.6f"
    newline: str = "\n"
    tab: str = "\t"
    case: Literal["as is", "lower", "upper"] = "as is"
    one_line: bool = False
    """The hierarchy in as few lines as its names allow."""
    frames: str = "Frames: {}"
    frame_time: str = "Frame Time: {}"
    row_end: str = ""
    end: str = "\n"
    names: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Written:
    """A file and what a reader must find in it."""

    data: bytes
    names: tuple[str, ...]
    positions: Array  # (T, J, 3) [m], Z up
    tip_positions: Array  # (T, num_tips, 3)


@dataclass(kw_only=True)
class _Tree:
    """What goes into the file, in its axes and unit."""

    names: list[str]
    parents: list[int]
    offsets: Array  # (J, 3)
    local: Array  # (T, J, 3, 3)
    shift: Array  # (T, J, 3)
    tips: list[tuple[int, Array]]


def write(clip: Clip, dialect: Dialect | None = None, seed: int = 0) -> Written:
    """The clip in a dialect."""
    d = dialect or Dialect()
    rng = np.random.default_rng(seed)
    axes = AXES[d.up]
    turned = axes @ clip.turned @ axes.T
    root = clip.root @ axes.T / d.unit_m
    offsets = clip.offsets @ axes.T / d.unit_m
    tips = [(j, axes @ np.array(offset) / d.unit_m) for j, offset in clip.tips] if d.ends else []
    truth, tip_truth = clip.positions, clip.tip_positions if d.ends else np.zeros((len(root), 0, 3))
    if d.t_pose_first:
        rest = np.zeros((1, len(clip.names), 3))
        for j, p in enumerate(clip.parents):
            rest[0, j] = clip.root[0] if p < 0 else rest[0, p] + clip.offsets[j]
        ends = np.stack([rest[:, j] + np.array(o) for j, o in clip.tips], axis=1) if tips else tip_truth[:1]
        truth, tip_truth = np.concatenate([rest, truth]), np.concatenate([ends, tip_truth])
        turned = np.concatenate([np.broadcast_to(np.eye(3), turned[:1].shape), turned])
        root = np.concatenate([root[:1], root])

    parents = list(clip.parents)
    frames_of_rest = _rest_frames(d, parents, offsets, tips, rng)
    offsets = np.stack([offsets[j] if p < 0 else frames_of_rest[p].T @ offsets[j] for j, p in enumerate(parents)])
    world = turned @ frames_of_rest
    tree = _Tree(
        names=[d.names.get(name, name) for name in clip.names],
        parents=parents,
        offsets=offsets,
        local=np.stack([world[:, j] if p < 0 else np.swapaxes(world[:, p], -1, -2) @ world[:, j] for j, p in enumerate(parents)], axis=1),
        shift=np.stack([root if p < 0 else np.broadcast_to(offsets[j], root.shape) for j, p in enumerate(parents)], axis=1),
        tips=[(j, frames_of_rest[j].T @ offset) for j, offset in tips],
    )
    if d.travel != "hips":
        place = _put_root_above(d, tree, axes @ np.array([0.0, 0.0, clip.root[:, 2].mean() / d.unit_m]), axes)
        truth = np.concatenate([(place @ axes * d.unit_m)[:, None], truth], axis=1)
    tree.offsets[0] = {"first": tree.shift[0, 0], "rest": tree.offsets[0], "zero": np.zeros(3)}[d.root_offset]
    if d.zero_offsets:
        tree.offsets[:] = 0.0
    data, order = _text(d, tree, clip.frame_time, rng)
    owners = [k for j in order for k, (owner, _) in enumerate(tree.tips) if owner == j]
    return Written(data=data, names=tuple(tree.names[j] for j in order), positions=truth[:, order], tip_positions=tip_truth[:, owners])


def _rest_frames(d: Dialect, parents: list[int], offsets: Array, tips: list[tuple[int, Array]], rng: np.random.Generator) -> Array:
    num = len(parents)
    if d.rest == "clip":
        return np.broadcast_to(np.eye(3), (num, 3, 3))
    if d.rest == "odd":
        return np.asarray(Rotation.random(num, rng=rng).as_matrix())
    out = np.broadcast_to(np.eye(3), (num, 3, 3)).copy()
    for j in range(num):
        bones = [offsets[c] for c in range(num) if parents[c] == j] + [offset for k, offset in tips if k == j]
        longest = max(bones, key=lambda v: float(np.linalg.norm(v)), default=np.zeros(3))
        if parents[j] >= 0 and np.linalg.norm(longest) > 1e-9:
            out[j] = Rotation.align_vectors([longest], [[1.0, 0.0, 0.0]])[0].as_matrix()
    return out


def _put_root_above(d: Dialect, tree: _Tree, standing: Array, axes: Array) -> Array:
    """A root above the hips, on the ground below them or at the origin; its place (T, 3) in the file."""
    frames = len(tree.shift)
    place = np.zeros((frames, 3))
    if d.travel == "above":
        place = (tree.shift[:, 0] @ axes) * [1.0, 1.0, 0.0] @ axes.T
    hips = tree.shift[:, 0] - place
    tree.names = [d.root_name, *tree.names]
    tree.parents = [-1, *(p + 1 for p in tree.parents)]
    tree.offsets = np.concatenate([[np.zeros(3)], [standing], tree.offsets[1:]])
    tree.local = np.concatenate([np.broadcast_to(np.eye(3), (frames, 1, 3, 3)), tree.local], axis=1)
    tree.shift = np.concatenate([place[:, None], hips[:, None], tree.shift[:, 1:]], axis=1)
    tree.tips = [(j + 1, offset) for j, offset in tree.tips]
    return place


def _text(d: Dialect, tree: _Tree, dt: float, rng: np.random.Generator) -> tuple[bytes, list[int]]:
    """The file, and its joints in the order that they stand in it."""
    names, parents, offsets, local, shift, tips = tree.names, tree.parents, tree.offsets, tree.local, tree.shift, tree.tips
    order: list[int] = []

    def word(text: str) -> str:
        return {"as is": text, "lower": text.lower(), "upper": text.upper()}[d.case]

    def triple(v: Array) -> str:
        return " ".join(d.number % c for c in v)

    head: list[str] = [word("HIERARCHY")]
    columns: list[Array] = []

    def joint(j: int, depth: int) -> None:
        order.append(j)
        tab = d.tab * depth
        head.extend(
            [
                f"{tab}{word('ROOT' if parents[j] < 0 else 'JOINT')} {names[j]}",
                f"{tab}{{",
                f"{tab}{d.tab}{word('OFFSET')} {triple(offsets[j])}",
            ]
        )
        axes = d.orders[j % len(d.orders)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # at 90 degrees SciPy picks one of many answers, and says so
            angles = Rotation.from_matrix(local[:, j]).as_euler(axes, degrees=True)
        if d.wraps:
            angles = angles + 360.0 * rng.integers(-1, 2, size=angles.shape)
        moves = parents[j] < 0 or d.positions != "root" or (parents[j] == 0 and d.travel != "hips" and j == 1)
        meant = d.root_position if parents[j] < 0 else "relative" if d.positions == "relative" else "absolute"
        places = shift[:, j] - offsets[j] if meant == "relative" else shift[:, j]
        spots = [f"{axis}{word('position')}" for axis in ("XYZ" if d.case != "lower" else "xyz")] if moves else []
        turns = [f"{axis}{word('rotation')}" for axis in (axes if d.case != "lower" else axes.lower())]
        head.append(f"{tab}{d.tab}{word('CHANNELS')} {len(spots) + 3} {' '.join(turns + spots if d.rotation_first else spots + turns)}")
        pair = [places, angles] if moves else [angles]
        columns.extend(reversed(pair) if d.rotation_first else pair)
        for k, p in enumerate(parents):
            if p == j:
                joint(k, depth + 1)
        for k, offset in tips:
            if k == j:
                head.extend(
                    [
                        f"{tab}{d.tab}{word('End Site')}",
                        f"{tab}{d.tab}{{",
                        f"{tab}{d.tab * 2}{word('OFFSET')} {triple(offset)}",
                        f"{tab}{d.tab}}}",
                    ]
                )
        head.append(f"{tab}}}")

    for j, p in enumerate(parents):
        if p < 0:
            joint(j, 0)
    values = np.concatenate(columns, axis=1)
    if d.one_line:
        head = _folded(head)
    rows = [" ".join(d.number % c for c in row) + d.row_end for row in values]
    lines = [*head, word("MOTION"), d.frames.format(len(rows)), d.frame_time.format(repr(dt)), *rows]
    return (d.newline.join(lines) + d.end.replace("\n", d.newline)).encode(), order


def _folded(head: list[str]) -> list[str]:
    """Braces and what stands inside them on the line of the joint's name."""
    return [head[0], " ".join(line.strip() for line in head[1:])]
