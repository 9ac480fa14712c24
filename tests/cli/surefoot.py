"""The command line as tests call it: in this process, or as a program of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from typing import Any

import pytest

from surefoot.cli.main import main

_HEARING = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from surefoot.cli.main import main
sys.exit(main())
"""


@dataclass(frozen=True)
class Said:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def surefoot(capsys: pytest.CaptureFixture[str], *arguments: object) -> Said:
    """Run a command in this process."""
    capsys.readouterr()
    try:
        code = main([str(a) for a in arguments])
    except SystemExit as leaving:  # --help
        code = int(leaving.code or 0)
    out, err = capsys.readouterr()
    return Said(code, out, err)


def program(*arguments: object, **options: Any) -> subprocess.Popen[str]:
    """Start a command as a program of its own, which hears Ctrl-C even if the tests run in the background and do not."""
    command = [sys.executable, "-c", _HEARING, *map(str, arguments)]
    env = {**os.environ, **options.pop("env", {})}
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env, **options)
