"""The process that reads mutated files. Every case is made from (seed, format, index) alone, so that it can be made again.

Told "first last", it answers a line "index verdict" for each: "read", "refused", or "fault" and what was wrong, as JSON.
"""

from __future__ import annotations

import contextlib
import json
import resource
import sys
import time
import traceback
import warnings
import zlib
from pathlib import Path

import numpy as np

from surefoot.errors import SurefootError
from tests.fuzz import outside
from tests.fuzz.formats import FORMATS, Format

SECONDS = 2.0
MEGABYTES = 500
_start = {"kB": 0}


def case(name: str, seed: int, index: int, kind: Format) -> bytes:
    """The bytes of one case."""
    rng = np.random.default_rng([seed, zlib.crc32(name.encode()), index])
    return kind.mutate(kind.seeds[int(rng.integers(len(kind.seeds)))], rng, kind.seeds)


def verdict(name: str, seed: int, index: int, kind: Format, data: bytes) -> str:
    """ "read", "refused", or a JSON object that tells the fault."""
    rng = np.random.default_rng([seed, zlib.crc32(name.encode()), index, 1])
    before = time.process_time()
    fault, answer = "", "read"
    outside.seen.clear()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            kind.read(data, rng)
    except SurefootError as error:
        answer = "refused"
        text = str(error)
        if not text or len(text) > 400 or not text.isprintable():
            fault = f"the error is no line: {text!r}"
    except BaseException as error:
        fault = "".join(traceback.format_exception(error, limit=-4)) or repr(error)
    if not fault and outside.found():
        fault = f"it reached outside: {', '.join(outside.found()[:3])}"
    spent = time.process_time() - before
    if not fault and spent > SECONDS:
        fault = f"{spent:.1f} s of processor time"
    before_all = _start["kB"]
    if not fault and _peak() > before_all + MEGABYTES * 1024:
        fault = f"{(_peak() - before_all) / 1024:.0f} MB"
    return json.dumps({"fault": fault}) if fault else answer


def _peak() -> int:
    """The most memory this process ever had [kB]."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def limit_memory() -> None:
    """From now on this process gets `MEGABYTES` more than it has, and what it gets is watched."""
    _start["kB"] = _peak()
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    most = pages * resource.getpagesize() + (MEGABYTES + 64) * 2**20
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _read_somehow(kind: Format, data: bytes) -> None:
    """Read a good file; some options refuse it, such as dropping its only frame."""
    for attempt in range(20):
        with contextlib.suppress(SurefootError):
            return kind.read(data, np.random.default_rng(attempt))
    return kind.read(data, np.random.default_rng(0))


def main() -> None:
    name, seed = sys.argv[1], int(sys.argv[2])
    kind = FORMATS[name]()
    answers = sys.stdout
    sys.stdout = sys.stderr
    for data in kind.seeds:  # a seed that cannot be read would make its cases worthless; and code is loaded before the limits hold
        _read_somehow(kind, data)
    limit_memory()
    outside.watch()
    print("ready", file=answers, flush=True)
    for line in sys.stdin:
        first, last = map(int, line.split())
        for index in range(first, last):
            said = verdict(name, seed, index, kind, case(name, seed, index, kind))
            print(index, said, file=answers, flush=True)


if __name__ == "__main__":
    main()
