"""Who is who: by names, by geometry alone, turned anywhere, and in every real skeleton."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot import material
from surefoot.errors import InputError
from surefoot.motion import quaternion
from surefoot.motion.anatomy import Anatomy, anatomy, attach, reparent
from surefoot.motion.edit import face, mirror, scale
from surefoot.motion.files import ReadOptions, list_clips, read_motion
from surefoot.motion.motion import Motion
from surefoot.motion.skeleton import Skeleton
from tests.clips import MOTIONS, needs_motions

CLIPS = ["humanoid/walk", "humanoid/getup", "dinosaur/walk", "dinosaur/jump"]


def nameless(motion: Motion) -> Motion:
    """The same body with names that tell nothing."""
    old = motion.skeleton
    names = tuple(f"bone{j}" for j in range(old.num_joints))
    return motion.replace(skeleton=Skeleton(names, old.parents, old.translations, old.rotations, old.tips))


def named(body: Anatomy, motion: Motion, joints: tuple[int, ...]) -> list[str]:
    return [motion.skeleton.names[j] for j in joints]


def test_a_person_is_told_limb_by_limb() -> None:
    motion = material.motion("humanoid/walk")
    body = anatomy(motion.skeleton, motion)
    names = motion.skeleton.names
    assert names[body.trunk] == "pelvis"
    assert named(body, motion, body.feet) == ["left_ankle", "right_ankle"]
    assert [named(body, motion, leg)[:3] for leg in body.legs] == [[f"{s}_hip", f"{s}_knee", f"{s}_ankle"] for s in ("left", "right")]
    assert named(body, motion, body.hands) == ["left_wrist", "right_wrist"]
    assert body.head is not None
    assert not body.tail
    assert not body.detached
    assert np.allclose(body.forward, [1, 0, 0], atol=1e-6)
    assert np.allclose(body.left, [0, 1, 0], atol=1e-6)
    assert all(names[body.partner[j]].replace("right", "left") == name.replace("right", "left") for j, name in enumerate(names))


@pytest.mark.parametrize("name", CLIPS)
def test_a_body_without_names_has_the_same_limbs_and_partners(name: str) -> None:
    motion = material.motion(name)
    told, blind = anatomy(motion.skeleton, motion), anatomy(nameless(motion).skeleton, nameless(motion))
    assert np.array_equal(told.partner, blind.partner)
    assert set(told.legs) == set(blind.legs)
    assert told.trunk == blind.trunk
    assert abs(told.forward @ blind.forward) > 0.99


@settings(max_examples=20, deadline=None)
@given(yaw=st.floats(-3.1, 3.1), factor=st.floats(0.02, 50.0), name=st.sampled_from(CLIPS))
def test_size_and_heading_change_nothing_but_forward(yaw: float, factor: float, name: str) -> None:
    motion = material.motion(name)
    turn = quaternion.about(np.array([0.0, 0.0, 1.0]), yaw)
    old = motion.skeleton
    rest = np.array(old.rotations), np.array(old.translations)
    for j in old.roots:
        rest[0][j], rest[1][j] = quaternion.multiply(turn, rest[0][j]), quaternion.rotate(turn, rest[1][j])
    turned = motion.replace(skeleton=Skeleton(old.names, old.parents, rest[1], rest[0], old.tips))
    scaled = scale(face(turned, 1.0, body=anatomy(old)), factor)
    before, after = anatomy(old, motion), anatomy(scaled.skeleton, scaled)
    assert before.legs == after.legs
    assert before.arms == after.arms
    assert before.side == after.side
    assert np.array_equal(before.partner, after.partner)
    assert quaternion.rotate(turn, before.forward) @ after.forward > 0.999


@pytest.mark.parametrize("name", material.names())
def test_a_mirrored_motion_has_the_same_anatomy(name: str) -> None:
    motion = material.motion(name)
    before, after = anatomy(motion.skeleton, motion), anatomy(motion.skeleton, mirror(motion))
    assert before.legs == after.legs
    assert np.array_equal(before.partner, after.partner)
    assert np.allclose(before.forward, after.forward)


def test_partners_are_mutual_and_the_sides_of_pairs_differ() -> None:
    for name in CLIPS:
        body = anatomy(material.motion(name).skeleton)
        for j, k in enumerate(body.partner):
            assert k < 0 or body.partner[k] == j
            if k > j:
                assert {body.side[j], body.side[k]} == {"left", "right"}


def test_hanging_a_joint_elsewhere_moves_nothing_in_the_world() -> None:
    motion = material.motion("humanoid/walk")
    ankle = motion.skeleton.index("left_ankle")
    moved, order = attach(motion, {ankle: 0})
    assert np.allclose(moved.joint_positions, motion.joint_positions[:, order], atol=1e-12)
    assert np.allclose(moved.skeleton.rest[0], motion.skeleton.rest[0][order], atol=1e-12)
    back = reparent(moved, moved.skeleton.index("left_ankle"), moved.skeleton.index("left_knee"))
    assert np.allclose(back.translations[:, back.skeleton.index("left_ankle")], motion.translations[:, ankle], atol=1e-12)


def test_a_joint_cannot_hang_below_itself() -> None:
    motion = material.motion("humanoid/walk")
    with pytest.raises(InputError, match="'left_hip' under 'left_knee': a joint cannot hang below itself"):
        reparent(motion, motion.skeleton.index("left_hip"), motion.skeleton.index("left_knee"))
    with pytest.raises(InputError, match="there are joints 0 to"):
        reparent(motion, 99, 0)


def test_odd_skeletons_are_described_too() -> None:
    for parents in ([-1], [-1, 0], [-1, 0, 1, 2, 3], [-1, -1, -1]):
        num = len(parents)
        line = np.tile([0.3, 0.0, 0.0], (num, 1))
        skeleton = Skeleton(tuple("abcde"[:num]), np.array(parents), line, np.tile(quaternion.IDENTITY, (num, 1)))
        body = anatomy(skeleton)
        assert body.legs == ()
        assert "no legs found" in body.notes
        assert np.isclose(np.linalg.norm(body.forward), 1.0)
        assert len(body.partner) == num


def _real() -> list[tuple[str, int, int, bool]]:
    """Clip, number of legs and arms, whether it has a tail."""
    return [
        ("cmu_bvh/cmu_49_06_cartwheel.bvh", 2, 2, False),
        ("cmu_bvh/cmu_139_16_getup_from_ground.bvh", 2, 2, False),
        ("cmu_amc/02_01.amc", 2, 2, False),
        ("deepmimic/humanoid3d_cartwheel.txt", 2, 2, False),
        ("deepmimic/humanoid3d_backflip.txt", 2, 2, False),
        ("gltf/kaykit_medium_movement_basic.glb", 2, 2, False),
        ("gltf/khronos_fox.glb", 4, 0, True),
        ("gltf/quaternius_trex.glb", 2, 2, True),
        ("gltf/quaternius_velociraptor.glb", 2, 2, True),
        ("gltf/robot_expressive.glb", 2, 2, False),
        ("quadruped_keyframes/hopturn.txt", 4, 0, False),
        ("quadruped_keyframes/inplace_steps.txt", 4, 0, False),
    ]


@needs_motions
@pytest.mark.parametrize(("file", "legs", "arms", "tail"), _real())
def test_the_limbs_of_real_bodies_are_counted_in_every_clip(file: str, legs: int, arms: int, tail: bool) -> None:
    path = MOTIONS / file
    for clip in list_clips(path):
        motion = read_motion(path, ReadOptions(clip=clip.name if path.suffix == ".glb" else None))
        body = anatomy(motion.skeleton, motion)
        assert (len(body.legs), len(body.arms), bool(body.tail)) == (legs, arms, tail), (clip.name, body.notes)
        assert [body.side[foot] for foot in body.feet] == ["left", "right"] * (legs // 2)


@needs_motions
@pytest.mark.parametrize("file", ["quaternius_trex.glb", "quaternius_velociraptor.glb", "robot_expressive.glb"])
def test_feet_that_are_controls_of_the_rig_are_found_in_every_clip(file: str) -> None:
    path = MOTIONS / "gltf" / file
    for clip in list_clips(path):
        motion = read_motion(path, ReadOptions(clip=clip.name))
        body = anatomy(motion.skeleton, motion)
        moves = {motion.skeleton.names[j]: motion.skeleton.names[p] for j, p in body.detached.items()}
        feet = {name for name in motion.skeleton.names if "Foot" in name and "Front" not in name and not name.endswith(("_end", "End"))}
        assert len(moves) == 2, (clip.name, moves)
        assert set(moves) <= feet
        assert all(a[-1] == b[-1] for a, b in moves.items())
