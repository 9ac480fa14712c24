"""Buttons that hand out files: BVH, GLB, MP4, a bundle, and a page that plays without Python."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from surefoot.errors import InputError
from surefoot.studio.controls import careful, notify
from surefoot.studio.live import Live, Sight
from surefoot.studio.record import page
from surefoot.studio.take import SUFFIX, Played, file_of
from surefoot.studio.world import FRAME, KEPT, Frame, World

if TYPE_CHECKING:
    import viser

WHAT = {
    "simulate": "What was just played in physics, since it last began (up to a minute):",
    "replay": "The clip that is on stage:",
}
ROWS = (("BVH", "GLB"), ("MP4", "Bundle"), ("Web page",))
HINTS = {
    "BVH": "Back to any animation program",
    "GLB": "With the source's mesh where it had one",
    "MP4": "A film; drawing it takes a while",
    "Bundle": "For surefoot play, export and evaluate",
    "Web page": "One file that plays in any browser, without Python or network",
}


class Taking:
    """The export panel."""

    def __init__(self, server: viser.ViserServer, live: Live) -> None:
        gui = server.gui
        self._live = live
        self._busy = threading.Lock()
        self._mode = ""
        self._what = gui.add_markdown("")
        for row in ROWS:
            for kind in row:
                button = gui.add_button(f"{kind} ({SUFFIX[kind]})", hint=HINTS[kind])
                button.on_click(careful(self._handing(kind), "Not written"))

    def refresh(self, sight: Sight) -> None:
        """Say what is taken."""
        if sight.mode != self._mode:
            self._mode = sight.mode
            self._what.content = WHAT[sight.mode]

    def _handing(self, kind: str) -> Any:
        def hand_out(event: Any) -> None:
            if not self._busy.acquire(blocking=False):
                raise InputError("a file is being written already; wait for it.")
            try:
                if kind == "MP4":
                    notify(
                        event.client, "Drawing the film", "It is downloaded when it is done; the studio goes on meanwhile.", color="blue"
                    )
                name, data = self.written(kind)
                event.client.send_file_download(name, data, save_immediately=True)
            finally:
                self._busy.release()

        return hand_out

    def written(self, kind: str) -> tuple[str, bytes]:
        """The name and the bytes of a file."""
        kept: list[tuple[Frame, ...]] = []
        self._live.ask(lambda world: kept.append(world.taken()), wait=10.0)
        sight = self._live.sight
        if not kept:
            raise InputError("the simulation does not answer; try again.")
        frames = kept[0] if sight.mode == "simulate" else ()
        if sight.mode == "simulate" and len(frames) < 2:
            raise InputError("nothing has been played since it began; let it play for a moment.")
        played = Played(show=sight.show, frames=frames, qpos=sight.layout.qpos)
        if kind == "Web page":
            return f"{played.file}.html", page(sight, frames or replayed(sight)).encode()
        return f"{played.file}{SUFFIX[kind]}", file_of(played, kind)


def replayed(sight: Sight) -> tuple[Frame, ...]:
    """Frames of a replay from its beginning to its end."""
    world = World(sight.show, "replay")
    world.loop = False
    frames = [world.frame]
    while world.time < sight.show.reference.duration and len(frames) * FRAME < KEPT:
        world.advance(FRAME)
        frames.append(world.frame)
    return tuple(frames)
