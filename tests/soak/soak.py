"""Runs `tests.soak.work`, kills it at random times and lets it go on, until as many kills are done as asked for."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[2]


@dataclass
class Report:
    """What became of it."""

    kills: int = 0
    during_writes: int = 0
    """Kills that left a half-written file behind."""
    finished: int = 0
    """Runs that reached their end."""
    different: list[str] = field(default_factory=list)
    """What went wrong, a line each."""
    seconds: float = 0.0

    @property
    def line(self) -> str:
        ends = "the same bytes at every end" if not self.different else f"{len(self.different)} faults"
        return f"soak: {self.kills} kills ({self.during_writes} amid a write), {self.finished} runs finished, {ends}, {self.seconds:.0f} s"


def started(folder: Path, steps: int, pause: float) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "tests.soak.work", str(folder), str(steps), str(pause)]
    return subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def ended(process: subprocess.Popen[bytes]) -> str:
    """What a process said at its end, empty when all was well."""
    _, said = process.communicate()
    return "" if process.returncode == 0 else (said.decode("utf-8", "replace").strip().splitlines() or ["?"])[-1]


def soak(folder: Path, kills: int, steps: int, pause: float, seed: int = 0, tell: Callable[[str], None] | None = None) -> Report:
    """Kill a run of `steps` steps that take a little over `pause` seconds each, `kills` times."""
    report, began, rng = Report(), time.monotonic(), np.random.default_rng(seed)
    before = time.monotonic()
    wrong = ended(started(folder / "whole", steps, pause))
    if wrong:
        report.different.append(f"uninterrupted: {wrong}")
        return report
    whole = time.monotonic() - before
    wanted = (folder / "whole" / "result.zip").read_bytes()
    if tell is not None:
        tell(f"soak: uninterrupted {whole:.1f} s, {len(wanted)} bytes")
    shortest = time.monotonic()
    subprocess.run([sys.executable, "-c", "import tests.soak.work"], cwd=ROOT, check=True)
    shortest = time.monotonic() - shortest
    run = 0
    while report.kills < kills or run == report.finished:
        name = folder / f"killed-{run}"
        process = started(name, steps, pause)
        if report.kills < kills:
            share = whole / (kills + 1) if kills < 20 else 2.0 * whole / kills
            try:
                process.wait(shortest * rng.uniform(0.7, 1.0) + rng.uniform(0.0, 2.0 * share))
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
                report.kills += 1
                report.during_writes += bool(list(name.glob(".*.part")))
                continue
        wrong = ended(process)
        result = name / "result.zip"
        if wrong or not result.exists() or result.read_bytes() != wanted:
            report.different.append(f"run {run} after {report.kills} kills: {wrong or 'another result'}")
        shutil.rmtree(name)
        report.finished += 1
        if report.kills < kills:
            run += 1
    report.seconds = time.monotonic() - began
    return report
