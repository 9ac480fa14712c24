"""Reports: the keys that others rely on, and the words."""

import json
from pathlib import Path

import pytest

from surefoot import material
from surefoot.motion.edit import give_travel
from surefoot.motion.files import ReadOptions
from surefoot.motion.report import report
from tests.clips import MOTIONS, needs_motions
from tests.motion.edit.test_gaits import treadmill

KEYS = {"kind", "clips", "joints", "height_m", "up_axis", "unit_m", "guesses", "warnings"}


@pytest.mark.parametrize("name", material.names())
def test_the_report_on_a_motion_in_memory_holds_what_others_rely_on(name: str) -> None:
    motion = material.motion(name)
    values = report(motion).to_json()
    assert set(values) >= KEYS
    assert values["kind"] == "motion"
    assert values["clips"] == [{"name": motion.name, "duration_s": motion.duration, "fps": motion.fps, "frames": motion.num_frames}]
    assert tuple(values["joints"]) == motion.skeleton.names
    assert [joint["name"] for joint in values["tree"] if not joint["parent"]] == [motion.skeleton.names[r] for r in motion.skeleton.roots]
    assert json.loads(json.dumps(values, allow_nan=False))["frames"] == motion.num_frames


def test_a_walk_is_told_with_its_travel_speed_contacts_and_cycle() -> None:
    told = report(material.motion("humanoid/walk"))
    assert abs(told.travel_m - 1.40) < 0.02
    assert abs(told.speed_m_s - 1.31) < 0.05
    assert told.symmetric
    assert told.anatomy == "2 legs, 2 arms, a head"
    assert all(1 <= foot.contacts <= 2 for foot in told.feet)
    assert all(0.4 < foot.contact_share < 0.75 for foot in told.feet)
    assert told.cycle is not None
    text = told.text()
    for words in (
        "a biped 1.70 m tall, 1.07 s at 30 frames a second (33 frames)",
        "the whole clip repeats, every 1.07 s",
        "left leg, foot",
    ):
        assert words in text


def test_a_walk_on_the_spot_is_told_with_the_speed_its_feet_imply() -> None:
    in_place = treadmill(material.motion("humanoid/walk"))
    told = report(in_place)
    assert told.in_place
    assert abs(told.implied_speed_m_s - 1.31) < 0.1
    assert "walks on the spot; its feet imply 1." in told.text()
    assert not report(give_travel(in_place)).in_place


def test_a_file_without_a_skeleton_is_described_not_refused(tmp_path: Path) -> None:
    file = tmp_path / "view.gltf"
    camera = {"type": "perspective", "perspective": {"yfov": 1.0, "znear": 0.1}}
    file.write_text(json.dumps({"asset": {"version": "2.0"}, "nodes": [{"name": "Eye", "camera": 0}], "cameras": [camera]}))
    told = report(file)
    assert told.kind == "scene"
    assert set(told.to_json()) >= KEYS
    assert "no skeleton in it" in told.warnings[0]
    assert "1 camera" in told.text()
    json.dumps(told.to_json(), allow_nan=False)


def _files() -> list[str]:
    kinds = {".bvh", ".glb", ".txt", ".amc", ".asf"}
    names = (p for p in sorted(MOTIONS.rglob("*")) if p.suffix in kinds and not p.name.startswith(("LICENSE", "character_")))
    return [str(p.relative_to(MOTIONS)) for p in names] if MOTIONS.is_dir() else []


@needs_motions
@pytest.mark.parametrize("file", _files())
def test_every_real_file_is_described_in_words_and_in_json(file: str) -> None:
    told = report(MOTIONS / file)
    values = told.to_json()
    assert set(values) >= KEYS
    json.dumps(values, allow_nan=False)
    assert told.text().startswith(MOTIONS.joinpath(file).name)
    assert told.joints
    assert told.height_m > 0.0


@needs_motions
@pytest.mark.parametrize(("clip", "turn"), [("127_24_run_dive_roll", 0.0), ("69_24_turn_left_90", 90.0), ("69_28_turn_right_90", -90.0)])
def test_a_roll_is_no_turn_about_the_vertical(clip: str, turn: float) -> None:
    told = report(MOTIONS / "cmu_bvh" / f"cmu_{clip}.bvh")
    assert told.turn_deg == pytest.approx(turn, abs=25.0)


@needs_motions
def test_a_clip_among_several_is_described_and_the_others_are_listed() -> None:
    told = report(MOTIONS / "gltf" / "khronos_fox.glb", ReadOptions(clip="Walk"))
    assert told.clip == "Walk"
    assert [clip.name for clip in told.clips] == ["Survey", "Walk", "Run"]
    assert told.anatomy == "4 legs, a head, a tail"
    assert told.in_place
    assert "a quadruped" in told.text()
    assert {joint.part for joint in told.tree} >= {"front left leg", "hind right leg, foot", "tail", "head", "trunk"}


@needs_motions
def test_a_leading_rest_pose_does_not_hide_the_cycle_and_is_warned_of_once() -> None:
    told = report(MOTIONS / "cmu_bvh" / "cmu_02_01_walk_normal.bvh")
    assert told.frames == 344
    assert told.cycle is not None
    assert abs(told.cycle.duration - 1.09) < 0.02
    assert sum("--drop-first-frame" in warning for warning in told.warnings) == 1
