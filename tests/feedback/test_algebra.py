"""Regression, regulator, symmetry and fragments against answers that are known."""

from __future__ import annotations

import numpy as np
import pytest

from surefoot.character.builtin import builtin
from surefoot.errors import InputError
from surefoot.feedback.cycle import Cycle, cycle
from surefoot.feedback.decide import Decision, decide
from surefoot.feedback.guided import Guided, GuidedConfig
from surefoot.feedback.policy import LinearFeedback
from surefoot.feedback.regression import regress
from surefoot.feedback.riccati import gains
from surefoot.feedback.walks import Steps, Tuples
from surefoot.material import motion
from surefoot.motion.edit import cut
from surefoot.physics.batch import BatchEngine
from surefoot.physics.mirror import mirror
from surefoot.policy import pack, unpack
from surefoot.reconstruct.prepare import prepare


@pytest.fixture(scope="module")
def walk() -> tuple[Cycle, Guided]:
    made = decide(motion("humanoid/walk"))
    fitted = prepare(made.motion, builtin("humanoid"))
    found = cycle(fitted.character, fitted.qpos, made.motion.frame_time, BatchEngine(fitted.character, 1, 1), even=True)
    return found, Guided(found, GuidedConfig(samples=4, walks=1), even=True, threads=1)


def test_regression_finds_the_matrix_that_made_the_actions() -> None:
    rng = np.random.default_rng(0)
    true, middle = rng.normal(size=(3, 5)), rng.normal(size=5)
    features = middle + rng.normal(size=(400, 5)) * [1.0, 10.0, 0.1, 1.0, 100.0]
    actions = np.einsum("dn,mn->md", true, features - middle) + np.array([1.0, 2.0, 3.0])
    center, gain, action, spread = regress(Tuples(features=features, actions=actions, weights=rng.uniform(0.5, 1.5, 400)), 1e-9)
    np.testing.assert_allclose(gain, true, atol=1e-6)
    np.testing.assert_allclose(action, np.einsum("dn,n->d", true, center - middle) + np.array([1.0, 2.0, 3.0]), atol=1e-6)
    assert spread.max() < 1e-5


def test_a_tuple_that_weighs_two_counts_as_two() -> None:
    rng = np.random.default_rng(1)
    features, actions = rng.normal(size=(30, 4)), rng.normal(size=(30, 2))
    weights = np.where(np.arange(30) < 10, 2.0, 1.0)
    twice = np.concatenate([features[:10], features]), np.concatenate([actions[:10], actions])
    one = regress(Tuples(features=features, actions=actions, weights=weights), 1e-3)
    other = regress(Tuples(features=twice[0], actions=twice[1], weights=np.ones(40)), 1e-3)
    for mine, its in zip(one, other, strict=True):
        np.testing.assert_allclose(mine, its, atol=1e-12)


def test_the_regulator_steadies_dynamics_that_it_only_saw_samples_of() -> None:
    rng = np.random.default_rng(2)
    a, b = np.array([[1.2, 0.3], [0.0, 1.1]]), np.array([[0.0], [1.0]])
    before, tried = rng.normal(size=(500, 2)), rng.normal(size=(500, 1))
    steps = [Steps(before=before, tried=tried, after=before @ a.T + tried @ b.T)]
    gain, explained = gains(steps, np.zeros((1, 2)), np.zeros((1, 1)), 0, unit=1.0, effort=1.0, ridge=1e-9)
    assert np.abs(np.linalg.eigvals(a)).max() > 1.0
    assert np.abs(np.linalg.eigvals(a + b @ gain[0])).max() < 0.9
    assert explained > 0.999


def test_a_gait_is_decided_to_be_a_symmetric_cycle_and_a_get_up_to_end() -> None:
    gait, rise = decide(motion("humanoid/walk")), decide(motion("humanoid/getup"))
    assert gait.cycle
    assert "symmetric gait" in gait.why
    assert not rise.cycle
    assert "--cycle" in rise.why
    assert not decide(motion("humanoid/walk"), "once").cycle
    assert decide(motion("humanoid/getup"), "cycle").cycle


def test_the_second_half_of_a_symmetric_cycle_is_the_mirror_image_of_the_first(walk: tuple[Cycle, Guided]) -> None:
    found, work = walk
    half = found.num_periods // 2
    image = mirror(found.character, work.engine.layout).qpos(found.qpos[: half + 1])
    np.testing.assert_allclose(image[:, 7:], found.qpos[half:, 7:], atol=2e-3)
    assert work.symmetry is not None
    pair = work.symmetry
    np.testing.assert_allclose(pair.feature @ found.features[0], found.features[found.num_fragments // 2], atol=5e-3)
    for matrix in (pair.feature, pair.action, pair.control):
        np.testing.assert_allclose(matrix @ matrix, np.eye(len(matrix)), atol=1e-12)


def test_mirroring_numbers_of_the_second_half_gives_the_first_again(walk: tuple[Cycle, Guided]) -> None:
    found, work = walk
    pair, rng = work.symmetry, np.random.default_rng(0)
    assert pair is not None
    half, size, num = found.num_fragments // 2, work.joints.size, found.features.shape[1]
    parts = rng.normal(size=(half, num)), rng.normal(size=(half, size, num)), rng.normal(size=(half, size)), rng.uniform(size=(half, size))
    both = pair.both(*parts)
    again = pair.both(*(part[half:] for part in both))
    for mine, its in zip(parts, again, strict=True):
        np.testing.assert_allclose(its[half:], mine, atol=1e-12)


def test_a_skill_that_ends_goes_on_in_its_hold(walk: tuple[Cycle, Guided]) -> None:
    clip = cut(motion("humanoid/jump"), 0.0, 0.6)
    fitted = prepare(clip, builtin("humanoid"))
    found = cycle(fitted.character, fitted.qpos, clip.frame_time, BatchEngine(fitted.character, 1, 1), once=True)
    policy = Guided(found, GuidedConfig(samples=4, walks=1), even=False, threads=1).begin().policy
    last, hold = policy.num_fragments - 1, int(policy.edges[-2])
    assert found.ends
    assert policy.again == last
    times = policy.period * np.array([-1, 0, hold, hold + 5, hold + 500])
    assert policy.fragment_at(times).tolist() == [0, 0, last, last, last]
    still = np.zeros((1, len(policy.columns)))
    np.testing.assert_array_equal(policy.targets(times[-1:], still), policy.targets(times[-2:-1], still))
    np.testing.assert_array_equal(found.qpos[hold], found.qpos[-1])


def test_a_policy_is_the_same_after_it_was_packed(walk: tuple[Cycle, Guided]) -> None:
    found, work = walk
    policy = work.begin().policy
    policy = policy.replace(gain=np.random.default_rng(0).normal(size=policy.gain.shape))
    back = unpack(pack(policy), found.character)
    assert isinstance(back, LinearFeedback)
    features = np.random.default_rng(1).normal(size=(3, policy.center.shape[1]))
    np.testing.assert_array_equal(back.actions(np.array([0, 3, 5]), features), policy.actions(np.array([0, 3, 5]), features))
    assert back.again == policy.again


def test_a_fragment_that_nothing_follows_is_refused(walk: tuple[Cycle, Guided]) -> None:
    policy = walk[1].begin().policy
    with pytest.raises(InputError, match=f"after the last of {policy.num_fragments} fragments"):
        policy.replace(again=policy.num_fragments)


def test_a_decision_names_where_its_cycle_begins() -> None:
    made = decide(motion("humanoid/run"))
    assert isinstance(made, Decision)
    assert made.first == 0
    assert made.motion.num_frames == motion("humanoid/run").num_frames
