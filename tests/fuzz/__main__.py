"""python -m tests.fuzz [--number 10000] [--format bvh|glb|...|all] [--seed 0]: exit code 1 and the bytes of what went wrong, else 0."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tests.fuzz.formats import FORMATS
from tests.fuzz.run import fuzz, keep


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description="Mutated files of every format.")
    parser.add_argument("--number", type=int, default=10_000, help="files of each format")
    parser.add_argument("--format", choices=[*FORMATS, "all"], default="all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="the first case, to repeat one: --first 123 --number 1")
    parser.add_argument("--out", type=Path, default=Path("fuzz-faults"), help="folder for the bytes of what went wrong")
    asked = parser.parse_args()
    bad = 0
    for name in FORMATS if asked.format == "all" else [asked.format]:
        report = fuzz(name, asked.number, asked.seed, asked.first)
        print(report.line, flush=True)
        for (index, story), path in zip(report.faults, keep(report, asked.seed, asked.out) if report.faults else [], strict=True):
            print(f"  case {index}: {path}: {story.strip().splitlines()[-1][:200]}")
        bad += len(report.faults)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
