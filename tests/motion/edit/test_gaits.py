"""Mirroring, cycles and contacts of gaits whose truth is known: those of our own material."""

import numpy as np
import pytest

from surefoot import material
from surefoot.errors import InputError
from surefoot.motion import quaternion
from surefoot.motion.anatomy import anatomy
from surefoot.motion.edit import (
    Cycle,
    close_cycle,
    concatenate,
    cut,
    face,
    fill_contacts,
    find_cycle,
    foot_contacts,
    give_travel,
    is_in_place,
    mirror,
    repeat,
    resample,
    translate,
    velocities,
)
from surefoot.motion.edit.close import stride
from surefoot.motion.motion import Motion

GAITS = ["humanoid/walk", "humanoid/run"]


def treadmill(motion: Motion) -> Motion:
    """The motion with the straight part of its travel taken out."""
    root = motion.skeleton.roots[0]
    path = np.linspace(0.0, 1.0, motion.num_frames)[:, None] * (motion.translations[-1, root] - motion.translations[0, root]) * [1, 1, 0]
    translations = np.array(motion.translations)
    translations[:, root] -= path
    return motion.replace(translations=translations, contacts=None)


def feet(motion: Motion) -> list[np.ndarray]:
    """Whether each foot is planted (T,), left first."""
    flags = foot_contacts(motion)
    return [flags[:, list(motion.skeleton.descendants(chain[0]))].any(axis=1) for chain in anatomy(motion.skeleton, motion).legs]


@pytest.mark.parametrize("name", GAITS)
def test_a_mirrored_gait_has_swapped_contacts_and_travels_the_same_way(name: str) -> None:
    motion = material.motion(name)
    mirrored = mirror(motion)
    left, right = feet(motion)
    other_left, other_right = feet(mirrored)
    assert np.array_equal(left, other_right)
    assert np.array_equal(right, other_left)
    root = motion.skeleton.roots[0]
    before, after = motion.joint_positions[:, root], mirrored.joint_positions[:, root]
    assert np.allclose(before[:, [0, 2]], after[:, [0, 2]], atol=1e-9)  # it walks along +X
    assert np.allclose(before[:, 1] - before[0, 1], before[0, 1] - after[:, 1], atol=1e-9)


def test_under_mirroring_velocities_flip_across_and_angular_velocities_along_the_plane() -> None:
    motion = material.motion("humanoid/walk")
    mirrored = mirror(motion)
    partner = anatomy(motion.skeleton, motion).partner
    before, after = velocities(motion), velocities(mirrored)
    assert np.allclose(after.linear, before.linear[:, partner] * [1, -1, 1], atol=1e-6)
    assert np.allclose(after.angular, before.angular[:, partner] * [-1, 1, -1], atol=1e-6)


def test_a_symmetric_gait_is_its_own_mirror_image_half_a_cycle_later() -> None:
    motion = material.motion("humanoid/walk")
    half = (motion.num_frames - 1) // 2
    twice = repeat(close_cycle(motion), 2)
    later = cut(mirror(twice), half * motion.frame_time, (half + motion.num_frames - 1) * motion.frame_time)
    apart = later.joint_positions - later.joint_positions[:, :1] - (motion.joint_positions - motion.joint_positions[:, :1])
    assert np.abs(apart).max() < 0.02


@pytest.mark.parametrize("name", GAITS)
def test_the_whole_of_a_cycle_is_found(name: str) -> None:
    motion = material.motion(name)
    cycle = find_cycle(motion)
    assert cycle is not None
    assert (cycle.start, cycle.end) == (0.0, motion.duration)
    assert cycle.confidence > 0.7
    assert "of its first pose" in cycle.why


@pytest.mark.parametrize("name", GAITS)
def test_one_cycle_is_found_among_several_with_a_beginning_and_an_end(name: str) -> None:
    one = material.motion(name)
    several = repeat(close_cycle(one), 4)
    shown = cut(several, 0.3, several.duration - 0.2)
    cycle = find_cycle(shown.replace(source=one.source))
    assert cycle is not None
    assert abs(cycle.duration - one.duration) < 1.5 * one.frame_time
    assert cycle.confidence > 0.8
    assert "repeat a cycle later" in cycle.why


def test_what_does_not_repeat_or_hardly_moves_has_no_cycle() -> None:
    assert find_cycle(material.motion("humanoid/getup")) is None
    walk = material.motion("humanoid/walk")
    still = walk.replace(
        translations=np.repeat(walk.translations[:1], 60, axis=0), rotations=np.repeat(walk.rotations[:1], 60, axis=0), contacts=None
    )
    assert find_cycle(still) is None
    assert find_cycle(cut(walk, 0.0, 0.1)) is None


@pytest.mark.parametrize("name", GAITS)
@pytest.mark.parametrize("turn", [0.0, 0.6])
def test_a_closed_cycle_ends_in_its_first_pose_moved_along_the_floor(name: str, turn: float) -> None:
    motion = material.motion(name)
    root = motion.skeleton.roots[0]
    ramp = np.linspace(0.0, turn, motion.num_frames)
    spin = quaternion.about(np.array([0.0, 0.0, 1.0]), ramp)
    translations, rotations = np.array(motion.translations), np.array(motion.rotations)
    translations[:, root] = quaternion.rotate(spin, translations[:, root])
    rotations[:, root] = quaternion.multiply(spin, rotations[:, root])
    rotations[:, 3] = quaternion.multiply(rotations[:, 3], quaternion.exp(np.linspace(0.0, 0.1, len(ramp))[:, None] * [1.0, 0.5, 0.0]))
    closed = close_cycle(motion.replace(translations=translations, rotations=rotations, contacts=None))
    step = stride(closed)
    assert abs(step.yaw - turn) < 0.02
    assert np.allclose(step.points(closed.joint_positions[0]), closed.joint_positions[-1], atol=1e-9)
    assert closed.source.loop is True


