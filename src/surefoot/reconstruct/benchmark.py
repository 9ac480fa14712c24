"""SAMCON's speed and quality, clip by clip, beside MuJoCo's own batch in the same run.

    ratio    physics steps for each second of processor time in the whole search, over those of bare `Batch.step` on states of that search
    jerk     mean square of the joints' third derivative of angle [rad^2/s^6]

A row is a clip, a method and a seed; rows that a file already holds for the same code and settings are not measured again.
"""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from mujoco.batch import Batch
from numpy.typing import NDArray

from surefoot.character import builtin
from surefoot.errors import InputError
from surefoot.motion.files import read_motion
from surefoot.motion.motion import Motion
from surefoot.physics.batch import BatchEngine
from surefoot.physics.manifold import difference
from surefoot.reconstruct.escalate import METHODS, SAMPLES, ReconstructConfig
from surefoot.reconstruct.improved import improved
from surefoot.reconstruct.outcome import Outcome
from surefoot.reconstruct.prepare import prepare
from surefoot.reconstruct.problem import Watch
from surefoot.reconstruct.samcon import samcon
from surefoot.reconstruct.timeline import Timeline, timeline
from surefoot.reconstruct.tree import Generation

Array = NDArray[np.float64]

EVERY = 7
"""Fragments between two measurements of the bare batch."""
SUBSTEPS = 10
"""Of each such measurement."""
PROPS = ("vault", "ladder")
"""Clips that need something to hold on to, by parts of their names."""


@dataclass(frozen=True, kw_only=True)
class Task:
    """A clip and who performs it."""

    name: str
    file: Path | None
    """None for a clip of our own, `name`."""
    character: str | None
    """None: rigged from the clip's own skeleton."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """One line of the table."""

    clip: str
    character: str
    method: str
    seed: int
    samples: int
    success: bool
    survived_s: float
    duration_s: float
    mpjpe_mm: float
    mpjpe_global_mm: float
    root_height_error_m: float
    root_rotation_error_rad: float
    jerk: float
    passes: int
    physics_steps: int
    core_s: float
    core_s_per_s: float
    steps_per_s: float
    bare_steps_per_s: float
    ratio: float
    status: str
    settings: dict[str, Any] = field(default_factory=dict)
    commit: str = ""


def tasks(folder: Path | None) -> list[Task]:
    """What is measured: the real clips in a folder, or our own where there is none."""
    if folder is None:
        return [Task(name=f"humanoid/{clip}", file=None, character="humanoid") for clip in ("walk", "run", "getup")]
    if not folder.is_dir():
        raise InputError(f"{folder}: there is no such folder of clips.")
    found = [
        Task(name=path.stem.removeprefix("humanoid3d_"), file=path, character="deepmimic")
        for path in sorted(folder.glob("deepmimic/humanoid3d_*.txt"))
    ]
    for path in sorted(folder.glob("cmu_bvh/*.bvh")):
        if not any(prop in path.stem for prop in PROPS):
            found.append(Task(name=path.stem, file=path, character=None))
    if not found:
        raise InputError(f"{folder}: no clips in it; expected deepmimic/humanoid3d_*.txt or cmu_bvh/*.bvh.")
    return found


def measure(task: Task, method: str, seed: int, config: ReconstructConfig | None = None, threads: int = 1) -> Row:
    """Reconstruct a clip, and step its states with the bare batch now and then."""
    config = config or ReconstructConfig()
    body = None if task.character is None else builtin.builtin(task.character)
    fitted = prepare(_motion(task), body)
    samples = config.samples or SAMPLES[method]
    engine = BatchEngine(fitted.character, samples, threads)
    clip = timeline(fitted.reference, engine, fragment=config.fragment)
    rng = np.random.default_rng([seed, METHODS.index(method)])
    bare = Bare(engine)
    if method == "basic":
        done = samcon(clip, engine, config.basic, rng, bare)
    else:
        done = improved(clip, engine, config.improved, rng, bare)
    core = done.stats["core_s"] - bare.core_s
    steps = done.stats["physics_steps"]
    judged = done.to_json()
    per_s, bare_per_s = steps / core, bare.steps / max(bare.stepping_s, 1e-9)
    return Row(
        clip=task.name,
        character=fitted.character.name,
        method=method,
        seed=seed,
        samples=samples,
        **{name: judged[name] for name in JUDGED},
        jerk=jerk(done),
        passes=done.stats["num_passes"],
        physics_steps=steps,
        core_s=core,
        core_s_per_s=core / clip.duration,
        steps_per_s=per_s,
        bare_steps_per_s=bare_per_s,
        ratio=per_s / bare_per_s,
        status=done.status,
        settings=settings(config, method),
        commit=commit(),
    )


JUDGED = (
    "success",
    "survived_s",
    "duration_s",
    "mpjpe_mm",
    "mpjpe_global_mm",
    "root_height_error_m",
    "root_rotation_error_rad",
)


class Bare:
    """MuJoCo's own batch on states of a search: it looks on."""

    def __init__(self, engine: BatchEngine) -> None:
        self.engine = engine
        self.batch = Batch(engine.model, engine.num_simulations, engine.threads)
        self.steps, self.stepping_s, self.core_s, self._calls = 0, 0.0, 0.0, 0

    def watch(self, clip: Timeline, trial: int, trials: int) -> Watch:
        """Steps the states that a fragment led to, every now and then."""
        return self._after

    def _after(self, fragment: int, now: Generation) -> None:
        self._calls += 1
        if self._calls % EVERY != 1:
            return
        began = time.process_time()
        good = np.flatnonzero(self.engine.ok)
        self.batch.state[:] = self.engine.state[good[np.arange(self.engine.num_simulations) % len(good)]]
        stepping = time.process_time()
        self.batch.step(None, SUBSTEPS)
        self.stepping_s += time.process_time() - stepping
        self.steps += SUBSTEPS * self.engine.num_simulations
        self.batch.warning[...] = 0
        self.core_s += time.process_time() - began


