"""Real Blender and a second reader of our own agree with ours on every real clip; Blender opens what we write at the same positions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from surefoot.motion import amc, axes, bvh, bvh_frame, deepmimic, gltf, quaternion
from surefoot.motion.files import ReadOptions
from surefoot.motion.motion import Motion
from tests.blender import needs_blender, run_blender
from tests.clips import MOTIONS, needs_motions
from tests.motion.bodies import CRAB, DOG, DOG_TIPS, person, walk
from tests.motion.bvh_dialects import Dialect, write
from tests.motion.bvh_twin import Twin

Array = NDArray[np.float64]

CLIPS = sorted((MOTIONS / "cmu_bvh").glob("*.bvh"))

# Heads of all bones in some frames, in the file's own axes and unit.
SCRIPT = """
result = []
for path, frames in payload:
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.import_anim.bvh(filepath=path, axis_forward="Y", axis_up="Z", rotate_mode="QUATERNION", global_scale=1.0)
    body = bpy.context.object
    rows = []
    for frame in frames:
        bpy.context.scene.frame_set(frame + 1)
        rows.append([list(body.matrix_world @ bone.head) for bone in body.pose.bones])
    result.append({"names": [bone.name for bone in body.pose.bones], "rows": rows})
"""


def in_blender(files: list[Path], frames: list[list[int]], names: list[tuple[str, ...]]) -> list[Array]:
    """What Blender reads: positions (frames, J, 3) of each file's joints, in the order of `names`."""
    answers: list[dict[str, Any]] = run_blender(SCRIPT, [[str(f), k] for f, k in zip(files, frames, strict=True)], timeout=300.0)
    out = []
    for answer, wanted in zip(answers, names, strict=True):
        # Blender joins words by an underscore.
        out.append(np.array(answer["rows"])[:, [answer["names"].index("_".join(name.split())) for name in wanted]])
    return out


def in_file(motion: Motion) -> Array:
    """The joints' positions in the axes and unit of the file that the motion was read from."""
    back = quaternion.conjugate(axes.upright(motion.source.up_axis))  # type: ignore[arg-type]
    return quaternion.rotate(back, motion.joint_positions) / motion.source.unit_m


def height(motion: Motion) -> float:
    return motion.skeleton.height / motion.source.unit_m


@needs_motions
@pytest.mark.blender
@needs_blender
def test_blender_agrees_on_every_real_clip() -> None:
    motions = [bvh.read(path.read_bytes(), path.name) for path in CLIPS]
    frames = [[int(k) for k in np.linspace(0, m.num_frames - 1, 20)] for m in motions]
    answers = in_blender(CLIPS, frames, [m.skeleton.names for m in motions])
    assert len(answers) == 20
    for path, motion, which, theirs in zip(CLIPS, motions, frames, answers, strict=True):
        error = float(np.abs(in_file(motion)[which] - theirs).max())
        assert error < 1e-5 * height(motion), f"{path.name}: {error / height(motion):.1e} of the height"


@needs_motions
@pytest.mark.parametrize("path", CLIPS, ids=lambda p: p.stem)
def test_a_second_reader_agrees_at_frames_and_between_them(path: Path) -> None:
    motion = bvh.read(path.read_bytes(), path.name)
    twin = Twin(path.read_text())
    assert motion.frame_time == twin.frame_time
    joints = [k for k, name in enumerate(twin.names) if name]
    ends = [k for k, name in enumerate(twin.names) if not name]
    assert motion.skeleton.names == tuple(twin.names[k] for k in joints)
    at = np.linspace(0.0, motion.num_frames - 1.0, 9)
    local = motion.sample(at * motion.frame_time)
    positions, world = motion.skeleton.forward(*local)
    tips = motion.skeleton.tip_positions(positions, world)
    back = quaternion.conjugate(axes.upright("Y"))
    for k, frame in enumerate(at):
        theirs = twin.positions(float(frame))
        for ours, which in ((positions[k], joints), (tips[k], ends)):
            np.testing.assert_allclose(quaternion.rotate(back, ours) / motion.source.unit_m, theirs[which], atol=1e-5 * height(motion))


