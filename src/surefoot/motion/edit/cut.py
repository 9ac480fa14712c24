"""A part of a motion, on whole frames: nothing is interpolated, so what stays is what was there."""

from __future__ import annotations

import numpy as np

from surefoot.errors import InputError
from surefoot.motion.motion import Motion


def cut(motion: Motion, start: float = 0.0, end: float | None = None) -> Motion:
    """The frames from `start` to `end` [s], both included, each taken to the nearest frame; to the last frame when `end` is None."""
    end = motion.duration if end is None else end
    half = 0.5 * motion.frame_time
    if not (np.isfinite(start) and np.isfinite(end)):
        raise InputError(f"cannot cut from {start} to {end}: times must be finite numbers of seconds.")
    if start < -half or end > motion.duration + half or start > end:
        raise InputError(
            f"cannot cut from {start:g} to {end:g} s: the motion lasts from 0 to {motion.duration:.6g} s, and the start comes first."
        )
    return cut_frames(motion, round(start / motion.frame_time), round(end / motion.frame_time))


def cut_frames(motion: Motion, first: int, last: int) -> Motion:
    """The frames from number `first` to number `last`, both included."""
    if not 0 <= first <= last < motion.num_frames:
        raise InputError(f"cannot cut from frame {first} to {last}: there are frames 0 to {motion.num_frames - 1}.")
    keep = slice(first, last + 1)
    contacts = None if motion.contacts is None else motion.contacts[keep]
    return motion.replace(translations=motion.translations[keep], rotations=motion.rotations[keep], contacts=contacts)
