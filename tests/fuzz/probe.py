"""The trial compilation of MJCF by a fork of this process, most of the time: starting Python for each of ten thousand takes an hour."""

from __future__ import annotations

import os
import select
import signal
from collections.abc import Iterator
from contextlib import contextmanager

from surefoot.character import guard
from surefoot.character.compile_probe import tried
from tests.fuzz.mutate import Rng

REAL = 25
"""One case in so many is tried as users' files are."""


@contextmanager
def forked(rng: Rng) -> Iterator[None]:
    """Models are tried by forks inside this block, or as ever."""
    whole = guard._problem
    if rng.integers(REAL):
        guard._problem = _problem
    try:
        yield
    finally:
        guard._problem = whole


def _problem(text: str) -> str:
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(ours)
            os.chdir("/")
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            os.write(theirs, tried(text.encode("utf-8", "replace").decode("utf-8")).encode()[:60_000])
        finally:
            os._exit(0)
    os.close(theirs)
    said = b""
    try:
        while select.select([ours], [], [], guard.TIMEOUT_S)[0]:
            part = os.read(ours, 65_536)
            if not part:
                return guard.verdict(said)
            said += part
        return f"it took more than {guard.TIMEOUT_S:.0f} s."
    finally:
        os.close(ours)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
