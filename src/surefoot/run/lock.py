"""One writer a folder: a lock that the system releases when its holder dies, however it dies.

Where the file system knows no locks (some network ones), the number of the process that wrote the file decides, if it still lives.
"""

from __future__ import annotations

import contextlib
import errno
import os
import socket
from pathlib import Path
from typing import IO

from surefoot.errors import InputError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

NAME = "lock"
_TAKEN = (errno.EACCES, errno.EAGAIN, errno.EWOULDBLOCK)


class Lock:
    """Held from its making until `release`, or until the process ends."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / NAME
        file = self.path.open("a+", encoding="utf-8")
        try:
            if not _locked(file):
                self._check_holder(file)
            file.seek(0)
            file.truncate()
            file.write(f"{os.getpid()} {socket.gethostname()}\n")
            file.flush()
        except BaseException:
            file.close()
            raise
        self._file: IO[str] | None = file

    def _check_holder(self, file: IO[str]) -> None:
        """An error when the process that the file names lives."""
        file.seek(0)
        pid, _, host = file.read(200).strip().partition(" ")
        if pid.isdigit() and int(pid) != os.getpid() and (host != socket.gethostname() or alive(int(pid))):
            raise self.taken(file)

    @staticmethod
    def taken(file: IO[str]) -> InputError:
        """The error for a folder that another process writes."""
        file.seek(0)
        pid, _, host = file.read(200).strip().partition(" ")
        who = f"process {pid} on {host}" if host else "another process"
        folder = Path(file.name).parent.name
        return InputError(f"{folder}: {who} is writing this run folder; wait for it to end, end it, or name another folder.")

    def release(self) -> None:
        """Let others write. The file stays: removing it would let two processes hold locks on two files of that name."""
        if self._file is not None:
            with contextlib.suppress(OSError):
                self._file.seek(0)
                self._file.truncate()
            self._file.close()
            self._file = None


def _locked(file: IO[str]) -> bool:
    """Whether the system's lock was taken; False where there are none; an error when another process holds it."""
    if fcntl is None:
        return False
    try:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in _TAKEN:
            raise Lock.taken(file) from None
        return False
    return True


def alive(pid: int) -> bool:
    """Whether a process of that number exists."""
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True
    return True
