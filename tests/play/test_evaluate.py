"""Evaluation: DESIGN's definitions, each against a case whose answer is known beforehand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
import pytest

from surefoot.errors import InputError
from surefoot.physics import Scene
from surefoot.physics.push import trunk
from surefoot.play import EvaluateConfig, evaluate
from surefoot.play import push as pushes
from surefoot.play.evaluate import episodes
from surefoot.play.nominal import nominal
from surefoot.play.push import PushConfig, tolerance
from surefoot.play.wilson import wilson
from surefoot.policy import Reference, track
from surefoot.policy.fall import FallRule
from tests.bundle.cases import dinosaur, learned
from tests.physics.made import made
from tests.policy.bodies import STANDING, standing, still

Array = np.ndarray

PUCK = """<mujoco><option timestep="0.005" integrator="implicitfast" gravity="0 0 0"/><worldbody>
<body name="puck" pos="0 0 1.7"><freejoint/><geom name="puck" type="sphere" size=".1" mass="5"/>
<body name="fin" pos="0 0 .2"><joint name="fin" axis="0 0 1" range="-1 1" damping="1"/><geom name="fin" size=".02" mass=".001"/></body>
</body></worldbody><actuator><position joint="fin" kp="1" kv=".1"/></actuator></mujoco>"""
"""It floats: a push of F for 0.2 s gives it the speed 0.2 F / m."""


@dataclass
class Noting:
    """Holds still, tells what it was shown, and where it believes to be."""

    num: int
    closed: bool = True
    period: float = 0.1
    linear: bool = False
    kind: ClassVar[str] = "noting"
    shown: list[tuple[Array, Array, Array]] = field(default_factory=list)

    def start(self, t: Array, x: Any) -> dict[str, Array]:
        return {}

    def act(self, t: Array, x: Any, memory: Mapping[str, Array]) -> tuple[Array, dict[str, Array]]:
        self.shown.append((np.array(t), np.array(x.qpos), np.array(x.qvel)))
        return np.zeros((len(t), self.num)), dict(memory)

    to_arrays = from_arrays = None


class Speeding(FallRule):
    """Falls where its speed forward lies within a band."""

    def __init__(self, reference: Reference, low: float, high: float = np.inf, along: tuple[float, float] = (1.0, 0.0)) -> None:
        super().__init__(reference)
        self.low, self.high, self.along = low, high, along

    def __call__(self, x: Any, t: Any) -> Array:
        speed = x.qvel[:, :2] @ np.array(self.along)
        return (speed > self.low) & (speed < self.high)


def puck(**fields: Any) -> Reference:
    return still(made(PUCK, height_m=1.7, **fields), num=11, frame_time=0.1, cycle=True)


def found(reference: Reference, rule: FallRule, **config: Any) -> dict[str, float]:
    policy = Noting(reference.character.model.nu)
    asked = PushConfig(**{"watched": 0.5, **config})
    return tolerance(policy, reference, rule, asked, np.random.default_rng(0), threads=1)[0]


def test_the_push_tolerance_of_a_floating_puck_is_what_physics_says() -> None:
    reference = puck()
    assert trunk(reference.character) == "puck"
    # 235 N for 0.2 s give 47 kg m/s: 230 N is survived, 240 N is not. What flies the other way, or sideways, is not judged.
    rule = Speeding(reference, 0.2 * 235.0 / reference.character.mass)
    assert found(reference, rule) == {
        "0": 230.0, "45": 330.0, "90": 1000.0, "135": 1000.0, "180": 1000.0, "225": 1000.0, "270": 1000.0, "315": 330.0,
    }  # fmt: skip


def test_angles_turn_from_forward_to_the_left() -> None:
    forward_is_y = puck(forward=[0, 1, 0])
    left = Speeding(forward_is_y, 0.2 * 55.0 / forward_is_y.character.mass, along=(-1.0, 0.0))
    force = found(forward_is_y, left, angles=4)
    assert force == {"0": 1000.0, "90": 50.0, "180": 1000.0, "270": 1000.0}


def test_the_lowest_failing_bracket_counts_where_harder_pushes_are_survived_again() -> None:
    reference = puck()
    speeds = 0.2 * np.array([295.0, 355.0]) / reference.character.mass
    assert found(reference, Speeding(reference, *speeds), angles=1) == {"0": 290.0}


def test_nine_of_ten_must_stand_and_no_less() -> None:
    reference = puck()

    class Unlucky(Speeding):
        lost = 3

        def __call__(self, x: Any, t: Any) -> Array:
            return super().__call__(x, t) & (x.sims % 32 < self.lost)

    rule = Unlucky(reference, 0.2 * 95.0 / reference.character.mass)
    assert found(reference, rule, angles=1) == {"0": 1000.0}  # 29 of 32 stand
    rule.lost = 4
    assert found(reference, rule, angles=1) == {"0": 90.0}  # 28 do


def test_what_falls_without_a_push_withstands_none() -> None:
    reference = puck()
    assert found(reference, Speeding(reference, -1.0), angles=2) == {"0": 0.0, "180": 0.0}


def test_a_fall_counts_within_five_seconds_of_the_push_and_not_after() -> None:
    reference = puck()

    class Late(Speeding):
        when = 4.9

        def __call__(self, x: Any, t: Any) -> Array:
            return super().__call__(x, t) & (x.time > 1.0 + self.when)  # pushes begin after a second of settling

    rule = Late(reference, 0.2 * 45.0 / reference.character.mass)
    config = {"angles": 1, "watched": PushConfig().watched}
    assert PushConfig().watched == 5.0
    assert found(reference, rule, **config) == {"0": 40.0}
    rule.when = 5.05
    assert found(reference, rule, **config) == {"0": 1000.0}


def test_pushes_begin_at_random_phases_of_the_skill() -> None:
    reference = puck()
    policy = Noting(reference.character.model.nu)
    begun = pushes.moments(policy, reference, FallRule(reference), 400, np.random.default_rng(1), threads=1, scene=Scene())
    phase = np.round(np.mod(begun.t, reference.duration) / policy.period).astype(int) % 10
    assert np.bincount(phase).min() > 20  # of 40 each
    assert begun.standing.all()


DROPPED = PUCK.replace('gravity="0 0 0"', "").replace("<worldbody>", '<worldbody><geom name="floor" type="plane" size="0 0 1"/>')
"""It falls by 1.6 m."""


def dropped() -> Reference:
    character = made(DROPPED, height_m=1.7)
    poses = np.tile(character.model.qpos0, (11, 1))
    poses[:, 2] = np.maximum(1.7 - 0.5 * 9.81 * (0.1 * np.arange(11)) ** 2, 0.1)
    return Reference(character=character, qpos=poses, frame_time=0.1)


def test_flight_is_while_nothing_touches_anything() -> None:
    reference = dropped()
    times = pushes.flight(Noting(1, period=0.02), reference, Scene())
    down = -reference.velocity_at([0.0])[0, 2]
    lands = (np.sqrt(down**2 + 2.0 * 9.81 * 1.6) - down) / 9.81
    before = int((lands - 0.01) / 0.02)  # steps of 5 ms fall a little faster
    np.testing.assert_allclose(times[:before], 0.02 * np.arange(1, before + 1))
    assert not ((times > lands + 0.006) & (times < lands + 0.05)).any()


def test_pushes_begun_in_flight_begin_there() -> None:
    reference = dropped()
    policy = Noting(1, period=0.02)
    rule = FallRule(reference)
    rule.guard = rule.guard[:0]
    begun = pushes.moments(policy, reference, rule, 64, np.random.default_rng(1), threads=1, scene=Scene(), begun="flight")
    assert begun.standing.all()
    flights = pushes.flight(policy, reference, Scene())
    assert np.isin(np.round(begun.t / 0.02), np.round(flights / 0.02)).all()
    assert np.unique(begun.t).size > 10
    # 235 N for 0.2 s in the air give 47 kg m/s; on the ground friction would take them.
    fast = Speeding(reference, 0.2 * 235.0 / reference.character.mass)
    asked = {"angles": 1, "watched": 0.3, "episodes": 8}
    assert found(reference, fast, begun="flight", **asked)["0"] == 230.0


def test_what_never_leaves_the_ground_cannot_be_pushed_in_flight() -> None:
    with pytest.raises(InputError, match="never leaves the ground"):
        found(still(standing(), num=11, frame_time=0.1), FallRule(still(standing())), begun="flight")
    with pytest.raises(InputError, match="no time of a push named 'air'"):
        PushConfig(begun="air")  # type: ignore[arg-type]


def test_designs_numbers_are_the_defaults() -> None:
    mine, push = EvaluateConfig(), PushConfig()
    assert (mine.episodes, mine.seconds, mine.hold) == (256, 60.0, 2.0)
    assert (mine.root_velocity, mine.root_spin, mine.joint_velocity) == (0.1, 0.2, 0.3)
    assert (push.episodes, push.angles, push.limit, push.resolution) == (32, 8, 1000.0, 10.0)
    assert (push.duration, push.watched, push.share) == (0.2, 5.0, 0.9)
    assert push.begun == "any"


def test_episodes_begin_at_all_phases_with_the_perturbation_that_design_gives() -> None:
    reference = puck()
    character, policy = reference.character, Noting(1)
    config = EvaluateConfig(episodes=4000, seconds=0.2)
    survived, stands, steps = episodes(policy, reference, FallRule(reference), config, np.random.default_rng(0), threads=1, scene=Scene())
    t, _, qvel = policy.shown[-2]
    assert np.histogram(t, 10, (0.0, 1.0))[0].tolist() == [400] * 10
    assert stands.all()
    assert (survived == 0.2).all()
    assert steps == 4000 * 40
    # 4000 draws: a standard deviation is known to 1.1 %.
    np.testing.assert_allclose(qvel.std(axis=0), [*[0.1] * 3, *[0.2] * 3, 0.3], rtol=0.05)
    np.testing.assert_allclose(qvel.mean(axis=0), 0.0, atol=0.02)
    assert character.model.nv == 7


def test_episodes_of_a_skill_that_ends_last_to_its_end_and_the_hold() -> None:
    character = standing()
    reference = still(character, num=11, frame_time=0.1)
    rule = FallRule(reference)
    rule.guard = rule.guard[:0]  # nobody falls
    config = EvaluateConfig(episodes=10, hold=0.5, root_velocity=0.0, root_spin=0.0, joint_velocity=0.0)
    survived, stands, _ = episodes(
        track(character, reference, period=0.1), reference, rule, config, np.random.default_rng(0), threads=1, scene=Scene()
    )
    assert stands.all()
    np.testing.assert_allclose(survived, 1.5 - 0.1 * np.arange(10), atol=1e-9)


def test_a_survivor_is_counted_and_a_fall_ends_its_episode() -> None:
    reference = puck()
    rule = Speeding(reference, 0.0)  # half of them drift forward
    config = EvaluateConfig(episodes=200, seconds=1.0)
    survived, stands, steps = episodes(Noting(1), reference, rule, config, np.random.default_rng(3), threads=1, scene=Scene())
    assert 60 < stands.sum() < 140
    assert (survived[stands] == 1.0).all()
    np.testing.assert_allclose(survived[~stands], 0.1)
    assert steps == 20 * (10 * stands.sum() + (~stands).sum())


@pytest.mark.parametrize(
    ("good", "trials", "low", "high"), [(0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (5, 10, 0.2366, 0.7634), (81, 263, 0.2553, 0.3662)]
)
def test_the_interval_is_wilsons(good: int, trials: int, low: float, high: float) -> None:
    assert wilson(good, trials) == (pytest.approx(low, abs=1e-4), pytest.approx(high, abs=1e-4))


def test_the_same_seed_gives_the_same_bits_at_any_number_of_threads() -> None:
    bundle = learned()
    config = replace(EvaluateConfig(), episodes=12, seconds=2.0, push=replace(PushConfig(), episodes=4, angles=2, watched=0.5, limit=200.0))
    told = []
    for threads in (1, 2, 8):
        done = evaluate(bundle.policy, bundle.reference, config, seed=5, threads=threads)
        told.append({**done.to_json(), "core_s": 0.0, "wall_s": 0.0, "bits": done.survived.tobytes()})
    assert told[0] == told[1] == told[2]
    other = evaluate(bundle.policy, bundle.reference, config, seed=6, threads=1)
    assert other.survived.tobytes() != told[0]["bits"]


def test_an_open_loop_is_judged_by_tracking_and_feedback_by_falling() -> None:
    bundle = dinosaur()
    config = EvaluateConfig(episodes=2, pushes=False)
    assert evaluate(bundle.policy, bundle.reference, config, threads=1).judged == "tracking"
    closed = Noting(bundle.character.model.nu)
    assert evaluate(closed, bundle.reference, config, threads=1).judged == "falling"
    assert evaluate(closed, bundle.reference, config, threads=1, judged="tracking").judged == "tracking"
    with pytest.raises(InputError, match="no rule named 'fall'; did you mean 'falling'"):
        evaluate(closed, bundle.reference, config, judged="fall")  # type: ignore[arg-type]


def test_a_closed_loop_may_drift_but_not_lose_its_joints() -> None:
    character = made(STANDING.replace("<option", '<option gravity="0 0 0"'), feet=["foot"], end_effectors=["foot"], height_m=1.7)
    poses = np.tile(character.model.qpos0, (21, 1))
    policy = track(character, Reference(character=character, qpos=poses, frame_time=0.1))
    poses[10:, 1] += np.linspace(0.0, 1.0, 11)  # it goes away to the left, the body stays
    left = Reference(character=character, qpos=poses, frame_time=0.1)
    closed, open_ = (nominal(policy, left, FallRule(left), 2.0, hold=1.0, closed=which) for which in (True, False))
    assert closed.success
    assert closed.survived == closed.duration == pytest.approx(3.0)
    assert closed.judgement.world < 0.01
    assert open_.judgement.world > 0.2
    assert open_.duration == pytest.approx(2.0)
    poses[:, 8] = np.linspace(0.0, 0.8, 21)  # it lifts its leg, the body does not
    raised = Reference(character=character, qpos=poses, frame_time=0.1)
    assert nominal(policy, raised, FallRule(raised), 2.0, closed=True).success  # under 120 mm in the mean
    poses[:, 8] = np.linspace(0.0, 2.5, 21)
    kicked = Reference(character=character, qpos=poses, frame_time=0.1)
    lost = nominal(policy, kicked, FallRule(kicked), 2.0, closed=True)
    assert not lost.success
    assert lost.why.startswith("joints are")


def test_a_fall_ends_the_nominal_episode_and_says_why() -> None:
    bundle = dinosaur()
    done = nominal(bundle.policy, bundle.reference, FallRule(bundle.reference), 10.0, closed=True)
    assert not done.success
    assert done.survived < 10.0
    assert "ground" in done.why or "sank" in done.why


def test_wrong_numbers_of_episodes_and_seconds_are_one_line() -> None:
    with pytest.raises(InputError, match="1 to 100000 episodes, got 0"):
        EvaluateConfig(episodes=0)
    with pytest.raises(InputError, match="up to an hour"):
        EvaluateConfig(seconds=np.nan)
