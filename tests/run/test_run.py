"""Run folders: one writer, whole states, the same result however often they are killed."""

from __future__ import annotations

import errno
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from surefoot.errors import InputError
from surefoot.run import Checkpoint, open_run, random_state, restored
from tests.soak.soak import soak

CONFIG = {"samples": 100, "seed": 0, "versions": {"numpy": "2"}}
HOLD = """
import sys, time
from surefoot.run import open_run
with open_run(sys.argv[1], {}) as run:
    run.checkpoint(1, {}, {})
    print("held", flush=True)
    time.sleep(60)
"""


def test_a_run_goes_on_where_it_was(tmp_path: Path) -> None:
    with open_run(tmp_path / "a", CONFIG) as run:
        assert run.latest is None
        for step in range(1, 5):
            run.checkpoint(step, {"best": 1.5, "name": "walk"}, {"x/y": np.arange(step), "mask": np.array([True])})
    with open_run(tmp_path / "a", CONFIG, resume=True) as run:
        assert isinstance(run.latest, Checkpoint)
        assert run.latest.step == 4
        assert run.latest.facts == {"best": 1.5, "name": "walk"}
        assert run.latest.arrays["x/y"].tolist() == [0, 1, 2, 3]
        assert run.latest.arrays["mask"].tolist() == [True]
    names = {path.name for path in (tmp_path / "a").iterdir()}
    assert names == {"config.json", "log.txt", "lock", "step-00000003.zip", "step-00000004.zip"}


@pytest.mark.parametrize("draws", [0, 1, 7])
def test_a_random_generator_goes_on_where_it_was(draws: int) -> None:
    rng = np.random.default_rng(3)
    rng.integers(10, size=draws, dtype=np.int32)  # an odd number leaves half a word behind
    again = restored(random_state(rng))
    assert np.array_equal(again.integers(10, size=5, dtype=np.int32), rng.integers(10, size=5, dtype=np.int32))
    assert np.array_equal(again.normal(size=50), rng.normal(size=50))


def test_generators_of_other_kinds_and_damaged_states_are_refused() -> None:
    with pytest.raises(InputError, match="default_rng"):
        random_state(np.random.Generator(np.random.MT19937(0)))
    for wrong in ({}, {"state": {"state": "zz", "inc": "1"}}, {"state": 5}, "x"):
        with pytest.raises(InputError, match="damaged"):
            restored(wrong)


def test_a_folder_with_a_run_is_not_begun_again(tmp_path: Path) -> None:
    with open_run(tmp_path / "a", CONFIG) as run:
        run.checkpoint(1, {}, {})
    with pytest.raises(InputError, match="go on with --resume"), open_run(tmp_path / "a", CONFIG):
        pass


def test_another_config_is_refused_with_the_line_that_differs(tmp_path: Path) -> None:
    with open_run(tmp_path / "a", CONFIG) as run:
        run.checkpoint(1, {}, {})
    with (
        pytest.raises(InputError, match=r'there "samples": 100, here "samples": 200'),
        open_run(tmp_path / "a", {**CONFIG, "samples": 200}, resume=True),
    ):
        pass


def test_what_is_not_there_is_not_resumed(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no run in it"), open_run(tmp_path / "a", CONFIG, resume=True):
        pass
    assert not (tmp_path / "a").exists()


def test_a_path_that_is_a_file_and_a_parent_that_is_missing_are_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    for path, match in ((tmp_path / "file", "not a folder"), (tmp_path / "file" / "a", "no folder"), (tmp_path / "no" / "a", "no folder")):
        with pytest.raises(InputError, match=match), open_run(path, CONFIG):
            pass
    assert (tmp_path / "file").read_text(encoding="utf-8") == "x"


def test_a_second_writer_is_refused_while_the_first_lives_and_welcome_when_it_died(tmp_path: Path) -> None:
    first = subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path / "a")], stdout=subprocess.PIPE, text=True)
    try:
        assert first.stdout is not None
        assert first.stdout.readline() == "held\n"
        with pytest.raises(InputError, match=f"process {first.pid} on .* is writing"), open_run(tmp_path / "a", {}, resume=True):
            pass
    finally:
        first.send_signal(signal.SIGKILL)
        first.wait()
        first.stdout.close()
    with open_run(tmp_path / "a", {}, resume=True) as run:
        assert run.latest is not None


def test_a_second_writer_in_the_same_process_is_refused(tmp_path: Path) -> None:
    with open_run(tmp_path / "a", CONFIG), pytest.raises(InputError, match="is writing"), open_run(tmp_path / "a", CONFIG):
        pass


