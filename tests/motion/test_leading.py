"""A T-pose in front of the motion, in whatever format it comes."""

from __future__ import annotations

import numpy as np
import pytest

from surefoot import material
from surefoot.character.rig import rig
from surefoot.motion import bvh, gltf, npz
from surefoot.motion.diagnose import diagnose
from surefoot.motion.files import ReadOptions, without_first_frame
from surefoot.motion.leading import MOST, leading_frames
from surefoot.motion.motion import Motion

WALK = material.motion("humanoid/walk")


def behind_rest_poses(motion: Motion, count: int) -> Motion:
    """The motion with its rest pose in front of it, some times."""
    rest = np.tile(motion.skeleton.rotations, (count, 1, 1))
    return motion.replace(
        translations=np.concatenate([np.repeat(motion.translations[:1], count, axis=0), motion.translations]),
        rotations=np.concatenate([rest, motion.rotations]),
        contacts=None,
    )


@pytest.mark.parametrize("count", range(MOST + 1))
def test_rest_poses_in_front_are_counted(count: int) -> None:
    motion = behind_rest_poses(WALK, count)
    assert leading_frames(motion) == count
    assert any(finding.kind == "rest frame" for finding in diagnose(motion)) == (count > 0)


def test_a_pose_that_is_held_longer_is_a_part_of_the_motion() -> None:
    assert leading_frames(behind_rest_poses(WALK, MOST + 1)) == 0
    assert leading_frames(WALK.replace(translations=WALK.translations[:2], rotations=WALK.rotations[:2], contacts=None)) == 0


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("kind", ["glb", "npz"])
def test_the_rig_leaves_them_out_of_a_glb_and_an_npz_and_readers_keep_them(kind: str, count: int) -> None:
    motion = behind_rest_poses(WALK, count)
    if kind == "glb":
        data = gltf.encode(motion)
        read = gltf.read(data, "walk.glb")
        dropped = gltf.read(data, "walk.glb", ReadOptions(drop_first_frame=True))
    else:
        read = npz.read(npz.encode(gltf.read(gltf.encode(motion), "walk.glb")), "walk.npz")
        dropped = without_first_frame(read)
    assert read.num_frames == motion.num_frames
    assert dropped.num_frames == rig(read).motion.num_frames == WALK.num_frames
    np.testing.assert_allclose(dropped.joint_positions, WALK.joint_positions, atol=1e-5)


def test_a_file_that_lies_about_its_rest_poses_loses_one_frame_at_most() -> None:
    for lie in ("three", 10**9, -1, 0, None, [2]):
        told = WALK.replace(source=WALK.source.__class__(extra={"leading_rest_frame": lie}))
        assert without_first_frame(told).num_frames == WALK.num_frames - 1


def test_what_a_bvh_had_in_front_is_left_out_of_the_glb_that_was_made_of_it() -> None:
    first = bvh.read(bvh.encode(behind_rest_poses(WALK, 1)), "walk.bvh")
    assert first.source.extra == {"leading_rest_frame": True}
    again = gltf.read(gltf.encode(first), "walk.glb")
    assert any("frame 0 snaps" in line for line in rig(again).character.report)
