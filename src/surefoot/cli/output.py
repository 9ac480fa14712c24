"""What a command says: text for people, JSON for programs, notes and progress on standard error, and its exit code.

Under `--json -` standard output holds the JSON and nothing else, and there is no progress.
"""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from surefoot.errors import InputError, one_line

Advance = Callable[[float, str], None]
"""Told how much is done, of the total, and what is the best so far, in a few words."""
EVERY = 10.0
"""Seconds between two lines of progress where standard error is no terminal."""


@dataclass(frozen=True)
class Output:
    """Where a command speaks to; `target` is the value of its --json."""

    target: str | None = None

    def __post_init__(self) -> None:
        if self.target is not None and not self.quiet and not Path(self.target).parent.is_dir():
            raise InputError(f"--json {self.target}: there is no folder {Path(self.target).parent}; create it first.")

    @property
    def quiet(self) -> bool:
        """Whether standard output is for JSON alone."""
        return self.target == "-"

    def say(self, text: str) -> None:
        """Text for people, on standard output."""
        if not self.quiet:
            print(text, flush=True)

    def note(self, text: str) -> None:
        """One line a person should know, on standard error."""
        print(f"note: {one_line(text)}", file=sys.stderr)

    def result(self, values: Mapping[str, Any]) -> None:
        """The result as JSON, where it was asked for."""
        if self.target is None:
            return
        text = json.dumps(plain(values), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
        if self.quiet:
            sys.stdout.write(text)
            sys.stdout.flush()
        else:
            from surefoot.motion.files import atomic_write

            atomic_write(self.target, text.encode("utf-8", "replace"))

    def verdict(self, values: Mapping[str, Any]) -> int:
        """The result with the versions that made it, and the exit code that its `success` asks for."""
        from surefoot.doctor import versions

        self.result({**values, "versions": versions()})
        return 0 if values["success"] else 1

    @contextmanager
    def progress(self, what: str, total: float | None) -> Iterator[Advance]:
        """A bar on a terminal, a line now and then elsewhere, nothing under `--json -`; without a total, that it goes on:

        with output.progress("searching", passes) as advance:
            advance(done, f"best {cost:.2f}")
        """
        if self.quiet:
            yield lambda done, said: None
        elif not sys.stderr.isatty():
            yield _lines(what, total)
        else:
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

            columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn(), TimeRemainingColumn())
            with Progress(*columns, TextColumn("{task.fields[said]}"), console=Console(stderr=True), transient=True) as bar:
                task = bar.add_task(what, total=total, said="")
                yield lambda done, said: bar.update(task, completed=done, said=one_line(said, 80))


def _lines(what: str, total: float | None) -> Advance:
    told = [time.monotonic()]

    def advance(done: float, said: str) -> None:
        if time.monotonic() - told[0] >= EVERY:
            told[0] = time.monotonic()
            parts = (f"{100.0 * done / max(total, 1e-9):.0f} %" if total else "", one_line(said, 80))
            print(f"{what}: {', '.join(part for part in parts if part)}", file=sys.stderr, flush=True)

    return advance


def plain(value: Any) -> Any:
    """A value as JSON has it: arrays as lists, NaN and infinities as null."""
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(v) for v in value]
    if hasattr(value, "tolist"):  # NumPy's arrays and scalars
        return plain(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, str | int | bool) or value is None:
        return value
    if isinstance(value, Path):
        return str(value)
    raise TypeError(f"{type(value).__name__} is no JSON value")


def check_out(path: Path, suffixes: tuple[str, ...], what: str, flag: str = "--out") -> None:
    """Refuse an output that could not be written, before the work that leads to it."""
    given = path.suffix.lower()
    if given not in suffixes:
        raise InputError(f"{flag} {path.name}: {what} is written as {' or '.join(suffixes)}; got {given or 'no suffix'}.")
    if not path.parent.is_dir():
        raise InputError(f"{flag} {path}: there is no folder {path.parent}; create it first.")
    if path.is_dir():
        raise InputError(f"{flag} {path}: that is a folder; name a file.")
