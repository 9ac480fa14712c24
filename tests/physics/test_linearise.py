"""One period linearised, beside MuJoCo's own derivatives of every substep, chained."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.character.builtin import builtin
from surefoot.errors import InputError
from surefoot.motion import quaternion
from surefoot.physics import BatchEngine
from surefoot.physics.layout import ALL
from surefoot.physics.linearise import linearise
from surefoot.physics.manifold import difference, integrate


def chained(engine: BatchEngine, row: np.ndarray, target: np.ndarray, substeps: int) -> tuple[np.ndarray, np.ndarray]:
    """A and B of a period as the product of those of its substeps."""
    model = engine.model
    data = mujoco.MjData(model)
    mujoco.mj_setState(model, data, row, ALL)
    data.ctrl[:] = target
    size = 2 * model.nv
    a, b = np.eye(size), np.zeros((size, model.nu))
    for _ in range(substeps):
        one, drive = np.zeros((size, size)), np.zeros((size, model.nu))
        mujoco.mjd_transitionFD(model, data, 1e-6, True, one, drive, None, None)
        a, b = one @ a, one @ b + drive
        mujoco.mj_step(model, data)
    return a, b


@pytest.mark.parametrize("lifted", [1.0, 0.0], ids=["in flight", "standing"])
def test_a_period_equals_its_chained_substeps(lifted: float) -> None:
    character = builtin("humanoid")
    engine = BatchEngine(character, 64, threads=2)
    rng = np.random.default_rng(0)
    pose = character.model.qpos0.copy()
    pose[2] += lifted
    engine.state[:] = engine.rows(pose[None])
    engine.step(np.zeros(engine.servos.num), 40)  # standing feet settle
    rows, before = engine.state[:2].copy(), engine.state.copy()
    targets = rng.normal(0.0, 0.02, (2, engine.servos.num))
    found = linearise(engine, rows, targets, 4)
    assert np.array_equal(engine.state, before)
    for i in range(2):
        a, b = chained(engine, rows[i], targets[i], 4)
        # Central differences of 1e-6 keep about ten digits of the smooth part; the solver's tolerance (1e-8) divided by the step leaves
        # a few 1e-3 of velocities that contacts push.
        scale_a, scale_b = np.abs(a).max(), np.abs(b).max()
        tolerance = 1e-5 if lifted else 5e-3
        assert np.abs(found.a[i] - a).max() < tolerance * scale_a
        assert np.abs(found.b[i] - b).max() < tolerance * scale_b


def test_the_linear_model_predicts_a_nearby_period() -> None:
    character = builtin("humanoid")
    engine = BatchEngine(character, 32, threads=2)
    rng = np.random.default_rng(1)
    pose = character.model.qpos0.copy()
    pose[2] += 1.0
    row = engine.rows(pose)
    target = rng.normal(0.0, 0.1, engine.servos.num)
    model, parts = engine.model, engine.layout
    found = linearise(engine, row[None], target[None], 10)
    step = rng.normal(0.0, 1e-4, 2 * model.nv)
    aim = rng.normal(0.0, 1e-4, engine.servos.num)
    near = row.copy()
    near[parts.qpos] = integrate(model, row[parts.qpos], step[: model.nv])
    near[parts.qvel] += step[model.nv :]
    engine.state[:] = near
    engine.step(target + aim, 10)
    moved = np.concatenate(
        [
            difference(model, engine.qpos[0], found.after[0, parts.qpos]),
            engine.qvel[0] - found.after[0, parts.qvel],
        ]
    )
    predicted = found.a[0] @ step + found.b[0] @ aim
    # What is left is of second order in 1e-4, times curvatures of the order of the kd / I rates (1e2 / s).
    np.testing.assert_allclose(moved, predicted, rtol=0, atol=1e-4 * np.abs(predicted).max() + 1e-6)


def test_wrong_shapes_are_one_clear_line() -> None:
    engine = BatchEngine(builtin("humanoid"), 1, threads=1)
    with pytest.raises(InputError, match=r"linearise needs rows \(M, 346\) and targets \(M, 39\)"):
        linearise(engine, engine.state[0], np.zeros(39), 4)


vectors = st.lists(st.floats(-3.1 / np.sqrt(3), 3.1 / np.sqrt(3)), min_size=45, max_size=45)


@settings(max_examples=50, deadline=None)
@given(vectors, st.integers(0, 1000), st.sampled_from([1.0, 1e-4, 1e-9]))
def test_difference_undoes_integrate(step: list[float], seed: int, scale: float) -> None:
    model = builtin("humanoid").model
    rng = np.random.default_rng(seed)
    pose = integrate(model, model.qpos0, rng.normal(0.0, 1.0, model.nv))
    dx = np.array(step) * scale
    np.testing.assert_allclose(difference(model, integrate(model, pose, dx), pose), dx, rtol=0, atol=1e-13 + 1e-9 * scale)


def test_difference_undoes_integrate_near_half_a_turn_and_agrees_with_mujoco() -> None:
    model = builtin("humanoid").model
    rng = np.random.default_rng(0)
    dx = rng.normal(0.0, 1.0, (20, model.nv))
    dx[:, 3:6] *= (np.pi - 1e-6) / np.linalg.norm(dx[:, 3:6], axis=-1, keepdims=True)
    for joint in range(1, model.njnt):
        if model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_BALL:
            part = slice(model.jnt_dofadr[joint], model.jnt_dofadr[joint] + 3)
            dx[:, part] *= (np.pi - 1e-6) / np.linalg.norm(dx[:, part], axis=-1, keepdims=True)
    pose = integrate(model, model.qpos0, rng.normal(0.0, 1.0, model.nv))
    there = integrate(model, pose, dx)
    np.testing.assert_allclose(difference(model, there, pose), dx, rtol=0, atol=1e-9)
    for i in range(len(dx)):
        theirs = pose.copy()
        mujoco.mj_integratePos(model, theirs, dx[i], 1.0)
        np.testing.assert_allclose(np.abs(np.sum(theirs[3:7] * there[i, 3:7])), 1.0, atol=1e-12)
        np.testing.assert_allclose(quaternion.angle(theirs[7:11]), quaternion.angle(there[i, 7:11]), atol=1e-9)
        back = np.empty(model.nv)
        mujoco.mj_differentiatePos(model, back, 1.0, pose, there[i])
        np.testing.assert_allclose(back, dx[i], rtol=0, atol=1e-8)
