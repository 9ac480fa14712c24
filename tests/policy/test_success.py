"""The success rule on performances made by hand, just inside and just outside of every limit."""

from __future__ import annotations

import numpy as np
import pytest

from surefoot.motion import quaternion
from surefoot.physics import Box, Drop, Scene, Steps
from surefoot.policy import Reference
from surefoot.policy.success import Errors, Judgement, SuccessRule, full_angle, judge
from tests.policy.bodies import standing, still, walking

TIMES = 0.1 * np.arange(21)


def judged(clip: Reference, poses: np.ndarray, scene: Scene | None = None, **fields: bool) -> Judgement:
    """A performance by its poses (..., 21, nq) against a reference of two seconds."""
    rule = SuccessRule(clip, TIMES, scene)
    position, rotation = clip.character.world(poses.reshape(-1, poses.shape[-1]))
    lead = (*poses.shape[:-1], -1)
    return rule(position.reshape(*lead, 3), rotation.reshape(*lead, 4), **fields)


def test_the_reference_itself_is_a_success_without_errors() -> None:
    clip = walking(standing(), 1.0)
    found = judged(clip, np.array(clip.qpos))
    assert found.to_json() == {
        "success": True,
        "survived_s": 2.0,
        "mpjpe_mm": 0.0,
        "mpjpe_global_mm": 0.0,
        "root_height_error_m": 0.0,
        "root_rotation_error_rad": 0.0,
    }
    assert found.why == ""


@pytest.mark.parametrize("height", [1.7, 3.4])
@pytest.mark.parametrize(("part", "inside"), [(0.99, True), (1.01, False)])
def test_the_root_s_height_may_be_off_by_a_quarter_of_a_metre_of_a_person(height: float, part: float, inside: bool) -> None:
    clip = still(standing(height), num=21)
    poses = np.array(clip.qpos)
    poses[12, 2] += part * 0.25 * height / 1.7
    found = judged(clip, poses)
    assert bool(found.success) is inside
    assert found.survived == pytest.approx(2.0 if inside else 1.2)
    assert found.height == pytest.approx(part * 0.25 * height / 1.7)
    assert found.why == ("" if inside else f"the root's height is off by {0.2525 * height / 1.7:.2f} m at 1.20 s")


@pytest.mark.parametrize("axis", [(1.0, 0.0, 0.0), (0.0, 0.0, 1.0)])
@pytest.mark.parametrize(("angle", "inside"), [(0.79, True), (-0.79, True), (0.81, False), (np.pi, False)])
def test_the_root_may_be_turned_away_by_0_8_rad_about_any_axis_and_size_does_not_matter(
    axis: tuple[float, float, float], angle: float, inside: bool
) -> None:
    clip = still(standing(3.4), num=21)
    poses = np.array(clip.qpos)
    poses[7, 3:7] = -quaternion.about(axis, angle)  # the other sign is the same rotation
    found = judged(clip, poses)
    assert bool(found.success) is inside
    assert found.rotation == pytest.approx(abs(angle))
    assert found.survived == pytest.approx(2.0 if inside else 0.7)
    assert inside or found.why == f"the root is turned away by {abs(angle):.2f} rad at 0.70 s"


@pytest.mark.parametrize(("part", "inside"), [(0.99, True), (1.01, False)])
def test_joints_may_be_off_by_120_mm_on_the_average_wherever_the_root_is(part: float, inside: bool) -> None:
    clip = still(standing(), num=21)
    poses = np.array(clip.qpos)
    poses[:, 0] += 5.0  # drifts, and nobody minds
    # The foot hangs 0.75 m below the leg's joint: turned by t it moves by 2 * 0.75 * sin(t / 2). Four bodies, the root's error is zero.
    poses[:, 8] = 2.0 * np.arcsin(part * 4 * 0.12 / 1.5)
    found = judged(clip, poses)
    assert found.joints == pytest.approx(part * 0.12)
    assert found.world > 4.8
    assert bool(found.success) is inside
    assert found.survived == 2.0
    assert found.why == ("" if inside else "joints are 121 mm off on the average")


def test_a_lost_simulation_ends_where_it_is_lost_and_errors_are_those_before() -> None:
    clip = still(standing(), num=21)
    poses = np.array(clip.qpos)
    poses[3:, 2] += 0.1
    poses[9:] = np.nan
    found = judged(clip, poses)
    assert not found.success
    assert found.survived == pytest.approx(0.9)
    assert found.height == pytest.approx(0.1)
    assert found.why == "the simulation diverged at 0.90 s"
    never = judged(clip, np.full_like(poses, np.nan))
    assert (float(never.survived), never.why) == (0.0, "the simulation diverged at 0.00 s")
    assert np.isnan([never.joints, never.height]).all()


def test_a_performance_that_is_not_played_to_the_end_is_none() -> None:
    clip = still(standing(), num=21)
    assert judged(clip, np.array(clip.qpos), finished=False).why == "it ended early, at 2.00 s"


