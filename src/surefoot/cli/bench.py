"""`surefoot bench`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from tyro.conf import Positional, arg

from surefoot.cli.flags import Common
from surefoot.cli.output import Output
from surefoot.errors import InputError, unknown_name
from surefoot.reconstruct import ReconstructConfig

if TYPE_CHECKING:
    from surefoot.character.character import Character

BENCHMARKS = {
    "engine": "physics through the engine beside MuJoCo's own batch, on the same states",
    "player": "one character played live and recorded, on one core",
    "evaluate": "episodes under a policy, judged, beside MuJoCo's own batch",
    "samcon": "clips reconstructed by basic and improved sampling: success, errors, cost, and speed beside MuJoCo's own batch",
}
CHARACTERS = ("humanoid", "deepmimic", "dinosaur")
MANY = 600.0
"""Seconds that a whole benchmark may take."""


@dataclass(frozen=True, kw_only=True)
class Command(Common):
    """Speed, with the raw engine measured in the same run.

    Examples:
      surefoot bench engine
      surefoot bench player
      surefoot bench evaluate --json -
      surefoot bench samcon --motions clips --keep samcon.jsonl --seeds 3
    """

    name: Annotated[Positional[str], arg(metavar="NAME")]
    """What to measure: engine, player, evaluate or samcon."""
    simulations: int = 256
    """How many run side by side."""
    pairs: int = 135
    """Measurements of each character, a stretch with and one without our code; the median counts."""

    motions: Annotated[Path | None, arg(metavar="DIR")] = None
    """samcon: the folder with deepmimic/ and cmu_bvh/; our own clips when it is not given."""
    clips: Annotated[str | None, arg(metavar="A,B,...")] = None
    """samcon: only clips whose names contain one of these."""
    methods: str = "basic,improved"
    """samcon: which methods."""
    seeds: int = 1
    """samcon: how many, from 0 on."""
    keep: Annotated[Path | None, arg(metavar="FILE.jsonl")] = None
    """samcon: where rows are kept; those it holds already are not measured again."""
    share: Annotated[str, arg(metavar="I/N")] = "0/1"
    """samcon: measure every N-th row from the I-th on, so that several processes share the work."""
    config: Annotated[ReconstructConfig, arg(name="")] = field(default_factory=ReconstructConfig)

    def run(self) -> None:
        if self.name == "samcon":
            return self._samcon()
        return self._speed()

    def _samcon(self) -> None:
        """Reconstruct clip after clip."""
        import platform

        from surefoot import doctor
        from surefoot.errors import one_line
        from surefoot.physics.variation import processors
        from surefoot.reconstruct.benchmark import Row, bench, summary, tasks
        from surefoot.reconstruct.escalate import METHODS

        output = Output(self.json)
        methods = tuple(self.methods.split(","))
        for method in methods:
            if method not in METHODS:
                raise unknown_name("method", method, METHODS)
        if not 1 <= self.seeds <= 1000:
            raise InputError(f"--seeds {self.seeds}: expected 1 to 1000.")
        match = re.fullmatch(r"(\d{1,4})/([1-9]\d{0,3})", self.share)
        if match is None or int(match[1]) >= int(match[2]):
            raise InputError(f"--share {self.share}: expected I/N with I below N, as 0/2.")
        known = tasks(self.motions)
        parts = None if self.clips is None else self.clips.split(",")
        chosen = [task for task in known if parts is None or any(part in task.name for part in parts)]
        if not chosen:
            raise unknown_name("clip", str(self.clips), [task.name for task in known])
        rows: list[Row] = []
        share = int(match[1]), int(match[2])
        work = bench(chosen, methods, tuple(range(self.seeds)), self.config, threads=self.threads or 1, file=self.keep, share=share)
        for row, new in work:
            if not rows:
                heading = f"{'clip':<30}{'method':<10}{'seed':>5}{'ok':>4}{'mm':>6}{'height':>8}{'turn':>6}{'jerk':>11}{'Msteps':>8}"
                output.say(f"{heading}{'core s/s':>10}{'ratio':>7}")
            line = f"{one_line(row.clip, 28):<30}{row.method:<10}{row.seed:>5}{'yes' if row.success else 'no':>4}{row.mpjpe_mm:>6.0f}"
            line += f"{row.root_height_error_m:>8.2f}{row.root_rotation_error_rad:>6.2f}{row.jerk:>11.3g}{row.physics_steps / 1e6:>8.2f}"
            output.say(f"{line}{row.core_s_per_s:>10.1f}{row.ratio:>7.2f}{'' if new else '  (kept)'}")
            rows.append(row)
        found = summary(rows)
        for method, figures in found.items():
            if method in METHODS:
                told = ", ".join(f"{k.replace('_', ' ')} {v:.3g}" for k, v in figures.items() if v is not None)
                output.say(f"{method}: {told}")
        smooth = list(found["jerk_improved_over_basic"].values())
        if smooth:
            output.say(
                f"jerk of improved over basic, same clip and seed: median {sorted(smooth)[len(smooth) // 2]:.2f}, most {max(smooth):.2f}"
            )
        machine = {"system": platform.system(), "machine": platform.machine(), "processors": processors()}
        values = {"rows": [asdict(row) for row in rows], "summary": found, "machine": machine}
        output.result({**values, "versions": doctor.versions(), "seed": self.seed})

    def _speed(self) -> None:
        """The benchmarks that pair a stretch of ours with a bare one."""
        import platform
        import time

        from surefoot import doctor
        from surefoot.character import builtin
        from surefoot.physics.variation import processors

        if self.name not in BENCHMARKS:
            raise unknown_name("benchmark", self.name, BENCHMARKS)
        if not 1 <= self.simulations <= 100_000:
            raise InputError(f"--simulations {self.simulations}: expected 1 to 100000.")
        if not 1 <= self.pairs <= 1000:
            raise InputError(f"--pairs {self.pairs}: expected 1 to 1000.")
        output = Output(self.json)
        began = time.perf_counter()
        rows: list[Any] = []
        for name in CHARACTERS:
            if name not in builtin.names():
                output.note(f"there is no built-in character '{name}'; it is left out.")
                continue
            for row in self._rows(name, builtin.builtin(name), output):
                if not rows:
                    output.say("".join(_cell(column, column) for column in _columns(row)))
                output.say("".join(_cell(column, value) for column, value in _columns(row).items()))
                rows.append(row)
        machine = {"system": platform.system(), "machine": platform.machine(), "processors": processors()}
        output.result(
            {
                "rows": [asdict(row) for row in rows],
                "machine": machine,
                "versions": doctor.versions(),
                "seed": self.seed,
                "wall_s": time.perf_counter() - began,
            }
        )

    def _rows(self, name: str, character: Character, output: Output) -> Iterator[Any]:
        """The rows of one character, as they are measured."""
        from surefoot.physics.benchmark import measure
        from surefoot.play.benchmark import feedback, measure_evaluate, measure_player, swaying
        from surefoot.policy import track

        share = MANY / (len(CHARACTERS) + 1)  # the rest is for making what is measured
        many: dict[str, Any] = {"num_simulations": self.simulations, "threads": self.threads}
        if self.name == "engine":
            yield measure(name, character, **many, pairs=self.pairs, seed=self.seed, budget_s=share)
        elif self.name == "player":
            yield measure_player(name, character, pairs=self.pairs, budget_s=share)
        else:
            reference = swaying(character)
            for policy in (track(character, reference), feedback(reference)):
                yield measure_evaluate(name, character, policy, **many, pairs=self.pairs, budget_s=share / 2.0)


def _columns(row: Any) -> dict[str, Any]:
    """What of a row is shown, under headings."""
    shown = {"num_simulations": "simulations", "times_real_time": "x real time", "bare_times_real_time": "bare x real time"}
    values = {name: value for name, value in asdict(row).items() if not isinstance(value, tuple)}
    return {shown.get(name, name.replace("_per_s", "/s").replace("_", " ")): value for name, value in values.items()}


def _cell(column: str, value: Any) -> str:
    if isinstance(value, float):
        value = f"{value:.3f}" if column == "ratio" else f"{value:,.0f}"
    width = max(len(column), 12) + 2
    return f"{value:<{width}}" if column in ("character", "policy") else f"{value:>{width}}"
