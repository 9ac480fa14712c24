"""A bundle's performance as a file that other programs open.

    .bvh, .npz   on the source's own skeleton
    .glb         the source's own file with one more clip; mesh, skin, materials and other clips stay. For sources that are no glTF, their
                 skeleton with a simple body

A character that was not rigged from the source leaves on its own skeleton.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from surefoot.bundle.bundle import Bundle, Performance
from surefoot.bundle.perform import perform
from surefoot.errors import InputError
from surefoot.export import on_source, source_joints, with_clip
from surefoot.motion.edit.resample import resample
from surefoot.motion.files import WRITTEN, atomic_write, write_motion
from surefoot.motion.limits import shown
from surefoot.motion.motion import Motion

FARTHEST = 1e-3
"""No joint of an exported file may be farther than this from where the simulation had it, in heights."""


@dataclass(frozen=True, kw_only=True)
class Exported:
    """What was written."""

    motion: Motion
    clip: str
    """The clip's name in the file."""
    on_source: bool
    """On the source's own skeleton, or on the character's."""
    in_source: bool
    """Into the source's own file, beside its mesh."""


def performed(bundle: Bundle) -> Performance:
    """The performance that the bundle carries, or else what its policy does now."""
    return bundle.performance or perform(bundle)


def performed_motion(bundle: Bundle) -> Motion:
    """The performance as a motion on the source's own skeleton, or on the character's when it was not rigged from it."""
    done = performed(bundle)
    if bundle.motion is None or not source_joints(bundle.character, bundle.motion):
        return bundle.character.motion(done.qpos, done.frame_time, name=bundle.name)
    return on_source(bundle.character, done.qpos, done.frame_time, bundle.motion, start=bundle.start, cycle=bundle.reference.cycle)


def export(bundle: Bundle, path: str | Path, *, fps: float | None = None) -> Exported:
    """Write what a bundle's policy did as .bvh, .glb or .npz, by the suffix of `path`."""
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix not in WRITTEN:
        raise InputError(f"{shown(path)}: a performance is written as {', '.join(WRITTEN)}; choose one of these suffixes.")
    motion = performed_motion(bundle)
    if fps is not None:
        motion = resample(motion, fps)
    own = bundle.motion is not None and motion.skeleton is bundle.motion.skeleton
    if suffix == ".glb" and bundle.file and own:
        assert bundle.motion is not None
        times = bundle.start + motion.times
        if bundle.reference.cycle and bundle.motion.duration > 0.0:
            times = np.mod(times, bundle.motion.duration)
        extended = with_clip(bundle.file, motion, times, motion.source.file or "source.glb")
        if extended.apart > FARTHEST * bundle.character.height:
            raise InputError(
                f"{shown(path)}: the source's scales do not let its bones follow; they would be up to {1e3 * extended.apart:.1f} mm off. "
                "Write .bvh or .npz instead."
            )
        atomic_write(path, extended.data)
        return Exported(motion=motion, clip=extended.clip, on_source=True, in_source=True)
    write_motion(motion, path)
    return Exported(motion=motion, clip=motion.name, on_source=own, in_source=False)
