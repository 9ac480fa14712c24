"""Work on a move, started from the page: its panel is made from its config, then a bar, the best move so far, and a way to stop it."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from surefoot.bundle import encode
from surefoot.errors import InputError
from surefoot.policy.reference import Reference
from surefoot.studio.controls import by_person, careful
from surefoot.studio.fields import Panel
from surefoot.studio.job import Job, Report
from surefoot.studio.live import Live, Sight
from surefoot.studio.shelf import Shelf, harmless
from surefoot.studio.show import Show, show_bundle
from surefoot.studio.work import Kind, kinds

if TYPE_CHECKING:
    import viser


class Learning:
    """The panel of one job at a time."""

    def __init__(self, server: viser.ViserServer, live: Live, shelf: Shelf) -> None:
        gui = server.gui
        self._server, self._live, self._shelf = server, live, shelf
        self._kinds: dict[str, Kind] = {kind.title: kind for kind in kinds().values()}
        self._lock = threading.Lock()
        self.job: Job | None = None
        self._told: Report | None = None
        self._stage: Show | None = None  # what the job put on stage, or began from
        self._source: Show | None = None
        self._best: Any = None
        self._kind = gui.add_dropdown("What", tuple(self._kinds))
        self._about = gui.add_markdown("")
        self._start = gui.add_button("Start")
        self._bar = gui.add_progress_bar(0.0, visible=False)
        self._said = gui.add_markdown("", visible=False)
        self._stop = gui.add_button("Stop and take the best", visible=False)
        self._keep = gui.add_button(
            "Keep the result", visible=False, hint="Downloads it as a bundle that surefoot play, export and evaluate take"
        )
        self._watch = gui.add_checkbox("Show the best so far", True, hint="Replays the best move so far; the ghost is what it is to become")
        self._folder = gui.add_folder("Settings")
        self._panel = self._made_panel()
        self._kind.on_update(by_person(careful(self._chosen)))
        self._start.on_click(careful(self._begin, "Not started"))
        self._stop.on_click(careful(lambda event: self._end()))
        self._keep.on_click(careful(self._download))

    def refresh(self, sight: Sight) -> None:
        """Show how the job stands, and put on stage what it brings."""
        with self._lock:
            job = self.job
            if job is None or job.report is self._told:
                return
            report = self._told = job.report
        if self._bar.value != 100.0 * report.part:
            self._bar.value = 100.0 * report.part
        self._bar.animated = not report.over
        self._said.content = told(report, job)
        self._start.disabled, self._stop.visible = not report.over, report.state == "running"
        here = sight.show is self._stage
        if report.result is not None:
            show = self._shelf.put(show_bundle(report.result.replace(name=f"{job.bundle.name}, {job.kind.name}")))
            self._keep.visible = True
            if here:
                self._put_on(show)
        elif report.state == "failed":
            if here and self._source is not None and sight.show is not self._source:
                self._put_on(self._source)
        elif report.best is not None and report.best is not self._best and here and self._watch.value:
            self._best = report.best
            self._put_on(preview(sight.show, report, job), go_on=sight.show.compare is not None)

    def close(self) -> None:
        """End the job with the studio."""
        with self._lock:
            if self.job is not None:
                self.job.close()

    def _put_on(self, show: Show, *, go_on: bool = False) -> None:
        self._stage = show
        self._live.put_on(show, go_on=go_on)

    def _made_panel(self) -> Panel:
        kind = self._kinds[self._kind.value]
        self._about.content = kind.about
        with self._folder:
            return Panel(self._server, kind.config(), kind.top)

    def _chosen(self, event: Any) -> None:
        self._panel.remove()
        self._panel = self._made_panel()

    def _begin(self, event: Any) -> None:
        with self._lock:
            if self.job is not None and not self.job.report.over:
                raise InputError("something is being worked on already; stop it first.")
            config = self._panel.config()
            on_stage = self._live.sight.show
            show = self._shelf.show(on_stage.name) or on_stage  # a preview of an earlier job has another reference
            self.job = Job(self._kinds[self._kind.value], config, show.as_bundle())
            self._stage, self._told, self._best = on_stage, None, None
            self._source = show
        self._start.disabled = True
        self._bar.visible = self._said.visible = True
        self._keep.visible = False

    def _end(self) -> None:
        if self.job is not None:
            self.job.stop()

    def _download(self, event: Any) -> None:
        result = None if self.job is None else self.job.report.result
        if result is None:
            raise InputError("there is no result to keep yet.")
        name = harmless(f"{result.name.replace('/', ' ')}.surefoot")
        event.client.send_file_download(name, encode(result), save_immediately=True)


def preview(show: Show, report: Report, job: Job) -> Show:
    """The best move so far on stage, the ghost being what it is to become."""
    assert report.best is not None
    bundle = job.bundle
    body, scene = bundle.character, bundle.scene
    best = Reference(character=body, qpos=report.best, frame_time=report.frame_time, scene=scene)
    wanted = bundle.reference
    if report.ghost is not None and len(report.ghost) == len(report.best):
        wanted = Reference(character=body, qpos=report.ghost, frame_time=report.frame_time, scene=scene)
    return replace(show, reference=best, compare=wanted, mode="replay", what="the best so far")


def told(report: Report, job: Job) -> str:
    """How it stands, in Markdown."""
    if report.state == "failed":
        return f"**Not done:** {plain(report.error)}"
    if report.result is not None:
        good = "**Done:** " if report.result.success else "**Not there yet:** "
        return good + plain(str(report.result.result.get("status", "it is on stage.")))
    stopping = "stopping; " if report.state == "stopping" else ""
    return plain(f"{stopping}{report.said}")


def plain(text: str) -> str:
    """Text without a meaning in Markdown."""
    return "".join(f"\\{c}" if c in "\\`*_{}[]<>#|~!" else c for c in text)
