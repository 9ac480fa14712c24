"""`surefoot play`."""

from __future__ import annotations

import signal
import threading
from dataclasses import dataclass
from typing import Annotated

from tyro.conf import Positional, arg

from surefoot.cli.flags import Common
from surefoot.cli.output import Output
from surefoot.cli.reading import Keeping, Reading, built_in, must_exist
from surefoot.errors import InputError


@dataclass(frozen=True, kw_only=True)
class Command(Keeping, Reading, Common):
    """The studio in the browser: see a character perform, push it, compare it, take it with you. Ctrl-C or SIGTERM ends it.

    Examples:
      surefoot play walk.surefoot
      surefoot play fox.glb#Run --port 9000
      surefoot play humanoid/walk
    """

    file: Annotated[Positional[str], arg(metavar="FILE")]
    """A bundle, or a motion: FILE, FILE#CLIP, or a built-in one as humanoid/walk."""
    port: Annotated[int | None, arg(metavar="N")] = None
    """Where it listens; 8080, or the first free one after it, when it is not given."""
    host: Annotated[str, arg(metavar="ADDRESS")] = "127.0.0.1"
    """Whom it listens to; anything beyond this machine (0.0.0.0 is everybody) is let in by a token in the address."""

    def run(self) -> None:
        from surefoot.studio import open_show
        from surefoot.studio.studio import Studio

        output = Output(self.json)
        if self.port is not None and not 0 <= self.port <= 65535:
            raise InputError(f"--port {self.port}: ports are 0 to 65535, 0 takes any free one.")
        if not built_in(self.file):
            must_exist(self.file)
        show = open_show(self.file, self.options(), keep_first_frame=self.keep_first_frame)
        for note in show.notes:
            output.note(note)
        ended = threading.Event()
        before = {number: signal.signal(number, lambda *_: ended.set()) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            studio = Studio(show, host=self.host, port=self.port)
            try:
                output.say(f"playing {show.name}: open {studio.address}")
                output.say("Ctrl-C ends it")
                output.result({"address": studio.address, "port": studio.port, "name": show.name, "mode": show.mode})
                while not ended.wait(0.5):
                    pass
            finally:
                studio.close()
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
