"""`surefoot reconstruct`."""

from __future__ import annotations

import shutil
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated

from tyro.conf import Positional, arg

from surefoot.cli.flags import Common
from surefoot.cli.output import Output, check_out
from surefoot.cli.reading import Casting, Keeping, Reading, sourced, without_leading_rest
from surefoot.cli.reading import character as character_named
from surefoot.cli.scenes import scene_of
from surefoot.reconstruct import ReconstructConfig


@dataclass(frozen=True, kw_only=True)
class Command(Casting, Keeping, Reading, Common):
    """A simulated character performs a clip, open loop: on its own skeleton or on another body, on flat or on other ground.

    It begins with the cheapest method and goes on to the dearer one when that fails; a clip needs no settings. Work is kept beside the
    bundle until it is done; --resume goes on with it. Exit code 1 means: tried, not performed to the end; the best found is written.

    Examples:
      surefoot reconstruct walk.bvh --out walk.surefoot
      surefoot reconstruct jump.glb#Jump --method improved --out jump.surefoot --report jump.html
      surefoot reconstruct roll.bvh --character humanoid --ground drop:1.0@0.7 --out dive.surefoot
    """

    file: Annotated[Positional[str], arg(metavar="MOTION")]
    """The motion: FILE, FILE#CLIP, or a built-in one as humanoid/walk."""
    out: Annotated[Path, arg(metavar="X.surefoot")]
    """Where the bundle goes."""
    character: Annotated[str | None, arg(metavar="FILE.xml|NAME")] = None
    """Who performs it: an MJCF file or a built-in character. By default one is rigged from the motion's own skeleton."""
    ground: Annotated[str | None, arg(metavar="KIND[:SIZE][@START]")] = None
    """Other ground: slope:DEGREES, steps:RISE@START, drop:HEIGHT@EDGE, bumps:HEIGHT, in degrees and metres along the clip's way."""
    scene: Annotated[Path | None, arg(metavar="FILE.json")] = None
    """A scene as a bundle holds it: ground, friction, obstacles, props."""
    report: Annotated[Path | None, arg(metavar="FILE.html")] = None
    """Write a page beside the bundle: pictures with the reference as a ghost, cost, error and torques over time."""
    resume: bool = False
    """Go on with work that was interrupted; the result is the same."""
    config: Annotated[ReconstructConfig, arg(name="")] = field(default_factory=ReconstructConfig)

    def run(self) -> int:
        from surefoot.bundle import SUFFIX, save
        from surefoot.bundle.reconstructed import reconstructed
        from surefoot.character.rig import RigConfig
        from surefoot.reconstruct import Told, prepare, reconstruct

        output = Output(self.json)
        check_out(self.out, (SUFFIX,), "a bundle")
        if self.report is not None:
            check_out(self.report, (".html",), "a report", "--report")
        scene = scene_of(self.ground, self.scene)
        body = None if self.character is None else character_named(self.character, self.trust_files)
        read, source = sourced(self.file, self.options(), output, sees_to=("--drop-first-frame",))
        trimmed = read if body is None else without_leading_rest(read, self, output)
        fitted = prepare(trimmed, body, RigConfig(keep_first_frame=self.keep_first_frame))
        for line in fitted.notes:
            output.say(f"  {line}")
        output.say(f"{read.name or self.file}: {fitted.reference.duration:.2f} s, {fitted.how}, {fitted.character.mass:.0f} kg")
        folder = self.out.with_name(self.out.name + ".run")
        with output.progress(f"reconstructing {self.out.stem}", 1.0) as advance:
            found = reconstruct(
                fitted,
                self.config,
                scene=scene,
                seed=self.seed,
                threads=self.threads,
                progress=Told(tell=advance),
                folder=folder,
                resume=self.resume,
            )
        made = reconstructed(read, fitted, found, source=source, scene=scene, seed=self.seed, config=asdict(self.config))
        save(made, self.out)
        shutil.rmtree(folder, ignore_errors=True)
        output.say(found.status)
        output.say(f"wrote {self.out}")
        if self.report is not None:
            from surefoot.render.report import write_report

            write_report(made, self.report)
            output.say(f"wrote {self.report}")
        return output.verdict({"out": str(self.out), "character": fitted.character.name, **found.to_json(), "seed": self.seed})
