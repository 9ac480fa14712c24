"""Grounds, obstacles and props; a scene as JSON; the character's part of the numbers stays in front."""

from __future__ import annotations

import itertools
import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.character.builtin import builtin
from surefoot.errors import InputError, SurefootError
from surefoot.physics import Ball, BatchEngine, Box, Bumps, Drop, Flat, Platform, Scene, Slope, Steps, compile_scene, layout
from surefoot.physics.terrain import Ground

GROUNDS: list[Ground] = [
    Flat(), Slope(degrees=8.0, heading=30.0), Slope(degrees=-5.0), Steps(rise=0.12, count=3), Steps(rise=-0.15, count=3), Drop(height=0.7),
    Bumps(amplitude=0.06, seed=4),
]  # fmt: skip
FULL = Scene(
    ground=Steps(rise=0.12, count=3),
    friction=0.7,
    obstacles=(Box(name="vault", position=(0.0, 3.0, 0.45)),),
    props=(Ball(position=(0.0, -2.0, 1.0)), Platform(name="plate", moves="slide", axis=(1.0, 0.0, 0.0), position=(0.0, 6.0, 0.5))),
)


@pytest.mark.parametrize("ground", GROUNDS, ids=lambda ground: ground.kind)
def test_a_scene_survives_json(ground: Ground) -> None:
    scene = Scene(ground=ground, friction=FULL.friction, obstacles=FULL.obstacles, props=FULL.props)
    assert Scene.from_json(json.loads(json.dumps(scene.to_json()))) == scene


def test_a_slope_climbs_along_its_heading() -> None:
    scene = Scene(ground=Slope(degrees=10.0, heading=90.0))
    heights = scene.height([[0.0, 0.0], [0.0, 2.0], [3.0, 0.0], [0.0, -1.0]])
    np.testing.assert_allclose(heights, np.array([0.0, 2.0, 0.0, -1.0]) * np.tan(np.radians(10.0)), atol=1e-9)


def test_steps_rise_and_fall_by_their_height() -> None:
    points = [[0.0, 0.0], [0.99, 0.0], [1.2, 0.0], [1.6, 0.0], [2.0, 0.0], [20.0, 0.0]]
    np.testing.assert_allclose(Scene(ground=Steps(rise=0.1, count=3)).height(points), [0, 0, 0.1, 0.2, 0.3, 0.3], atol=1e-12)
    down = Scene(ground=Steps(rise=-0.1, count=3)).height(points)
    np.testing.assert_allclose(down, [0, 0, -0.1, -0.2, -0.3, -0.3], atol=1e-12)


def test_two_steps_in_a_row_have_different_shades() -> None:
    model = compile_scene(builtin("humanoid"), Scene(ground=Steps(count=4)))
    shades = [model.geom(f"step {i}").rgba for i in range(1, 5)]
    assert all(np.abs(a - b).max() > 0.1 for a, b in itertools.pairwise(shades))


def test_a_drop_falls_by_its_height_beyond_its_edge() -> None:
    heights = Scene(ground=Drop(height=1.0, edge=0.5)).height([[0.0, 0.0], [0.49, 0.0], [0.51, 0.0]])
    np.testing.assert_allclose(heights, [0.0, 0.0, -1.0], atol=1e-12)


def test_bumps_are_level_at_the_start_as_high_as_they_say_and_seeded() -> None:
    ground = Bumps(amplitude=0.05, seed=1)
    assert np.abs(ground.heights()).max() == pytest.approx(0.05)
    x = np.linspace(-9.0, 9.0, 60)
    points = np.stack(np.meshgrid(x, x), axis=-1)
    heights = Scene(ground=ground).height(points)
    near = np.hypot(points[..., 0], points[..., 1]) < 0.5
    np.testing.assert_allclose(heights[near], 0.0, atol=1e-6)
    assert 0.02 < heights.max() <= 0.05 + 1e-6
    assert np.array_equal(ground.heights(), Bumps(amplitude=0.05, seed=1).heights())
    assert not np.array_equal(ground.heights(), Bumps(amplitude=0.05, seed=2).heights())


@pytest.mark.parametrize("ground", GROUNDS, ids=lambda ground: f"{ground.kind}")
def test_a_ball_comes_to_rest_on_the_ground_that_the_scene_describes(ground: Ground) -> None:
    scene = Scene(ground=ground, props=(Ball(radius=0.1, mass=1.0, position=(0.2, 1.5, 0.6)),))
    engine = BatchEngine(builtin("humanoid"), 1, threads=1, scene=scene)
    qpos = engine.layout.qpos
    for _ in range(300):
        engine.step(None, 1)
        ball = engine.state[0, qpos][-7:-4]
        assert ball[2] - scene.height(ball[:2]) > 0.07  # it never sinks in
    surface = scene.height(ball[:2])
    assert ball[2] - surface < 0.13


