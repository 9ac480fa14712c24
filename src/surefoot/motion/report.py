"""What is in a motion file, in words a person understands and in JSON values a program does."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.motion.anatomy import anatomy
from surefoot.motion.diagnose import Finding, diagnose
from surefoot.motion.edit.contacts import foot_contacts
from surefoot.motion.edit.cycle import Cycle, find_cycle
from surefoot.motion.edit.measure import body_height, facing, uprightness, wrap
from surefoot.motion.edit.travel import implied_velocity, is_in_place
from surefoot.motion.files import Clip, ReadOptions, list_clips, read_motion, without_first_frame
from surefoot.motion.leading import leading_frames
from surefoot.motion.motion import Guess, Motion
from surefoot.motion.report_body import FootFacts, JointFacts, body_words, foot_facts, joint_tree
from surefoot.motion.report_text import report_text


@dataclass(frozen=True, kw_only=True)
class MotionReport:
    """What is known about a motion, and about the file it came from."""

    kind: str
    """"motion"; "scene" when the file holds no skeleton."""
    file: str
    format: str
    clip: str
    """The clip that is described; the file may hold others."""
    clips: tuple[Clip, ...]
    joints: tuple[str, ...]
    tree: tuple[JointFacts, ...]
    tips: int
    height_m: float
    up_axis: str
    unit_m: float
    duration_s: float
    fps: float
    frames: int
    travel_m: float
    """From the first place of the trunk to the last, along the floor."""
    path_m: float
    """Length of the way there."""
    turn_deg: float
    """By how much it turns about the vertical, anticlockwise."""
    speed_m_s: float
    """The mean along the way."""
    top_speed_m_s: float
    trunk_height_m: tuple[float, float]
    """Least and greatest height of the trunk."""
    in_place: bool
    """Whether it walks on the spot, as clips for games do."""
    implied_speed_m_s: float
    """For a clip in place: the speed at which its feet would not slide."""
    feet: tuple[FootFacts, ...]
    contacts_from: str
    """"file" or "found"."""
    airborne_share: float
    """Share of the time in which no foot stands."""
    cycle: Cycle | None
    loop: bool | None
    """What the file says about repeating."""
    symmetric: bool
    """Whether every joint has a partner or is central."""
    anatomy: str
    """In words: legs, arms, tail."""
    confidence: float
    """Of left, right and forward."""
    guesses: tuple[Guess, ...]
    warnings: tuple[str, ...]
    findings: tuple[Finding, ...]

    def to_json(self) -> dict[str, Any]:
        """The report as JSON values."""
        out = asdict(self)
        out["clips"] = [{"name": c.name, "duration_s": c.duration, "fps": c.fps, "frames": c.frames} for c in self.clips]
        out["speed"] = {"mean_m_s": self.speed_m_s, "top_m_s": self.top_speed_m_s}
        return out

    def text(self) -> str:
        """The report for a person."""
        return report_text(self)


def report(motion: Motion | str | Path, options: ReadOptions | None = None) -> MotionReport:
    """What is in a motion, or in the file at a path ("FILE" or "FILE#Clip")."""
    if isinstance(motion, Motion):
        clip = Clip(name=motion.name, duration=motion.duration, fps=motion.fps, frames=motion.num_frames)
        return _describe(motion, (clip,))
    options = options or ReadOptions()
    clips = list_clips(motion, options)
    scene = None if clips else _scene(motion, options)
    return scene or _describe(read_motion(motion, options), clips)


def _describe(motion: Motion, clips: tuple[Clip, ...]) -> MotionReport:
    skeleton = motion.skeleton
    findings = diagnose(motion)
    told = motion.source.warnings
    if any("--drop-first-frame" in warning for warning in told):
        findings = tuple(f for f in findings if f.kind != "rest frame")
    # What moves is told without a leading T-pose, what the file holds with it.
    in_front = leading_frames(motion)
    moving = without_first_frame(motion, in_front) if in_front else motion
    body = anatomy(skeleton, moving)
    in_place = is_in_place(moving, body=body)
    implied = float(np.linalg.norm(implied_velocity(moving, body=body)[0].mean(axis=0))) if in_place else 0.0
    path = moving.joint_positions[:, body.trunk]
    steps = np.linalg.norm(np.diff(path[:, :2], axis=0), axis=1)
    speeds = _smoothed(steps) / motion.frame_time
    flags = moving.contacts if moving.contacts is not None else foot_contacts(moving, body=body)
    feet = tuple(foot_facts(moving, body, leg, flags) for leg in range(len(body.legs)))
    standing = flags.any(axis=1)
    yaw = facing(moving, body)
    fifth = max(1, len(yaw) // 5)  # hips swing with every step
    turned = float(np.median(yaw[-fifth:]) - np.median(yaw[:fifth]))
    if uprightness(moving, body).min() < 0.2:
        turned = float(wrap(turned))  # who rolls or somersaults turns by no whole turns about the vertical
    turn = float(np.degrees(turned))
    cycle = find_cycle(moving, body=body)
    if cycle is not None and moving is not motion:
        late = in_front * motion.frame_time
        cycle = replace(cycle, start=cycle.start + late, end=cycle.end + late)
    return MotionReport(
        kind="motion",
        file=motion.source.file,
        format=motion.source.format,
        clip=motion.source.clip or motion.name,
        clips=clips,
        joints=skeleton.names,
        tree=joint_tree(motion, body),
        tips=len(skeleton.tips),
        height_m=_rounded(body_height(motion)),
        up_axis=motion.source.up_axis,
        unit_m=motion.source.unit_m,
        duration_s=_rounded(motion.duration, 6),
        fps=_rounded(motion.fps, 6),
        frames=motion.num_frames,
        travel_m=_rounded(float(np.linalg.norm(path[-1, :2] - path[0, :2]))),
        path_m=_rounded(float(steps.sum())),
        turn_deg=_rounded(turn, 2),
        speed_m_s=_rounded(float(steps.sum()) / moving.duration if moving.duration > 0.0 else 0.0),
        top_speed_m_s=_rounded(float(speeds.max(initial=0.0))),
        trunk_height_m=(_rounded(float(path[:, 2].min())), _rounded(float(path[:, 2].max()))),
        in_place=in_place,
        implied_speed_m_s=_rounded(implied),
        feet=feet,
        contacts_from="found" if motion.contacts is None else "file",
        airborne_share=_rounded(1.0 - float(standing.mean()) if feet else 0.0),
        cycle=cycle,
        loop=motion.source.loop,
        symmetric=bool((body.partner >= 0).all()),
        anatomy=body_words(body),
        confidence=body.confidence,
        guesses=motion.source.guesses,
        warnings=(*told, *(finding.sentence for finding in findings if finding.severity == "warning")),
        findings=findings,
    )


def _scene(path: str | Path, options: ReadOptions) -> MotionReport | None:
    """The report on a glTF without a skeleton (morph targets, cameras); None for any other file."""
    from surefoot.motion import gltf
    from surefoot.motion.files import file_format
    from surefoot.motion.limits import read_bytes, shown

    file = Path(str(path).partition("#")[0]) if not Path(path).exists() else Path(path)
    data, name = read_bytes(file), shown(file)
    if file_format(data, name) != "gltf":
        return None
    found = gltf.describe(data, name, options, file.parent)
    if found.has_skeleton:
        return None
    nothing = f"There is no skeleton in it and nothing that moves as one; it holds {found.sentence}. It can be described, not rigged."
    tree = tuple(JointFacts(name=joint, parent="", depth=0, part="") for joint in found.joints)
    return MotionReport(
        kind="scene", file=name, format="gltf", clip="", clips=found.clips, joints=found.joints, tree=tree, tips=0, height_m=0.0,
        up_axis="Y", unit_m=1.0, duration_s=0.0, fps=0.0, frames=0, travel_m=0.0, path_m=0.0, turn_deg=0.0, speed_m_s=0.0,
        top_speed_m_s=0.0, trunk_height_m=(0.0, 0.0), in_place=False, implied_speed_m_s=0.0, feet=(), contacts_from="found",
        airborne_share=0.0, cycle=None, loop=None, symmetric=False, anatomy="no body", confidence=0.0, guesses=(),
        warnings=(nothing, *found.warnings), findings=(),
    )  # fmt: skip


def _smoothed(steps: NDArray[np.float64]) -> NDArray[np.float64]:
    """Steps averaged over five frames, so that a top speed is none of a single frame."""
    width = min(5, len(steps))
    return np.convolve(steps, np.ones(width) / width, mode="valid") if width else steps


def _rounded(value: float, digits: int = 4) -> float:
    return round(float(value), digits)
