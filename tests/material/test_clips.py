"""Our key-framed motions: what makes each readable, and that planted feet stay where they are."""

import mujoco
import numpy as np
import pytest

from surefoot import material
from surefoot.character.builtin import builtin
from surefoot.errors import InputError
from surefoot.material.characters import DINO, HUMAN
from surefoot.material.puppet import Puppet
from surefoot.motion import quaternion
from surefoot.motion.motion import Motion
from tests.material.facts import SIDES, airborne, bend, joint, lowest, planted, tip

GRAVITY = 9.81
STANDING = ("humanoid/jump", "humanoid/box", "dinosaur/walk", "dinosaur/box", "dinosaur/jump")


@pytest.fixture(params=material.names())
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def motion(name: str) -> Motion:
    return material.motion(name)


def puppet_of(name: str) -> Puppet:
    return HUMAN if name.startswith("humanoid") else DINO


def test_the_names_are_these() -> None:
    humanoid = [f"humanoid/{clip}" for clip in ("walk", "run", "jump", "box", "getup")]
    assert material.names() == (*humanoid, "dinosaur/walk", "dinosaur/box", "dinosaur/jump")


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(InputError, match=r"no built-in motion named 'humanoid/wlak'; did you mean 'humanoid/walk'\? There are 8: "):
        material.motion("humanoid/wlak")
    with pytest.raises(InputError, match=r"no character of our own named 'dragon'\. There are 2: 'humanoid', 'dinosaur'\."):
        material.glb("dragon")


def test_a_script_gives_the_same_bits_each_time(name: str, motion: Motion) -> None:
    puppet, script = material._SCRIPTS[name]
    again = puppet.animate(motion.name, script())
    np.testing.assert_array_equal(again.rotations, motion.rotations)
    np.testing.assert_array_equal(again.translations, motion.translations)


def test_motions_are_named_and_carry_their_key_times(name: str, motion: Motion) -> None:
    assert motion.name == name.split("/")[1]
    assert motion.fps == pytest.approx(30.0)
    keys = motion.source.extra["key_times"]
    assert keys == sorted(keys)
    assert keys[-1] == pytest.approx(motion.duration, abs=0.5 / 30)
    assert motion.source.loop == (name in ("humanoid/walk", "humanoid/run"))


def test_a_planted_foot_slides_less_than_a_centimetre(motion: Motion) -> None:
    phases = planted(motion)
    assert phases
    for _, _, _, places in phases:
        assert np.linalg.norm(places - places[0], axis=-1).max() < 0.01


def test_nothing_sinks_into_the_floor(motion: Motion) -> None:
    assert lowest(motion).min() > -0.01


def test_a_planted_foot_is_on_the_floor(motion: Motion) -> None:
    for name, first, last, _ in planted(motion):
        side = name.split("_")[0]
        sole = np.minimum(tip(motion, f"{side}_heel")[:, 2], tip(motion, f"{side}_toe_tip")[:, 2])
        assert np.abs(sole[first : last + 1]).max() < 0.01


def test_bones_keep_their_lengths(motion: Motion) -> None:
    np.testing.assert_allclose(
        motion.translations[:, 1:], np.broadcast_to(motion.skeleton.translations[1:], motion.translations[:, 1:].shape)
    )


def test_hinges_turn_about_their_axis_only(name: str, motion: Motion) -> None:
    for hinge, axis in puppet_of(name).hinges.items():
        off = quaternion.rotate(motion.rotations[:, motion.skeleton.index(hinge)], axis) - np.array(axis)
        assert np.abs(off).max() < 1e-6


def test_knees_bend_backwards_and_never_lock(motion: Motion) -> None:
    for side in SIDES:
        hip, knee, ankle = (joint(motion, f"{side}_{part}") for part in ("hip", "knee", "ankle"))
        assert bend(motion, f"{side}_hip", f"{side}_knee", f"{side}_ankle").min() > 2.0
        # The knee lies on the side of the hip-ankle line that the thigh's own front looks to.
        front = quaternion.rotate(motion.joint_rotations[:, motion.skeleton.index(f"{side}_hip")], [1.0, 0.0, 0.0])
        assert np.sum((knee - 0.5 * (hip + ankle)) * front, -1).min() > 0.0