def test_obstacles_stand_where_they_should() -> None:
    scene = Scene(obstacles=(Box(position=(1.0, 0.0, 0.45), size=(0.4, 1.0, 0.9), heading=90.0),))
    np.testing.assert_allclose(scene.height([[1.0, 0.0], [1.4, 0.0], [1.0, 0.3], [3.0, 0.0]]), [0.9, 0.9, 0.0, 0.0], atol=1e-12)


def test_the_characters_numbers_stay_in_front_of_the_props() -> None:
    character = builtin("humanoid")
    model = compile_scene(character, FULL)
    assert model.nq == character.model.nq + 7 + 1
    assert model.nu == character.model.nu + 1
    for j in range(character.model.njnt):
        assert model.joint(j).name == character.model.joint(j).name
        assert model.jnt_qposadr[j] == character.model.jnt_qposadr[j]
    assert layout(model).size > layout(character.model).size
    engine = BatchEngine(character, 2, threads=1, scene=FULL)
    row = engine.rows(character.model.qpos0, np.zeros(character.model.nv), np.full(character.model.nu, 0.1))
    np.testing.assert_allclose(row[engine.layout.qpos][-8:-5], [0.0, -2.0, 1.0])
    engine.state[:] = row
    engine.step(np.zeros((2, character.model.nu)), 10)
    assert engine.ok.all()
    assert engine.observe().position.shape == (2, 18, 3)


def test_friction_is_the_scenes() -> None:
    model = compile_scene(builtin("humanoid"), FULL)
    for name in ("floor", "step 1", "vault"):
        assert model.geom(name).friction[0] == 0.7
        assert model.geom(name).priority[0] == 1


def test_a_platform_goes_where_it_is_told() -> None:
    character = builtin("humanoid")
    plate = Platform(name="plate", moves="tilt", axis=(0.0, 1.0, 0.0), position=(6.0, 0.0, 2.0))
    engine = BatchEngine(character, 1, threads=1, scene=Scene(props=(plate,)))
    engine.state[:, engine.layout.ctrl.stop - 1] = 0.2
    engine.step(np.zeros(character.model.nu), 200)  # the character's targets leave the platform's alone
    assert engine.qpos[0, -1] == pytest.approx(0.2, abs=1e-3)


def test_contacts_with_a_platform_count_as_ground() -> None:
    character = builtin("humanoid")
    engine = BatchEngine(character, 1, threads=1, scene=Scene(lowered=1.0, props=(Platform(),)))
    engine.step(np.zeros(character.model.nu), 60)
    lifted = engine.contacts().force[0, :, 2].sum()
    assert lifted == pytest.approx(character.mass * 9.81, rel=0.2)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([], "a scene is a JSON object, got list"),
        ({"grund": {}}, "no part of a scene named 'grund'; did you mean 'ground'"),
        ({"ground": {"kind": "slop"}}, "no ground named 'slop'; did you mean 'slope'"),
        ({"ground": {"kind": "slope", "degrees": "steep"}}, "a scene's slope's degrees is a number between"),
        ({"ground": {"kind": "steps", "count": 10**9}}, "a scene's steps's count is a number between 0 and 1000"),
        ({"props": [{"kind": "ball", "position": [1, 2]}]}, "a scene's ball's position is three numbers"),
        ({"props": [{"kind": "boat"}]}, "no prop named 'boat'"),
        ({"obstacles": [{}] * 500}, "a scene's obstacles are a list of at most 200"),
        ({"friction": True}, "a scene's friction is a number between 0 and 10, got True"),
        ({"friction": float("nan")}, "a scene's friction is a number"),
    ],
)  # fmt: skip
def test_a_scene_that_makes_no_sense_is_one_clear_line(values: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        Scene.from_json(values)


json_values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["ground", "kind", "props", "obstacles", "friction", "size", "degrees", "lowered"]), inner, max_size=4
        )
    ),
    max_leaves=12,
)


@settings(max_examples=150, deadline=None)
@given(json_values)
def test_any_json_is_a_scene_or_refused(values: Any) -> None:
    try:
        scene = Scene.from_json(values)
    except SurefootError:
        return
    assert Scene.from_json(scene.to_json()) == scene


def test_things_that_share_a_name_are_refused_by_name() -> None:
    scene = Scene(obstacles=(Box(name="crate"), Box(name="crate", position=(3.0, 0.0, 0.45))))
    with pytest.raises(InputError, match=r"cannot compile the scene.*crate"):
        compile_scene(builtin("humanoid"), scene)
