"""Bundles: what goes in comes out, in another process as well; the same work is the same bytes."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from surefoot import material, rig
from surefoot.archive import Archive, pack
from surefoot.bundle import Bundle, bundle_of, decode, encode, load, perform, performed_motion, player, save
from surefoot.bundle.migrate import SCHEMA, migrated
from surefoot.bundle.report import report
from surefoot.errors import InputError
from surefoot.physics.scene import Ball, Box, Scene
from surefoot.physics.terrain import Slope
from tests.bundle.cases import dinosaur, learned, reconstructed

PERFORM = """
import sys, numpy as np
from surefoot.bundle import load, player
playing = player(load(sys.argv[1]), record=True)
playing.advance(0.6)
np.save(sys.argv[2], playing.recording().states)
"""


def same(a: Bundle, b: Bundle) -> None:
    """All that a bundle holds, bit for bit."""
    assert encode(a) == encode(b)
    for name in ("name", "method", "success", "result", "config", "seed", "versions", "start", "sha256", "file", "scene"):
        assert getattr(a, name) == getattr(b, name), name
    assert a.character.xml == b.character.xml
    assert np.array_equal(a.reference.qpos, b.reference.qpos)
    assert {k: v.tolist() for k, v in a.curves.items()} == {k: v.tolist() for k, v in b.curves.items()}


@pytest.mark.parametrize("make", [dinosaur, reconstructed, learned])
def test_what_is_saved_is_loaded(make: object, tmp_path: Path) -> None:
    made = make()  # type: ignore[operator]
    save(made, tmp_path / "a.surefoot")
    back = load(tmp_path / "a.surefoot")
    same(made, back)
    assert back.policy.kind == made.policy.kind
    assert back.numbers == made.numbers > 0
    assert (back.starts is None) == (made.starts is None)
    assert back.performance is not None
    assert np.array_equal(back.performance.qpos, made.performance.qpos)


@pytest.mark.parametrize("make", [dinosaur, learned])
def test_the_same_work_is_the_same_bytes(make: object, tmp_path: Path) -> None:
    first = encode(make.__wrapped__())  # type: ignore[attr-defined]
    assert first == encode(make.__wrapped__())  # type: ignore[attr-defined]
    save(decode(first, "a"), tmp_path / "a.surefoot")
    save(load(tmp_path / "a.surefoot"), tmp_path / "b.surefoot")
    assert (tmp_path / "b.surefoot").read_bytes() == first


@pytest.mark.parametrize("make", [reconstructed, learned])
def test_a_bundle_performs_the_same_states_in_another_process_bit_for_bit(make: object, tmp_path: Path) -> None:
    made = make()  # type: ignore[operator]
    save(made, tmp_path / "a.surefoot")
    subprocess.run([sys.executable, "-c", PERFORM, str(tmp_path / "a.surefoot"), str(tmp_path / "states.npy")], check=True, timeout=120)
    here = player(made, record=True)
    here.advance(0.6)
    states = here.recording().states
    assert len(states) > 10
    assert np.array_equal(np.load(tmp_path / "states.npy"), states)


def test_the_performance_is_what_the_policy_does() -> None:
    made = reconstructed()
    assert made.performance is not None
    again = perform(made, frame_time=made.performance.frame_time)
    assert np.array_equal(again.qpos, made.performance.qpos)


def test_a_performance_without_an_end_is_refused() -> None:
    slow = dinosaur().character.xml.replace('timestep="0.005"', 'timestep="1e-05"')
    made = decode(changed(dinosaur(), **{"character.xml": slow.encode()}), "x")
    assert made.character.timestep == 1e-5
    with pytest.raises(InputError, match="60 s in steps of 1e-05 s are more than the 5 million steps"):
        perform(made, 60.0)
    with pytest.raises(InputError, match=r"lasts 0 to 3600 s, not 1e\+06"):
        perform(dinosaur(), 1e6)


def test_no_time_of_work_thread_count_or_path_stands_in_it(tmp_path: Path) -> None:
    made = dinosaur().replace(
        config={"samples": 3, "threads": 8, "character": tmp_path / "dog.xml", "motion": str(tmp_path / "a.bvh")},
        result={"wall_s": 3.0, "core_s": 6.0, "mpjpe_mm": np.float64(12.5), "passes": [{"wall_s": 1.0, "cost": np.inf}]},
    )
    back = decode(encode(made), "x")
    assert back.config == {"samples": 3, "character": "dog.xml", "motion": "a.bvh"}
    assert back.result == {"mpjpe_mm": 12.5, "passes": [{"cost": None}]}
    assert str(tmp_path).encode() not in encode(made)
    archive = Archive(encode(made), "x")
    assert {info.date_time for info in archive._zip.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_names_of_joints_that_look_like_paths_stay() -> None:
    motion = material.motion("dinosaur/walk")
    names = tuple(f"/rig/{name}" for name in motion.skeleton.names)
    made = dinosaur().replace(motion=motion.replace(skeleton=replace(motion.skeleton, names=names)))
    back = decode(encode(made), "x")
    assert back.motion is not None
    assert back.motion.skeleton.names == names


def test_a_source_is_known_by_its_name_and_hash_and_its_mesh_comes_along() -> None:
    made = dinosaur()
    assert made.motion is not None
    assert made.motion.source.file == "dinosaur.glb"
    assert made.file == material.glb("dinosaur")
    assert len(made.sha256) == 64


def test_a_scene_is_carried_and_performed_in() -> None:
    scene = Scene(ground=Slope(degrees=8.0), obstacles=(Box(position=(3.0, 0.0, 0.2)),), props=(Ball(),), friction=0.7)
    made = dinosaur().replace(scene=scene)
    back = decode(encode(made), "x")
    assert back.scene == scene
    there, flat = perform(back, 0.3), perform(dinosaur(), 0.3)
    assert not np.array_equal(there.qpos, flat.qpos)


def test_a_t_pose_that_the_rig_left_out_shifts_the_reference() -> None:
    motion = material.motion("humanoid/walk")
    rest = np.concatenate([motion.skeleton.rotations[None], motion.rotations])
    longer = motion.replace(
        translations=np.concatenate([motion.translations[:1], motion.translations]),
        rotations=rest,
        contacts=None,
        source=replace(motion.source, extra={**motion.source.extra, "leading_rest_frame": True}),
    )
    made = bundle_of(longer, rig(longer))
    assert made.start == pytest.approx(motion.frame_time)
    assert performed_motion(made).num_frames == motion.num_frames


def test_a_newer_schema_is_refused_with_the_remedy() -> None:
    archive = Archive(encode(dinosaur()), "x")
    members = {name: archive.bytes(name) for name in archive.names}
    manifest = archive.json("manifest.json")
    newer = pack({**members, "manifest.json": {**manifest, "schema": SCHEMA + 1, "versions": {"surefoot": "9.1"}}})
    with pytest.raises(InputError, match=rf"a\.surefoot: written by surefoot 9\.1 in schema {SCHEMA + 1}, newer .* update surefoot"):
        decode(newer, "a.surefoot")


def test_older_schemas_are_led_to_the_newest_one_function_a_step() -> None:
    steps = {1: lambda m: {**m, "a": 1, "members": {"new.npy": "old.npy"}}, 2: lambda m: {**m, "b": m["a"] + 1}}
    assert migrated({"schema": 1}, "x", steps, 3) == {"schema": 3, "a": 1, "b": 2, "members": {"new.npy": "old.npy"}}
    with pytest.raises(InputError, match="no longer read; surefoot reads from 1"):
        migrated({"schema": 0}, "x", steps, 3)
    for wrong in (None, "1", True, 1.0):
        with pytest.raises(InputError, match="expected a whole number"):
            migrated({"schema": wrong}, "x", steps, 3)


def test_a_member_with_an_older_name_is_found() -> None:
    archive = Archive(pack({"old.npy": np.ones(3), "manifest.json": {}}), "x")
    archive.rename({"new.npy": "old.npy"})
    assert archive.array("new.npy").tolist() == [1.0, 1.0, 1.0]
    for wrong in ({"a": "b"}, {"manifest.json": "new.npy"}, {"a": 3}):
        with pytest.raises(InputError, match="which cannot be"):
            archive.rename(wrong)


def test_only_surefoot_is_a_bundle_s_suffix(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"written as \.surefoot"):
        save(dinosaur(), tmp_path / "a.zip")


def test_a_file_that_is_no_bundle_says_what_it_is() -> None:
    from surefoot.motion import npz

    with pytest.raises(InputError, match=r"a motion's \.npz, it seems"):
        decode(npz.encode(material.motion("humanoid/walk")), "walk.surefoot")
    with pytest.raises(InputError, match="does not say so"):
        decode(pack({"manifest.json": {"format": "other"}}), "x")
    with pytest.raises(InputError, match="not an archive"):
        decode(b"HIERARCHY", "x")


def changed(made: Bundle, **changes: object) -> bytes:
    """A bundle's bytes with some of its manifest's values, or members, replaced."""
    archive = Archive(encode(made), "x")
    members: dict = {name: archive.bytes(name) for name in archive.names}
    manifest = archive.json("manifest.json")
    for key, value in changes.items():
        if key in members:
            members[key] = value
        else:
            manifest[key] = value
    members["manifest.json"] = manifest
    return pack({name: member for name, member in members.items() if member is not None})


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"seed": "x"}, "'seed' is 'x', expected a whole number"),
        ({"seed": -1}, "'seed' is -1"),
        ({"success": 1}, "'success' is 1, expected true or false"),
        ({"policy": {"kind": "neural", "facts": {}}}, "no kind of policy named 'neural'"),
        ({"policy": {"kind": "open loop", "facts": {}}}, "'plan' is missing"),
        ({"policy": []}, "'policy' is .., expected an object"),
        ({"performance": {"frame_time": 0}}, "lasts 0 s"),
        ({"performance/qpos.npy": np.ones((3, 4))}, r"performance has poses \(3, 4\)"),
        ({"reference/qpos.npy": np.ones((3, 4))}, "needs poses"),
        ({"reference/qpos.npy": np.full((3, 4), np.nan)}, "a NaN or an infinity"),
        ({"reference/qpos.npy": np.full((3, 50), 1e300)}, "its qpos holds a number beyond 1e.09"),
        ({"reference/qpos.npy": 3.0 * np.asarray(dinosaur().reference.qpos)}, "a quaternion whose length is not 1"),
        ({"performance/qpos.npy": 0.0 * np.asarray(dinosaur().reference.qpos)}, "performance holds a quaternion"),
        ({"character.xml": dinosaur().character.xml.replace('body name="neck"', 'body name=""').encode()}, "one of its bodies has no name"),
        ({"policy/offsets.npy": np.full((1, 3), -1e12)}, "its offsets holds a number beyond 1e.09"),
        ({"scene": {"ground": {"kind": "lava"}}}, "no ground named 'lava'"),
        ({"character.xml": b"<mujoco><include file='/etc/passwd'/></mujoco>"}, "reaches outside the file"),
        ({"character.xml": b"<robot/>"}, "first element is <robot>"),
        ({"character.xml": None}, "character.xml is missing"),
        ({"source": {"file": "a", "sha256": "", "start_s": -3.0}}, "begins -3 s into the clip"),
    ],
)
def test_a_damaged_bundle_is_one_line_with_its_name(changes: dict, said: str) -> None:
    with pytest.raises(InputError, match=said) as caught:
        decode(changed(dinosaur(), **changes), "a.surefoot")
    assert str(caught.value).startswith("a.surefoot: ")
    assert "\n" not in str(caught.value)


def test_a_report_has_the_keys_that_others_rely_on() -> None:
    said = report(learned()).to_json()
    assert said["kind"] == "bundle"
    assert said["method"] == "guided"
    assert said["numbers"] == learned().numbers
    assert said["success"] is True
    assert said["cycle"] is True
    assert said["clips"][0]["name"] == "reference"
    assert set(said) >= {"clips", "joints", "height_m", "up_axis", "unit_m", "guesses", "warnings"}
    assert "nobody has judged it" in report(dinosaur()).text()
    assert "it succeeded" in report(learned()).text()
    assert set(report(reconstructed()).to_json()["curves"]) == {"cost", "pose"}
