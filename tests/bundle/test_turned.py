"""A bundle learns to turn."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from surefoot.bundle import Bundle, encode, load, save
from surefoot.bundle.turned import turned_bundle
from surefoot.errors import InputError
from surefoot.feedback.policy import LinearFeedback
from surefoot.feedback.turning import TurningConfig
from tests.bundle.cases import dinosaur
from tests.feedback.test_turning import spinner


def test_a_bundle_that_learned_to_turn_says_how_well_and_comes_back(tmp_path: Path) -> None:
    policy, reference = spinner()
    made = Bundle(name="spinner", character=reference.character, policy=policy, reference=reference)
    config = TurningConfig(episodes=8, seconds=3.2, generations=1)
    found = turned_bundle(made, config, seed=1, threads=1, episodes=4, seconds=2.5)
    told = found.result["turning"]
    assert [row["asked_deg_s"] for row in told["rows"]] == [-30.0, -15.0, 15.0, 30.0]
    assert [row["stood"] for row in told["rows"]] == [4] * 4
    assert told["success"] is True
    assert isinstance(found.policy, LinearFeedback)
    assert found.policy.turn is not None
    again = turned_bundle(made, config, seed=1, threads=2, episodes=4, seconds=2.5)
    assert encode(again) == encode(found)
    save(found, tmp_path / "spinner.surefoot")
    back = load(tmp_path / "spinner.surefoot").policy
    assert isinstance(back, LinearFeedback)
    assert back.turn is not None
    np.testing.assert_array_equal(back.turn, found.policy.turn)


def test_an_open_loop_does_not_learn_to_turn() -> None:
    with pytest.raises(InputError, match="only what was learned learns to turn"):
        turned_bundle(dinosaur())
