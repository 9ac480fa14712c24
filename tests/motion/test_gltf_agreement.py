"""Joint positions of every real glTF clip, held against a second reader and against Blender.

All errors are in heights of the skeleton. Blender blends quaternions along a straight line where the standard wants the arc: at key times
the two agree with each other and must agree with us; between them Blender is held against a reader that blends as it does.
"""

from __future__ import annotations

import json
import struct
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from surefoot.motion import gltf
from surefoot.motion.files import ReadOptions, list_clips, read_motion
from surefoot.motion.motion import Motion
from tests.blender import needs_blender, run_blender
from tests.clips import MOTIONS, needs_motions
from tests.motion.gltf_build import arm, turned
from tests.motion.gltf_twin import Twin

Array = NDArray[np.float64]
FILES = sorted(path.name for path in (MOTIONS / "gltf").glob("*.glb")) if MOTIONS.is_dir() else []

pytestmark = needs_motions

POSITIONS = """
def positions():
    out = {}
    for thing in bpy.data.objects:
        if thing.type == "ARMATURE":
            for bone in thing.pose.bones:
                out[bone.name] = [round(x, 9) for x in thing.matrix_world @ bone.head]
        out.setdefault(thing.name, [round(x, 9) for x in thing.matrix_world.translation])
    return out

result = []
for path, names, times in payload:
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.import_scene.gltf(filepath=path)
    scene = bpy.context.scene
    frames = []
    for t in times:
        frame = t * scene.render.fps
        scene.frame_set(int(frame), subframe=frame - int(frame))
        found = positions()
        frames.append([found[name] for name in names])
    result.append(frames)
"""


def clips(file: str) -> list[tuple[int, Motion]]:
    """Every clip of a file, with its number in the file."""
    path = MOTIONS / "gltf" / file
    return [(i, read_motion(path, ReadOptions(clip=clip.name))) for i, clip in enumerate(list_clips(path))]


@cache
def twin(file: str) -> Twin:
    return Twin(MOTIONS / "gltf" / file)


def upright(motion: Motion, found: dict[str, Array]) -> Array:
    """Positions (T, J, 3) of a second reader for the motion's joints, in metres with Z up."""
    y_up = np.stack([found[name] for name in motion.skeleton.names], axis=1) * motion.source.unit_m
    return np.stack([y_up[..., 0], -y_up[..., 2], y_up[..., 1]], axis=-1)


def worst(motion: Motion, positions: Array, frames: NDArray[np.bool_] | None = None) -> float:
    """The largest distance of a joint, in heights."""
    distance = np.linalg.norm(motion.joint_positions - positions, axis=-1)
    return float(distance[frames if frames is not None else slice(None)].max() / motion.skeleton.height)


def only(data: bytes, clip: int) -> bytes:
    """The .glb with one of its animations: Blender keeps the pose of the one it played before for bones that the next does not move."""
    length = struct.unpack_from("<I", data, 12)[0]
    tree = json.loads(data[20 : 20 + length])
    tree["animations"] = [tree["animations"][clip]]
    text = json.dumps(tree).encode()
    text += b" " * (-len(text) % 4)
    body = struct.pack("<II", len(text), 0x4E4F534A) + text + data[20 + length :]
    return b"glTF" + struct.pack("<II", 2, 12 + len(body)) + body


@pytest.mark.parametrize("file", FILES)
def test_all_clips_agree_with_a_second_reader_at_every_frame(file: str) -> None:
    for i, motion in clips(file):
        assert worst(motion, upright(motion, twin(file).positions(i, motion.times))) < 1e-6, motion.name


@pytest.mark.parametrize("file", FILES)
def test_all_clips_agree_with_a_second_reader_between_keys(file: str) -> None:
    path = MOTIONS / "gltf" / file
    for i, clip in enumerate(list_clips(path)):
        motion = read_motion(path, ReadOptions(clip=clip.name, fps=71.3))
        assert worst(motion, upright(motion, twin(file).positions(i, motion.times))) < 1e-6, motion.name


@pytest.mark.parametrize("file", FILES)
def test_every_key_falls_on_a_frame(file: str) -> None:
    for i, motion in clips(file):
        keys = np.concatenate([times for *_, times, _ in twin(file).tracks(i)])
        frames = keys / motion.frame_time
        assert np.abs(frames - np.round(frames)).max() < 1e-4, motion.name
        assert round(keys.max() / motion.frame_time) == motion.num_frames - 1


