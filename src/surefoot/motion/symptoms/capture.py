"""Trouble in the data: jumps, flips, noise, joints without data, a rest pose as first frame, too few frames.

A step from one frame to the next is a jump when it is far larger than the steps around it (the median of nine) and large for the body.
Noise is what a 10 Hz low-pass takes away, where accelerations lie mostly above 15 Hz.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from surefoot.motion import quaternion
from surefoot.motion.anatomy.words import parts
from surefoot.motion.edit.smooth import low_pass
from surefoot.motion.symptoms.finding import Finding, Patient, listed

Array = NDArray[np.float64]

JUMP = 0.12
"""Smallest jump, for a body of 1.7 m [m]."""
FLIP = np.radians(50.0)
"""Smallest flip."""
FLIP_RATE = np.radians(2500.0)
"""Slowest flip [rad/s]: a foot may well turn by 90° in one frame of 24 a second."""
JUMP_SPEED = 10.0
"""Slowest jump, for a body of 1.7 m [m/s]."""
OUTLIER = 6.0
"""How many times the steps around it a jump or flip is."""


def few_frames(patient: Patient) -> Iterator[Finding]:
    motion = patient.motion
    if motion.num_frames < 3 or motion.duration < 0.1:
        frames = "a single frame" if motion.num_frames == 1 else f"{motion.num_frames} frames, {motion.duration:.2g} s"
        yield Finding(kind="too short", severity="warning", sentence=f"It has {frames}: a pose rather than a motion.")
    elif motion.fps < 14.0:
        yield Finding(
            kind="few frames",
            severity="note",
            sentence=f"It has only {motion.fps:.3g} frames a second; fast parts fall between them.",
        )


REST_FRAME = Finding(
    kind="rest frame",
    severity="warning",
    sentence="Frame 0 is a pose of its own from which the motion snaps away; leave it out (--drop-first-frame).",
    frame=0,
)


def jumps(patient: Patient) -> Iterator[Finding]:
    """Teleports of the body, jumps of single joints, rotations that flip."""
    motion = patient.motion
    if motion.num_frames < 5:
        return
    teleports = _teleports(patient)
    yield from _jump_findings(patient, np.flatnonzero(teleports), None)
    # Positions in the parent's frame: when an arm jumps, its fingers should not be told of, too.
    parents = motion.skeleton.parents
    local = np.linalg.norm(np.diff(motion.translations, axis=0), axis=-1)
    for j in patient.solid:
        if parents[j] >= 0 and np.ptp(local[:, j]) > 0.0:
            found = np.flatnonzero(_outliers(local[:, [j]], _least_jump(patient))[:, 0] & ~teleports)
            yield from _jump_findings(patient, found, j)
    yield from _flips(patient)


def _least_jump(patient: Patient) -> float:
    """The shortest step that can be a jump [m]."""
    return max(JUMP * patient.length, JUMP_SPEED * patient.speed * patient.motion.frame_time)


def _teleports(patient: Patient) -> NDArray[np.bool_]:
    """Between which frames (T - 1,) the whole body jumps."""
    root = patient.motion.joint_positions[:, [patient.body.trunk]]
    return _outliers(np.linalg.norm(np.diff(root, axis=0), axis=-1), _least_jump(patient))[:, 0]


def _flips(patient: Patient) -> Iterator[Finding]:
    """Rotations that turn over within one frame: what a solver or Euler angles do, no body."""
    motion = patient.motion
    turns = _turns(motion.rotations)
    flips = _outliers(turns, max(FLIP, FLIP_RATE * motion.frame_time))
    bad = [j for j in patient.solid if flips[:, j].any()]
    if not bad:
        return
    worst = max(bad, key=lambda j: float(turns[flips[:, j], j].max()))
    frame = int(np.flatnonzero(flips[:, worst])[0]) + 1
    others = [patient.names[j] for j in bad if j != worst]
    more = f"; so {'does' if len(others) == 1 else 'do'} {listed(others)}" if others else ""
    small = all(len(motion.skeleton.descendants(j)) <= 2 and parts(patient.names[j]) & {"finger", "end"} for j in bad)
    yield Finding(
        kind="flip",
        severity="note" if small else "warning",
        sentence=f"'{patient.names[worst]}' turns by {np.degrees(turns[flips[:, worst], worst].max()):.0f}° in one frame, "
        f"first at {patient.at(frame)}{more}: rotations flip{' in the fingers' if small else ''}.",
        frame=frame,
        joint=patient.names[worst],
    )


def _jump_findings(patient: Patient, frames: NDArray[np.int64], joint: int | None) -> Iterator[Finding]:
    if len(frames) == 0:
        return
    motion = patient.motion
    which = patient.body.trunk if joint is None else joint
    source = motion.joint_positions if joint is None else motion.translations
    far = float(np.linalg.norm(source[frames + 1, which] - source[frames, which], axis=-1).max())
    what = "The whole body" if joint is None else f"'{patient.names[which]}'"
    more = f"; it happens {len(frames)} times" if len(frames) > 1 else ""
    yield Finding(
        kind="jump",
        severity="warning",
        sentence=f"{what} jumps by {far:.2g} m in one frame at {patient.at(int(frames[0]) + 1)}{more}: cut there, or mend its source.",
        frame=int(frames[0]) + 1,
        joint=patient.names[which],
    )


def noise(patient: Patient) -> Iterator[Finding]:
    """Jitter of the capture, seen in the spectrum of the accelerations."""
    motion = patient.motion
    if motion.fps < 45.0 or motion.num_frames < 30:
        return
    from scipy import signal  # takes as long to import as the rest of the package

    at = motion.joint_positions[:, patient.solid]
    accelerations = np.diff(at, 2, axis=0)
    frequencies, power = signal.periodogram(accelerations, fs=motion.fps, axis=0, window="hann")
    power = power.sum(axis=-1)
    share = power[frequencies > 15.0].sum() / max(float(power.sum()), 1e-300)
    # Around a jump the filter rings: that is no noise.
    reach = int(np.ceil(0.15 / motion.frame_time))
    quiet = ~ndimage.binary_dilation(np.append(_teleports(patient), False), iterations=reach)
    if np.count_nonzero(quiet) < 10:
        return
    off = np.linalg.norm(at - low_pass(at, 10.0, motion.frame_time), axis=-1)
    rest = np.sqrt(np.mean(off[quiet] ** 2, axis=0))
    middle, worst = float(np.median(rest)), int(np.argmax(rest))
    name = patient.names[patient.solid[worst]]
    if share > 0.4 and middle > 2.5e-3 * patient.length:
        yield Finding(
            kind="noise",
            severity="warning",
            sentence=f"It is noisy: joints shake by {1e3 * middle:.1f} mm, '{name}' by {1e3 * rest[worst]:.1f} mm; "
            "smooth it at 6 to 10 Hz first (`motion.edit.smooth`).",
            joint=name,
        )
    elif share > 0.6 and middle > 0.8e-3 * patient.length:
        yield Finding(
            kind="noise",
            severity="note",
            sentence=f"It jitters a little, as captures do: by {1e3 * middle:.1f} mm, '{name}' by {1e3 * rest[worst]:.1f} mm.",
            joint=name,
        )


def frozen(patient: Patient) -> Iterator[Finding]:
    """Joints that never move against their parents: no data was captured for them."""
    motion = patient.motion
    if motion.num_frames < 3:
        return
    turning = _turns(motion.rotations).max(axis=0, initial=0.0) > 1e-6
    moving = np.ptp(motion.translations, axis=0).max(axis=-1) > 1e-6 * patient.length
    still = [j for j in patient.solid if not turning[j] and not moving[j]]
    if len(still) == len(patient.solid):
        yield Finding(kind="nothing moves", severity="warning", sentence="Nothing in it moves.")
        return
    limbs = [j for j in still if motion.skeleton.children[j] or any(tip.joint == j for tip in motion.skeleton.tips)]
    if limbs:
        count = "1 joint never turns" if len(limbs) == 1 else f"{len(limbs)} joints never turn"
        yield Finding(
            kind="frozen joints",
            severity="note",
            sentence=f"{count}: {listed([patient.names[j] for j in limbs])}; no data was captured or keyed there.",
            joint=patient.names[limbs[0]],
        )


def _turns(rotations: Array) -> Array:
    """The angle (T - 1, J) between each frame's local rotations (T, J, 4) and the next's [rad]."""
    return quaternion.angle(quaternion.multiply(quaternion.conjugate(rotations[:-1]), rotations[1:]))


def _outliers(steps: Array, least: float) -> NDArray[np.bool_]:
    """Where steps (T, J) are at least `least`, and far larger than those around them."""
    around = ndimage.median_filter(steps, size=(min(9, len(steps)), 1), mode="nearest")
    return np.asarray((steps > least) & (steps > OUTLIER * around))
