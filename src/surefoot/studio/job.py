"""A piece of work under way in a process of its own: started, watched, stopped, its result taken.

Whoever asks sees one immutable `Report`. `stop` asks for the best so far; a worker that does not answer within `PATIENCE` is ended.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from surefoot.bundle import Bundle, encode, load
from surefoot.errors import SurefootError, one_line
from surefoot.motion.files import atomic_write
from surefoot.motion.limits import read_bytes
from surefoot.studio.fields import plain
from surefoot.studio.work import Kind

Array = NDArray[np.float64]
State = Literal["running", "stopping", "done", "failed"]

PATIENCE = 60.0
"""Seconds that a worker may take to hand back its best once it was stopped."""
MAX_BEST = 64 * 2**20
"""Bytes of a move."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Report:
    """How a job stands."""

    state: State = "running"
    part: float = 0.0
    said: str = "starting"
    best: Array | None = None  # (T, nq)
    """The best move so far."""
    ghost: Array | None = None  # (T, nq)
    """What it is to become; None where that is what was on stage."""
    frame_time: float = 0.0
    result: Bundle | None = None
    error: str = ""

    @property
    def over(self) -> bool:
        return self.state in ("done", "failed")


class Job:
    """One piece of work on one bundle."""

    def __init__(self, kind: Kind, config: Any, bundle: Bundle) -> None:
        self.kind, self.bundle = kind, bundle
        self.report = Report()
        self._began = time.monotonic()
        self._lock = threading.Lock()
        self._folder = Path(tempfile.mkdtemp(prefix="surefoot-job-"))
        try:
            atomic_write(self._folder / "in.surefoot", encode(bundle))
            atomic_write(self._folder / "job.json", json.dumps({"kind": kind.name, "config": plain(config)}).encode())
            self._process = subprocess.Popen(
                [sys.executable, "-m", "surefoot.studio.worker", str(self._folder)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
                start_new_session=True,  # Ctrl-C is for the studio, which ends it
            )
        except BaseException:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise
        self._thread = threading.Thread(target=self._listen, name="studio job", daemon=True)
        self._thread.start()

    @property
    def seconds(self) -> float:
        """Since it began."""
        return time.monotonic() - self._began

    def stop(self) -> None:
        """Ask for the best so far."""
        with self._lock:
            if self.report.over or self.report.state == "stopping":
                return
            self.report = replace(self.report, state="stopping")
        self._ask()
        threading.Thread(target=self._lose_patience, daemon=True).start()

    def close(self) -> None:
        """End it at once; nothing is kept."""
        with contextlib.suppress(OSError):
            self._process.kill()
        self._thread.join(timeout=5.0)

    def _ask(self) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(OSError, ValueError):
            self._process.stdin.write("stop\n")
            self._process.stdin.flush()

    def _lose_patience(self) -> None:
        self._thread.join(timeout=PATIENCE)
        if self._thread.is_alive():
            with contextlib.suppress(OSError):
                self._process.kill()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        error = ""
        last: dict[str, Any]
        try:
            for line in self._process.stdout:
                with contextlib.suppress(ValueError):
                    said = json.loads(line)
                    error = said.get("error", "") or error
                    if "part" in said:
                        self._heard(said)
            code = self._process.wait()
            if not error and not (self._folder / "out.surefoot").exists():
                stopped = self.report.state == "stopping"
                error = "it was ended before there was a result" if stopped else f"its process ended with code {code}"
            if error:
                last = {"state": "failed", "error": one_line(error, 300)}
            else:
                last = {"state": "done", "part": 1.0, "result": load(self._folder / "out.surefoot")}
        except SurefootError as fault:
            last = {"state": "failed", "error": str(fault)}
        for pipe in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):
                assert pipe is not None
                pipe.close()
        shutil.rmtree(self._folder, ignore_errors=True)
        self._set(**last)

    def _heard(self, said: dict[str, Any]) -> None:
        changes: dict[str, Any] = {"part": min(max(float(said["part"]), 0.0), 1.0), "said": one_line(str(said["said"]), 200)}
        if said.get("frame_time"):
            with contextlib.suppress(SurefootError, ValueError, OSError):
                changes["best"] = self._poses("best")
                changes["ghost"] = self._poses("ghost") if (self._folder / "ghost.npy").exists() else None
                changes["frame_time"] = float(said["frame_time"])
        self._set(**changes)

    def _poses(self, name: str) -> Array:
        data = read_bytes(self._folder / f"{name}.npy", MAX_BEST)
        return np.asarray(np.load(io.BytesIO(data), allow_pickle=False), dtype=float)

    def _set(self, **changes: Any) -> None:
        with self._lock:
            self.report = replace(self.report, **changes)
