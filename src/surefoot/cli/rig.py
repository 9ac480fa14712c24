"""`surefoot rig`."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from tyro.conf import Positional, arg

from surefoot.character.rig import RigConfig
from surefoot.cli.flags import Common
from surefoot.cli.output import Output, check_out
from surefoot.cli.reading import Reading, motion


@dataclass(frozen=True, kw_only=True)
class Command(Reading, Common):
    """A simulated character built from a motion's own skeleton, as MJCF.

    Examples:
      surefoot rig walk.bvh --out walker.xml
      surefoot rig trex.glb#Run --out trex.xml --joints hinge --mass 4000
    """

    file: Annotated[Positional[str], arg(metavar="FILE")]
    """The motion whose skeleton becomes a character: FILE, or FILE#CLIP."""
    out: Annotated[Path, arg(metavar="FILE.xml")]
    """Where the character goes."""
    config: Annotated[RigConfig, arg(name="")] = field(default_factory=RigConfig)

    def run(self) -> None:
        from surefoot.character.report import CharacterReport
        from surefoot.character.rig import rig
        from surefoot.motion.files import atomic_write

        output = Output(self.json)
        check_out(self.out, (".xml",), "a character")
        rigged = rig(motion(self.file, self.options(), output, sees_to=("--drop-first-frame",)), self.config)
        atomic_write(self.out, rigged.character.xml.encode())
        report = CharacterReport.of(rigged.character)
        output.say(report.text())
        output.say(f"wrote {self.out}")
        guesses = [vars(guess) for guess in rigged.motion.source.guesses]
        output.result({**report.to_json(), "out": str(self.out), "stretch_mm": rigged.stretch_mm, "guesses": guesses, "seed": self.seed})
