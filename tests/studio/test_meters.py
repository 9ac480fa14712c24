"""What is measured of a performance."""

from __future__ import annotations

import numpy as np
import pytest

from surefoot.policy.openloop import OpenLoop
from surefoot.studio.meters import Meters
from surefoot.studio.show import Show, open_show
from surefoot.studio.world import FRAME, World


@pytest.fixture(scope="module")
def walk() -> Show:
    return open_show("humanoid/walk")


def measured(world: World) -> tuple[Meters, dict[str, np.ndarray]]:
    meters = Meters(world.show, world.player.engine.model, world.player.engine.layout)
    return meters, meters.read(world.past())


def test_at_the_beginning_there_is_no_error_and_no_offset(walk: Show) -> None:
    world = World(walk, "simulate")
    world.advance(FRAME)
    _, read = measured(world)
    assert np.allclose(read["error"][0], 0.0, atol=1e-6)
    assert np.abs(read["offset"]).max() < 0.05
    assert np.allclose(read["terms"][0], 0.0, atol=1e-3)


def test_a_push_is_seen_in_error_and_cost(walk: Show) -> None:
    calm, pushed = World(walk, "simulate"), World(walk, "simulate")
    pushed.push(90.0, 200.0)
    for world in (calm, pushed):
        for _ in range(12):
            world.advance(FRAME)
    quiet, hard = measured(calm)[1], measured(pushed)[1]
    assert hard["error"][-1, 0] > quiet["error"][-1, 0] + 5.0
    assert hard["terms"][-1].sum() > quiet["terms"][-1].sum()


def test_whoever_stands_is_carried_by_the_feet(walk: Show) -> None:
    """The mean force on the feet over a walk's first second is about the weight."""
    world = World(walk, "simulate")
    for _ in range(12):
        world.advance(FRAME)
    meters, read = measured(world)
    assert len(meters.feet) == 2
    weight = 9.81 * walk.character.mass
    assert 0.5 * weight < read["contact"][1:, :2].sum(axis=1).mean() < 1.6 * weight
    assert np.all(read["contact"][:8, 2] == 0.0)


def test_torques_stay_within_the_servos_limits(walk: Show) -> None:
    world = World(walk, "simulate")
    world.push(0.0, 500.0)
    for _ in range(20):
        world.advance(FRAME)
    _, read = measured(world)
    limits = walk.character.model.actuator_forcerange[:, 1]
    assert np.all(np.abs(read["torque"]) <= limits + 1e-6)
    assert np.abs(read["torque"]).max() > 1.0


def test_offsets_are_those_of_the_plan(walk: Show) -> None:
    assert isinstance(walk.policy, OpenLoop)
    plan = walk.policy.plan
    turned = np.zeros((1, plan.servos.num))
    turned[0, plan.servos.hinge_ctrl] = 0.2
    turned[0, plan.servos.ball_ctrl[0]] = [0.1, -0.2, 0.05]
    from dataclasses import replace

    show = replace(walk, policy=OpenLoop(plan=plan.replace(offsets=turned, offset_time=60.0)))
    world = World(show, "simulate")
    for _ in range(10):
        world.advance(FRAME)
    _, read = measured(world)
    assert np.allclose(read["offset"], turned, atol=0.05)


def test_a_frame_is_measured_once_and_again_only_when_it_is_new(walk: Show, monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(walk, "simulate")
    for _ in range(5):
        world.advance(FRAME)
    meters, read = measured(world)
    asked: list[int] = []
    real = meters._measure
    monkeypatch.setattr(meters, "_measure", lambda frames: asked.append(len(frames)) or real(frames))
    assert np.array_equal(meters.read(world.past())["torque"], read["torque"])
    assert asked == []
    world.advance(FRAME)
    meters.read(world.past())
    assert asked == [1]
