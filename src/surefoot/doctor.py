"""What of Surefoot's surroundings is there, what each missing part would add, and the line that installs it.

    for part in examine(): print(part.name, part.found, part.adds, part.install)

Nothing here is imported into this process: a broken part must not take the doctor down.
"""

from __future__ import annotations

import ctypes.util
import importlib.metadata
import os
import platform
import re
import shutil
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

ADDS = {
    "viser": "the studio in the browser: play a character and push it with the mouse",
    "imageio-ffmpeg": "MP4 files of what a character does",
    "gymnasium": "a Gymnasium environment of any character",
    "mujoco-warp": "thousands of simulations at once on an NVIDIA GPU",
    "ray": "simulations on several machines",
}
"""What each optional distribution is for."""

_DRAW = """
import mujoco
context = mujoco.GLContext(64, 64)
context.make_current()
print("drawn")
"""


@dataclass(frozen=True, kw_only=True)
class Part:
    """One part of the surroundings."""

    name: str
    found: bool
    detail: str
    """Version or place when it is there, what went wrong when it is not."""
    adds: str
    """What it is for."""
    install: str
    """The line that installs it; empty where there is none."""
    required: bool = False


def versions() -> dict[str, str]:
    """Versions that decide about results, for every JSON that holds any."""
    found = {name: _version(name) for name in ("surefoot", "mujoco", "numpy", "scipy")}
    return {**{name: version for name, version in found.items() if version}, "python": platform.python_version()}


def examine() -> tuple[Part, ...]:
    """Every part, required ones first."""
    return (*_distributions(), _graphics("egl"), _graphics("osmesa"), _ffmpeg(), _chromium(), _blender())


def to_json(parts: tuple[Part, ...]) -> dict[str, Any]:
    """The parts as JSON values."""
    return {
        "kind": "doctor",
        "healthy": all(part.found for part in parts if part.required),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "cores": os.cpu_count(),
        "parts": [asdict(part) for part in parts],
        "versions": versions(),
    }


def text(parts: tuple[Part, ...]) -> str:
    """The parts for a person: what is there in one line each, what is missing with its remedy."""
    lines = [f"Python {platform.python_version()} on {platform.platform(terse=True)}, {os.cpu_count()} cores", ""]
    width = max(len(part.name) for part in parts)
    for part in parts:
        mark = "ok " if part.found else "MISSING" if part.required else "-  "
        lines.append(f"  {mark} {part.name:<{width}}  {part.detail}")
    missing = [part for part in parts if not part.found]
    if missing:
        lines += ["", "What the missing parts would add:"]
        for part in missing:
            lines.append(f"  {part.name}: {part.adds}")
            if part.install:
                lines.append(f"      {part.install}")
    broken = [part.name for part in missing if part.required]
    lines += ["", f"Surefoot cannot work without {', '.join(broken)}." if broken else "Everything that Surefoot needs is there."]
    return "\n".join(lines)


def _version(distribution: str) -> str:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return ""


def _distributions() -> list[Part]:
    """The distributions that the package's own metadata asks for: those it needs, and those of the extras in ADDS."""
    try:
        asked = importlib.metadata.requires("surefoot") or []
    except importlib.metadata.PackageNotFoundError:
        return [
            Part(
                name="surefoot",
                found=False,
                detail="not installed as a package",
                adds="the list of what it needs",
                install="pip install .",
                required=True,
            )
        ]
    parts = []
    for line in asked:
        wanted = re.fullmatch(r"([\w.-]+)\s*([<>=!~,.\s\d]*)(?:;\s*extra == ['\"](\w+)['\"])?", line)
        if wanted is None or (wanted[3] and wanted[1] not in ADDS):
            continue
        name, extra = wanted[1], wanted[3]
        bound = re.search(r">=\s*([\d.]+)", wanted[2])
        least = bound[1] if bound else ""
        have = _version(name)
        new_enough = bool(have) and _numbers(have) >= _numbers(least)
        parts.append(
            Part(
                name=name,
                found=new_enough,
                detail=(have if new_enough else f"{have}, {least} or newer is needed") if have else "not installed",
                adds=ADDS[name] if extra else "Surefoot needs it",
                install=f"pip install 'surefoot[{extra}]'"
                if extra
                else f"pip install '{name}>={least}'"
                if least
                else f"pip install {name}",
                required=not extra,
            )
        )
    return sorted(parts, key=lambda part: not part.required)


