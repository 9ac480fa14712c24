"""`surefoot export`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from tyro.conf import Positional, arg

from surefoot.cli.flags import Common
from surefoot.cli.output import Output, check_out
from surefoot.cli.reading import Keeping, Reading, motion
from surefoot.motion.files import WRITTEN


@dataclass(frozen=True, kw_only=True)
class Command(Keeping, Reading, Common):
    """A motion in another format, every joint, name and frame of it.

    Examples:
      surefoot export walk.bvh --out walk.glb
      surefoot export fox.glb#Run --out run.bvh
      surefoot export 02_01.amc --skeleton 02.asf --out walk.npz
    """

    file: Annotated[Positional[str], arg(metavar="MOTION")]
    """The motion: FILE, FILE#CLIP, or a built-in one as humanoid/walk."""
    out: Annotated[Path, arg(metavar="FILE")]
    """Where it goes; the suffix (.bvh, .glb or .npz) decides the format."""

    def run(self) -> None:
        from surefoot.motion.files import write_motion

        output = Output(self.json)
        check_out(self.out, WRITTEN, "a motion")
        read = motion(self.file, self.options(), output)
        write_motion(read, self.out)
        output.say(f"wrote {self.out}: {read.num_frames} frames of {read.skeleton.num_joints} joints at {read.fps:.6g} a second")
        for guess in read.source.guesses:
            sure = f"{100 * guess.confidence:.0f} % sure: {guess.why}"
            output.say(f"  guessed {guess.what}: {guess.value} ({sure}); override with {guess.override}")
        output.result(
            {
                "out": str(self.out),
                "clip": read.source.clip or read.name,
                "frames": read.num_frames,
                "fps": read.fps,
                "duration_s": read.duration,
                "joints": list(read.skeleton.names),
                "guesses": [vars(guess) for guess in read.source.guesses],
                "warnings": list(read.source.warnings),
                "seed": self.seed,
            }
        )
