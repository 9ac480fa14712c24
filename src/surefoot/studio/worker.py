"""The process in which a piece of work is done, so that it neither slows what is played nor takes the studio down with it.

    python -m surefoot.studio.worker FOLDER

FOLDER holds job.json {"kind", "config"} and in.surefoot; out.surefoot is written at the end, best.npy whenever there is a better move,
ghost.npy beside it where it is to become something else than what was on stage.
Standard output holds one JSON object a line: {"part", "said", "frame_time"}, at last {"done"} or {"error"}. A line on standard input, or
its end, means: stop, and hand back the best there is.
"""

from __future__ import annotations

import io
import json
import os
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from surefoot.bundle import load, save
from surefoot.errors import SurefootError, one_line
from surefoot.motion.files import atomic_write
from surefoot.studio.fields import restored
from surefoot.studio.work import Step, kind


def work(folder: Path) -> None:
    """Do the work of a folder."""
    stopping = threading.Event()
    threading.Thread(target=_listen, args=(stopping,), daemon=True).start()
    job = json.loads((folder / "job.json").read_text(encoding="utf-8"))
    asked = kind(job["kind"])
    bundle = load(folder / "in.surefoot")

    def tell(step: Step) -> None:
        for name, poses in (("ghost", step.ghost), ("best", step.best)):
            if poses is not None:
                file = io.BytesIO()
                np.save(file, poses, allow_pickle=False)
                atomic_write(folder / f"{name}.npy", file.getvalue())
        say(part=step.part, said=step.said, frame_time=step.frame_time if step.best is not None else 0.0)

    config = restored(type(asked.config()), job["config"])
    done = asked.run(bundle, config, tell, stopping.is_set)
    save(done, folder / "out.surefoot")
    say(done=True)


def say(**values: Any) -> None:
    """One line for the studio."""
    print(json.dumps(values), flush=True)


def _listen(stopping: threading.Event) -> None:
    sys.stdin.readline()
    stopping.set()


if __name__ == "__main__":
    with suppress(OSError, AttributeError):
        os.nice(10)  # what is played comes first
    try:
        work(Path(sys.argv[1]))
    except SurefootError as error:
        say(error=str(error))
    except MemoryError:
        say(error="there is not enough memory for that many samples; take fewer.")
    except Exception as error:
        say(error=one_line(f"a fault of our own ({type(error).__name__}: {error})", 300))
