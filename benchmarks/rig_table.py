"""Every skeleton at hand becomes a character with no settings: `python -m benchmarks.rig_table [--sheet characters.png]`.

One row a clip; with --quick one a file. Columns: bodies, degrees of freedom, mass, height, then what `rig_trial` measures and the time
that rigging took, and at the end what broke a promise. Real clips come from the folder that SUREFOOT_MOTIONS names.
"""

from __future__ import annotations

import argparse
import ctypes.util
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

if ctypes.util.find_library("EGL"):  # MuJoCo chooses how it draws when it is imported
    os.environ.setdefault("MUJOCO_GL", "egl")

import mujoco
import numpy as np
from benchmarks.animals import ANIMALS, animal, scaled, sway
from benchmarks.rig_trial import try_out
from PIL import Image, ImageDraw, ImageFont

from surefoot.character.rig import RigConfig, Rigged, rig
from surefoot.errors import SurefootError
from surefoot.material.skeletons import DINOSAUR, HUMANOID
from surefoot.motion.files import ReadOptions, list_clips, read_motion
from surefoot.motion.motion import Motion

MOTIONS = Path(os.environ.get("SUREFOOT_MOTIONS", Path(__file__).parents[2] / "shared" / "motions"))

Case = tuple[str, Callable[[], Motion], RigConfig | None]


def cases(quick: bool) -> Iterator[Case]:
    """Names, how to get each motion, and the settings (none but for the extreme masses)."""
    for path in sorted(p for p in MOTIONS.rglob("*") if p.suffix in (".bvh", ".glb", ".gltf", ".amc", ".txt")):
        if path.suffix == ".txt" and ("character" in path.name or "LICENSE" in path.name):
            continue
        clips = [clip.name for clip in list_clips(path)] if path.suffix in (".glb", ".gltf") else [None]
        for clip in clips[: 1 if quick else None]:
            yield path.stem + (f"#{clip}" if clip else ""), lambda p=path, c=clip: read_motion(p, ReadOptions(clip=c)), None  # type: ignore[misc]
    for name in ANIMALS:
        yield name, lambda n=name: animal(n), None  # type: ignore[misc]
    yield "dinosaur", lambda: sway(DINOSAUR, "dinosaur"), None
    yield "dinosaur, hinges", lambda: sway(DINOSAUR, "dinosaur"), RigConfig(joints="hinge", mass=50.0)
    yield "0.1 kg", lambda: sway(scaled(HUMANOID, 0.2), "light"), RigConfig(mass=0.1)
    yield "10 t", lambda: sway(scaled(HUMANOID, 9.0), "heavy"), RigConfig(mass=1e4)


def broken(row: dict[str, Any]) -> list[str]:
    """The promises that a row breaks."""
    out = []
    if row["replay_mm"] > 5.0 and not row["hinges_forced"]:
        out.append("replay")
    if row["self_contacts"]:
        out.append("self-contact")
    if abs(row["rest_gap_mm"]) > 2.0:
        out.append("rest not on the ground")
    if abs(row["first_gap_mm"]) > 5.0 and not row["airborne"]:
        out.append("first frame not on the ground")
    if row["held_deg"] > 20.0:
        out.append("sags")
    if not row["finite"] or row["warnings"] or row["speed"] > 50.0:
        out.append("unstable")
    if row["asymmetry"] > 1e-6:
        out.append("asymmetric")
    return out


def measure(name: str, motion: Motion, config: RigConfig | None, seconds: float) -> tuple[dict[str, Any], Rigged]:
    """One row of the table."""
    start = time.perf_counter()
    rigged = rig(motion, config)
    rig_s = time.perf_counter() - start
    start = time.perf_counter()
    mujoco.MjModel.from_xml_string(rigged.character.xml)
    compile_s = time.perf_counter() - start
    trial = try_out(rigged, seconds)
    character = rigged.character
    row = {
        "name": name,
        "bodies": len(character.skeleton.names),
        "dof": int(character.model.nv),
        "mass_kg": character.mass,
        "height_m": character.height,
        "stretch_mm": max(rigged.stretch_mm.values(), default=0.0),
        **{field: getattr(trial, field) for field in trial.__dataclass_fields__},
        "asymmetry": asymmetry(rigged),
        "hinges_forced": config is not None and config.joints == "hinge",
        "airborne": any("in the air" in line for line in character.report),
        "feet": list(character.feet),
        "report": list(character.report),
        "rig_s": rig_s,
        "compile_s": compile_s,
    }
    row["broken"] = broken(row)
    return row, rigged


def asymmetry(rigged: Rigged) -> float:
    """Largest relative difference in mass, joint type, limits' width and bone length between mirror partners."""
    blueprint = rigged.blueprint
    worst = 0.0
    for body in blueprint.bodies:
        other = blueprint.body(blueprint.partners.get(body.name, body.name))
        worst = max(worst, abs(body.mass - other.mass) / max(body.mass, other.mass))
        worst = max(worst, float(body.joint != other.joint), abs(np.ptp(body.limits) - np.ptp(other.limits)))
    return float(worst)


