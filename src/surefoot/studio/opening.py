"""Opening things from the page: a file by button or by dropping it anywhere, a clip inside it, and what was opened before."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from surefoot.errors import one_line
from surefoot.studio.controls import by_person, careful, notify
from surefoot.studio.live import Live, Sight
from surefoot.studio.page import DROP, NOTICE
from surefoot.studio.shelf import Shelf
from surefoot.studio.show import Show

if TYPE_CHECKING:
    import viser

MOST_CLIPS = 500


class Opening:
    """What is on stage, and how something else comes there."""

    def __init__(self, server: viser.ViserServer, live: Live, shelf: Shelf) -> None:
        from viser import _messages

        gui = server.gui
        self._live, self._shelf = live, shelf
        self._busy = threading.Lock()
        self._file = gui.add_upload_button("Open a motion or a bundle", hint="Or drop it anywhere on the page: .surefoot, .bvh, .glb, …")
        self._stage = gui.add_dropdown("On stage", shelf.names, visible=False)
        self._clip = gui.add_dropdown("Clip", ("",), visible=False)
        self._file.on_upload(careful(self._handed_in, "Not opened"))
        self._stage.on_update(by_person(careful(self._chosen)))
        self._clip.on_update(by_person(careful(self._clip_chosen)))
        self._shown: Any = None
        server._websock_server.queue_message(_messages.RunJavascriptMessage(source=NOTICE + DROP))

    def refresh(self, sight: Sight) -> None:
        """Show what is on stage."""
        names, clips = self._shelf.names, sight.show.clips[:MOST_CLIPS]
        now = (names, sight.show)
        if now == self._shown:
            return
        self._shown = now
        if tuple(self._stage.options) != names:
            self._stage.options = names
        if sight.show.name in names and self._stage.value != sight.show.name:
            self._stage.value = sight.show.name
        self._stage.visible = len(names) > 1
        if len(clips) > 1:
            if tuple(self._clip.options) != clips:
                self._clip.options = clips
            if sight.show.clip in clips and self._clip.value != sight.show.clip:
                self._clip.value = sight.show.clip
        self._clip.visible = len(clips) > 1

    def _handed_in(self, event: Any) -> None:
        from viser import UploadedFile

        file = event.target.value
        event.target._impl.value = UploadedFile("", b"")  # not kept twice
        if not file.name:
            return
        with self._busy:
            found = self._shelf.handed_in(file.name, file.content)
            if isinstance(found, str):
                notify(event.client, "Kept", found, color="blue")
                return
            self._put_on(found, event.client)

    def _chosen(self, event: Any) -> None:
        show = self._shelf.show(str(event.target.value))
        if show is not None and show is not self._live.sight.show:
            self._live.put_on(show)

    def _clip_chosen(self, event: Any) -> None:
        show, clip = self._live.sight.show, str(event.target.value)
        if clip != show.clip and clip in show.clips:
            with self._busy:
                self._put_on(self._shelf.clip(show, clip), event.client)

    def _put_on(self, show: Show, client: Any) -> None:
        self._live.put_on(show)
        for note in show.notes[:3]:
            notify(client, show.name, one_line(note, 300), color="yellow")
