"""The server: who is let in on real sockets, and viewers that do not read."""

from __future__ import annotations

import http.client
import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

from surefoot.errors import InputError

pytest.importorskip("viser")

from websockets.exceptions import ConnectionClosed, InvalidStatus

from surefoot.studio.guard import Guard
from surefoot.studio.server import bound_socket, guarded_server, quiet
from surefoot.studio.show import open_show
from surefoot.studio.studio import Studio
from tests.studio.viewer import connected, looks


@pytest.fixture(scope="module")
def studio() -> Iterator[Studio]:
    made = Studio(open_show("humanoid/walk"), port=0)
    yield made
    made.close()


@pytest.fixture(scope="module")
def closed() -> Iterator[Any]:
    """A server that asks for a token."""
    made = guarded_server(Guard(token="a-secret"), 0, lambda client, why: None)
    yield made
    with quiet():
        made.stop()


def got(port: int, path: str = "/", **headers: str) -> tuple[int, str, dict[str, str]]:
    """Status, text and headers of an answer."""
    talk = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        talk.request("GET", path, headers={"Host": f"127.0.0.1:{port}", **headers})
        answer = talk.getresponse()
        return answer.status, answer.read().decode("utf-8", "replace"), {name.lower(): value for name, value in answer.getheaders()}
    finally:
        talk.close()


def drained(line: Any) -> None:
    """Read until the connection ends."""
    for _ in range(10_000):
        line.recv(timeout=20)


def test_the_page_is_served_to_this_machine_and_may_not_be_framed(studio: Studio) -> None:
    status, text, headers = got(studio.port)
    assert status == 200
    assert "<html" in text
    assert headers["x-frame-options"] == "DENY"
    assert "set-cookie" not in headers


def test_a_foreign_host_or_origin_gets_a_sentence_and_no_page(studio: Studio) -> None:
    for headers in ({"Host": "evil.example"}, {"Origin": "http://evil.example"}):
        status, text, _ = got(studio.port, **headers)
        assert status == 403
        assert text.strip().endswith(".")
        assert "<html" not in text


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1"])
def test_a_websocket_of_another_page_is_refused(studio: Studio, origin: str) -> None:
    with pytest.raises(InvalidStatus) as refused:
        connected(studio.port, origin=origin)
    assert refused.value.response.status_code == 403


def test_a_websocket_under_a_foreign_name_is_refused(studio: Studio) -> None:
    with socket.create_connection(("127.0.0.1", studio.port), timeout=20) as line:
        line.sendall(
            b"GET / HTTP/1.1\r\nHost: evil.example\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
        )
        assert b"403" in line.recv(4096).split(b"\r\n")[0]


def test_the_studios_own_page_may_connect(studio: Studio) -> None:
    with connected(studio.port, origin=f"http://127.0.0.1:{studio.port}") as line:
        assert line.recv(timeout=20)


def test_a_token_is_asked_of_pages_and_websockets_and_left_as_a_cookie(closed: Any) -> None:
    port = closed.get_port()
    assert got(port)[0] == 401
    assert got(port, "/?token=wrong")[0] == 401
    status, _, headers = got(port, "/?token=a-secret")
    assert status == 200
    assert "HttpOnly" in headers["set-cookie"]
    with pytest.raises(InvalidStatus):
        connected(port)
    with connected(port, additional_headers={"Cookie": headers["set-cookie"].split(";")[0]}) as line:
        assert line.recv(timeout=20)


def test_a_path_out_of_the_page_is_not_found(studio: Studio) -> None:
    for path in ("/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/..%5c..%5cetc"):
        assert got(studio.port, path)[0] == 404


def test_a_message_that_is_too_large_ends_its_connection_only(studio: Studio) -> None:
    with connected(studio.port) as line:
        with suppress(ConnectionError, ConnectionClosed):
            line.send(b"\x00" * (5 * 2**20))
        with pytest.raises(ConnectionClosed):
            drained(line)
    assert got(studio.port)[0] == 200


def test_a_viewer_that_never_reads_does_not_slow_the_simulation(studio: Studio) -> None:
    studio.live.ask(lambda world: world.set_mode("simulate"), wait=10.0)

    def paced(seconds: float) -> tuple[float, float]:
        """Seconds played, and the work that a second of them takes."""
        first = studio.live.sight.frame.time
        time.sleep(seconds)
        return studio.live.sight.frame.time - first, studio.live.sight.load

    alone, _ = paced(1.5)
    with connected(studio.port, max_queue=1) as line:
        line.recv(timeout=20)
        looks(line)
        while not studio.server.get_clients():
            time.sleep(0.05)
        watched, _ = paced(1.5)
        cursors = studio.server._websock_server._broadcast_buffer
        kept = len(cursors.message_from_id)
        paced(1.0)
        assert len(cursors.message_from_id) < kept + 200  # what is replaced meanwhile is not kept for whoever does not read
    assert watched > 0.7 * alone
    assert alone > 0.3


def test_a_hand_lets_go_when_its_page_is_closed(studio: Studio) -> None:
    with connected(studio.port) as line:
        looks(line)
        end = time.monotonic() + 20.0
        while not studio.server.get_clients():
            assert time.monotonic() < end
            time.sleep(0.05)
        (who,) = studio.server.get_clients()
        studio.live.ask(lambda world: world.pull("chest", [0, 0, 0], [0, 0, 3], who=who), wait=10.0)
        assert list(studio.live._world._pulls) == [who]
    while studio.live._world._pulls:
        assert time.monotonic() < end + 20.0
        time.sleep(0.05)


def test_a_taken_port_is_said_and_nothing_else_is_tried() -> None:
    with bound_socket("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(InputError, match=f"port {port} .* choose another with --port"):
            bound_socket("127.0.0.1", port)


def test_a_port_is_found_when_none_is_asked_for() -> None:
    with bound_socket("127.0.0.1", None) as first, bound_socket("127.0.0.1", None) as second:
        assert 8080 <= first.getsockname()[1] < second.getsockname()[1] < 8180


def test_others_are_not_let_in_without_a_token() -> None:
    with pytest.raises(InputError, match="needs a token"):
        guarded_server(Guard(host="0.0.0.0"), 0, lambda client, why: None)


def test_what_is_not_an_address_of_this_machine_is_said() -> None:
    with pytest.raises(InputError, match="no address of this machine"):
        bound_socket("no.such.host.invalid", 0)
