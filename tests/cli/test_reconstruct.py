"""`surefoot reconstruct`: bundle, JSON, report, exit codes, errors."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from surefoot.bundle import load
from surefoot.cli.scenes import scene_of
from surefoot.errors import InputError
from surefoot.physics.terrain import Drop, Slope, Steps
from tests.cli.surefoot import surefoot

Capture = pytest.CaptureFixture[str]

KEYS = {
    "success",
    "survived_s",
    "duration_s",
    "mpjpe_mm",
    "mpjpe_global_mm",
    "root_height_error_m",
    "root_rotation_error_rad",
    "physics_steps",
    "core_s",
    "wall_s",
    "seed",
    "versions",
}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_clip_becomes_a_bundle_and_a_report(capsys: Capture) -> None:
    call = ("reconstruct", "humanoid/run", "--character", "humanoid", "--samples", "120", "--threads", "1")
    said = surefoot(capsys, *call, "--out", "run.surefoot", "--report", "run.html", "--json", "-")
    assert said.code == 0, said.err
    assert said.json["success"] is True
    assert said.json.keys() >= KEYS
    made = load("run.surefoot")
    assert (made.method, made.success, made.seed) == ("basic", True, 0)
    assert not {"core_s", "wall_s"} & made.result.keys()
    assert len(made.sha256) == 64
    assert made.performance is not None
    page = Path("run.html").read_text(encoding="utf-8")
    assert page.count("<svg") == 5
    assert "data:image/png;base64," in page
    assert not Path("run.surefoot.run").exists()


def test_what_cannot_be_done_is_still_written_and_exits_with_1(capsys: Capture) -> None:
    hopeless = ("--samples", "8", "--method", "basic", "--basic.window", "1e-9", "--basic.trials", "1", "--threads", "1")
    said = surefoot(capsys, "reconstruct", "humanoid/jump", "--character", "humanoid", "--out", "jump.surefoot", *hopeless, "--json", "-")
    assert said.code == 1
    assert said.json["success"] is False
    assert 0.0 < said.json["survived_s"] < said.json["duration_s"]
    assert "not performed" in said.json["status"]
    assert load("jump.surefoot").success is False


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--out", "walk.npz"), "--out walk.npz: a bundle is written as .surefoot; got .npz."),
        (("--out", "w.surefoot", "--ground", "hill"), "no --ground named 'hill'"),
        (("--out", "w.surefoot", "--ground", "slope:steep"), "expected KIND, KIND:SIZE or KIND:SIZE@START"),
        (("--out", "w.surefoot", "--samples", "1"), "samples: expected 2 to 100000, got 1."),
        (("--out", "w.surefoot", "--character", "giant"), "no character named 'giant'"),
        (("--out", "w.surefoot", "--resume"), "there is no run in it to resume"),
    ],
)
def test_wrong_usage_is_one_line_and_writes_nothing(flags: tuple[str, ...], said: str, capsys: Capture, tmp_path: Path) -> None:
    told = surefoot(capsys, "reconstruct", "humanoid/walk", *flags)
    assert told.code == 2
    assert said in told.err
    assert len(told.err.strip().splitlines()) == 1
    assert not list(tmp_path.glob("*.surefoot"))


def test_grounds_are_named_in_a_word() -> None:
    def ground(said: str) -> object:
        scene = scene_of(said, None)
        assert scene is not None
        return scene.ground

    assert ground("slope:-5") == Slope(degrees=-5.0)
    assert ground("steps:0.1@1.5") == Steps(rise=0.1, start=1.5)
    assert ground("drop:1@0.7") == Drop(height=1.0, edge=0.7)
    assert scene_of(None, None) is None


def test_a_scene_comes_from_a_file_as_bundles_hold_it() -> None:
    Path("scene.json").write_text(json.dumps({"ground": {"kind": "slope", "degrees": 3}, "friction": 0.5}), encoding="utf-8")
    scene = scene_of(None, Path("scene.json"))
    assert scene is not None
    assert (scene.ground, scene.friction) == (Slope(degrees=3.0), 0.5)
    Path("bad.json").write_text("{", encoding="utf-8")
    for wrong, said in ((Path("bad.json"), "not JSON"), (Path("none.json"), "there is no such file")):
        with pytest.raises(InputError, match=said):
            scene_of(None, wrong)
    with pytest.raises(InputError, match="give one of them"):
        scene_of("slope:5", Path("scene.json"))