def jerk(done: Outcome) -> float:
    """Mean square of the joints' jerk, of what was performed."""
    clip, model = done.value.timeline, done.value.reference.character.model
    qpos = done.value.qpos
    if len(qpos) < 4 or model.nv <= 6:
        return float("nan")
    velocity = difference(model, qpos[1:], qpos[:-1])[:, 6:] / clip.period
    third = np.diff(velocity, n=2, axis=0) / clip.period**2
    return float(np.mean(third**2))


def settings(config: ReconstructConfig, method: str) -> dict[str, Any]:
    """What of a config counts for a method (JSON values)."""
    return {"samples": config.samples, "fragment": config.fragment, method: json.loads(json.dumps(asdict(getattr(config, method))))}


def commit() -> str:
    """The commit of the code that runs, marked where it was changed since; empty outside a checkout."""
    here = Path(__file__).parent
    try:
        said = subprocess.run(
            ["git", "describe", "--always", "--dirty", "--abbrev=10"], cwd=here, capture_output=True, text=True, timeout=10, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return said.stdout.strip()


def kept(file: Path | None) -> list[Row]:
    """Rows that were measured before."""
    if file is None or not file.exists():
        return []
    try:
        return [Row(**json.loads(line)) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
    except (TypeError, ValueError) as error:
        raise InputError(f"{file.name}: not rows of this benchmark ({error}); name another file.") from None


def bench(
    chosen: list[Task],
    methods: tuple[str, ...],
    seeds: tuple[int, ...],
    config: ReconstructConfig,
    *,
    threads: int = 1,
    file: Path | None = None,
    share: tuple[int, int] = (0, 1),
) -> Iterator[tuple[Row, bool]]:
    """Every row and whether it is new; `share` (i, n) measures every n-th row only, from the i-th on."""
    before = {(row.clip, row.method, row.seed): row for row in kept(file) if row.settings == settings(config, row.method)}
    todo = [(task, method, seed) for method in methods for seed in seeds for task in chosen]
    for task, method, seed in todo[share[0] :: share[1]]:
        old = before.get((task.name, method, seed))
        if old is not None:
            yield old, False
            continue
        row = measure(task, method, seed, config, threads)
        if file is not None:
            with file.open("a", encoding="utf-8") as out:
                out.write(json.dumps(asdict(row), ensure_ascii=False) + "\n")
        yield row, True


def summary(rows: list[Row]) -> dict[str, Any]:
    """The figures that count, by method."""
    out: dict[str, Any] = {}
    for method in METHODS:
        mine = [row for row in rows if row.method == method]
        good = [row for row in mine if row.success]
        if not mine:
            continue
        out[method] = {
            "rows": len(mine),
            "successes": len(good),
            "mpjpe_mm_median": float(np.median([row.mpjpe_mm for row in good])) if good else None,
            "core_s_per_s_median": float(np.median([row.core_s_per_s for row in mine])),
            "ratio_median": float(np.median([row.ratio for row in mine])),
        }
    pairs = {(row.clip, row.seed): row.jerk for row in rows if row.method == "basic" and row.success}
    smooth = {
        f"{row.clip} seed {row.seed}": row.jerk / pairs[row.clip, row.seed]
        for row in rows
        if row.method == "improved" and row.success and (row.clip, row.seed) in pairs
    }
    out["jerk_improved_over_basic"] = smooth
    return out


def _motion(task: Task) -> Motion:
    if task.file is not None:
        return read_motion(task.file)
    from surefoot import material

    return material.motion(task.name)
