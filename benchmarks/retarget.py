"""Real clips on other bodies, judged: `python -m benchmarks.retarget [--json FILE] [--sheet FOLDER] [--all]`.

All DeepMimic clips go to `humanoid`, six CMU clips of different subjects to `deepmimic` (without their leading T-pose). Promised: mean
end-effector error under 3 cm, no shape more than 1 cm below the ground, no planted sole that slides more than 1 cm in a contact, 100
frames a second on one core. Columns: error against the source's end effectors scaled limb by limb, feet and head in the world (mm), and of
feet and hands from the first joint of their limb (own); deepest penetration; worst and median slide of the soles' points while they stand,
and the source's own beside them; frames a second of processor time; the fastest joint beside the source's. --all adds every CMU clip on
both bodies.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from surefoot.character.builtin import builtin
from surefoot.character.character import Character
from surefoot.character.retarget import Retargeted, retarget
from surefoot.character.retarget.measure import measure
from surefoot.character.retarget.transfer import station_places
from surefoot.motion.files import ReadOptions, atomic_write, read_motion
from surefoot.motion.motion import Motion

MOTIONS = Path(os.environ.get("SUREFOOT_MOTIONS", Path(__file__).parents[2] / "shared" / "motions"))
CMU = ("02_01_walk_normal", "09_01_run", "49_06_cartwheel", "60_10_salsa", "139_16_getup_from_ground", "10_03_kick_ball")
SHOWN = ("walk", "cartwheel", "backflip", "getup_facedown", "crawl", "spinkick", "60_10_salsa", "139_16_getup_from_ground")
HEAD = (
    f"{'clip':30s} {'on':10s} {'mm':>5s} {'own':>5s} {'deep':>5s} {'slide':>6s} {'median':>6s} {'source':>6s} {'frames/s':>8s} "
    f"{'rad/s':>6s} {'source':>6s}"
)
PROMISE = {"end_mm": 30.0, "deep_mm": 10.0, "slide_mm": 10.0}
FRAMES_PER_S = 100.0


def cases(everything: bool) -> list[tuple[Path, str]]:
    """Files and the character each goes to."""
    out = [(path, "humanoid") for path in sorted((MOTIONS / "deepmimic").glob("humanoid3d_*.txt"))]
    if not everything:
        return out + [(MOTIONS / "cmu_bvh" / f"cmu_{name}.bvh", "deepmimic") for name in CMU]
    return out + [(path, name) for path in sorted((MOTIONS / "cmu_bvh").glob("*.bvh")) for name in ("deepmimic", "humanoid")]


def own_error(result: Retargeted, motion: Motion) -> float:
    """Mean distance [m] of feet and hands from the source's, both seen from the first joint of their limb, the source's scaled."""
    gaps = []
    for pair in result.matching.pairs:
        if pair.target.kind not in ("leg", "arm"):
            continue
        start = pair.stations.index(max(u for u in pair.stations if u <= pair.stations[0]))
        ours = station_places(pair, pair.source_end, *motion.world) - station_places(pair, pair.stations[start], *motion.world)
        points = pair.target.points
        theirs = points[pair.end].places(*result.motion.world) - points[start].places(*result.motion.world)
        gaps.append(np.linalg.norm(theirs - pair.ratio * ours, axis=-1).mean())
    return float(np.mean(gaps)) if gaps else 0.0


def source_slide(result: Retargeted, motion: Motion) -> float:
    """The worst slide [m] of the source's own ankles and balls over the same contacts, scaled: what was there to be held."""
    worst = 0.0
    legs = {p.target.label: p for p in result.matching.pairs if p.target.kind == "leg"}
    for name, (_, on) in result.planted.items():
        label, part = name.rsplit(", ", 1)
        pair = legs[label]
        station = pair.source_end + (1.0 if part == "ball" else 0.0)
        place = pair.ratio * station_places(pair, station, *motion.world)[:, :2]
        edges = np.flatnonzero(np.diff(np.concatenate([[0], on.astype(int), [0]])))
        for a, b in zip(edges[::2], edges[1::2], strict=True):
            worst = max(worst, 2.0 * float(np.linalg.norm(place[a:b] - place[a:b].mean(axis=0), axis=-1).max()))
    return worst


