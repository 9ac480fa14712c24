"""Key-frames on another body."""

from __future__ import annotations

import numpy as np
import pytest

from surefoot.character.builtin import builtin
from surefoot.character.retarget import transfer_keys
from surefoot.character.retarget.keys import curve, interpolate
from surefoot.character.rig import RigConfig, rig
from surefoot.errors import InputError
from tests.character.retarget.clips import steps

KEYS = np.array([0.0, 0.25, 0.5, 0.75])


def test_as_many_keys_leave_as_came() -> None:
    keys = transfer_keys(steps("deepmimic"), KEYS, builtin("humanoid"))
    assert keys.qpos.shape == (4, builtin("humanoid").model.nq)
    assert np.array_equal(keys.times, KEYS)
    assert keys.at_keys_m < 0.01


def test_the_interpolation_passes_through_its_keys() -> None:
    keys = transfer_keys(steps("deepmimic"), KEYS, builtin("humanoid"))
    assert np.abs(keys.sample(KEYS) - keys.qpos).max() < 1e-9
    assert np.array_equal(keys.sample([-1.0, 9.0]), keys.sample([0.0, 0.75]))


def test_more_keys_stray_less_between_them() -> None:
    motion = steps("deepmimic")
    few = transfer_keys(motion, np.linspace(0.0, motion.duration, 4), builtin("humanoid"))
    many = transfer_keys(motion, np.linspace(0.0, motion.duration, 16), builtin("humanoid"))
    assert many.between_m.max() < 0.5 * few.between_m.max()
    assert any("a key near" in note for note in few.notes)


def test_a_body_of_hinges_alone_keeps_its_end_effectors() -> None:
    motion = steps("deepmimic")
    hinged = rig(motion, RigConfig(joints="hinge")).character
    assert all(kind == 3 for kind in hinged.model.jnt_type[1:])
    keys = transfer_keys(motion, KEYS, hinged)
    assert keys.at_keys_m < 0.02


def test_a_key_off_the_frames_lies_between_its_neighbours() -> None:
    motion = steps("deepmimic")
    keys = transfer_keys(motion, [0.1, 0.1 + 0.5 * motion.frame_time, 0.1 + motion.frame_time], builtin("humanoid"))
    middle = 0.5 * (keys.qpos[0] + keys.qpos[2])
    assert np.abs(keys.qpos[1] - middle).max() < 5e-3


def test_a_smooth_curve_overshoots_no_key() -> None:
    model = builtin("deepmimic").model
    times = np.array([0.0, 1.0, 1.2, 3.0])
    qpos = np.tile(model.qpos0, (4, 1))
    column = int(model.jnt_qposadr[model.joint("left_knee").id])
    qpos[:, column] = [0.0, 0.1, 1.0, 1.0]
    at = np.linspace(0.0, 3.0, 301)
    smooth = curve(model, times, qpos, at)[:, column]
    assert smooth.min() >= -1e-12
    assert smooth.max() <= 1.0 + 1e-12
    assert np.all(np.diff(smooth) >= -1e-12)
    assert interpolate(model, times, qpos, np.array([0.5]))[0, column] == pytest.approx(0.05)


@pytest.mark.parametrize(
    ("times", "text"),
    [([], "none were given"), ([0.2, 0.1], "rising order"), ([0.0, float("nan")], "rising order"), ([0.0, 9.0], "do not lie within")],
)
def test_key_times_that_make_no_sense_are_refused(times: list[float], text: str) -> None:
    with pytest.raises(InputError, match=text):
        transfer_keys(steps("deepmimic", 10), times, builtin("humanoid"))
