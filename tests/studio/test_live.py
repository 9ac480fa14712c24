"""A world on its own thread."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest

from surefoot.studio.live import Live, Sight
from surefoot.studio.show import Show, open_show


@pytest.fixture(scope="module")
def walk() -> Show:
    return open_show("humanoid/walk")


@pytest.fixture
def live(walk: Show) -> Iterator[Live]:
    made = Live(walk, playing=False)
    made.start()
    yield made
    made.stop()


def until(live: Live, wanted: Callable[[Sight], bool], seconds: float = 20.0) -> Sight:
    """What is seen once something has come to be."""
    end = time.monotonic() + seconds
    while not wanted(live.sight):
        assert time.monotonic() < end, live.sight
        time.sleep(0.01)
    return live.sight


def test_it_plays_pauses_and_steps(live: Live) -> None:
    live.play(True)
    until(live, lambda sight: sight.frame.time > 0.1)
    live.play(False)
    live.ask(lambda world: None, wait=5.0)
    held = live.sight.frame
    time.sleep(0.1)
    assert live.sight.frame is held
    live.step()
    live.ask(lambda world: None, wait=5.0)
    assert live.sight.frame is not held
    assert not live.sight.playing


def test_scrubbing_pauses_and_shows_that_moment(live: Live) -> None:
    live.play(True)
    live.scrub(0.5)
    live.ask(lambda world: None, wait=5.0)
    assert live.sight.frame.time == 0.5
    assert not live.sight.playing


def test_a_request_that_fails_is_a_sentence_and_play_goes_on(live: Live) -> None:
    live.ask(lambda world: world.pull("wing", [0, 0, 0], [0, 0, 0]), wait=5.0)
    assert "no body named 'wing'" in live.sight.error
    live.ask(lambda world: 1 / 0, wait=5.0)
    assert "ZeroDivisionError" in live.sight.error
    live.play(True)
    until(live, lambda sight: sight.frame.time > 0.05 and not sight.error)


def test_another_show_takes_the_place_of_the_first(live: Live) -> None:
    live.put_on(open_show("dinosaur/walk"))
    sight = until(live, lambda sight: sight.generation == 1)
    assert sight.show.name == "dinosaur/walk"
    assert sight.playing
    assert len(sight.frame.row) == sight.layout.size


def test_a_policy_that_breaks_pauses_the_world(walk: Show) -> None:
    class Broken:
        kind, period, linear = "broken", walk.policy.period, False

        def start(self, t: object, x: object) -> dict:
            return {}

        def act(self, t: np.ndarray, x: object, memory: dict) -> tuple:
            if t[0] > 0.1:
                raise ZeroDivisionError("on purpose")
            return walk.policy.act(t, x, memory)

    live = Live(replace(walk, policy=Broken(), mode="simulate"))
    live.start()
    try:
        sight = until(live, lambda sight: bool(sight.error))
        assert "on purpose" in sight.error
        assert not sight.playing
    finally:
        live.stop()
