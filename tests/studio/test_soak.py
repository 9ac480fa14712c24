"""Playing on and on: what is kept stays bounded, and memory with it. The hour is in benchmarks/studio.py."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

pytest.importorskip("viser")

from websockets.exceptions import ConnectionClosed

from surefoot.studio.show import open_show
from surefoot.studio.studio import Studio
from tests.studio.viewer import connected, looks

SECONDS = 10.0
"""At four times the speed."""


def resident() -> float:
    """Memory of this process [MB]."""
    status = Path("/proc/self/status")
    if not status.exists():
        pytest.skip("needs /proc to see memory")
    line = next(line for line in status.read_text(encoding="ascii").splitlines() if line.startswith("VmRSS:"))
    return int(line.split()[1]) / 1024.0


def test_a_minute_of_playing_with_a_viewer_and_curves_keeps_no_more_than_it_shows() -> None:
    studio = Studio(open_show("humanoid/walk"), port=0)
    ended = threading.Event()

    def look() -> None:
        with connected(studio.port) as line:
            looks(line)
            while not ended.is_set():
                try:
                    line.recv(timeout=1.0)
                except (TimeoutError, ConnectionClosed):
                    return

    viewer = threading.Thread(target=look)
    viewer.start()
    try:
        studio._plots._on.value = True
        studio.live.ask(lambda world: world.set_mode("simulate"), wait=10.0)
        studio.live.set_speed(4.0)

        def played(seconds: float) -> tuple[float, int]:
            """Memory, and the messages that are kept for viewers to come."""
            end, k = time.monotonic() + seconds, 0
            while time.monotonic() < end:
                time.sleep(0.5)
                k += 1
                studio.live.ask(lambda world, k=k: world.throw() if k % 5 == 0 else world.push(40.0 * k, 60.0))
            return resident(), len(studio.server._websock_server._broadcast_buffer.message_from_id)

        memory, messages = played(SECONDS)
        more, later = played(SECONDS)
        sight = studio.live.sight
        assert sight.span[1] > SECONDS  # it did play
        assert sight.error == ""
        assert len(sight.past) <= 1801
        assert later < messages + 100
        assert more < memory + 15.0
    finally:
        ended.set()
        studio.close()
        viewer.join(10.0)
