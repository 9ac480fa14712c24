"""The verbs that take bundles: inspect, evaluate, render, export, play. The check of exit codes, progress and JSON beside them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from surefoot import read_motion
from surefoot.bundle import save
from surefoot.cli.output import Output
from tests.bundle.cases import dinosaur, learned
from tests.cli.surefoot import surefoot

Capture = pytest.CaptureFixture[str]
pytestmark = pytest.mark.usefixtures("here")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_inspect_describes_a_bundle(capsys: Capture) -> None:
    save(learned(), "walk.surefoot")
    said = surefoot(capsys, "inspect", "walk.surefoot", "--json", "-").json
    assert said["kind"] == "bundle"
    assert (said["method"], said["success"], said["numbers"]) == ("guided", True, learned().numbers)
    text = surefoot(capsys, "inspect", "walk.surefoot").out
    assert "guided; it succeeded" in text
    assert f"{learned().numbers} numbers" in text


def test_inspect_tells_and_plots_what_turns_what(capsys: Capture) -> None:
    save(learned(), "walk.surefoot")
    said = surefoot(capsys, "inspect", "walk.surefoot", "--plot", "gains.png")
    assert said.code == 0
    assert "degrees of joint per unit of feature" in said.out
    assert Path("gains.png").read_bytes().startswith(b"\x89PNG")
    found = surefoot(capsys, "inspect", "walk.surefoot", "--json", "-").json["feedback"]
    assert len(found["features"]) == 18
    assert set(found["strongest"][0]) >= {"joint", "feature", "unit", "degrees_per_unit"}
    refused = surefoot(capsys, "inspect", "humanoid/walk", "--plot", "none.png")
    assert refused.code == 2
    assert "only what was learned has gains to plot" in refused.err
    assert surefoot(capsys, "inspect", "walk.surefoot", "--plot", "gains.txt").code == 2


def test_export_writes_a_learned_skill_as_json(capsys: Capture) -> None:
    save(learned(), "walk.surefoot")
    said = surefoot(capsys, "export", "walk.surefoot", "--out", "policy.json", "--json", "-")
    assert said.json["numbers"] == learned().numbers
    assert json.loads(Path("policy.json").read_text(encoding="utf-8"))["format"] == "surefoot policy"
    save(dinosaur(), "plan.surefoot")
    refused = surefoot(capsys, "export", "plan.surefoot", "--out", "policy.json")
    assert refused.code == 2
    assert "only what `surefoot learn` makes" in refused.err


def test_a_bundle_that_is_not_there_lists_those_that_are(capsys: Capture) -> None:
    save(dinosaur(), "walk.surefoot")
    said = surefoot(capsys, "inspect", "wlak.surefoot")
    assert said.code == 2
    assert "no bundle named 'wlak.surefoot'; did you mean 'walk.surefoot'?" in said.err


def test_a_verdict_is_the_exit_code(capsys: Capture) -> None:
    assert Output(None).verdict({"success": True}) == 0
    assert Output("-").verdict({"success": False}) == 1
    assert '"mujoco"' in capsys.readouterr().out


def test_progress_is_quiet_under_json_and_lines_without_a_terminal(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    with Output("-").progress("searching", 3) as advance:
        advance(1, "best 3.0")
    assert capsys.readouterr() == ("", "")
    monkeypatch.setattr("surefoot.cli.output.EVERY", 0.0)
    with Output(None).progress("searching", 4) as advance:
        advance(1, "best 3.0")
    assert capsys.readouterr() == ("", "searching: 25 %, best 3.0\n")


def test_progress_is_a_bar_on_a_terminal(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "120")
    with Output(None).progress("searching", 4) as advance:
        advance(2, "best 3.0")
    told = capsys.readouterr()
    assert told.out == ""
    assert "searching" in told.err
    assert "50%" in told.err
    assert "best 3.0" in told.err


def test_evaluate_gives_the_keys_that_others_rely_on(capsys: Capture) -> None:
    save(dinosaur(), "walk.surefoot")
    asked = ("evaluate", "walk.surefoot", "--quick", "--episodes", "4", "--threads", "1")
    said = surefoot(capsys, *asked, "--json", "-")
    found = said.json
    assert set(found) >= {
        *("success", "survived_s", "duration_s", "mpjpe_mm", "mpjpe_global_mm", "root_height_error_m", "root_rotation_error_rad"),
        *("physics_steps", "core_s", "wall_s", "seed", "versions", "episodes", "survival_rate", "survival_interval", "push_tolerance_n"),
    }
    assert said.code == 0  # it was judged, whatever the verdict
    assert found["success"] is False
    assert found["episodes"] == 4
    assert len(found["survival_interval"]) == 2
    assert set(found["push_tolerance_n"]) == {"0", "90", "180", "270"}
    again = surefoot(capsys, *asked, "--json", "-").json
    timed = ("core_s", "wall_s")
    assert {k: v for k, v in found.items() if k not in timed} == {k: v for k, v in again.items() if k not in timed}


def test_evaluate_prints_a_table_and_takes_motions(capsys: Capture) -> None:
    said = surefoot(capsys, "evaluate", "humanoid/walk", "--episodes", "2", "--no-pushes")
    assert said.code == 0
    for row in ("success", "survived", "joints", "root", "episodes"):
        assert f"  {row}" in said.out
    assert "pushes" not in said.out


def test_flags_of_reading_are_not_for_bundles(capsys: Capture) -> None:
    save(dinosaur(), "walk.surefoot")
    said = surefoot(capsys, "evaluate", "walk.surefoot", "--clip", "run")
    assert said.code == 2
    assert "a bundle is taken as it is" in said.err


@pytest.mark.parametrize("suffix", [".bvh", ".glb", ".npz"])
def test_export_writes_what_a_bundle_did_on_the_source_s_skeleton(capsys: Capture, suffix: str) -> None:
    made = dinosaur()
    assert made.motion is not None
    assert made.performance is not None
    save(made, "walk.surefoot")
    said = surefoot(capsys, "export", "walk.surefoot", "--out", f"fell{suffix}", "--json", "-").json
    assert said["on_source"]
    assert said["in_source"] == (suffix == ".glb")
    assert said["joints"] == list(made.motion.skeleton.names)
    back = read_motion(f"fell{suffix}")
    assert back.num_frames == len(made.performance.qpos) == said["frames"]
    hips = made.motion.skeleton.index(made.character.source["joints"][made.character.skeleton.names[0]])
    assert np.abs(back.joint_positions[:, hips] - made.performance.qpos[:, :3]).max() < 1e-3


def test_export_of_a_bundle_takes_a_frame_rate(capsys: Capture) -> None:
    save(dinosaur(), "walk.surefoot")
    said = surefoot(capsys, "export", "walk.surefoot", "--out", "fell.bvh", "--fps", "60", "--json", "-").json
    assert said["fps"] == pytest.approx(60.0)


@pytest.mark.parametrize("suffix", [".png", ".gif"])
def test_render_draws_bundles_and_motions(capsys: Capture, suffix: str) -> None:
    save(dinosaur(), "walk.surefoot")
    for subject in ("walk.surefoot", "humanoid/walk"):
        asked = ("--out", f"a{suffix}", "--seconds", "0.2", "--size", "64x48", "--frames", "2", "--draw", "painter")
        said = surefoot(capsys, "render", subject, *asked, "--json", "-").json
        assert Path(said["out"]).stat().st_size > 500
        assert said["drawn_by"] == "Surefoot's own painter"
        assert said["size"] == [64, 48]


def test_render_says_who_drew_and_refuses_what_it_cannot_write(capsys: Capture) -> None:
    said = surefoot(capsys, "render", "humanoid/walk", "--out", "a.png", "--frames", "1", "--size", "32x32", "--draw", "painter")
    assert said.out == "wrote a.png: 1 frames, 32 x 32, 0.00 s, drawn by Surefoot's own painter\n"
    assert surefoot(capsys, "render", "humanoid/walk", "--out", "a.avi").code == 2
    assert "--size" in surefoot(capsys, "render", "humanoid/walk", "--out", "a.png", "--size", "big").err
