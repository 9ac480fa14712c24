"""Flags that every command takes. This module imports little: `surefoot doctor` must run where much is broken."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from tyro.conf import arg

from surefoot.errors import InputError


@dataclass(frozen=True, kw_only=True)
class Common:
    """What every command takes."""

    seed: int = 0
    """Where random numbers start. The same seed gives the same bits, whatever the number of threads."""
    threads: int = 0
    """Processor threads for simulation; 0 takes all cores."""
    json: Annotated[str | None, arg(metavar="FILE")] = None
    """Write the result as JSON; - is standard output, with nothing else on it."""

    def __post_init__(self) -> None:
        if self.seed < 0:
            raise InputError(f"--seed {self.seed}: expected a whole number from 0 up.")
        if self.threads < 0:
            raise InputError(f"--threads {self.threads}: expected a whole number; 0 takes all cores.")