def judge(path: Path, character: Character) -> tuple[dict[str, Any], Motion, Retargeted]:
    """One row of the table."""
    motion = read_motion(path, ReadOptions(drop_first_frame=path.suffix == ".bvh"))
    started = time.process_time()
    result = retarget(motion, character)
    seconds = time.process_time() - started
    found = measure(result, character, motion)
    slides = np.array(found.slides_m) if found.slides_m else np.zeros(1)
    row: dict[str, Any] = {
        "clip": path.stem,
        "character": character.name,
        "frames": motion.num_frames,
        "end_mm": 1e3 * found.end_m,
        "ends_mm": {name: 1e3 * value for name, value in found.ends_m.items()},
        "own_mm": 1e3 * own_error(result, motion),
        "deep_mm": 1e3 * found.penetration_m,
        "contacts": len(found.slides_m),
        "slide_mm": 1e3 * found.slide_m,
        "median_slide_mm": 1e3 * float(np.median(slides)),
        "source_slide_mm": 1e3 * source_slide(result, motion),
        "frames_per_s": motion.num_frames / seconds,
        "joint_rad_per_s": found.joint_speed,
        "fastest": found.fastest,
        "source_rad_per_s": found.source_speed,
        "commit": commit(),
    }
    row["broken"] = [key for key, most in PROMISE.items() if row[key] > most]
    if row["frames_per_s"] < FRAMES_PER_S:
        row["broken"].append("frames_per_s")
    return row, motion, result


def commit() -> str:
    """The checkout's commit, with a plus when the package differs from it; empty outside a checkout."""

    def git(*words: str) -> str:
        done = subprocess.run(["git", *words], cwd=Path(__file__).parents[1], capture_output=True, text=True, check=True)
        return done.stdout.strip()

    try:
        head, changed = git("rev-parse", "--short", "HEAD"), git("status", "--porcelain", "src")
    except (OSError, subprocess.CalledProcessError):
        return ""
    return head + ("+" if changed else "")


def line(row: dict[str, Any]) -> str:
    clip = row["clip"].removeprefix("humanoid3d_")[:30]
    text = (
        f"{clip:30s} {row['character']:10s} {row['end_mm']:5.1f} {row['own_mm']:5.1f} {row['deep_mm']:5.1f} {row['slide_mm']:6.1f} "
        f"{row['median_slide_mm']:6.1f} {row['source_slide_mm']:6.1f} {row['frames_per_s']:8.0f} "
        f"{row['joint_rad_per_s']:6.1f} {row['source_rad_per_s']:6.1f}"
    )
    return text + ("   BROKEN: " + ", ".join(row["broken"]) if row["broken"] else "")


def sheet(motion: Motion, result: Retargeted, path: Path) -> None:
    """Source above, result below, at the same times."""
    from PIL import Image

    from surefoot.picture import contact_sheet

    strips = [contact_sheet(m, frames=8, view="quarter", size=(200, 230), columns=8) for m in (motion, result.motion)]
    picture = Image.new("RGB", (strips[0].width, sum(s.height for s in strips) + 4), "white")
    picture.paste(strips[0], (0, 0))
    picture.paste(strips[1], (0, strips[0].height + 4))
    picture.save(path)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--json", help="write the rows here, - for standard output")
    parser.add_argument("--sheet", type=Path, help="write contact sheets of source and result into this folder")
    parser.add_argument("--all", action="store_true", help="every CMU clip on both bodies")
    options = parser.parse_args()
    if not MOTIONS.is_dir():
        print(f"no folder of real clips at {MOTIONS.name}/ beside the checkout; SUREFOOT_MOTIONS names another.", file=sys.stderr)
        return 2
    out = sys.stderr if options.json == "-" else sys.stdout
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    print(HEAD, file=out)
    rows = []
    for path, name in cases(options.all):
        row, motion, result = judge(path, builtin(name))
        rows.append(row)
        print(line(row), file=out, flush=True)
        if options.sheet is not None and any(path.stem.endswith(s) for s in SHOWN):
            options.sheet.mkdir(parents=True, exist_ok=True)
            sheet(motion, result, options.sheet / f"{path.stem}.png")
    broken = [row["clip"] for row in rows if row["broken"]]
    mean = {key: float(np.mean([row[key] for row in rows])) for key in ("end_mm", "own_mm")}
    worst = {key: max(row[key] for row in rows) for key in ("end_mm", "deep_mm", "slide_mm")}
    slowest = min(row["frames_per_s"] for row in rows)
    verdict = f"{len(broken)} break a promise." if broken else "All promises kept."
    print(
        f"{len(rows)} clips, mean end-effector error {mean['end_mm']:.1f} mm; worst: {worst['end_mm']:.1f} mm, {worst['deep_mm']:.1f} mm "
        f"deep, {worst['slide_mm']:.1f} mm slide, {slowest:.0f} frames/s. {verdict}",
        file=out,
    )
    if options.json:
        report = {
            "rows": rows,
            "success": not broken,
            "mean": mean,
            "worst": {**worst, "frames_per_s": slowest},
            "versions": {"mujoco": mujoco.__version__, "mink": version("mink"), "numpy": np.__version__},
        }
        text = json.dumps(report, indent=1)
        if options.json == "-":
            print(text)
        else:
            atomic_write(options.json, text.encode())
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
