"""The reference in time: frames, the cubic between them, velocities, rounds of a cycle."""

from __future__ import annotations

import numpy as np
import pytest

from surefoot import material
from surefoot.character.rig import Rigged, rig
from surefoot.errors import InputError
from surefoot.motion import quaternion
from surefoot.policy import Reference
from surefoot.policy.reference import SPREAD
from tests.policy.bodies import standing, still


@pytest.fixture(scope="module")
def walk() -> Rigged:
    return rig(material.motion("humanoid/walk"))


def reference_of(rigged: Rigged, **fields: object) -> Reference:
    return Reference(character=rigged.character, qpos=rigged.qpos, frame_time=rigged.motion.frame_time, **fields)


def test_frames_are_met_exactly_and_ends_are_held(walk: Rigged) -> None:
    clip = reference_of(walk)
    times = np.arange(len(clip.qpos)) * clip.frame_time
    np.testing.assert_allclose(clip.at(times), clip.qpos, rtol=0, atol=1e-14)
    np.testing.assert_allclose(clip.at([-1.0, 99.0]), clip.qpos[[0, -1]], rtol=0, atol=1e-14)
    assert not clip.velocity_at([-1.0, 99.0]).any()
    assert np.abs(clip.velocity_at([0.0, clip.duration])).max(axis=1).min() > 0.1  # one-sided at the ends


def test_a_turn_at_constant_speed_and_a_thrown_body_are_interpolated_exactly() -> None:
    character, step = standing(), 0.05
    times = step * np.arange(12)
    poses = np.tile(character.model.qpos0, (len(times), 1))
    poses[:, 2] = 2.0 + 3.0 * times - 4.905 * times**2
    poses[:, 3:7] = quaternion.about([0.6, 0.0, 0.8], 2.5 * times)
    poses[:, 7] = np.sin(times)
    clip = Reference(character=character, qpos=poses, frame_time=step)
    between = np.array([0.0, 0.013, 0.12, 0.266, 0.41, 0.55])
    found = clip.at(between)
    np.testing.assert_allclose(found[:, 2], 2.0 + 3.0 * between - 4.905 * between**2, rtol=0, atol=1e-12)
    np.testing.assert_allclose(found[:, 3:7], quaternion.about([0.6, 0.0, 0.8], 2.5 * between), rtol=0, atol=1e-12)
    # The cubic is of third order: a sine's third derivative is at most 1, and h^3 / 9 sqrt(3) bounds the rest.
    np.testing.assert_allclose(found[:, 7], np.sin(between), rtol=0, atol=step**3 / (9.0 * np.sqrt(3.0)))
    inside = between[2:-1]
    speed = clip.velocity_at(inside)
    np.testing.assert_allclose(speed[:, 2], 3.0 - 9.81 * inside, rtol=0, atol=1e-10)
    np.testing.assert_allclose(speed[:, 3:6], np.tile([1.5, 0.0, 2.0], (len(inside), 1)), rtol=0, atol=1e-9)
    # Central differences lose h^2 / 6 of a sine, and carry the cubic's error over 2 h.
    np.testing.assert_allclose(speed[:, 6], np.cos(inside), rtol=0, atol=SPREAD**2 / 6 + step**3 / (9.0 * np.sqrt(3.0)) / SPREAD)


def test_a_cycle_goes_on_where_it_ended(walk: Rigged) -> None:
    clip = reference_of(walk, cycle=True)
    times = np.array([0.0, 0.11, 0.5 * clip.duration])
    base, later = clip.at(times), clip.at(times + 2.0 * clip.duration)
    yaw, shift = clip.stride
    assert abs(shift) > 0.5
    np.testing.assert_allclose(later[:, 7:], base[:, 7:], rtol=0, atol=1e-12)
    np.testing.assert_allclose(later[:, 2], base[:, 2], rtol=0, atol=1e-12)
    turned = quaternion.multiply(quaternion.about([0.0, 0.0, 1.0], 2.0 * yaw), base[:, 3:7])
    np.testing.assert_allclose(np.abs(np.sum(later[:, 3:7] * turned, axis=-1)), 1.0, rtol=0, atol=1e-12)
    place = base[:, 0] + 1j * base[:, 1]
    for _ in range(2):
        place = np.exp(1j * yaw) * place + shift
    np.testing.assert_allclose(later[:, 0] + 1j * later[:, 1], place, rtol=0, atol=1e-12)


def test_the_seam_of_a_circle_cannot_be_seen() -> None:
    """A quarter of a circle as a cycle is the circle, and its velocity is the same everywhere."""
    character, num, radius = standing(), 16, 2.0
    angle = np.linspace(0.0, 0.5 * np.pi, num)
    poses = np.tile(character.model.qpos0, (num, 1))
    poses[:, 0], poses[:, 1] = radius * np.sin(angle), radius * (1.0 - np.cos(angle))
    poses[:, 3:7] = quaternion.about([0.0, 0.0, 1.0], angle)
    clip = Reference(character=character, qpos=poses, frame_time=0.1, cycle=True)
    rate = 0.5 * np.pi / clip.duration
    times = np.array([-0.05, 0.0, 0.02, clip.duration - 0.03, clip.duration, clip.duration + 0.01, 3.5 * clip.duration, 11.0])
    found, speed = clip.at(times), clip.velocity_at(times)
    step = 0.5 * np.pi / (num - 1)
    cubic = radius * step**3 / (9.0 * np.sqrt(3.0))  # third derivative of the circle, in frames
    np.testing.assert_allclose(found[:, 0], radius * np.sin(rate * times), rtol=0, atol=cubic)
    np.testing.assert_allclose(found[:, 1], radius * (1.0 - np.cos(rate * times)), rtol=0, atol=cubic)
    np.testing.assert_allclose(speed[:, 5], rate, rtol=1e-9)
    np.testing.assert_allclose(np.hypot(speed[:, 0], speed[:, 1]), radius * rate, rtol=0, atol=cubic / SPREAD)


def test_a_reference_comes_back_from_its_arrays(walk: Rigged) -> None:
    clip = reference_of(walk, cycle=True)
    arrays, facts = clip.to_arrays()
    again = Reference.from_arrays(arrays, facts, clip.character)
    assert np.array_equal(again.at([0.123, 4.56]), clip.at([0.123, 4.56]))
    with pytest.raises(InputError, match="the reference is damaged"):
        Reference.from_arrays({}, facts, clip.character)


def test_references_that_make_no_sense_are_one_clear_line() -> None:
    character = standing()
    good = still(character)
    with pytest.raises(InputError, match=r"needs poses \(one or more, 10\), got \(11, 9\)"):
        Reference(character=character, qpos=good.qpos[:, :9], frame_time=0.1)
    with pytest.raises(InputError, match="must be finite"):
        Reference(character=character, qpos=np.full((2, 10), np.nan), frame_time=0.1)
    with pytest.raises(InputError, match=r"positive number of seconds, got 0\.0"):
        Reference(character=character, qpos=good.qpos, frame_time=0.0)
    with pytest.raises(InputError, match="a cycle needs three frames or more, got 2"):
        Reference(character=character, qpos=good.qpos[:2], frame_time=0.1, cycle=True)
    alone = still(character, num=1)
    assert np.array_equal(alone.at([0.0, 5.0]), good.qpos[:2])
    assert not alone.velocity_at([0.0, 5.0]).any()
