"""Velocities against analytic truth and against finite differences of interpolated motions."""

import numpy as np
import pytest

from surefoot import material
from surefoot.motion import quaternion
from surefoot.motion.edit import velocities
from surefoot.motion.edit.resample import cubic
from surefoot.motion.edit.velocity import angular_rates, rates
from tests.motion.edit.strangers import scramble


def test_linear_velocities_converge_with_the_square_of_the_step_at_every_frame() -> None:
    errors = []
    for fps in (50.0, 100.0, 200.0):
        t = np.arange(round(fps) + 1)[:, None] / fps
        truth = 3.0 * np.cos(3.0 * t + 0.4)
        got = rates(np.sin(3.0 * t + 0.4), 1.0 / fps)
        errors.append([np.abs(got - truth)[k] for k in (0, 1, -1)] + [np.abs(got - truth).max(keepdims=True)[0]])
    errors = np.array(errors)[..., 0]
    assert (errors[:-1] / errors[1:] > 3.3).all()
    assert (errors[-1] < 1e-3).all()


def test_angular_velocities_converge_with_the_square_of_the_step_at_every_frame() -> None:
    a, b = np.array([0.3, -1.1, 0.7]), np.array([1.4, 0.2, -2.0])
    errors = []
    for fps in (50.0, 100.0, 200.0):
        t = np.arange(round(fps) + 1)[:, None] / fps
        first, second = quaternion.exp(a * t), quaternion.exp(b * t**2)
        truth = a + quaternion.rotate(first, 2.0 * b * t)  # of exp(a t) exp(b t^2)
        off = np.linalg.norm(angular_rates(quaternion.multiply(first, second), 1.0 / fps) - truth, axis=-1)
        errors.append([off[0], off[1], off[-1], off.max()])
    errors = np.array(errors)
    assert (errors[:-1] / errors[1:] > 3.3).all()
    assert (errors[-1] < 2e-3).all()


def test_a_constant_velocity_is_exact_even_with_two_frames_and_past_half_a_turn() -> None:
    turn = np.array([0.0, 0.0, 40.0])
    for frames in (2, 3, 30):
        t = np.arange(frames)[:, None] / 30.0
        assert np.allclose(angular_rates(quaternion.exp(turn * t), 1.0 / 30.0), turn, atol=1e-9)
        assert np.allclose(rates(turn * t, 1.0 / 30.0), turn)


def test_a_single_frame_has_no_velocity() -> None:
    got = velocities(
        scramble(0, 3, 2, 30.0).replace(translations=np.zeros((1, 3, 3)), rotations=np.tile([1.0, 0, 0, 0], (1, 3, 1)), contacts=None)
    )
    assert not got.linear.any()
    assert not got.angular.any()


@pytest.mark.parametrize("name", ["humanoid/walk", "dinosaur/walk"])
def test_velocities_agree_with_differences_of_the_motion_between_its_frames(name: str) -> None:
    motion = material.motion(name)
    got = velocities(motion)
    step = 1e-4
    for t in (3, 10):
        at = motion.times[t] + np.array([-step, step])
        positions, rotations = motion.skeleton.forward(*cubic(motion, at))
        linear = (positions[1] - positions[0]) / (2.0 * step)
        angular = quaternion.log(quaternion.multiply(rotations[1], quaternion.conjugate(rotations[0]))) / (2.0 * step)
        assert np.abs(linear - got.linear[t]).max() < 0.06
        assert np.abs(angular - got.angular[t]).max() < 0.15
