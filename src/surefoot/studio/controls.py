"""What a person plays with: the time line, pushes, and what is seen. Each class is one folder of the page.

Widgets are shared: what one viewer sets, all see. A widget that we write ourselves calls back without a client, and is not listened to.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from surefoot.errors import SurefootError, one_line
from surefoot.studio.live import Live, Sight

if TYPE_CHECKING:
    import viser

SPEEDS = {"¼×": 0.25, "½×": 0.5, "1×": 1.0, "2×": 2.0}
WAYS = {"Ahead": ("↖", "↑", "↗"), "Aside": ("←", "→"), "Back": ("↙", "↓", "↘")}
"""The eight standard pushes, as one looks at them from behind the character."""
ANGLES = {"↑": 0.0, "↖": 45.0, "←": 90.0, "↙": 135.0, "↓": 180.0, "↘": 225.0, "→": 270.0, "↗": 315.0}
"""Degrees anticlockwise from where it faces."""
GENTLE, HARD = 2.0, 12.0
"""Newtons for each kilogram: the strength that a push begins with, and the most."""


def by_person(act: Callable[[Any], None]) -> Callable[[Any], None]:
    """A callback that answers what people do, not what we write."""

    def called(event: Any) -> None:
        if event.client is not None:
            act(event)

    return called


def careful(act: Callable[[Any], None], title: str = "Not done") -> Callable[[Any], None]:
    """A callback whose errors are told to the person who asked."""

    def called(event: Any) -> None:
        try:
            act(event)
        except SurefootError as error:
            notify(event.client, title, str(error))
        except Exception as error:
            notify(event.client, title, one_line(f"a fault of our own ({type(error).__name__}: {error})", 200))

    return called


def notify(client: Any, title: str, text: str, color: str = "red") -> None:
    """A note on one person's page."""
    if client is not None:
        with contextlib.suppress(Exception):  # whoever is gone need not know
            client.add_notification(title, text, color=color, auto_close_seconds=15.0)


class TimeLine:
    """Play, pause, step, begin again; where we are; how fast."""

    def __init__(self, server: viser.ViserServer, live: Live) -> None:
        gui = server.gui
        self._live = live
        self._play = gui.add_button("Pause", hint="Play or pause")
        self._steps = gui.add_button_group("", ("Step", "Begin again"))
        self._line = gui.add_slider("Time [s]", 0.0, 1.0, 0.01, 0.0)
        self._speed = gui.add_dropdown("Speed", tuple(SPEEDS), initial_value="1×")
        self._loop = gui.add_checkbox("Loop", True, hint="Begin again at the end")
        self._shown: tuple[Any, ...] = ()
        self._play.on_click(lambda _: live.play(not live.sight.playing))
        self._steps.on_click(lambda event: live.step() if event.target.value == "Step" else live.ask(lambda world: world.stand()))
        self._line.on_update(by_person(lambda event: live.scrub(float(event.target.value))))
        self._speed.on_update(by_person(lambda event: live.set_speed(SPEEDS[event.target.value])))
        self._loop.on_update(by_person(lambda event: live.set_loop(bool(event.target.value))))

    def refresh(self, sight: Sight) -> None:
        """Show where we are."""
        first, last = sight.span[0], max(sight.span[1], sight.span[0] + 0.01)
        at = round(float(np.clip(sight.frame.time, first, last)), 2)
        now = (round(first, 2), round(last, 2), at, sight.playing)
        if now == self._shown:
            return
        before, self._shown = self._shown or (None, None, None, None), now
        if before[:2] != now[:2]:
            self._line.min, self._line.max = now[0], max(now[1], now[0] + 0.01)
        if sight.playing or before[2] is None or abs(float(self._line.value) - at) > 0.02:
            self._line.value = at
        if before[3] != now[3]:
            self._play.label = "Pause" if sight.playing else "Play"


class Pushes:
    """Eight directions, a strength, a ball, and back on its feet."""

    def __init__(self, server: viser.ViserServer, live: Live) -> None:
        gui = server.gui
        mass = live.sight.show.character.mass
        self._mass = mass
        gui.add_markdown("Drag a body with the mouse, or push it:")
        self._strength = gui.add_slider("Strength [N]", *_range(mass), initial_value=_nice(GENTLE * mass))
        for name, row in WAYS.items():
            group = gui.add_button_group(name, row, hint="As seen from behind the character")
            group.on_click(lambda event: self._push(live, str(event.target.value)))
        self._others = gui.add_button_group("", ("Throw a ball", "Stand up again"))
        self._others.on_click(lambda event: self._other(live, str(event.target.value)))

    def refresh(self, sight: Sight) -> None:
        """Fit the strengths to who is pushed."""
        mass = sight.show.character.mass
        if mass != self._mass:
            self._mass = mass
            self._strength.min, self._strength.max, self._strength.step = _range(mass)
            self._strength.value = _nice(GENTLE * mass)

    def _push(self, live: Live, way: str) -> None:
        newtons = float(self._strength.value)
        live.play(True)
        live.ask(lambda world: world.push(ANGLES[way], newtons))

    def _other(self, live: Live, what: str) -> None:
        live.play(True)
        live.ask(lambda world: world.throw() if what == "Throw a ball" else world.stand())


def _nice(value: float) -> float:
    """A round number near a value."""
    ten = 10.0 ** np.floor(np.log10(max(value, 1e-9)))
    return float(ten * min((1.0, 2.0, 5.0, 10.0), key=lambda digit: abs(digit * ten - value)))


def _range(mass: float) -> tuple[float, float, float]:
    """Least, most and step of a push's strength [N]."""
    most = _nice(HARD * mass)
    return 0.0, most, most / 100.0