def test_many_performances_are_judged_at_once_as_one_by_one() -> None:
    rng = np.random.default_rng(0)
    clip = still(standing(), num=21)
    poses = np.tile(clip.qpos, (3, 4, 1, 1))
    poses[..., 2] += rng.normal(0.0, 0.1, (3, 4, 21))
    poses[..., 7:] += rng.normal(0.0, 0.1, (3, 4, 21, 3))
    poses[1, 2, 5:] = np.nan
    together = judged(clip, poses)
    assert together.success.shape == (3, 4)
    assert {bool(one) for one in together.success.ravel()} == {True, False}
    for i, row in enumerate(together):
        for j, one in enumerate(row):
            alone = judged(clip, poses[i, j])
            assert one.to_json() == alone.to_json()
            assert one.why == alone.why


def test_heights_are_above_the_ground_below_on_both_sides() -> None:
    """The clip goes over flat ground, the simulation up steps of 0.2 m: heights agree, as long as each is above its own ground."""
    stairs = Scene(ground=Steps(rise=0.2, depth=0.4, count=3, start=0.5))
    clip = walking(standing(), 1.0)
    poses = np.array(clip.qpos)
    poses[:, 2] += stairs.height(poses[:, :2])
    assert poses[-1, 2] == pytest.approx(1.59)
    assert judged(clip, poses, stairs).success
    assert not judged(clip, poses).success
    climb = Reference(character=standing(), qpos=poses, frame_time=0.1, scene=stairs)
    assert judged(climb, np.array(clip.qpos)).success


@pytest.mark.parametrize("late", [0.0, 0.3, -0.3])
def test_a_drop_is_not_judged_on_either_side_until_the_lower_ground_is_touched(late: float) -> None:
    """Both run off a ledge of 1 m, one of them up to 0.3 s after the other; each falls within 0.4 s."""
    ledge = Scene(ground=Drop(height=1.0, edge=0.95))

    def fall(edge: float) -> np.ndarray:
        poses = np.tile(standing().model.qpos0, (21, 1))
        poses[:, 0] = np.clip(TIMES, None, edge + 0.02) + np.maximum(TIMES - edge - 0.02, 0.0)
        time = np.clip(TIMES - edge, 0.0, 0.4)
        poses[:, 2] -= 1.0 * (time / 0.4) ** 2
        return poses

    clip = Reference(character=standing(), qpos=fall(0.95), frame_time=0.1, scene=ledge)
    ours = fall(0.95)
    shift = round(late / 0.1)
    if shift > 0:
        ours = np.concatenate([np.repeat(ours[:1], shift, axis=0), ours[:-shift]])
    elif shift < 0:
        ours = np.concatenate([ours[-shift:], np.repeat(ours[-1:], -shift, axis=0)])
    found = judged(clip, ours, ledge)
    assert found.success, found.why
    hanging = ours.copy()
    hanging[-3:, 2] += 0.3  # after it has landed, height counts again
    assert judged(clip, hanging, ledge).survived == pytest.approx(TIMES[-3])


def test_a_box_that_is_stepped_on_is_ground() -> None:
    scene = Scene(obstacles=(Box(name="crate", position=(1.0, 0.0, 0.25), size=(0.4, 1.0, 0.5)),))
    clip = walking(standing(), 1.0)
    poses = np.array(clip.qpos)
    poses[:, 2] += np.where(np.abs(poses[:, 0] - 1.0) <= 0.2, 0.5, 0.0)
    assert judged(clip, poses, scene).success
    assert not judged(clip, np.array(clip.qpos), scene).success  # through it


def test_the_full_angle_is_exact_near_nothing_and_near_half_a_turn() -> None:
    for angle in (0.0, 1e-9, 1e-3, 3.0, np.pi - 1e-9, np.pi):
        turn = quaternion.about([0.6, 0.0, 0.8], angle)
        base = quaternion.exp([0.3, -0.2, 1.0])
        assert full_angle(quaternion.multiply(turn, base), -base) == pytest.approx(angle, abs=1e-12)


def test_every_limit_is_met_before_it_is_broken() -> None:
    edge = Errors(height=np.array([0.25]), rotation=np.array([0.8]), joints=np.array([0.12]), world=np.array([0.0]), place=np.array([9.0]))
    assert judge(edge, [0.0]).why == "joints are 120 mm off on the average"  # under 120 mm, not at it
    assert judge(Errors(**{**vars(edge), "joints": np.array([0.1199])}), [0.0]).success


@pytest.mark.parametrize(("apart", "inside"), [(0.49, True), (0.51, False)])
def test_a_clip_laid_over_steps_has_to_be_performed_there(apart: float, inside: bool) -> None:
    clip = still(standing(), num=21)
    there = Reference(character=clip.character, qpos=clip.qpos, frame_time=clip.frame_time, scene=Scene(ground=Steps(rise=0.1, start=3.0)))
    poses = np.array(clip.qpos)
    poses[9:, 1] += apart
    assert bool(judged(clip, poses).success)
    found = judged(there, poses, there.scene)
    assert bool(found.success) is inside
    assert found.why == ("" if inside else "the root is 0.51 m from its place at 0.90 s")
