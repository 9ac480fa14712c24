"""The same clip on other ground and on other bodies: `python -m benchmarks.transformations [--only dive] [--images docs/images]`.

dive          a forward roll, off a platform of 1 m
uphill, down  a walk on a slope of 5 degrees
step          a walk over a step of 10 cm
robot         a kick by a boxy robot
proportions   a walk by a body with longer legs and arms and a heavy chest

Every one is reconstructed by the default method, judged by the rule of success, and drawn as a sheet with its reference as a ghost. Clips
come from the folder that SUREFOOT_MOTIONS names. Exit code 1 when one of them does not succeed.
"""

from __future__ import annotations

import argparse
import ctypes.util
import io
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

if ctypes.util.find_library("EGL"):  # MuJoCo chooses how it draws when it is imported
    os.environ.setdefault("MUJOCO_GL", "egl")

import numpy as np
from PIL import Image

from surefoot.bundle.reconstructed import reconstructed
from surefoot.character.builtin import builtin
from surefoot.character.changed import Proportions, changed
from surefoot.character.character import Character
from surefoot.motion.files import atomic_write, read_motion
from surefoot.physics import Drop, Scene, Slope, Steps
from surefoot.picture import tiled
from surefoot.reconstruct import prepare, reconstruct
from surefoot.render import RenderConfig, pictures

MOTIONS = Path(os.environ.get("SUREFOOT_MOTIONS", Path(__file__).parents[2] / "shared" / "motions"))
COLUMNS, SIZE = 6, (270, 250)


@dataclass(frozen=True, kw_only=True)
class Case:
    """A clip, who performs it and where."""

    clip: str
    body: Callable[[], Character] | None = None
    """None: rigged from the clip's own skeleton."""
    scene: Scene | None = None


def stretched() -> Character:
    """The body of the clips with legs a fifth and arms a quarter longer, and a chest half as heavy again."""
    lengths = {"left_hip": 1.2, "left_knee": 1.2, "left_shoulder": 1.25, "left_elbow": 1.25}
    return changed(builtin("deepmimic"), Proportions(lengths=lengths, masses={"chest": 1.5}), "stretched")


ROLL, KICK, CYCLE = (f"deepmimic/humanoid3d_{name}.txt" for name in ("roll", "kick", "walk"))
WALK = "cmu_bvh/cmu_02_01_walk_normal.bvh"
CASES = {
    "dive": Case(clip=ROLL, body=lambda: builtin("deepmimic"), scene=Scene(ground=Drop(height=1.0, edge=0.3))),
    "uphill": Case(clip=WALK, scene=Scene(ground=Slope(degrees=5.0))),
    "downhill": Case(clip=WALK, scene=Scene(ground=Slope(degrees=-5.0))),
    "step": Case(clip=WALK, scene=Scene(ground=Steps(rise=0.1, depth=4.0, count=1, start=1.0))),
    "robot": Case(clip=KICK, body=lambda: builtin("robot")),
    "proportions": Case(clip=CYCLE, body=stretched),
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.transformations", description="A clip on other ground and other bodies.")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=CASES)
    parser.add_argument("--images", type=Path, default=Path("out"))
    asked = parser.parse_args()
    if not MOTIONS.is_dir():
        print(f"{MOTIONS}: no such folder; SUREFOOT_MOTIONS names the one with deepmimic/ and cmu_bvh/ in it.", file=sys.stderr)
        return 2
    print(f"{'case':<13}{'ok':<5}{'mm':>5}{'height':>8}{'turn':>6}{'core s':>8}  how")
    bad = 0
    for name, case in CASES.items():
        if asked.only not in (None, name):
            continue
        motion = read_motion(MOTIONS / case.clip)
        fitted = prepare(motion, case.body() if case.body else None)
        found = reconstruct(fitted, scene=case.scene, seed=asked.seed)
        told = found.to_json()
        print(
            f"{name:<13}{'yes' if found.success else 'no':<5}{told['mpjpe_mm']:>5.0f}{told['root_height_error_m']:>8.2f}"
            f"{told['root_rotation_error_rad']:>6.2f}{found.stats['core_s']:>8.1f}  {found.status}",
            flush=True,
        )
        bad += not found.success
        made = reconstructed(motion, fitted, found, scene=case.scene, seed=asked.seed)
        times = np.linspace(0.0, found.value.timeline.duration, COLUMNS)
        view = RenderConfig(view="side" if case.scene else "quarter", camera="follow")
        frames = [Image.fromarray(frame) for frame in pictures(made, times, SIZE, view)]
        file = io.BytesIO()
        tiled(frames, [f"{t:.2f} s" for t in times], COLUMNS).quantize(256).save(file, "PNG", optimize=True)
        asked.images.mkdir(parents=True, exist_ok=True)
        atomic_write(asked.images / f"transform-{name}.png", file.getvalue())
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
