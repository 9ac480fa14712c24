"""The player: the same bits as the engine however it is called; pushed, thrown at, switched, reset, lost."""

from __future__ import annotations

import doctest
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import mujoco
import numpy as np
import pytest

import surefoot.play
from surefoot.character.character import Character
from surefoot.errors import InputError
from surefoot.physics import Ball, BatchEngine, Push, Scene, Slope
from surefoot.physics.layout import ALL
from surefoot.play import EvaluateConfig, Player, Role, evaluate
from surefoot.play.world import MOST
from surefoot.policy import OpenLoop, Policy, Reference, track
from surefoot.policy.perform import enter, perform
from tests.bundle.cases import dinosaur, learned
from tests.policy.bodies import standing, still

Array = np.ndarray


def held() -> tuple[Policy, Reference]:
    """The dinosaur's walk, its targets held for each period."""
    made = dinosaur()
    return track(made.character, made.reference, linear=False, period=0.02), made.reference


def linear() -> tuple[Policy, Reference]:
    made = dinosaur()
    return made.policy, made.reference


def closed() -> tuple[Policy, Reference]:
    """Feedback on the humanoid's state."""
    made = learned()
    return made.policy, made.reference


KINDS: list[Callable[[], tuple[Policy, Reference]]] = [held, linear, closed]


@dataclass(frozen=True)
class Swaying:
    """A user's policy: a sine that counts its own periods."""

    num: int
    period: float = 0.02
    linear: bool = True
    size: float = 0.1
    kind: ClassVar[str] = "swaying"

    def start(self, t: Array, x: Any) -> dict[str, Array]:
        return {"count": np.zeros(len(t), dtype=int)}

    def act(self, t: Array, x: Any, memory: Mapping[str, Array]) -> tuple[Array, dict[str, Array]]:
        sway = self.size * np.sin(0.5 * memory["count"])
        return np.repeat(sway[:, None], self.num, axis=1), {"count": memory["count"] + 1}

    def to_arrays(self) -> tuple[dict[str, Array], dict[str, Any]]:
        return {}, {"num": self.num}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], facts: Mapping[str, Any], character: Character) -> Swaying:
        return cls(int(facts["num"]))


def test_the_example_in_the_module_runs() -> None:
    assert doctest.testmod(surefoot.play).failed == 0


@pytest.mark.parametrize("kind", KINDS)
def test_the_player_equals_the_engine_s_rollout_of_the_same_policy_bit_for_bit(kind: Callable[[], tuple[Policy, Reference]]) -> None:
    policy, reference = kind()
    engine = BatchEngine(reference.character, 5, threads=2)
    begin = np.array([0.0, 0.0, 2.0, 4.0, 0.0]) * policy.period
    enter(engine, policy, begin, reference.at(begin), reference.velocity_at(begin))
    push = Push(body=reference.character.skeleton.names[0], force=(60.0, -20.0, 0.0), start=0.113)
    whole = perform(engine, policy, begin, 30, pushes=[push], record=True)
    for i in (0, 3):
        player = Player(reference.character, policy, reference, time=float(begin[i]))
        player.advance(0.115)
        player.push((60.0, -20.0, 0.0), body=reference.character.skeleton.names[0])
        rows = []
        while len(rows) < 30 - int(np.floor(0.115 / policy.period)):
            player.step()
            rows.append(player.engine.state[0].copy())
        assert np.array_equal(rows, whole.states[i, 30 - len(rows) :])


@pytest.mark.parametrize("kind", KINDS)
def test_however_finely_it_is_called_the_states_are_the_same_bits(kind: Callable[[], tuple[Policy, Reference]]) -> None:
    policy, reference = kind()

    def played(parts: list[float]) -> tuple[Array, Array]:
        player = Player(reference.character, policy, reference)
        for part in parts:
            player.advance(part)
            if abs(player.time - 0.265) < 1e-9:
                player.push((50.0, 50.0, 0.0))
        return player.recording().states, player.engine.state[0].copy()

    whole, last = played([0.265, 0.735])
    for parts in ([0.005] * 200, [0.265, *[0.015] * 49], [0.1, 0.165, 0.3, 0.01, 0.425]):
        states, end = played(parts)
        assert np.array_equal(states, whole)
        assert np.array_equal(end, last)


def test_a_period_can_be_ended_after_it_was_begun() -> None:
    policy, reference = linear()
    one, two = (Player(reference.character, policy, reference) for _ in range(2))
    one.advance(0.015)
    one.step()
    two.step()
    assert one.time == two.time == pytest.approx(policy.period)
    assert np.array_equal(one.engine.state, two.engine.state)


