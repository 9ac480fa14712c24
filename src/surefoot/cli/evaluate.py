"""`surefoot evaluate`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from tyro.conf import Positional, arg

from surefoot.cli.flags import Common
from surefoot.cli.output import Output
from surefoot.cli.reading import Keeping, Reading, skill


@dataclass(frozen=True, kw_only=True)
class Command(Keeping, Reading, Common):
    """How well a skill is performed: undisturbed, from perturbed starts at all phases, and under pushes from eight sides.

    A motion is judged as it is tracked open loop. Judging is the job: the exit code is 0 whatever the verdict ("success" in the JSON).

    Examples:
      surefoot evaluate walk.surefoot
      surefoot evaluate walk.surefoot --quick
      surefoot evaluate walk.surefoot --robustness
      surefoot evaluate spinkick.surefoot --push-phase flight
      surefoot evaluate walk.surefoot --episodes 64 --no-pushes --json -
    """

    file: Annotated[Positional[str], arg(metavar="X.surefoot|MOTION")]
    """The bundle, or a motion (FILE, FILE#CLIP, or a built-in one as humanoid/walk)."""
    quick: bool = False
    """A glance: fewer and shorter episodes, four sides, pushes to 20 N."""
    episodes: int | None = None
    """Episodes from perturbed starts; 256 when it is not given."""
    seconds: float | None = None
    """How long a cycle is played [s]; 60 when it is not given."""
    no_pushes: bool = False
    """Leave out the push tolerance, which takes most of the time."""
    push_phase: Literal["any", "flight"] = "any"
    """When pushes begin: at any phase, or in flight, while nothing of the body touches anything."""
    robustness: bool = False
    """Try slopes, steps, other friction, other mass, delay, sensor noise, and turns where it can: one table of who stands."""

    def run(self) -> None:
        from dataclasses import replace

        from surefoot.doctor import versions
        from surefoot.play.evaluate import EvaluateConfig, evaluate
        from surefoot.play.trials import RobustnessConfig

        output = Output(self.json)
        bundle = skill(self.file, self, output)
        config = EvaluateConfig(pushes=not self.no_pushes, robust=RobustnessConfig() if self.robustness else None)
        config = replace(config, push=replace(config.push, begun=self.push_phase))
        config = config.quick() if self.quick else config
        if self.episodes is not None:
            config = replace(config, episodes=self.episodes)
        if self.seconds is not None:
            config = replace(config, seconds=self.seconds)
        with output.progress(f"evaluating {bundle.name}", None) as advance:
            found = evaluate(
                bundle.policy,
                bundle.reference,
                config,
                seed=self.seed,
                threads=self.threads,
                scene=bundle.scene,
                starts=bundle.starts,
                progress=lambda text: advance(0.0, text),
            )
        output.say(f"{bundle.name} ({bundle.method})")
        output.say(found.table())
        output.result({"name": bundle.name, "method": bundle.method, **found.to_json(), "versions": versions()})
