"""The studio: one world played on a thread of its own, painted 30 times a second for any number of browsers.

Slow viewers skip what has been replaced meanwhile; nobody waits for them. With no viewer nothing is painted.
"""

from __future__ import annotations

import contextlib
import secrets
import threading
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.errors import one_line
from surefoot.studio.controls import Pushes, TimeLine, careful
from surefoot.studio.guard import Guard, is_loopback
from surefoot.studio.learning import Learning
from surefoot.studio.live import Live, Sight
from surefoot.studio.opening import Opening
from surefoot.studio.plots import Plots
from surefoot.studio.server import guarded_server, quiet
from surefoot.studio.shelf import Shelf
from surefoot.studio.show import Show
from surefoot.studio.stage import Drag, Stage
from surefoot.studio.taking import Taking
from surefoot.studio.view import View, bring_back, resize
from surefoot.studio.world import World

Array = NDArray[np.float64]

PAINT = 1.0 / 30.0
"""Seconds between two pictures."""
TELL = 0.1
"""Seconds between two looks at the widgets."""
BLUE = (31, 95, 153)


class Studio:
    """A show that browsers look at. `close` ends it."""

    def __init__(self, show: Show, *, host: str = "127.0.0.1", port: int | None = None, playing: bool = True) -> None:
        token = "" if is_loopback(host) else secrets.token_urlsafe(18)
        self.guard = Guard(host=host, token=token)
        self.server = guarded_server(self.guard, port, self._refused)
        self.live = Live(show, playing)
        self.shelf = Shelf(show)
        self._ended = threading.Event()
        self._held: dict[int, tuple[str, Array]] = {}  # body and point in its frame, by viewer
        self._furnish()
        self._stage = self._set(self.live.sight)
        self._thread = threading.Thread(target=self._paint, name="studio painter", daemon=True)
        self.server.on_client_disconnect(lambda client: self.live.ask(lambda world: self._let_go(client.client_id, world)))
        self.live.start()
        self._thread.start()

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self.server.get_port())

    @property
    def address(self) -> str:
        """What to open in a browser."""
        host = self.guard.host
        name = "localhost" if host in ("0.0.0.0", "::") else f"[{host}]" if ":" in host else host
        return f"http://{name}:{self.port}/" + (f"?token={self.guard.token}" if self.guard.token else "")

    def close(self) -> None:
        """End the simulation and the server."""
        self._ended.set()
        self.learning.close()
        self.live.stop()
        self._thread.join(timeout=5.0)
        self.shelf.close()
        with quiet():
            self.server.stop()

    def _furnish(self) -> None:
        gui, live = self.server.gui, self.live
        gui.configure_theme(show_logo=False, show_share_button=False, brand_color=BLUE, control_width="medium")
        gui.set_panel_label("Surefoot")
        gui.main_panel.dock_right()
        self.server.scene.world_axes.visible = False
        self._status = gui.add_markdown("")
        self._said = ""
        self._opening = Opening(self.server, live, self.shelf)
        with gui.add_folder("Time"):
            self._time = TimeLine(self.server, live)
        tabs = gui.add_tab_group()
        with tabs.add_tab("Push"):
            self._pushes = Pushes(self.server, live)
            self._view = View(self.server, live)
        self._plots = Plots(self.server, live, tabs.add_tab("Curves"))
        with tabs.add_tab("Learn"):
            self.learning = Learning(self.server, live, self.shelf)
        with tabs.add_tab("Export"):
            self._taking = Taking(self.server, live)
        self._view.back.on_click(careful(lambda event: bring_back(event.client, live.sight.show.character, self._stage.root)))

    def _set(self, sight: Sight) -> Stage:
        return Stage(self.server, sight.show.character, sight.model, self._grab)

    def _paint(self) -> None:
        painted: Any = None
        generation, told = self.live.sight.generation, 0.0
        while not self._ended.is_set():
            began = time.perf_counter()
            sight = self.live.sight
            if sight.generation != generation:
                self._stage.remove()
                before = self._stage.extent
                self._stage, generation, painted = self._set(sight), sight.generation, None
                if before != self._stage.extent:
                    resize(self.server, self._stage.extent / before)
            self._stage.follow, self._stage.ghost = self._view.follow, self._view.ghost
            look = (sight.frame, self._stage.follow, self._stage.ghost)
            watched = bool(self.server.get_clients()) or painted is None
            if watched and (painted is None or any(a is not b for a, b in zip(look, painted, strict=True))):
                self._stage.show(sight.frame, sight.layout)
                painted = look
            if began - told >= TELL:
                self.learning.refresh(sight)
                if watched:
                    self._tell(sight)
                told = began
            self._ended.wait(max(PAINT - (time.perf_counter() - began), 0.001))

    def _tell(self, sight: Sight) -> None:
        self._time.refresh(sight)
        self._pushes.refresh(sight)
        self._opening.refresh(sight)
        self._plots.refresh(sight, time.perf_counter())
        self._taking.refresh(sight)
        self._view.refresh(sight, self._stage.side)
        said = told(sight)
        if said != self._said:
            self._status.content = self._said = said

    def _grab(self, drag: Drag) -> None:
        """Somebody drags a body: hold it where it was taken and pull it to the hand."""

        def request(world: World) -> None:
            if drag.phase == "end":
                self._let_go(drag.who, world)
                return
            held = self._held.get(drag.who)
            if drag.phase == "start" or held is None or held[0] != drag.body:
                held = self._held[drag.who] = drag.body, world.local(drag.body, drag.taken)
            world.pull(*held, drag.hand, along=drag.along, who=drag.who)

        if drag.phase != "end" and not self.live.sight.playing:
            self.live.play(True)
        self.live.ask(request)

    def _let_go(self, who: int, world: World) -> None:
        self._held.pop(who, None)
        world.release(who)

    def _refused(self, client: int, why: str) -> None:
        """Tell the person who handed in something that is not taken."""
        found = self.server.get_clients().get(client)
        if found is not None:
            with contextlib.suppress(Exception):  # whoever is gone need not know
                found.add_notification("Not taken", why, color="red", auto_close_seconds=12.0)


def told(sight: Sight) -> str:
    """The state of things in Markdown: three lines as a rule, so that what stands below does not jump."""
    what = "simulated" if sight.mode == "simulate" else sight.show.what or "the clip itself"
    pace = "Paused" if not sight.playing else "Real time" if sight.factor is None else f"Real time × {sight.factor * sight.speed:.2f}"
    lines = [f"**{_plain(sight.show.name)}** — {what}", _plain(sight.complaint) or pace]
    if sight.error:
        lines.append(f"**Not done:** {_plain(sight.error)}")
    elif sight.frame.fallen:
        lines.append(f"**Fell:** {_plain(sight.frame.fallen)}")
    else:
        lines.append("On its feet" if sight.mode == "simulate" else "Without physics; a push brings it in")
    return "\n\n".join(lines)


def _plain(text: str) -> str:
    """Text from files as it stands, without a meaning in Markdown."""
    return "".join(f"\\{c}" if c in "\\`*_{}[]<>#|~!" else c for c in one_line(text, 300))
