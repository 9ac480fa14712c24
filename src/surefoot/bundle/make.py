"""Bundles made from what the other folders give: a motion rigged to a character, and a policy for it."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any, cast

from surefoot.bundle.bundle import MAX_SOURCE, Bundle
from surefoot.bundle.perform import perform
from surefoot.character.rig import Rigged
from surefoot.errors import InputError
from surefoot.export.embed import embedded
from surefoot.motion.limits import read_bytes, shown
from surefoot.motion.motion import Motion
from surefoot.policy.openloop import track
from surefoot.policy.policy import Policy
from surefoot.policy.reference import Reference


def bundle_of(
    motion: Motion, rigged: Rigged, policy: Policy | None = None, *, source: str | Path | None = None, cycle: bool = False, **fields: Any
) -> Bundle:
    """A bundle of a character rigged from `motion`, whose performance is simulated; without a policy the clip is tracked open loop.

    `motion` is the clip as it was read, before the rig left out or re-parented anything; `source` its file, whose hash is kept and, when
    it is a glTF, whose bytes as well.
    """
    reference = fields.pop("reference", None) or Reference(
        character=rigged.character, qpos=rigged.qpos, frame_time=motion.frame_time, cycle=cycle
    )
    dropped = motion.num_frames - rigged.motion.num_frames
    if dropped < 0:
        raise InputError(
            f"'{motion.name}' has {motion.num_frames} frames and its rig {rigged.motion.num_frames}; give the clip as it was read."
        )
    sha256, file = ("", b"") if source is None else source_file(source, motion)
    bundle = Bundle(
        name=fields.pop("name", rigged.character.name),
        character=rigged.character,
        policy=cast(Policy, track(rigged.character, reference)) if policy is None else policy,
        reference=reference,
        motion=motion,
        start=dropped * motion.frame_time,
        sha256=sha256,
        file=file,
        **fields,
    )
    return bundle if bundle.performance is not None else bundle.replace(performance=perform(bundle))


def source_file(path: str | Path, motion: Motion) -> tuple[str, bytes]:
    """The SHA-256 of a motion's file, and its bytes as a .glb where it is a glTF of bearable size."""
    data = read_bytes(path)
    digest = hashlib.sha256(data).hexdigest()
    if motion.source.format != "gltf" or len(data) > MAX_SOURCE:
        return digest, b""
    glb = embedded(data, shown(path), Path(path).parent)
    return digest, glb if len(glb) <= MAX_SOURCE else b""
