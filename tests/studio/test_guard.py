"""Who may look in."""

from __future__ import annotations

import pytest

from surefoot.studio.guard import Guard, is_loopback

HERE = Guard()
OPEN = Guard(host="0.0.0.0", token="a-secret")


def asked(guard: Guard, path: str = "/", **headers: str) -> int:
    """The status with which a request is refused, 0 when it is answered."""
    refusal = guard.refusal(path, {name: [value] for name, value in headers.items()})
    return 0 if refusal is None else refusal.status


@pytest.mark.parametrize("host", ["127.0.0.1:8080", "localhost:8080", "LOCALHOST:9999", "[::1]:8080", "127.0.0.1"])
def test_this_machine_is_known_by_its_names_at_any_port(host: str) -> None:
    assert asked(HERE, host=host) == 0


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8080", "127.0.0.1.evil.example", "localhost@evil.example", "", "127.0.0.1:x", "10.0.0.7", "a/b"]
)
def test_a_foreign_host_is_refused(host: str) -> None:
    assert asked(HERE, host=host) == 403


def test_a_request_without_a_host_or_with_two_is_refused() -> None:
    assert asked(HERE) == 403
    assert HERE.refusal("/", {"host": ["localhost", "localhost"]}) is not None


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "https://localhost.evil.example", "null", "http://localhost:1234", "file://", "http://["]
)
def test_a_foreign_origin_is_refused(origin: str) -> None:
    assert asked(HERE, host="localhost:8080", origin=origin) == 403


def test_the_page_itself_may_connect_also_behind_a_forwarded_port() -> None:
    assert asked(HERE, host="localhost:9000", origin="http://localhost:9000") == 0
    assert asked(HERE, host="localhost:9000", origin="http://LOCALHOST:9000") == 0


def test_an_address_that_turns_the_page_to_another_server_is_refused() -> None:
    assert asked(HERE, "/?websocket=wss://evil.example", host="localhost:8080") == 403
    assert asked(HERE, "/?playbackPath=https://evil.example/x", host="localhost:8080") == 403
    assert asked(HERE, "/?darkMode", host="localhost:8080") == 0


def test_beyond_this_machine_a_token_is_asked_for() -> None:
    assert asked(OPEN, host="10.0.0.7:8080") == 401
    assert asked(OPEN, "/?token=wrong", host="10.0.0.7:8080") == 401
    assert asked(OPEN, "/?token=a-secret", host="10.0.0.7:8080") == 0
    assert asked(OPEN, host="10.0.0.7:8080", cookie=f"other=1; {OPEN.cookie}=a-secret") == 0
    assert asked(OPEN, host="10.0.0.7:8080", cookie=f"{OPEN.cookie}=wrong") == 401


def test_a_token_does_not_help_a_foreign_name_or_page() -> None:
    assert asked(OPEN, "/?token=a-secret", host="evil.example") == 403
    assert asked(OPEN, "/?token=a-secret", host="10.0.0.7:8080", origin="http://evil.example") == 403


def test_an_answer_leaves_the_token_as_a_cookie_no_script_reads() -> None:
    assert "Set-Cookie" not in HERE.leaves()
    cookie = OPEN.leaves()["Set-Cookie"]
    assert "a-secret" in cookie
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie


def test_a_refusal_is_a_sentence() -> None:
    for path, headers in (("/", {}), ("/?x=1", {"host": ["localhost"]}), ("/", {"host": ["localhost"], "origin": ["http://evil.example"]})):
        refusal = HERE.refusal(path, headers)
        assert refusal is not None
        assert refusal.why.endswith(".")


def test_loopback_is_known() -> None:
    assert all(is_loopback(host) for host in ("127.0.0.1", "127.8.9.1", "::1", "localhost", "LocalHost"))
    assert not any(is_loopback(host) for host in ("0.0.0.0", "::", "10.0.0.7", "somewhere"))
