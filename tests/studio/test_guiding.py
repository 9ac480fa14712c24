"""Learning, watched and stopped."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from surefoot.errors import InputError
from surefoot.feedback.guided import GuidedConfig
from surefoot.physics.scene import Box, Scene
from surefoot.play.evaluate import EvaluateConfig
from surefoot.studio import guiding
from surefoot.studio.guiding import GuidedWork, guided_work
from surefoot.studio.show import Show, open_show
from surefoot.studio.work import Step

SMALL = GuidedWork(learning=GuidedConfig(samples=24, walks=4, rounds=2, warm_up=2, iterations=1))


@pytest.fixture(scope="module")
def walk() -> Show:
    return open_show("humanoid/walk")


def test_learning_shows_its_best_moves_its_bar_and_ends_in_a_skill(walk: Show, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guiding, "TRIED", EvaluateConfig(episodes=4, seconds=2.0, pushes=False))
    steps: list[Step] = []
    made = guided_work(walk.as_bundle(), SMALL, steps.append, lambda: False)
    parts = [step.part for step in steps]
    assert parts == sorted(parts)
    assert len({part for part in parts if 0.0 < part < 1.0}) > 10
    shown = [step for step in steps if step.best is not None]
    assert [step.said for step in shown] == ["the policy before learning", "best after iteration 1"]
    for step in shown:
        assert step.best is not None
        assert step.ghost is not None
        assert step.best.shape == step.ghost.shape
        assert np.allclose(step.best[:, :2], step.ghost[:, :2])
        assert step.best.shape[0] * step.frame_time > 4.0
    assert made.method == "guided"
    assert made.policy.kind == "linear feedback"
    assert made.reference.cycle
    assert made.performance is not None
    assert made.motion is not None
    assert isinstance(made.success, bool)
    assert "core_s" not in made.result


def test_learning_stops_between_two_fragments_and_says_that_there_is_nothing_yet(walk: Show) -> None:
    steps: list[Step] = []
    with pytest.raises(InputError, match="before anything was learned"):
        guided_work(walk.as_bundle(), SMALL, steps.append, lambda: len(steps) > 3)
    assert len(steps) == 4


def test_learning_that_is_stopped_hands_back_the_best_of_the_iterations_that_are_done(walk: Show, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guiding, "SOON", EvaluateConfig(episodes=2, seconds=1.0, pushes=False))
    steps: list[Step] = []
    longer = replace(SMALL, learning=replace(SMALL.learning, iterations=5))
    made = guided_work(walk.as_bundle(), longer, steps.append, lambda: "best after" in steps[-1].said)
    assert len(made.result["iterations"]) >= 1
    assert steps[-1].said.startswith("judging")


def test_learning_on_other_ground_is_refused_in_a_sentence(walk: Show) -> None:
    elsewhere = walk.as_bundle().replace(scene=Scene(obstacles=(Box(),)))
    with pytest.raises(InputError, match="flat ground"):
        guided_work(elsewhere, SMALL, lambda step: None, lambda: False)


def test_a_negative_seed_is_refused() -> None:
    with pytest.raises(InputError, match="seed"):
        GuidedWork(seed=-1)
