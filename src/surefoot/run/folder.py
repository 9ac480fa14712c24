"""A run folder.

    config.json       what was asked for, seed and versions included; --resume with another config is refused
    log.txt           one line an event, with wall-clock time; results never depend on it
    step-00000012.zip checkpoints: the number of steps done, JSON facts (the random state among them) and arrays; the newest two stay
    lock              held by the one process that writes

Every file but the log is written beside and renamed, so whenever the process is killed the folder holds a whole state, and going on
from it ends in the same bytes. S steps done.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from surefoot.archive import Archive, encode_json, write_archive
from surefoot.errors import InputError, one_line
from surefoot.motion.files import atomic_write
from surefoot.motion.limits import MAX_FILE_BYTES, read_bytes
from surefoot.run.lock import Lock

SCHEMA = 1
KEPT = 2
"""Checkpoints that stay; the second is for a disk that lost the first."""
CONFIG, LOG = "config.json", "log.txt"
_STEP = re.compile(r"step-(\d{8,})\.zip")


@dataclass(frozen=True, kw_only=True, eq=False)
class Checkpoint:
    """A state to go on from."""

    step: int
    """Steps done."""
    facts: dict[str, Any]
    """JSON values."""
    arrays: dict[str, NDArray]


class Run:
    """An open run folder; made by `open_run`."""

    def __init__(self, folder: Path, every_s: float) -> None:
        self.folder = folder
        self.every_s = every_s
        self.latest: Checkpoint | None = None
        """The newest whole checkpoint when the folder was opened; None at a run's beginning."""
        self._saved_at = time.monotonic()

    def log(self, text: str) -> None:
        """Add a line to the log."""
        with (self.folder / LOG).open("a", encoding="utf-8", errors="replace") as file:
            file.write(f"{time.strftime('%Y-%m-%d %H:%M:%S')} {one_line(text)}\n")

    @property
    def due(self) -> bool:
        """Whether the last checkpoint is old enough for another."""
        return time.monotonic() - self._saved_at >= self.every_s

    def checkpoint(self, step: int, facts: Mapping[str, Any], arrays: Mapping[str, NDArray]) -> None:
        """Keep the state after `step` steps; older checkpoints but one go."""
        manifest = {"schema": SCHEMA, "step": int(step), "facts": dict(facts)}
        members: dict[str, Any] = {"checkpoint.json": manifest, **{f"arrays/{name}.npy": array for name, array in arrays.items()}}
        write_archive(self.folder / f"step-{step:08d}.zip", members)
        for old in _steps(self.folder)[KEPT:]:
            old.unlink(missing_ok=True)
        self._saved_at = time.monotonic()


@contextmanager
def open_run(folder: str | Path, config: Mapping[str, Any], *, resume: bool = False, every_s: float = 10.0) -> Iterator[Run]:
    """A run folder, held by this process alone. A new one is made; one with a run in it is opened by `resume` only, under the same config.

    `every_s` is how often `Run.due` says that a checkpoint is due.
    """
    folder = Path(folder)
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder.name}: not a folder; a run needs one of its own.")
    if not folder.parent.is_dir():
        raise InputError(f"{folder}: there is no folder {folder.parent}; create it first.")
    if resume and not (folder / CONFIG).exists():
        raise InputError(f"{folder.name}: there is no run in it to resume; leave --resume out to begin one.")
    folder.mkdir(exist_ok=True)
    lock = Lock(folder)
    try:
        for left in folder.glob(".*.part"):  # of a process that was killed while it wrote
            left.unlink(missing_ok=True)
        wanted = encode_json({"schema": SCHEMA, "config": dict(config)})
        if (folder / CONFIG).exists():
            _check_config(folder, wanted, resume)
        else:
            atomic_write(folder / CONFIG, wanted)
        run = Run(folder, every_s)
        if resume:
            run.latest = _newest(run)
        elif _steps(folder):
            raise InputError(f"{folder.name}: there is a run in it; go on with --resume, or name another folder.")
        run.log(f"process {os.getpid()}: {'goes on after step ' + str(run.latest.step) if run.latest else 'begins'}")
        yield run
    finally:
        lock.release()


def _check_config(folder: Path, wanted: bytes, resume: bool) -> None:
    """An error when the folder's run was begun under another config, or is not to be gone on with."""
    have = read_bytes(folder / CONFIG, 2**24)
    if not resume and _steps(folder):
        raise InputError(f"{folder.name}: there is a run in it; go on with --resume, or name another folder.")
    if have != wanted:
        raise InputError(
            f"{folder.name}: its run was begun with another config ({_difference(have, wanted)}); ask for the same, or begin anew."
        )


def _difference(have: bytes, wanted: bytes) -> str:
    """The first lines that differ, as a person compares them."""
    pairs = zip(have.decode("utf-8", "replace").splitlines(), wanted.decode().splitlines(), strict=False)
    found = next(((a.strip(" ,"), b.strip(" ,")) for a, b in pairs if a != b), ("fewer values", "more values"))
    return f"there {one_line(found[0], 80)}, here {one_line(found[1], 80)}"


def _steps(folder: Path) -> list[Path]:
    """Checkpoints, newest first."""
    found = [(int(match[1]), path) for path in folder.iterdir() if (match := _STEP.fullmatch(path.name))]
    return [path for _, path in sorted(found, reverse=True)]


def _newest(run: Run) -> Checkpoint | None:
    """The newest checkpoint that is whole; damaged ones are told of in the log and removed."""
    steps = _steps(run.folder)
    for path in steps:
        try:
            return read_checkpoint(path)
        except InputError as error:
            run.log(f"a checkpoint is damaged and left out: {error}")
            with suppress(OSError):
                path.unlink()
    if steps:
        raise InputError(f"{run.folder.name}: all its checkpoints are damaged; begin anew in another folder.")
    return None


def read_checkpoint(path: Path) -> Checkpoint:
    """A checkpoint from its file."""
    archive = Archive(read_bytes(path, MAX_FILE_BYTES), path.name)
    manifest = archive.json("checkpoint.json")
    schema, step, facts = manifest.get("schema"), manifest.get("step"), manifest.get("facts")
    if schema != SCHEMA:
        raise archive.fail(f"a checkpoint of schema {one_line(repr(schema), 20)}; this surefoot reads {SCHEMA}.")
    if not isinstance(step, int) or not isinstance(facts, dict):
        raise archive.fail("its step or its facts are missing.")
    return Checkpoint(step=step, facts=facts, arrays=archive.arrays("arrays", "biufU"))
