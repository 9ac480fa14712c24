"""`surefoot bench`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any

from tyro.conf import Positional, arg

from surefoot.cli.flags import Common
from surefoot.cli.output import Output
from surefoot.errors import InputError, unknown_name

if TYPE_CHECKING:
    from surefoot.character.character import Character

BENCHMARKS = {
    "engine": "physics through the engine beside MuJoCo's own batch, on the same states",
    "player": "one character played live and recorded, on one core",
    "evaluate": "episodes under a policy, judged, beside MuJoCo's own batch",
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
    """

    name: Annotated[Positional[str], arg(metavar="NAME")]
    """What to measure: engine, player or evaluate."""
    simulations: int = 256
    """How many run side by side."""
    pairs: int = 135
    """Measurements of each character, a stretch with and one without our code; the median counts."""

    def run(self) -> None:
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
