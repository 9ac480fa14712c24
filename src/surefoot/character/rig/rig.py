"""A character from any skeleton: `rig(motion) -> Rigged` (Wide band 4.1 to 4.3).

    joints -> bodies (draft) -> rest pose (rest) -> places (bones) -> joints (ranges) -> shapes (flesh, soles)
           -> blueprint (assemble) -> clearance -> masses -> a person's edits -> servos and MJCF

Body frames are the joints' frames: replaying the clip means giving every body its joint's world rotation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.character.blueprint import Blueprint
from surefoot.character.character import Character
from surefoot.character.rig.assemble import assemble, weighed
from surefoot.character.rig.bones import HUMAN
from surefoot.character.rig.clearance import clear_clip, clear_rest
from surefoot.character.rig.config import RigConfig
from surefoot.character.rig.draft import Draft, draft
from surefoot.character.rig.edit import edit, edited_masses
from surefoot.character.rig.edits import RigEdits, template
from surefoot.character.rig.replay import lowest_points, replay, stand
from surefoot.character.rig.rest import standing
from surefoot.motion.anatomy import anatomy, attach
from surefoot.motion.files import without_first_frame
from surefoot.motion.motion import Motion
from surefoot.motion.skeleton import Skeleton

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, kw_only=True)
class Rigged:
    """A character and the clip it was rigged from."""

    character: Character
    blueprint: Blueprint
    motion: Motion
    """The clip on the source's own joints: detached feet attached, a leading T-pose left out, first frame's feet on the ground."""
    qpos: Array  # (T, nq)
    """The clip in the character's joints."""
    stretch_mm: dict[str, float]
    """Bones that stretch in the clip: largest deviation, in millimetres of a body of 1.7 m."""


def rig(motion: Motion, config: RigConfig | None = None, edits: RigEdits | None = None) -> Rigged:
    """A simulated character built from the motion's own skeleton, with a person's edits."""
    config = config or RigConfig()
    sketch, skeleton = _sketch(motion, config)
    blueprint, bones, names = assemble(sketch, config)
    blueprint, character = clear_rest(blueprint)
    blueprint = weighed(stand(blueprint), config.density, config.mass)
    if edits is not None:
        blueprint, character = _edited(blueprint, edits, config)
    qpos, lift = replay(character, sketch, names)
    blueprint = clear_clip(blueprint, character, qpos)
    stretch = {names[b.joint]: 1e3 * b.stretch * HUMAN / sketch.size for b in bones if b.stretch > 5e-3 * sketch.size / HUMAN}
    blueprint = blueprint.replace(
        report=(*sketch.notes, *blueprint.report, *_stretch_line(stretch)),
        poses={"first": _first_pose(character, qpos[0], float(lowest_points(character, qpos[:1])[0]))},
    )
    grounded = sketch.motion.replace(skeleton=skeleton, translations=_lifted(sketch.motion, lift))
    return Rigged(character=Character.from_blueprint(blueprint), blueprint=blueprint, motion=grounded, qpos=qpos, stretch_mm=stretch)


def edits_template(rigged: Rigged) -> dict[str, Any]:
    """Edits (JSON values) that say what is there, for a person to change; see `read_edits`."""
    return template(rigged.blueprint)


def _sketch(motion: Motion, config: RigConfig) -> tuple[Draft, Skeleton]:
    """Which joints become bodies, after feet that hang in the wrong place are attached, a leading T-pose is left out and a rest pose that
    is none is replaced; and the skeleton with the rest pose it came with.
    """
    notes: list[str] = []
    if motion.source.extra.get("leading_rest_frame") and not config.keep_first_frame and motion.num_frames > 2:
        notes.append("frame 0 snaps into the motion (a T-pose put there by the exporter): left out")
        motion = without_first_frame(motion)
    sketch = _drafted(motion, config, notes)
    better = standing(sketch)
    if better is None:
        return sketch, sketch.motion.skeleton
    notes.append(better[1])
    return _drafted(better[0], config, notes), sketch.motion.skeleton


def _drafted(motion: Motion, config: RigConfig, notes: list[str]) -> Draft:
    """The draft of a motion, with what hangs in the wrong place attached and said in `notes`."""
    found = anatomy(motion.skeleton, motion)
    if found.detached:
        joined = [f"{motion.skeleton.names[j]} on {motion.skeleton.names[p]}" for j, p in found.detached.items()]
        more = f" and {len(joined) - 8} more" if len(joined) > 8 else ""
        notes.append("hung where they belong, they stood outside the limb: " + ", ".join(joined[:8]) + more)
        motion, _ = attach(motion, dict(found.detached))
        found = anatomy(motion.skeleton, motion)
    sketch = draft(motion, found, config)
    sketch.notes[:0] = notes
    return sketch


def _edited(blueprint: Blueprint, edits: RigEdits, config: RigConfig) -> tuple[Blueprint, Character]:
    blueprint = edit(blueprint, edits)
    blueprint, character = clear_rest(blueprint, thin=False)
    blueprint = weighed(stand(blueprint), edits.density or config.density, edits.mass_kg or config.mass)
    return edited_masses(blueprint, edits), character


def _stretch_line(stretch: dict[str, float]) -> list[str]:
    if not stretch:
        return []
    worst = sorted(stretch.items(), key=lambda item: -item[1])
    shown = ", ".join(f"{n} {mm:.0f} mm" for n, mm in worst[:8]) + (f" and {len(worst) - 8} more" if len(worst) > 8 else "")
    return [f"bones that stretch in the clip, held at one length (on a 1.7 m body): {shown}"]


def _lifted(motion: Motion, lift: float) -> Array:
    translations = np.array(motion.translations)
    translations[:, list(motion.skeleton.roots), 2] += lift
    return translations


def _first_pose(character: Character, qpos: Array, lowest: float) -> tuple[Array, dict[str, Array]]:
    """The first frame as a key pose of the character, its feet on the ground though the clip may start in the air."""
    positions, rotations = character.world(qpos[None])
    return positions[0, 0] - [0.0, 0.0, lowest], dict(zip(character.skeleton.names, rotations[0], strict=True))
