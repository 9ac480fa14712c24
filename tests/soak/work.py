"""A long piece of work that may be killed at any time: `python -m tests.soak.work FOLDER STEPS PAUSE`.

A random search that keeps its best: each step depends on all before it through the random generator and the state. It keeps a checkpoint
after every step, and writes FOLDER/result.zip at its end.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

from surefoot.archive import write_archive
from surefoot.run import open_run, random_state, restored
from surefoot.run.folder import CONFIG

SIZE = 200


def work(folder: Path, steps: int, pause: float) -> None:
    """The whole search, from wherever it was."""
    with open_run(folder, {"steps": steps, "size": SIZE}, resume=(folder / CONFIG).exists(), every_s=0.0) as run:
        rng, first = np.random.default_rng(0), 0
        mean, spread, best = np.zeros(SIZE), np.eye(SIZE), np.inf
        if run.latest is not None:
            first, facts, arrays = run.latest.step, run.latest.facts, run.latest.arrays
            rng, best, mean, spread = restored(facts["rng"]), facts["best"], arrays["mean"], arrays["spread"]
        for step in range(first, steps):
            samples = mean + 0.1 * rng.normal(size=(30, SIZE)) @ spread
            costs = np.sum((samples - np.linspace(-1.0, 1.0, SIZE)) ** 2, axis=1)
            order = np.argsort(costs)[:10]
            mean = samples[order].mean(axis=0)
            spread = 0.98 * spread + 0.02 * np.cov(samples[order].T)
            best = min(float(best), float(costs[order[0]]))
            time.sleep(pause)
            run.checkpoint(step + 1, {"rng": random_state(rng), "best": best}, {"mean": mean, "spread": spread})
        write_archive(folder / "result.zip", {"best.json": {"best": best}, "mean.npy": mean, "spread.npy": spread})


if __name__ == "__main__":
    work(Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]))
