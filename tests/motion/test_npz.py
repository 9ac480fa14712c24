"""Our own archives: the keys that others rely on, every bit back, and nothing believed before it is checked."""

from __future__ import annotations

import io
import struct
import zipfile
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from surefoot.errors import InputError
from surefoot.motion import npz
from surefoot.motion.files import ReadOptions, read_motion, write_motion
from surefoot.motion.motion import Motion
from tests.clips import MOTIONS, needs_motions
from tests.motion.motions import motions


def arrays(num: int = 3, frames: int = 4) -> dict[str, Any]:
    """The five arrays that another program would write, and no more."""
    rng = np.random.default_rng(0)
    rotations = rng.normal(size=(frames, num, 4))
    return {
        "joint_names": np.array([f"j{i}" for i in range(num)]),
        "parents": np.arange(num) - 1,
        "fps": np.array(25.0),
        "joint_positions": rng.normal(size=(frames, num, 3)),
        "joint_rotations": rotations / np.linalg.norm(rotations, axis=-1, keepdims=True),
    }


def packed(content: dict[str, Any]) -> bytes:
    out = io.BytesIO()
    np.savez_compressed(out, **content)
    return out.getvalue()


def raw(members: dict[str, bytes]) -> bytes:
    """An archive of members whose bytes are given."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return out.getvalue()


def member(array: object) -> bytes:
    out = io.BytesIO()
    np.lib.format.write_array(out, np.asarray(array))
    return out.getvalue()


def header(text: str) -> bytes:
    data = text.encode() + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(data)) + data


def same(a: Motion, b: Motion) -> None:
    for key in ("translations", "rotations"):
        np.testing.assert_array_equal(getattr(a, key), getattr(b, key))
        np.testing.assert_array_equal(getattr(a.skeleton, key), getattr(b.skeleton, key))
    assert (a.skeleton.names, a.skeleton.parents.tolist()) == (b.skeleton.names, b.skeleton.parents.tolist())
    assert [(t.joint, t.name, t.offset.tolist()) for t in a.skeleton.tips] == [
        (t.joint, t.name, t.offset.tolist()) for t in b.skeleton.tips
    ]
    assert (a.frame_time, a.name, a.source) == (b.frame_time, b.name, b.source)
    np.testing.assert_array_equal(a.contacts, b.contacts)


@given(motions())
def test_a_motion_comes_back_bit_for_bit(motion: Motion) -> None:
    data = npz.encode(motion)
    same(npz.read(data, "x.npz"), motion)
    assert npz.encode(npz.read(data, "x.npz")) == data


@given(motions())
def test_others_find_the_agreed_keys_without_pickle(motion: Motion) -> None:
    with np.load(io.BytesIO(npz.encode(motion)), allow_pickle=False) as found:
        assert found["joint_names"].tolist() == list(motion.skeleton.names)
        np.testing.assert_array_equal(found["parents"], motion.skeleton.parents)
        assert float(found["fps"]) == motion.fps
        np.testing.assert_array_equal(found["joint_positions"], motion.joint_positions)
        np.testing.assert_array_equal(found["joint_rotations"], motion.joint_rotations)


def test_an_archive_of_the_five_keys_alone_is_read() -> None:
    given_ = arrays()
    motion = npz.read(packed(given_), "other.npz")
    np.testing.assert_allclose(motion.joint_positions, given_["joint_positions"], atol=1e-12)
    assert (motion.fps, motion.name, motion.source.format) == (25.0, "other", "npz")
    assert "first frame is taken" in motion.source.warnings[0]


def test_single_precision_columns_first_and_whole_numbers_of_any_size_are_taken() -> None:
    content = arrays()
    content["joint_positions"] = np.asfortranarray(content["joint_positions"].astype(np.float32))
    content["joint_rotations"] = content["joint_rotations"].astype(">f4")
    content["parents"] = content["parents"].astype(np.int8)
    content["fps"] = np.array(25)
    motion = npz.read(packed(content), "other.npz")
    np.testing.assert_allclose(motion.joint_positions, content["joint_positions"], atol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(motion.rotations, axis=-1), 1.0, atol=1e-12)


def test_unit_up_axis_and_rate_can_be_overridden() -> None:
    content = arrays()
    motion = npz.read(packed(content), "x.npz", ReadOptions(unit_m=0.01, up="Y", fps=50.0, drop_first_frame=True))
    x, y, z = np.moveaxis(content["joint_positions"][1:] * 0.01, -1, 0)
    np.testing.assert_allclose(motion.joint_positions, np.stack([x, -z, y], -1), atol=1e-12)
    assert motion.fps == 50.0


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"joint_positions": None}, "a motion needs joint_positions in its archive"),
        ({"fps": None}, "needs fps in its archive; add it or give --fps"),
        ({"fps": np.array(0.0)}, "between 1e-6 and 1e6 s are read"),
        ({"fps": np.array(np.nan)}, "holds a NaN"),
        ({"fps": np.array([25.0, 30.0])}, r"fps has the shape \(2,\), expected \(\)"),
        ({"joint_positions": np.zeros((4, 2, 3))}, r"joint_positions has the shape \(4, 2, 3\), expected \(4, 3, 3\)"),
        ({"joint_positions": np.zeros((4, 9))}, r"expected \(frames, 3, 3\)"),
        ({"joint_positions": np.full((4, 3, 3), np.inf)}, "an infinity"),
        ({"joint_positions": np.full((4, 3, 3), 1e12)}, r"beyond 1e\+09"),
        ({"joint_positions": np.zeros((4, 3, 3), int)}, "not a kind of value"),
        ({"joint_positions": np.zeros((0, 3, 3)), "joint_rotations": np.zeros((0, 3, 4))}, "at least one frame"),
        ({"joint_rotations": np.zeros((4, 3, 4))}, "a quaternion of length 0, expected 1"),
        ({"joint_names": np.array([], dtype="U1"), "parents": np.zeros(0, int)}, "expected"),
        ({"parents": np.array([1, 2, 0])}, "must stand before their children"),
        ({"parents": np.array([-1, 0, 77])}, "must stand before their children"),
        ({"tip_joints": np.array([9]), "tip_offsets": np.zeros((1, 3)), "tip_names": np.array(["t"])}, "tip_joints names joint 9"),
        ({"facts": np.array("{")}, "facts are not readable"),
        ({"facts": np.array("[1]")}, "facts are not readable"),
        ({"facts": np.array('{"source": {}}')}, "facts are not readable"),
        ({"facts": np.array("[" * 50000)}, "facts are not readable"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(change: dict[str, Any], said: str) -> None:
    content = {k: v for k, v in (arrays() | change).items() if v is not None}
    with pytest.raises(InputError, match=said) as caught:
        npz.read(packed(content), "x.npz")
    assert str(caught.value).startswith("x.npz: ")


def test_pickled_objects_are_refused() -> None:
    content = {f"{k}.npy": member(v) for k, v in arrays().items()}
    out = io.BytesIO()
    np.lib.format.write_array(out, np.array([{"a": 1}, None, "x"], dtype=object), allow_pickle=True)
    with pytest.raises(InputError, match="does not say what it holds"):
        npz.read(raw(content | {"joint_names.npy": out.getvalue()}), "x.npz")


def test_a_size_declared_beyond_the_file_is_refused_before_anything_is_unpacked() -> None:
    content = {f"{k}.npy": member(v) for k, v in arrays().items()}
    for shape in ("(4, 3, 300000000)", "(99999999999, 3, 3)", "(4, 3, 99999999999999999999)"):
        huge = header("{'descr': '<f8', 'fortran_order': False, 'shape': " + shape + ", }")
        with pytest.raises(InputError, match=r"x.npz: .*(declares|declared)"):
            npz.read(raw(content | {"joint_positions.npy": huge}), "x.npz")


def test_an_archive_that_unpacks_to_very_much_is_refused_unread(monkeypatch: pytest.MonkeyPatch) -> None:
    content = {f"{k}.npy": member(v) for k, v in arrays(frames=400_000, num=2).items()}  # 45 MB of rows
    zeros = header("{'descr': '<f8', 'fortran_order': False, 'shape': (400000, 2, 3), }") + bytes(400_000 * 48)
    squeezed = raw(content | {"joint_positions.npy": zeros})
    monkeypatch.setattr(npz, "MAX_UNPACKED", 2**20)
    monkeypatch.setattr(npz, "_RATIO", 0)
    with pytest.raises(InputError, match=r"unpacks to more than the 1 MB that are read"):
        npz.read(squeezed, "x.npz")


def test_other_archives_are_told_apart() -> None:
    for data, said in (
        (raw({"a.txt": b"x"}), "found a.txt"),
        (raw({"manifest.json": b"{}"}), "a bundle"),
        (raw({}), "found nothing|damaged"),
        (b"PK\x03\x04 nothing more", "damaged"),
        (raw({f"{i}.npy": b"" for i in range(1100)}), "more than 1024 members"),
    ):
        with pytest.raises(InputError, match=said):
            npz.read(data, "x.npz")


@needs_motions
@pytest.mark.parametrize(
    "file", ["gltf/quaternius_trex.glb", "cmu_bvh/cmu_09_01_run.bvh", "cmu_amc/02_01.amc", "deepmimic/humanoid3d_walk.txt"]
)
def test_real_clips_come_back_bit_for_bit(file: str, tmp_path: Any) -> None:
    motion = read_motion(MOTIONS / file)
    write_motion(motion, tmp_path / "x.npz")
    same(read_motion(tmp_path / "x.npz"), motion)
