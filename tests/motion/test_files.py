"""The one door to motion files: what a file is, which clip is meant, what is written, and what is said when it is none."""

from __future__ import annotations

import shutil
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from surefoot.errors import InputError
from surefoot.motion import quaternion
from surefoot.motion.files import Clip, ReadOptions, list_clips, read_motion, write_motion
from surefoot.motion.limits import read_bytes
from surefoot.motion.motion import Motion
from surefoot.motion.skeleton import Skeleton
from tests.clips import MOTIONS, needs_motions


def bar() -> Motion:
    """One bone that turns, for twenty frames."""
    skeleton = Skeleton(("base", "top"), np.array([-1, 0]), np.array([[0, 0, 0], [0, 0, 1.0]]), np.tile(quaternion.IDENTITY, (2, 1)))
    rotations = np.tile(quaternion.IDENTITY, (20, 2, 1))
    rotations[:, 0] = quaternion.about([1, 0, 0], np.linspace(0, 1, 20))
    return Motion(skeleton, np.tile(skeleton.translations, (20, 1, 1)), rotations, 1 / 30, name="bar")


@needs_motions
@pytest.mark.parametrize(
    ("file", "kind"),
    [
        ("cmu_bvh/cmu_09_01_run.bvh", "bvh"),
        ("gltf/khronos_fox.glb", "gltf"),
        ("deepmimic/humanoid3d_run.txt", "deepmimic"),
        ("quadruped_keyframes/turn.txt", "quadruped"),
        ("cmu_amc/02_01.amc", "amc"),
        ("cmu_amc/02.asf", "amc"),
    ],
)
def test_every_format_is_read_under_its_own_suffix_and_by_its_content_under_another(file: str, kind: str, tmp_path: Path) -> None:
    motion = read_motion(MOTIONS / file)
    assert motion.source.format == kind
    shutil.copy(MOTIONS / "cmu_amc" / "02.asf", tmp_path)
    odd = tmp_path / "noname.dat"
    shutil.copyfile(MOTIONS / file, odd)
    if kind != "amc" or file.endswith(".asf"):  # the body of an .amc has nothing of its own at its head but comments
        np.testing.assert_array_equal(read_motion(odd).joint_positions, motion.joint_positions)


@needs_motions
def test_every_real_file_lists_its_clips_and_reads_each() -> None:
    files = [path for path in sorted(MOTIONS.rglob("*")) if path.suffix in {".bvh", ".amc", ".asf", ".glb"}]
    files += [*MOTIONS.glob("deepmimic/humanoid3d_*.txt"), *MOTIONS.glob("quadruped_keyframes/*[a-z].txt")]
    files = [path for path in files if path.stem not in {"LICENSE", "character_humanoid3d"}]
    assert len(files) >= 45
    for path in files:
        clips = list_clips(path)
        assert clips, path.name
        motion = read_motion(f"{path}#{clips[-1].name}")
        assert clips[-1] == Clip(
            name=motion.name, duration=pytest.approx(motion.duration), fps=pytest.approx(motion.fps), frames=motion.num_frames
        )


@pytest.mark.parametrize("suffix", [".bvh", ".glb", ".npz", ".GLB"])
def test_what_is_written_is_read_again(suffix: str, tmp_path: Path) -> None:
    write_motion(bar(), tmp_path / f"x{suffix}")
    again = read_motion(tmp_path / f"x{suffix}", ReadOptions(unit_m=0.01 if suffix == ".bvh" else None))
    np.testing.assert_allclose(again.joint_positions, bar().joint_positions, atol=1e-6)
    assert [clip.frames for clip in list_clips(tmp_path / f"x{suffix}")] == [20]
    assert [p.name for p in tmp_path.iterdir()] == [f"x{suffix}"]


@pytest.mark.parametrize("name", ["x.fbx", "x", "x.gltf", "x.txt"])
def test_other_formats_are_not_written(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"motions are written as \.bvh, \.glb, \.npz, not as"):
        write_motion(bar(), tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_a_clip_of_a_file_with_one_may_be_named_and_another_may_not(tmp_path: Path) -> None:
    path = tmp_path / "bar.npz"
    write_motion(bar(), path)
    assert read_motion(f"{path}#bar").name == "bar"
    with pytest.raises(InputError, match=r"no clip named 'foo'\. There is 1: 'bar'"):
        read_motion(f"{path}#foo")
    with pytest.raises(InputError, match="two clips are named, 'bar' after the # and 'foo' beside it"):
        read_motion(f"{path}#bar", ReadOptions(clip="foo"))


def test_a_hash_may_stand_in_the_names_of_files_and_clips(tmp_path: Path) -> None:
    for name in ("take#3.npz", "take.npz"):
        write_motion(bar().replace(name="a#b"), tmp_path / name)
    assert read_motion(tmp_path / "take#3.npz").name == "a#b"
    assert read_motion(f"{tmp_path}/take#3.npz#a#b").name == "a#b"
    assert read_motion(f"{tmp_path}/take.npz#a#b").name == "a#b"


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("x.fbx", b"Kaydara FBX Binary  \x00", "an FBX file, which is not read; save it as .glb or .bvh"),
        ("x.blend", b"BLENDER-v300", "a Blender file, which is not read"),
        ("x.xyz", b"1 2 3", r"the suffix '.xyz', and a content that is no motion known here. Read are \.bvh, \.glb"),
        ("x", b"1 2 3", "no suffix, and a content"),
        ("x.bvh", b"", "the file is empty"),
        ("x.glb", b"   \n", "the file is empty"),
        ("x.bvh", b"ROOT hips", "x.bvh"),
        ("x.json", b'{"a": 1}', "no 'asset'"),
        ("x.txt", b'{"Frames": []}', "is empty"),
        ("x.txt", b'{"Frames": [[1, 2, 3]]}', "44 .DeepMimic humanoid. or 19"),
        ("x.npz", b"not a zip", "x.npz"),
        ("x.amc", b"1\nroot 0 0 0 0 0 0\n", "an .amc needs its skeleton"),
    ],
)
def test_what_is_no_motion_is_refused_in_one_line(name: str, data: bytes, said: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(data)
    for reader in (read_motion, list_clips):
        with pytest.raises(InputError, match=said) as caught:
            reader(tmp_path / name)
        assert "\n" not in str(caught.value)
        assert str(tmp_path) not in str(caught.value)


def test_a_file_that_is_not_there_is_named_without_its_folder(tmp_path: Path) -> None:
    for given in (tmp_path / "none.bvh", f"{tmp_path}/none.bvh#clip", tmp_path):
        with pytest.raises(InputError, match=r"no such file|not a regular file"):
            read_motion(given)


def test_a_small_file_takes_little_memory_whatever_the_limit(tmp_path: Path) -> None:
    (tmp_path / "a.bvh").write_bytes(b"x" * 1000)
    tracemalloc.start()
    try:
        assert read_bytes(tmp_path / "a.bvh", 2**30) == b"x" * 1000
        assert tracemalloc.get_traced_memory()[1] < 1e6
    finally:
        tracemalloc.stop()
    with pytest.raises(InputError, match=r"a\.bvh: 0 MB, more than the 0 MB"):
        read_bytes(tmp_path / "a.bvh", 999)
