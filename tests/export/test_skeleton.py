"""Poses of a character go back onto the skeleton that it was rigged from, all joints of it."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from surefoot import builtin, material, rig
from surefoot.errors import InputError
from surefoot.export import on_source, source_joints, with_clip
from surefoot.export.embed import embedded, join_glb
from surefoot.motion import bvh, gltf, quaternion
from surefoot.motion.files import ReadOptions, list_clips, read_motion, write_motion
from surefoot.motion.motion import Motion
from surefoot.motion.skeleton import Skeleton
from tests.clips import MOTIONS, needs_motions
from tests.motion.bodies import FINGERS, HELPERS, PERSON, PERSON_TIPS, walk
from tests.motion.bvh_dialects import write

GLBS = sorted(path.name for path in (MOTIONS / "gltf").glob("*.glb")) if MOTIONS.is_dir() else []


def tree(data: bytes) -> dict[str, Any]:
    return json.loads(data[20 : 20 + struct.unpack_from("<I", data, 12)[0]])


def shaken(character: Any, qpos: np.ndarray, seed: int = 0) -> np.ndarray:
    """Poses that the source's clip does not have: travelled, turned, every joint disturbed."""
    from surefoot.physics.manifold import integrate

    rng = np.random.default_rng(seed)
    change = 0.2 * rng.normal(size=(len(qpos), character.model.nv))
    change[:, :3] += np.linspace(0.0, 2.0, len(qpos))[:, None]
    return integrate(character.model, qpos, change)


@pytest.mark.parametrize("name", ["humanoid/walk", "dinosaur/jump"])
def test_joints_with_a_body_are_where_the_body_is_and_turn_as_it_does(name: str) -> None:
    motion = material.motion(name)
    rigged = rig(motion)
    poses = shaken(rigged.character, rigged.qpos)
    out = on_source(rigged.character, poses, motion.frame_time, motion)
    positions, world = rigged.character.world(poses)
    joints = source_joints(rigged.character, motion)
    assert len(joints) == rigged.character.skeleton.num_joints
    columns, bodies = list(joints), list(joints.values())
    np.testing.assert_allclose(out.joint_positions[:, columns], positions[:, bodies], atol=1e-5)
    assert quaternion.angle(quaternion.multiply(quaternion.conjugate(out.joint_rotations[:, columns]), world[:, bodies])).max() < 1e-6
    assert out.skeleton is motion.skeleton


def test_the_clip_itself_comes_back_joint_by_joint() -> None:
    motion = material.motion("humanoid/getup")
    rigged = rig(motion)
    out = on_source(rigged.character, rigged.qpos, motion.frame_time, motion)
    lift = rigged.motion.joint_positions[0, 0] - motion.joint_positions[0, 0]
    np.testing.assert_allclose(out.joint_positions, motion.joint_positions + lift, atol=1e-4)


def test_bones_keep_their_length_unless_the_rig_changed_it() -> None:
    motion = material.motion("humanoid/walk")
    rigged = rig(motion)
    out = on_source(rigged.character, shaken(rigged.character, rigged.qpos), motion.frame_time, motion)
    below = motion.skeleton.parents >= 0
    assert np.array_equal(out.translations[:, below], motion.translations[:, below])


@needs_motions
def test_merged_joints_keep_the_source_s_local_pose_at_that_time() -> None:
    motion = read_motion(MOTIONS / "gltf" / "robot_expressive.glb", ReadOptions(clip="Walking"))
    rigged = rig(motion)
    poses = shaken(rigged.character, rigged.qpos)
    joints = source_joints(rigged.character, motion)
    others = [j for j in range(motion.skeleton.num_joints) if j not in joints]
    assert len(others) > 20  # fingers
    out = on_source(rigged.character, poses, motion.frame_time, motion)
    np.testing.assert_allclose(out.rotations[:, others], quaternion.continuous(motion.rotations)[:, others], atol=1e-12)
    np.testing.assert_allclose(out.translations[:, others], motion.translations[:, others], atol=1e-12)
    later = on_source(rigged.character, poses[:5], motion.frame_time, motion, start=3 * motion.frame_time)
    np.testing.assert_allclose(np.abs(later.rotations[:, others]), np.abs(motion.rotations[3:8, others]), atol=1e-9)


