"""A viser server behind the guard, on a socket of our own.

viser listens, serves its page and carries messages; it has no notion of who may connect, tries other ports when one is taken, and takes
uploads of any size. So it is handed a bound socket and a handshake that asks the guard first, its share button (a tunnel through a server
on the internet) is cut, and uploads are counted.
"""

from __future__ import annotations

import contextlib
import functools
import io
import socket
import threading
from collections.abc import Callable, Iterator
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from surefoot.errors import InputError, missing_extra
from surefoot.studio.guard import Guard, is_loopback

if TYPE_CHECKING:
    import viser

PORT = 8080
TRIES = 100
"""Ports that are tried when none was asked for."""
MAX_UPLOAD = 64 * 2**20
"""Bytes of a file that a person may hand in."""
MAX_MESSAGE = 4 * 2**20
"""Bytes of one message from a browser; files come in parts of half a megabyte."""
MAX_UPLOADS = 4
"""Files on their way at once."""

_making = threading.Lock()

Refused = Callable[[int, str], None]
"""Called with a client's number and a sentence when what it hands in is too much."""


def bound_socket(host: str, port: int | None) -> socket.socket:
    """A socket that listens on exactly this port, or on the first free one from 8080 on."""
    for candidate in range(PORT, PORT + TRIES) if port is None else (port,):
        try:
            family, kind, protocol, _, address = socket.getaddrinfo(host, candidate, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        except (OSError, UnicodeError):
            raise InputError(f"--host {host}: no address of this machine; 127.0.0.1 is the default, 0.0.0.0 is all of them.") from None
        listener = socket.socket(family, kind, protocol)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(address)
            listener.listen(64)
            return listener
        except OSError as error:
            listener.close()
            if port is not None:
                raise InputError(f"port {port} of {host} cannot be had ({error.strerror}); choose another with --port.") from None
        except OverflowError:
            listener.close()
            raise InputError(f"--port {port}: ports are 0 to 65535, 0 takes any free one.") from None
    raise InputError(f"no port from {PORT} to {PORT + TRIES - 1} is free; name one with --port.")


def guarded_server(guard: Guard, port: int | None, refused: Refused) -> viser.ViserServer:
    """A viser server that answers only what the guard lets through."""
    try:
        import viser
        from viser import _messages, infra
    except ModuleNotFoundError:
        raise missing_extra("viser, which the studio is shown by,", "pip install 'surefoot[studio]'") from None
    if not guard.token and not is_loopback(guard.host):
        raise InputError(f"--host {guard.host}: a studio that others can reach needs a token.")
    listener = bound_socket(guard.host, port)
    handshake = infra._infra.websockets.asyncio.server.serve

    @functools.wraps(handshake)
    def serve(handler: Any, host: str, port: int, *, process_request: Any, **options: Any) -> Any:
        options["max_size"] = MAX_MESSAGE
        return handshake(handler, sock=listener, process_request=_asking(guard, process_request), **options)

    with _making, quiet():
        infra._infra.websockets.asyncio.server.serve = serve
        try:
            server = viser.ViserServer(host=guard.host, port=listener.getsockname()[1], verbose=False)
        finally:
            infra._infra.websockets.asyncio.server.serve = handshake
    for kind in (_messages.ShareUrlRequest, _messages.ShareUrlDisconnect):
        server._websock_server.unregister_handler(kind)
    _count_uploads(server, refused)
    return server


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """viser prints a banner when it starts and a line when it stops; what we print is said once, by us."""
    with contextlib.redirect_stdout(io.StringIO()):
        yield


def _asking(guard: Guard, answer: Any) -> Any:
    """The handshake of websockets that asks the guard first."""
    from websockets.datastructures import Headers
    from websockets.http11 import Response

    def process(connection: Any, request: Any) -> Any:
        headers = {name.lower(): request.headers.get_all(name) for name in request.headers}
        refusal = guard.refusal(request.path, headers)
        if refusal is not None:
            text = f"{refusal.why}\n".encode()
            lines = {"Content-Type": "text/plain; charset=utf-8", "Content-Length": str(len(text)), "Connection": "close"}
            return Response(refusal.status, HTTPStatus(refusal.status).phrase, Headers(**lines), text)
        response = answer(connection, request)
        if response is not None:
            for name, value in guard.leaves().items():
                response.headers[name] = value
        return response

    return process


def _count_uploads(server: viser.ViserServer, refused: Refused) -> None:
    """Refuse files that are too large or lie about their size, before they are kept."""
    from viser import _messages

    gui, handlers = server.gui, server._websock_server
    under_way: dict[str, int] = {}  # bytes that may still come
    begin, take = gui._handle_file_transfer_start, gui._handle_file_transfer_part

    def start(client: int, message: Any) -> None:
        known = gui._current_file_upload_states
        for name in set(under_way) - set(known):
            del under_way[name]
        if not taken(client, message, known):
            # the page takes it for finished and lets the next one come
            whole = {"transferred_bytes": message.size_bytes, "total_bytes": message.size_bytes}
            uuids = {"source_component_uuid": message.source_component_uuid, "transfer_uuid": message.transfer_uuid}
            server._websock_server.queue_message(_messages.FileTransferPartAck(**uuids, **whole))

    def taken(client: int, message: Any, known: dict[str, Any]) -> bool:
        if not 0 <= message.size_bytes <= MAX_UPLOAD:
            refused(client, f"That file has {message.size_bytes / 2**20:.0f} MB; up to {MAX_UPLOAD // 2**20} MB are taken.")
        elif not 0 <= message.part_count <= MAX_UPLOAD // 2**10 or message.transfer_uuid in known:
            refused(client, "That file came in a way that is not understood; try again.")
        elif len(under_way) >= MAX_UPLOADS:
            refused(client, f"{MAX_UPLOADS} files are on their way already; wait for them.")
        else:
            under_way[message.transfer_uuid] = message.size_bytes
            begin(client, message)
            return True
        return False

    def part(client: int, message: Any) -> None:
        if message.transfer_uuid not in under_way:
            return
        under_way[message.transfer_uuid] -= len(message.content)
        if under_way[message.transfer_uuid] < 0:
            gui._current_file_upload_states.pop(message.transfer_uuid, None)
            refused(client, "That file is larger than it said; it was not taken.")
            return
        take(client, message)

    for kind, ours in ((_messages.FileTransferStartUpload, start), (_messages.FileTransferPart, part)):
        handlers.unregister_handler(kind)
        handlers.register_handler(kind, ours)
