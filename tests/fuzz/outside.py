"""What a reader does outside its own folder: files opened for writing, moved or removed, programs started, connections made.

Python tells by its audit events; MuJoCo writes its log by itself, which is looked for where the process runs.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Any

WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
CHANGES = (
    "os.rename",
    "os.remove",
    "os.mkdir",
    "os.rmdir",
    "os.link",
    "os.symlink",
    "os.truncate",
    "os.chmod",
    "os.chown",
    "shutil.rmtree",
)
PROGRAMS = (
    "os.system",
    "os.exec",
    "os.posix_spawn",
    "os.spawn",
    "socket.connect",
    "socket.bind",
    "ctypes.dlopen",
    "exec.pickle",
    "pickle.find_class",
)
OWN = ("fuzz", "surefoot-probe-")
"""What the folders are called in which a case may write."""

seen: list[str] = []
_log: list[float] = []
_own: list[str] = []


def watch() -> None:
    """From now on everything is noted in `seen`."""
    _log[:] = [_log_time()]
    _own[:] = [f"{os.path.realpath(tempfile.gettempdir())}/{name}" for name in OWN]  # which itself writes when it is asked first
    sys.addaudithook(_hook)


def found() -> list[str]:
    """What the last case did outside."""
    if _log and _log_time() != _log[0]:
        _log[0] = _log_time()
        seen.append("MUJOCO_LOG.TXT")
    return seen


def _log_time() -> float:
    path = Path("MUJOCO_LOG.TXT")
    return path.stat().st_mtime if path.exists() else 0.0


def _hook(event: str, args: tuple[Any, ...]) -> None:
    if event == "open":
        if isinstance(args[0], str | bytes) and isinstance(args[2], int) and args[2] & WRITES:
            _note(event, args[0])
    elif event in CHANGES:
        for path in args[:2]:
            if isinstance(path, str | bytes | os.PathLike):
                _note(event, path)
    elif event in PROGRAMS:
        seen.append(f"{event} {args}"[:200])
    elif event == "subprocess.Popen" and "surefoot.character.compile_probe" not in list(args[1]):
        seen.append(f"{event} {args[1]}"[:200])


def _note(event: str, path: Any) -> None:
    text = os.fsdecode(path)
    place = os.path.realpath(text) if Path(text).is_absolute() else text  # relative ones belong to an open folder that is being removed
    inside = place.startswith(tuple(_own))
    if not inside and place != os.devnull and "__pycache__" not in place and not (event in ("os.remove", "os.rmdir") and "/" not in text):
        seen.append(f"{event} {text}"[:200])
