"""The package as a whole: public names, who imports whom, the wheel, the version."""

from __future__ import annotations

import ast
import importlib.metadata
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import surefoot

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "surefoot"

PUBLIC = {
    "BatchEngine",
    "Bundle",
    "Character",
    "Clip",
    "Engine",
    "Guess",
    "InputError",
    "MissingExtra",
    "Motion",
    "Push",
    "ReadOptions",
    "RetargetConfig",
    "Retargeted",
    "RigConfig",
    "RigEdits",
    "Rigged",
    "Rollout",
    "Scene",
    "Skeleton",
    "Source",
    "SurefootError",
    "Tip",
    "builtin",
    "bundle_of",
    "edits_template",
    "list_clips",
    "load",
    "load_character",
    "read_edits",
    "read_motion",
    "retarget",
    "rig",
    "save",
    "write_motion",
}

ORDER = (
    "errors",
    "doctor",
    "motion",
    "archive",
    "run",
    "solids",
    "painter",
    "clothing",
    "material",
    "character",
    "picture",
    "material.sheets",
    "physics",
    "policy",
    "reconstruct",
    "feedback",
    "compose",
    "play",
    "export",
    "bundle",
    "render",
    "studio",
    "demo",
    "cli",
)
"""Folders and modules; each may import from those before it and from itself."""


def room(module: str) -> str:
    """The longest entry of ORDER that holds a module, named without its leading "surefoot."."""
    return max((name for name in ORDER if module == name or module.startswith(f"{name}.")), key=len, default="")


def imports(file: Path) -> Iterator[tuple[int, str]]:
    """Line and module of every import of ours in a file, at the top or inside a function; without the leading "surefoot."."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file.name}:{node.lineno} imports relatively"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            if name.startswith("surefoot."):
                yield node.lineno, name.removeprefix("surefoot.")


def test_public_names_are_exactly_these() -> None:
    assert set(surefoot.__all__) == PUBLIC
    assert list(surefoot.__all__) == sorted(surefoot.__all__)
    assert set(surefoot._PLACES) == PUBLIC


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_a_public_name_exists_and_has_a_docstring(name: str) -> None:
    found = getattr(surefoot, name)
    assert found.__name__ == name
    assert found.__doc__


def test_a_name_that_is_not_there_lists_those_that_are() -> None:
    with pytest.raises(AttributeError, match="read_motion"):
        _ = surefoot.read_movie


def test_import_loads_nothing_heavy() -> None:
    script = "import sys, surefoot; print(sorted({name.split('.')[0] for name in sys.modules} & {'numpy', 'mujoco', 'scipy', 'tyro'}))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "[]\n"


def test_every_module_has_a_room() -> None:
    modules = {".".join(path.relative_to(SOURCE).with_suffix("").parts) for path in SOURCE.rglob("*.py")} - {"__init__"}
    assert {module for module in modules if not room(module)} == set()


def test_imports_point_only_up_the_list() -> None:
    wrong = []
    for file in sorted(SOURCE.rglob("*.py")):
        module = ".".join(file.relative_to(SOURCE).with_suffix("").parts)
        if module == "__init__":
            continue
        own = room(module)
        for line, imported in imports(file):
            if ORDER.index(room(imported) or "cli") > ORDER.index(own):
                wrong.append(f"{file.relative_to(ROOT)}:{line} imports surefoot.{imported}, which stands below {own}")
    assert wrong == []


def test_no_module_pickles_or_evaluates() -> None:
    wrong = re.compile(r"^\s*(?:import|from) pickle|\b(?:eval|exec)\(|allow_pickle=True", re.M)
    assert [str(path) for path in SOURCE.rglob("*.py") if wrong.search(path.read_text(encoding="utf-8"))] == []


def test_version_stands_in_changelog_and_citation() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = re.search(r"^## (\S+)", changelog, re.M)
    assert newest is not None
    assert newest[1] == version
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def test_every_make_target_is_in_its_help() -> None:
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    phony = re.search(r"^\.PHONY: (.+)$", text, re.M)
    assert phony is not None
    for target in set(phony[1].split()) - {"help"}:
        assert re.search(rf'@echo "make {target} ', text), target
        assert re.search(rf"^{target}:", text, re.M), target


def test_ci_runs_what_a_person_runs() -> None:
    assert "make test" in (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    assert re.search(r"make .*test", (ROOT / ".ci" / "run").read_text(encoding="utf-8"))
    assert os.access(ROOT / ".ci" / "run", os.X_OK)


def make_venv(folder: Path, absent: tuple[str, ...], *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the script that makes virtual environments, on a Python that lacks some modules."""
    hidden = folder / "hidden"
    hidden.mkdir()
    (hidden / "sitecustomize.py").write_text(
        "import importlib.util as util\nfind = util.find_spec\n"
        f"util.find_spec = lambda name, *rest: None if name in {absent!r} else find(name, *rest)\n",
        encoding="utf-8",
    )
    command = [sys.executable, str(ROOT / ".ci" / "make_venv.py"), *arguments, str(folder / "venv")]
    env = {**os.environ, "PYTHONPATH": str(hidden)}
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, env=env)