@needs_motions
def test_feet_that_were_hung_elsewhere_go_back_below_their_own_parent() -> None:
    motion = read_motion(MOTIONS / "gltf" / "quaternius_trex.glb", ReadOptions(clip="Armature|TRex_Run"))
    rigged = rig(motion)
    foot = motion.skeleton.index("BackFoot.L")
    assert motion.skeleton.names[int(motion.skeleton.parents[foot])] == "root"
    assert rigged.motion.skeleton.names[int(rigged.motion.skeleton.parents[rigged.motion.skeleton.index("BackFoot.L")])] == "BackLowLeg.L"
    poses = shaken(rigged.character, rigged.qpos)
    out = on_source(rigged.character, poses, motion.frame_time, motion)
    body = rigged.character.skeleton.index("BackFoot.L")
    np.testing.assert_allclose(out.joint_positions[:, foot], rigged.character.world(poses)[0][:, body], atol=1e-5)


def test_beyond_the_clip_s_end_it_is_held_or_begun_again() -> None:
    motion = material.motion("humanoid/walk")
    rigged = rig(motion)
    poses = np.repeat(rigged.qpos[:1], 2 * motion.num_frames, axis=0)
    for cycle in (False, True):
        out = on_source(rigged.character, poses, motion.frame_time, motion, cycle=cycle)
        assert out.num_frames == 2 * motion.num_frames
        assert out.frame_time == motion.frame_time


def test_joints_of_one_name_are_told_apart_though_some_of_them_were_merged() -> None:
    motion = bvh.read(write(walk([*PERSON, *HELPERS, *FINGERS], PERSON_TIPS)).data, "walk.bvh")
    skeleton = motion.skeleton
    same = Skeleton(("Bone",) * skeleton.num_joints, skeleton.parents, skeleton.translations, skeleton.rotations, skeleton.tips)
    motion = motion.replace(skeleton=same)
    rigged = rig(motion)
    joints = source_joints(rigged.character, motion)
    assert len(joints) == len(rigged.character.skeleton.names) < skeleton.num_joints
    positions, _ = rigged.character.world(rigged.qpos)
    columns = {b: j for j, b in joints.items()}
    theirs = rigged.motion.joint_positions[:, [columns[b] for b in range(len(columns))]]
    assert np.abs(positions - theirs).max() < 0.005


def test_a_character_of_another_origin_is_told_apart() -> None:
    motion = material.motion("humanoid/walk")
    assert source_joints(builtin("deepmimic"), motion) == {}
    with pytest.raises(InputError, match="was not rigged from"):
        on_source(builtin("deepmimic"), builtin("deepmimic").model.qpos0[None], 0.1, motion)


@needs_motions
@pytest.mark.parametrize("file", GLBS)
def test_a_clip_goes_into_its_own_glb_and_all_else_stays(file: str) -> None:
    path = MOTIONS / "gltf" / file
    data = path.read_bytes()
    for clip in list_clips(path)[:3]:
        motion = read_motion(path, ReadOptions(clip=clip.name))
        moved = _moved(motion)
        made = with_clip(data, moved, motion.times)
        assert made.apart < 1e-5 * motion.skeleton.height, clip.name
        before, after = tree(data), tree(made.data)
        named = [a.get("name", f"animation_{k}") for k, a in enumerate(before["animations"])]
        assert [a["name"] for a in after["animations"]] == [made.clip, *named]
        for key in ("meshes", "skins", "materials", "textures", "images", "scenes"):
            assert after.get(key) == before.get(key)
        first = read_motion_bytes(made.data, file)
        assert first.source.clip == made.clip
        assert first.frame_time == pytest.approx(motion.frame_time)
        kept = gltf.read(made.data, file, ReadOptions(clip=clip.name))
        assert np.array_equal(kept.joint_positions, motion.joint_positions)