def picture(rigged: Rigged, size: int) -> Image.Image:
    """The character in its rest pose, and beside it in its clip's first frame."""
    character = rigged.character
    model = character.model
    model.vis.global_.offwidth = model.vis.global_.offheight = max(size, 640)
    out = Image.new("RGB", (2 * size, size), "white")
    with mujoco.Renderer(model, size, size) as renderer:
        for n, qpos in enumerate((model.qpos0, rigged.qpos[0])):
            data = mujoco.MjData(model)
            data.qpos[:] = qpos
            mujoco.mj_forward(model, data)
            camera = mujoco.MjvCamera()
            low, high = data.geom_xpos[1:].min(axis=0), data.geom_xpos[1:].max(axis=0)
            camera.lookat[:] = 0.5 * (low + high)
            facing = _facing(character.forward, data.xmat[1])
            camera.azimuth, camera.elevation = np.degrees(facing) + 145.0, -14.0
            camera.distance = 1.55 * max(float(np.linalg.norm(high - low)), character.height)
            renderer.update_scene(data, camera)
            out.paste(Image.fromarray(renderer.render()), (n * size, 0))
    return out


def _facing(forward: Any, matrix: Any) -> float:
    x, y, _ = np.reshape(matrix, (3, 3)) @ forward
    return float(np.arctan2(y, x))


def sheet(pictures: list[tuple[str, Image.Image]], columns: int = 5) -> Image.Image:
    """All pictures with their names."""
    width, height = pictures[0][1].size
    rows = -(-len(pictures) // columns)
    out = Image.new("RGB", (columns * (width + 4), rows * (height + 4)), "white")
    draw, font = ImageDraw.Draw(out), ImageFont.load_default(14)
    for n, (name, image) in enumerate(pictures):
        left, top = n % columns * (width + 4), n // columns * (height + 4)
        out.paste(image, (left, top))
        draw.text((left + 5, top + 3), name[:44], fill=(20, 20, 30), font=font)
    return out


HEADER = (
    f"{'character':38s} {'bod':>3s} {'dof':>3s} {'kg':>8s} {'m':>6s} {'replay':>6s} {'stretch':>7s} {'self':>4s} {'rest':>5s} "
    f"{'first':>5s} {'held':>5s} {'m/s':>5s} {'stands':>6s} {'rig s':>6s} {'mjcf s':>6s}"
)


def line(row: dict[str, Any]) -> str:
    return (
        f"{row['name'][:38]:38s} {row['bodies']:3d} {row['dof']:3d} {row['mass_kg']:8.3g} {row['height_m']:6.3g} {row['replay_mm']:6.2f} "
        f"{row['stretch_mm']:7.0f} {row['self_contacts']:4d} {row['rest_gap_mm']:5.1f} {row['first_gap_mm']:5.1f} {row['held_deg']:5.1f} "
        f"{row['speed']:5.1f} {row['stands_s']:6.1f} {row['rig_s']:6.3f} {row['compile_s']:6.3f} {', '.join(row['broken'])}"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description="Rig every skeleton at hand and try the characters out.")
    parser.add_argument("--quick", action="store_true", help="one clip of each file")
    parser.add_argument("--only", default="", help="cases whose name holds this")
    parser.add_argument("--seconds", type=float, default=10.0, help="length of the simulations [s]")
    parser.add_argument("--sheet", type=Path, default=Path("out/characters.png"), help="where the picture of all characters goes")
    parser.add_argument("--json", type=Path, help="write all numbers")
    parser.add_argument("--report", action="store_true", help="print what the rig says about each")
    args = parser.parse_args()
    rows, pictures, failed = [], [], 0
    draw = True
    print(HEADER)
    for name, load, config in cases(args.quick):
        if args.only not in name:
            continue
        try:
            row, rigged = measure(name, load(), config, args.seconds)
        except SurefootError as error:
            failed += 1
            print(f"{name[:38]:38s} refused: {error}")
            continue
        failed += bool(row["broken"])
        rows.append(row)
        print(line(row), flush=True)
        if args.report:
            print(*(f"    {text}" for text in row["report"]), f"    feet: {', '.join(row['feet'])}", sep="\n")
        if draw:
            try:
                pictures.append((name, picture(rigged, 200)))
            except Exception as error:  # whatever the machine's graphics library raises
                draw = False
                print(
                    f"no picture, MuJoCo cannot draw here ({type(error).__name__}); apt-get install libegl1, then MUJOCO_GL=egl",
                    file=sys.stderr,
                )
    if pictures:
        args.sheet.parent.mkdir(parents=True, exist_ok=True)
        sheet(pictures).save(args.sheet)
        print(f"wrote {args.sheet}")
    if args.json:
        args.json.write_text(json.dumps(rows, indent=1))
    print(f"{len(rows)} characters, {failed} with something broken")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
