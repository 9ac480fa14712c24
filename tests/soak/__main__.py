"""python -m tests.soak [--kills 100] [--steps 1500] [--seed 0]: exit code 1 when a resumed run ends in other bytes than a whole one."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tests.soak.soak import soak


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description="Random kills of a checkpointed run of a minute.")
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--steps", type=int, default=1500)
    parser.add_argument("--pause", type=float, default=0.03, help="seconds that each step sleeps")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="soak-") as folder:
        report = soak(Path(folder), asked.kills, asked.steps, asked.pause, asked.seed, lambda text: print(text, flush=True))
    for line in report.different:
        print(f"  {line}")
    print(report.line)
    return 1 if report.different else 0


if __name__ == "__main__":
    sys.exit(main())
