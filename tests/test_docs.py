"""The documentation tells the truth: its examples run, its commands parse, its links lead somewhere, its tables are complete."""

from __future__ import annotations

import importlib
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import surefoot
from surefoot import material
from surefoot.cli import main
from surefoot.motion.files import SUFFIXES, WRITTEN

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
USED = [page for page in PAGES if page.name != "methods.md"]
"""Pages whose commands exist; that page tells of methods to come."""
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.M | re.S)
PAPERS = {"A": 14, "B": 13, "C": 8, "D": 13, "E": 11}
"""Parts of each paper."""


def run(code: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONWARNINGS": "error", "OMP_NUM_THREADS": "1"}
    return subprocess.run([sys.executable, *code], capture_output=True, text=True, timeout=120, check=False, cwd=folder, env=env)


@pytest.mark.parametrize("page", [page for page in PAGES if BLOCK.search(page.read_text(encoding="utf-8"))], ids=lambda page: page.name)
def test_python_on_the_page_runs(page: Path, tmp_path: Path) -> None:
    surefoot.write_motion(material.motion("humanoid/walk"), tmp_path / "walk.bvh")  # the file that pages speak of
    blocks = BLOCK.findall(page.read_text(encoding="utf-8"))
    done = run(["-c", "\n".join(blocks)], tmp_path)  # later ones go on where earlier ones ended
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.stem)
def test_an_example_runs_without_arguments(example: Path, tmp_path: Path) -> None:
    done = run([str(example)], tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout
    assert list(tmp_path.iterdir())


def test_examples_are_numbered_in_a_row() -> None:
    assert [example.name[:2] for example in EXAMPLES] == [f"{n:02d}" for n in range(1, len(EXAMPLES) + 1)]


@pytest.mark.parametrize("page", USED, ids=lambda page: page.name)
def test_commands_on_the_page_parse(page: Path) -> None:
    for line in re.findall(r"^(?:    )?surefoot (.+?)(?:\s+#.*)?$", page.read_text(encoding="utf-8"), re.M):
        verb, *arguments = shlex.split(line)
        assert verb in main.VERBS, line
        module = importlib.import_module(f"surefoot.cli.{verb}")
        assert main._parse(module.Command, verb, main._joined(arguments)) is not None, line


@pytest.mark.parametrize("page", USED, ids=lambda page: page.name)
def test_make_targets_on_the_page_exist(page: Path) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"(?:^    |`)make ([a-z][a-z-]*)", page.read_text(encoding="utf-8"), re.M):
        assert re.search(rf"^{target}:", makefile, re.M), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_on_the_page_lead_to_files(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#\s]*)", text):
        if target and "://" not in target:
            assert (page.parent / target).exists(), target
    for other, anchor in re.findall(r"\]\(([^)#\s]*)#([^)\s]+)\)", text):
        headings = re.findall(r"^#+ (.+)$", (page.parent / (other or page.name)).read_text(encoding="utf-8"), re.M)
        assert anchor in {heading.lower().replace(" ", "-") for heading in headings}


def test_readme_begins_with_a_picture_and_the_two_commands() -> None:
    screen = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()[:12]
    assert any(line.startswith("![") for line in screen)
    assert any("make demo" in line for line in screen)
    assert any("make test" in line for line in screen)


def test_readme_s_python_is_about_ten_lines() -> None:
    (block,) = BLOCK.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    assert len([line for line in block.splitlines() if line.strip()]) <= 10


def test_every_page_is_reached_from_the_index() -> None:
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    assert {page.name for page in (ROOT / "docs").glob("*.md")} - {"index.md"} == set(re.findall(r"\]\((\w+\.md)\)", index))


def test_every_verb_stands_in_the_documentation() -> None:
    text = "".join(page.read_text(encoding="utf-8") for page in USED)
    assert {verb for verb in main.VERBS if f"surefoot {verb}" not in text} == set()


def test_formats_page_names_every_suffix() -> None:
    text = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
    assert {suffix for suffix in (*SUFFIXES, *WRITTEN) if f"`{suffix}`" not in text} == set()


def test_papers_page_has_every_part_in_order_and_its_modules_exist() -> None:
    text = (ROOT / "docs" / "papers.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([A-E]\d+) \| (.+?) \| (.*?) \| (.*?) \| (.+?) \|$", text, re.M)
    assert [row[0] for row in rows] == [f"{paper}{n}" for paper, count in PAPERS.items() for n in range(1, count + 1)]
    for number, _, modules, tests, result in rows:
        assert result == "not yet" or (modules and tests), number
        assert all((ROOT / "src" / "surefoot" / path).exists() for path in re.findall(r"`([^`]+)`", modules)), number
        assert all((ROOT / path).exists() for path in re.findall(r"`([^`]+)`", tests)), number


def test_pages_name_no_machine() -> None:
    for page in [*PAGES, ROOT / "CHANGELOG.md"]:
        assert not re.search(r"(?<![\w.])/(?:work|root|home|tmp)/\w", page.read_text(encoding="utf-8")), page.name
