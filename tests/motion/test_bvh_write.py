"""What is written as BVH: any skeleton, any pose, read back at the same positions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.errors import InputError
from surefoot.motion import bvh, bvh_frame, quaternion
from surefoot.motion.files import ReadOptions
from surefoot.motion.motion import Motion, Source
from surefoot.motion.skeleton import Skeleton, Tip
from tests.motion.bodies import CRAB, DOG, DOG_TIPS, person, walk
from tests.motion.bvh_dialects import Dialect, write
from tests.motion.bvh_twin import Twin

WALK = bvh.read(write(person(fingers=True)).data, "walk.bvh")


def wild(seed: int, frames: int = 4, stretch: float = 0.0) -> Motion:
    """A motion with rest rotations, several roots, tips anywhere and all angles."""
    rng = np.random.default_rng(seed)
    num = int(rng.integers(1, 9))
    parents = np.array([-1] + [int(rng.integers(-1 if rng.integers(6) == 0 else 0, k)) for k in range(1, num)])
    rest = rng.normal(size=(num, 3))
    tips = tuple(Tip(joint=int(rng.integers(num)), offset=rng.normal(size=3)) for _ in range(int(rng.integers(3))))
    skeleton = Skeleton(tuple(f"j{k}" for k in range(num)), parents, rest, quaternion.exp(3.0 * rng.normal(size=(num, 3))), tips)
    translations = np.tile(rest, (frames, 1, 1)) + stretch * rng.normal(size=(frames, num, 3))
    translations[:, parents < 0] += rng.normal(size=(frames, int((parents < 0).sum()), 3))
    return Motion(skeleton, translations, quaternion.exp(2.0 * rng.normal(size=(frames, num, 3))), 1.0 / 24.0)


def check(motion: Motion, again: Motion, tolerance: float) -> None:
    order = [motion.skeleton.index(name) for name in again.skeleton.names]
    np.testing.assert_allclose(again.joint_positions, motion.joint_positions[:, order], atol=tolerance)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.0, 0.3]), st.sampled_from(["Y", "Z", "-X"]))
def test_any_motion_comes_back(seed: int, stretch: float, up: str) -> None:
    motion = wild(seed, stretch=stretch)
    options = ReadOptions(unit_m=0.5, up=up, positions="absolute")  # type: ignore[arg-type]
    again = bvh.read(bvh.encode(motion, up=up, unit_m=0.5), "again.bvh", options)  # type: ignore[arg-type]
    check(motion, again, 2e-7)
    assert again.frame_time == motion.frame_time


def test_a_frame_time_that_numpy_computed_is_written_as_a_plain_number() -> None:
    motion = WALK.replace(frame_time=np.linspace(0.0, 1.0, 31)[1])
    assert type(motion.frame_time) is float
    assert f"Frame Time: {1.0 / 30.0!r}".encode() in bvh.encode(motion)


def test_an_edited_file_keeps_its_own_unit_and_up_axis() -> None:
    for dialect in (Dialect(unit_m=0.0254, up="Z"), Dialect(unit_m=1.0, up="Y")):
        motion = bvh.read(write(person(), dialect).data, "clip.bvh")
        twin = Twin(bvh.encode(motion).decode())
        again = bvh.read(bvh.encode(motion), "again.bvh")
        assert (again.source.unit_m, again.source.up_axis) == (motion.source.unit_m, motion.source.up_axis)
        assert np.ptp(twin.positions(0)[:, 2 if dialect.up == "Z" else 1]) * dialect.unit_m == pytest.approx(1.5, abs=0.2)


@pytest.mark.parametrize("size", [0.1, 0.5, 1.0, 8.0])
@pytest.mark.parametrize("names", ["a person's", "none"])
def test_a_body_of_any_size_is_written_in_a_unit_that_its_reader_finds(size: float, names: str) -> None:
    clip = person() if names == "a person's" else walk(DOG, DOG_TIPS)
    motion = bvh.read(write(clip, Dialect(unit_m=1.0, up="Z")).data, "clip.bvh", ReadOptions(unit_m=size, up="Z"))
    strange = motion.replace(source=Source())
    again = bvh.read(bvh.encode(strange), "again.bvh")
    check(strange, again, 1e-5 * size)
    assert again.source.up_axis == "Y"
    assert bvh_frame.reminder(strange) is None
    assert (again.source.unit_m == 0.01) or size != 1.0


def test_a_file_whose_unit_was_overridden_says_how_to_read_it_again() -> None:
    motion = bvh.read(write(person()).data, "clip.bvh", ReadOptions(unit_m=0.5, up="X"))
    assert bvh_frame.reminder(motion) == "a BVH does not say its unit and up axis; reading this one again needs --unit 0.5 --up X"


def test_bones_that_keep_their_length_have_no_position_channels() -> None:
    text = bvh.encode(WALK).decode()
    assert text.count("CHANNELS 6") == 1
    assert text.count("CHANNELS 3") == WALK.skeleton.num_joints - 1


def test_an_only_root_has_no_offset_that_a_reader_might_add() -> None:
    assert np.abs(WALK.translations[0, 0]).max() > 0.5
    assert b"ROOT Hips\n{\n\tOFFSET 0 0 0\n" in bvh.encode(WALK)
    assert not any(g.what == "root position" for g in bvh.read(bvh.encode(WALK), "again.bvh").source.guesses)


def test_a_stretching_bone_gets_position_channels_that_a_reader_understands() -> None:
    translations = np.array(WALK.translations)
    neck = WALK.skeleton.index("Neck")
    translations[:, neck, 2] += np.linspace(0.0, 0.1, len(translations))
    motion = WALK.replace(translations=translations)
    again = bvh.read(bvh.encode(motion), "again.bvh")
    check(motion, again, 1e-6)


def test_angles_run_on_without_whole_turns() -> None:
    skeleton = Skeleton(("a",), np.array([-1]), np.zeros((1, 3)), np.array([quaternion.IDENTITY]))
    turns = quaternion.about([0.0, 0.0, 1.0], np.linspace(0.0, 6.0 * np.pi, 61))[:, None]
    motion = Motion(skeleton, np.zeros((61, 1, 3)), turns, 0.1)
    rows = Twin(bvh.encode(motion, up="Z").decode()).rows
    assert np.abs(np.diff(rows[:, 3:], axis=0)).max() == pytest.approx(18.0, abs=1e-6)
    assert rows[-1, 3] == pytest.approx(1080.0, abs=1e-5)


@pytest.mark.parametrize("degrees", [90.0, -90.0, 89.9999999, 90.0000001])
def test_gimbal_lock_loses_nothing(degrees: float) -> None:
    rng = np.random.default_rng(0)
    skeleton = Skeleton(("a", "b"), np.array([-1, 0]), np.array([[0.0, 0, 0], [0.3, 0.4, 0.5]]), np.tile(quaternion.IDENTITY, (2, 1)))
    angles = np.stack([rng.uniform(-180, 180, 20), np.full(20, degrees), rng.uniform(-180, 180, 20)], axis=-1)
    rotations = np.stack([quaternion.from_euler("ZYX", angles)] * 2, axis=1)
    motion = Motion(skeleton, np.tile(skeleton.translations, (20, 1, 1)), rotations, 0.1)
    again = bvh.read(bvh.encode(motion, up="Z", unit_m=1.0), "again.bvh", ReadOptions(up="Z", unit_m=1.0))
    check(motion, again, 1e-7)


def test_names_that_would_break_the_file_are_mended() -> None:
    names = ["", "two words", "a{b}c", "a\nb", "  x  "]
    num = len(names)
    skeleton = Skeleton(tuple(names), np.array([-1, 0, 1, 2, 3]), np.ones((num, 3)), np.tile(quaternion.IDENTITY, (num, 1)))
    motion = Motion(skeleton, np.ones((2, num, 3)), np.tile(quaternion.IDENTITY, (2, num, 1)), 0.1)
    again = bvh.read(bvh.encode(motion), "again.bvh")
    assert again.skeleton.names == ("joint0", "two words", "a(b)c", "a b", "x")


def test_a_body_without_tips_gets_end_sites_for_other_readers() -> None:
    motion = bvh.read(write(walk(CRAB), Dialect(ends=False)).data, "crab.bvh")
    assert motion.skeleton.tips == ()
    leaves = sum(1 for children in motion.skeleton.children if not children)
    assert bvh.encode(motion).count(b"End Site") == leaves


def test_writing_is_atomic_and_refuses_nonsense(tmp_path: Path) -> None:
    path = tmp_path / "walk.bvh"
    bvh.write(WALK, path)
    assert [p.name for p in tmp_path.iterdir()] == ["walk.bvh"]
    check(WALK, bvh.read(path.read_bytes(), path.name), 1e-6)
    with pytest.raises(InputError, match="there is no folder"):
        bvh.write(WALK, tmp_path / "nowhere" / "walk.bvh")
    with pytest.raises(InputError, match=r"no up axis named 'up'.*'Y'"):
        bvh.encode(WALK, up="up")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="length of a unit must be a positive number"):
        bvh.encode(WALK, unit_m=0.0)
