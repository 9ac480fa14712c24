"""The contract of the command line: help, errors, exit codes, and what goes to which stream."""

from __future__ import annotations

import importlib
import os
import pkgutil
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import surefoot.cli
from surefoot.cli import main
from surefoot.errors import InputError
from tests.cli.surefoot import program
from tests.cli.surefoot import surefoot as run


@pytest.fixture(params=tuple(main.VERBS))
def verb(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def command_of(verb: str) -> type:
    found: type = importlib.import_module(f"surefoot.cli.{verb.replace('-', '_')}").Command
    return found


def test_help_takes_less_than_half_a_second() -> None:
    seconds = []
    for _ in range(3):
        began = time.perf_counter()
        process = program("--help")
        out, _ = process.communicate(timeout=20)
        seconds.append(time.perf_counter() - began)
        assert process.returncode == 0
        assert "surefoot VERB" in out
    assert min(seconds) < 0.5


def test_help_of_everything_names_every_verb(capsys: pytest.CaptureFixture[str]) -> None:
    said = run(capsys, "--help")
    assert said.code == 0
    assert all(re.search(rf"^  {verb} +\S", said.out, re.M) for verb in main.VERBS)
    assert run(capsys, "help").out == said.out


def test_no_verb_at_all_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys).code == 2


def test_version_is_the_package_s(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "--version").out == f"surefoot {surefoot.__version__}\n"


def test_every_module_with_a_command_is_a_verb() -> None:
    modules = {info.name for info in pkgutil.iter_modules(surefoot.cli.__path__)}
    with_command = {name for name in modules if hasattr(importlib.import_module(f"surefoot.cli.{name}"), "Command")}
    assert with_command == {verb.replace("-", "_") for verb in main.VERBS}


def test_help_of_a_verb_has_examples_and_the_flags_of_all(capsys: pytest.CaptureFixture[str], verb: str) -> None:
    said = run(capsys, verb, "--help")
    assert said.code == 0
    assert said.err == ""
    assert f"  surefoot {verb}" in said.out
    assert all(f"{flag} " in said.out for flag in ("--seed", "--threads", "--json"))


def test_examples_in_help_are_commands_that_parse(verb: str) -> None:
    examples = re.findall(r"^ +surefoot (.+)$", command_of(verb).__doc__ or "", re.M)
    assert examples
    for example in examples:
        name, *arguments = shlex.split(example)
        assert name == verb
        assert isinstance(main._parse(command_of(verb), verb, main._joined(arguments)), object)


def test_an_unknown_verb_names_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    said = run(capsys, "insepct")
    assert said.code == 2
    assert "did you mean 'inspect'" in said.err


@pytest.mark.parametrize(
    "arguments",
    [
        ("rig",),
        ("rig", "a.bvh", "--out"),
        ("rig", "a.bvh", "--out", "a.xml", "--sed", "3"),
        ("rig", "a.bvh", "--out", "a.xml", "--mass", "heavy"),
        ("rig", "a.bvh", "b.bvh", "--out", "a.xml"),
        ("rig", "a.bvh", "--out", "a.xml", "--joints", "rope"),
        ("export", "humanoid/walk", "--out", "walk.fbx"),
        ("export", "humanoid/walk", "--out", "no/such/folder/walk.bvh"),
        ("export", "humanoid/walk", "--out", "walk.bvh", "--seed", "-1"),
        ("export", "nothing.bvh", "--out", "walk.bvh"),
        ("export", "bad\0name.bvh", "--out", "walk.bvh"),
        ("inspect", "humanoid/wlak"),
        ("inspect", "."),
        ("inspect", "humanoid", "--json", "no/such/folder/walk.json"),
    ],
)
def test_a_mistake_is_one_line_on_standard_error_and_code_2(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    said = run(capsys, *arguments)
    assert said.code == 2
    assert said.out == ""
    assert re.fullmatch(r"surefoot: [^\n]+\n", said.err)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("width", ["40", "80", "200"])
def test_wrong_usage_reads_the_same_on_every_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, width: str
) -> None:
    monkeypatch.setenv("COLUMNS", width)
    said = run(capsys, "rig", "a.bvh", "--out", "a.xml", "--sed", "3")
    assert said.err == "surefoot: rig: Unrecognized options: --sed, 3; did you mean --seed INT? see surefoot rig --help\n"


def test_an_interrupted_command_ends_with_130(tmp_path: Path) -> None:
    with program("demo", "--out", tmp_path / "never.png") as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("clip")
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert err == "surefoot: interrupted\n"
    assert not (tmp_path / "never.png").exists()


def test_a_reader_that_leaves_early_is_no_error() -> None:
    with program("doctor") as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait(timeout=60) == 0


def test_a_terminal_without_unicode_gets_the_help_all_the_same() -> None:
    with program("--help", env={"PYTHONIOENCODING": "ascii"}) as process:
        out, err = process.communicate(timeout=20)
    assert process.returncode == 0
    assert err == ""
    assert out.isascii()


def test_a_full_disk_is_one_line_and_leaves_the_old_file(tmp_path: Path) -> None:
    out = tmp_path / "walk.bvh"
    out.write_text("the old file", encoding="utf-8")
    limit = "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))"
    script = f"{limit}\nfrom surefoot.cli.main import main; sys.exit(main())"
    command = [sys.executable, "-c", script, "export", "humanoid/walk", "--out", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert re.fullmatch(rf"surefoot: {re.escape(str(out))}: File too large\n", done.stderr)
    assert out.read_text(encoding="utf-8") == "the old file"
    assert [path.name for path in tmp_path.iterdir()] == ["walk.bvh"]


def test_linear_algebra_is_held_to_one_thread() -> None:
    names = ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"]
    script = f"import os; from surefoot.cli.main import main; main(['--version']); print([os.environ[n] for n in {names}])"
    bare = {k: v for k, v in os.environ.items() if not k.endswith("_NUM_THREADS")}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True, env=bare)
    assert done.stdout.splitlines()[-1] == "['1', '1']"


def test_a_downward_axis_may_follow_its_flag() -> None:
    assert main._joined(["a.bvh", "--up", "-Y", "--out", "b"]) == ["a.bvh", "--up=-Y", "--out", "b"]


def test_an_unknown_box_still_gives_a_line() -> None:
    assert main.usage_error("", "rig") == "rig: wrong usage; see surefoot rig --help"
    assert InputError(main.usage_error("\x1b[31mplain\x1b[0m", "rig"))
