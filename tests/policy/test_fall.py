"""The falling rule on bodies placed by hand, and heights above the ground beside MuJoCo's own distances."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from surefoot.character.builtin import builtin
from surefoot.motion import quaternion
from surefoot.physics import BatchEngine, Box, Platform, Scene, Slope, Steps
from surefoot.policy import Reference, States, ground
from surefoot.policy.fall import FallRule, fallen, guarded
from tests.physics.made import made
from tests.policy.bodies import standing, still

SHAPES = """<mujoco><worldbody><geom name="floor" type="plane" size="0 0 1"/><body name="root" pos="0 0 2"><freejoint/>
<geom name="ball" type="sphere" size=".1" pos=".3 0 0"/>
<geom name="capsule" type="capsule" size=".05 .2" pos="0 .3 0" euler="30 20 0"/>
<geom name="box" type="box" size=".1 .2 .05" pos="0 0 .3" euler="10 40 0"/>
<geom name="cylinder" type="cylinder" size=".1 .2" pos="-.3 0 0" euler="0 25 60"/>
<geom name="ellipsoid" type="ellipsoid" size=".1 .2 .05" pos="0 -.3 0" euler="50 0 20"/>
<geom name="ghost" type="sphere" size="3" contype="0" conaffinity="0"/></body></worldbody></mujoco>"""


def test_gaps_equal_mujoco_s_own_distances_from_the_plane() -> None:
    character = made(SHAPES)
    shapes, model = ground.surface(character), character.model
    assert len(shapes.body) == 5  # what touches nothing is no shape
    rng = np.random.default_rng(0)
    poses = np.tile(model.qpos0, (40, 1))
    poses[:, 3:7] = quaternion.exp(rng.normal(0.0, 1.5, (40, 3)))
    poses[0, 3:7] = [1.0, 0.0, 0.0, 0.0]
    found = ground.gaps(shapes, Scene(), *character.world(poses))
    data = mujoco.MjData(model)
    for t, pose in enumerate(poses):
        data.qpos[:] = pose
        mujoco.mj_forward(model, data)
        for g, name in enumerate(("ball", "capsule", "box", "cylinder", "ellipsoid")):
            exact = mujoco.mj_geomDistance(model, data, model.geom("floor").id, model.geom(name).id, 10.0, None)
            # MuJoCo meets an ellipsoid by iteration, to its tolerance of 1e-6.
            assert found[t, g] == pytest.approx(exact, abs=2e-6 if name == "ellipsoid" else 1e-12)


def test_a_mesh_counts_as_the_box_around_it() -> None:
    corners = "0 0 0  1 0 0  0 1 0  0 0 1"
    tetrahedron = made(
        f'<mujoco><asset><mesh name="m" vertex="{corners}"/></asset><worldbody><body name="b" pos="0 0 2"><freejoint/>'
        '<geom type="mesh" mesh="m"/></body></worldbody></mujoco>'
    )
    pose = tetrahedron.model.qpos0[None]
    gap = ground.gaps(ground.surface(tetrahedron), Scene(), *tetrahedron.world(pose))
    assert gap[0, 0] <= 2.0  # the lowest vertex is at 2, the box of its principal axes reaches no higher
    assert gap[0, 0] > 1.0


def test_the_ground_is_the_highest_thing_below() -> None:
    crate = Box(name="crate", position=(3.0, 0.0, 0.25), size=(1.0, 1.0, 0.5))
    plate = Platform(name="plate", position=(6.0, 0.0, 1.0), size=(2.0, 2.0, 0.1))
    scene = Scene(obstacles=(crate,), props=(plate,))
    points = np.array([[0.0, 0.0, 9.0], [3.2, 0.4, 9.0], [3.6, 0.0, 9.0], [5.5, 0.9, 9.0], [np.nan, 0.0, 9.0]])
    np.testing.assert_allclose(ground.height(scene, points), [0.0, 0.5, 0.0, 1.05, np.nan])
    uphill = Scene(ground=Slope(degrees=10.0))
    np.testing.assert_allclose(ground.height(uphill, [[2.0, 1.0, 0.0]]), 2.0 * np.tan(np.radians(10.0)), rtol=1e-6)


def test_a_body_is_guarded_only_when_all_of_its_shapes_stay_clear() -> None:
    gaps = np.array([[0.30, 0.06, 0.20, 0.0], [0.30, 0.04, 0.20, 0.0], [0.30, 0.30, 0.20, 0.3]])
    body, feet = np.array([0, 0, 1, 2]), np.zeros(4, dtype=bool)
    assert guarded(gaps, body, feet).tolist() == [False, False, True, False]  # body 0 comes near once, by its second shape
    assert guarded(gaps, body, feet, scale=0.5).tolist() == [True, True, True, False]  # 2.5 cm for a child
    assert guarded(gaps, body, feet, scale=5.0).tolist() == [False, False, False, False]
    assert guarded(gaps, body, np.array([False, False, True, False])).tolist() == [False] * 4  # feet never


def test_a_fall_is_a_touch_or_half_the_height_and_nan() -> None:
    gaps = np.array([[0.2, 0.001], [0.2, 0.0], [0.2, -0.01], [0.2, 0.2], [0.2, 0.2], [np.nan, np.nan]])
    root = np.array([1.0, 1.0, 1.0, 0.5, 0.499, np.nan])
    assert fallen(gaps, root, np.ones(6)).tolist() == [False, True, True, False, True, True]
    assert fallen(gaps[:2], root[:2], np.ones(2), touch=0.005).tolist() == [True, True]


def seen(clip: Reference, poses: np.ndarray, scene: Scene | None = None) -> States:
    engine = BatchEngine(clip.character, len(poses), threads=1, scene=scene)
    engine.state[:] = engine.rows(poses)
    return States(engine)


def test_hand_and_foot_may_touch_where_the_reference_comes_near_and_the_trunk_may_not() -> None:
    clip = still(standing())
    poses = np.tile(clip.qpos[0], (6, 1))
    poses[1, 2] -= 0.1  # hand and foot sink in
    poses[2, 2] -= 0.45  # the shank too, but the foot's and the hand's bodies alone may touch
    poses[3, 3:7] = quaternion.about([0.0, 1.0, 0.0], 0.5 * np.pi)  # lying flat in the air
    poses[4, 3:7], poses[4, 2] = poses[3, 3:7], 0.09
    poses[5, 2] -= 0.5  # sits: the root under half of 0.99 m
    poses[5, 7:] = [3.0, 1.5, 0.0]
    x = seen(clip, poses)
    rule = FallRule(clip)
    assert rule(x, np.zeros(6)).tolist() == [False, False, True, False, True, True]
    assert rule.why(x, np.zeros(6), 0) == ""
    assert rule.why(x, np.zeros(6), 2) == "leg touched the ground"
    assert "trunk" in rule.why(x, np.zeros(6), 4)
    assert rule.why(x, np.zeros(6), 5).startswith("the root sank to 0.49 m, under half of 0.99 m")


def test_where_the_body_is_and_which_way_it_faces_does_not_matter() -> None:
    clip = still(standing())
    poses = np.tile(clip.qpos[0], (2, 1))
    poses[:, :2] = [40.0, -30.0]
    poses[:, 3:7] = quaternion.about([0.0, 0.0, 1.0], 2.0)
    poses[1, 2] = 0.3
    assert FallRule(clip)(seen(clip, poses), np.zeros(2)).tolist() == [False, True]


def test_half_the_height_is_half_of_the_reference_s_at_that_time_above_its_own_ground() -> None:
    character = standing()
    poses = np.tile(character.model.qpos0, (11, 1))
    poses[:, 2] = np.linspace(0.99, 1.99, 11)  # rises by a metre in a second, and a round later begins again
    poses[:, 0] = np.linspace(0.0, 1.0, 11)
    clip = Reference(character=character, qpos=poses, frame_time=0.1, cycle=True)
    assert FallRule(clip).reference_root([0.0, 0.5, 1.25]) == pytest.approx([0.99, 1.49, 1.24])
    stairs = Scene(ground=Steps(rise=0.1, depth=0.1, count=10, start=0.05))
    climb = Reference(character=character, qpos=poses, frame_time=0.1, scene=stairs)
    assert FallRule(climb).reference_root([0.0, 0.5, 9.0]) == pytest.approx([0.99, 0.99, 0.99])
    high = Scene(obstacles=(Box(name="stage", position=(0.0, 0.0, 0.25), size=(4.0, 4.0, 0.5)),))
    both, late = np.array(poses[[0, 0, 0]]), np.array([0.0, 0.99, 0.99])
    both[:, 2] = [0.9, 0.95, 1.05]  # nothing touches; half of the reference's is 0.495, then 0.99
    assert FallRule(clip)(seen(clip, both), late).tolist() == [False, True, False]
    both[:, 2] += 0.5
    assert FallRule(clip, high)(seen(clip, both, high), late).tolist() == [False, True, False]
    assert not FallRule(clip)(seen(clip, both), late).any()


def test_lying_characters_that_lie_in_the_reference_have_not_fallen() -> None:
    character = builtin("humanoid")
    lying = np.tile(character.model.qpos0, (2, 1))
    lying[:, 3:7] = quaternion.about([0.0, 1.0, 0.0], 0.5 * np.pi)
    lying[:, 2] = 0.0
    lying[:, 2] -= ground.gaps(ground.surface(character), Scene(), *character.world(lying)).min()
    upright = Reference(character=character, qpos=np.tile(character.model.qpos0, (2, 1)), frame_time=0.1)
    clip = Reference(character=character, qpos=lying, frame_time=0.1)
    x = seen(clip, lying)
    assert FallRule(upright)(x, np.zeros(2)).all()
    assert not FallRule(clip)(x, np.zeros(2)).any()