def read_motion_bytes(data: bytes, name: str) -> Motion:
    return gltf.read(data, name)


def _moved(motion: Motion) -> Motion:
    """Every joint turned and the root moved, so that nothing stays as the file has it."""
    rng = np.random.default_rng(1)
    turn = quaternion.exp(0.3 * rng.normal(size=(1, motion.skeleton.num_joints, 3)))
    rotations = quaternion.multiply(motion.rotations, turn)
    translations = np.array(motion.translations)
    translations[:, 0] += np.linspace(0.0, 1.0, motion.num_frames)[:, None]
    return motion.replace(rotations=rotations, translations=translations)


def test_a_clip_of_that_name_that_is_there_already_stays() -> None:
    data = material.glb("humanoid")
    motion = gltf.read(data, "x.glb", ReadOptions(clip="walk"))
    once = with_clip(data, motion, motion.times)
    twice = with_clip(once.data, motion, motion.times)
    assert once.clip == "walk surefoot"
    assert twice.clip == "walk surefoot 2"


def test_a_clip_of_other_joints_is_refused() -> None:
    motion = gltf.read(material.glb("dinosaur"), "x.glb")
    with pytest.raises(InputError, match="its joints are not those"):
        with_clip(material.glb("humanoid"), motion, motion.times)


@pytest.mark.parametrize("inside", [False, True])
def test_a_gltf_with_files_beside_it_becomes_one_glb(tmp_path: Path, inside: bool) -> None:
    import base64

    data = material.glb("humanoid")
    whole, size = tree(data), struct.unpack_from("<I", data, 12)[0]
    blob = data[20 + size + 8 :][: whole["buffers"][0]["byteLength"]]
    half = {"byteLength": 4, "uri": "data:;base64,AAAAAA=="}
    whole["buffers"][0]["uri"] = "data:;base64," + base64.b64encode(blob).decode() if inside else "a b.bin"
    whole["buffers"].append(half)
    whole["images"] = [{"uri": "skin.png"}, {"uri": "missing.png"}, {"uri": "../skin.png"}]
    if not inside:
        (tmp_path / "a b.bin").write_bytes(blob)
        whole["buffers"][0]["uri"] = "a%20b.bin"
    (tmp_path / "skin.png").write_bytes(b"\x89PNG")
    (tmp_path / "x.gltf").write_text(json.dumps(whole), encoding="utf-8")
    out = embedded((tmp_path / "x.gltf").read_bytes(), "x.gltf", tmp_path)
    again = tree(out)
    assert again["images"] == [{"bufferView": len(again["bufferViews"]) - 1, "mimeType": "image/png"}, *whole["images"][1:]]
    assert len(again["buffers"]) == 1
    assert np.array_equal(gltf.read(out, "x.glb").joint_positions, gltf.read(data, "x.glb").joint_positions)
    assert with_clip(out, gltf.read(out, "x.glb"), gltf.read(out, "x.glb").times).apart < 1e-5


def test_a_glb_that_needs_nothing_stays_as_it_is() -> None:
    data = material.glb("humanoid")
    assert embedded(data, "x.glb", None) is data
    size = struct.unpack_from("<I", data, 12)[0]
    assert gltf.read(join_glb(tree(data), data[28 + size :]), "x.glb").num_frames == gltf.read(data, "x.glb").num_frames


@needs_motions
def test_bvh_is_written_with_rotations_alone_below_the_root(tmp_path: Path) -> None:
    motion = read_motion(MOTIONS / "cmu_bvh" / "cmu_60_10_salsa.bvh")
    short = motion.replace(translations=motion.translations[:200], rotations=motion.rotations[:200])
    rigged = rig(short)
    out = on_source(rigged.character, rigged.qpos, motion.frame_time, short, start=motion.frame_time)
    write_motion(out, tmp_path / "x.bvh")
    text = (tmp_path / "x.bvh").read_text(encoding="utf-8")
    assert text.count("Xposition") == 1
    assert np.abs(read_motion(tmp_path / "x.bvh").joint_positions - out.joint_positions).max() < 1e-5
