"""Many simulations of one character: rows, targets, pushes, lost ones; the same bits however the work is divided."""

import dataclasses
import doctest
import subprocess
import sys
import zipfile
from pathlib import Path

import mujoco
import numpy as np
import pytest

import surefoot.physics
from surefoot.archive import pack
from surefoot.character.builtin import builtin
from surefoot.character.character import Character
from surefoot.errors import InputError, SurefootError
from surefoot.physics import Ball, BatchEngine, Bumps, Engine, Push, Scene, crash, trunk
from surefoot.physics.layout import ALL
from tests.lying import lying
from tests.physics.made import made

PERIODS, SUBSTEPS = 100, 4


@pytest.fixture(scope="module")
def humanoid() -> Character:
    return builtin("humanoid")


def wild_targets(character: Character, num: int) -> np.ndarray:
    """Targets under which the character flails and falls."""
    return np.random.default_rng(1).normal(0.0, 0.1, (num, PERIODS, character.model.nu))


def start(engine: BatchEngine) -> None:
    engine.state[:] = engine.rows(np.tile(engine.character.model.qpos0, (engine.num_simulations, 1)))


PUSHES = [Push(body="chest", force=(200.0, 30.0, 0.0), start=0.313, duration=0.2), Push(body="pelvis", torque=(0.0, 40.0, 0.0), start=0.4)]


@pytest.mark.parametrize("linear", [False, True])
@pytest.mark.parametrize("pushes", [[], PUSHES])
def test_one_call_many_calls_one_simulation_and_any_number_of_threads_agree_bit_for_bit(
    humanoid: Character, linear: bool, pushes: list[Push]
) -> None:
    targets = wild_targets(humanoid, 6)
    whole = BatchEngine(humanoid, 6, threads=1)
    start(whole)
    recorded = whole.rollout(targets, SUBSTEPS, linear=linear, pushes=pushes)
    assert recorded.ok.all()
    for num, threads in ((6, 2), (6, 8), (1, 1), (4, 2)):
        engine = BatchEngine(humanoid, num, threads=threads)
        start(engine)
        for k in range(PERIODS):
            engine.step(targets[:num, k], SUBSTEPS, linear=linear, pushes=pushes)
            assert np.array_equal(engine.state, recorded.states[:num, k])


def test_a_plain_loop_over_mujoco_agrees_bit_for_bit(humanoid: Character) -> None:
    targets = wild_targets(humanoid, 1)
    engine = BatchEngine(humanoid, 1, threads=1)
    start(engine)
    rollout = engine.rollout(targets, SUBSTEPS)
    data = mujoco.MjData(engine.model)
    row = np.empty(engine.layout.size)
    for k in range(PERIODS):
        data.ctrl[:] = targets[0, k]
        for _ in range(SUBSTEPS):
            mujoco.mj_step(engine.model, data)
        mujoco.mj_getState(engine.model, data, row, ALL)
        assert np.array_equal(row, rollout.states[0, k])


def test_a_saved_row_continues_bit_for_bit_in_another_engine(humanoid: Character) -> None:
    targets = wild_targets(humanoid, 3)
    first = BatchEngine(humanoid, 3, threads=1)
    start(first)
    whole = first.rollout(targets, SUBSTEPS)
    second = BatchEngine(humanoid, 5, threads=2)
    second.state[:] = whole.states[[2, 1, 0, 2, 1], 49]
    rest = second.rollout(targets[[2, 1, 0, 2, 1], 50:], SUBSTEPS)
    assert np.array_equal(rest.states, whole.states[[2, 1, 0, 2, 1], 50:])


def test_resampled_simulations_continue_from_their_parents(humanoid: Character) -> None:
    engine = BatchEngine(humanoid, 4, threads=1)
    start(engine)
    engine.rollout(wild_targets(humanoid, 4)[:, :10], SUBSTEPS)
    before = engine.state.copy()
    engine.resample([3, 3, 0, 1])
    assert np.array_equal(engine.state, before[[3, 3, 0, 1]])


def test_only_the_chosen_simulations_run(humanoid: Character) -> None:
    engine = BatchEngine(humanoid, 4, threads=1)
    start(engine)
    before = engine.state.copy()
    engine.step(np.full(engine.servos.num, 0.1), 5, ids=[1, 3])
    assert np.array_equal(engine.state[[0, 2]], before[[0, 2]])
    assert np.array_equal(engine.time, [0.0, 0.025, 0.0, 0.025])
    assert engine.physics_steps == 10


