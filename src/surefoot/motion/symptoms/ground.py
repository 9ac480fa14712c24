"""Trouble with the floor: it lies elsewhere, it tilts, feet sink into it, slide on it, or never come near; flights that ignore gravity."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from surefoot.motion.edit.contacts import is_airborne
from surefoot.motion.edit.measure import lowest, rest_clearance
from surefoot.motion.edit.slope import slope_of
from surefoot.motion.edit.travel import give_travel
from surefoot.motion.symptoms.finding import Finding, Patient, centimetres

Array = NDArray[np.float64]

SLIDE = 0.05
"""How far a planted foot slides before it is told, for a body of 1.7 m [m]; twice that is a warning."""
GRAVITY = 9.81
"""[m/s^2]"""


def floor(patient: Patient) -> Iterator[Finding]:
    """Where the floor is, and whether the body comes near it."""
    if is_airborne(patient.motion, body=patient.body):
        low = float(lowest(patient.motion, patient.body).min())
        yield Finding(
            kind="floating",
            severity="warning",
            sentence=f"Its lowest point never comes nearer to the floor z = 0 than {centimetres(low)}: a flight, "
            "or it needs lowering (`motion.edit.ground`).",
        )
    elif abs(patient.floor - rest_clearance(patient.motion, patient.body)) > 0.12 * patient.length:
        where = f"{centimetres(abs(patient.floor))} {'above' if patient.floor > 0.0 else 'below'} z = 0"
        yield Finding(
            kind="floor",
            severity="note",
            sentence=f"The floor it stands on lies {where}; lower or lift it onto z = 0 (`motion.edit.ground`).",
        )


def below(patient: Patient) -> Iterator[Finding]:
    """Points of the body under the floor it stands on."""
    low = lowest(patient.motion, patient.body) - patient.floor
    deep = float(low.min())
    if deep < -0.04 * patient.length:
        frame = int(np.argmin(low))
        share = float((low < -0.02 * patient.length).mean())
        if share > 0.7:
            return  # no floor was found rather than one broken through
        yield Finding(
            kind="below the floor",
            severity="warning",
            sentence=f"It sinks {centimetres(-deep)} into the floor at {patient.at(frame)}; {100 * share:.0f} % of its frames reach below.",
            frame=frame,
        )


def tilt(patient: Patient) -> Iterator[Finding]:
    """A floor that rises along the way."""
    if patient.in_place or patient.points.positions.shape[1] == 0:
        return
    slope = slope_of(patient.points, patient.contacts[:, patient.points.joint])
    if slope is None or slope.explained < 0.6:
        return
    if slope.rise > 0.035 * patient.length and slope.run > 0.5 * patient.motion.skeleton.height:
        degrees = np.degrees(np.arctan(np.linalg.norm(slope.gradient)))
        yield Finding(
            kind="tilted floor",
            severity="note",
            sentence=f"The floor it walks on tilts by {degrees:.1f}°: {centimetres(slope.rise)} along {centimetres(slope.run)}.",
        )


def skating(patient: Patient) -> Iterator[Finding]:
    """Feet that slide while they stand."""
    motion = give_travel(patient.motion, body=patient.body) if patient.in_place else patient.motion
    points = patient.points
    moved = motion.joint_positions[:, patient.body.trunk, :2] - patient.motion.joint_positions[:, patient.body.trunk, :2]
    flat = points.positions[..., :2] + moved[:, None]
    worst, total, where = 0.0, [], (0, 0)
    for leg in range(len(patient.body.legs)):
        mine = np.flatnonzero(points.foot == leg)
        on = patient.contacts[:, points.joint[mine]] & (points.positions[:, mine, 2] - points.standing[mine] < 0.06 * patient.length)
        for begin, stop in runs(np.asarray(on.any(axis=1))):
            # A foot comes in and leaves moving: what counts is the time between.
            trim = min(round(0.06 * patient.speed / motion.frame_time), (stop - begin) // 4)
            start, end = begin + trim, stop - trim
            slide = _slid(flat[start:end][:, mine], on[start:end], 4.0 * patient.speed * motion.frame_time)
            total.append(slide)
            if slide > worst:
                worst, where = slide, (leg, start)
    if worst > SLIDE * patient.length:
        name = patient.names[patient.body.feet[where[0]]]
        many = sum(s > SLIDE * patient.length for s in total)
        within = " (given the travel its feet imply)" if patient.in_place else ""
        yield Finding(
            kind="skating",
            severity="warning" if worst > 2.0 * SLIDE * patient.length else "note",
            sentence=f"Planted feet slide{within}: '{name}' by {centimetres(worst)} from {patient.at(where[1])} on; "
            f"{many} of {len(total)} contacts slide.",
            frame=where[1],
            joint=name,
        )


def _slid(flat: Array, on: NDArray[np.bool_], most: float) -> float:
    """How far a foot slides in one contact [m]: each step counts the planted point that moves least, for a foot that rolls pivots about
    one.
    """
    steps = np.diff(flat, axis=0)
    both = on[1:] & on[:-1] & (np.linalg.norm(steps, axis=-1) < most)  # more than that is a jump, not a slide
    length = np.where(both, np.linalg.norm(steps, axis=-1), np.inf)
    best = np.argmin(length, axis=1)
    taken = steps[np.arange(len(steps)), best]
    taken[~np.isfinite(length.min(axis=1, initial=np.inf))] = 0.0
    path = np.concatenate([np.zeros((1, 2)), np.cumsum(taken, axis=0)])
    return float(np.linalg.norm(path - path[0], axis=1).max())


def flights(patient: Patient) -> Iterator[Finding]:
    """Flights in which the body does not fall as gravity would have it."""
    motion = patient.motion
    if not len(patient.body.legs) or motion.num_frames < 5 or is_airborne(motion, body=patient.body):
        return
    clear = lowest(motion, patient.body) - patient.floor > 0.15 * patient.length
    height = _mass_height(patient)
    worst: tuple[float, int, float, float] | None = None
    for start, end in runs(clear):
        time = (end - start) * motion.frame_time
        if end - start < 4 or time < 0.2 or start == 0 or end == motion.num_frames:
            continue
        t = np.arange(end - start) * motion.frame_time
        fall = -2.0 * float(np.polyfit(t, height[start:end], 2)[0])
        off = abs(np.log(max(fall, 0.05 * GRAVITY) / GRAVITY))
        if off > np.log(2.0) and (worst is None or off > worst[0]):
            worst = (off, start, time, fall)
    if worst is not None:
        _, start, time, fall = worst
        bounds = ((-0.2, "is carried upwards"), (0.3, "hovers"), (1.0, "falls too slowly"), (np.inf, "falls too fast"))
        how = next(word for bound, word in bounds if fall < bound * GRAVITY)
        yield Finding(
            kind="gravity",
            severity="note",
            sentence=f"It {how}: {time:.2f} s in the air from {patient.at(start)} on, falling at {fall / GRAVITY:.1f} g; "
            "physics will change that.",
            frame=start,
        )


def _mass_height(patient: Patient) -> Array:
    """Height of the centre of mass (T,) [m], bones weighing as they are long."""
    motion, parents = patient.motion, patient.motion.skeleton.parents
    ends = [j for j in patient.solid if parents[j] in patient.solid]
    if not ends:
        return np.asarray(motion.joint_positions[:, patient.body.trunk, 2])
    starts = parents[ends]
    weights = np.linalg.norm(motion.joint_positions[0, ends] - motion.joint_positions[0, starts], axis=-1)
    middles = 0.5 * (motion.joint_positions[:, ends, 2] + motion.joint_positions[:, starts, 2])
    return np.asarray(middles @ weights / max(float(weights.sum()), 1e-300))


def runs(flags: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Where flags (T,) are True without a break: (first, one past the last)."""
    padded = np.concatenate([[False], flags, [False]])
    edges = np.flatnonzero(padded[1:] != padded[:-1])
    return [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]
