"""The key-framing machinery: splines, cycles, inverse kinematics."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.material.characters import DINO, HUMAN
from surefoot.material.keyframes import Keys, both, gait, score
from surefoot.material.puppet import Puppet
from surefoot.motion.motion import Motion
from tests.material.facts import SIDES, joint, tip


def posed(puppet: Puppet, **channels: tuple[float, ...]) -> Motion:
    """One pose, held for two frames."""
    heights = {"humanoid": 0.92, "dinosaur": 0.77}
    feet = {"humanoid": (0.0, 0.1, 0, 0, 0, 5), "dinosaur": (-0.08, 0.16, 0, 0, 0, 5)}
    pose = {"root": (0.0, 0.0, heights[puppet.name]), **both(foot=feet[puppet.name]), **channels}
    return puppet.animate("pose", score([(0.0, pose), (1 / 30, pose)]))


def test_equal_keys_of_a_foot_hold_it_still_between_them() -> None:
    keys: Keys = [
        (0.0, {"left_foot": (0.0, 0, 0, 0, 0, 0)}),
        (0.5, {"left_foot": (1.0, 0, 0, 0, 0, 0)}),
        (1.0, {"left_foot": (1.0, 0, 0, 0, 0, 0)}),
    ]
    x = score(keys).sample(np.linspace(0.5, 1.0, 11))["left_foot"][:, 0]
    np.testing.assert_allclose(x, 1.0, atol=1e-12)


def test_channels_pass_through_their_keys_and_hold_beyond_them() -> None:
    keys: Keys = [(0.2, {"root": (0, 0, 1), "jaw": (5,)}), (0.5, {"root": (1, 2, 3)}), (1.0, {"root": (2, 0, 1)})]
    samples = score(keys).sample(np.array([0.0, 0.2, 0.5, 1.0, 1.5]))
    np.testing.assert_allclose(samples["root"], [[0, 0, 1], [0, 0, 1], [1, 2, 3], [2, 0, 1], [2, 0, 1]], atol=1e-12)
    np.testing.assert_allclose(samples["jaw"], 5.0)


def test_parts_run_side_by_side_and_may_be_cut() -> None:
    one: Keys = [(0.0, {"root": (0, 0, 1)}), (1.0, {"root": (1, 0, 1)})]
    two: Keys = [(0.5, {"jaw": (3,)}), (2.0, {"jaw": (8,)})]
    assert score(one, two).duration == 2.0
    cut = score(one, two, until=1.5)
    assert cut.duration == 1.5
    assert cut.key_times == [0.0, 0.5, 1.0, 1.5]


@given(st.floats(0.4, 2.0), st.floats(0.2, 3.0), st.floats(-3.0, 3.0))
@settings(max_examples=40, deadline=None)
def test_a_gait_repeats_after_its_period_one_stride_on(period: float, stride: float, time: float) -> None:
    middle: Keys = [(0.0, {"root": (0, 0.01, 1.0)}), (0.3 * period, {"root": (0.3 * stride, 0.02, 0.9)})]
    left: Keys = [(0.0, {"foot": (0.2, 0.1, 0, 0, 0, 0)}), (0.6 * period, {"foot": (0.2, 0.1, 0, 30, 0, 0)})]
    cycle = gait(period, stride, middle, left)
    at = np.array([time % period])
    now, later = cycle.sample(at), cycle.sample(at + period)
    np.testing.assert_allclose(later["root"] - now["root"], [[stride, 0, 0]], atol=1e-9)
    np.testing.assert_allclose(later["left_foot"] - now["left_foot"], [[stride, 0, 0, 0, 0, 0]], atol=1e-9)


@pytest.mark.parametrize("puppet", [HUMAN, DINO], ids=["humanoid", "dinosaur"])
def test_a_flat_foot_stands_where_its_channel_says(puppet: Puppet) -> None:
    motion = posed(puppet)
    for side, sign in zip(SIDES, (1.0, -1.0), strict=True):
        ankle = joint(motion, f"{side}_ankle")[0]
        x, out = (0.0, 0.1) if puppet is HUMAN else (-0.08, 0.16)
        np.testing.assert_allclose(ankle, [x, sign * out, puppet.place(f"{side}_ankle")[2]], atol=1e-9)
        for end in ("heel", "toe_tip"):
            assert abs(tip(motion, f"{side}_{end}")[0, 2]) < 1e-9


@given(st.floats(0.0, 60.0), st.floats(-20.0, 40.0))
@settings(max_examples=30, deadline=None)
def test_rolling_over_the_ball_leaves_the_toes_where_they_are(roll: float, yaw: float) -> None:
    flat = posed(HUMAN, left_foot=(0.0, 0.1, 0, 0, 0, yaw), root=(0.0, 0.0, 0.8))
    rolled = posed(HUMAN, left_foot=(0.0, 0.1, 0, roll, 0, yaw), root=(0.0, 0.0, 0.8))
    np.testing.assert_allclose(joint(rolled, "left_toe"), joint(flat, "left_toe"), atol=1e-9)
    np.testing.assert_allclose(tip(rolled, "left_toe_tip"), tip(flat, "left_toe_tip"), atol=1e-9)
    assert tip(rolled, "left_heel")[0, 2] >= -1e-9


def test_a_foot_out_of_reach_leaves_the_leg_almost_straight() -> None:
    motion = posed(HUMAN, root=(0.0, 0.0, 1.2))
    hip, ankle = joint(motion, "left_hip")[0], joint(motion, "left_ankle")[0]
    thigh, shank = (
        float(np.linalg.norm(HUMAN.place(f"left_{a}") - HUMAN.place(f"left_{b}"))) for a, b in (("hip", "knee"), ("knee", "ankle"))
    )
    assert 0.999 * (thigh + shank) < np.linalg.norm(hip - ankle) < thigh + shank


@given(st.floats(0.22, 0.36), st.floats(-0.05, 0.25), st.floats(-0.15, 0.2), st.floats(-30.0, 30.0))
@settings(max_examples=30, deadline=None)
def test_fists_are_placed_in_the_world_whatever_the_chest_does(forward: float, out: float, up: float, turn: float) -> None:
    motion = posed(HUMAN, left_fist=(forward, out, up, 40), chest=(10, 5, turn))
    middle = 0.5 * (joint(motion, "left_shoulder") + joint(motion, "right_shoulder"))
    np.testing.assert_allclose(joint(motion, "left_wrist") - middle, np.tile([forward, out, up], (2, 1)), atol=1e-9)


def test_a_gripping_hand_lies_flat_where_it_is_put() -> None:
    motion = posed(HUMAN, root=(0.0, 0.0, 0.45), pelvis=(80.0, 0.0, 0.0), left_grip=(0.5, 0.25, 0.05, 1.0, 0.0))
    np.testing.assert_allclose(joint(motion, "left_wrist")[0], [0.5, 0.25, 0.05], atol=1e-9)
    np.testing.assert_allclose(tip(motion, "left_hand")[0] - [0.5, 0.25, 0.05], [0.108 * 1.70, 0, 0], atol=1e-9)


def test_both_sides_mirror_each_other() -> None:
    motion = posed(HUMAN, **both(shoulder=(40, 20, 10), elbow=(50,), wrist=(10, 5, 20)))
    for part in ("elbow", "wrist", "knee", "ankle"):
        np.testing.assert_allclose(joint(motion, f"left_{part}") * [1, -1, 1], joint(motion, f"right_{part}"), atol=1e-9)
