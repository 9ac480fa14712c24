"""Quadruped key-frames: feet on the ground in every real clip, symmetry, what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from surefoot.errors import InputError
from surefoot.motion import quadruped
from surefoot.motion.files import ReadOptions
from tests.clips import MOTIONS, needs_motions

CLIPS = [path for path in sorted((MOTIONS / "quadruped_keyframes").glob("*.txt")) if path.name != "LICENSE.txt"]
LEVEL = [0.0, 0.0, 0.43, 0.5, 0.5, 0.5, 0.5]


def read(rows: list[Any], **facts: Any) -> Any:
    return quadruped.read(json.dumps({"Frames": rows, "FrameDuration": 0.05, **facts}).encode(), "dog.txt", ReadOptions())


def test_equal_angles_are_a_symmetric_pose_facing_x() -> None:
    motion = read([LEVEL + [0.1, 0.8, -1.6] * 4], LoopMode="Clamp")
    assert motion.frame_time == 0.05
    assert motion.source.loop is False
    feet = {tip.name: at for tip, at in zip(motion.skeleton.tips, motion.tip_positions[0], strict=True)}
    for end in ("front", "rear"):
        left, right = feet[f"{end}_left_foot"], feet[f"{end}_right_foot"]
        np.testing.assert_allclose(left, right * [1.0, -1.0, 1.0], atol=1e-12)
        assert left[1] > 0.05
    assert feet["front_left_foot"][0] - feet["rear_left_foot"][0] == pytest.approx(0.43729, abs=1e-6)


@needs_motions
@pytest.mark.parametrize("path", CLIPS, ids=lambda p: p.stem)
def test_standing_feet_of_real_clips_keep_the_height_of_their_ball(path: Path) -> None:
    motion = quadruped.read(path.read_bytes(), path.name, ReadOptions())
    lowest = motion.tip_positions[..., 2].min(axis=1)
    assert np.median(lowest) == pytest.approx(0.057, abs=0.002)
    assert lowest.min() > 0.05
    assert motion.source.loop is True


def test_what_cannot_be_read_says_where() -> None:
    row = LEVEL + [0.0] * 12
    for text, message in (
        (json.dumps({"Frames": [row]}), '"FrameDuration" must be the seconds of a frame, found none'),
        (json.dumps({"Frames": [row], "FrameDuration": -1}), "FrameDuration"),
        (json.dumps({"Frames": [row, row[:-1]], "FrameDuration": 1}), "frame 1 has 18 numbers, 19 expected"),
        (json.dumps({"Frames": [[0.0] * 19], "FrameDuration": 1}), "the quaternion of the base is zero"),
        (json.dumps({"Frames": [[1e300] * 19], "FrameDuration": 1}), "frame 0, number 0: a finite number expected"),
    ):
        with pytest.raises(InputError, match=message):
            quadruped.read(text.encode(), "dog.txt", ReadOptions())


def test_fps_overrides_the_file() -> None:
    data = json.dumps({"Frames": [LEVEL + [0.0] * 12] * 2}).encode()
    assert quadruped.read(data, "dog.txt", ReadOptions(fps=50.0)).frame_time == pytest.approx(0.02)
