"""The main job on built-in material, one line a step.

clip -> character rigged from its skeleton -> physics under open-loop tracking, beside its ghost -> it falls, and why -> files, picture

An open loop tells the servos the clip's poses by the clock, whatever the body does. Feedback is what the methods add.
"""

from __future__ import annotations

import io
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from PIL import Image

if TYPE_CHECKING:
    from surefoot.bundle import Bundle
    from surefoot.motion.motion import Motion
    from surefoot.play.player import Player

CHARACTER, CLIP = "dinosaur", "walk"
AFTER = 0.9
"""Seconds that are shown after the fall."""
LONGEST = 10.0
"""Seconds that are simulated at most."""
COLUMNS, SIZE = 6, (240, 250)
"""Pictures in a row, and the size of each [pixels]."""


def demo(out: Path, say: Callable[[str], None]) -> dict[str, Any]:
    """Rig the dinosaur from its GLB, track its walk in physics until it lies, leave a picture at `out`; the facts as JSON values."""
    from surefoot import bundle, material
    from surefoot.character.rig import rig
    from surefoot.motion.files import ReadOptions, atomic_write, read_motion

    began = time.perf_counter()
    out.parent.mkdir(parents=True, exist_ok=True)
    source, skill, result = (out.with_name(name) for name in (f"{CHARACTER}.glb", f"{CHARACTER}.surefoot", f"{CHARACTER}-simulated.glb"))
    atomic_write(source, material.glb(CHARACTER))
    clip = read_motion(source, ReadOptions(clip=CLIP))
    say(f"clip       {source}#{CLIP}: {clip.duration:.2f} s, {clip.skeleton.num_joints} joints, key-framed by hand")
    rigged = rig(clip)
    character = rigged.character
    say(
        f"character  {character.skeleton.num_joints} bodies, {character.model.nv} degrees of freedom, {character.mass:.0f} kg, "
        f"{character.height:.2f} m, rigged from the clip's skeleton without settings"
    )
    made = bundle.bundle_of(clip, rigged, source=source)
    playing = bundle.player(made, record=True)
    fell, why, speed = _played(playing)
    say(f"physics    its servos are told the clip's poses by the clock, {speed:.0f} times real time on one core; its ghost walks on")
    early, late = 0.25 * fell, 0.75 * fell
    leans = [_off(made, playing, when) for when in (early, late)]
    if why:
        say(f"falls      at {fell:.2f} s: {why}")
        say(
            f"why        it leans {leans[0]:.0f} degrees off the clip after {early:.2f} s, {leans[1]:.0f} after {late:.2f} s: an open "
            "loop does not look at the body, so an error grows and nothing answers it"
        )
    else:
        say(f"stands     after {fell:.2f} s")
    bundle.save(made, skill)
    exported = bundle.export(made, result)
    say(f"files      {skill} holds character, targets and source; {result} is the source with the simulation as clip '{exported.clip}'")
    atomic_write(out, _sheet(clip, made, min(fell + AFTER, LONGEST)))
    seconds = time.perf_counter() - began
    say(f"picture    {out}: the clip above, the simulation and its ghost below ({seconds:.1f} s in all)")
    say(f"next       surefoot play {skill} opens it in the browser, to be pushed; surefoot evaluate {skill} --quick measures it")
    return {
        "clip": f"{source}#{CLIP}",
        "bodies": character.skeleton.num_joints,
        "degrees_of_freedom": int(character.model.nv),
        "mass_kg": character.mass,
        "success": not why,
        "fell_s": fell if why else None,
        "why": why,
        "lean_deg": leans,
        "times_real_time": speed,
        "bundle": str(skill),
        "export": str(result),
        "picture": str(out),
        "wall_s": seconds,
    }


def _played(playing: Player) -> tuple[float, str, float]:
    """When it fell, or how long it was played [s]; in what way; seconds played for each of the processor."""
    began = time.process_time()
    while not playing.fallen and playing.time < LONGEST - 1e-6:
        playing.step()
    fell = playing.time
    return fell, next(iter(playing.fallen.values()), ""), fell / max(time.process_time() - began, 1e-9)


def _off(made: Bundle, playing: Player, when: float) -> float:
    """By what angle the root is turned away from the reference at a time [degrees]."""
    from surefoot.policy.success import full_angle

    recording = playing.recording()
    k = int(np.argmin(np.abs(recording.times - when)))
    wanted = made.reference.at(recording.times[k : k + 1])[0]
    return float(np.degrees(full_angle(recording.qpos()[k, 3:7], wanted[3:7])))


def _sheet(clip: Motion, made: Bundle, seconds: float) -> bytes:
    """A PNG of the clip above, and of the simulation with its ghost below."""
    from surefoot.picture import tiled
    from surefoot.render import RenderConfig, pictures

    times = np.linspace(0.0, seconds, COLUMNS)
    config = RenderConfig(ghost="beside", draw="painter")
    rows = [Image.fromarray(frame) for subject in (clip, made) for frame in pictures(subject, times, SIZE, config)]
    file = io.BytesIO()
    sheet = tiled(rows, [*(f"{t:.2f} s" for t in times), *[""] * COLUMNS], COLUMNS)
    sheet.quantize(256).save(file, "PNG", optimize=True)
    return file.getvalue()