def test_stopped_simulations_cost_nothing_and_leave_nan(humanoid: Character) -> None:
    engine = BatchEngine(humanoid, 4, threads=1)
    start(engine)
    rollout = engine.rollout(wild_targets(humanoid, 4)[:, :6], SUBSTEPS, stop=lambda k, rows: np.arange(4) < k - 1)
    # Simulation 0 is named after period 2 (k = 2), simulation 1 after period 3, 2 and 3 after the fourth and fifth.
    assert rollout.periods.tolist() == [3, 4, 5, 6]
    assert rollout.physics_steps == SUBSTEPS * (3 + 4 + 5 + 6)
    assert rollout.ok.tolist() == [False, False, False, False]
    assert not rollout.diverged.any()
    assert np.isnan(rollout.states[0, 3:]).all()
    assert np.isfinite(rollout.states[0, :3]).all()


def test_a_diverged_simulation_is_a_row_of_nan_and_never_still(humanoid: Character, capfd: pytest.CaptureFixture[str]) -> None:
    engine = BatchEngine(humanoid, 3, threads=2)
    start(engine)
    engine.qvel[1, 10] = 1e9
    rollout = engine.rollout(wild_targets(humanoid, 3)[:, :5], SUBSTEPS)
    assert rollout.ok.tolist() == [True, False, True]
    assert rollout.diverged.tolist() == [False, True, False]
    assert np.isnan(rollout.states[1]).all()
    assert rollout.periods.tolist() == [5, 0, 5]
    assert rollout.physics_steps == SUBSTEPS * (5 + 1 + 5)
    assert np.isnan(engine.observe().com[1]).all()
    engine.resample([0, 0, 1])
    assert engine.ok.tolist() == [True, True, False]
    assert capfd.readouterr() == ("", "")
    assert not Path("MUJOCO_LOG.TXT").exists()


@pytest.mark.parametrize("linear", [False, True])
@pytest.mark.parametrize("pushed", [False, True])
def test_the_first_divergence_is_dumped_and_looked_at(humanoid: Character, tmp_path: Path, linear: bool, pushed: bool) -> None:
    engine = BatchEngine(humanoid, 3, threads=1, dump=tmp_path)
    start(engine)
    pushes = [Push(body="chest", force=(0.0, 0.0, 1e15), start=0.05)] if pushed else []
    targets = wild_targets(humanoid, 3)[:, :10]
    if not pushed:
        engine.rollout(targets[:, :2], SUBSTEPS, linear=linear)
        engine.qvel[1, 10] = 1e9
    rollout = engine.rollout(targets, SUBSTEPS, linear=linear, pushes=pushes)
    assert rollout.diverged.any()
    text = crash.describe(crash.read(tmp_path / crash.NAME))
    assert "unstable" in text
    assert "joint '" in text


