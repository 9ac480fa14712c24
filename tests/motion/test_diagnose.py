"""Each trouble is put into a sound motion, and told; the sound motion has none."""

import numpy as np
import pytest

from surefoot import material
from surefoot.motion import quaternion
from surefoot.motion.anatomy import reparent
from surefoot.motion.diagnose import Finding, diagnose
from surefoot.motion.edit import close_cycle, cut, repeat, resample, scale, translate
from surefoot.motion.files import read_motion
from surefoot.motion.motion import Motion
from surefoot.motion.skeleton import Skeleton
from tests.clips import MOTIONS, needs_motions


@pytest.fixture(scope="module")
def walk() -> Motion:
    """A sound walk at 120 frames a second."""
    return resample(material.motion("humanoid/walk"), 120.0, interpolation="cubic")


def found(motion: Motion, kind: str) -> Finding:
    """The one finding of that kind."""
    findings = [f for f in diagnose(motion) if f.kind == kind]
    assert len(findings) == 1, [f.kind for f in diagnose(motion)]
    assert findings[0].sentence.endswith(".")
    return findings[0]


def moved(motion: Motion, frames: slice, shift: tuple[float, float, float], joint: int = 0) -> Motion:
    translations = np.array(motion.translations)
    translations[frames, joint] += shift
    return motion.replace(translations=translations)


@pytest.mark.parametrize("name", material.names())
def test_our_own_motions_have_no_warnings(name: str) -> None:
    assert [f.sentence for f in diagnose(material.motion(name)) if f.severity == "warning"] == []


def test_a_teleport_is_told_with_its_place_and_size(walk: Motion) -> None:
    finding = found(moved(walk, slice(60, None), (0.7, 0.0, 0.0)), "jump")
    assert finding.severity == "warning"
    assert finding.frame == 60
    assert "The whole body jumps by 0.7" in finding.sentence
    assert "0.50 s (frame 60)" in finding.sentence


def test_a_joint_that_jumps_and_one_that_flips_are_named(walk: Motion) -> None:
    skeleton = walk.skeleton
    elbow, knee = skeleton.index("left_elbow"), skeleton.index("right_knee")
    assert found(moved(walk, slice(40, 41), (0.0, 0.0, 0.4), elbow), "jump").joint == "left_elbow"
    rotations = np.array(walk.rotations)
    rotations[30, knee] = quaternion.multiply(rotations[30, knee], quaternion.exp([0.0, 2.5, 0.0]))
    flip = found(walk.replace(rotations=rotations), "flip")
    assert (flip.joint, flip.frame) == ("right_knee", 30)
    assert "turns by 143° in one frame" in flip.sentence


def test_noise_is_told_as_millimetres_and_a_little_of_it_is_only_a_note(walk: Motion) -> None:
    rng = np.random.default_rng(0)
    for size, severity in ((0.01, "warning"), (0.0018, "note")):
        translations = np.array(walk.translations)
        translations[:, 0] += size / np.sqrt(3.0) * rng.normal(size=translations[:, 0].shape)
        noise = found(walk.replace(translations=translations), "noise")
        assert noise.severity == severity
        assert " mm" in noise.sentence


def test_a_leading_rest_pose_is_told_once_and_hides_nothing_else(walk: Motion) -> None:
    rest = walk.skeleton
    bad = moved(walk, slice(80, None), (0.7, 0.0, 0.0))
    with_rest = bad.replace(
        translations=np.concatenate([bad.translations[:1], bad.translations]),
        rotations=np.concatenate([rest.rotations[None], bad.rotations]),
        contacts=None,
    )
    kinds = [f.kind for f in diagnose(with_rest) if f.severity == "warning"]
    assert kinds == ["rest frame", "jump"]
    jump = found(with_rest, "jump")
    assert jump.frame == 81
    assert "(frame 81)" in jump.sentence


def test_the_floor_is_told_when_it_lies_elsewhere_is_broken_through_or_never_reached(walk: Motion) -> None:
    assert "below z = 0" in found(translate(walk, [0, 0, -0.9]), "floor").sentence
    assert "nearer to the floor z = 0 than" in found(translate(walk, [0, 0, 0.8]), "floating").sentence
    sunk = moved(walk, slice(50, 56), (0.0, 0.0, -0.2))
    assert found(sunk, "below the floor").frame in range(50, 56)


def test_a_floor_that_rises_along_the_way_is_told_with_its_angle() -> None:
    far = repeat(close_cycle(material.motion("humanoid/walk")), 3)
    translations = np.array(far.translations)
    translations[:, 0, 2] += np.tan(np.radians(2.0)) * translations[:, 0, 0]
    sentence = found(far.replace(translations=translations, contacts=None), "tilted floor").sentence
    assert 1.8 <= float(sentence.split("tilts by ")[1].split("°")[0]) <= 2.2
    assert not [f for f in diagnose(far) if f.kind == "tilted floor"]


