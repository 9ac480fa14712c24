"""The built-in characters: their numbers, and that they stand, hold their pose and fall in peace."""

import mujoco
import numpy as np
import pytest

from surefoot.character.builtin import builtin, names
from surefoot.character.character import Character
from surefoot.errors import InputError
from surefoot.material.skeletons import DINOSAUR, DINOSAUR_HINGES, HUMANOID


@pytest.fixture(params=["humanoid", "deepmimic", "dinosaur", "robot"])
def character(request: pytest.FixtureRequest) -> Character:
    return builtin(request.param)


def test_the_humanoid_has_its_published_numbers() -> None:
    humanoid = builtin("humanoid")
    assert humanoid.model.nv == 45
    assert humanoid.mass == pytest.approx(62.0)
    assert humanoid.height == pytest.approx(1.70, abs=1e-6)
    order = [HUMANOID.index(name) for name in humanoid.skeleton.names]
    assert sorted(order) == list(range(HUMANOID.num_joints))
    np.testing.assert_allclose(humanoid.skeleton.rest[0], HUMANOID.rest[0][order], atol=1e-9)


def test_the_deepmimic_body_has_its_published_numbers() -> None:
    body = builtin("deepmimic")
    assert body.model.nv == 34 == 6 + 8 * 3 + 4
    assert body.mass == pytest.approx(45.0)
    assert len(body.skeleton.names) == 13


def test_the_dinosaur_has_its_published_numbers() -> None:
    dinosaur = builtin("dinosaur")
    assert len(dinosaur.skeleton.names) == 21
    assert dinosaur.mass == pytest.approx(50.0)
    assert set(dinosaur.skeleton.names) == set(DINOSAUR.names)
    for name in DINOSAUR_HINGES:
        assert dinosaur.model.joint(name).type[0] == mujoco.mjtJoint.mjJNT_HINGE


def test_the_robot_is_made_of_boxes_alone() -> None:
    robot = builtin("robot")
    assert robot.mass == pytest.approx(70.0)
    assert robot.height == pytest.approx(1.60, abs=0.05)
    kinds = {int(robot.model.geom_type[g]) for g in range(robot.model.ngeom) if robot.model.geom_bodyid[g] in robot.body_ids}
    assert kinds == {int(mujoco.mjtGeom.mjGEOM_BOX)}


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(InputError, match=r"no built-in character named 'humanoit'; did you mean 'humanoid'\?"):
        builtin("humanoit")
    assert set(names()) == {"humanoid", "deepmimic", "dinosaur", "robot"}


def test_body_frames_are_the_worlds_at_rest(character: Character) -> None:
    np.testing.assert_allclose(character.skeleton.rest[1][:, 0], 1.0)
    np.testing.assert_allclose(character.forward, [1.0, 0.0, 0.0])


def test_left_and_right_mirror_each_other(character: Character) -> None:
    positions = dict(zip(character.skeleton.names, character.skeleton.rest[0], strict=True))
    for name, other in character.partners.items():
        np.testing.assert_allclose(positions[name] * [1.0, -1.0, 1.0], positions[other], atol=1e-9)
        mass = [character.model.body(b).mass[0] for b in (name, other)]
        assert mass[0] == pytest.approx(mass[1])


def test_the_rest_pose_stands_flat_and_touches_nothing_else(character: Character) -> None:
    model, data = character.model, mujoco.MjData(character.model)
    mujoco.mj_forward(model, data)
    for contact in data.contact:
        assert model.geom(contact.geom1).name == "floor"
        assert contact.dist > -1e-6
    bottoms = []
    for body in character.feet:
        for geom in range(model.ngeom):
            if model.geom_bodyid[geom] == model.body(body).id:
                bottoms.append(data.geom_xpos[geom][2] - model.geom_size[geom][2])
    np.testing.assert_allclose(bottoms, 0.0, atol=1e-6)


def test_with_the_root_held_every_joint_keeps_its_pose(character: Character) -> None:
    spec = mujoco.MjSpec.from_string(character.xml)
    root = character.skeleton.names[0]
    spec.body(root).pos = [0.0, 0.0, 2.0]
    spec.delete(spec.joint(root))
    model = spec.compile()
    data = mujoco.MjData(model)
    worst = 0.0
    for _ in range(2000):
        mujoco.mj_step(model, data)
        for joint in range(model.njnt):
            adr = model.jnt_qposadr[joint]
            ball = model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_BALL
            worst = max(worst, 2.0 * np.arccos(min(abs(data.qpos[adr]), 1.0)) if ball else abs(data.qpos[adr]))
    assert np.degrees(worst) < 20.0
    assert data.warning.number.sum() == 0


def test_let_go_it_stands_and_nothing_blows_up(character: Character) -> None:
    model, data = character.model, mujoco.MjData(character.model)
    fastest = 0.0
    for _ in range(2000):
        mujoco.mj_step(model, data)
        fastest = max(fastest, float(np.abs(data.cvel[:, 3:]).max()))
        if data.time < 1.0:
            assert data.qpos[2] > 0.95 * model.qpos0[2]
    assert np.isfinite(data.qpos).all()
    assert data.warning.number.sum() == 0
    assert fastest < 50.0


def test_dropped_head_first_it_stays_finite(character: Character) -> None:
    model, data = character.model, mujoco.MjData(character.model)
    data.qpos[2] += 1.0
    data.qpos[3:7] = [np.cos(1.2), 0.0, np.sin(1.2), 0.0]
    for _ in range(600):
        mujoco.mj_step(model, data)
    assert np.isfinite(data.qpos).all()
    assert data.warning.number.sum() == 0
    assert np.abs(data.qvel).max() < 50.0
