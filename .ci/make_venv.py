"""Make a virtual environment with pip, on Debian's bare Python too: python3 make_venv.py [--only 3.11] FOLDER

Debian's python3 lacks `ensurepip`. Then a pip that is installed beside it fills the environment; without either, this prints the line that
helps.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

NEEDED = (3, 11)


def fail(text: str) -> None:
    print(text, file=sys.stderr)
    raise SystemExit(2)


def main() -> None:
    only = sys.argv[2] if sys.argv[1] == "--only" else None
    folder = Path(sys.argv[-1])
    have = f"{sys.version_info[0]}.{sys.version_info[1]}"
    if only and have != only:
        other = shutil.which(f"python{only}")
        if other and "SUREFOOT_TRIED" not in os.environ:
            done = subprocess.run([other, *sys.argv], env={**os.environ, "SUREFOOT_TRIED": "1"}, check=False)
            raise SystemExit(done.returncode)
        fail(f"{folder} needs Python {only} and this is {have}; on Debian 12: apt-get install -y python{only} python{only}-venv")
    if sys.version_info < NEEDED:
        fail(f"Surefoot needs Python {NEEDED[0]}.{NEEDED[1]} or newer and {sys.executable} is {have}; name another: make PYTHON=python3.12")
    python = folder / "bin" / "python"
    if python.exists() and subprocess.run([python, "-m", "pip", "--version"], capture_output=True, check=False).returncode == 0:
        return
    if importlib.util.find_spec("venv") is None:
        fail(f"Python's venv module is missing; on Debian: apt-get install -y python{have}-venv")
    if importlib.util.find_spec("ensurepip") is not None:
        made = subprocess.run([sys.executable, "-m", "venv", "--clear", folder], capture_output=True, text=True, check=False)
    elif importlib.util.find_spec("pip") is not None:
        made = subprocess.run(
            [sys.executable, "-m", "venv", "--clear", "--without-pip", folder], capture_output=True, text=True, check=False
        )
        if made.returncode == 0:
            made = subprocess.run(
                [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "pip"], capture_output=True, text=True, check=False
            )
    else:
        fail(f"Python's ensurepip is missing, so {folder} would have no pip; on Debian: apt-get install -y python{have}-venv")
    if made.returncode != 0:
        last = (made.stdout + made.stderr).strip().splitlines() or ["no message"]
        fail(f"{folder} could not be made ({last[-1]}); on Debian: apt-get install -y python{have}-venv")


if __name__ == "__main__":
    main()
