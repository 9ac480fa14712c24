"""The last seconds as curves: tracking error, cost, torques and offsets of a chosen joint, contact forces.

Curves end at the moment that is shown, so a look back at the past has its own. Nothing is measured while nobody looks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from surefoot.physics.servos import servos
from surefoot.reconstruct.cost import TERMS
from surefoot.studio.live import Live, Sight
from surefoot.studio.meters import Meters
from surefoot.studio.show import Show

if TYPE_CHECKING:
    import viser

Array = NDArray[np.float64]

WINDOW = 6.0
"""Seconds that are shown."""
EVERY = 0.25
"""Seconds between two drawings."""
HEIGHT = 150
"""Of a chart [pixels]."""
COLOURS = ("#1f5f99", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#8c564b", "#17becf", "#7f7f7f")
AXES = ("about x", "about y", "about z")
NOTHING = "Curves belong to a simulation: push it, or choose *in physics*."


class Chart:
    """One chart: curves over time, by name."""

    def __init__(self, gui: Any, title: str, names: tuple[str, ...]) -> None:
        grid, font = {"stroke": "#e4e7eb", "width": 1}, "10px sans-serif"
        axis = {"grid": grid, "ticks": {"show": False}, "font": font, "stroke": "#666"}
        self._handle = gui.add_uplot(
            (np.zeros(1), *(np.zeros(1) for _ in names)),
            series(names),
            title=title,
            scales={"x": {"time": False}, "y": {"auto": True}},
            axes=({**axis, "size": 22}, {**axis, "size": 44}),
            legend={"show": True, "live": False},
            cursor={"show": False},
            height=HEIGHT,
            padding=(4, 8, 0, 0),
        )

    def draw(self, times: Array, values: Array) -> None:
        """Curves (M, n) at times (M,)."""
        columns = (np.ascontiguousarray(values[:, k]) for k in range(values.shape[1]))
        self._handle.data = (times, *columns)

    def rename(self, names: tuple[str, ...]) -> None:
        """Other names for the curves, as many as are drawn next."""
        self._handle.series = series(names)


class Plots:
    """The charts of what is on stage."""

    def __init__(self, server: viser.ViserServer, live: Live, container: Any) -> None:
        self._server, self._live, self._container = server, live, container
        with container:
            self._on = server.gui.add_checkbox("Draw curves", False, hint="Costs every viewer's browser a little; switch it off when done")
            self._note = server.gui.add_markdown(NOTHING)
        self._drawn: Any = None
        self._generation = -1
        self._show: Show
        self._meters: Meters
        self._inside: Any
        self._joint: Any
        self._charts: dict[str, Chart] = {}
        self._at = 0.0
        self._furnish(live.sight)

    def refresh(self, sight: Sight, now: float) -> None:
        """Draw what is new."""
        if sight.generation != self._generation:
            self._inside.remove()
            self._furnish(sight)
        elif sight.show is not self._show:
            self._show, self._meters = sight.show, Meters(sight.show, sight.model, sight.layout)
        wanted, on = sight.mode == "simulate", bool(self._on.value)
        if self._inside.visible != on:
            self._inside.visible = on
        if self._note.visible == wanted:
            self._note.visible = not wanted
        look = (sight.frame, self._joint.value)
        if not on or not wanted or now - self._at < EVERY or (self._drawn is not None and _same(look, self._drawn)):
            return
        self._at, self._drawn = now, look
        self._draw(sight)

    def _furnish(self, sight: Sight) -> None:
        """Charts for who is on stage."""
        gui, character = self._server.gui, sight.show.character
        self._generation = sight.generation
        self._show, self._meters = sight.show, Meters(sight.show, sight.model, sight.layout)
        self._columns: dict[str, list[int]] = {}
        for k, name in enumerate(servos(character).names):
            self._columns.setdefault(name, []).append(k)
        with self._container:
            self._inside = gui.add_folder(None, visible=bool(self._on.value))
        with self._inside:
            chart = {
                "error": Chart(gui, "Tracking error [mm]", ("joints", "root's height")),
                "terms": Chart(gui, "Terms of the cost", TERMS),
                "contact": Chart(gui, "Contact forces [N]", (*self._meters.feet, "the rest")),
            }
            joints = tuple(self._columns)
            knees = [name for name in joints if "knee" in name.lower()]
            self._joint = gui.add_dropdown("Joint", joints, initial_value=(knees or list(joints))[0])
            chart["torque"] = Chart(gui, "Torques of the joint [N m]", AXES)
            chart["offset"] = Chart(gui, "Action offsets of the joint [°]", AXES)
        self._charts = chart
        self._axes = len(AXES)

    def _draw(self, sight: Sight) -> None:
        end = sight.frame.time
        begin = end - WINDOW
        frames = [frame for frame in sight.past if begin <= frame.time <= end + 1e-9]
        read = self._meters.read(frames)
        if len(read["time"]) < 2:
            return
        mine = self._columns[self._joint.value]
        with self._server.atomic():
            if len(mine) != self._axes:
                self._axes = len(mine)
                for name in ("torque", "offset"):
                    self._charts[name].rename(AXES if len(mine) == len(AXES) else ("about its axis",))
            for name in ("error", "terms", "contact"):
                self._charts[name].draw(read["time"], read[name])
            self._charts["torque"].draw(read["time"], read["torque"][:, mine])
            self._charts["offset"].draw(read["time"], np.degrees(read["offset"][:, mine]))


def series(names: tuple[str, ...]) -> tuple[dict[str, Any], ...]:
    """uPlot's description of curves; the first is time."""
    lines = ({"label": name, "stroke": COLOURS[k % len(COLOURS)], "width": 1.5} for k, name in enumerate(names))
    return ({"label": "s"}, *lines)


def _same(a: tuple[Any, ...], b: tuple[Any, ...]) -> bool:
    return all(x is y or x == y for x, y in zip(a, b, strict=True))
