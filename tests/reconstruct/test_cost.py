"""The cost against a plain computation from its equations, and what must not change it."""

from __future__ import annotations

import numpy as np
import pytest

from surefoot.character import builtin
from surefoot.motion import quaternion
from surefoot.physics.batch import BatchEngine
from surefoot.physics.features.anatomy import anatomy
from surefoot.physics.manifold import integrate
from surefoot.reconstruct.actions import carrying
from surefoot.reconstruct.cost import TERMS, Cost, angle


def states(num: int, seed: int) -> tuple[BatchEngine, np.ndarray, np.ndarray]:
    character = builtin.humanoid()
    rng = np.random.default_rng(seed)
    qpos = integrate(character.model, np.repeat(character.model.qpos0[None], num, axis=0), 0.2 * rng.normal(size=(num, character.model.nv)))
    return BatchEngine(character, 1, 1), qpos, rng.normal(size=(num, character.model.nv))


def test_every_term_equals_its_equation() -> None:
    engine, qpos, qvel = states(2, 0)
    character = engine.character
    model, names = character.model, character.skeleton.names
    seen = engine.observe(engine.rows(qpos, qvel))
    action = np.random.default_rng(1).normal(size=(1, 7))
    found = Cost(character).terms(qpos[:1], qvel[:1], seen[:1], qpos[1:], qvel[1:], seen[1:], action)

    def turned(a: np.ndarray, b: np.ndarray) -> float:
        return float(2.0 * np.arccos(min(abs(float(a @ b)), 1.0)))

    heavy, pose, total = carrying(character), 0.0, 0.0
    scale = character.height / 1.7
    slow = 0.1 * np.sqrt(scale)
    for j in range(1, model.njnt):
        weight = 5.0 if heavy[list(character.body_ids).index(model.jnt_bodyid[j])] else 1.0
        q, v, ball = model.jnt_qposadr[j], model.jnt_dofadr[j], model.jnt_type[j] == 1
        n, m = (4, 3) if ball else (1, 1)
        apart = turned(qpos[0, q : q + n], qpos[1, q : q + n]) if ball else abs(float(qpos[0, q] - qpos[1, q]))
        pose += weight * (apart + slow * np.linalg.norm(qvel[0, v : v + m] - qvel[1, v : v + m]))
        total += weight
    assert found["pose"][0] == pytest.approx(pose / total, abs=1e-9)
    root = turned(qpos[0, 3:7], qpos[1, 3:7]) + slow * np.linalg.norm(qvel[0, 3:6] - qvel[1, 3:6])
    assert found["root"][0] == pytest.approx(root, abs=1e-9)
    ends = anatomy(character).ends
    assert {names[e] for e in ends} >= {"left_toe", "right_toe"}
    heights = [(seen.center[0, e, 2] - seen.center[1, e, 2]) / scale for e in ends]
    assert found["ends"][0] == pytest.approx(np.mean(np.square(heights)), abs=1e-9)
    weights = [1.0 / (0.001 + max(seen.center[1, e, 2] / scale, 0.0)) for e in ends]
    arms = [np.linalg.norm((seen.com[0] - seen.center[0, e]) - (seen.com[1] - seen.center[1, e])) / scale for e in ends]
    fall = np.linalg.norm(seen.com_velocity[0] - seen.com_velocity[1]) * np.sqrt(scale) / scale
    assert found["balance"][0] == pytest.approx(np.average(arms, weights=weights) + 0.1 * fall, abs=1e-9)
    assert found["position"][0] == pytest.approx(np.linalg.norm(seen.com[0] - seen.com[1]) / scale, abs=1e-9)
    assert found["velocity"][0] == pytest.approx(fall, abs=1e-9)
    momentum = np.linalg.norm(seen.angular_momentum[0] - seen.angular_momentum[1]) / (scale**1.5 * character.mass / 62.0)
    assert found["momentum"][0] == pytest.approx(momentum, abs=1e-9)
    assert found["action"][0] == pytest.approx(np.linalg.norm(action), abs=1e-12)


def test_a_state_that_is_the_reference_costs_nothing() -> None:
    engine, qpos, qvel = states(1, 2)
    seen = engine.observe(engine.rows(qpos, qvel))
    cost = Cost(engine.character)
    found = cost.terms(qpos, qvel, seen, qpos, qvel, seen, np.zeros((1, 3)))
    assert tuple(found) == TERMS
    assert cost.total(found)[0] == pytest.approx(0.0, abs=1e-12)


def test_a_cost_does_not_depend_on_the_rows_beside_it() -> None:
    engine, qpos, qvel = states(33, 3)
    cost = Cost(engine.character)
    seen = engine.observe(engine.rows(qpos, qvel))
    action = np.random.default_rng(4).normal(size=(33, 5))
    whole = cost.total(cost.terms(qpos, qvel, seen, qpos[:1], qvel[:1], seen[:1], action))
    for k in (0, 7, 32):
        here = slice(k, k + 1)
        alone = cost.total(cost.terms(qpos[here], qvel[here], seen[here], qpos[:1], qvel[:1], seen[:1], action[here]))
        assert alone[0] == whole[k]


@pytest.mark.parametrize("turn", [0.0, 1e-9, 0.3, np.pi - 1e-6, np.pi])
def test_the_angle_between_rotations_is_exact_near_zero_and_near_half_a_turn(turn: float) -> None:
    axis = np.array([0.6, 0.0, 0.8])
    a = quaternion.about(np.array([0.0, 1.0, 0.0]), 0.7)
    b = quaternion.multiply(quaternion.about(axis, turn), a)
    assert angle(a[None], b[None])[0] == pytest.approx(turn, abs=1e-9)
    assert angle(a[None], -b[None])[0] == pytest.approx(turn, abs=1e-9)
