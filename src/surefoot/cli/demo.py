"""`surefoot demo`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from tyro.conf import arg

from surefoot.cli.flags import Common
from surefoot.cli.output import Output


@dataclass(frozen=True, kw_only=True)
class Command(Common):
    """The main job on built-in material: rigged from a clip's skeleton, simulated, judged, pictured.

    Examples:
      surefoot demo
      surefoot demo --out demo.png
    """

    out: Annotated[Path, arg(metavar="FILE.png")] = Path("out/demo.png")
    """Where the picture goes; its folder is made."""

    def run(self) -> None:
        from surefoot.demo import demo

        output = Output(self.json)
        output.result(demo(self.out, output.say))
