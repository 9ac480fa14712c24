"""A few mutated files of every format; `make fuzz` reads ten thousand, or as many as NUMBER says."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from surefoot.errors import InputError
from tests.fuzz import run, worker
from tests.fuzz.formats import FORMATS, Format
from tests.fuzz.mutate import Rng

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", FORMATS)
def test_mutated_files_give_one_line_or_a_valid_motion(name: str) -> None:
    report = run.fuzz(name, 300, seed=1)
    assert report.faults == [], report.line
    assert report.refused > 0
    assert report.read > 0


@pytest.mark.parametrize("name", FORMATS)
def test_a_case_can_be_made_again(name: str) -> None:
    kind = FORMATS[name]()
    assert [worker.case(name, 3, k, kind) for k in range(5)] == [worker.case(name, 3, k, FORMATS[name]()) for k in range(5)]


@pytest.fixture
def limits() -> None:
    worker._start["kB"] = worker._peak()


def judged(read: object) -> str:
    kind = Format([b"x"], lambda data, rng, others: data, read)  # type: ignore[arg-type]
    return worker.verdict("x", 0, 0, kind, b"x")


def test_a_fault_is_seen_whatever_it_is(limits: None) -> None:
    def wrong(data: bytes, rng: Rng) -> None:
        raise KeyError("a")

    def warns(data: bytes, rng: Rng) -> None:
        np.array([1e308]) * np.array([1e308])

    def slow(data: bytes, rng: Rng) -> None:
        end = time.process_time() + worker.SECONDS + 0.05
        while time.process_time() < end:
            pass

    def large(data: bytes, rng: Rng) -> None:
        np.ones(80_000_000)

    def refused(data: bytes, rng: Rng) -> None:
        raise InputError("no")

    assert "KeyError" in judged(wrong)
    assert "RuntimeWarning" in judged(warns)
    assert "s of processor time" in judged(slow)
    assert judged(refused) == "refused"
    assert judged(lambda data, rng: None) == "read"
    assert "MB" in judged(large)


def test_what_reaches_outside_is_seen(tmp_path: Path) -> None:
    code = (
        "import os, pathlib, subprocess, sys, tempfile\n"
        "from tests.fuzz import outside\n"
        "outside.watch()\n"
        "with tempfile.TemporaryDirectory(prefix='fuzz') as folder:\n"
        "    pathlib.Path(folder, 'a').write_text('x')\n"
        "open(os.devnull, 'w').close()\n"
        "assert outside.found() == [], outside.found()\n"
        "pathlib.Path(sys.argv[1], 'a').write_text('x')\n"
        "os.rename(sys.argv[1] + '/a', sys.argv[1] + '/b')\n"
        "subprocess.run(['true'])\n"
        "print(len(outside.found()))\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.stdout == "4\n", done.stderr


def test_a_worker_that_dies_or_hangs_is_a_fault_and_the_rest_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    class Dying(run.Worker):
        born = 0

        def __init__(self, name: str, seed: int) -> None:
            Dying.born += 1
            super().__init__(name, seed)

        def answer(self, timeout: float) -> str | None:
            line = super().answer(timeout)
            if Dying.born == 1 and line is not None and line.startswith("3 "):
                self.process.kill()
                return None
            return "" if Dying.born == 2 and line is not None and line.startswith("5 ") else line

    monkeypatch.setattr(run, "Worker", Dying)
    report = run.fuzz("quadruped", 10)
    assert [index for index, _ in report.faults] == [3, 5]
    assert "died" in report.faults[0][1]
    assert "more than" in report.faults[1][1]
    assert report.read + report.refused == 8