@pytest.mark.parametrize("name", GAITS)
def test_a_repeated_gait_travels_straight_and_its_velocity_does_not_jump_at_the_seam(name: str) -> None:
    motion = material.motion(name)
    rng = np.random.default_rng(2)
    drift = np.linspace(0.0, 1.0, motion.num_frames)[:, None, None]
    off = quaternion.exp(0.08 * rng.normal(size=(motion.skeleton.num_joints, 3)) * drift)
    crooked = motion.replace(rotations=quaternion.multiply(motion.rotations, off), contacts=None)
    many = repeat(close_cycle(crooked, Cycle(start=0.0, end=motion.duration, error=0.0, confidence=1.0, why="")), 6)
    path = many.joint_positions[:, motion.skeleton.roots[0], :2]
    net = path[-1] - path[0]
    aside = np.abs((path - path[0]) @ np.array([-net[1], net[0]])) / np.linalg.norm(net)
    assert aside.max() < 0.05
    speed_change = np.abs(np.diff(many.joint_positions, 2, axis=0)).max(axis=(1, 2))
    seams = speed_change[motion.num_frames - 2 :: motion.num_frames - 1]
    assert len(seams) == 5
    assert seams.max() < 1.2 * np.percentile(speed_change, 90)


def test_repeating_keeps_frames_between_and_counts_shared_ones_once() -> None:
    motion = close_cycle(material.motion("humanoid/walk"))
    assert repeat(motion, 1) is motion
    assert repeat(motion, 5).num_frames == 5 * (motion.num_frames - 1) + 1
    with pytest.raises(InputError, match="a whole number of times, 1 or more; got 0"):
        repeat(motion, 0)


@pytest.mark.parametrize("name", GAITS)
def test_each_foot_stands_once_a_cycle_and_does_not_slide_while_it_stands(name: str) -> None:
    motion = repeat(close_cycle(resample(material.motion(name), 120.0, interpolation="cubic")), 3)
    flags = foot_contacts(motion)
    period = motion.num_frames // 3
    for planted in feet(motion):
        assert np.count_nonzero(np.diff(planted[period : 2 * period + 1].astype(int)) == 1) == 1
        share = planted.mean()
        assert (0.5 < share < 0.75) if name.endswith("walk") else (0.2 < share < 0.5)
    speeds = np.linalg.norm(velocities(motion).linear, axis=-1)
    assert np.median(speeds[flags]) < 0.25


def test_contacts_given_by_a_file_are_kept() -> None:
    motion = material.motion("humanoid/walk")
    given = motion.replace(contacts=np.ones((motion.num_frames, motion.skeleton.num_joints), dtype=bool))
    assert fill_contacts(given) is given
    filled = fill_contacts(motion.replace(contacts=None))
    assert filled.contacts is not None
    assert filled.contacts.any()


def test_a_body_in_the_air_has_no_contacts_and_neither_has_the_flight_of_a_run() -> None:
    walk = material.motion("humanoid/walk")
    assert not foot_contacts(translate(walk, [0.0, 0.0, 0.6])).any()
    run = material.motion("humanoid/run")
    assert (~np.any(feet(run), axis=0)).mean() > 0.1


@pytest.mark.parametrize("name", GAITS)
def test_a_gait_put_on_a_treadmill_gets_its_travel_back_from_its_feet(name: str) -> None:
    motion = material.motion(name)
    assert not is_in_place(motion)
    in_place = treadmill(motion)
    assert is_in_place(in_place)
    root = motion.skeleton.roots[0]
    back = give_travel(in_place)
    assert not is_in_place(back)
    want = motion.joint_positions[-1, root, 0] - motion.joint_positions[0, root, 0]
    got = back.joint_positions[-1, root] - back.joint_positions[0, root]
    assert abs(got[0] - want) < 0.08 * want
    assert abs(got[1]) < 0.03 * want
    steady = give_travel(in_place, steady=True)
    assert np.allclose(steady.joint_positions[-1], back.joint_positions[-1], atol=0.05)
    for before, after in zip(feet(motion), feet(in_place), strict=True):
        assert (before == after).mean() > 0.85


def test_standing_boxing_and_getting_up_are_not_walking_in_place() -> None:
    assert not is_in_place(material.motion("humanoid/box"))
    assert not is_in_place(material.motion("humanoid/getup"))
    assert not is_in_place(material.motion("dinosaur/box"))


def test_a_concatenation_goes_on_where_and_whither_the_first_went_without_a_jump() -> None:
    walk, run = material.motion("humanoid/walk"), material.motion("humanoid/run")
    elsewhere = translate(face(run, 2.0), [3.0, -4.0, 0.0])
    both = concatenate(walk, elsewhere, blend=0.2)
    assert both.num_frames == walk.num_frames + run.num_frames - 7
    root = walk.skeleton.roots[0]
    path = both.joint_positions[:, root]
    assert path[-1, 0] > path[walk.num_frames - 1, 0] + 1.0
    steps = np.linalg.norm(np.diff(path, axis=0), axis=1)
    assert steps.max() < 1.2 * np.linalg.norm(np.diff(run.joint_positions[:, root], axis=0), axis=1).max()
