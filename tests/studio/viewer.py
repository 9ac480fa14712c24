"""A viewer without a browser: the studio's own messages over a WebSocket. It counts as somebody who looks on once it told its camera."""

from __future__ import annotations

from typing import Any

CAMERA = {
    "type": "ViewerCameraMessage",
    "wxyz": (1.0, 0.0, 0.0, 0.0),
    "position": (3.0, 3.0, 3.0),
    "fov": 1.3,
    "near": 0.01,
    "far": 1000.0,
    "image_height": 300,
    "image_width": 400,
    "look_at": (0.0, 0.0, 0.0),
    "up_direction": (0.0, 0.0, 1.0),
}


def connected(port: int, path: str = "/", **options: Any) -> Any:
    """A WebSocket as the page opens it; nobody yet."""
    from websockets.sync.client import connect

    told: Any = {"subprotocols": ["viser-v1.1.1"], "compression": None, "open_timeout": 20, "proxy": None}
    return connect(f"ws://127.0.0.1:{port}{path}", **{**told, **options})


def looks(line: Any) -> None:
    """Tell the camera: from now on somebody looks on."""
    import msgspec

    line.send(msgspec.msgpack.encode(CAMERA))


def messages(data: bytes) -> list[dict[str, Any]]:
    """What one picture says."""
    import msgspec
    import zstandard

    packed = int.from_bytes(data[8:16], "little")
    whole = zstandard.ZstdDecompressor().decompress(data[16 : 16 + packed], max_output_size=int.from_bytes(data[:8], "little"))
    out: list[dict[str, Any]] = msgspec.msgpack.decode(whole)["messages"]
    return out