def test_joints_stay_within_the_characters_limits(name: str, motion: Motion) -> None:
    model, hinges = builtin(name.split("/")[0]).model, puppet_of(name).hinges
    for j, joint_name in enumerate(motion.skeleton.names[1:], 1):
        low, high = np.degrees(model.jnt_range[model.joint(joint_name).id])
        turned = quaternion.log(motion.rotations[:, j])
        angles = np.degrees(turned @ np.array(hinges[joint_name]) if joint_name in hinges else np.linalg.norm(turned, axis=-1))
        assert low <= angles.min(), joint_name
        assert angles.max() <= high, joint_name


def test_nothing_pops(motion: Motion) -> None:
    turned = quaternion.angle(quaternion.multiply(quaternion.conjugate(motion.rotations[:-1]), motion.rotations[1:]))
    assert np.degrees(turned).max() * motion.fps < 1600.0
    step = np.linalg.norm(np.diff(motion.joint_positions[:, 0], axis=0), axis=-1)
    assert step.max() * motion.fps < 5.0


@pytest.mark.parametrize("name", ["humanoid/walk", "humanoid/run"])
def test_a_gait_closes_one_stride_on(motion: Motion) -> None:
    shift = motion.joint_positions[-1, 0] - motion.joint_positions[0, 0]
    assert abs(shift[1]) < 1e-9
    assert abs(shift[2]) < 1e-9
    np.testing.assert_allclose(motion.joint_positions[-1], motion.joint_positions[0] + shift, atol=1e-9)
    seam = motion.joint_positions[1] - motion.joint_positions[0], motion.joint_positions[-1] - motion.joint_positions[-2]
    assert np.abs(seam[1] - seam[0]).max() < 0.05


