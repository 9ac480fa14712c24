"""Motions of one body on another."""

from __future__ import annotations

import numpy as np
import pytest

from surefoot.character.builtin import builtin
from surefoot.character.retarget import RetargetConfig, retarget
from surefoot.character.retarget.ground import lowest
from surefoot.character.retarget.measure import measure, turning
from surefoot.motion import bvh, deepmimic, quaternion
from surefoot.motion.files import ReadOptions
from surefoot.motion.motion import Motion, Source
from surefoot.motion.skeleton import Skeleton
from tests.character.retarget.clips import resized, steps, turned
from tests.clips import MOTIONS, needs_motions


def read(name: str) -> Motion:
    path = MOTIONS / name
    if path.suffix == ".bvh":
        return bvh.read(path.read_bytes(), path.name, ReadOptions(drop_first_frame=True))
    return deepmimic.read(path.read_bytes(), path.name, ReadOptions())


def test_a_motion_on_its_own_body_stays_what_it_is() -> None:
    motion = steps("humanoid", 20)
    result = retarget(motion, builtin("humanoid"))
    assert np.abs(result.motion.joint_positions - motion.joint_positions).max() < 0.005


@pytest.mark.parametrize(("source", "target"), [("humanoid", "deepmimic"), ("deepmimic", "humanoid")])
def test_end_effectors_land_where_the_scaled_ones_are(source: str, target: str) -> None:
    motion = steps(source)
    character = builtin(target)
    found = measure(retarget(motion, character), character, motion)
    assert found.end_m < 0.01
    assert found.slide_m < 0.005
    assert found.penetration_m < 0.003
    assert found.joint_speed < 1.5 * found.source_speed


def test_a_body_twice_as_large_moves_the_character_just_the_same() -> None:
    motion = steps("deepmimic", 12)
    one = retarget(motion, builtin("humanoid")).motion
    two = retarget(resized(motion, 2.0), builtin("humanoid")).motion
    assert np.abs(one.joint_positions - two.joint_positions).max() < 0.02


def test_the_unit_of_the_sources_file_is_not_that_of_another_body() -> None:
    motion = steps("deepmimic", 12)
    told = motion.replace(source=Source(format="bvh", file="run.bvh", unit_m=0.0254 / 0.45, up_axis="Y"))
    result = retarget(told, builtin("dinosaur")).motion
    assert (result.source.file, result.source.format) == ("run.bvh", "")
    again = bvh.read(bvh.encode(result), "again.bvh")
    order = [result.skeleton.index(name) for name in again.skeleton.names]
    np.testing.assert_allclose(again.joint_positions, result.joint_positions[:, order], atol=1e-6)


def test_the_way_a_rest_pose_faces_does_not_matter() -> None:
    motion = steps("deepmimic", 12)
    one = retarget(motion, builtin("humanoid")).motion.joint_positions
    two = retarget(turned(motion, 0.7), builtin("humanoid")).motion.joint_positions
    back = np.array([[np.cos(0.7), -np.sin(0.7), 0.0], [np.sin(0.7), np.cos(0.7), 0.0], [0.0, 0.0, 1.0]])
    assert np.abs(two @ back - one).max() < 1e-3


def test_a_trunk_that_sinks_into_the_ground_is_lifted_unless_told_not_to() -> None:
    motion = steps("deepmimic", 8)
    root = np.eye(1, motion.skeleton.num_joints).T
    lying = motion.rotations * (1.0 - root) + root * [0.7071067811865476, 0.0, 0.7071067811865476, 0.0]
    flat = motion.replace(translations=motion.translations * (1.0 - root) + root * [0.0, 0.0, 0.02], rotations=lying)
    character = builtin("humanoid")
    assert lowest(character.model, retarget(flat, character).qpos).min() > -0.005
    assert lowest(character.model, retarget(flat, character, RetargetConfig(ground=False, lock=False)).qpos).min() < -0.05


def test_joint_limits_hold() -> None:
    character = builtin("humanoid")
    result = retarget(steps("deepmimic"), character)
    model = character.model
    for j in np.flatnonzero(model.jnt_limited):
        adr = model.jnt_qposadr[j]
        if model.jnt_type[j] == 3:
            assert result.qpos[:, adr].min() >= model.jnt_range[j, 0] - 1e-3
            assert result.qpos[:, adr].max() <= model.jnt_range[j, 1] + 1e-3


@needs_motions
@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("deepmimic/humanoid3d_walk.txt", "humanoid"),
        ("deepmimic/humanoid3d_getup_facedown.txt", "humanoid"),
        ("cmu_bvh/cmu_10_03_kick_ball.bvh", "deepmimic"),
    ],
)
def test_real_clips_keep_their_end_effectors_off_the_ground_and_their_feet_still(name: str, target: str) -> None:
    motion, character = read(name), builtin(target)
    found = measure(retarget(motion, character), character, motion)
    assert found.end_m < 0.03
    assert found.penetration_m < 0.01
    assert found.slide_m < 0.01
    assert found.joint_speed < 2.5 * found.source_speed


def test_turning_is_the_angle_between_frames_over_the_frame_time() -> None:
    motion = steps("deepmimic", 30)
    chest = motion.skeleton.index("chest")
    assert turning(motion)[:, chest].max() == pytest.approx(0.3 * 2.0 * np.pi / 29 * 60.0, rel=0.02)


def test_a_limb_without_length_is_followed_by_its_rotation_alone() -> None:
    names = ("body", "head", "arm_left", "arm_right", "leg_left", "leg_right")
    places = np.array([[0.0, 0.0, 0.8], [0.0, 0.0, 0.5], [0.0, 0.2, 0.4], [0.0, -0.2, 0.4], [0.0, 0.1, -0.1], [0.0, -0.1, -0.1]])
    skeleton = Skeleton(names, np.array([-1, 0, 0, 0, 0, 0]), places, np.tile([1.0, 0.0, 0.0, 0.0], (6, 1)))
    swing = np.tile(skeleton.rotations, (20, 1, 1))
    swing[:, 4] = quaternion.about([0.0, 1.0, 0.0], np.linspace(-0.4, 0.4, 20))
    toy = Motion(skeleton, np.tile(places, (20, 1, 1)), swing, 1.0 / 30.0, name="toy")
    character = builtin("humanoid")
    result = retarget(toy, character)
    knee = result.motion.joint_positions[:, character.skeleton.index("left_knee")]
    assert knee[0, 0] - knee[-1, 0] > 0.2
    assert set(result.ends) <= {"spine"}
    assert lowest(character.model, result.qpos).min() > -0.005
