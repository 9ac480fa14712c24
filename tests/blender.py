"""Real Blender as a judge: run a script in its Python module, in a process of its own.

    answers = run_blender("result = [len(bpy.data.objects) + n for n in payload]", [1, 2])

The script sees `bpy`, `mathutils`, `np` and `payload`, and leaves its answer (JSON values) in `result`. Starting Blender takes seconds, so
hand many files to one call. Blender pins an old NumPy, so it lives in a virtual environment of its own: `make blender` sets up
`.venv-blender`, SUREFOOT_BLENDER names another interpreter that can `import bpy`.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

_MAIN = """
import json, sys
import bpy, mathutils
import numpy as np
folder = sys.argv[1]
with open(folder + "/payload.json") as file:
    payload = json.load(file)
with open(folder + "/script.py") as file:
    names = {"bpy": bpy, "mathutils": mathutils, "np": np, "payload": payload, "__name__": "script"}
    exec(compile(file.read(), "script.py", "exec"), names)
with open(folder + "/result.json", "w") as file:
    json.dump(names["result"], file)
"""


def blender_python() -> str | None:
    """The interpreter that has `bpy`, or None."""
    own = Path(__file__).parents[1] / ".venv-blender" / "bin" / "python"
    named = os.environ.get("SUREFOOT_BLENDER")
    if named:
        return named
    if own.exists():
        return str(own)
    return sys.executable if importlib.util.find_spec("bpy") else None


needs_blender = pytest.mark.skipif(blender_python() is None, reason="Blender's Python module is not installed: make blender")


def run_blender(script: str, payload: Any, timeout: float = 120.0) -> Any:
    """What `script` leaves in `result`, as JSON values; an AssertionError with Blender's last words when it fails."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "script.py").write_text(script, encoding="utf-8")
        (Path(folder) / "payload.json").write_text(json.dumps(payload), encoding="utf-8")
        command = [blender_python() or sys.executable, "-c", _MAIN, folder]
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False)
        answer = Path(folder) / "result.json"
        # Blender may crash while it shuts down, after the answer is on disk: only a missing answer is a failure.
        if not answer.is_file():
            raise AssertionError(f"Blender ended with {done.returncode}: {done.stdout[-1500:]} {done.stderr[-3000:]}")
        return json.loads(answer.read_text(encoding="utf-8"))
