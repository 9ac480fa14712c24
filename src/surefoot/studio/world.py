"""What is on stage and how it moves, without threads or a browser.

    replay     the reference's poses by the clock: no physics
    simulate   a player steps the character under its policy; pushes, balls and falls happen here

A world is told to go on by a number of seconds, keeps the last minute of what it showed, and can show any of it again.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.errors import InputError
from surefoot.motion import quaternion
from surefoot.physics.push import trunk
from surefoot.play.player import Player
from surefoot.studio.forces import Arrow, Pull, Trace, spring
from surefoot.studio.show import Show

Array = NDArray[np.float64]
Mode = Literal["replay", "simulate"]

FRAME = 1.0 / 30.0
"""Seconds between two frames that are kept."""
KEPT = 60.0
"""Seconds of the past that can be looked at again."""
PUSH = 0.2
"""Seconds that a standard push lasts."""
SHOWN = 0.6
"""Seconds for which the arrow of a push is seen."""
AFTER = 1.0
"""Seconds for which a performance that ended is held before it begins again."""
BALLS = 3


@dataclass(frozen=True, eq=False, kw_only=True)
class Frame:
    """One moment as it is shown."""

    time: float
    """On the time line [s]."""
    place: float
    """In the clip [s]."""
    row: Array  # (S,)
    """The state of the world."""
    ghost: Array | None  # (nq,)
    arrows: tuple[Arrow, ...] = ()
    fallen: str = ""
    take: int = 0
    """Counts the beginnings: frames of one take follow one another."""


class World:
    """One show being played."""

    def __init__(self, show: Show, mode: Mode | None = None) -> None:
        self.show = show
        self.loop = True
        self.mode: Mode = mode or show.mode
        self._player = self._made(0.0)
        self._place = 0.0
        self._begun = 0.0
        self._entered = 0.0  # where in the clip physics took over
        self._shift = 0.0  # time line at the player's zero
        self._take = 0
        self._rest = 0.0
        self._past: deque[Frame] = deque(maxlen=round(KEPT / FRAME) + 1)
        self._looking: int | None = None
        self._pulls: dict[int, Pull] = {}  # by whose hand it is
        self._traces: list[Trace] = []
        self.frame = self._seen()
        self._past.append(self.frame)

    @property
    def player(self) -> Player:
        """Who steps the simulation; in a replay it lends its model alone."""
        return self._player

    @property
    def time(self) -> float:
        """Now, on the time line [s]."""
        return self._place if self.mode == "replay" else self._shift + self._player.time

    @property
    def span(self) -> tuple[float, float]:
        """The times that can be looked at: the clip in a replay, the kept past of a simulation."""
        if self.mode == "replay":
            return 0.0, self.show.reference.duration
        return self._past[0].time, max(self._past[-1].time, self._past[0].time)

    @property
    def fallen(self) -> str:
        """In what way the character has fallen; empty while it is on its feet."""
        return "" if self.mode == "replay" else "; ".join(self._player.fallen.values())

    def advance(self, seconds: float) -> None:
        """Go on."""
        self._looking = None
        if self.mode == "replay":
            self._replay(seconds)
        else:
            self._simulate(seconds)
        self.frame = self._seen()
        if self.mode == "simulate" and self.frame.time > self._past[-1].time + FRAME - self._player.engine.timestep:
            self._past.append(self.frame)
            while self._past[0].time < self.frame.time - KEPT:
                self._past.popleft()

    def step(self) -> None:
        """One frame further: the next one of the past, or a new one."""
        if self._looking is not None and self._looking + 1 < len(self._past):
            self._look(self._looking + 1)
        else:
            self.advance(FRAME)

    def scrub(self, time: float) -> None:
        """Show the moment nearest to `time`: a replay goes on from there, a simulation from its present."""
        time = float(np.clip(time, *self.span))
        if self.mode == "replay":
            self._place = time
            self.frame = self._seen()
            return
        times = [frame.time for frame in self._past]
        n = min(bisect_left(times, time), len(times) - 1)
        self._look(n - 1 if n > 0 and time - times[n - 1] < times[n] - time else n)

    def set_mode(self, mode: Mode) -> None:
        """Replay or simulate, from the place in the clip where we are."""
        if mode == self.mode:
            return
        place = self._place_in_clip()
        self.mode = mode
        self._place = min(place, self.show.reference.duration)
        if mode == "simulate":
            self._player = self._made(self._place)
            self._entered, self._begun, self._shift, self._rest = self._place, -self._place, 0.0, 0.0
            self._take += 1
        self._looking = None
        self._pulls.clear()
        self._traces.clear()
        self.frame = self._seen()
        self._past.clear()
        self._past.append(self.frame)

    def stand(self) -> None:
        """Everybody back to the beginning, on their feet."""
        if self.mode == "replay":
            self._place = 0.0
        else:
            self._again()
        self.advance(0.0)

    def push(self, angle: float, newtons: float, duration: float = PUSH) -> None:
        """Push the trunk's centre of mass along the floor, `angle` degrees anticlockwise from where the character faces."""
        self.set_mode("simulate")
        facing = self.facing + np.radians(angle)
        force = newtons * np.array([np.cos(facing), np.sin(facing), 0.0])
        body = trunk(self.show.character)
        self._player.push(force, duration=duration)
        self._trace(Trace(until=self._player.time + max(duration, SHOWN), body=body, point=self._center(body), force=force, pulls=False))

    def throw(self, speed: float = 8.0) -> None:
        """Throw a ball at the trunk, from ahead and to the left."""
        self.set_mode("simulate")
        way = self.facing + np.radians(35.0)
        size = self.show.character.height
        self._player.throw(start=(1.6 * size * np.cos(way), 1.6 * size * np.sin(way), 0.9 * size), speed=speed)

    def pull(self, body: str, point: ArrayLike, hand: ArrayLike, *, along: bool = False, who: int = 0) -> None:
        """Hold a body by a point in its frame and pull it towards a hand in the world, until `release`.

        `along` has the hand measured from below the root, with which it goes. Several people may pull, each with one hand.
        """
        self.show.character.body(body)
        point, hand = (np.asarray(v, dtype=float).reshape(3) for v in (point, hand))
        if not (np.isfinite(point).all() and np.isfinite(hand).all()):
            raise InputError("a pull needs finite points.")
        self.set_mode("simulate")
        self._pulls[who] = Pull(body=body, point=point, hand=hand, along=along)

    def release(self, who: int = 0) -> None:
        """Let go."""
        self._pulls.pop(who, None)

    @property
    def facing(self) -> float:
        """The way the character faces, anticlockwise from x [rad]."""
        character = self.show.character
        ahead = quaternion.rotate(self._pose()[3:7], character.forward)
        return float(np.arctan2(ahead[1], ahead[0]))

    def transform(self, body: str) -> tuple[Array, Array]:
        """Position (3,) and rotation (4,) of a body as it is shown."""
        positions, rotations = self.show.character.world(self._pose()[None])
        j = self.show.character.skeleton.names.index(body)
        return positions[0, j], rotations[0, j]

    def local(self, body: str, point: ArrayLike) -> Array:
        """A point of the world in a body's frame (3,)."""
        position, rotation = self.transform(body)
        return quaternion.rotate(quaternion.conjugate(rotation), np.asarray(point, dtype=float) - position)

    def past(self) -> tuple[Frame, ...]:
        """The frames that are kept, oldest first."""
        return tuple(self._past)

    def taken(self) -> tuple[Frame, ...]:
        """The frames that are kept of the performance that is shown, from its beginning up to what is shown."""
        return tuple(frame for frame in self._past if frame.take == self.frame.take and frame.time <= self.frame.time)

    def _made(self, place: float) -> Player:
        mine = self.show
        return Player(
            mine.character, mine.policy, mine.reference, starts=mine.starts, scene=mine.scene, time=place, balls=BALLS, record=False
        )

    def _again(self) -> None:
        """Begin the performance anew; the time line goes on."""
        self._take += 1
        if self._entered > 0.0:
            self._shift += self._player.time
            self._player = self._made(0.0)
            self._entered = self._begun = self._rest = 0.0
            self._traces.clear()
        else:
            self._player.reset()
            self._begun = self._player.time

    def _replay(self, seconds: float) -> None:
        last = self.show.reference.duration
        self._place += seconds
        if self._place > last:
            self._place = self._place % last if self.loop and last > 0.0 else last

    def _simulate(self, seconds: float) -> None:
        player, reference = self._player, self.show.reference
        over = not reference.cycle and self._place_in_clip() > reference.duration + AFTER
        if self.loop and (over or player.lost):
            self._again()
            player = self._player
        timestep = player.engine.timestep
        self._rest += seconds
        whole = int(np.floor(self._rest / timestep + 1e-9)) * timestep
        self._rest -= whole
        if whole > 0.0:
            for pull in self._pulls.values():
                self._tug(pull, whole)
            player.advance(whole)
        self._traces = [trace for trace in self._traces if trace.until > player.time]

    def _tug(self, pull: Pull, duration: float) -> None:
        """The force of a pull on its body."""
        position, rotation = self.transform(pull.body)
        held = position + quaternion.rotate(rotation, pull.point)
        force = spring(held, pull.target(self._pose()[:3]), self.show.character.mass)
        center = position + quaternion.rotate(rotation, self._center(pull.body))
        self._player.push(force, duration=duration, body=pull.body, torque=np.cross(held - center, force))
        until = self._player.time + 1.5 * duration + FRAME
        self._trace(Trace(until=until, body=pull.body, point=pull.point, force=force, pulls=True))

    def _trace(self, trace: Trace) -> None:
        """See to a force being seen, in place of an earlier one of its kind on that body."""
        others = [other for other in self._traces if (other.body, other.pulls) != (trace.body, trace.pulls)]
        self._traces = [*others, trace]

    def _center(self, body: str) -> Array:
        """A body's centre of mass in its own frame."""
        model = self.show.character.model
        return np.array(model.body_ipos[self.show.character.body(body)])

    def _place_in_clip(self) -> float:
        return self._place if self.mode == "replay" else max(self._player.time - self._begun, 0.0)

    def _pose(self) -> Array:
        return self._player.qpos() if self.mode == "simulate" else self.show.reference.at([self._place])[0]

    def _look(self, n: int) -> None:
        self._looking = n
        self.frame = self._past[n]

    def _seen(self) -> Frame:
        engine = self._player.engine
        if self.mode == "replay":
            row = engine.layout.default.copy()
            first, nq = engine.layout.qpos.start, self.show.character.model.nq
            row[first : first + nq] = self._pose()
            other = self.show.compare
            ghost = None if other is None else other.at([self._place])[0]
            return Frame(time=self._place, place=self._place, row=row, ghost=ghost, take=self._take)
        arrows = []
        for trace in self._traces:
            position, rotation = self.transform(trace.body)
            arrows.append(Arrow(point=position + quaternion.rotate(rotation, trace.point), force=trace.force, pulls=trace.pulls))
        return Frame(
            time=self.time,
            place=self._player.place(),
            row=engine.state[0].copy(),
            ghost=self._beside(self._player.ghost()),
            arrows=tuple(arrows),
            fallen=self.fallen,
            take=self._take,
        )

    def _beside(self, ghost: Array | None) -> Array | None:
        """The reference's pose, turned and moved along the floor to the character where a policy with feedback lets it drift."""
        if ghost is None or not getattr(self.show.policy, "closed", False) or self._player.lost:
            return ghost
        return beside(self._player.qpos(), ghost, self.show.character.forward)


def beside(pose: Array, ghost: Array, ahead: Array) -> Array:
    """A pose (nq,) turned about z and moved along the floor to where another stands and looks; `ahead` (3,) in the root's frame."""
    have, want = (quaternion.rotate(q[3:7], ahead) for q in (pose, ghost))
    yaw = float(np.arctan2(have[1], have[0]) - np.arctan2(want[1], want[0]))
    out = np.array(ghost)
    out[:2] = pose[:2]
    out[3:7] = quaternion.multiply(quaternion.about([0.0, 0.0, 1.0], yaw), ghost[3:7])
    return out