@needs_blender
@pytest.mark.blender
def test_blender_puts_all_joints_of_all_real_clips_at_the_same_places(tmp_path: Path) -> None:
    jobs, wanted = [], []
    for file in FILES:
        data = (MOTIONS / "gltf" / file).read_bytes()
        for i, motion in clips(file):
            path = tmp_path / f"{len(jobs)}.glb"
            path.write_bytes(only(data, i))
            jobs.append((str(path), motion.skeleton.names, motion.times.tolist()))
            wanted.append((file, i, motion))
    for (file, i, motion), frames in zip(wanted, run_blender(POSITIONS, jobs, timeout=300), strict=True):
        found = np.array(frames) * motion.source.unit_m
        at_keys = ~twin(file).bent(i, motion.times)
        assert at_keys.sum() >= 2, motion.name
        assert worst(motion, found, at_keys) < 1e-5, motion.name
        straight = upright(motion, twin(file).positions(i, motion.times, straight=True))
        assert np.abs(found - straight).max() / motion.skeleton.height < 1e-5, motion.name


@needs_blender
@pytest.mark.blender
def test_blender_opens_the_glb_we_write_from_every_format_at_the_same_places(tmp_path: Path) -> None:
    sources = [*(f"gltf/{file}" for file in FILES), "cmu_amc/02_01.amc", "quadruped_keyframes/turn.txt"]
    sources += [f"deepmimic/humanoid3d_{name}.txt" for name in ("walk", "backflip", "cartwheel")]
    sources += [f"cmu_bvh/cmu_{name}.bvh" for name in ("09_01_run", "49_06_cartwheel", "127_24_run_dive_roll")]
    jobs, motions = [], []
    for source in sources:
        motion = read_motion(MOTIONS / source)
        step = max(1, motion.num_frames // 40)
        path = tmp_path / f"{len(jobs)}.glb"
        path.write_bytes(gltf.encode(motion))
        jobs.append((str(path), motion.skeleton.names, motion.times[::step].tolist()))
        motions.append((motion, step))
    for (motion, step), frames in zip(motions, run_blender(POSITIONS, jobs, timeout=300), strict=True):
        distance = np.linalg.norm(np.array(frames) - motion.joint_positions[::step], axis=-1)
        assert distance.max() / motion.skeleton.height < 1e-5, motion.source.file


def stretching(mode: str) -> bytes:
    """A chain under a scaled armature: a rotation and a translation in that mode, a translation in steps, a link that stretches."""
    maker = arm()
    maker.tree["nodes"].append({"name": "Armature", "scale": [300.0, 300.0, 300.0], "rotation": turned(0, -90), "children": [0]})
    maker.tree["scenes"] = [{"nodes": [3]}]
    rng = np.random.default_rng(5)
    times = maker.accessor([0.0, 0.5, 1.25])
    bends = rng.normal(size=(3, 3, 4)) * 0.3
    bends[:, 1] = [turned(2, 0), turned(2, 50), turned(0, 40)]
    shifts = rng.normal(size=(3, 3, 3))
    if mode != "CUBICSPLINE":
        bends, shifts = bends[:, 1], shifts[:, 1]
    channels = [
        (0, "rotation", maker.sampler(times, maker.accessor(bends.reshape(-1, 4)), mode)),
        (1, "translation", maker.sampler(times, maker.accessor(shifts.reshape(-1, 3)), mode)),
        (2, "translation", maker.sampler(times, maker.accessor([[0, 1, 0], [1, 1, 0], [0, 2, 1]]), "STEP")),
        (1, "scale", maker.sampler(times, maker.accessor([[1, 1, 1], [1, 2, 1], [3, 1, 0.5]]))),
    ]
    maker.animation(channels, "all")
    return maker.glb()


@needs_blender
@pytest.mark.blender
def test_blender_agrees_on_steps_and_stretching_links_between_keys_and_on_splines_at_keys(tmp_path: Path) -> None:
    jobs, wanted = [], []
    # Blender draws splines of its own through a CUBICSPLINE's keys, without the file's tangents.
    for mode, times in (("CUBICSPLINE", [0.0, 0.5, 1.25]), ("STEP", [0.0, 0.1, 0.45, 0.55, 0.9, 1.2, 1.25])):
        path = tmp_path / f"{mode}.glb"
        path.write_bytes(stretching(mode))
        motion = gltf.read(path.read_bytes(), path.name, ReadOptions(unit_m=1.0, fps=40.0))
        jobs.append((str(path), motion.skeleton.names, times))
        wanted.append((motion, np.round(np.array(times) * 40).astype(int)))
    for (motion, at), frames in zip(wanted, run_blender(POSITIONS, jobs), strict=True):
        assert np.abs(np.array(frames) - motion.joint_positions[at]).max() < 1e-5 * motion.skeleton.height
