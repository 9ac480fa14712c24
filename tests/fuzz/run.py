"""Drives workers over the cases of a format, and restarts one that dies, hangs or grows."""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from tests.fuzz.formats import FORMATS
from tests.fuzz.worker import case

PATIENCE = 30.0
"""Wall-clock seconds for one case, long because machines are shared; the limit itself counts processor time, in the worker."""
AT_ONCE = 200


@dataclass
class Report:
    """What became of the cases of one format."""

    name: str
    read: int = 0
    refused: int = 0
    faults: list[tuple[int, str]] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def line(self) -> str:
        total = self.read + self.refused + len(self.faults)
        return f"{self.name:10} {total:7} files: {self.read} read, {self.refused} refused, {len(self.faults)} faults, {self.seconds:.0f} s"


class Worker:
    """One process that reads."""

    def __init__(self, name: str, seed: int) -> None:
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "2"}
        root = Path(__file__).parents[2]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.fuzz.worker", name, str(seed)],
            cwd=root,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self.pending = b""
        if self.answer(120.0) != "ready":
            self.stop()
            raise RuntimeError(f"the worker for {name} does not start: one of its seeds is not read.")

    def ask(self, first: int, last: int) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{first} {last}\n".encode())
        self.process.stdin.flush()

    def answer(self, timeout: float) -> str | None:
        """The next line; None when the process died; "" when it was silent too long."""
        assert self.process.stdout is not None
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            end = time.monotonic() + timeout
            while b"\n" not in self.pending:
                if not selector.select(max(0.0, end - time.monotonic())):
                    return ""
                part = os.read(self.process.stdout.fileno(), 65536)
                if not part:
                    return None
                self.pending += part
        line, self.pending = self.pending.split(b"\n", 1)
        return line.decode()

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()


def fuzz(name: str, number: int, seed: int = 0, first: int = 0) -> Report:
    """Cases `first` to `first + number` of a format."""
    report, began = Report(name), time.monotonic()
    worker = Worker(name, seed)
    index, end = first, first + number
    try:
        while index < end:
            last = min(index + AT_ONCE, end)
            worker.ask(index, last)
            while index < last:
                line = worker.answer(PATIENCE)
                if not line:
                    status = worker.process.poll() if line == "" else worker.process.wait(10)
                    report.faults.append((index, f"more than {PATIENCE:.0f} s" if line == "" else f"the process died ({status})"))
                    index += 1
                    worker.stop()
                    worker = Worker(name, seed)
                    break
                said = line.split(" ", 1)[1]
                if said == "read":
                    report.read += 1
                elif said == "refused":
                    report.refused += 1
                else:
                    report.faults.append((index, json.loads(said)["fault"]))
                    if "MB" in report.faults[-1][1] or "MemoryError" in report.faults[-1][1]:  # its peak stays
                        index += 1
                        worker.stop()
                        worker = Worker(name, seed)
                        break
                index += 1
    finally:
        worker.stop()
    report.seconds = time.monotonic() - began
    return report


def keep(report: Report, seed: int, folder: Path) -> list[Path]:
    """Write the bytes of the faults, each beside its story."""
    kind = FORMATS[report.name]()
    folder.mkdir(parents=True, exist_ok=True)
    out = []
    for index, story in report.faults:
        path = folder / f"{report.name}-{seed}-{index}.bin"
        path.write_bytes(case(report.name, seed, index, kind))
        path.with_suffix(".txt").write_text(story, encoding="utf-8")
        out.append(path)
    return out