def test_a_crash_file_is_looked_at_by_one_command(humanoid: Character, tmp_path: Path) -> None:
    engine = BatchEngine(humanoid, 1, threads=1, dump=tmp_path)
    start(engine)
    engine.qvel[0, 10] = 1e9
    engine.step(None, 3)
    run = subprocess.run(
        [sys.executable, "-m", "surefoot.physics.crash", str(tmp_path / crash.NAME), "--png", str(tmp_path / "last.png")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert (tmp_path / "last.png").stat().st_size > 1000
    assert "substep 1 of 3" in run.stdout
    for data, said in ((b"nothing of the kind", "not an archive"), (pack({"facts.npy": np.zeros(3, np.uint8)}), "not a crash file")):
        (tmp_path / "other.npz").write_bytes(data)
        with pytest.raises(SurefootError, match=said):
            crash.read(tmp_path / "other.npz")


def test_a_simulation_that_runs_out_of_memory_is_lost_and_dumped_like_one_that_diverges(humanoid: Character, tmp_path: Path) -> None:
    small = made(humanoid.xml.replace("<compiler", '<size memory="100K"/><compiler', 1))
    engine = BatchEngine(small, 2, threads=1, dump=tmp_path)
    start(engine)
    engine.step(None, 5)
    assert not engine.ok.any()
    with pytest.raises(InputError, match="asks for memory"):  # as a stranger's it would be refused
        crash.read(tmp_path / crash.NAME)
    row = engine.rows(small.model.qpos0)
    kept = crash.Crash(xml=small.xml, scene=Scene(), varied={}, row=row, control=np.zeros((5, small.model.nu)), spec=crash.CTRL)
    assert "memory" in crash.describe(kept)


def test_a_crash_file_of_a_stranger_is_checked_before_it_is_replayed(humanoid: Character, tmp_path: Path) -> None:
    engine = BatchEngine(humanoid, 1, threads=1, dump=tmp_path)
    start(engine)
    engine.qvel[0, 10] = 1e9
    engine.step(None, 3)
    kept = crash.read(tmp_path / crash.NAME)
    for changes, said in (
        ({"xml": '<mujoco><include file="/etc/passwd"/></mujoco>'}, "reaches outside the file"),
        ({"row": kept.row[:-1]}, "not of the model's sizes"),
        ({"control": kept.control[:, :-1]}, "not of the model's sizes"),
        ({"spec": 2**40}, "no parts of a state"),
        ({"varied": {"body_mass": np.ones(3)}}, "no field of the model"),
        ({"varied": {"__class__": np.ones(3)}}, "no field of the model"),
        ({"varied": {"body_parentid": np.full(engine.model.nbody, 10**6)}}, "indices or kinds"),
        ({"varied": {"opt.iterations": np.array(10**9)}}, "indices or kinds"),
        ({"varied": {"body_mass": np.full(engine.model.nbody, np.nan)}}, "a NaN or an infinity"),
        ({"row": np.full(len(kept.row), "a")}, "not what belongs there"),
    ):
        crash.write(tmp_path, dataclasses.replace(kept, **changes))
        with pytest.raises(InputError, match=said):
            crash.read(tmp_path / crash.NAME)


@pytest.mark.parametrize("member", ["facts.npy", "row.npy", "control.npy", "varied/body_mass.npy"])
def test_a_crash_file_whose_headers_lie_is_refused_before_anything_is_made(member: str, humanoid: Character, tmp_path: Path) -> None:
    engine = BatchEngine(humanoid, 1, threads=1, dump=tmp_path)
    start(engine)
    engine.vary("body_mass", engine.model.body_mass[None])
    engine.qvel[0, 10] = 1e9
    engine.step(None, 3)
    with zipfile.ZipFile(tmp_path / crash.NAME) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    assert member in members
    for content in lying(members[member]):
        (tmp_path / "a.npz").write_bytes(pack({**members, member: content}))
        with pytest.raises(InputError, match=r"^a\.npz: ") as caught:
            crash.read(tmp_path / "a.npz")
        assert "\n" not in str(caught.value)


def test_linear_targets_move_from_the_rows_own_to_the_given_ones(humanoid: Character) -> None:
    engine = BatchEngine(humanoid, 2, threads=1)
    start(engine)
    goal = np.linspace(-0.1, 0.1, engine.servos.num)
    engine.step(goal, 8, linear=True)
    slow = BatchEngine(humanoid, 2, threads=1)
    start(slow)
    for i in range(8):
        slow.step(goal * (i + 1) / 8, 1)
    np.testing.assert_allclose(engine.state, slow.state, rtol=0, atol=1e-12)
    assert np.array_equal(engine.state[:, engine.layout.ctrl], np.tile(goal, (2, 1)))


def test_pushes_differ_between_simulations_and_leave_no_force_behind(humanoid: Character) -> None:
    engine = BatchEngine(humanoid, 3, threads=1)
    start(engine)
    force = np.array([[100.0, 0.0, 0.0], [0.0, 100.0, 0.0], [0.0, 0.0, 0.0]])
    push = Push(body="pelvis", force=force, start=[0.0, 0.05, np.inf], duration=0.1)
    engine.rollout(np.zeros((10, engine.servos.num)), 4, pushes=[push])
    assert not engine.state[:, engine.layout.xfrc].any()
    velocity = engine.observe().com_velocity
    assert velocity[0, 0] > 0.05 > abs(velocity[0, 1])
    assert velocity[1, 1] > 0.05 > abs(velocity[1, 0])


def test_mass_and_gravity_differ_between_simulations(humanoid: Character) -> None:
    engine = BatchEngine(humanoid, 3, threads=1)
    start(engine)
    engine.qpos[:, 2] += 1.0
    mass = np.tile(engine.model.body_mass, (3, 1))
    mass[1, 1] += 5.0
    engine.vary("body_mass", mass)
    engine.vary("opt.gravity", np.array([[0.0, 0.0, -9.81], [0.0, 0.0, -9.81], [0.0, 0.0, -1.62]]))
    engine.step(np.zeros(engine.servos.num), 10)
    drop = engine.observe().com_velocity[:, 2]
    np.testing.assert_allclose(drop, [-9.81 * 0.05, -9.81 * 0.05, -1.62 * 0.05], rtol=1e-9)
    heavy = engine.observe().com[1] - engine.observe().com[0]
    assert np.abs(heavy).max() > 1e-3  # the observer sees the changed body
    with pytest.raises(InputError, match="no model field that may vary named 'body_mas'; did you mean 'body_mass'"):
        engine.vary("body_mas", mass)
    with pytest.raises(InputError, match="a value for each of 3"):
        engine.vary("body_mass", mass[:2])


def test_rows_of_the_wrong_width_are_refused(humanoid: Character) -> None:
    engine = BatchEngine(humanoid, 1, threads=1)
    with pytest.raises(InputError, match="qpos of 'humanoid' needs 57 numbers a row"):
        engine.rows(np.zeros(3))
    with pytest.raises(InputError, match="at least one simulation, got 0"):
        BatchEngine(humanoid, 0)


def test_the_example_in_the_module_runs() -> None:
    assert doctest.testmod(surefoot.physics).failed == 0


def test_every_simulation_may_have_its_own_ground_and_runs_as_it_would_alone(humanoid: Character) -> None:
    scenes = [Scene(ground=Bumps(seed=1)), Scene(ground=Bumps(seed=2)), Scene(ground=Bumps(seed=1), friction=0.2)]
    targets = wild_targets(humanoid, 3)[:, :20]
    engine = BatchEngine(humanoid, 3, threads=2, scene=scenes[0])
    engine.contacts()  # made before they differ, and followed
    engine.set_scenes(scenes)
    start(engine)
    engine.qpos[:, 0] = 2.0
    together = engine.rollout(targets, 20)
    assert together.ok.all()
    for i, scene in enumerate(scenes):
        alone = BatchEngine(humanoid, 1, threads=1, scene=scene)
        start(alone)
        alone.qpos[:, 0] = 2.0
        assert np.array_equal(alone.rollout(targets[i : i + 1], 20).states[0], together.states[i])
        np.testing.assert_array_equal(alone.contacts().force[0], engine.contacts().force[i])
        np.testing.assert_array_equal(alone.observe().com[0], engine.observe().com[i])
    with pytest.raises(InputError, match=r"opt\.gravity cannot vary beside scenes that differ"):
        engine.vary("opt.gravity", np.zeros((3, 3)))
    with pytest.raises(InputError, match="3 simulations need 3 scenes, got 1"):
        engine.set_scenes(scenes[:1])
    with pytest.raises(InputError, match="these scenes differ in more than their numbers"):
        BatchEngine(humanoid, 2, threads=1).set_scenes([Scene(), Scene(props=(Ball(),))])


def test_recorded_rows_are_seen_by_the_simulation_they_came_from(humanoid: Character) -> None:
    engine = BatchEngine(humanoid, 3, threads=1)
    start(engine)
    mass = np.tile(engine.model.body_mass, (3, 1))
    mass[1, 5] *= 4.0
    engine.vary("body_mass", mass)
    rollout = engine.rollout(wild_targets(humanoid, 3)[:, :4], 5)
    seen = engine.observe(rollout.states)
    assert seen.com.shape == (3, 4, 3)
    np.testing.assert_array_equal(seen.com[:, -1], engine.observe().com)


def test_the_batch_engine_keeps_the_protocol(humanoid: Character) -> None:
    engine: Engine = BatchEngine(humanoid, 2, threads=1)  # mypy checks it
    assert engine.num_simulations == len(engine.state) == len(engine.ok) == 2


def test_a_prop_is_pushed_by_name_and_the_trunk_is_the_heaviest_body(humanoid: Character) -> None:
    engine = BatchEngine(humanoid, 1, threads=1, scene=Scene(props=(Ball(mass=0.5, position=(5.0, 0.0, 5.0)),)))
    engine.step(None, 20, pushes=[Push(body="ball", force=(1.0, 0.0, 0.0), duration=0.1)])
    assert engine.state[0, engine.layout.qvel][-6] == pytest.approx(0.2)
    assert trunk(humanoid) == "chest"
    with pytest.raises(InputError, match="no body named 'bal'"):
        engine.step(None, 1, pushes=[Push(body="bal")])
    with pytest.raises(InputError, match="a row of this engine has"):
        engine.observe(np.zeros((2, 3)))
