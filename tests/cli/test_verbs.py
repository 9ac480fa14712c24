"""What each verb does, as a person calls it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from surefoot import load_character, material, read_motion
from surefoot.cli.output import plain
from surefoot.cli.reading import axis, metres
from surefoot.errors import InputError
from tests.cli.surefoot import surefoot
from tests.clips import MOTIONS, needs_motions

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("suffix", ["bvh", "glb", "npz"])
def test_export_keeps_joints_and_frames(capsys: Capture, suffix: str) -> None:
    said = surefoot(capsys, "export", "humanoid/walk", "--out", f"walk.{suffix}")
    assert said.code == 0
    assert said.err == ""
    ours, back = material.motion("humanoid/walk"), read_motion(f"walk.{suffix}")
    columns = [back.skeleton.index(name) for name in ours.skeleton.names]
    assert back.num_frames == ours.num_frames
    assert np.abs(back.joint_positions[:, columns] - ours.joint_positions).max() < 1e-4


def test_export_leaves_json_alone_on_standard_output(capsys: Capture) -> None:
    said = surefoot(capsys, "export", "humanoid/walk", "--out", "walk.bvh", "--json", "-")
    assert said.json["frames"] == material.motion("humanoid/walk").num_frames
    assert Path("walk.bvh").is_file()


def test_export_tells_what_was_guessed(capsys: Capture) -> None:
    surefoot(capsys, "export", "humanoid/walk", "--out", "walk.bvh")
    said = surefoot(capsys, "export", "walk.bvh", "--out", "again.bvh")
    assert "guessed unit: cm" in said.out
    assert "--unit cm" in said.out


def test_a_unit_that_is_given_is_used(capsys: Capture) -> None:
    surefoot(capsys, "export", "humanoid/walk", "--out", "walk.bvh")
    surefoot(capsys, "export", "walk.bvh", "--unit", "m", "--out", "giant.npz")
    with np.load("giant.npz") as giant:
        assert np.ptp(giant["joint_positions"][0, :, 2]) > 100.0


def test_rig_writes_a_character_that_loads(capsys: Capture) -> None:
    said = surefoot(capsys, "rig", "humanoid/walk", "--out", "walker.xml", "--mass", "62", "--json", "-")
    character = load_character("walker.xml")
    assert character.mass == pytest.approx(62.0)
    assert said.json["mass_kg"] == pytest.approx(62.0)
    assert said.json["joints"] == list(character.skeleton.names)
    assert said.json["kind"] == "character"


def test_rig_prints_its_bodies_and_reports(capsys: Capture) -> None:
    said = surefoot(capsys, "rig", "humanoid/walk", "--out", "walker.xml", "--joints", "hinge")
    assert "degrees of freedom" in said.out
    assert "ball" not in said.out
    assert said.out.endswith("wrote walker.xml\n")


def test_rig_writes_edits_that_change_nothing_and_takes_those_that_do(capsys: Capture) -> None:
    surefoot(capsys, "rig", "humanoid/walk", "--out", "a.xml", "--template", "edits.json")
    assert surefoot(capsys, "rig", "humanoid/walk", "--out", "b.xml", "--edits", "edits.json").code == 0
    assert load_character("a.xml").skeleton.names == load_character("b.xml").skeleton.names
    Path("edits.json").write_text('{"merge": {"left_wrist": "left_elbow"}}', encoding="utf-8")
    assert surefoot(capsys, "rig", "humanoid/walk", "--out", "c.xml", "--edits", "edits.json").code == 0
    assert not {"left_wrist", "right_wrist"} & set(load_character("c.xml").skeleton.names)
    Path("edits.json").write_text('{"merge": {"left_wing": "left_elbow"}}', encoding="utf-8")
    wrong = surefoot(capsys, "rig", "humanoid/walk", "--out", "d.xml", "--edits", "edits.json")
    assert wrong.code == 2
    assert "left_wing" in wrong.err
    assert not Path("d.xml").exists()


def test_inspect_describes_a_character(capsys: Capture) -> None:
    said = surefoot(capsys, "inspect", "humanoid")
    assert "62 kg, 1.7 m, 45 degrees of freedom" in said.out
    facts = surefoot(capsys, "inspect", "humanoid", "--json", "-").json
    assert {"kind", "clips", "joints", "height_m", "up_axis", "unit_m", "guesses", "warnings"} <= facts.keys()
    surefoot(capsys, "rig", "humanoid/walk", "--out", "walker.xml")
    assert surefoot(capsys, "inspect", "walker.xml", "--json", "-").json["kind"] == "character"


def test_inspect_describes_a_motion(capsys: Capture) -> None:
    surefoot(capsys, "export", "humanoid/walk", "--out", "walk.bvh")
    facts = surefoot(capsys, "inspect", "walk.bvh", "--json", "-").json
    assert facts["kind"] == "motion"
    assert facts["clips"][0].keys() >= {"name", "duration_s", "fps", "frames"}
    assert set(facts["joints"]) == set(material.motion("humanoid/walk").skeleton.names)
    assert {"height_m", "up_axis", "unit_m", "guesses", "warnings"} <= facts.keys()
    said = surefoot(capsys, "inspect", "walk.bvh")
    assert "pelvis" in said.out


def test_retarget_puts_a_motion_on_another_body(capsys: Capture) -> None:
    said = surefoot(capsys, "retarget", "humanoid/walk", "--character", "deepmimic", "--out", "walk.npz", "--json", "-")
    assert said.code == 0
    assert said.json["frames"] == material.motion("humanoid/walk").num_frames
    assert said.json["drivers"]["right_knee"] == "right_knee"
    assert 0.0 < said.json["residual_mean_mm"] < 50.0
    assert set(read_motion("walk.npz").skeleton.names) >= {"right_knee", "left_knee"}


def test_retarget_prints_its_matching_and_takes_another(capsys: Capture) -> None:
    Path("pairs.txt").write_text("# arms stay at rest\n- -> right_elbow\n", encoding="utf-8")
    arguments = ("retarget", "humanoid/walk", "--character", "deepmimic", "--out", "walk.bvh", "--matching", "pairs.txt")
    said = surefoot(capsys, *arguments)
    assert "- -> right_elbow (given)" in said.out
    Path("pairs.txt").write_text("right_knee -> wing\n", encoding="utf-8")
    wrong = surefoot(capsys, *arguments)
    assert wrong.code == 2
    assert "no body of the character named 'wing'" in wrong.err


def test_an_unknown_character_lists_those_that_are_built_in(capsys: Capture) -> None:
    said = surefoot(capsys, "retarget", "humanoid/walk", "--character", "humanoit", "--out", "walk.bvh")
    assert said.code == 2
    assert "did you mean 'humanoid'" in said.err
    assert "'deepmimic'" in said.err


def test_a_scene_without_a_skeleton_is_described_and_not_rigged(capsys: Capture) -> None:
    scene = {"asset": {"version": "2.0"}, "cameras": [{"type": "perspective"}], "nodes": [{"name": "eye", "camera": 0}]}
    Path("scene.gltf").write_text(json.dumps(scene), encoding="utf-8")
    said = surefoot(capsys, "inspect", "scene.gltf", "--json", "-")
    assert said.code == 0
    assert {"kind", "clips", "joints", "height_m", "up_axis", "unit_m", "guesses", "warnings"} <= said.json.keys()
    assert "camera" in surefoot(capsys, "inspect", "scene.gltf").out
    refused = surefoot(capsys, "rig", "scene.gltf", "--out", "a.xml")
    assert refused.code == 2
    assert "no skeleton" in refused.err


def test_json_goes_to_a_file_too(capsys: Capture) -> None:
    said = surefoot(capsys, "inspect", "humanoid", "--json", "facts.json")
    assert "45 degrees of freedom" in said.out
    assert json.loads(Path("facts.json").read_text(encoding="utf-8"))["degrees_of_freedom"] == 45


def test_doctor_knows_each_part_and_its_remedy(capsys: Capture) -> None:
    said = surefoot(capsys, "doctor", "--json", "-")
    assert said.code == 0
    parts = {part["name"]: part for part in said.json["parts"]}
    assert parts["mujoco"]["required"]
    assert parts["mujoco"]["found"]
    assert {"viser", "gymnasium", "mujoco-warp", "ray", "EGL rendering", "OSMesa rendering", "Chromium", "Blender (bpy)"} <= parts.keys()
    assert all(part["adds"] and part["install"] for part in parts.values())
    assert all(part["install"].startswith(("pip install ", "apt-get install ", "make ")) for part in parts.values())


def test_demo_rigs_simulates_says_why_it_falls_and_leaves_a_picture(capsys: Capture) -> None:
    said = surefoot(capsys, "demo", "--json", "demo.json")
    assert said.code == 0
    assert said.err == ""
    steps = [line.split()[0] for line in said.out.splitlines()]
    assert steps == [
        "clip",
        "character",
        "physics",
        "falls",
        "why",
        "files",
        "learned",
        "pushed",
        "walked",
        "picture",
        "next",
    ]  # a line each
    with Image.open("out/demo.png") as picture:
        assert picture.size[0] > 1000
    facts = json.loads(Path("demo.json").read_text(encoding="utf-8"))
    assert 0.3 < facts["fell_s"] < 3.0
    assert "ground" in facts["why"] or "sank" in facts["why"]
    assert facts["stood"]
    assert facts["walked_m"] > 10.0
    assert surefoot(capsys, "inspect", facts["skill"]).code == 0
    assert facts["lean_deg"][1] > 3.0 * facts["lean_deg"][0]
    assert surefoot(capsys, "inspect", facts["bundle"]).code == 0
    assert read_motion(f"{facts['export']}#walk surefoot").num_frames > 50


@needs_motions
def test_a_clip_that_was_not_named_is_the_first_and_the_others_are_told(capsys: Capture) -> None:
    fox = MOTIONS / "gltf" / "khronos_fox.glb"
    said = surefoot(capsys, "export", fox, "--out", "fox.npz", "--json", "-")
    assert said.json["clip"] == "Survey"
    assert "'Walk'" in said.err
    assert "'Run'" in said.err
    named = surefoot(capsys, "export", f"{fox}#Run", "--out", "fox.npz", "--json", "-")
    flagged = surefoot(capsys, "export", fox, "--clip", "Run", "--out", "fox.npz", "--json", "-")
    assert named.json["clip"] == flagged.json["clip"] == "Run"
    assert "Walk" not in named.err


@needs_motions
def test_an_unknown_clip_lists_what_exists(capsys: Capture) -> None:
    said = surefoot(capsys, "export", f"{MOTIONS / 'gltf' / 'khronos_fox.glb'}#Gallop", "--out", "fox.npz")
    assert said.code == 2
    assert all(name in said.err for name in ("'Survey'", "'Walk'", "'Run'"))


@needs_motions
def test_a_leading_t_pose_stays_in_exports_and_goes_from_rigs(capsys: Capture) -> None:
    clip = MOTIONS / "cmu_bvh" / "cmu_02_01_walk_normal.bvh"
    whole = surefoot(capsys, "export", clip, "--out", "a.npz", "--json", "-")
    short = surefoot(capsys, "export", clip, "--out", "a.npz", "--drop-first-frame", "--json", "-")
    assert short.json["frames"] == whole.json["frames"] - 1
    assert "--drop-first-frame" in whole.err
    rigged = surefoot(capsys, "rig", clip, "--out", "a.xml")
    assert "left out" in rigged.out
    assert "--drop-first-frame" not in rigged.err
    dropped = surefoot(capsys, "rig", clip, "--out", "a.xml", "--drop-first-frame")
    assert "left out" not in dropped.out  # the reader did it already
    kept = surefoot(capsys, "rig", clip, "--out", "a.xml", "--keep-first-frame")
    assert "left out" not in kept.out


def test_units_have_names_and_may_be_numbers() -> None:
    assert metres("cm") == 0.01
    assert metres("INCH") == metres("in") == 0.0254
    assert metres("0.3") == 0.3
    with pytest.raises(InputError, match="a number of metres"):
        metres("furlong")
    with pytest.raises(InputError, match="positive"):
        metres("-1")


def test_axes_are_read_in_either_case() -> None:
    assert axis("y") == axis("+Y") == "Y"
    assert axis("-z") == "-Z"


def test_json_has_no_nan() -> None:
    values = {"a": np.float64(np.nan), "b": np.arange(2), "c": (np.inf, 1.0), "d": Path("x"), "e": np.bool_(True)}
    assert plain(values) == {"a": None, "b": [0, 1], "c": [None, 1.0], "d": "x", "e": True}
