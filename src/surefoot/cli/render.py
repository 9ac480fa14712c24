"""`surefoot render`."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated

from tyro.conf import Positional, arg

from surefoot.cli.flags import Common
from surefoot.cli.output import Output, check_out
from surefoot.cli.reading import Reading, motion_or_bundle
from surefoot.render import RenderConfig


@dataclass(frozen=True, kw_only=True)
class Command(Common):
    """A film or a sheet of pictures, drawn without a screen: a bundle's character beside what it was to do, or a motion.

    Examples:
      surefoot render walk.surefoot --out walk.mp4
      surefoot render walk.surefoot --out walk.gif --ghost beside --view side --slow 2
      surefoot render fox.glb#Run --out run.png --frames 8
    """

    file: Annotated[Positional[str], arg(metavar="X.surefoot|MOTION")]
    """The bundle, or a motion (FILE, FILE#CLIP, or a built-in one as humanoid/walk)."""
    out: Annotated[Path, arg(metavar="FILE")]
    """Where it goes; the suffix (.mp4, .gif or .png) decides the format."""
    clip: Annotated[str | None, arg(metavar="NAME")] = None
    """The clip, in a motion file with several; the same as FILE#NAME."""
    unit: Annotated[str | None, arg(metavar="UNIT")] = None
    """Length of one unit of a motion file: cm, m, mm, inch, foot, or a number of metres. Guessed when it is not given."""
    up: Annotated[str | None, arg(metavar="AXIS")] = None
    """A motion file's up axis: X, Y, Z, -X, -Y or -Z. Guessed when it is not given."""
    config: Annotated[RenderConfig, arg(name="")] = field(default_factory=RenderConfig)

    def run(self) -> None:
        from surefoot.render import render
        from surefoot.render.film import WRITTEN

        output = Output(self.json)
        check_out(self.out, WRITTEN, "a film")
        subject = motion_or_bundle(self.file, Reading(clip=self.clip, unit=self.unit, up=self.up).options(), output)
        with output.progress(f"drawing {self.out.name}", 1.0) as advance:
            done = render(subject, self.out, self.config, lambda k, count: advance(k / count, f"frame {k:.0f} of {count:.0f}"))
        if done.note:
            output.note(done.note)
        what = f"{done.frames} frames, {done.size[0]} x {done.size[1]}"
        rate = f" at {done.fps:g} a second" if done.fps else ""
        output.say(f"wrote {self.out}: {what}{rate}, {done.seconds:.2f} s, drawn by {done.drawn_by}")
        output.result({"out": str(self.out), **asdict(done), "seed": self.seed})
