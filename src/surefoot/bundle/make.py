"""Bundles made from what the other folders give: a clip fitted to a character, and a policy for it.

bundle_of(motion, rig(motion))                                                    the clip tracked open loop
bundle_of(motion, fitted, policy, reference=..., method="samcon", success=True, config={...}, result={...}, curves={...})
performing(made.replace(policy=..., method="guided", ...))                        something else that the same character learned
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from surefoot.bundle.bundle import MAX_SOURCE, Bundle
from surefoot.bundle.perform import perform
from surefoot.character.character import Character
from surefoot.export.embed import embedded
from surefoot.motion.limits import read_bytes, shown
from surefoot.motion.motion import Motion
from surefoot.policy.openloop import track
from surefoot.policy.policy import Policy
from surefoot.policy.reference import Reference

MINUTE = 60.0
"""No performance that is made here lasts longer [s]; a longer clip's is cut."""


class Fitted(Protocol):
    """A character and a clip in its joints: what the rig gives, or a clip that was retargeted."""

    @property
    def character(self) -> Character:
        """Whose joints."""

    @property
    def motion(self) -> Motion:
        """The clip, a leading T-pose left out."""

    @property
    def qpos(self) -> NDArray[np.float64]:
        """Poses (T, nq)."""


def bundle_of(
    motion: Motion,
    fitted: Fitted,
    policy: Policy | None = None,
    *,
    source: str | Path | bytes | None = None,
    cycle: bool = False,
    reference: Reference | None = None,
    **fields: Any,
) -> Bundle:
    """A bundle whose policy has been played once, in its scene; without a policy the clip is tracked open loop.

    `motion` is the clip as it was read, before the rig left out or re-parented anything, so that the result goes back onto it; `source` its
    file (or its bytes), whose hash is kept and, when it is a glTF, whose mesh as well. The reference is by default the fitted poses; it may
    have another frame rate than the clip. `fields` are those of `Bundle`: method, success, result, config, curves, seed, scene, starts.
    """
    if reference is None:
        reference = Reference(character=fitted.character, qpos=fitted.qpos, frame_time=motion.frame_time, cycle=cycle)
    dropped = max(motion.num_frames - fitted.motion.num_frames, 0)
    sha256, file = ("", b"") if source is None else source_file(source, motion)
    bundle = Bundle(
        **{
            "name": motion.name or fitted.character.name,
            "character": fitted.character,
            "policy": cast(Policy, track(fitted.character, reference)) if policy is None else policy,
            "reference": reference,
            "motion": motion,
            "start": dropped * motion.frame_time,
            "sha256": sha256,
            "file": file,
            **fields,
        }
    )
    return bundle if bundle.performance is not None else performing(bundle)


def performing(bundle: Bundle) -> Bundle:
    """The bundle with what its policy does now, at the frame rate of the source's clip, or the reference's where there is none."""
    frame_time = bundle.motion.frame_time if bundle.motion is not None else bundle.reference.frame_time
    return bundle.replace(performance=perform(bundle, min(bundle.reference.duration, MINUTE), frame_time=frame_time))


def source_file(source: str | Path | bytes, motion: Motion) -> tuple[str, bytes]:
    """The SHA-256 of a motion's file, and its bytes as a .glb where it is a glTF of bearable size."""
    data = source if isinstance(source, bytes) else read_bytes(source)
    digest = hashlib.sha256(data).hexdigest()
    if motion.source.format != "gltf" or len(data) > MAX_SOURCE:
        return digest, b""
    glb = embedded(data, motion.source.file, None) if isinstance(source, bytes) else embedded(data, shown(source), Path(source).parent)
    return digest, glb if len(glb) <= MAX_SOURCE else b""
