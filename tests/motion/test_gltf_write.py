"""GLB files that we write: the same positions when read back, and what other programs want to find in them."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from surefoot.errors import InputError
from surefoot.motion import gltf, quaternion
from surefoot.motion.files import read_motion, write_motion
from surefoot.motion.gltf_load import Document
from surefoot.motion.motion import Motion
from surefoot.motion.skeleton import Skeleton, Tip
from tests.clips import MOTIONS, needs_motions
from tests.motion.motions import motions


def parsed(data: bytes) -> dict[str, Any]:
    return json.loads(data[20 : 20 + struct.unpack_from("<I", data, 12)[0]])


def numbers(data: bytes, accessor: int, width: int) -> np.ndarray:
    return Document(data, "x.glb").accessor(accessor, width, "test")


def walker() -> Motion:
    """A root with two legs, at 30 frames a second."""
    skeleton = Skeleton(
        ("hips", "left leg", "right:leg"),
        np.array([-1, 0, 0]),
        np.array([[0, 0, 1.0], [0, 0.2, 0], [0, -0.2, 0]]),
        np.tile(quaternion.IDENTITY, (3, 1)),
        (Tip(joint=1, offset=np.array([0, 0, -1.0])), Tip(joint=2, offset=np.array([0, 0, -1.0]), name="right foot")),
    )
    angles = np.sin(np.linspace(0, 6, 40))
    rotations = np.tile(quaternion.IDENTITY, (40, 3, 1))
    rotations[:, 1] = quaternion.about([0, 1, 0], angles)
    rotations[:, 2] = quaternion.about([0, 1, 0], -angles)
    translations = np.tile(skeleton.translations, (40, 1, 1))
    translations[:, 0, 0] = np.linspace(0, 2, 40)
    return Motion(skeleton, translations, rotations, 1 / 30, name="walk")


@given(motions())
def test_written_and_read_again_all_joints_and_tips_are_where_they_were(motion: Motion) -> None:
    again = gltf.read(gltf.encode(motion), "x.glb")
    unit = again.source.unit_m
    size = float(np.abs(motion.joint_positions).max()) + 1.0
    np.testing.assert_allclose(again.joint_positions / unit, motion.joint_positions, atol=1e-6 * size)
    np.testing.assert_allclose(again.tip_positions / unit, motion.tip_positions, atol=1e-6 * size)
    np.testing.assert_allclose(again.skeleton.rest[0] / unit, motion.skeleton.rest[0], atol=1e-6 * size)
    assert again.skeleton.parents.tolist() == motion.skeleton.parents.tolist()
    assert [(t.joint, t.name) for t in again.skeleton.tips] == [(t.joint, t.name) for t in motion.skeleton.tips]
    assert again.num_frames == motion.num_frames
    assert again.frame_time == pytest.approx(motion.frame_time, rel=1e-12) or motion.num_frames == 1


@needs_motions
@pytest.mark.parametrize(
    "file",
    [
        "cmu_bvh/cmu_60_10_salsa.bvh",
        "cmu_bvh/cmu_88_01_backflip.bvh",
        "deepmimic/humanoid3d_spinkick.txt",
        "quadruped_keyframes/hopturn.txt",
        "cmu_amc/02_01.amc",
        "gltf/quaternius_velociraptor.glb#Velociraptor_Walk",
        "gltf/raylib_greenman.glb#2_move",
    ],
)
def test_real_clips_come_back_to_a_millionth_of_their_height(file: str, tmp_path: Path) -> None:
    motion = read_motion(MOTIONS / file)
    write_motion(motion, tmp_path / "x.glb")
    again = read_motion(tmp_path / "x.glb")
    assert again.skeleton.names == motion.skeleton.names
    assert (again.num_frames, again.frame_time) == (motion.num_frames, motion.frame_time)
    assert len(again.skeleton.tips) == len(motion.skeleton.tips)
    scale = again.source.unit_m
    assert np.abs(again.joint_positions / scale - motion.joint_positions).max() < 1e-6 * motion.skeleton.height


def test_the_skin_holds_every_joint_and_its_inverse_bind_matrices_undo_the_rest_pose() -> None:
    motion = walker()
    data = gltf.encode(motion)
    tree = parsed(data)
    (skin,) = tree["skins"]
    assert [tree["nodes"][n]["name"] for n in skin["joints"]] == list(motion.skeleton.names)
    binds = numbers(data, skin["inverseBindMatrices"], 16).reshape(-1, 4, 4).transpose(0, 2, 1)
    for bind, (x, y, z) in zip(binds, motion.skeleton.rest[0], strict=True):
        np.testing.assert_allclose(bind @ [x, z, -y, 1.0], [0, 0, 0, 1], atol=1e-6)


def test_the_body_is_a_closed_mesh_seen_from_outside_whose_corners_belong_to_one_joint_each() -> None:
    data = gltf.encode(walker())
    tree = parsed(data)
    looks = tree["meshes"][0]["primitives"][0]["attributes"]
    points = numbers(data, looks["POSITION"], 3)
    normals, weights, joints = numbers(data, looks["NORMAL"], 3), numbers(data, looks["WEIGHTS_0"], 4), numbers(data, looks["JOINTS_0"], 4)
    assert len(points) == len(normals) == len(weights) == len(joints)
    np.testing.assert_array_equal(weights.sum(axis=1), 1.0)
    assert joints.max() < 3
    shapes = points.reshape(-1, 8, 3, 3)  # octahedra of eight triangles
    centres = shapes.mean(axis=(1, 2))[:, None]
    outward = np.einsum("sfk,sfk->sf", shapes.mean(axis=2) - centres, normals.reshape(-1, 8, 3, 3)[:, :, 0])
    assert np.all(outward > 0.0)
    a, b, c = np.moveaxis(shapes, 2, 0)
    np.testing.assert_allclose(np.cross(b - a, c - a).sum(axis=1), 0.0, atol=1e-6)  # closed: the faces' areas cancel
    accessor = tree["accessors"][looks["POSITION"]]
    np.testing.assert_allclose([accessor["min"], accessor["max"]], [points.min(axis=0), points.max(axis=0)])


def test_the_mesh_stands_where_the_bones_are() -> None:
    motion = walker()
    points = numbers(gltf.encode(motion), parsed(gltf.encode(motion))["meshes"][0]["primitives"][0]["attributes"]["POSITION"], 3)
    assert points[:, 1].min() == pytest.approx(0.0, abs=1e-6)
    assert points[:, 1].max() == pytest.approx(1.0, abs=0.1)


def test_translation_channels_stand_only_where_a_bone_leaves_its_rest() -> None:
    tree = parsed(gltf.encode(walker()))
    paths = [(c["target"]["node"], c["target"]["path"]) for c in tree["animations"][0]["channels"]]
    assert paths == [(1, "translation"), (1, "rotation"), (2, "rotation"), (3, "rotation")]


def test_a_clip_that_stands_still_keeps_its_length() -> None:
    motion = walker()
    still = motion.replace(translations=motion.translations[:1].repeat(40, 0), rotations=motion.rotations[:1].repeat(40, 0))
    again = gltf.read(gltf.encode(still), "x.glb")
    assert (again.num_frames, again.frame_time) == (40, motion.frame_time)


def test_a_single_joint_can_be_written() -> None:
    skeleton = Skeleton(("ball",), np.array([-1]), np.zeros((1, 3)), quaternion.IDENTITY[None])
    motion = Motion(skeleton, np.zeros((3, 1, 3)), np.tile(quaternion.IDENTITY, (3, 1, 1)), 0.1)
    assert gltf.read(gltf.encode(motion), "x.glb").num_frames == 3


def test_the_same_motion_gives_the_same_bytes() -> None:
    assert gltf.encode(walker()) == gltf.encode(walker())


def test_nothing_is_written_where_there_is_no_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="create it first"):
        write_motion(walker(), tmp_path / "none" / "x.glb")
