"""Work in a process of its own."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from surefoot.studio.job import Job, Report
from surefoot.studio.reconstruction import BasicWork, basic_work
from surefoot.studio.show import Show, open_show
from surefoot.studio.work import Kind, Step, kind


@pytest.fixture(scope="module")
def walk() -> Show:
    return open_show("humanoid/walk")


def until(job: Job, wanted: Callable[[Report], bool], seconds: float = 90.0) -> Report:
    """The report that shows something."""
    end = time.monotonic() + seconds
    while not wanted(job.report):
        assert time.monotonic() < end, job.report
        time.sleep(0.02)
    return job.report


def started(show: Show, samples: int, name: str = "basic", seed: int = 0) -> Job:
    made: Kind = kind(name)
    return Job(made, replace(made.config(), samples=samples, seed=seed), show.as_bundle())


def test_work_tells_how_far_it_is_shows_its_best_and_ends_in_a_bundle(walk: Show) -> None:
    job = started(walk, 100)
    seen: list[Report] = []
    until(job, lambda report: bool(seen.append(report)) or report.over)
    parts = [report.part for report in seen]
    assert any(0.0 < part < 1.0 for part in parts)
    best = next(report for report in seen if report.best is not None)
    assert best.best is not None
    assert best.best.shape[1] == walk.character.model.nq
    done = job.report
    assert done.error == ""
    assert done.result is not None
    assert done.result.config["samples"] == 100
    assert done.result.performance is not None
    assert not job._folder.exists()


def test_the_same_seed_gives_the_same_move_here_and_in_a_process(walk: Show) -> None:
    bundle = walk.as_bundle()
    here = basic_work(bundle, BasicWork(samples=40, seed=3), lambda step: None, lambda: False)
    job = started(walk, 40, seed=3)
    there = until(job, lambda report: report.over).result
    assert there is not None
    assert here.performance is not None
    assert there.performance is not None
    assert np.array_equal(here.performance.qpos, there.performance.qpos)


def test_work_that_is_stopped_hands_back_the_best_so_far(walk: Show) -> None:
    steps: list[Step] = []
    done = basic_work(walk.as_bundle(), BasicWork(samples=40), steps.append, lambda: len(steps) == 4)
    assert len(steps) == 4
    assert done.performance is not None
    assert done.performance.duration == pytest.approx(walk.reference.duration, abs=0.04)
    assert isinstance(done.success, bool)


def test_what_goes_wrong_in_the_process_is_a_sentence(walk: Show) -> None:
    made = kind("basic")
    job = Job(Kind(name="magic", title="", about="", config=made.config, top=(), run=made.run), made.config(), walk.as_bundle())
    report = until(job, lambda report: report.over)
    assert report.state == "failed"
    assert "no kind of work named 'magic'" in report.error


def test_a_worker_whose_studio_is_gone_ends(walk: Show, tmp_path: Path) -> None:
    """Its standard input ends with whoever holds it."""
    from surefoot.bundle import save

    save(walk.as_bundle(), tmp_path / "in.surefoot")
    (tmp_path / "job.json").write_text('{"kind": "basic", "config": {"samples": 300, "seed": 0, "search": {"weights": {}}}}')
    command = [sys.executable, "-m", "surefoot.studio.worker", str(tmp_path)]
    worker = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert worker.stdin is not None
    worker.stdin.close()
    assert worker.wait(90) == 0
    assert worker.stdout is not None
    assert b'"done": true' in worker.stdout.read()
    worker.stdout.close()


def test_closing_ends_the_process_at_once(walk: Show) -> None:
    job = started(walk, 500)
    until(job, lambda report: report.part > 0.0)
    job.close()
    assert job._process.poll() is not None
    assert job.report.state == "failed"
    assert not job._folder.exists()
