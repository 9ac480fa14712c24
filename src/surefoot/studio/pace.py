"""Time: how far a simulation should be by now, and how well it keeps up.

    owed = speed * (now - anchor) - simulated since the anchor        factor = simulated / (speed * passed)

Whoever falls behind by more than `SLIP` does not run after the clock: the anchor moves, and the factor says how much was lost.
"""

from __future__ import annotations

from collections import deque

SLIP = 0.2
"""Seconds of real time that may be caught up."""
WINDOW = 2.0
"""Seconds over which the factor is measured."""
ENOUGH = 0.95
"""A factor from here on counts as keeping up."""


class Pace:
    """Bookkeeping of one simulation against the clock. All times are handed in."""

    def __init__(self, speed: float = 1.0) -> None:
        self._speed = speed
        self._anchor: float | None = None
        self._done = 0.0
        self._marks: deque[tuple[float, float, float, float]] = deque()  # now, owed in all, simulated in all, spent in all
        self._asked = self._simulated = self._spent = 0.0

    @property
    def speed(self) -> float:
        """Simulated seconds wanted for each real one."""
        return self._speed

    def set_speed(self, speed: float, now: float) -> None:
        """Another speed from now on."""
        self._speed = speed
        self.rest()
        self.owed(now)

    def rest(self) -> None:
        """Nothing is owed for the time until `owed` is asked again; what was measured is forgotten."""
        self._anchor = None
        self._marks.clear()

    def owed(self, now: float) -> float:
        """Simulated seconds that are due."""
        if self._anchor is None:
            self._anchor, self._done = now, 0.0
            self._marks.append((now, self._asked, self._simulated, self._spent))
        due = self._speed * (now - self._anchor) - self._done
        if due > SLIP * self._speed:  # give up what cannot be caught up
            self._anchor, self._done = now - SLIP, 0.0
            due = SLIP * self._speed
        return due

    def did(self, seconds: float, spent: float, now: float) -> None:
        """So much was simulated, in so many seconds of work, by now."""
        self._done += seconds
        self._simulated += seconds
        self._spent += spent
        last = self._marks[-1][0] if self._marks else now
        self._asked += self._speed * (now - last)
        self._marks.append((now, self._asked, self._simulated, self._spent))
        while len(self._marks) > 2 and now - self._marks[0][0] > WINDOW:
            self._marks.popleft()

    @property
    def factor(self) -> float | None:
        """Simulated over asked, lately; None until half a second was measured."""
        if not self._marks or self._marks[-1][0] - self._marks[0][0] < 0.5:
            return None
        asked = self._marks[-1][1] - self._marks[0][1]
        return (self._marks[-1][2] - self._marks[0][2]) / asked if asked > 0.0 else None

    @property
    def load(self) -> float:
        """Seconds of work for each simulated second, lately."""
        simulated = self._marks[-1][2] - self._marks[0][2] if self._marks else 0.0
        return (self._marks[-1][3] - self._marks[0][3]) / simulated if simulated > 0.0 else 0.0

    @property
    def complaint(self) -> str:
        """A sentence when the simulation does not keep up, and by how much; empty when it does."""
        factor = self.factor
        if factor is None or factor >= ENOUGH:
            return ""
        return f"Too slow here: × {factor * self._speed:.2f} instead of × {self._speed:g} ({100.0 * factor:.0f} %)"
