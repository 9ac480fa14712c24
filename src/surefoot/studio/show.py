"""What can be put on stage: a motion with the character rigged from its skeleton, or a bundle."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast

from surefoot.character.character import Character
from surefoot.motion.files import ReadOptions, list_clips, locate, read_motion
from surefoot.motion.limits import shown
from surefoot.motion.motion import Motion
from surefoot.physics.scene import Scene
from surefoot.policy.openloop import track
from surefoot.policy.policy import Policy
from surefoot.policy.reference import Reference

if TYPE_CHECKING:
    from surefoot.bundle.bundle import Bundle

BUNDLE = ".surefoot"


@dataclass(frozen=True, eq=False, kw_only=True)
class Show:
    """A character, what it is meant to do and what drives it."""

    name: str
    character: Character
    reference: Reference
    policy: Policy
    starts: Reference | None = None
    """Poses that the policy really passes through, where they are known: it begins there."""
    scene: Scene = field(default_factory=Scene)
    mode: Literal["replay", "simulate"] = "simulate"
    """How it begins: a motion is replayed first, a bundle performs."""
    compare: Reference | None = None
    """What the ghost does while the reference is replayed."""
    what: str = ""
    """What is replayed, where that is not the clip itself."""
    motion: Motion | None = None
    """The source's clip on its own skeleton."""
    start: float = 0.0
    """Time in that clip at which the reference begins [s]."""
    file: Path | None = None
    clip: str = ""
    clips: tuple[str, ...] = ()
    """Names of the clips in the file."""
    bundle: Bundle | None = None
    notes: tuple[str, ...] = ()
    """What a person should know about how it was read."""

    def as_bundle(self) -> Bundle:
        """The same as a bundle: one that was opened, or the motion, tracked."""
        from surefoot.bundle import Bundle
        from surefoot.bundle.make import source_file

        if self.bundle is not None:
            return self.bundle
        sha256, file = ("", b"") if self.file is None or self.motion is None else source_file(self.file, self.motion)
        return Bundle(
            name=self.name,
            character=self.character,
            policy=self.policy,
            reference=self.reference,
            scene=self.scene,
            motion=self.motion,
            start=self.start,
            sha256=sha256,
            file=file,
        )


def show_motion(
    motion: Motion, name: str = "", *, file: Path | None = None, clips: tuple[str, ...] = (), keep_first_frame: bool = False
) -> Show:
    """A motion in the joints of a character rigged from its own skeleton, tracked in open loop."""
    from surefoot.character.rig import RigConfig, rig

    rigged = rig(motion, RigConfig(keep_first_frame=keep_first_frame))
    left_out = motion.num_frames - rigged.motion.num_frames
    notes = tuple(line for line in motion.source.warnings if not (left_out and "--drop-first-frame" in line))
    reference = Reference(character=rigged.character, qpos=rigged.qpos, frame_time=motion.frame_time)
    return Show(
        name=name or motion.name or "motion",
        character=rigged.character,
        reference=reference,
        policy=cast(Policy, track(rigged.character, reference)),
        mode="replay",
        motion=motion,
        start=left_out * motion.frame_time,
        file=file,
        clip=motion.source.clip,
        clips=clips,
        notes=notes,
    )


def show_bundle(bundle: Bundle, file: Path | None = None) -> Show:
    """A bundle's policy in charge of its character."""
    return Show(
        name=bundle.name,
        character=bundle.character,
        reference=bundle.reference,
        policy=bundle.policy,
        starts=bundle.starts,
        scene=bundle.scene,
        motion=bundle.motion,
        start=bundle.start,
        file=file,
        bundle=bundle,
    )


def open_show(name: str | Path, options: ReadOptions | None = None, *, keep_first_frame: bool = False) -> Show:
    """What a file holds: a bundle, or a motion ("FILE#Clip", or one of ours as "humanoid/walk")."""
    text = str(name)
    if Path(text).suffix.lower() == BUNDLE:
        from surefoot.bundle import bundle as bundles

        return show_bundle(bundles.load(text), Path(text))
    if not Path(text.split("#")[0]).exists():
        from surefoot import material

        if text in material.names():
            return show_motion(material.motion(text), text)
    file, options = locate(text, options or ReadOptions())
    clips = tuple(clip.name for clip in list_clips(file, replace(options, clip=None)))
    motion = read_motion(text, options)
    label = f"{shown(file)}, {motion.source.clip or motion.name}" if len(clips) > 1 else shown(file)
    return show_motion(motion, label, file=file, clips=clips, keep_first_frame=keep_first_frame)
