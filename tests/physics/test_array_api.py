"""Features and costs are the array API's and nothing else: a library that knows only the standard gives the same bits as NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import array_api_strict
import numpy as np
import pytest

from surefoot.character.builtin import builtin
from surefoot.physics import BatchEngine, Observation
from surefoot.physics import features as f
from surefoot.physics.features.observation import FIELDS
from surefoot.play.benchmark import swaying
from surefoot.reconstruct.cost import Cost

NUM = 6


@pytest.fixture(scope="module", params=["humanoid", "dinosaur"])
def engine(request: pytest.FixtureRequest) -> BatchEngine:
    """Simulations that fell, and stand on and lie over their feet."""
    character = builtin(request.param)
    rng = np.random.default_rng(0)
    engine = BatchEngine(character, NUM, threads=1)
    engine.state[:] = engine.rows(np.tile(character.model.qpos0, (NUM, 1)), rng.normal(0.0, 0.5, (NUM, character.model.nv)))
    engine.step(rng.normal(0.0, 0.2, (NUM, engine.servos.num)), 60)
    return engine


def strict(values: Any) -> Any:
    """An observation or contacts in the strict library."""
    names = FIELDS if isinstance(values, Observation) else vars(values)
    return type(values)(**{name: array_api_strict.asarray(getattr(values, name)) for name in names})


def same(ours: Any, theirs: Any) -> None:
    for a, b in zip(ours if isinstance(ours, tuple) else (ours,), theirs if isinstance(theirs, tuple) else (theirs,), strict=True):
        assert type(b).__module__.startswith("array_api_strict")
        assert np.array_equal(np.asarray(a), np.asarray(b), equal_nan=True)


FEATURES: dict[str, Callable[[Observation, f.Contacts, f.Anatomy, Any], Any]] = {
    "state": lambda seen, touch, body, bones: f.state_features(seen, body),
    "state near another": lambda seen, touch, body, bones: f.state_features(seen, body, near=f.tilt(seen, body)),
    "mirrored": lambda seen, touch, body, bones: f.mirrored(f.state_features(seen, body), body),
    "tilt": lambda seen, touch, body, bones: f.tilt(seen, body),
    "end effectors": lambda seen, touch, body, bones: f.end_effectors(seen, body),
    "their velocities": lambda seen, touch, body, bones: f.end_effector_velocities(seen, body),
    "mirrored vectors": lambda seen, touch, body, bones: f.mirrored_vectors(f.end_effectors(seen, body), body.end_partners),
    "root velocities": lambda seen, touch, body, bones: f.root_velocities(seen, body),
    "joint rotations": lambda seen, touch, body, bones: f.joint_rotations(seen, bones.parents, bones.rotations),
    "joint rotations near others": lambda seen, touch, body, bones: f.joint_rotations(
        seen, bones.parents, bones.rotations, f.joint_rotations(seen, bones.parents, bones.rotations)
    ),
    "forces of feet": lambda seen, touch, body, bones: f.faced(seen, body, f.foot_forces(touch, body)),
    "centre of pressure": lambda seen, touch, body, bones: f.center_of_pressure(touch, body),
    "centre of pressure of a foot": lambda seen, touch, body, bones: f.center_of_pressure(touch, body, 0),
}


@pytest.mark.parametrize("name", FEATURES)
def test_a_feature_needs_the_standard_alone(name: str, engine: BatchEngine) -> None:
    seen, touch, body = engine.observe(), engine.contacts(), f.anatomy(engine.character)
    feature, bones = FEATURES[name], engine.character.skeleton
    same(feature(seen, touch, body, bones), feature(strict(seen), strict(touch), body, bones))


def test_the_cost_needs_the_standard_alone(engine: BatchEngine) -> None:
    character = engine.character
    cost, reference = Cost(character), swaying(character)
    wanted = engine.rows(reference.at(np.zeros(NUM)))
    parts = engine.layout
    states = [rows[:, part] for rows in (engine.state, wanted) for part in (parts.qpos, parts.qvel)]
    seen, ref_seen, action = engine.observe(), engine.observe(wanted), np.full((NUM, 4), 0.1)
    ours = cost.terms(states[0], states[1], seen, states[2], states[3], ref_seen, action)
    arrays = [array_api_strict.asarray(np.array(state)) for state in states]
    theirs = cost.terms(arrays[0], arrays[1], strict(seen), arrays[2], arrays[3], strict(ref_seen), array_api_strict.asarray(action))
    for name, term in ours.items():
        same(term, theirs[name])
    same(cost.total(ours), cost.total(theirs))
