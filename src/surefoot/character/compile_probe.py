"""Compiles MJCF from standard input and steps it once, in a process of its own: `python -m surefoot.character.compile_probe`.

A hostile or damaged model can crash the compiler or take all memory; then this process dies and the program that asked lives on.
Prints one line of JSON: {"ok": true} or {"error": "..."}.
"""

from __future__ import annotations

import contextlib
import json
import sys

MEMORY_BYTES = 3 * 2**30
"""Address space; the interpreter and its libraries take about a third of it."""
CPU_S = 10


def limit(cpu_s: int = CPU_S) -> None:
    """Hold this process to its memory and time, where the system knows such limits."""
    try:
        import resource
    except ImportError:  # Windows
        return
    for what, most in ((resource.RLIMIT_AS, MEMORY_BYTES), (resource.RLIMIT_CPU, cpu_s), (resource.RLIMIT_CORE, 0)):
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(what, (most, most))


def main() -> int:
    text = sys.stdin.buffer.read().decode("utf-8")
    print(tried(text))
    return 0


def tried(text: str) -> str:
    """The line of JSON about a model, tried in this process, which is limited from now on."""
    import mujoco

    from surefoot.character.quiet import quiet

    limit()
    try:
        with quiet():
            model = mujoco.MjSpec.from_string(text).compile()
            data = mujoco.MjData(model)
            mujoco.mj_step(model, data)
    except MemoryError:
        return json.dumps({"error": "it needs more memory than a character may take"})
    except Exception as error:
        return json.dumps({"error": str(error)})
    return json.dumps({"ok": True})


if __name__ == "__main__":
    sys.exit(main())
