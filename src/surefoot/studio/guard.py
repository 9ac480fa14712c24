"""Who may look in: what a request must say before the studio answers it.

A page on somebody's site can send requests to 127.0.0.1 from a visitor's browser, and a name server can make a foreign name point there. So

    Host     names this machine as it was opened: 127.0.0.1, localhost, [::1]; the port may differ, as it does behind a forwarded port
    Origin   where a browser sends one, on WebSockets too, is the page that was opened here: its host and port are those of Host
    token    in the address, or in the cookie that the address left, wherever the studio listens beyond this machine

A request that fails is answered by one sentence. Only queries that the page needs may stand in the address.
"""

from __future__ import annotations

import hmac
import ipaddress
import socket
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
QUERIES = frozenset({"token", "darkMode", "showStats", "fixedDpr"})
"""Others could turn the page towards a foreign server."""
LEAVES = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
"""Headers of every answer: no other site may frame the page, and the token does not leave it."""


@dataclass(frozen=True, kw_only=True)
class Refusal:
    """A request that is not answered."""

    status: int
    why: str


@dataclass(frozen=True, kw_only=True)
class Guard:
    """The rules of one studio."""

    host: str = "127.0.0.1"
    """What it listens on."""
    token: str = ""
    """What the address must hold; empty where only this machine can connect."""

    @property
    def cookie(self) -> str:
        """The name of the cookie that holds the token."""
        return "surefoot_token"

    def refusal(self, path: str, headers: Mapping[str, Iterable[str]]) -> Refusal | None:
        """Why a request is not answered, or None: its path with the query, and its headers by lower-case name."""
        hosts = tuple(headers.get("host", ()))
        if len(hosts) != 1 or not self.knows(hosts[0]):
            return Refusal(status=403, why="This studio was asked for under a foreign name; open the address that it printed.")
        for origin in headers.get("origin", ()):
            if _netloc(origin) != hosts[0].lower():
                return Refusal(status=403, why="Pages of other sites may not talk to this studio.")
        query = parse_qs(urlsplit(path).query, keep_blank_values=True)
        unknown = sorted(set(query) - QUERIES)
        if unknown:
            return Refusal(status=403, why="The address holds something that this studio does not take; open the address that it printed.")
        if self.token and not self._has_token(query, headers):
            return Refusal(status=401, why="The token is missing or wrong; open the whole address that the studio printed.")
        return None

    def knows(self, host: str) -> bool:
        """Whether the value of a Host header names this machine."""
        name = _hostname(host)
        if name is None:
            return False
        if name in LOOPBACK or name == self.host.lower():
            return True
        if not self.token:
            return False
        return _is_address(name) or name in {socket.gethostname().lower(), socket.getfqdn().lower()}

    def leaves(self) -> dict[str, str]:
        """Headers that an answer carries."""
        if not self.token:
            return dict(LEAVES)
        return {**LEAVES, "Set-Cookie": f"{self.cookie}={self.token}; HttpOnly; SameSite=Strict; Path=/"}

    def _has_token(self, query: Mapping[str, list[str]], headers: Mapping[str, Iterable[str]]) -> bool:
        given = list(query.get("token", ()))
        for line in headers.get("cookie", ()):
            parts = (part.strip().partition("=") for part in line.split(";"))
            given += [value for name, _, value in parts if name == self.cookie]
        return any(hmac.compare_digest(value.encode("utf-8", "replace"), self.token.encode()) for value in given)


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach what listens on `host`."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _hostname(host: str) -> str | None:
    """The name in "name:port", in lower case; None for what is no such thing."""
    try:
        parts = urlsplit(f"//{host}")
        _ = parts.port
    except ValueError:
        return None
    if parts.path or parts.query or parts.fragment or parts.username is not None or not parts.hostname:
        return None
    return parts.hostname


def _netloc(origin: str) -> str | None:
    """Host and port of an origin, as a Host header has them."""
    try:
        parts = urlsplit(origin)
    except ValueError:
        return None
    return parts.netloc.lower() if parts.scheme in ("http", "https") else None
