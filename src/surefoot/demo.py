"""The main job on built-in material, one line a step.

clip -> character rigged from its skeleton -> physics under open-loop tracking, beside its ghost -> it falls, and why -> files
a skill that was learned from key-frames -> it walks, is pushed from four sides, and walks on -> picture

An open loop tells the servos the clip's poses by the clock, whatever the body does. Feedback is what learning adds: it takes minutes, so
the walk comes with the package; what it does here is simulated here.
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
SKILL = "humanoid/walk"
PUSHES = ((2.0, 0.0), (4.0, 90.0), (6.0, 180.0), (8.0, 270.0))
"""When the walk is pushed [s], and to where, anticlockwise from x [degrees]."""
PUSH, WALKED = 60.0, 12.0
"""How hard each push is [N], for 0.2 s, and how long it walks [s]."""
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
    walker = out.with_name("walker.surefoot")
    atomic_write(walker, material.skill(SKILL))
    learned = bundle.load(walker)
    say(f"learned    {walker}: feedback of {learned.numbers} numbers, from the key-framed {SKILL} by surefoot learn")
    walking = _pushed(learned)
    stood = not walking.fallen
    way = float(np.hypot(*(walking.qpos()[:2] - learned.reference.qpos[0, :2])))
    after = "it walks on" if stood else f"it falls: {next(iter(walking.fallen.values()))}"
    say(f"pushed     {len(PUSHES)} times by {PUSH:.0f} N for 0.2 s, from behind, its right, ahead and its left: {after}")
    say(f"walked     {way:.1f} m in {walking.time:.0f} s" if stood else f"fell       after {walking.time:.1f} s and {way:.1f} m")
    atomic_write(out, _sheet(clip, made, min(fell + AFTER, LONGEST), learned, walking))
    seconds = time.perf_counter() - began
    say(f"picture    {out}: the clip, its simulation and ghost, and the walk under pushes ({seconds:.1f} s in all)")
    say(f"next       surefoot play {walker} opens it in the browser, to be pushed; surefoot learn makes such a skill of your clip")
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
        "skill": str(walker),
        "walked_m": way,
        "walked_s": walking.time,
        "stood": stood,
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


def _pushed(learned: Bundle) -> Player:
    """The skill played, and pushed now and then."""
    from surefoot import bundle

    player = bundle.player(learned, record=True)
    for when, angle in PUSHES:
        player.advance(when - player.time)
        player.push((PUSH * np.cos(np.radians(angle)), PUSH * np.sin(np.radians(angle)), 0.0))
    player.advance(WALKED - player.time)
    return player


def _off(made: Bundle, playing: Player, when: float) -> float:
    """By what angle the root is turned away from the reference at a time [degrees]."""
    from surefoot.policy.success import full_angle

    recording = playing.recording()
    k = int(np.argmin(np.abs(recording.times - when)))
    wanted = made.reference.at(recording.times[k : k + 1])[0]
    return float(np.degrees(full_angle(recording.qpos()[k, 3:7], wanted[3:7])))


def _sheet(clip: Motion, made: Bundle, seconds: float, learned: Bundle, walking: Player) -> bytes:
    """A PNG of the clip above, of the simulation with its ghost below, and of the walk just after its pushes."""
    from surefoot.picture import tiled
    from surefoot.render import RenderConfig, pictures

    times = np.linspace(0.0, seconds, COLUMNS)
    config = RenderConfig(ghost="beside", draw="painter")
    rows = [Image.fromarray(frame) for subject in (clip, made) for frame in pictures(subject, times, SIZE, config)]
    recording = walking.recording()
    walk = learned.character.motion(recording.qpos(), float(recording.times[1] - recording.times[0]))
    moments = np.array([0.5, *(when + 0.35 for when, _ in PUSHES), min(WALKED, walking.time) - 0.1])
    rows += [Image.fromarray(frame) for frame in pictures(walk, moments, SIZE, RenderConfig(draw="painter"))]
    labels = [*(f"{t:.2f} s" for t in times), *[""] * COLUMNS, "learned", *[f"pushed at {when:.0f} s" for when, _ in PUSHES], "walks on"]
    file = io.BytesIO()
    sheet = tiled(rows, labels, COLUMNS)
    sheet.quantize(256).save(file, "PNG", optimize=True)
    return file.getvalue()
