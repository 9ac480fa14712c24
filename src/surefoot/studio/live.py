"""A world played by the clock on a thread of its own, whoever looks on.

Requests are carried out between two ticks; what there is to see is handed over as one immutable frame.
"""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

import mujoco

from surefoot.errors import SurefootError, one_line
from surefoot.physics.layout import Layout
from surefoot.studio.pace import Pace
from surefoot.studio.show import Show
from surefoot.studio.world import Frame, World

TICK = 1.0 / 60.0
"""Seconds between two looks at the clock."""
PART = 1.0 / 60.0
"""Seconds simulated at once, at most: requests wait no longer than these take."""

Request = Callable[[World], None]


@dataclass(frozen=True, eq=False, kw_only=True)
class Sight:
    """What there is to see now."""

    frame: Frame
    show: Show
    mode: str
    playing: bool
    speed: float
    loop: bool
    span: tuple[float, float]
    factor: float | None
    """Simulated time over the time asked for, lately."""
    load: float
    """Seconds of work for a simulated second."""
    complaint: str
    """A sentence when the machine does not keep up."""
    error: str
    """The last request that failed, in one line."""
    generation: int
    """Counts the bodies and scenes that were put on."""
    model: mujoco.MjModel
    """Of the world: the character in its scene, with balls."""
    layout: Layout
    """Of the rows of frames."""
    past: tuple[Frame, ...] = ()
    """The frames that are kept of a simulation."""


class Live:
    """The thread that plays. All methods may be called from anywhere."""

    def __init__(self, show: Show, playing: bool = True) -> None:
        self._requests: queue.SimpleQueue[tuple[Request, threading.Event | None]] = queue.SimpleQueue()
        self._world = World(show)
        self._pace = Pace()
        self._playing = playing
        self._error = ""
        self._generation = 0
        self._ended = threading.Event()
        self._sight = self._look()
        self._thread = threading.Thread(target=self._run, name="studio simulation", daemon=True)

    @property
    def sight(self) -> Sight:
        """What there is to see now."""
        return self._sight

    def start(self) -> None:
        """Begin to play."""
        self._thread.start()

    def stop(self) -> None:
        """End the thread."""
        self._ended.set()
        if self._thread.is_alive():
            self._thread.join(timeout=5.0)

    def ask(self, request: Request, wait: float | None = None) -> None:
        """Have something done to the world between two ticks; `wait` for it at most so many seconds."""
        done = threading.Event() if wait is not None else None
        self._requests.put((request, done))
        if done is not None:
            done.wait(wait)

    def play(self, on: bool) -> None:
        """Play or pause."""

        def request(world: World) -> None:
            self._playing = on
            self._pace.rest()

        self.ask(request)

    def set_speed(self, speed: float) -> None:
        """Simulated seconds for each real one."""
        self.ask(lambda world: self._pace.set_speed(min(max(speed, 0.05), 4.0), time.perf_counter()))

    def set_loop(self, on: bool) -> None:
        """Begin again at the end, or hold the last pose."""

        def request(world: World) -> None:
            world.loop = on

        self.ask(request)

    def scrub(self, moment: float) -> None:
        """Pause and show a moment."""

        def request(world: World) -> None:
            self._playing = False
            world.scrub(moment)

        self.ask(request)

    def step(self) -> None:
        """Pause and go one frame further."""

        def request(world: World) -> None:
            self._playing = False
            world.step()

        self.ask(request)

    def put_on(self, show: Show, *, go_on: bool = False) -> None:
        """Another show; `go_on` is for a better version of the same, which is taken up where the first one is."""
        made = World(show)

        def request(world: World) -> None:
            made.loop = world.loop
            if go_on:
                made.scrub(world.time)
            self._world, self._playing, self._error = made, self._playing or not go_on, ""
            if show.character is not world.show.character or show.scene != world.show.scene:
                self._generation += 1
            self._pace.rest()

        self.ask(request, wait=5.0)

    def _run(self) -> None:
        while not self._ended.is_set():
            began = time.perf_counter()
            self._carry_out()
            if self._playing:
                try:
                    self._go_on(began)
                except Exception as error:  # a policy may be anybody's
                    self._playing, self._error = False, _said(error)
            self._sight = self._look()
            left = TICK - (time.perf_counter() - began)
            if left > 0.0:
                self._ended.wait(left)

    def _go_on(self, now: float) -> None:
        owed = self._pace.owed(now)
        spent_until = now + 2.0 * TICK
        while owed >= self._world.player.engine.timestep and self._requests.empty():
            part = min(owed, PART)
            began = time.perf_counter()
            self._world.advance(part)
            ended = time.perf_counter()
            self._pace.did(part, ended - began, ended)
            owed -= part
            if ended > spent_until:
                break

    def _carry_out(self) -> None:
        with contextlib.suppress(queue.Empty):
            while True:
                request, done = self._requests.get_nowait()
                try:
                    request(self._world)
                    self._error = ""
                except Exception as error:
                    self._error = _said(error)
                finally:
                    if done is not None:
                        self._sight = self._look()
                        done.set()

    def _look(self) -> Sight:
        world, pace = self._world, self._pace
        return Sight(
            frame=world.frame,
            show=world.show,
            mode=world.mode,
            playing=self._playing,
            speed=pace.speed,
            loop=world.loop,
            span=world.span,
            factor=pace.factor if self._playing else None,
            load=pace.load,
            complaint=pace.complaint if self._playing else "",
            error=self._error,
            generation=self._generation,
            model=world.player.engine.model,
            layout=world.player.engine.layout,
            past=world.past() if world.mode == "simulate" else (),
        )


def _said(error: Exception) -> str:
    """An error as one line."""
    return str(error) if isinstance(error, SurefootError) else one_line(f"a fault ({type(error).__name__}: {error})", 200)
