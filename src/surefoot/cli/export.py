"""`surefoot export`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from tyro.conf import Positional, arg

from surefoot.cli.flags import Common
from surefoot.cli.output import Output, check_out
from surefoot.cli.reading import Keeping, Reading, bundle, is_bundle, motion
from surefoot.motion.files import WRITTEN
from surefoot.motion.motion import Motion


@dataclass(frozen=True, kw_only=True)
class Command(Keeping, Reading, Common):
    """A motion in another format, every joint, name and frame of it; or what a bundle's character did in the simulation.

    A bundle's performance is written on the skeleton that it was rigged from, so that the rig it came from takes it: .bvh, .npz, or .glb,
    where the source's own file comes back with its mesh and one more clip, the first. To .json goes a learned skill itself, with all that
    another program needs to run it (docs/bundles.md).

    Examples:
      surefoot export walk.bvh --out walk.glb
      surefoot export fox.glb#Run --out run.bvh
      surefoot export 02_01.amc --skeleton 02.asf --out walk.npz
      surefoot export walk.surefoot --out walk.glb
      surefoot export walk.surefoot --out policy.json
    """

    file: Annotated[Positional[str], arg(metavar="MOTION|X.surefoot")]
    """The motion (FILE, FILE#CLIP, or a built-in one as humanoid/walk) or the bundle."""
    out: Annotated[Path, arg(metavar="FILE")]
    """Where it goes; the suffix (.bvh, .glb, .npz; .json for a learned skill) decides the format."""

    def run(self) -> None:
        from surefoot.motion.files import write_motion

        output = Output(self.json)
        if self.out.suffix.lower() == ".json" and is_bundle(self.file):
            self._policy(output)
            return
        check_out(self.out, WRITTEN, "a motion")
        if is_bundle(self.file):
            self._bundle(output)
            return
        read = motion(self.file, self.options(), output)
        write_motion(read, self.out)
        output.say(f"wrote {self.out}: {read.num_frames} frames of {read.skeleton.num_joints} joints at {read.fps:.6g} a second")
        self._remind(read, output)
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

    def _remind(self, written: Motion, output: Output) -> None:
        from surefoot.motion.bvh_frame import reminder

        if self.out.suffix.lower() == ".bvh" and (said := reminder(written)):
            output.note(said)

    def _policy(self, output: Output) -> None:
        from surefoot.bundle.portable import write_portable

        check_out(self.out, (".json",), "a skill")
        made = bundle(self.file, self.options())
        write_portable(made, self.out)
        output.say(f"wrote {self.out}: {made.numbers} numbers, the model and what they mean; examples/05_a_skill_in_numpy.py runs it")
        output.result({"out": str(self.out), "name": made.name, "numbers": made.numbers, "policy": made.policy.kind, "seed": self.seed})

    def _bundle(self, output: Output) -> None:
        from dataclasses import replace

        from surefoot.bundle import export

        made = bundle(self.file, replace(self.options(), fps=None))
        done = export(made, self.out, fps=self.fps)
        written = done.motion
        where = "into the source's own file, beside its mesh" if done.in_source else "on the source's skeleton"
        output.say(f"wrote {self.out}: {written.num_frames} frames of {written.skeleton.num_joints} joints at {written.fps:.6g} a second")
        output.say(f"  the clip '{done.clip}', {where if done.on_source else 'on the skeleton of the character'}")
        self._remind(written, output)
        output.result(
            {
                "out": str(self.out),
                "clip": done.clip,
                "frames": written.num_frames,
                "fps": written.fps,
                "duration_s": written.duration,
                "joints": list(written.skeleton.names),
                "on_source": done.on_source,
                "in_source": done.in_source,
                "guesses": [],
                "warnings": [],
                "seed": self.seed,
            }
        )
