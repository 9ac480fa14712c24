"""`surefoot rig`."""

from __future__ import annotations

import json
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
      surefoot rig walk.bvh --out walker.xml --template edits.json
      surefoot rig walk.bvh --out walker.xml --edits edits.json
    """

    file: Annotated[Positional[str], arg(metavar="FILE")]
    """The motion whose skeleton becomes a character: FILE, or FILE#CLIP."""
    out: Annotated[Path, arg(metavar="FILE.xml")]
    """Where the character goes."""
    edits: Annotated[Path | None, arg(metavar="FILE.json")] = None
    """Changes to make: bodies, shapes, joints, limits, masses, end effectors, root; delete and merge."""
    template: Annotated[Path | None, arg(metavar="FILE.json")] = None
    """Write edits that say what is there, to start from."""
    config: Annotated[RigConfig, arg(name="")] = field(default_factory=RigConfig)

    def run(self) -> None:
        from surefoot.character.report import CharacterReport
        from surefoot.character.rig import edits_template, read_edits, rig
        from surefoot.motion.files import atomic_write

        output = Output(self.json)
        check_out(self.out, (".xml",), "a character")
        if self.template is not None:
            check_out(self.template, (".json",), "a template", flag="--template")
        edits = None if self.edits is None else read_edits(self.edits)
        rigged = rig(motion(self.file, self.options(), output, sees_to=("--drop-first-frame",)), self.config, edits)
        atomic_write(self.out, rigged.character.xml.encode())
        if self.template is not None:
            atomic_write(self.template, (json.dumps(edits_template(rigged), indent=2, ensure_ascii=False) + "\n").encode())
        report = CharacterReport.of(rigged.character)
        output.say(report.text())
        output.say(f"wrote {self.out}")
        guesses = [vars(guess) for guess in rigged.motion.source.guesses]
        output.result({**report.to_json(), "out": str(self.out), "stretch_mm": rigged.stretch_mm, "guesses": guesses, "seed": self.seed})
