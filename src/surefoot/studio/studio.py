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
from surefoot.studio.controls import Pushes, TimeLine, by_person
from surefoot.studio.guard import Guard, is_loopback
from surefoot.studio.learning import Learning
from surefoot.studio.live import Live, Sight
from surefoot.studio.opening import Opening
from surefoot.studio.plots import Plots
from surefoot.studio.server import guarded_server, quiet
from surefoot.studio.shelf import Shelf
from surefoot.studio.show import Show
from surefoot.studio.stage import Stage
from surefoot.studio.taking import Taking
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
        self._held: tuple[str, Array] | None = None
        self._furnish()
        self._stage = self._set(self.live.sight)
        self._thread = threading.Thread(target=self._paint, name="studio painter", daemon=True)
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
            with gui.add_folder("View"):
                self._mode = gui.add_dropdown("Play", ("in physics", "the clip itself"), hint="Simulated, or the reference's own poses")
                self._ghost = gui.add_checkbox("Ghost of the reference", True)
                self._follow = gui.add_checkbox("Camera follows", True)
                self._shadows = gui.add_checkbox("Shadows", True)
        self._plots = Plots(self.server, live, tabs.add_tab("Curves"))
        with tabs.add_tab("Learn"):
            self.learning = Learning(self.server, live, self.shelf)
        with tabs.add_tab("Export"):
            self._taking = Taking(self.server, live)
        self._mode.on_update(by_person(lambda event: self._set_mode(event.target.value == "in physics")))
        self._shadows.on_update(by_person(lambda event: self._light(bool(event.target.value))))
        self._light(True)

    def _light(self, shadows: bool) -> None:
        self.server.scene.configure_default_lights(enabled=True, cast_shadow=shadows)

    def _set_mode(self, physics: bool) -> None:
        self.live.ask(lambda world: world.set_mode("simulate" if physics else "replay"))
        self.live.play(True)

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
                self._stage, generation, painted = self._set(sight), sight.generation, None
            self._stage.follow, self._stage.ghost = bool(self._follow.value), bool(self._ghost.value)
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
        mode = "in physics" if sight.mode == "simulate" else "the clip itself"
        if self._mode.value != mode:
            self._mode.value = mode
        said = told(sight)
        if said != self._said:
            self._status.content = self._said = said

    def _grab(self, phase: str, body: str, taken: Array, hand: Array) -> None:
        """Somebody drags a body: hold it where it was taken and pull it to the hand."""

        def request(world: World) -> None:
            if phase == "end":
                self._held = None
                world.release()
                return
            if phase == "start" or self._held is None or self._held[0] != body:
                self._held = body, world.local(body, taken)
            world.pull(body, self._held[1], hand)

        if phase != "end" and not self.live.sight.playing:
            self.live.play(True)
        self.live.ask(request)

    def _refused(self, client: int, why: str) -> None:
        """Tell the person who handed in something that is not taken."""
        found = self.server.get_clients().get(client)
        if found is not None:
            with contextlib.suppress(Exception):  # whoever is gone need not know
                found.add_notification("Not taken", why, color="red", auto_close_seconds=12.0)


def told(sight: Sight) -> str:
    """The state of things in a few lines of Markdown."""
    mode = "simulated" if sight.mode == "simulate" else "the clip itself, without physics"
    lines = [f"**{_plain(sight.show.name)}** — {mode}"]
    if sight.frame.fallen:
        lines.append(f"**Fell:** {_plain(sight.frame.fallen)}. *Stand up again* puts it back.")
    if sight.complaint:
        lines.append(_plain(sight.complaint))
    elif sight.factor is not None:
        lines.append(f"Real time × {sight.factor * sight.speed:.2f}")
    if sight.error:
        lines.append(f"**Not done:** {_plain(sight.error)}")
    return "\n\n".join(lines)


def _plain(text: str) -> str:
    """Text from files as it stands, without a meaning in Markdown."""
    return "".join(f"\\{c}" if c in "\\`*_{}[]<>#|~!" else c for c in one_line(text, 300))
