"""DeepMimic clips: known poses, a second computation on all real clips, what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from surefoot.errors import InputError
from surefoot.motion import deepmimic
from surefoot.motion.files import ReadOptions
from tests.clips import MOTIONS, needs_motions

CLIPS = sorted((MOTIONS / "deepmimic").glob("humanoid3d_*.txt"))
BALL, STANDING = [1.0, 0.0, 0.0, 0.0], 0.881


def row(duration: float = 0.04, **joints: list[float]) -> list[float]:
    """A frame of the standing humanoid with some joints set."""
    out = [duration, 0.0, STANDING, 0.0]
    for name, _, _, width in deepmimic.JOINTS:
        out += joints.get(name, BALL if width == 4 else [0.0] * width)
    return out


def read(frames: list[Any], **facts: Any) -> Any:
    return deepmimic.read(json.dumps({"Frames": frames, **facts}).encode(), "clip.txt", ReadOptions())


def test_the_humanoid_stands_on_the_ground_facing_x() -> None:
    motion = read([row(), row()], Loop="wrap")
    assert motion.tip_positions[0, :, 2].min() == pytest.approx(0.0, abs=0.01)
    assert motion.source.loop is True
    assert motion.fps == pytest.approx(25.0)
    left, right = (motion.joint_positions[0, motion.skeleton.index(f"{side}_hip")] for side in ("left", "right"))
    assert left[1] > 0.0 > right[1]
    toe = [tip.name for tip in motion.skeleton.tips].index("left_toe")
    assert motion.tip_positions[0, toe, 0] > 0.1


def test_a_knee_turns_about_z_of_the_file_backwards_when_negative() -> None:
    motion = read([row(left_knee=[-np.pi / 2])])
    knee, ankle = (motion.joint_positions[0, motion.skeleton.index(f"left_{name}")] for name in ("knee", "ankle"))
    np.testing.assert_allclose(ankle - knee, [-0.40987, 0.0, 0.0], atol=1e-9)


def test_quaternions_are_normalized_and_continuous() -> None:
    motion = read([row(root=[2.0, 0.0, 0.0, 0.0]), row(root=[-1.0, 0.0, 1e-9, 0.0])])
    np.testing.assert_allclose(motion.rotations[0], motion.rotations[1], atol=1e-8)


@needs_motions
def test_lengths_are_those_of_the_published_character() -> None:
    character = json.loads((MOTIONS / "deepmimic" / "character_humanoid3d.txt").read_text())
    theirs = {j["Name"]: [j["AttachX"], j["AttachY"], j["AttachZ"]] for j in character["Skeleton"]["Joints"]}
    for name, _, offset, _ in deepmimic.JOINTS:
        np.testing.assert_allclose(offset, theirs[name], atol=1e-9, err_msg=name)


@needs_motions
@pytest.mark.parametrize("path", CLIPS, ids=lambda p: p.stem)
def test_every_real_clip_agrees_with_matrices(path: Path) -> None:
    motion = deepmimic.read(path.read_bytes(), path.name, ReadOptions())
    frames = np.array(json.loads(path.read_text())["Frames"])
    assert motion.num_frames == len(frames)
    upright = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
    for t in range(0, len(frames), 7):
        places: dict[str, Any] = {}
        column = 4
        for name, parent, offset, width in deepmimic.JOINTS:
            numbers = frames[t, column : column + width]
            column += width
            local = Rotation.identity()
            if width == 4:
                local = Rotation.from_quat(numbers, scalar_first=True)
            elif width == 1:
                local = Rotation.from_euler("z", numbers[0])
            at, turn = places.get(parent, (frames[t, 1:4], Rotation.identity()))
            places[name] = (at + turn.apply(offset), turn * local)
        for name, (at, turn) in places.items():
            j = motion.skeleton.index(name)
            np.testing.assert_allclose(motion.joint_positions[t, j], upright @ at, atol=1e-9)
            w, x, y, z = motion.joint_rotations[t, j]
            np.testing.assert_allclose(Rotation.from_quat([x, y, z, w]).as_matrix(), upright @ turn.as_matrix(), atol=1e-9)


def test_uneven_durations_are_told() -> None:
    motion = read([row(0.04)] * 5 + [row(0.08)] + [row(0.04)] * 5)
    assert motion.frame_time == 0.04
    assert motion.source.guesses[0].what == "fps"
    assert "frame 5 lasts 0.08 s" in motion.source.warnings[0]


REFUSED = {
    "a short row": (json.dumps({"Frames": [row(), row()[:-1]]}), "frame 1 has 43 numbers, 44 expected"),
    "another width": (json.dumps({"Frames": [[0.0] * 10]}), "frame 0 has 10 numbers; 44 .* or 19"),
    "no rows": (json.dumps({"Frames": []}), '"Frames" is empty'),
    "no frames": (json.dumps({"Loop": "wrap"}), 'an object with a list "Frames", found an object with "Loop"'),
    "a list": ("[1, 2]", "found a JSON list"),
    "no JSON": ("{", "not valid JSON"),
    "NaN": (json.dumps({"Frames": [[*row()[:-1], float("nan")]]}), "not valid JSON .*NaN"),
    "a word": (json.dumps({"Frames": [[*row()[:-1], "a"]]}), "frame 0, number 43: a finite number expected"),
    "true": (json.dumps({"Frames": [[*row()[:-1], True]]}), "frame 0, number 43"),
    "a zero quaternion": (json.dumps({"Frames": [row(chest=[0.0] * 4)]}), "frame 0: the quaternion of chest is zero"),
    "a negative duration": (json.dumps({"Frames": [row(-1.0), row()]}), "frame 0 lasts -1 s"),
    "no time": (json.dumps({"Frames": [row(0.0), row(0.0)]}), "most frames last 0 s; give the frame rate with --fps"),
    "nesting": ('{"Frames": ' + "[" * 100_000, "nested too deep|not valid JSON"),
    "a quadruped": (json.dumps({"Frames": [[0.0] * 19]}), "44 numbers, these have 19"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_read_says_where(case: str) -> None:
    text, message = REFUSED[case]
    with pytest.raises(InputError, match=message):
        deepmimic.read(text.encode(), "clip.txt", ReadOptions())
