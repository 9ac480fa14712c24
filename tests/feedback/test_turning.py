"""Turning: what is recorded under side pushes against a known answer; mirror images; the same bits at any number of threads."""

from __future__ import annotations

import numpy as np
import pytest

from surefoot.errors import InputError
from surefoot.feedback.policy import LinearFeedback
from surefoot.feedback.steered import Course, turns
from surefoot.feedback.turning import TurningConfig, answered, recorded, turning
from surefoot.physics.servos import servos
from surefoot.policy import Reference
from tests.bundle.cases import learned
from tests.physics.made import made
from tests.policy.bodies import still

SPINNER = """<mujoco><option timestep="0.005" integrator="implicitfast" gravity="0 0 0"/><worldbody>
<body name="tail" pos="0 0 1.7"><joint name="root" type="free" damping="3"/><geom name="tail" type="sphere" size=".1" mass="4"/>
<body name="trunk" pos=".6 0 0"><joint name="neck" axis="0 0 1" range="-1 1" damping="1"/>
<geom name="trunk" type="sphere" size=".1" mass="5"/>
</body></body></worldbody><actuator><position joint="neck" kp="200" kv="20"/></actuator></mujoco>"""
"""It floats in something thick. A push on its trunk, which is ahead of its middle, turns it, the faster the harder."""
GAIN = 0.02
"""Of the neck, radians for each kg m^2/s of the momentum about the vertical."""


def spinner() -> tuple[LinearFeedback, Reference]:
    character = made(SPINNER, height_m=1.7)
    gain = np.zeros((4, 1, 12))
    gain[:, 0, -1] = GAIN
    policy = LinearFeedback(
        servos=servos(character),
        period=0.02,
        edges=np.arange(5) * 5,
        reference=np.zeros((20, 1)),
        columns=np.array([0]),
        tilts=np.zeros((4, 3)),
        center=np.zeros((4, 12)),
        gain=gain,
        action=np.zeros((4, 1)),
    )
    return policy, still(character, num=21, frame_time=0.02, cycle=True)


def test_what_is_recorded_is_what_the_feedback_does_while_it_turns_the_other_way_round() -> None:
    policy, reference = spinner()
    course = Course(policy, reference, None, 16, 1)
    assert course.even
    turn = recorded(course, TurningConfig(episodes=16, seconds=6.0, force=20.0), np.random.default_rng(0))
    # Two balls on a stick: I = m1 m2 / (m1 + m2) d^2, and each ball's own.
    inertia = 4.0 * 5.0 / 9.0 * 0.6**2 + 0.4 * 9.0 * 0.1**2
    np.testing.assert_allclose(turn, -GAIN * inertia, rtol=0.02)


def test_a_turn_to_the_right_is_the_mirror_image_of_one_to_the_left() -> None:
    policy, reference = spinner()
    course = Course(policy, reference, None, 8, 1)
    half = np.random.default_rng(0).normal(size=(2, 1))
    whole = course.whole(half)
    assert whole.shape == (4, 1)
    np.testing.assert_array_equal(
        whole[2:], half
    )  # a neck that turns left half a cycle later is one that turned left, mirrored, and asked otherwise
    np.testing.assert_allclose(course.half(whole), half)
    np.testing.assert_allclose(course.whole(course.half(whole)), whole)
    uneven = Course(policy.replace(action=np.arange(4.0)[:, None]), reference, None, 8, 1)
    assert not uneven.even
    np.testing.assert_array_equal(uneven.whole(whole), whole)


def test_the_same_seed_gives_the_same_bits_at_any_number_of_threads() -> None:
    policy, reference = spinner()
    config = TurningConfig(episodes=8, seconds=3.2, generations=2)
    found = [turning(policy, reference, None, config, seed=4, threads=threads) for threads in (1, 2)]
    one, other = (each.policy.to_arrays()[0] for each in found)
    assert set(one) >= {"turn", "answers"}
    for name in one:
        np.testing.assert_array_equal(one[name], other[name])
    assert found[0].history == found[1].history
    assert len(found[0].history) == 2
    other_seed = turning(policy, reference, None, config, seed=5, threads=1)
    assert not np.array_equal(other_seed.policy.to_arrays()[0]["turn"], one["turn"])


def test_the_curve_of_answers_rises_from_side_to_side() -> None:
    policy, reference = spinner()

    class Known(Course):
        """Turns by the square of what it is told."""

        def run(self, extra, seconds, rng, side=None):  # type: ignore[no-untyped-def]
            found = super().run(np.zeros_like(extra), seconds, rng, side)
            told = extra[:, 0, 0]
            object.__setattr__(found, "rate", np.sign(told) * told**2)
            return found

    course = Known(policy, reference, None, 16, 1)
    config = TurningConfig(episodes=16, seconds=3.1, rate=60.0)
    curve = answered(course, np.ones((4, 1)), config, np.random.default_rng(0))
    assert (np.diff(curve, axis=1) > 0.0).all()
    np.testing.assert_allclose(curve, -curve[:, ::-1], atol=1e-12)
    told = np.radians(60.0) * 0.5
    taught = policy.replace(turn=np.ones((4, 1)), answers=curve)
    np.testing.assert_allclose(taught.answer(np.array([-(told**2), 0.0, told**2])), [-told, 0.0, told], atol=1e-9)


def test_episodes_that_are_asked_to_turn_are_counted_and_measured() -> None:
    policy, reference = spinner()
    stood, rate = turns(policy.replace(turn=np.zeros((4, 1))), reference, None, 0.5, episodes=6, seconds=3.0, threads=1)
    assert stood == 6
    assert abs(rate) < 0.05  # thick as it is, nothing turns it


def test_what_falls_or_ends_or_is_asked_for_nonsense_does_not_learn_to_turn() -> None:
    bundle = learned()
    assert isinstance(bundle.policy, LinearFeedback)
    with pytest.raises(InputError, match="only 0 of 8 episodes stand under gentle side pushes"):
        turning(bundle.policy, bundle.reference, config=TurningConfig(episodes=8, seconds=3.1, generations=0), threads=1)
    with pytest.raises(InputError, match="only a cycle learns to turn"):
        Course(bundle.policy.replace(again=9), bundle.reference, None, 4)
    with pytest.raises(InputError, match="8 episodes or more of over 3 to 600 s"):
        TurningConfig(seconds=3.0)
    with pytest.raises(InputError, match="a turn's rate must be positive, got -3"):
        TurningConfig(rate=-3.0)
