"""Robustness: every row against a case whose answer is known beforehand; the same bits at any number of threads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
import pytest

from surefoot.feedback.policy import LinearFeedback
from surefoot.physics import BatchEngine, Scene, Slope
from surefoot.play import EvaluateConfig, evaluate
from surefoot.play.robustness import level, robustness
from surefoot.play.trials import RobustnessConfig, Row, table, to_json, travels, trials
from surefoot.policy import Reference
from surefoot.policy.states import States
from tests.bundle.cases import dinosaur, learned
from tests.physics.made import made
from tests.policy.bodies import still

Array = np.ndarray

SLED = """<mujoco><option timestep="0.005" integrator="implicitfast"/><worldbody>
<geom name="floor" type="plane" size="0 0 1"/>
<body name="sled" pos="0 0 .1"><freejoint/><geom name="sled" type="box" size=".4 .4 .1" mass="5"/>
<body name="fin" pos="0 0 .2"><joint name="fin" axis="0 0 1" range="-3 3" damping="1"/><geom name="fin" size=".02" mass=".01"/></body>
</body></worldbody><actuator><position joint="fin" kp="1" kv=".1"/></actuator></mujoco>"""
"""A box that stands, and slides down a slope where friction does not hold it."""


@dataclass
class Noting:
    """Asks for what its period's number says, and keeps what it was shown."""

    closed: bool = True
    period: float = 0.02
    linear: bool = True
    turn: Array | None = None
    kind: ClassVar[str] = "noting"
    shown: list[tuple[Array, Array]] = field(default_factory=list)
    asked: list[Array] = field(default_factory=list)

    def start(self, t: Array, x: Any) -> dict[str, Array]:
        return {"count": np.zeros(len(t)), **({} if self.turn is None else {"turn": np.zeros(len(t))})}

    def act(self, t: Array, x: Any, memory: Mapping[str, Array]) -> tuple[Array, dict[str, Array]]:
        if x.sims is not None:  # not while servos are led to where it begins
            self.shown.append((np.array(x.rows), np.array(x.sims)))
        if "turn" in memory and x.sims is not None:
            self.asked.append(np.array(memory["turn"]))
        return 0.01 * memory["count"][:, None], {**memory, "count": memory["count"] + 1.0}

    to_arrays = from_arrays = None


NOTHING = RobustnessConfig(episodes=3, seconds=0.4, slopes=(), steps=(), frictions=(), masses=(), delays=(), noises=(), turns=())


def sled() -> Reference:
    return still(made(SLED, height_m=1.7, feet=["sled"], end_effectors=["sled"]), num=11, frame_time=0.1, cycle=True)


def found(policy: Any, reference: Reference, config: RobustnessConfig, spread: float = 0.0, threads: int = 1) -> list[Row]:
    deviations = np.full(reference.character.model.nv, spread)
    rows, steps = robustness(policy, reference, reference, config, deviations, hold=0.5, seed=np.random.SeedSequence(3), threads=threads)
    assert steps > 0
    return rows


def test_a_sled_slides_down_the_slope_that_its_friction_does_not_hold() -> None:
    ice = replace(NOTHING, episodes=2, seconds=1.0, slopes=(-10.0, 0.0, 10.0, 40.0), frictions=(0.1,))
    policy = Noting()
    rows = found(policy, sled(), ice)
    shown, sims = next((rows, sims) for rows, sims in reversed(policy.shown) if len(sims) == 10)
    layout = BatchEngine(sled().character, 1, 1).layout
    away = shown[np.argsort(sims)][:, layout.qpos][:, 0].reshape(5, 2)[:, 0]
    assert np.abs(away[[0, 1, 2, 4]]).max() < 0.05  # MuJoCo's friction is 1: up to 45 degrees hold
    assert [row.trial.text for row in rows] == [*(f"slope {v} degrees" for v in ("-10", "+0", "+10", "+40")), "friction 0.1"]
    assert [row.trial.scene.friction for row in rows] == [None] * 4 + [0.1]


def test_late_senses_show_the_state_of_so_many_steps_ago() -> None:
    reference = sled()
    policy = Noting()
    found(policy, reference, replace(NOTHING, delays=(0.0, 0.02, 0.05)), spread=0.1)
    layout = BatchEngine(reference.character, 1, 1).layout
    times = np.stack([rows[np.argsort(sims), layout.time] for rows, sims in policy.shown])  # (periods, 9)
    now = 0.02 * np.arange(len(times))
    for row, late in enumerate((0.0, 0.02, 0.05)):
        np.testing.assert_allclose(times[:, 3 * row], np.maximum(now - late, 0.0), atol=1e-9)
    ctrl = np.stack([rows[np.argsort(sims)][:, layout.ctrl][:, 0] for rows, sims in policy.shown])
    np.testing.assert_allclose(ctrl[4:, 6], ctrl[4:, 0] - 0.025, atol=1e-9)  # halfway through a period of 0.01: targets go in lines


def test_delay_changes_what_is_seen_and_nothing_else() -> None:
    reference = sled()
    blind = Noting()  # it does not look
    rows = found(blind, reference, replace(NOTHING, delays=(0.0, 0.05)), spread=0.1)
    np.testing.assert_array_equal(rows[0].survived, rows[1].survived)
    plain = Noting()
    found(plain, reference, replace(NOTHING, masses=(1.0, 1.1)), spread=0.1)
    mine, its = (p.shown[-1][0][:3] for p in (blind, plain))
    np.testing.assert_array_equal(mine, its)  # step by step or a period at once


