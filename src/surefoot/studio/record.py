"""A page that plays without Python: frames laid into viser's own player, one HTML file that needs no network.

The scene is built once more on a server that nobody can reach, whose messages are kept instead of sent; viewers notice nothing.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from html import escape
from itertools import pairwise

from surefoot.studio.guard import Guard
from surefoot.studio.live import Sight
from surefoot.studio.page import NOTICE
from surefoot.studio.server import guarded_server, quiet
from surefoot.studio.stage import Stage
from surefoot.studio.world import FRAME, Frame

LAST = 0.8
"""Seconds for which the last frame stays before the page begins again."""


def page(sight: Sight, frames: Sequence[Frame], *, ghost: bool = True, follow: bool = True) -> str:
    """The HTML of frames of what is on stage."""
    server = guarded_server(Guard(token=secrets.token_urlsafe(18)), 0, lambda client, why: None)
    try:
        server.scene.world_axes.visible = False
        server.scene.configure_default_lights(enabled=True, cast_shadow=True)
        stage = Stage(server, sight.show.character, sight.model)
        stage.ghost, stage.follow = ghost, follow
        stage.show(frames[0], sight.layout)
        recorder = server.get_scene_serializer()
        for before, frame in pairwise(frames):
            step = frame.time - before.time
            recorder.insert_sleep(step if 0.0 < step < 1.0 else FRAME)
            stage.show(frame, sight.layout)
        recorder.insert_sleep(LAST)
        return _named(recorder.as_html(), sight.show.name)
    finally:
        with quiet():
            server.stop()


def _named(html: str, name: str) -> str:
    """The page under the name of what it shows, with our script."""
    html = html.replace("<title>Viser</title>", f"<title>{escape(name)}</title>", 1)
    return html.replace("</body>", f"<script>{NOTICE}</script></body>", 1)
