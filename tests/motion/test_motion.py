"""Motions: sampling between frames, world transforms, what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.errors import InputError
from surefoot.motion import quaternion
from surefoot.motion.motion import Motion
from surefoot.motion.skeleton import Skeleton


def chain(frames: int, seed: int = 0, frame_time: float = 0.1) -> Motion:
    rng = np.random.default_rng(seed)
    skeleton = Skeleton(("a", "b", "c"), np.array([-1, 0, 1]), rng.normal(size=(3, 3)), quaternion.exp(rng.normal(size=(3, 3))))
    return Motion(skeleton, rng.normal(size=(frames, 3, 3)), quaternion.exp(rng.normal(size=(frames, 3, 3))), frame_time)


@given(st.integers(1, 6), st.floats(1e-4, 5.0))
def test_sampling_at_the_frames_gives_the_frames(frames: int, frame_time: float) -> None:
    motion = chain(frames, frames, frame_time)
    translations, rotations = motion.sample(motion.times)
    np.testing.assert_allclose(translations, motion.translations, atol=1e-9)
    turned = quaternion.multiply(quaternion.conjugate(rotations), motion.rotations)
    np.testing.assert_allclose(quaternion.angle(turned), 0.0, atol=1e-9)


def test_sampling_between_frames_divides_translations_and_turns_evenly() -> None:
    motion = chain(2)
    translations, rotations = motion.sample([0.025])
    np.testing.assert_allclose(translations[0], 0.75 * motion.translations[0] + 0.25 * motion.translations[1])
    whole = quaternion.angle(quaternion.multiply(quaternion.conjugate(motion.rotations[0]), motion.rotations[1]))
    part = quaternion.angle(quaternion.multiply(quaternion.conjugate(motion.rotations[0]), rotations[0]))
    np.testing.assert_allclose(part, 0.25 * whole, atol=1e-12)


@pytest.mark.parametrize("angle", [1e-9, 1e-5, np.pi - 1e-5, np.pi - 1e-9])
def test_sampling_next_to_nothing_and_to_half_a_turn(angle: float) -> None:
    skeleton = Skeleton(("a",), np.array([-1]), np.zeros((1, 3)), np.array([quaternion.IDENTITY]))
    turned = quaternion.about([1.0, 0.0, 0.0], np.array([0.0, angle]))[:, None]
    for sign in (1.0, -1.0):
        motion = Motion(skeleton, np.zeros((2, 1, 3)), np.stack([turned[0], sign * turned[1]]), 1.0)
        _, half = motion.sample([0.5])
        np.testing.assert_allclose(quaternion.log(half[0, 0]), [0.5 * angle, 0.0, 0.0], rtol=1e-7)


def test_times_beyond_the_ends_hold_the_ends() -> None:
    motion = chain(3)
    translations, _ = motion.sample([-1.0, 99.0])
    np.testing.assert_allclose(translations, motion.translations[[0, -1]], atol=1e-15)


def test_one_frame_can_be_sampled() -> None:
    motion = chain(1)
    assert motion.duration == 0.0
    np.testing.assert_array_equal(motion.sample([0.0, 1.0])[0], motion.translations[[0, 0]])


def test_a_motion_comes_back_from_its_world_transforms() -> None:
    motion = chain(4)
    again = Motion.from_world(motion.skeleton, motion.joint_positions, motion.joint_rotations, motion.frame_time, name="again")
    np.testing.assert_allclose(again.translations, motion.translations, atol=1e-12)
    np.testing.assert_allclose(again.joint_rotations, motion.joint_rotations, atol=1e-12)
    assert again.name == "again"


def test_arrays_are_read_only_and_replace_makes_another() -> None:
    motion = chain(2)
    with pytest.raises(ValueError, match="read-only"):
        motion.translations[0] = 0.0
    assert motion.replace(frame_time=0.5).duration == 0.5
    assert motion.duration == pytest.approx(0.1)


def test_what_is_no_motion_is_refused() -> None:
    motion = chain(2)
    with pytest.raises(InputError, match="at least one frame"):
        motion.replace(translations=np.zeros((0, 3, 3)), rotations=np.zeros((0, 3, 4)))
    with pytest.raises(InputError, match=r"needs translations \(T, 3, 3\)"):
        motion.replace(translations=np.zeros((2, 2, 3)))
    for frame_time in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(InputError, match="frame time must be a positive number"):
            motion.replace(frame_time=frame_time)
    with pytest.raises(InputError, match="must be finite"):
        motion.replace(translations=np.full((2, 3, 3), np.nan))
    with pytest.raises(InputError, match=r"contacts need the shape \(2, 3\)"):
        motion.replace(contacts=np.zeros((2, 2), dtype=bool))