def test_a_fall_is_noticed_and_said_why() -> None:
    policy, reference = linear()
    player = Player(reference.character, policy, reference)
    assert player.fallen == {}
    while not player.fallen:
        assert player.time < 10.0
        player.step()
    (why,) = player.fallen.values()
    assert "touched the ground" in why or "sank" in why
    assert player.events[-1].endswith(f"fell: {why}")


def test_pushes_move_the_body_for_their_time_and_are_recorded() -> None:
    character = standing()
    reference = still(character)
    calm, pushed = (Player(character, track(character, reference), reference) for _ in range(2))
    pushed.push((10.0, 0.0, 0.0), duration=0.1)
    for player in (calm, pushed):
        player.advance(0.1)
    impulse = character.mass * (pushed.states().seen.com_velocity - calm.states().seen.com_velocity)[0]
    # The foot stands on the ground, whose friction takes a part of it back; joints keep momentum to first order in the step.
    assert 0.2 < impulse[0] < 1.05
    assert pushed.recording().pushes[0].body == "trunk"
    assert pushed.events == ("0.00 s: trunk pushed with 10 N for 0.1 s",)
    for wrong in ((1.0, 2.0), (np.nan, 0.0, 0.0)):
        with pytest.raises(InputError, match="three finite numbers"):
            calm.push(wrong)
    with pytest.raises(InputError, match="no body named 'head'"):
        calm.push((1.0, 0.0, 0.0), body="head")


def test_a_thrown_ball_hits_the_trunk() -> None:
    character = standing()
    reference = still(character)
    player = Player(character, track(character, reference), reference, balls=2)
    for n in range(2):
        player.throw(start=(2.0 * (-1) ** n, 0.0, 1.5), speed=8.0)
        before = player.states().seen.com_velocity[0, 0]
        hit = 0.0
        for _ in range(20):
            player.step()
            hit = max(hit, float(abs(player.states().contacts.force[0, 0]).max()))
        assert hit > 10.0  # as it happens to be at the end of a period
        assert (player.states().seen.com_velocity[0, 0] - before) * (-1) ** n < -0.01
    assert [event.split(": ")[1] for event in player.events[:2]] == ["ball 1 thrown at trunk, 8 m/s", "ball 2 thrown at trunk, 8 m/s"]
    assert np.array_equal(player.recording().replay(), player.recording().states)
    with pytest.raises(InputError, match="no ball named 'ball 3'"):
        player.throw(ball="ball 3")
    for speed in (0.0, float("nan"), 1e9):
        with pytest.raises(InputError, match=r"0\.1 to 200 m/s"):
            player.throw(speed=speed)
    for start in ((1.0, 2.0), (np.nan, 0.0, 1.0), (1e9, 0.0, 1.0)):
        with pytest.raises(InputError, match="a point of three numbers, each within 1000 m"):
            player.throw(start=start)
    with pytest.raises(InputError, match="there is no ball in this world"):
        Player(character, track(character, reference), reference).throw()


def test_a_policy_takes_over_at_the_end_of_the_running_period() -> None:
    character = standing()
    reference = still(character)
    first, second = track(character, reference, period=0.1), Swaying(character.model.nu)
    player = Player(character, first, reference)
    player.advance(0.05)
    player.switch(second)
    with pytest.raises(InputError, match="no whole number of the simulation's steps"):
        player.switch(Swaying(character.model.nu, period=0.013))
    player.advance(0.05)
    assert not any("swaying" in event for event in player.events)
    player.advance(0.1)
    recording = player.recording()
    assert recording.substeps.tolist() == [20, 4, 4, 4, 4, 4]
    np.testing.assert_allclose(recording.targets[1:, 0], 0.1 * np.sin(0.5 * np.arange(5)))
    assert [event.split(":")[0] for event in player.events if event.endswith("is under 'swaying' now")] == ["0.10 s"]
    assert np.array_equal(recording.replay(), recording.states)


def test_reset_begins_again_with_the_same_bits_and_the_recording_goes_on() -> None:
    policy, reference = closed()
    player = Player(reference.character, policy, reference)
    player.push((300.0, 0.0, 0.0))
    player.advance(0.28)
    player.push((300.0, 0.0, 0.0))  # ends with the reset
    player.advance(0.02)
    player.reset()
    player.push((0.0, 90.0, 0.0))
    player.advance(0.4)
    fresh = Player(reference.character, policy, reference)
    fresh.push((0.0, 90.0, 0.0))
    fresh.advance(0.4)
    parts = fresh.engine.layout
    assert np.array_equal(player.engine.state[0, parts.qpos], fresh.engine.state[0, parts.qpos])
    assert np.array_equal(player.engine.state[0, parts.qvel], fresh.engine.state[0, parts.qvel])
    recording = player.recording()
    assert recording.times[-1] == pytest.approx(0.7)
    assert np.array_equal(recording.replay(), recording.states)
    assert list(recording.written) == [15]


