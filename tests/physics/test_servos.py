"""Targets from poses, offsets by quaternion products, and servos near half a turn."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq

from surefoot.character.builtin import builtin
from surefoot.errors import InputError
from surefoot.motion import quaternion
from surefoot.physics import BatchEngine, servos
from surefoot.physics.layout import ALL
from surefoot.physics.plan import plan
from surefoot.physics.servos import FURTHEST, nearest
from surefoot.physics.torque import torque_driven
from tests.physics.made import made

SERVO = "".join(
    f'<position name="arm {axis}" joint="arm" gear="{gear} 0 0 0" kp="80" kv="12"/>'
    for axis, gear in zip("xyz", ("1 0 0", "0 1 0", "0 0 1"), strict=True)
)
BALL = f"""<mujoco><compiler angle="radian"/><option timestep="0.005" integrator="implicitfast" gravity="0 0 0"/>
<worldbody><body name="base" pos="0 0 1"><freejoint/><geom size=".1" mass="1000"/>
<body name="arm"><joint name="arm" type="ball" range="0 3.05" damping="0.02"/>
<geom type="capsule" fromto="0 0 0 0 0 .4" size=".03" mass="1" contype="0" conaffinity="0"/></body></body></worldbody>
<actuator>{SERVO}</actuator></mujoco>"""


def poses_of(name: str, num: int, spread: float, seed: int = 0) -> np.ndarray:
    model = builtin(name).model
    drive = servos(builtin(name))
    rng = np.random.default_rng(seed)
    out = np.tile(model.qpos0, (num, 1))
    out[:, drive.hinge_qpos] = rng.normal(0.0, spread, (num, len(drive.hinge_qpos)))
    out[:, drive.ball_qpos] = quaternion.exp(rng.normal(0.0, spread, (num, len(drive.ball_qpos), 3)))
    return out


def test_the_targets_of_a_pose_are_its_rotation_vectors_and_angles() -> None:
    drive, poses = servos(builtin("humanoid")), poses_of("humanoid", 5, 0.4)
    targets = drive.ctrl(poses)
    np.testing.assert_allclose(quaternion.exp(targets[:, drive.ball_ctrl]), poses[:, drive.ball_qpos], atol=1e-12)
    assert np.array_equal(targets[:, drive.hinge_ctrl], poses[:, drive.hinge_qpos])
    assert not drive.ctrl(builtin("humanoid").model.qpos0).any()
    assert 3 * len(drive.ball_ctrl) + len(drive.hinge_ctrl) == drive.num == 39


def test_a_servo_holds_the_pose_it_is_told() -> None:
    character = builtin("humanoid")
    engine = BatchEngine(character, 1, threads=1)
    pose = poses_of("humanoid", 1, 0.15)[0]
    pose[2] += 20.0
    targets = engine.servos.ctrl(pose)
    start = character.model.qpos0.copy()
    start[2] += 20.0
    engine.state[:] = engine.rows(start)
    engine.step(targets, 200)  # one second in free fall
    reached = engine.servos.ctrl(engine.qpos)[0]
    np.testing.assert_allclose(reached, targets, atol=0.02)


def test_an_offset_turns_the_target_in_the_parents_frame() -> None:
    drive, poses = servos(builtin("deepmimic")), poses_of("deepmimic", 3, 0.5)
    rng = np.random.default_rng(1)
    offsets = rng.normal(0.0, 0.3, drive.num)
    turned = drive.compose(drive.ctrl(poses), offsets)
    expected = quaternion.multiply(quaternion.exp(offsets[drive.ball_ctrl]), poses[:, drive.ball_qpos])
    same = np.abs(np.sum(quaternion.exp(turned[:, drive.ball_ctrl]) * expected, axis=-1))
    np.testing.assert_allclose(same, 1.0, atol=1e-12)
    np.testing.assert_allclose(turned[:, drive.hinge_ctrl], poses[:, drive.hinge_qpos] + offsets[drive.hinge_ctrl], atol=1e-15)


def test_no_offset_changes_no_bit_and_width_does_not_matter() -> None:
    drive = servos(builtin("humanoid"))
    reference = drive.ctrl(poses_of("humanoid", 9, 1.0))
    assert np.array_equal(drive.compose(reference, np.zeros(drive.num)), reference)
    offsets = np.random.default_rng(0).normal(0.0, 0.3, (64, 1, drive.num))
    together = drive.compose(reference, offsets)
    assert together.shape == (64, 9, drive.num)
    for i in (0, 5, 63):
        assert np.array_equal(drive.compose(reference[3:4], offsets[i]), together[i, 3:4])


def test_actions_name_the_joints_they_turn() -> None:
    drive = servos(builtin("humanoid"))
    # Simulation for Control, 3.1: waist, hips and knees, 11 numbers.
    assert len(drive.columns(["waist", "left_hip", "right_hip", "left_knee", "right_knee"])) == 11
    with pytest.raises(InputError, match="no driven body named 'wiast'; did you mean 'waist'"):
        drive.columns(["wiast"])


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.floats(-1.0, 1.0), min_size=3, max_size=3), st.floats(0.0, np.pi), st.lists(st.floats(-4.0, 4.0), min_size=3, max_size=3)
)
def test_the_nearest_rotation_vector_is_the_same_rotation_and_no_other_is_nearer(
    axis: list[float], angle: float, near: list[float]
) -> None:
    length = float(np.linalg.norm(axis))
    vector = np.array(axis) / length * angle if length > 1e-3 else np.zeros(3)
    found = nearest(vector, near)
    assert abs(np.sum(quaternion.exp(found) * quaternion.exp(vector))) == pytest.approx(1.0, abs=1e-9)
    assert np.linalg.norm(found) <= FURTHEST + 1e-9
    size = np.linalg.norm(vector)
    if size > 1e-3:
        for turns in (-1, 0, 1):
            other = vector / size * (size + 2 * np.pi * turns)
            if np.linalg.norm(other) <= FURTHEST - 1e-6:
                assert np.linalg.norm(found - near) <= np.linalg.norm(other - near) + 1e-9


@pytest.mark.parametrize("axis", [(1.0, 0.0, 0.0), (0.6, -0.48, 0.64)])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_targets_run_on_through_half_a_turn(axis: tuple[float, float, float], sign: float) -> None:
    angles = sign * np.radians(np.arange(150.0, 200.0, 2.0))
    poses = np.zeros((len(angles), 11))
    poses[:, 3] = 1.0
    poses[:, 7:] = quaternion.about(np.array(axis), angles)
    targets = servos(made(BALL)).ctrl(poses)
    np.testing.assert_allclose(targets, angles[:, None] * np.array(axis), atol=1e-9)
    # Composed with an offset, they stay beside their reference.
    turned = servos(made(BALL)).compose(targets[10], sign * np.array(axis) * 0.5)
    np.testing.assert_allclose(turned, np.array(axis) * (angles[10] + sign * 0.5), atol=1e-9)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_ball_is_held_at_170_degrees_and_a_target_of_190_does_not_swing_it_round(sign: float) -> None:
    engine = BatchEngine(made(BALL), 1, threads=1)
    drive, axis = engine.servos, np.array([0.6, 0.8, 0.0])
    at = np.radians(170.0) * sign * axis
    pose = engine.layout.default[engine.layout.qpos].copy()
    pose[7:] = quaternion.exp(at)
    engine.state[:] = engine.rows(pose, ctrl=at)
    engine.step(at, 400)
    np.testing.assert_allclose(quaternion.angle(engine.qpos[0, 7:]), np.radians(170.0), atol=1e-3)
    beyond = drive.compose(at, np.radians(20.0) * sign * axis)
    for _ in range(100):
        engine.step(beyond, 4)
        # It presses against its limit of 3.05 rad (174.8 degrees) instead of turning back through the rest pose.
        assert np.radians(165.0) < quaternion.angle(engine.qpos[0, 7:]) < np.pi
    assert np.dot(quaternion.log(engine.qpos[0, 7:]), sign * axis) > 2.9


@pytest.mark.parametrize("ratio", [0.3, 0.6, 1.0])
def test_a_ball_flutters_beyond_the_angle_that_its_damping_allows(ratio: float) -> None:
    # Near a target at angle t, rotation vectors turn into rotations with the stiffness (t/2) cot(t/2) across the axis and with (t/2) that
    # couples the two directions across it: a circulatory force, which damping 2 z w overcomes while (t/2) tan(t/2) < 4 z^2.
    inertia, omega = 0.4 * 0.1**2, 20.0
    gains = f'kp="{inertia * omega**2}" kv="{2 * ratio * inertia * omega}"'
    servo = "".join(f'<position joint="arm" gear="{gear} 0 0 0" {gains}/>' for gear in ("1 0 0", "0 1 0", "0 0 1"))
    engine = BatchEngine(
        made(
            '<mujoco><option timestep="0.001" integrator="implicitfast" gravity="0 0 0"/><worldbody><body name="arm" pos="0 0 3">'
            f'<joint name="arm" type="ball"/><geom size=".1" mass="1"/></body></worldbody><actuator>{servo}</actuator></mujoco>'
        ),
        2,
        threads=1,
    )
    border = 2.0 * brentq(lambda half: half * np.tan(half) - 4.0 * ratio**2, 1e-3, np.pi / 2 - 1e-6)
    targets = np.array([[border - 0.1], [border + 0.1]]) * np.array([0.6, 0.8, 0.0])
    engine.state[:] = engine.rows(quaternion.exp(targets + np.array([0.0, 0.0, 1e-3])), ctrl=targets)
    engine.step(targets, 8000)
    error = quaternion.angle(quaternion.multiply(quaternion.conjugate(quaternion.exp(targets)), engine.qpos))
    assert error[0] < 3e-4 < 3e-3 < error[1]


def test_a_plan_reads_ahead_and_holds_its_ends() -> None:
    character, poses = builtin("humanoid"), poses_of("humanoid", 6, 0.3)
    made_plan = plan(character, poses, 0.1)
    exact = made_plan.servos.ctrl(poses)
    assert made_plan.lead == character.lead
    np.testing.assert_allclose(made_plan.at(np.array([0.2, 0.4]) - character.lead), exact[[2, 4]], atol=1e-9)
    np.testing.assert_allclose(made_plan.at([-5.0, 5.0]), exact[[0, 5]], atol=1e-12)
    assert made_plan.duration == pytest.approx(0.5)


def test_a_plan_turns_along_the_shortest_arc_between_frames() -> None:
    character, poses = builtin("humanoid"), poses_of("humanoid", 2, 1.0)
    between = plan(character, poses, 0.1, lead=0.0).at([0.05])
    drive = servos(character)
    middle = quaternion.slerp(poses[0, drive.ball_qpos], poses[1, drive.ball_qpos], np.full(len(drive.ball_qpos), 0.5))
    same = np.abs(np.sum(quaternion.exp(between[0, drive.ball_ctrl]) * middle, axis=-1))
    np.testing.assert_allclose(same, 1.0, atol=1e-12)


def test_offsets_are_held_or_run_linearly() -> None:
    character = builtin("humanoid")
    rest = character.model.qpos0[None]
    offsets = np.zeros((3, 39))
    knee = servos(character).columns(["left_knee"])[0]
    offsets[:, knee] = [0.1, 0.3, -0.1]
    held = plan(character, rest, 0.1, offsets=offsets)
    np.testing.assert_allclose(held.at([0.0, 0.05, 0.1, 0.19, 0.25, 9.0])[:, knee], [0.1, 0.1, 0.3, 0.3, -0.1, -0.1], atol=1e-12)
    running = held.replace(linear=True)
    np.testing.assert_allclose(running.at([0.0, 0.05, 0.1, 0.15, 9.0])[:, knee], [0.1, 0.2, 0.3, 0.1, -0.1], atol=1e-6)
    with pytest.raises(InputError, match=r"a plan's offsets needs the shape \(one or more, 39\), got \(2, 3\)"):
        plan(character, rest, 0.1, offsets=np.zeros((2, 3)))


def test_the_torque_driven_variant_shares_rows_and_limits() -> None:
    character = builtin("humanoid")
    limp = torque_driven(character)
    servo, motor = BatchEngine(character, 1, threads=1), BatchEngine(limp, 1, threads=1)
    assert servo.layout.size == motor.layout.size
    assert [character.model.actuator(a).name for a in range(39)] == [limp.model.actuator(a).name for a in range(39)]
    np.testing.assert_array_equal(character.model.actuator_forcerange, limp.model.actuator_forcerange)
    assert limp.skeleton.names == character.skeleton.names
    servo.state[:] = servo.rows(poses_of("humanoid", 1, 0.1), np.random.default_rng(0).normal(0.0, 0.5, (1, 45)))
    servo.qpos[0, 2] += 1.0
    motor.state[:] = servo.state
    # The torques that the servos apply at a state, given to the motors, act on the joints alike.
    data, other = mujoco.MjData(character.model), mujoco.MjData(limp.model)
    mujoco.mj_setState(character.model, data, servo.state[0], ALL)
    mujoco.mj_forward(character.model, data)
    motor.state[:, motor.layout.ctrl] = data.actuator_force
    mujoco.mj_setState(limp.model, other, motor.state[0], ALL)
    mujoco.mj_forward(limp.model, other)
    assert np.abs(data.qfrc_actuator).max() > 1.0
    np.testing.assert_allclose(other.qfrc_actuator, data.qfrc_actuator, rtol=0, atol=1e-12)
    motor.state[:, motor.layout.ctrl] = 1e9
    mujoco.mj_setState(limp.model, other, motor.state[0], ALL)
    mujoco.mj_forward(limp.model, other)
    np.testing.assert_array_equal(other.actuator_force, limp.model.actuator_forcerange[:, 1])