def test_a_bare_debian_python_gets_the_line_that_helps(tmp_path: Path) -> None:
    done = make_venv(tmp_path, ("ensurepip", "pip"))
    assert done.returncode == 2
    assert done.stderr.strip().endswith(f"apt-get install -y python3.{sys.version_info[1]}-venv")
    assert not (tmp_path / "venv").exists()


def test_a_python_of_another_version_is_named(tmp_path: Path) -> None:
    done = make_venv(tmp_path, (), "--only", "3.1")
    assert done.returncode == 2
    assert "needs Python 3.1 " in done.stderr


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from this checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    (built,) = folder.glob("*.whl")
    return built


def test_the_wheel_holds_the_package_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    package = {name for name in names if name.startswith("surefoot/")}
    assert package >= {str(path.relative_to(ROOT / "src")) for path in SOURCE.rglob("*.py")} | {"surefoot/py.typed"}
    assert all(".dist-info/" in name for name in names - package)
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert not any("__pycache__" in name for name in names)


ALONE = """
import importlib, importlib.abc, importlib.metadata, pkgutil, re, sys
sys.path.insert(0, sys.argv[1])

wanted, queue = set(), ["surefoot"]
while queue:  # what the package asks for, and what that asks for, without any extra
    name = re.sub("[-_.]+", "-", queue.pop()).lower()
    if name in wanted:
        continue
    wanted.add(name)
    try:
        lines = importlib.metadata.requires(name) or []
    except importlib.metadata.PackageNotFoundError:
        continue
    queue += [re.match(r"[\\w.-]+", line)[0] for line in lines if "extra ==" not in line]

owners = importlib.metadata.packages_distributions()
class Absent(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        own = [re.sub("[-_.]+", "-", owner).lower() for owner in owners.get(name.split(".")[0], [])]
        if own and not wanted & set(own):
            raise ModuleNotFoundError(f"No module named {name!r} in an empty environment", name=name)
sys.meta_path.insert(0, Absent())

import surefoot
assert surefoot.__file__.startswith(sys.argv[1]), surefoot.__file__
for info in pkgutil.walk_packages(surefoot.__path__, "surefoot."):
    importlib.import_module(info.name)
"""


def test_every_module_of_the_wheel_imports_with_required_packages_alone(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    done = subprocess.run(
        [sys.executable, "-c", ALONE, str(tmp_path)], capture_output=True, text=True, timeout=120, check=False, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr


def test_help_works_where_nothing_else_is_installed(wheel: Path) -> None:
    script = f"import sys; sys.path.insert(0, {str(wheel)!r}); from surefoot.cli.main import main; sys.exit(main(['--help']))"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert "surefoot VERB" in done.stdout


@pytest.mark.slow
def test_the_wheel_installs_and_runs_in_an_empty_environment(wheel: Path, tmp_path: Path) -> None:
    subprocess.run([sys.executable, str(ROOT / ".ci" / "make_venv.py"), str(tmp_path / "venv")], check=True, timeout=120)
    python = tmp_path / "venv" / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", wheel], check=True, timeout=900, capture_output=True)
    names = subprocess.run([python, "-m", "pip", "list", "--format=freeze"], check=True, capture_output=True, text=True, timeout=60).stdout
    assert not re.search(r"^(pytest|hypothesis|ruff|mypy)\b", names, re.M)
    done = subprocess.run(
        [tmp_path / "venv" / "bin" / "surefoot", "demo"], capture_output=True, text=True, timeout=120, check=False, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out" / "demo.png").is_file()


def test_the_installed_metadata_names_the_command() -> None:
    (script,) = importlib.metadata.entry_points(group="console_scripts", name="surefoot")
    assert script.value == "surefoot.cli.main:main"
