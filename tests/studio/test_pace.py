"""Time: what is owed, and how well it is kept."""

from __future__ import annotations

import pytest

from surefoot.studio.pace import SLIP, Pace


def play(pace: Pace, seconds: float, cost: float, tick: float = 1.0 / 60.0, begin: float = 0.0) -> float:
    """Let a pace run for real seconds on a machine that needs `cost` seconds for a simulated one; how much was simulated."""
    now, simulated = begin, 0.0
    while now < begin + seconds:
        started, owed = now, pace.owed(now)
        while owed > 1e-3 and now - started < 2.0 * tick:
            part = min(owed, tick)
            now += cost * part
            pace.did(part, cost * part, now)
            simulated += part
            owed -= part
        now = max(now, started + tick)
    return simulated


def test_a_fast_machine_plays_by_the_clock() -> None:
    pace = Pace()
    assert play(pace, 5.0, 0.1) == pytest.approx(5.0, abs=0.05)
    assert pace.factor == pytest.approx(1.0, abs=0.02)
    assert pace.load == pytest.approx(0.1, abs=0.01)
    assert pace.complaint == ""


def test_a_slow_machine_says_by_how_much() -> None:
    pace = Pace()
    assert play(pace, 5.0, 2.0) == pytest.approx(2.5, abs=0.2)
    assert pace.factor == pytest.approx(0.5, abs=0.05)
    assert "Too slow here: × 0.5" in pace.complaint
    assert "50 %" in pace.complaint or "49 %" in pace.complaint or "51 %" in pace.complaint


def test_time_lost_in_a_hitch_is_not_run_after() -> None:
    pace = Pace()
    play(pace, 1.0, 0.1)
    assert pace.owed(100.0) == pytest.approx(SLIP)


def test_half_speed_owes_half() -> None:
    pace = Pace()
    pace.set_speed(0.5, 0.0)
    assert play(pace, 4.0, 0.1) == pytest.approx(2.0, abs=0.05)
    assert pace.factor == pytest.approx(1.0, abs=0.03)


def test_nothing_is_owed_for_a_pause() -> None:
    pace = Pace()
    play(pace, 1.0, 0.1)
    pace.rest()
    assert pace.owed(50.0) == 0.0
    assert pace.factor is None
