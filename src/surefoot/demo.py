"""The main job on built-in material, one line a step; what is not written yet is said to be so.

clip -> character rigged from its skeleton -> the clip replayed in the character's joints -> picture
"""

from __future__ import annotations

import io
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PIL import Image

if TYPE_CHECKING:
    from surefoot.character.rig import Rigged
    from surefoot.motion.motion import Motion

CHARACTER, CLIP = "dinosaur", "walk"


def demo(out: Path, say: Callable[[str], None]) -> dict[str, Any]:
    """Rig the dinosaur from its GLB, replay its walk, leave a picture at `out`; the facts as JSON values."""
    import numpy as np

    from surefoot import material
    from surefoot.character.rig import rig
    from surefoot.motion.files import ReadOptions, atomic_write, read_motion

    began = time.perf_counter()
    out.parent.mkdir(parents=True, exist_ok=True)
    file = out.with_name(f"{CHARACTER}.glb")
    atomic_write(file, material.glb(CHARACTER))
    clip = read_motion(file, ReadOptions(clip=CLIP))
    say(f"clip       {file}#{CLIP}: {clip.duration:.2f} s, {clip.skeleton.num_joints} joints, key-framed by hand")
    rigged = rig(clip)
    character = rigged.character
    say(
        f"character  {character.skeleton.num_joints} bodies, {character.model.nv} degrees of freedom, {character.mass:.0f} kg, "
        f"{character.height:.2f} m, rigged from the clip's skeleton without settings"
    )
    replayed = character.motion(rigged.qpos, clip.frame_time, name=clip.name)
    columns = [rigged.motion.skeleton.index(character.source["joints"][body]) for body in character.skeleton.names]
    apart = np.linalg.norm(replayed.joint_positions - rigged.motion.joint_positions[:, columns], axis=-1)
    say(f"replay     the clip in the character's joints: {1e3 * apart.max():.2f} mm from the source at most (kinematic: no physics yet)")
    atomic_write(out, _sheet(clip, rigged))
    seconds = time.perf_counter() - began
    say(f"picture    {out}: the clip above, the character below ({seconds:.1f} s in all)")
    say("next       simulating it, reconstructing the clip in physics and learning feedback are not written yet")
    return {
        "clip": f"{file}#{CLIP}",
        "bodies": character.skeleton.num_joints,
        "degrees_of_freedom": int(character.model.nv),
        "mass_kg": character.mass,
        "replay_error_mm": 1e3 * float(apart.max()),
        "picture": str(out),
        "wall_s": seconds,
    }


def _sheet(clip: Motion, rigged: Rigged, columns: int = 6) -> bytes:
    """A PNG of the clip above and of the character in the same poses below."""
    import numpy as np

    from surefoot.picture import character_frames, picture, tiled

    frames = np.linspace(0, clip.num_frames - 1, columns).round().astype(int)
    size = (240, 270)
    above = [picture(clip, frame * clip.frame_time, size=size) for frame in frames]
    below = [Image.fromarray(pixels) for pixels in character_frames(rigged.character, rigged.qpos[frames], size=size)]
    titles = [f"{frame * clip.frame_time:.2f} s" for frame in frames]
    file = io.BytesIO()
    sheet = tiled([*above, *below], [*titles, *[""] * columns], columns)
    sheet.quantize(256).save(file, "PNG", optimize=True)
    return file.getvalue()