DIALECTS = {
    "mixed orders": (person(fingers=True), Dialect(orders=("ZXY", "XYZ", "YZX", "ZYX", "YXZ", "XZY"))),
    "rotation first, positions everywhere": (person(helpers=True), Dialect(rotation_first=True, positions="absolute", rest="odd")),
    "a root above the hips": (person(), Dialect(travel="above", positions="absolute")),
    "a root that never moves": (person(), Dialect(travel="below", root_offset="rest")),
    "whole turns": (person(), Dialect(wraps=True, root_offset="first")),
    "a dog in metres": (walk(DOG, DOG_TIPS), Dialect(unit_m=1.0, up="Z")),
    "a crab": (walk(CRAB), Dialect(ends=False)),
    "names": (person(), Dialect(names={"Hips": "mixamorig:Hips", "LeftArm": "Bip01 L UpperArm ", "Head": "頭"})),
    "lower case": (person(), Dialect(case="lower", newline="\r\n", tab="  ")),
}


@pytest.mark.blender
@needs_blender
def test_blender_agrees_on_the_dialects_that_it_reads(tmp_path: Path) -> None:
    files, motions = [], []
    for k, (clip, dialect) in enumerate(DIALECTS.values()):
        files.append(tmp_path / f"{k}.bvh")
        files[-1].write_bytes(write(clip, dialect).data)
        motions.append(bvh.read(files[-1].read_bytes(), files[-1].name))
    frames = [[0, 1, 17, 30, m.num_frames - 1] for m in motions]
    answers = in_blender(files, frames, [m.skeleton.names for m in motions])
    for name, motion, which, theirs in zip(DIALECTS, motions, frames, answers, strict=True):
        error = float(np.abs(in_file(motion)[which] - theirs).max())
        assert error < 1e-5 * height(motion), f"{name}: {error / height(motion):.1e} of the height"


def sources() -> dict[str, Motion]:
    """Motions of every format that can be written as BVH."""
    found = {path.name: bvh.read(path.read_bytes(), path.name) for path in CLIPS[:3]}
    for path in sorted((MOTIONS / "deepmimic").glob("humanoid3d_[bcs]*.txt")):
        found[path.name] = deepmimic.read(path.read_bytes(), path.name, ReadOptions())
    for path in sorted((MOTIONS / "cmu_amc").glob("*.amc")):
        found[path.name] = amc.read(path.read_bytes(), path.name, ReadOptions(), path.parent)
    for path in sorted((MOTIONS / "gltf").glob("*.glb")):  # stretching bones, several roots, any size
        found[path.name] = gltf.read(path.read_bytes(), path.name)
    return found


@needs_motions
@pytest.mark.blender
@needs_blender
def test_what_we_write_opens_in_blender_at_the_same_positions(tmp_path: Path) -> None:
    motions = sources()
    files = []
    for name, motion in motions.items():
        files.append(tmp_path / f"{name}.bvh")
        bvh.write(motion, files[-1])
    frames = [[int(k) for k in np.linspace(0, m.num_frames - 1, 12)] for m in motions.values()]
    answers = in_blender(files, frames, [m.skeleton.names for m in motions.values()])
    for (name, motion), which, theirs in zip(motions.items(), frames, answers, strict=True):
        up, unit = bvh_frame.frame(motion)
        back = quaternion.conjugate(axes.upright(up))
        ours = quaternion.rotate(back, motion.joint_positions[which]) / unit
        error = float(np.abs(ours - theirs).max()) * unit / motion.skeleton.height
        assert error < 1e-4, f"{name}: {error:.1e} of the height"


@needs_motions
def test_what_we_write_is_read_back_at_the_same_positions() -> None:
    for name, motion in sources().items():
        again = bvh.read(bvh.encode(motion), "again.bvh")
        assert (again.source.up_axis, again.source.unit_m) == pytest.approx(bvh_frame.frame(motion)), name
        # A BVH holds joints depth first, each joint's end sites with it.
        order = [motion.skeleton.index(joint) for joint in again.skeleton.names]
        assert sorted(order) == list(range(motion.skeleton.num_joints)), name
        np.testing.assert_allclose(
            again.joint_positions, motion.joint_positions[:, order], atol=1e-6 * max(1.0, motion.skeleton.height), err_msg=name
        )
        owners = [tip.joint for tip in motion.skeleton.tips]
        ends = [k for j in order for k, owner in enumerate(owners) if owner == j]
        kept = [k for k, tip in enumerate(again.skeleton.tips) if np.linalg.norm(tip.offset) > 0.0 or order[tip.joint] in owners]
        np.testing.assert_allclose(again.tip_positions[:, kept], motion.tip_positions[:, ends], atol=1e-6, err_msg=name)
        assert again.frame_time == motion.frame_time
