"""`surefoot learn`."""

from __future__ import annotations

import shutil
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from tyro.conf import Positional, arg

from surefoot.cli.flags import Common
from surefoot.cli.output import Output, check_out
from surefoot.cli.reading import Keeping, Reading, bundle, is_bundle, sourced, without_leading_rest
from surefoot.cli.reading import character as character_named
from surefoot.errors import InputError
from surefoot.feedback.guided import GuidedConfig

if TYPE_CHECKING:
    from surefoot.character.character import Character
    from surefoot.motion.motion import Motion


@dataclass(frozen=True, kw_only=True)
class Command(Keeping, Reading, Common):
    """A clip becomes a skill: feedback that keeps a simulated character on its feet, learned by sampling; a few thousand numbers.

    Whether the clip is a cycle or ends is decided from it and said. Ctrl-C keeps the best so far; work is kept beside the bundle until it
    is done, and --resume goes on with it to the same result. Exit code 1 means: learned, but too many episodes fall; the best is written.

    Examples:
      surefoot learn humanoid/walk --out walk.surefoot
      surefoot learn run.bvh --out run.surefoot
      surefoot learn kick.bvh --cycle --character humanoid --out kick.surefoot
    """

    file: Annotated[Positional[str], arg(metavar="MOTION|X.surefoot")]
    """The motion (FILE, FILE#CLIP, or a built-in one as humanoid/walk), or the bundle of a reconstruction."""
    out: Annotated[Path, arg(metavar="Y.surefoot")]
    """Where the bundle goes."""
    method: Literal["guided"] = "guided"
    """How it is learned."""
    cycle: bool = False
    """The clip repeats, whatever it looks like."""
    once: bool = False
    """The clip ends and is held, whatever it looks like."""
    character: Annotated[str | None, arg(metavar="FILE.xml|NAME")] = None
    """Who performs it: an MJCF file or a built-in character. By default one is rigged from the motion's own skeleton."""
    resume: bool = False
    """Go on with work that was interrupted; the result is the same."""
    config: Annotated[GuidedConfig, arg(name="")] = field(default_factory=GuidedConfig)

    def __post_init__(self) -> None:
        Common.__post_init__(self)
        if self.cycle and self.once:
            raise InputError("--cycle and --once contradict each other; give one of them, or neither.")

    def run(self) -> int:
        from surefoot.bundle import SUFFIX, save
        from surefoot.bundle.learned import judged, learned_bundle
        from surefoot.character.rig import RigConfig
        from surefoot.feedback.decide import decide
        from surefoot.feedback.learn import learn
        from surefoot.reconstruct.prepare import prepare

        output = Output(self.json)
        check_out(self.out, (SUFFIX,), "a bundle")
        read, source, body = self._given(output)
        decision = decide(read, "cycle" if self.cycle else "once" if self.once else "auto")
        fitted = prepare(decision.motion, body, RigConfig(keep_first_frame=True))
        output.say(f"{read.name or self.file}: {decision.why}")
        output.say(f"{fitted.character.name}, {fitted.character.mass:.0f} kg, {fitted.how}")
        folder = self.out.with_name(self.out.name + ".run")
        with output.progress(f"learning {self.out.stem}", 1.0) as advance:
            found = learn(
                fitted.character,
                fitted.qpos,
                decision.motion.frame_time,
                self.config,
                repeats=decision.cycle,
                even=decision.symmetric,
                seed=self.seed,
                threads=self.threads,
                tell=advance,
                folder=folder,
                resume=self.resume,
                source=f"{read.name} {read.num_frames} {fitted.character.name}",
            )
            advance(1.0, "episodes that it never saw")
            trial, why = judged(found, seed=self.seed, threads=self.threads)
        made = learned_bundle(read, fitted, decision, found, trial, why, source=source, seed=self.seed, config=asdict(self.config))
        save(made, self.out)
        if not found.interrupted:
            shutil.rmtree(folder, ignore_errors=True)
        output.say(trial.table())
        output.say(f"{made.numbers} numbers; wrote {self.out}" + (f"; not good enough yet: {why}" if why else ""))
        values = {**trial.to_json(), **found.stats, "success": not why, "why": why, "decision": decision.why, "numbers": made.numbers}
        code = output.verdict({"out": str(self.out), "character": fitted.character.name, **values, "seed": self.seed})
        return 130 if found.interrupted else code

    def _given(self, output: Output) -> tuple[Motion, Path | bytes | None, Character | None]:
        """The clip, its file where it has one, and who is to perform it."""
        if is_bundle(self.file):
            made = bundle(self.file, self.options())
            if self.character is not None:
                raise InputError("a bundle brings its own character; leave --character out, or give the motion.")
            clip = made.character.motion(made.reference.qpos, made.reference.frame_time, name=made.name)
            return clip, None, made.character
        body = None if self.character is None else character_named(self.character)
        read, source = sourced(self.file, self.options(), output, sees_to=("--drop-first-frame",))
        return without_leading_rest(read, self, output), source, body
