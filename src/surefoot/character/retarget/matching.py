"""Which limb of the source drives which limb of the character, joint by joint.

A target point i of a limb is matched with a station: a place on the source's polyline, u_i in [0, n] (point floor(u), then towards the
next). Limbs of equal counts match point by point, others by arc length; the ends always match. Overrides are lines of a text file:

    LeftForeArm -> left_elbow
    - -> left_toe                  (this body keeps its rest angle)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from surefoot.character.retarget.limbs import Limb
from surefoot.errors import InputError, one_line, unknown_name
from surefoot.motion.anatomy.pose import Pose
from surefoot.motion.limits import read_bytes, shown
from surefoot.motion.skeleton import Skeleton

Array = NDArray[np.float64]

MAX_OVERRIDES = 4096
ALIKE = np.radians(35.0)
"""Heads whose last bones rise more differently than this end at their joint."""


@dataclass(frozen=True, kw_only=True)
class Pair:
    """One limb of the source and the limb of the character that follows it."""

    source: Limb
    target: Limb
    stations: tuple[float, ...]
    """For each point of the target its place on the source's polyline."""
    end: int
    """Number of the target's point that is the end effector."""
    ratio: float
    """Length of the target's limb over the source's, from the first point to the end effector; for legs the straight distance in the
    reference poses, so that a body that stands on bent legs stands on them still; for spines that from the hips to the head. 0 for a source
    limb without length: only its rotation is followed."""

    @property
    def source_end(self) -> float:
        """Station of the end effector."""
        return self.stations[self.end]


@dataclass(frozen=True, kw_only=True)
class Matching:
    """Limbs matched, and which source joint turns which body."""

    pairs: tuple[Pair, ...]
    drivers: Mapping[str, str | None]
    """For each body of the character the source joint that turns it; None for a body that keeps its rest angle."""
    unmatched: tuple[str, ...] = ()
    """Limbs of either side without a partner."""
    overrides: Mapping[str, str | None] = field(default_factory=lambda: MappingProxyType({}))
    """Drivers that a person gave."""

    def lines(self) -> list[str]:
        """The matching as a person reads it."""
        out = [f"{p.source.label} -> {p.target.label} (x {p.ratio:.3f})" for p in self.pairs]
        out += [f"{driver or '-'} -> {body}" + (" (given)" if body in self.overrides else "") for body, driver in self.drivers.items()]
        return out + [f"not matched: {what}" for what in self.unmatched]


def read_overrides(path: str | Path) -> dict[str, str | None]:
    """Drivers by body from a text file of "source joint -> target body" lines; "#" starts a comment, "-" means no driver."""
    name = shown(path)
    try:
        text = read_bytes(path, 2**20).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{name}: not a text file in UTF-8.") from None
    return parse_overrides(text, name)


def parse_overrides(text: str, name: str = "matching") -> dict[str, str | None]:
    """Drivers by body from the lines of an override file."""
    out: dict[str, str | None] = {}
    for number, line in enumerate(text.splitlines(), 1):
        line = line.split("#", 1)[0].strip()
        if not line:
            continue
        source, arrow, body = (part.strip() for part in line.partition("->"))
        if not (source and arrow and body):
            raise InputError(f"{name}, line {number}: expected 'source joint -> target body', found '{one_line(line, 80)}'.")
        if body in out:
            raise InputError(f"{name}, line {number}: '{one_line(body, 80)}' is driven twice.")
        out[body] = None if source == "-" else source
        if len(out) > MAX_OVERRIDES:
            raise InputError(f"{name}: more than {MAX_OVERRIDES} lines.")
    return out


def pair_limbs(source: list[Limb], target: list[Limb]) -> tuple[list[tuple[Limb, Limb]], list[str]]:
    """Limbs that belong together, and what is left over.

    With as many legs on both sides, legs follow legs and arms arms. Otherwise the hindmost legs follow the hindmost legs, and arms and
    front legs stand for each other.
    """
    rows = [[limb for limb in side if limb.kind == "leg"] for side in (source, target)]
    arms = [[limb for limb in side if limb.kind == "arm"] for side in (source, target)]
    if len(rows[0]) != len(rows[1]):
        for i in range(2):
            rows[i], arms[i] = rows[i][-2:], rows[i][:-2] + arms[i]
    out: list[tuple[Limb, Limb]] = []
    for ours, theirs in (rows, arms):
        for side in ("left", "right", "centre"):
            out += zip([a for a in ours if a.side == side], [b for b in theirs if b.side == side], strict=False)
    for kind in ("spine", "tail"):
        out += zip([a for a in source if a.kind == kind], [b for b in target if b.kind == kind], strict=False)
    used = {id(limb) for pair in out for limb in pair}
    left = [f"the source's {limb.label}" for limb in source if id(limb) not in used]
    left += [f"the character's {limb.label}" for limb in target if id(limb) not in used]
    return out, left