def test_a_policy_that_says_nothing_finite_is_lost_until_it_is_reset() -> None:
    @dataclass(frozen=True)
    class Failing(Swaying):
        kind: ClassVar[str] = "failing"

        def act(self, t: Array, x: Any, memory: Mapping[str, Array]) -> tuple[Array, dict[str, Array]]:
            targets, after = super().act(t, x, memory)
            return np.where(t[:, None] > 0.05, np.nan, targets), after

    character = standing()
    player = Player(character, Failing(character.model.nu), still(character))
    player.advance(1.0)
    assert player.lost
    assert player.time == pytest.approx(0.06)
    assert player.fallen == {character.name: "a policy gave targets that are not finite"}
    kept = player.recording()
    assert np.isfinite(kept.states).all()
    assert np.array_equal(kept.replay(), kept.states)
    player.reset()
    player.advance(0.04)
    assert not player.lost
    assert np.array_equal(player.recording().replay(), player.recording().states)


def test_a_simulation_that_diverges_is_lost_and_its_recording_ends_before() -> None:
    character = standing()
    player = Player(character, track(character, still(character)), still(character))
    player.advance(0.05)
    player.push((0.0, 0.0, 1e15))
    player.advance(1.0)
    assert player.lost
    assert player.fallen == {character.name: "the simulation diverged"}
    assert np.isfinite(player.recording().states).all()
    player.step()
    assert player.lost
    player.reset()
    player.advance(0.3)  # the push that blew it up is over
    assert not player.lost
    assert player.time == pytest.approx(0.35)
    assert np.array_equal(player.recording().replay(), player.recording().states)


def test_a_policy_of_the_wrong_width_is_one_line() -> None:
    character = standing()
    with pytest.raises(InputError, match=r"'swaying' must give targets of shape \(1, 3\), got \(1, 5\)"):
        Player(character, Swaying(5), still(character))
    other = dinosaur()
    with pytest.raises(InputError, match="is of another character"):
        Player(character, track(character, still(character)), other.reference)


@pytest.mark.parametrize(
    ("mistake", "said"),
    [
        ({"start": lambda t, x: [1]}, "must give its memory as a dict of arrays, got list"),
        ({"start": lambda t, x: {"count": np.zeros(2)}}, r"the memory 'count' of the policy 'swaying' has the shape \(2,\)"),
        ({"act": lambda t, x, memory: (np.zeros((len(t), 3)), {"count": np.zeros(7)})}, "expected a row for each of"),
        ({"act": lambda t, x, memory: ("stand", memory)}, "targets as an array of numbers, got str"),
    ],
)
def test_what_a_user_s_policy_does_wrong_is_one_line_in_player_and_evaluator(mistake: dict[str, Any], said: str) -> None:
    character = standing()
    reference, policy = still(character), type("Wrong", (Swaying,), {name: staticmethod(f) for name, f in mistake.items()})(3)
    with pytest.raises(InputError, match=said):
        Player(character, policy, reference).advance(0.1)
    with pytest.raises(InputError, match=said):
        evaluate(policy, reference, EvaluateConfig(episodes=3, seconds=0.2, pushes=False), threads=1)


def test_numbers_that_are_none_are_refused_before_anything_moves() -> None:
    character = standing()
    reference = still(character)
    policy = track(character, reference)
    player = Player(character, policy, reference)
    with pytest.raises(InputError, match="goes on by a finite time, got inf"):
        player.advance(np.inf)
    with pytest.raises(InputError, match="0 to 200 balls, got -1"):
        Player(character, policy, reference, balls=-1)
    for wrong in ({"time": np.nan}, {"position": (np.inf, 0.0)}, {"heading": np.nan}):
        with pytest.raises(InputError, match="'anna' needs a finite time, place and heading"):
            Player.of({"anna": Role(character=character, policy=policy, reference=reference, **wrong)})
    with pytest.raises(InputError, match=r"targets are an array \(3,\) or \(1, 3\), got \(2, 3\)"):
        player.engine.step(np.zeros((2, 3)))


def two(apart: float = 1.2, policies: tuple[str, str] = ("walk", "walk")) -> Player:
    """Two dinosaurs that walk at each other."""
    made = dinosaur()
    slow = OpenLoop(plan=made.policy.plan, period=0.04) if isinstance(made.policy, OpenLoop) else made.policy
    role = {"walk": made.policy, "slow": slow}
    length = made.character.height
    return Player.of(
        {
            "anna": Role(character=made.character, policy=role[policies[0]], reference=made.reference),
            "ben": Role(
                character=made.character,
                policy=role[policies[1]],
                reference=made.reference,
                position=tuple(apart * length * made.character.forward[:2] + 0.0),
                heading=np.pi,
            ),
        }
    )


