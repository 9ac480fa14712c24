"""A live turn rate: obeyed by policies that can, recorded, replayed bit for bit."""

from __future__ import annotations

import numpy as np
import pytest

from surefoot.bundle import decode, encode
from surefoot.errors import InputError
from surefoot.feedback.policy import LinearFeedback
from surefoot.physics import BatchEngine
from surefoot.play import Player
from surefoot.policy import pack, unpack
from surefoot.policy.perform import enter, perform
from surefoot.policy.states import States
from tests.bundle.cases import dinosaur, learned

BUNDLE = learned()


def turning() -> LinearFeedback:
    policy = BUNDLE.policy
    assert isinstance(policy, LinearFeedback)
    return policy.replace(turn=np.random.default_rng(0).normal(size=policy.action.shape))


def test_an_action_grows_with_the_rate_that_is_asked_for() -> None:
    policy = turning()
    engine = BatchEngine(BUNDLE.character, 3, 1)
    poses = BUNDLE.reference.at(np.zeros(3))
    engine.state[:] = engine.rows(poses, ctrl=engine.servos.ctrl(poses[0])[None].repeat(3, axis=0))
    x, t = States(engine), np.full(3, 0.3)
    memory = {**policy.start(t, x), "turn": np.array([0.0, 0.1, -0.2])}
    _, after = policy.act(t, x, memory)
    (fragment,) = set(after["fragment"].tolist())
    plain = policy.replace(turn=None)
    _, still = plain.act(t, x, plain.start(t, x))
    np.testing.assert_array_equal(after["action"][0], still["action"][0])
    assert policy.turn is not None
    np.testing.assert_allclose(after["action"] - still["action"], np.outer(memory["turn"], policy.turn[fragment]), atol=1e-12)
    np.testing.assert_array_equal(after["turn"], memory["turn"])


def test_a_policy_that_turns_is_the_same_after_it_was_packed_and_one_that_does_not_has_no_such_array() -> None:
    policy = turning()
    back = unpack(pack(policy), BUNDLE.character)
    assert isinstance(back, LinearFeedback)
    assert policy.turn is not None
    assert back.turn is not None
    np.testing.assert_array_equal(back.turn, policy.turn)
    assert "turn" not in pack(BUNDLE.policy).arrays
    data = encode(BUNDLE.replace(policy=policy))
    assert encode(decode(data, "again")) == data
    with pytest.raises(InputError, match="turn needs the shape"):
        policy.replace(turn=policy.turn[1:])


def test_what_is_asked_for_is_answered_along_the_curve_and_not_beyond_its_ends() -> None:
    policy = turning().replace(answers=np.array([[-0.5, 0.0, 0.2, 0.5], [-0.5, 0.0, 0.4, 0.6]]))
    np.testing.assert_allclose(policy.answer(np.array([-9.0, -0.25, 0.1, 0.35, 0.5, 2.0])), [-0.5, -0.25, 0.2, 0.5, 0.6, 0.6])
    back = unpack(pack(policy), BUNDLE.character)
    assert isinstance(back, LinearFeedback)
    np.testing.assert_array_equal(back.answer(np.array([0.3])), policy.answer(np.array([0.3])))
    with pytest.raises(InputError, match="a curve over turn rates that rise"):
        policy.replace(answers=np.array([[0.0, 0.0], [0.0, 1.0]]))
    with pytest.raises(InputError, match="answers needs the shape"):
        policy.replace(answers=np.zeros((3, 4)))


def test_a_player_that_nobody_asks_to_turn_plays_the_bits_of_one_that_cannot() -> None:
    states = []
    for policy in (BUNDLE.policy, turning()):
        player = Player(BUNDLE.character, policy, BUNDLE.reference)
        player.advance(0.6)
        states.append(player.recording().states)
    np.testing.assert_array_equal(states[0], states[1])


def test_turns_asked_for_live_are_recorded_and_replayed_bit_for_bit_however_it_is_called() -> None:
    found = []
    for step in (0.06, 0.005):
        player = Player(BUNDLE.character, turning(), BUNDLE.reference)
        for rate in (0.0, 0.4, -0.7, 0.0):
            player.turn(rate)
            for _ in range(round(0.18 / step)):
                player.advance(step)
        recording = player.recording()
        np.testing.assert_array_equal(recording.replay(), recording.states)
        found.append(recording.states)
        assert any("asked to turn at 23 degrees/s" in line for line in player.events)
    np.testing.assert_array_equal(found[0], found[1])
    still = Player(BUNDLE.character, turning(), BUNDLE.reference)
    still.advance(0.72)
    assert not np.array_equal(still.recording().states, found[0])


def test_the_player_turns_as_one_of_many_does() -> None:
    policy = turning()
    engine = BatchEngine(BUNDLE.character, 4, 1)
    enter(engine, policy, 0.0, BUNDLE.reference.at(np.zeros(4)), BUNDLE.reference.velocity_at(np.zeros(4)))
    rates = np.array([0.0, 0.3, -0.3, 0.6])
    memory = {**policy.start(np.zeros(4), States(engine)), "turn": rates}
    many = perform(engine, policy, 0.0, 20, memory=memory, record=True).states
    for i, rate in enumerate(rates.tolist()):
        player = Player(BUNDLE.character, policy, BUNDLE.reference)
        player.turn(rate)
        player.advance(20 * policy.period)
        np.testing.assert_array_equal(player.recording().states, many[i])


def test_a_reset_ends_the_turn() -> None:
    player = Player(BUNDLE.character, turning(), BUNDLE.reference)
    player.turn(0.8)
    player.advance(0.2)
    player.reset()
    player.advance(0.2)
    still = Player(BUNDLE.character, turning(), BUNDLE.reference)
    still.advance(0.2)
    np.testing.assert_array_equal(player.qpos(), still.qpos())


def test_what_cannot_turn_says_so() -> None:
    made = dinosaur()
    player = Player(made.character, made.policy, made.reference)
    assert not player.turns()
    with pytest.raises(InputError, match="obeys no turn rate"):
        player.turn(0.1)
    able = Player(BUNDLE.character, turning(), BUNDLE.reference)
    assert able.turns()
    with pytest.raises(InputError, match="at most 10 rad/s to either side, got nan"):
        able.turn(float("nan"))
