"""Another frame rate: the pose at time t between frames, by straight lines or through a cubic.

Rotations follow the shorter arc between two frames ("linear"), or the tangent-space cubic through four of them ("cubic"):

    q(t) = q_k exp( h(s) ),    s = t / dt - k in [0, 1]

where h is the cubic Hermite curve from 0 to log(q_k^-1 q_k+1) whose slopes at its ends are those of central differences.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from surefoot.errors import InputError
from surefoot.motion import quaternion
from surefoot.motion.limits import check_size
from surefoot.motion.motion import Motion

Array = NDArray[np.float64]
Interpolation = Literal["linear", "cubic"]


def resample(motion: Motion, fps: float, *, interpolation: Interpolation = "linear") -> Motion:
    """The motion at `fps` frames a second, from its first frame on. What lies between the last new frame and the end falls away."""
    if not (np.isfinite(fps) and fps > 0.0):
        raise InputError(f"a frame rate must be a positive number, got {fps}.")
    if interpolation not in ("linear", "cubic"):
        raise InputError(f"no interpolation named '{interpolation}'; there are 'linear' and 'cubic'.")
    if abs(fps * motion.frame_time - 1.0) < 1e-9:
        return motion
    count = motion.duration * fps
    if count > 1e9:
        raise InputError(f"{motion.duration:.3g} s at {fps:.3g} frames a second are too many frames.")
    frames = int(np.floor(count + 1e-6)) + 1
    check_size(frames, motion.skeleton.num_joints)
    times = np.minimum(np.arange(frames) / fps, motion.duration)
    return at_times(motion, times, 1.0 / fps, interpolation=interpolation)


def at_times(motion: Motion, times: Array, frame_time: float, *, interpolation: Interpolation = "linear") -> Motion:
    """The motion's poses at `times` (N,) [s] as frames that follow each other every `frame_time`; contacts of the nearest frame."""
    if interpolation == "cubic" and motion.num_frames > 2:
        translations, rotations = cubic(motion, times)
    else:
        translations, rotations = motion.sample(times)
    contacts = None
    if motion.contacts is not None:
        near = np.clip(np.rint(times / motion.frame_time), 0, motion.num_frames - 1).astype(np.int64)
        contacts = motion.contacts[near]
    return motion.replace(translations=translations, rotations=rotations, frame_time=frame_time, contacts=contacts)


def cubic(motion: Motion, times: Array) -> tuple[Array, Array]:
    """Local translations (N, J, 3) and rotations (N, J, 4) at `times` (N,) [s] on a curve with a continuous velocity."""
    at = np.clip(times / motion.frame_time, 0.0, motion.num_frames - 1)
    low = np.minimum(at.astype(np.int64), motion.num_frames - 2)
    s = (at - low)[:, None, None]
    steps = np.diff(motion.translations, axis=0)
    turns = quaternion.log(quaternion.multiply(quaternion.conjugate(motion.rotations[:-1]), motion.rotations[1:]))
    translations = motion.translations[low] + _hermite(steps, low, s)
    rotations = quaternion.multiply(motion.rotations[low], quaternion.exp(_hermite(turns, low, s)))
    return translations, rotations


def _hermite(steps: Array, low: NDArray[np.int64], s: Array) -> Array:
    """The cubic from 0 to steps[low], with the mean of neighbouring steps as slope at each end."""
    slopes = np.concatenate([1.5 * steps[:1] - 0.5 * steps[1:2], 0.5 * (steps[:-1] + steps[1:]), 1.5 * steps[-1:] - 0.5 * steps[-2:-1]])
    step, begin, end = steps[low], slopes[low], slopes[low + 1]
    return s * begin + s**2 * (3.0 * step - 2.0 * begin - end) + s**3 * (begin + end - 2.0 * step)