def test_noise_is_what_it_says_and_hides_the_state_from_the_policy_alone() -> None:
    reference = sled()
    policy = Noting()
    found(policy, reference, replace(NOTHING, episodes=400, seconds=0.1, noises=(0.0, 1.0, 2.0)), spread=0.3)
    layout = BatchEngine(reference.character, 1, 1).layout
    rows = policy.shown[0][0]
    place, speed = rows[:, layout.qpos][:, 0], rows[:, layout.qvel][:, 6]
    np.testing.assert_allclose(place[:400], 0.0, atol=1e-12)
    np.testing.assert_allclose([place[400:800].std(), place[800:].std()], [0.01, 0.02], rtol=0.12)
    np.testing.assert_allclose((speed[800:] - speed[:400]).std(), 0.6, rtol=0.12)
    norms = np.linalg.norm(rows[:, layout.qpos][:, 3:7], axis=1)
    np.testing.assert_allclose(norms, 1.0, atol=1e-12)


def test_mass_is_varied_in_the_engine_and_in_its_own_row_alone() -> None:
    policy = Noting()
    rows = found(policy, sled(), replace(NOTHING, masses=(0.8, 1.0, 1.2), noises=(0.0,)), spread=0.1)
    assert all(row.standing.all() for row in rows)
    shown, sims = policy.shown[-1]
    qpos = shown[np.argsort(sims)][:, BatchEngine(sled().character, 1, 1).layout.qpos].reshape(4, 3, -1)
    np.testing.assert_array_equal(qpos[1], qpos[3])
    assert not np.allclose(qpos[0], qpos[1], atol=1e-6)
    assert not np.allclose(qpos[2], qpos[1], atol=1e-6)


def test_turns_are_asked_for_where_the_policy_can_and_measured() -> None:
    config = replace(NOTHING, turns=(-30.0, 15.0))
    assert trials(Noting(), sled(), config) == []
    policy = Noting(turn=np.zeros((1, 1)))
    rows = found(policy, sled(), config)
    np.testing.assert_allclose(policy.asked[0], np.radians(np.repeat([-30.0, 15.0], 3)))
    assert [abs(row.rate) < 0.5 for row in rows] == [True, True]  # it stands still
    assert to_json(rows)[0]["turned_deg_s"] == rows[0].rate


def test_who_stays_where_it_is_meets_no_step_and_who_travels_does() -> None:
    config = RobustnessConfig()
    assert {t.kind for t in trials(Noting(), sled(), config)} == {"slope", "friction", "mass", "delay", "noise"}
    walking = learned().reference
    assert travels(walking) == pytest.approx(1.0)
    kinds = [t.kind for t in trials(learned().policy, walking, config)]
    assert kinds.count("step") == 4
    assert "step" not in [t.kind for t in trials(learned().policy, walking, config.quick())] or config.quick().seconds * 1.0 > 3.0


def test_starts_stand_over_the_origin_and_travel_along_x() -> None:
    walking = learned().reference
    poses = np.array(walking.qpos)
    poses[:, 1], poses[:, 0] = poses[:, 0].copy(), 0.0  # along y
    sideways = Reference(character=walking.character, qpos=poses, frame_time=walking.frame_time, cycle=True)
    qpos, qvel = level(sideways, np.array([0.1, 0.5]))
    np.testing.assert_array_equal(qpos[:, :2], 0.0)
    np.testing.assert_allclose(qvel[:, :2], [[1.0, 0.0]] * 2, atol=1e-6)


def test_features_are_measured_from_the_ground_below() -> None:
    character = learned().character
    scenes = [Scene(), Scene(ground=Slope(degrees=10.0)), Scene(ground=Slope(degrees=-10.0))]
    engine = BatchEngine(character, 3, 1, scenes[0])
    engine.set_scenes(scenes)
    poses = np.tile(character.model.qpos0, (3, 1))
    poses[:, 0] = 1.0
    engine.state[:] = engine.rows(poses)
    heights = np.asarray(States(engine).features)[:, [2, 5]]
    rise = np.array([0.0, 1.0, -1.0])[:, None] * np.tan(np.radians(10.0))
    np.testing.assert_allclose(heights, heights[0] - rise, atol=1e-9)
    some = States(engine, engine.state[[2, 1]], sims=np.array([2, 1]))
    np.testing.assert_allclose(np.asarray(some.features)[:, 2], heights[[2, 1], 0], atol=1e-12)


def test_a_learned_skill_s_table_is_the_same_at_any_number_of_threads() -> None:
    bundle = learned()
    policy = bundle.policy
    assert isinstance(policy, LinearFeedback)
    policy = policy.replace(turn=np.zeros_like(policy.action))
    config = EvaluateConfig(episodes=2, seconds=0.5, pushes=False, robust=RobustnessConfig(episodes=3, seconds=4.0))
    told = [evaluate(policy, bundle.reference, config, seed=5, threads=threads) for threads in (1, 2)]
    one, other = (found.to_json()["robustness"] for found in told)
    assert one == other
    assert {row["kind"] for row in one} == {"slope", "step", "friction", "mass", "delay", "noise", "turn"}
    assert told[0].robustness is not None
    assert len(table(told[0].robustness)) == len(one)
    assert all(0.0 <= row["survival_interval"][0] <= row["survival_rate"] <= row["survival_interval"][1] <= 1.0 for row in one)
    assert "mass x 1.2" in told[0].table()


def test_without_the_flag_there_is_no_table() -> None:
    bundle = dinosaur()
    found = evaluate(bundle.policy, bundle.reference, EvaluateConfig(episodes=2, pushes=False), threads=1)
    assert "robustness" not in found.to_json()