@pytest.mark.parametrize("name", ["humanoid/walk", "humanoid/run"])
def test_a_gait_is_its_own_mirror_image_half_a_period_later(name: str, motion: Motion) -> None:
    script = material._SCRIPTS[name][1]
    halves = script()
    times = np.linspace(0.0, halves.duration / 2, 12)
    now, later = halves.sample(times), halves.sample(times + halves.duration / 2)
    assert halves.stride is not None
    for side, other in (SIDES, SIDES[::-1]):
        np.testing.assert_allclose(later[f"{side}_foot"] - [halves.stride / 2, 0, 0, 0, 0, 0], now[f"{other}_foot"], atol=1e-9)
        np.testing.assert_allclose(later[f"{side}_shoulder"], now[f"{other}_shoulder"], atol=1e-9)
    np.testing.assert_allclose(later["root"] - [halves.stride / 2, 0, 0], now["root"] * [1, -1, 1], atol=1e-9)
    frames = motion.num_frames - 1
    if frames % 2 == 0:  # half a period falls on a frame
        half = motion.joint_positions[frames // 2] - [halves.stride / 2, 0.0, 0.0]
        swap = [motion.skeleton.index(_other(n)) for n in motion.skeleton.names]
        np.testing.assert_allclose(half[swap] * [1, -1, 1], motion.joint_positions[0], atol=1e-6)


def _other(name: str) -> str:
    return name.replace("left_", "right_") if name.startswith("left_") else name.replace("right_", "left_")


@pytest.mark.parametrize(("name", "speed"), [("humanoid/walk", 1.31), ("humanoid/run", 3.07)])
def test_a_gait_has_its_speed(motion: Motion, speed: float) -> None:
    assert np.ptp(joint(motion, "pelvis")[[0, -1], 0]) / motion.duration == pytest.approx(speed, abs=0.01)


def test_the_walk_always_has_a_foot_down_and_the_run_flies() -> None:
    walk, run = material.motion("humanoid/walk"), material.motion("humanoid/run")
    assert walk.contacts is not None
    assert walk.contacts.any(1).mean() > 0.9
    first, last = airborne(run)
    assert 0.06 < (last - first + 1) / 30 < 0.2


@pytest.mark.parametrize("name", STANDING)
def test_what_begins_on_its_feet_begins_at_rest(motion: Motion) -> None:
    moved = np.linalg.norm(motion.joint_positions[1] - motion.joint_positions[0], axis=-1)
    assert moved.max() * motion.fps < 0.15
    assert motion.contacts is not None
    assert motion.contacts[0].sum() >= 2


@pytest.mark.parametrize("name", ["humanoid/jump", "humanoid/box", "humanoid/getup", "dinosaur/box", "dinosaur/jump"])
def test_what_ends_standing_ends_at_rest(motion: Motion) -> None:
    moved = np.linalg.norm(motion.joint_positions[-1] - motion.joint_positions[-2], axis=-1)
    assert moved.max() * motion.fps < 0.15


@pytest.mark.parametrize(("name", "hovers"), [("humanoid/jump", 1.9), ("dinosaur/jump", 1.9)])
def test_a_jump_hovers_about_twice_as_long_as_gravity_allows(motion: Motion, hovers: float) -> None:
    first, last = airborne(motion)
    height = joint(motion, "pelvis")[:, 2]
    start, top, end = height[first], height[first : last + 1].max(), height[last]
    ballistic = np.sqrt(2.0 * (top - start) / GRAVITY) + np.sqrt(2.0 * (top - end) / GRAVITY)
    flight = (last - first) / motion.fps
    assert 1.0 < flight < 1.3
    assert flight > hovers * ballistic


@pytest.mark.parametrize("name", ["humanoid/jump", "dinosaur/jump"])
def test_a_jump_crouches_leaps_forwards_and_lands_on_both_feet(motion: Motion) -> None:
    first, last = airborne(motion)
    height = joint(motion, "pelvis")[:, 2]
    stand = height[0]
    assert height[:first].min() < 0.75 * stand
    assert height[first:last].max() > 1.4 * stand
    assert height[last:].min() < 0.75 * stand
    assert height[-1] == pytest.approx(stand, abs=0.01)
    assert joint(motion, "pelvis")[-1, 0] > 0.8
    feet = [joint(motion, f"{side}_toe") for side in SIDES]
    np.testing.assert_allclose(feet[0] * [1, -1, 1], feet[1], atol=1e-9)


def test_the_dinosaur_walks_from_a_standstill() -> None:
    walk = material.motion("dinosaur/walk")
    root = joint(walk, "pelvis")
    speed = np.gradient(root[:, 0], walk.frame_time)
    assert np.abs(speed[:5]).max() < 0.15
    assert (root[104, 0] - root[44, 0]) / 2.0 == pytest.approx(1.0, abs=0.05)
    landings = [(first, name) for name, first, _, _ in planted(walk) if first > 0]
    assert [name.split("_")[0] for _, name in sorted(landings)] == ["left", "right"] * (len(landings) // 2) + ["left"] * (len(landings) % 2)
    assert len(landings) >= 5


def test_the_dinosaur_shifts_its_weight_before_its_first_step() -> None:
    walk = material.motion("dinosaur/walk")
    off = next(last for name, first, last, _ in planted(walk) if name == "left_toe" and first == 0)
    stance = -joint(walk, "right_toe")[0, 1]
    assert -joint(walk, "pelvis")[off, 1] > 0.45 * stance


def test_steady_steps_repeat_each_other() -> None:
    walk = material.motion("dinosaur/walk")
    a, b = walk.joint_positions[59:75], walk.joint_positions[89:105]
    np.testing.assert_allclose(b - a, np.broadcast_to([1.0, 0.0, 0.0], a.shape), atol=0.03)


def test_the_get_up_begins_lying_and_ends_standing() -> None:
    getup = material.motion("humanoid/getup")
    root, head = joint(getup, "pelvis")[:, 2], tip(getup, "head")[:, 2]
    assert root[0] < 0.15
    assert head[0] < 0.30
    assert root[-1] > 0.90
    assert head[-1] > 1.65
    assert joint(getup, "left_shoulder")[0, 2] < 0.25
    hands = np.stack([tip(getup, f"{side}_hand") for side in SIDES])[:, :66]
    assert np.abs(hands - hands[:, :1]).max() < 0.01  # they carry the body and do not slide


@pytest.mark.parametrize(("fist", "shoulder", "time"), [("left_wrist", "left", 0.75), ("right_wrist", "right", 1.46)])
def test_straight_punches_go_forward_at_the_height_of_the_head(fist: str, shoulder: str, time: float) -> None:
    box = material.motion("humanoid/box")
    at = round(time * 30)
    hand = joint(box, fist)
    reach = hand[:, 0] - joint(box, "neck")[:, 0]
    assert abs(int(reach[at - 9 : at + 10].argmax()) - 9) <= 2
    assert reach[at] > 0.60
    assert abs(hand[at, 1] - joint(box, "neck")[at, 1]) < 0.12
    assert 1.3 < hand[at, 2] < 1.6
    assert bend(box, f"{shoulder}_shoulder", f"{shoulder}_elbow", fist)[at] < 45.0


def test_the_hook_sweeps_across_with_a_level_bent_arm() -> None:
    box = material.motion("humanoid/box")
    hand, elbow = joint(box, "left_wrist"), joint(box, "left_elbow")
    assert hand[62, 1] - hand[70, 1] > 0.35
    assert abs(hand[67, 2] - elbow[67, 2]) < 0.12
    assert bend(box, "left_shoulder", "left_elbow", "left_wrist")[67] > 50.0


def test_boxers_end_as_they_began() -> None:
    for name in ("humanoid/box", "dinosaur/box"):
        box = material.motion(name)
        np.testing.assert_allclose(box.joint_positions[-1], box.joint_positions[0], atol=1e-3)


def test_the_dinosaur_punches_snaps_and_sweeps_its_tail() -> None:
    box = material.motion("dinosaur/box")
    chest = joint(box, "chest")
    for side, time in (("left", 0.62), ("left", 0.97), ("right", 1.42)):
        hand = tip(box, f"{side}_hand")[:, 0] - chest[:, 0]
        assert hand[round(time * 30)] > hand[0] + 0.08
    snout = tip(box, "snout")
    assert snout[64, 0] - snout[57, 0] > 0.35
    end = tip(box, "tail_tip")[:, 1]
    assert np.ptp(end[76:94]) > 1.0


def test_wrists_and_elbows_stay_out_of_the_trunk(name: str, motion: Motion) -> None:
    low, high = ("waist", "chest") if name.startswith("humanoid") else ("pelvis", "chest")
    a, b = joint(motion, low), joint(motion, "neck") * 0.4 + joint(motion, high) * 0.6
    for side in SIDES:
        end = joint(motion, f"{side}_wrist") if name.startswith("humanoid") else tip(motion, f"{side}_hand")
        for point in (joint(motion, f"{side}_elbow"), end):
            s = np.clip(np.sum((point - a) * (b - a), -1) / np.sum((b - a) ** 2, -1), 0.0, 1.0)[:, None]
            assert np.linalg.norm(point - a - s * (b - a), axis=-1).min() > 0.11


def test_characters_replay_the_clips_exactly_and_hardly_touch_themselves_or_sink(name: str, motion: Motion) -> None:
    """Replayed on the built-in character, with its flesh: no shape is deeper than 4.5 cm in another, 2 cm in the floor."""
    character = builtin(name.split("/")[0])
    qpos = character.qpos(motion)
    columns = [motion.skeleton.index(body) for body in character.skeleton.names]
    np.testing.assert_allclose(character.world(qpos)[0], motion.joint_positions[:, columns], atol=1e-6)
    model, data = character.model, mujoco.MjData(character.model)
    floor = model.geom("floor").id
    for pose in qpos:
        data.qpos[:] = pose
        mujoco.mj_forward(model, data)
        for contact in data.contact:
            assert contact.dist > (-0.02 if floor in contact.geom else -0.045), [model.geom(g).name for g in contact.geom]