def stations(source: Limb, target: Limb, source_pose: Pose, target_pose: Pose) -> Pair:
    """Match two limbs point by point."""
    ours = np.array([p.places(source_pose.positions, source_pose.rotations) for p in source.points])
    theirs = np.array([p.places(target_pose.positions, target_pose.rotations) for p in target.points])
    first, end_ours, end_theirs = 0, source.end, target.end
    if target.kind == "arm":
        # A hand welded to the forearm leaves one of the two lines a bone short: then its tip is its end.
        if end_theirs < end_ours and end_theirs + 1 < len(theirs):
            end_theirs += 1
        elif end_ours < end_theirs and end_ours + 1 < len(ours):
            end_ours += 1
    skip = 0
    if target.kind in ("arm", "leg"):  # a collar bone or a short hip link that only one of the two has
        while end_ours - first > end_theirs and _short_start(ours[first : end_ours + 1]):
            first += 1
        while end_theirs - skip > end_ours - first and _short_start(theirs[skip : end_theirs + 1]):
            skip += 1
    if target.kind == "spine":
        if not _alike(ours[-2:], theirs[-2:]):  # one skull's crown, another's snout: compare where the heads begin
            end_ours, end_theirs = end_ours - 1, end_theirs - 1
        cuts = [(0.0, 0), (float(end_ours), end_theirs)]
        if source.carrier and target.carrier:
            cuts.insert(1, (float(min(source.carrier, end_ours)), min(target.carrier, end_theirs)))
        if end_theirs < len(theirs) - 1:
            cuts.append((float(len(ours) - 1), len(theirs) - 1))
    else:
        cuts = [(float(first), skip), (float(end_ours), end_theirs)]
        if end_theirs < len(theirs) - 1:
            cuts.append((float(len(ours) - 1), len(theirs) - 1))
    at = _between(ours, theirs, cuts)
    at[:skip] = first
    measure = _reach if target.kind == "leg" and source.kind == "leg" else _length
    length_ours = measure(ours, first, end_ours)
    ratio = measure(theirs, skip, end_theirs) / length_ours if length_ours > 1e-6 * source_pose.height else 0.0
    return Pair(source=source, target=target, stations=tuple(float(u) for u in at), end=end_theirs, ratio=ratio)


def _between(ours: Array, theirs: Array, cuts: list[tuple[float, int]]) -> Array:
    """Stations between matched cuts: one to one where counts are equal, else by arc length."""
    at = np.zeros(len(theirs))
    arc_ours = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(ours, axis=0), axis=1))])
    arc_theirs = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(theirs, axis=0), axis=1))])
    for (u0, i0), (u1, i1) in pairwise(cuts):
        span = arc_theirs[i1] - arc_theirs[i0]
        for i in range(i0, i1 + 1):
            if i1 == i0:
                at[i] = u0
            elif u1 - u0 == i1 - i0:
                at[i] = u0 + i - i0
            else:
                share = (arc_theirs[i] - arc_theirs[i0]) / span if span > 1e-9 else (i - i0) / (i1 - i0)
                arc = arc_ours[int(u0)] + share * (arc_ours[int(u1)] - arc_ours[int(u0)])
                at[i] = float(np.interp(arc, arc_ours[int(u0) : int(u1) + 1], np.arange(int(u0), int(u1) + 1)))
        at[i1] = u1
    return at


def _short_start(points: Array) -> bool:
    bones = np.linalg.norm(np.diff(points, axis=0), axis=1)
    return len(bones) > 2 and bones[0] < 0.8 * float(bones.max())


def _length(points: Array, first: int, last: int) -> float:
    return float(np.linalg.norm(np.diff(points[first : last + 1], axis=0), axis=1).sum())


def _alike(ours: Array, theirs: Array) -> bool:
    """Whether two bones rise alike in their reference poses."""
    rise = [np.arctan2(b[1][2] - b[0][2], np.linalg.norm((b[1] - b[0])[:2])) for b in (ours, theirs)]
    return len(ours) < 2 or len(theirs) < 2 or abs(float(rise[0] - rise[1])) < ALIKE


def _reach(points: Array, first: int, last: int) -> float:
    return float(np.linalg.norm(points[last] - points[first]))


def check_overrides(overrides: Mapping[str, str | None], source: Skeleton, target: Skeleton) -> None:
    """An error that lists the known names when an override speaks of a joint or a body that does not exist."""
    for body, joint in overrides.items():
        if body not in target.names:
            raise unknown_name("body of the character", body, target.names)
        if joint is not None and joint not in source.names:
            raise unknown_name("joint of the source", joint, source.names)
