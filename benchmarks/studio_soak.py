"""Whether the studio grows as it plays on and on: an hour, with a viewer, curves, pushes and balls.

    python -m benchmarks.studio_soak --minutes 60 [--speed 2] [--what walk.surefoot] [--json out/soak.json]

The studio and a viewer without a browser, who reads every picture, share this process; its resident memory is read every ten seconds.
`--minutes` are minutes played: at twice the speed they pass in half the time. Memory counts from the third minute on, when the past that
is kept has filled. `benchmarks.studio` does the same with a real browser and the studio in a process of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from benchmarks.studio import resident
from tests.studio.viewer import connected, looks

from surefoot.studio.show import open_show
from surefoot.studio.studio import Studio

WARM = 180.0
"""Seconds played before memory counts."""
EVERY = 10.0


def looking(port: int, ended: threading.Event, seen: list[int]) -> None:
    """Read what a viewer is sent."""
    with connected(port) as line:
        looks(line)
        while not ended.is_set():
            with suppress(TimeoutError):
                seen[0] += len(line.recv(timeout=1.0)) > 0


def soak(what: str, minutes: float, speed: float) -> dict[str, Any]:
    """Play, push and measure."""
    studio, ended, seen = Studio(open_show(what), port=0), threading.Event(), [0]
    viewer = threading.Thread(target=looking, args=(studio.port, ended, seen))
    viewer.start()
    rows: list[tuple[float, float]] = []
    try:
        studio._plots._on.value = True
        studio.live.ask(lambda world: world.set_mode("simulate"), wait=10.0)
        studio.live.set_speed(speed)
        k, told = 0, 0.0
        while (played := studio.live.sight.frame.time) < 60.0 * minutes:
            time.sleep(EVERY)
            k += 1
            studio.live.ask(lambda world, k=k: world.throw() if k % 9 == 0 else world.push(45.0 * k, 60.0))
            rows.append((played, resident(os.getpid())))
            if played - told > 300.0:
                told = played
                print(f"{played / 60:.1f} min played: {rows[-1][1]:.1f} MB, {seen[0]} pictures seen", flush=True)
    finally:
        ended.set()
        viewer.join(10.0)
        studio.close()
    after = [memory for at, memory in rows if at >= min(WARM, 30.0 * minutes)]
    growth = {"begin_mb": after[0], "end_mb": after[-1], "most_mb": max(after), "growth_mb": after[-1] - after[0]}
    return {"what": what, "minutes": minutes, "speed": speed, "pictures": seen[0], **growth, "rows": rows}


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--what", default="humanoid/walk")
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--speed", type=float, default=1.0)
    parser.add_argument("--json", type=Path, default=None)
    given = parser.parse_args()
    out = soak(given.what, given.minutes, given.speed)
    print(f"grew by {out['growth_mb']:.1f} MB in {given.minutes:g} minutes played (from {out['begin_mb']:.1f} MB)")
    if given.json is not None:
        given.json.parent.mkdir(parents=True, exist_ok=True)
        given.json.write_text(json.dumps(out, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
