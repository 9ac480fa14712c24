"""Noise out, motion kept: a zero-phase Butterworth low-pass on translations, and on rotations in tangent space.

A joint's rotations q_t unroll into a curve in its tangent space, y_t+1 = y_t + log(q_t^-1 q_t+1), which no full turn can break. With F the
filter, run forwards and backwards, the smoothed rotation is

    q'_t = q_t exp( (F y)_t - y_t )

A constant angular velocity is a straight line y and passes unchanged; so do the first and last frames, because the filter sees the curve
continued beyond its ends by point reflection.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from surefoot.errors import InputError
from surefoot.motion import quaternion
from surefoot.motion.motion import Motion

Array = NDArray[np.float64]

ORDER = 2
"""Of the filter in one direction; four in all."""


def smooth(motion: Motion, cutoff_hz: float = 6.0) -> Motion:
    """The motion without what is faster than `cutoff_hz` [Hz] (half the power is gone there)."""
    nyquist = 0.5 / motion.frame_time
    if not (np.isfinite(cutoff_hz) and 0.0 < cutoff_hz < nyquist):
        raise InputError(
            f"a cutoff of {cutoff_hz:g} Hz cannot smooth {motion.fps:.6g} frames a second: it must lie between 0 and {nyquist:.6g} Hz."
        )
    if motion.num_frames < 4:
        return motion
    translations, rotations = np.array(motion.translations), np.array(motion.rotations)
    moving = np.ptp(translations, axis=0).max(axis=-1) > 0.0
    translations[:, moving] = low_pass(translations[:, moving], cutoff_hz, motion.frame_time)
    turning = np.ptp(rotations, axis=0).max(axis=-1) > 0.0
    rotations[:, turning] = _smooth_rotations(rotations[:, turning], cutoff_hz, motion.frame_time)
    return motion.replace(translations=translations, rotations=rotations)


def low_pass(values: Array, cutoff_hz: float, frame_time: float) -> Array:
    """Values (T, ...) through the filter, forwards and backwards."""
    if values.size == 0:
        return values
    from scipy import signal  # takes as long to import as the rest of the package

    # Run twice, the filter has half power where a single run has the square root of half: move its corner up by that.
    corner = min(cutoff_hz / (np.sqrt(2.0) - 1.0) ** (0.5 / ORDER), 0.499 / frame_time)
    sections = signal.butter(ORDER, corner, fs=1.0 / frame_time, output="sos")
    pad = int(np.ceil(3.0 / (cutoff_hz * frame_time)))
    line = np.linspace(values[0], values[-1], len(values))  # taken out first, so that a clip shorter than the padding keeps its drift
    padded = np.pad(values - line, [(pad, pad)] + [(0, 0)] * (values.ndim - 1), mode="reflect", reflect_type="odd")
    filtered = signal.sosfiltfilt(sections, padded, axis=0, padtype=None)
    return np.asarray(filtered[pad : pad + len(values)] + line, dtype=np.float64)


def _smooth_rotations(rotations: Array, cutoff_hz: float, frame_time: float) -> Array:
    steps = quaternion.log(quaternion.multiply(quaternion.conjugate(rotations[:-1]), rotations[1:]))
    curve = np.concatenate([np.zeros_like(steps[:1]), np.cumsum(steps, axis=0)])
    return quaternion.multiply(rotations, quaternion.exp(low_pass(curve, cutoff_hz, frame_time) - curve))
