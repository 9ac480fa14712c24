"""The verbs that take bundles: inspect, evaluate, render, export, play. The check of exit codes, progress and JSON beside them."""

from __future__ import annotations

from pathlib import Path

import pytest

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
