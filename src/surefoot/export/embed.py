"""Any glTF as one .glb that needs no other file: buffers and pictures beside it, or written as base64 text, move into the binary chunk."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

from surefoot.errors import InputError
from surefoot.motion.gltf_load import Document

_KINDS = {".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg"}


def embedded(data: bytes, name: str, folder: Path | None) -> bytes:
    """The .glb of a glTF; pictures that are not found stay outside, as they were."""
    document = Document(data, name, folder)
    tree = document.tree
    buffers = document.items("buffers")
    alone = data[:4] == b"glTF" and len(buffers) <= 1 and not any("uri" in buffer for buffer in buffers)
    if alone and not any("uri" in image for image in document.items("images")):
        return data
    blob = bytearray()
    starts = []
    for index in range(len(buffers)):
        blob += bytes(-len(blob) % 4)
        starts.append(len(blob))
        blob += document.buffer(index)
    views: list[dict[str, Any]] = [dict(view) for view in document.items("bufferViews")]
    for index, view in enumerate(views):
        owner = document.whole(view, "buffer", f"bufferViews[{index}]", limit=len(buffers))
        view["byteOffset"] = starts[owner] + document.whole(view, "byteOffset", f"bufferViews[{index}]", 0)
        view["buffer"] = 0
    for image in document.items("images"):
        picture = _picture(document, image)
        if picture is None:
            continue
        blob += bytes(-len(blob) % 4)
        views.append({"buffer": 0, "byteOffset": len(blob), "byteLength": len(picture[0])})
        blob += picture[0]
        del image["uri"]
        image["bufferView"], image["mimeType"] = len(views) - 1, picture[1]
    tree["buffers"], tree["bufferViews"] = [{"byteLength": len(blob)}], views
    if not views:
        del tree["bufferViews"]
    return join_glb(tree, bytes(blob))


def join_glb(tree: dict[str, Any], blob: bytes) -> bytes:
    """The .glb of a JSON tree and a binary chunk."""
    text = json.dumps(tree, separators=(",", ":"), ensure_ascii=True).encode()
    text += b" " * (-len(text) % 4)
    blob += bytes(-len(blob) % 4)
    body = struct.pack("<II", len(text), 0x4E4F534A) + text + struct.pack("<II", len(blob), 0x004E4942) + blob
    return struct.pack("<4sII", b"glTF", 2, 12 + len(body)) + body


def _picture(document: Document, image: dict[str, Any]) -> tuple[bytes, str] | None:
    """A picture's bytes and kind, when it stands beside the file."""
    uri = image.get("uri")
    kind = _KINDS.get(Path(str(uri)).suffix.lower())
    if not isinstance(uri, str) or uri[:5].lower() == "data:" or kind is None:
        return None  # base64 text is in the file already
    try:
        return bytes(document.resource(uri)), kind
    except InputError:
        return None