def test_skating_is_told_in_centimetres(walk: Motion) -> None:
    skating = moved(walk, slice(None), (0.0, 0.0, 0.0))
    translations = np.array(skating.translations)
    translations[:, 0, 0] += 0.35 * walk.times
    finding = found(walk.replace(translations=translations, contacts=None), "skating")
    assert finding.severity == "warning"
    assert finding.joint in ("left_ankle", "right_ankle", "left_toe", "right_toe")


def test_a_jump_that_hovers_is_told_in_g() -> None:
    gravity = found(material.motion("humanoid/jump"), "gravity")
    assert gravity.severity == "note"
    assert "hovers" in gravity.sentence
    assert " g;" in gravity.sentence


def test_feet_hung_from_the_root_are_told(walk: Motion) -> None:
    skeleton = walk.skeleton
    rooted = Skeleton(
        ("root", *skeleton.names),
        np.concatenate([[-1], skeleton.parents + 1]),
        np.concatenate([np.zeros((1, 3)), skeleton.translations]),
        np.concatenate([quaternion.IDENTITY[None], skeleton.rotations]),
    )
    still = np.zeros((walk.num_frames, 1, 3))
    level = np.tile(quaternion.IDENTITY, (walk.num_frames, 1, 1))
    rigged = walk.replace(
        skeleton=rooted,
        translations=np.concatenate([still, walk.translations], axis=1),
        rotations=np.concatenate([level, walk.rotations], axis=1),
        contacts=None,
    )
    for name in ("left_ankle", "right_ankle"):
        rigged = reparent(rigged, rigged.skeleton.index(name), 0)
    finding = found(rigged, "detached limbs")
    assert "'left_ankle'" in finding.sentence
    assert "'left_ankle' under 'left_knee'" in finding.sentence


def test_bones_that_stretch_joints_that_never_move_and_names_twice_are_told(walk: Motion) -> None:
    knee = walk.skeleton.index("left_knee")
    translations = np.array(walk.translations)
    translations[:, knee] *= (1.0 + 0.1 * np.sin(4.0 * walk.times))[:, None]
    assert found(walk.replace(translations=translations), "stretching bones").joint == "left_knee"
    rotations = np.array(walk.rotations)
    rotations[:, knee] = rotations[0, knee]
    assert "'left_knee'" in found(walk.replace(rotations=rotations), "frozen joints").sentence
    skeleton = walk.skeleton
    names = tuple("hand" if name.endswith("wrist") else name for name in skeleton.names)
    doubled = Skeleton(names, skeleton.parents, skeleton.translations, skeleton.rotations, skeleton.tips)
    assert "'hand'" in found(walk.replace(skeleton=doubled), "names twice").sentence


def test_a_pose_a_still_clip_and_a_giant_are_told(walk: Motion) -> None:
    assert "a single frame" in found(cut(walk, 0.0, 0.0), "too short").sentence
    still = walk.replace(
        translations=np.repeat(walk.translations[:1], 50, 0), rotations=np.repeat(walk.rotations[:1], 50, 0), contacts=None
    )
    assert found(still, "nothing moves").severity == "warning"
    assert "17 m tall" in found(scale(walk, 10.0), "size").sentence


def test_the_arms_of_a_rest_pose_that_is_no_t_pose_are_told_with_their_angle(walk: Motion) -> None:
    assert "the arms point 60° down" in found(walk, "rest pose").sentence


def test_warnings_stand_before_notes(walk: Motion) -> None:
    order = [f.severity for f in diagnose(moved(walk, slice(60, None), (0.7, 0.0, -0.1)))]
    assert order == sorted(order, reverse=True)


@needs_motions
@pytest.mark.parametrize(
    ("file", "kinds"),
    [
        ("cmu_bvh/cmu_88_01_backflip.bvh", {"rest frame", "noise", "flip"}),
        ("gltf/quaternius_trex.glb#Armature|TRex_Walk", {"detached limbs", "skating", "size"}),
        ("gltf/robot_expressive.glb#Jump", {"detached limbs", "gravity", "controls"}),
        ("gltf/kaykit_medium_movement_basic.glb#Jump_Full_Long", {"gravity"}),
        ("cmu_bvh/cmu_02_01_walk_normal.bvh", {"rest frame", "tilted floor", "frozen joints"}),
        ("cmu_bvh/cmu_143_37_climb_ladder.bvh", {"gravity"}),
    ],
)
def test_the_known_troubles_of_real_clips_are_found(file: str, kinds: set[str]) -> None:
    assert kinds <= {f.kind for f in diagnose(read_motion(f"{MOTIONS}/{file}"))}