def touches(player: Player) -> int:
    """Contacts between the two."""
    model = player.engine.model
    data = mujoco.MjData(model)
    mujoco.mj_setState(model, data, player.engine.state[0], ALL)
    mujoco.mj_forward(model, data)
    pairs = [{model.body(int(model.geom_bodyid[g])).name.split("/")[0] for g in (c.geom1, c.geom2)} for c in data.contact]
    return pairs.count({"anna", "ben"})


def test_two_characters_in_one_world_collide() -> None:
    near, far = two(1.0), two(40.0)
    touched = 0
    for _ in range(40):
        near.step()
        far.step()
        touched += touches(near)
        assert touches(far) == 0
    assert touched > 0
    assert np.abs(near.qpos("anna") - far.qpos("anna")).max() > 1e-3
    recording = near.recording()
    assert np.array_equal(recording.replay(), recording.states)
    assert np.array_equal(recording.qpos("ben")[-1], near.qpos("ben"))


def test_far_apart_each_moves_as_it_would_alone() -> None:
    far, made = two(40.0), dinosaur()
    alone = Player(made.character, made.policy, made.reference)
    for player in (far, alone):
        player.advance(0.5)
    # A composed model's numbers have six digits, and its solver sees both at once.
    np.testing.assert_allclose(far.qpos("anna"), alone.qpos(), atol=1e-3)
    assert far.names == ("anna", "ben")


def test_policies_of_different_periods_share_a_world_and_targets_stay_on_their_lines() -> None:
    both = two(40.0, ("walk", "slow"))
    both.advance(0.4)
    recording = both.recording()
    assert set(recording.substeps.tolist()) <= {1, 2, 3, 5}
    assert recording.substeps.sum() == 80
    assert np.array_equal(recording.replay(), recording.states)
    made = dinosaur()
    slow = Player(made.character, OpenLoop(plan=made.policy.plan, period=0.04), made.reference)  # type: ignore[attr-defined]
    slow.advance(0.4)
    np.testing.assert_allclose(both.qpos("ben")[7:], slow.qpos()[7:], atol=2e-3)


def test_pushes_and_resets_reach_the_one_they_name() -> None:
    both = two(40.0)
    both.push((0.0, 300.0, 0.0), name="ben")
    both.advance(0.3)
    calm = two(40.0)
    calm.advance(0.3)
    assert np.abs(both.qpos("ben") - calm.qpos("ben")).max() > 1e-2
    np.testing.assert_allclose(both.qpos("anna"), calm.qpos("anna"), atol=1e-6)
    with pytest.raises(InputError, match="no character in this world named 'carl'"):
        both.push((1.0, 0.0, 0.0), name="carl")


def test_worlds_of_nobody_of_too_many_and_of_odd_names_are_refused() -> None:
    character = standing()
    role = Role(character=character, policy=track(character, still(character)))
    with pytest.raises(InputError, match=f"1 to {MOST} characters, got 0"):
        Player.of({})
    with pytest.raises(InputError, match=f"1 to {MOST} characters, got 33"):
        Player.of({str(n): role for n in range(33)})
    with pytest.raises(InputError, match="cannot name a character"):
        Player.of({"a/b": role, "c": role})


def test_the_ghost_stands_where_the_reference_is() -> None:
    policy, reference = linear()
    player = Player(reference.character, policy, reference)
    player.advance(0.3)
    ghost = player.ghost()
    assert ghost is not None
    np.testing.assert_allclose(ghost, reference.at([0.3])[0], atol=1e-12)


def test_a_scene_s_ground_and_props_are_in_the_player_s_world() -> None:
    character = standing()
    reference = still(character)
    scene = Scene(ground=Slope(degrees=20.0), props=(Ball(name="stone", position=(3.0, 3.0, 3.0)),))
    player = Player(character, track(character, reference), reference, scene=scene)
    player.advance(0.5)
    assert player.engine.model.body("stone").id > 0
    assert np.array_equal(player.recording().replay(), player.recording().states)


def test_a_player_begins_on_the_poses_that_its_policy_really_passes_through() -> None:
    policy, reference = linear()
    character = reference.character
    lower = np.array(reference.qpos)
    lower[:, 2] -= 0.02
    there = Reference(character=character, qpos=lower, frame_time=reference.frame_time)
    playing = Player(character, policy, reference, starts=there, time=0.4)
    np.testing.assert_allclose(playing.qpos(), there.at([0.4])[0], atol=1e-12)
    ghost = playing.ghost()
    assert ghost is not None
    np.testing.assert_allclose(ghost, reference.at([0.4])[0], atol=1e-12)  # the ghost is the reference all the same
