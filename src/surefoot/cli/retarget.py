"""`surefoot retarget`."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
from tyro.conf import Positional, arg

from surefoot.character.retarget import RetargetConfig
from surefoot.cli.flags import Common
from surefoot.cli.output import Output, check_out
from surefoot.cli.reading import Casting, Keeping, Reading, bundle, character, is_bundle, motion, without_leading_rest
from surefoot.errors import InputError
from surefoot.motion.files import WRITTEN

if TYPE_CHECKING:
    from surefoot.character.character import Character


@dataclass(frozen=True, kw_only=True)
class Command(Casting, Keeping, Reading, Common):
    """A motion onto another body: limbs matched by geometry and names, planted feet kept, nothing in the ground.

    The matching is printed. To override it, write the lines that are wrong into a text file, "source joint -> body".
    A learned skill goes onto a body with the same joints and other measures, its feedback with it; learning may go on from there.

    Examples:
      surefoot retarget walk.bvh --character humanoid --out walk.glb
      surefoot retarget trex.glb#Run --character dinosaur.xml --out run.bvh
      surefoot retarget walk.bvh --character humanoid --matching pairs.txt --out walk.npz
      surefoot retarget walk.surefoot --proportions longer.json --out longer.surefoot
    """

    file: Annotated[Positional[str], arg(metavar="MOTION|X.surefoot")]
    """The motion: FILE, FILE#CLIP, or a built-in one as humanoid/walk; or the bundle of a learned skill."""
    character: Annotated[str | None, arg(metavar="FILE.xml|NAME")] = None
    """The body it goes to: an MJCF file, or the name of a built-in character. A skill's own body, changed by --proportions, needs none."""
    out: Annotated[Path, arg(metavar="FILE")]
    """Where the motion on the character's skeleton goes; the suffix (.bvh, .glb or .npz) decides the format; .surefoot for a skill."""
    proportions: Annotated[Path | None, arg(metavar="FILE.json")] = None
    """Make bones longer and segments heavier first: {"lengths": {"left_knee": 1.2}, "masses": {"chest": 1.3}}; both sides alike."""
    matching: Annotated[Path | None, arg(metavar="FILE.txt")] = None
    """Lines "source joint -> body" that override the matching; "- -> body" leaves a body at rest."""
    config: Annotated[RetargetConfig, arg(name="")] = field(default_factory=RetargetConfig)

    def run(self) -> None:
        from surefoot.character.retarget import retarget
        from surefoot.motion.files import write_motion

        output = Output(self.json)
        if is_bundle(self.file):
            self._skill(output)
            return
        check_out(self.out, WRITTEN, "a motion")
        if self.character is None:
            raise InputError("retarget: a motion goes onto a body: name it with --character, an MJCF file or a built-in one.")
        body = self._changed(character(self.character, self.trust_files))
        read = motion(self.file, self.options(), output, sees_to=("--drop-first-frame",))
        read = without_leading_rest(read, self, output)
        found = retarget(read, body, self.config, self.matching)
        write_motion(found.motion, self.out)
        lines = found.matching.lines()
        output.say(f"{read.name or self.file} onto {body.name}")
        output.say("\n".join(f"  {line}" for line in (*lines, *found.notes)))
        output.say("mean distance from the target:")
        output.say("\n".join(f"  {name}: {1e3 * distance:.0f} mm" for name, distance in found.residuals.items()))
        output.say(f"wrote {self.out}")
        output.result(
            {
                "out": str(self.out),
                "character": body.name,
                "clip": read.source.clip or read.name,
                "frames": found.motion.num_frames,
                "fps": found.motion.fps,
                "duration_s": found.motion.duration,
                "residuals_mm": {name: 1e3 * distance for name, distance in found.residuals.items()},
                "residual_mean_mm": 1e3 * float(np.mean(list(found.residuals.values()))),
                "drivers": dict(found.matching.drivers),
                "matching": lines,
                "notes": list(found.notes),
                "warnings": list(read.source.warnings),
                "guesses": [vars(guess) for guess in read.source.guesses],
                "seed": self.seed,
            }
        )

    def _skill(self, output: Output) -> None:
        from surefoot.bundle import SUFFIX, save
        from surefoot.bundle.carried import carried_bundle

        check_out(self.out, (SUFFIX,), "a skill")
        made = bundle(self.file, self.options())
        if self.character is None and self.proportions is None:
            raise InputError("retarget: say onto which body the skill goes: --character FILE.xml, or its own with --proportions FILE.json.")
        body = self._changed(made.character if self.character is None else character(self.character, self.trust_files))
        found = carried_bundle(made, body)
        save(found, self.out)
        sizes = [f"{one.name} ({one.mass:.0f} kg, {one.height:.2f} m)" for one in (made.character, body)]
        output.say(f"{made.name}: from {sizes[0]} onto {sizes[1]}")
        output.say(f"wrote {self.out}; nobody has judged it yet: surefoot evaluate {self.out}")
        output.result(
            {
                "out": str(self.out),
                "name": found.name,
                "character": body.name,
                "mass_kg": body.mass,
                "height_m": body.height,
                "numbers": found.numbers,
                "seed": self.seed,
            }
        )

    def _changed(self, body: Character) -> Character:
        """The body with the proportions that are asked for."""
        from surefoot.character.changed import changed, read_proportions

        return body if self.proportions is None else changed(body, read_proportions(self.proportions))
