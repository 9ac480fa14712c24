"""`surefoot bench`."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated

from tyro.conf import Positional, arg

from surefoot.cli.flags import Common
from surefoot.cli.output import Output
from surefoot.errors import InputError, unknown_name

BENCHMARKS = {"engine": "physics through the engine beside MuJoCo's own batch, on the same states"}
CHARACTERS = ("humanoid", "deepmimic", "dinosaur")


@dataclass(frozen=True, kw_only=True)
class Command(Common):
    """Speed, with the raw engine measured in the same run.

    Examples:
      surefoot bench engine
      surefoot bench engine --json -
    """

    name: Annotated[Positional[str], arg(metavar="NAME")]
    """What to measure: engine."""
    simulations: int = 256
    """How many run side by side."""
    pairs: int = 135
    """Measurements of each character, a period of 0.1 s with and one without the engine; the median counts."""

    def run(self) -> None:
        import platform
        import time

        from surefoot import doctor
        from surefoot.character import builtin
        from surefoot.physics.benchmark import measure
        from surefoot.physics.variation import processors

        if self.name not in BENCHMARKS:
            raise unknown_name("benchmark", self.name, BENCHMARKS)
        if not 1 <= self.simulations <= 100_000:
            raise InputError(f"--simulations {self.simulations}: expected 1 to 100000.")
        if not 1 <= self.pairs <= 1000:
            raise InputError(f"--pairs {self.pairs}: expected 1 to 1000.")
        output = Output(self.json)
        began = time.perf_counter()
        rows = []
        output.say(f"{'character':<12}{'simulations':>12}{'threads':>9}{'bare steps/s':>15}{'engine steps/s':>16}{'ratio':>8}")
        for name in CHARACTERS:
            if name not in builtin.names():
                output.note(f"there is no built-in character '{name}'; it is left out.")
                continue
            row = measure(
                name, builtin.builtin(name), num_simulations=self.simulations, threads=self.threads, pairs=self.pairs, seed=self.seed
            )
            rows.append(row)
            output.say(
                f"{row.character:<12}{row.num_simulations:>12}{row.threads:>9}{row.bare_steps_per_s:>15,.0f}"
                f"{row.engine_steps_per_s:>16,.0f}{row.ratio:>8.3f}"
            )
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