def _numbers(version: str) -> tuple[int, ...]:
    """The leading numbers of a version: "4.0.1rc2" is (4, 0, 1)."""
    found = re.match(r"\d+(?:\.\d+)*", version)
    return tuple(int(n) for n in found[0].split(".")) if found else ()


def _run(command: list[str], **env: str) -> tuple[bool, str]:
    """Whether a short command succeeded, and its last line."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=60, check=False, stdin=subprocess.DEVNULL, env={**os.environ, **env}
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return False, str(error)
    lines = [line.strip() for line in (done.stdout if done.returncode == 0 else done.stderr).splitlines() if line.strip()]
    return done.returncode == 0, lines[-1] if lines else f"ended with {done.returncode}"


def draws(kind: str) -> str:
    """Why a way to draw without a screen ("egl", "osmesa", "native") does not draw, tried in a process of its own; empty where it does."""
    library = {"egl": "EGL", "osmesa": "OSMesa"}.get(kind)
    if library is not None and ctypes.util.find_library(library) is None:
        return f"lib{library} is not installed"
    found, last = _run([sys.executable, "-c", _DRAW], **({"MUJOCO_GL": kind} if library else {}))
    return "" if found else f"{f'lib{library}' if library else 'OpenGL'} is there but draws nothing: {last[:120]}"


def _graphics(kind: str) -> Part:
    """A way to draw without a screen, tried by opening a 64 x 64 image in a process of its own."""
    library, package = {"egl": ("EGL", "libegl1"), "osmesa": ("OSMesa", "libosmesa6")}[kind]
    adds = {
        "egl": "pictures and videos by MuJoCo's own renderer, without a screen (else Surefoot paints them itself, more plainly)",
        "osmesa": "the same without a graphics card, slower; used where EGL is missing",
    }[kind]
    trouble = draws(kind)
    drivers = " libgl1-mesa-dri" if kind == "egl" else ""
    return Part(
        name=f"{library} rendering",
        found=not trouble,
        detail=trouble or "draws",
        adds=adds,
        install=f"apt-get install -y {package}{drivers}",
    )


def _ffmpeg() -> Part:
    place = shutil.which("ffmpeg")
    return Part(
        name="ffmpeg program",
        found=place is not None or bool(_version("imageio-ffmpeg")),
        detail=place or ("the one inside imageio-ffmpeg" if _version("imageio-ffmpeg") else "not on the path"),
        adds="MP4 files, where the package imageio-ffmpeg is not wanted",
        install="apt-get install -y ffmpeg",
    )


def _chromium() -> Part:
    names = ("chromium", "chromium-browser", "google-chrome", "chrome")
    place = next((found for name in names if (found := shutil.which(name))), None)
    return Part(
        name="Chromium",
        found=place is not None,
        detail=place or "not on the path",
        adds="the tests that drive the studio in a real browser; any browser will do for using it",
        install="apt-get install -y chromium",
    )


def _blender() -> Part:
    """Blender's Python module, in this environment or in the one that `make blender` makes."""
    named = os.environ.get("SUREFOOT_BLENDER")
    own = Path(".venv-blender") / "bin" / "python"
    python = named or (str(own) if own.exists() else sys.executable if _version("bpy") else None)
    if python is None:
        found, detail = False, "not installed"
    else:
        found, detail = _run([python, "-c", "import importlib.metadata; print(importlib.metadata.version('bpy'))"])
    return Part(
        name="Blender (bpy)",
        found=found,
        detail=detail,
        adds="the tests in which real Blender judges what we read and write",
        install="make blender",
    )
