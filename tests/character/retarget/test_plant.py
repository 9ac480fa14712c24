"""Planted soles."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from surefoot.character.builtin import builtin
from surefoot.character.retarget.feet import frame
from surefoot.character.retarget.ground import heights, lowest, rise, surface_points
from surefoot.character.retarget.plant import plant_hand, ramp, runs, spread
from surefoot.motion import quaternion


def test_runs_are_first_and_one_past_the_last() -> None:
    assert runs(np.array([True, True, False, True])) == [(0, 2), (3, 4)]
    assert runs(np.zeros(3, dtype=bool)) == []


def test_corrections_fade_to_nothing_and_are_kept_where_known() -> None:
    known = np.zeros(20, dtype=bool)
    known[8:11] = True
    out = spread(np.full((20, 1), 2.0), known, 4)[:, 0]
    assert np.all(out[8:11] == 2.0)
    assert np.all(np.diff(out[4:9]) > 0.0)
    assert np.all(out[:5] == 0.0)
    assert np.all(out[14:] == 0.0)


def test_corrections_run_straight_across_a_short_gap() -> None:
    known = np.array([True, False, False, False, True])
    out = spread(np.array([[0.0], [9.0], [9.0], [9.0], [1.0]]), known, 3)[:, 0]
    assert np.all(np.diff(out) > 0.0)


def test_weights_ramp_from_one() -> None:
    on = np.array([False] * 5 + [True] * 3 + [False] * 5)
    weights = ramp(on, 3)
    assert np.all(weights[on] == 1.0)
    assert 0.0 < weights[4] < 1.0
    assert weights[0] == 0.0


def test_a_planted_hand_stands_still() -> None:
    places = np.linspace([0.0, 0.0, 0.1], [0.05, 0.02, 0.0], 10)
    on = np.ones(10, dtype=bool)
    held = plant_hand(places, on, 3)
    assert np.ptp(held[:, :2], axis=0).max() < 1e-12
    assert np.array_equal(held[:, 2], places[:, 2])


def test_a_frame_has_its_axes_where_they_were_asked_for() -> None:
    q = frame(np.array([0.0, 0.0, 2.0]), np.array([0.0, 1.0, 0.5]))
    assert quaternion.rotate(q, [0.0, 0.0, 1.0]) == pytest.approx([0.0, 0.0, 1.0])
    assert quaternion.rotate(q, [1.0, 0.0, 0.0]) == pytest.approx([0.0, 1.0, 0.0])


def test_a_lift_is_never_less_than_asked_for() -> None:
    depth = np.where(np.arange(40) == 20, 0.3, -0.1)
    lift = rise(depth, 4)
    assert np.all(lift >= depth - 1e-12)
    assert lift[0] == 0.0
    assert np.abs(np.diff(lift)).max() < 0.05


@pytest.mark.parametrize("name", ["humanoid", "deepmimic"])
def test_built_in_characters_stand_on_the_ground_at_rest(name: str) -> None:
    character = builtin(name)
    assert lowest(character.model, character.model.qpos0[None])[0] == pytest.approx(0.0, abs=2e-3)


def test_the_lowest_point_of_every_kind_of_shape_is_known() -> None:
    model = mujoco.MjModel.from_xml_string(
        """<mujoco><worldbody>
        <body pos="0 0 1"><freejoint/><geom type="sphere" size="0.1"/></body>
        <body pos="0 0 2"><freejoint/><geom type="capsule" size="0.1 0.3"/></body>
        <body pos="0 0 3"><freejoint/><geom type="box" size="0.1 0.2 0.4"/></body>
        <body pos="0 0 4"><freejoint/><geom type="cylinder" size="0.1 0.5"/></body>
        <body pos="0 0 5"><freejoint/><geom type="ellipsoid" size="0.1 0.2 0.6"/></body>
        </worldbody></mujoco>"""
    )
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    bodies, points, radii = surface_points(model)
    z = heights(data, bodies, points, radii)
    assert [float(z[bodies == b].min()) for b in range(1, 6)] == pytest.approx([0.9, 1.6, 2.6, 3.5, 4.4])
