"""`surefoot inspect`."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Protocol

from tyro.conf import Positional, arg

from surefoot.cli.flags import Common
from surefoot.cli.output import Output, check_out
from surefoot.cli.reading import Casting, Keeping, Reading, built_in, must_exist, tell_other_clips
from surefoot.errors import InputError
from surefoot.motion.files import ReadOptions, locate

KINDS: dict[str, str] = {
    ".xml": "surefoot.character.report:report",
    ".surefoot": "surefoot.bundle.report:report",
}
"""What describes a file, by its suffix, as "module:function"; a motion's report describes all others."""

MOTION = "surefoot.motion.report:report"


class Report(Protocol):
    """What a description can do."""

    def text(self) -> str: ...
    def to_json(self) -> dict[str, Any]: ...


@dataclass(frozen=True, kw_only=True)
class Command(Casting, Keeping, Reading, Common):
    """What is in a motion, a character or a bundle, in words: clips, joints, size, travel, contacts, what was guessed and what looks wrong.

    Examples:
      surefoot inspect walk.bvh
      surefoot inspect fox.glb#Run --json -
      surefoot inspect walk.bvh --unit inch --up Z
      surefoot inspect humanoid
      surefoot inspect walk.surefoot
      surefoot inspect walk.surefoot --plot gains.png
    """

    file: Annotated[Positional[str], arg(metavar="FILE")]
    """A motion (FILE or FILE#CLIP), a character (.xml), a bundle (.surefoot), or what is built in: humanoid, humanoid/walk."""
    plot: Annotated[Path | None, arg(metavar="FILE.png")] = None
    """A heat map of a skill's feedback: which feature turns which joint at which phase."""

    def run(self) -> None:
        output = Output(self.json)
        if self.plot is not None:
            check_out(self.plot, (".png",), "a picture", flag="--plot")
        report = describe(self.file, self.options(), self.trust_files)
        facts = report.to_json()
        clips = [clip["name"] for clip in facts["clips"]]
        if facts.get("clip") and locate(self.file, self.options())[1].clip is None:
            tell_other_clips(facts["clip"], [name for name in clips if name != facts["clip"]], output)
        output.say(report.text())
        if self.plot is not None:
            if not hasattr(report, "plot"):
                raise InputError(f"--plot: {Path(self.file).name} is no bundle; only what was learned has gains to plot.")
            report.plot(self.plot)
            output.say(f"wrote {self.plot}")
        output.result(facts)


def describe(name: str, options: ReadOptions, trust_files: bool = False) -> Report:
    """The report on a file or on something built in."""
    from surefoot.character import builtin

    if built_in(name):
        from surefoot import material

        return _function(MOTION)(material.motion(name), options)
    if name in builtin.names() and not Path(name).exists():
        return _function(KINDS[".xml"])(builtin.builtin(name))
    must_exist(name)
    if trust_files and Path(name).suffix.lower() == ".xml":
        from surefoot.character.load import load_character

        return _function(KINDS[".xml"])(load_character(name, trust_files=True))
    place = KINDS.get(Path(name).suffix.lower())
    return _function(place)(name) if place else _function(MOTION)(name, options)


def _function(place: str) -> Callable[..., Report]:
    module, _, function = place.partition(":")
    found: Callable[..., Report] = getattr(importlib.import_module(module), function)
    return found
