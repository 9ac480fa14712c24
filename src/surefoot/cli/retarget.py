"""`surefoot retarget`."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import numpy as np
from tyro.conf import Positional, arg

from surefoot.character.retarget import RetargetConfig
from surefoot.cli.flags import Common
from surefoot.cli.output import Output, check_out
from surefoot.cli.reading import Casting, Keeping, Reading, character, motion, without_leading_rest
from surefoot.motion.files import WRITTEN


@dataclass(frozen=True, kw_only=True)
class Command(Casting, Keeping, Reading, Common):
    """A motion onto another body: limbs matched by geometry and names, planted feet kept, nothing in the ground.

    The matching is printed. To override it, write the lines that are wrong into a text file, "source joint -> body".

    Examples:
      surefoot retarget walk.bvh --character humanoid --out walk.glb
      surefoot retarget trex.glb#Run --character dinosaur.xml --out run.bvh
      surefoot retarget walk.bvh --character humanoid --matching pairs.txt --out walk.npz
    """

    file: Annotated[Positional[str], arg(metavar="MOTION")]
    """The motion: FILE, FILE#CLIP, or a built-in one as humanoid/walk."""
    character: Annotated[str, arg(metavar="FILE.xml|NAME")]
    """The body it goes to: an MJCF file, or the name of a built-in character."""
    out: Annotated[Path, arg(metavar="FILE")]
    """Where the motion on the character's skeleton goes; the suffix (.bvh, .glb or .npz) decides the format."""
    matching: Annotated[Path | None, arg(metavar="FILE.txt")] = None
    """Lines "source joint -> body" that override the matching; "- -> body" leaves a body at rest."""
    config: Annotated[RetargetConfig, arg(name="")] = field(default_factory=RetargetConfig)

    def run(self) -> None:
        from surefoot.character.retarget import retarget
        from surefoot.motion.files import write_motion

        output = Output(self.json)
        check_out(self.out, WRITTEN, "a motion")
        body = character(self.character, self.trust_files)
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
