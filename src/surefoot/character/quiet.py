"""MuJoCo's warnings neither printed nor written to a file while we count them ourselves.

MuJoCo prints a line for every simulation that diverges, and for every odd number in a model, and appends it to MUJOCO_LOG.TXT in the
working folder; sampling makes thousands. The engine reads the counters instead, the compiler's complaints are errors or nothing. The log's
settings are put back after every call.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import mujoco


@contextmanager
def quiet() -> Iterator[None]:
    """Warnings of MuJoCo are counted but not shown inside this block."""
    config = mujoco.MjLogConfig.get()
    console, file = config.logto_console, config.logto_file
    config.logto_console = config.logto_file = False
    config.set()
    try:
        yield
    finally:
        config.logto_console, config.logto_file = console, file
        config.set()