def test_without_the_system_s_locks_the_number_of_the_process_decides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("surefoot.run.lock.fcntl", None)
    (tmp_path / "a").mkdir()
    host = os.uname().nodename
    (tmp_path / "a" / "lock").write_text(f"{os.getppid()} {host}\n", encoding="utf-8")
    with pytest.raises(InputError, match="is writing"), open_run(tmp_path / "a", CONFIG):
        pass
    (tmp_path / "a" / "lock").write_text(f"{2**22 + 5} {host}\n", encoding="utf-8")  # above the largest number a process may have
    with open_run(tmp_path / "a", CONFIG):
        pass


def test_a_damaged_checkpoint_gives_way_to_the_one_before(tmp_path: Path) -> None:
    with open_run(tmp_path / "a", CONFIG) as run:
        run.checkpoint(1, {}, {"x": np.ones(3)})
        run.checkpoint(2, {}, {"x": np.ones(3)})
    newest = tmp_path / "a" / "step-00000002.zip"
    newest.write_bytes(newest.read_bytes()[:-30])
    with open_run(tmp_path / "a", CONFIG, resume=True) as run:
        assert run.latest is not None
        assert run.latest.step == 1
    assert "damaged" in (tmp_path / "a" / "log.txt").read_text(encoding="utf-8")
    for path in (tmp_path / "a").glob("step-*"):
        path.write_bytes(b"PK\x03\x04")
    with pytest.raises(InputError, match="all its checkpoints are damaged"), open_run(tmp_path / "a", CONFIG, resume=True):
        pass


def test_what_a_killed_writer_left_half_done_goes(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / ".step-00000001.zip.abc.part").write_bytes(b"half")
    with open_run(tmp_path / "a", CONFIG):
        pass
    assert not list((tmp_path / "a").glob(".*"))


def test_checkpoints_are_due_after_their_time(tmp_path: Path) -> None:
    with open_run(tmp_path / "a", CONFIG, every_s=0.0) as run:
        assert run.due
    with open_run(tmp_path / "b", CONFIG, every_s=60.0) as run:
        assert not run.due


FULL = """
import resource, sys
import numpy as np
from surefoot.run import open_run
with open_run(sys.argv[1], {}, resume=True) as run:
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
    try:
        run.checkpoint(2, {}, {"x": np.ones(10_000)})
    except OSError as error:
        print(type(error).__name__, error.errno)
"""


def test_a_full_disk_leaves_the_last_checkpoint(tmp_path: Path) -> None:
    with open_run(tmp_path / "a", {}) as run:
        run.checkpoint(1, {}, {"x": np.arange(5)})
    done = subprocess.run([sys.executable, "-c", FULL, str(tmp_path / "a")], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "OSError 27\n"  # "File too large", as a quota says it
    assert not list((tmp_path / "a").glob(".*"))
    with open_run(tmp_path / "a", {}, resume=True) as run:
        assert run.latest is not None
        assert run.latest.arrays["x"].tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("fault", [errno.EROFS, errno.ENOSPC, errno.EACCES])
@pytest.mark.parametrize("place", ["tempfile.mkstemp", "os.replace", "os.fsync"])
def test_a_file_system_that_turns_read_only_or_full_leaves_old_files_intact(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: int, place: str
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(fault, os.strerror(fault))

    with open_run(tmp_path / "a", CONFIG) as run:
        run.checkpoint(1, {}, {"x": np.arange(5)})
        run.checkpoint(2, {}, {"x": np.arange(6)})
        before = {path.name: path.read_bytes() for path in (tmp_path / "a").iterdir() if path.name != "log.txt"}
        with monkeypatch.context() as patch:
            patch.setattr(place, refuse)
            with pytest.raises(OSError, match=re.escape(os.strerror(fault))) as caught:
                run.checkpoint(3, {}, {"x": np.arange(9)})
            assert caught.value.filename == str(tmp_path / "a" / "step-00000003.zip")
        assert {path.name: path.read_bytes() for path in (tmp_path / "a").iterdir() if path.name != "log.txt"} == before
        run.checkpoint(3, {}, {"x": np.arange(7)})
    with open_run(tmp_path / "a", CONFIG, resume=True) as run:
        assert run.latest is not None
        assert run.latest.step == 3


def test_killed_three_times_it_ends_in_the_same_bytes(tmp_path: Path) -> None:
    report = soak(tmp_path, kills=3, steps=40, pause=0.01, seed=1)
    assert report.kills == 3
    assert report.finished >= 1
    assert report.different == []
