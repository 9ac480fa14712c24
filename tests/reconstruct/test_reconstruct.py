"""Reconstruction on our own clips: it succeeds, is the same at any number of threads, and is what a player plays."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from surefoot import material
from surefoot.bundle import encode
from surefoot.bundle.reconstructed import reconstructed
from surefoot.character import builtin
from surefoot.errors import InputError
from surefoot.physics.servos import servos
from surefoot.play.player import Player
from surefoot.reconstruct import ImprovedConfig, Outcome, Prepared, ReconstructConfig, SamconConfig, prepare, reconstruct
from surefoot.reconstruct.actions import actions

BASIC = ReconstructConfig(method="basic", samples=200)
SHORT = ReconstructConfig(method="improved", samples=60, improved=ImprovedConfig(passes=5, sliding=4, least=2, patience=2))


@cache
def run() -> Prepared:
    return prepare(material.motion("humanoid/run"), builtin.humanoid())


@cache
def performed() -> Outcome:
    return reconstruct(run(), BASIC, threads=1)


def bundled(outcome: Outcome) -> bytes:
    return encode(reconstructed(material.motion("humanoid/run"), run(), outcome))


def test_basic_samcon_performs_a_run_that_was_key_framed() -> None:
    found = performed()
    assert found.success, found.status
    assert found.to_json()["mpjpe_mm"] < 80.0
    assert len(found.value.actions) == 8  # 0.73 s in fragments of 0.1 s


def test_the_plan_played_live_is_the_sample_bit_for_bit() -> None:
    value = performed().value
    playing = Player(value.reference.character, value.policy, value.reference)
    for row in value.states[:-1]:
        assert np.array_equal(playing.engine.state[0], row)
        playing.advance(value.timeline.period)


def test_the_same_seed_gives_the_same_bundle_on_one_thread_and_on_two() -> None:
    assert bundled(performed()) == bundled(reconstruct(run(), BASIC, threads=2))
    assert bundled(performed()) != bundled(reconstruct(run(), BASIC, threads=1, seed=1))


class Killed(Exception):
    pass


class Killer:
    """Ends the process in the middle of a pass."""

    def __init__(self, fragments: int) -> None:
        self.left = fragments

    def watch(self, clip: Any, trial: int, trials: int) -> Any:
        def after(fragment: int, now: Any) -> None:
            self.left -= 1
            if self.left < 0:
                raise Killed

        return after


def test_a_search_that_was_killed_goes_on_to_the_same_bundle(tmp_path: Path) -> None:
    whole = reconstruct(run(), SHORT, threads=1)
    assert whole.stats["num_passes"] > 3
    for fragments in (0, 9, 14):
        folder = tmp_path / f"run-{fragments}"
        with pytest.raises(Killed):
            reconstruct(run(), SHORT, threads=1, folder=folder, progress=Killer(fragments))
        again = reconstruct(run(), SHORT, threads=1, folder=folder, resume=True)
        assert bundled(again) == bundled(whole)
        assert again.stats["physics_steps"] == whole.stats["physics_steps"]


def test_auto_escalates_and_says_what_failed(tmp_path: Path) -> None:
    hopeless = SamconConfig(window=1e-9, trials=1)
    config = ReconstructConfig(samples=30, basic=hopeless, improved=replace(SHORT.improved, window=1e-9, narrowest=1e-9, passes=2))
    found = reconstruct(run(), config, threads=1, folder=tmp_path / "run")
    assert not found.success
    assert found.stats["tried"] == ["basic", "improved"]
    assert "improved: not performed" in found.status
    assert " s" in found.status
    assert "--samples" in found.status
    resumed = reconstruct(run(), config, threads=1, folder=tmp_path / "run", resume=True)
    assert bundled(resumed) == bundled(found)
    assert resumed.stats["physics_steps"] == found.stats["physics_steps"]


def test_auto_stops_with_what_succeeds() -> None:
    found = reconstruct(run(), replace(BASIC, method="auto"), threads=1)
    assert found.stats["tried"] == ["basic"]
    assert np.array_equal(found.value.actions, performed().value.actions)


def test_another_config_does_not_go_on_with_the_folder(tmp_path: Path) -> None:
    with pytest.raises(Killed):
        reconstruct(run(), SHORT, threads=1, folder=tmp_path / "run", progress=Killer(9))
    with pytest.raises(InputError, match="another config"):
        reconstruct(run(), SHORT, threads=1, seed=5, folder=tmp_path / "run", resume=True)


def test_what_is_sampled_follows_from_the_body() -> None:
    for make, wanted in ((builtin.humanoid, {"left_hip", "left_knee", "left_ankle", "waist", "left_shoulder"}), (builtin.dinosaur, set())):
        character = make()
        found = actions(character, servos(character))
        assert wanted <= set(found.joints)
        mirrored = {character.partners[name] for name in found.joints}
        assert mirrored == set(found.joints)
        assert 0 < found.size < character.model.nv


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"samples": 1}, "samples: expected 2 to 100000, got 1."),
        ({"fragment": 5.0}, "fragment: expected 0.02 to 1 s, got 5."),
        ({"method": "basics"}, "no method named 'basics'; did you mean 'basic'?"),
    ],
)
def test_a_wrong_config_is_one_clear_line(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError) as told:
        ReconstructConfig(**wrong)
    assert said in str(told.value)
