"""Recordings: replayed bit for bit in another process; damaged and hostile files are one line."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import zipfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from surefoot.archive import pack
from surefoot.errors import InputError
from surefoot.physics import Bumps, Scene
from surefoot.play import Player, Recording
from tests.bundle.cases import dinosaur, learned
from tests.lying import lying

REPLAY = """
import sys
import numpy as np
from surefoot.play import Recording
recording = Recording.load(sys.argv[1])
again = recording.replay()
assert np.array_equal(again, recording.states)
sys.stdout.write(again.tobytes().hex()[-64:] + " " + str(again.shape))
"""


@cache
def played() -> Recording:
    """Feedback on bumpy ground, pushed, thrown at, reset."""
    made = learned()
    player = Player(made.character, made.policy, made.reference, scene=Scene(ground=Bumps(seed=4)), balls=1)
    player.advance(0.11)
    player.push((80.0, 40.0, 0.0), torque=(1.0, 2.0, 3.0))
    player.advance(0.2)
    player.throw()
    player.advance(0.3)
    player.reset()
    player.advance(0.1)
    return player.recording()


def test_a_recording_replays_bit_for_bit_in_another_process(tmp_path: Path) -> None:
    played().save(tmp_path / "a.npz")
    done = subprocess.run([sys.executable, "-c", REPLAY, str(tmp_path / "a.npz")], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == played().states.tobytes().hex()[-64:] + " " + str(played().states.shape)


def test_what_is_read_is_what_was_written(tmp_path: Path) -> None:
    mine = played()
    mine.save(tmp_path / "a.npz")
    mine.save(tmp_path / "b.npz")
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    again = Recording.load(tmp_path / "a.npz")
    for name in ("start", "states", "targets", "linear", "substeps", "times"):
        assert np.array_equal(getattr(again, name), getattr(mine, name)), name
    assert again.events == mine.events
    assert len(again.events) >= 3
    assert again.scene == mine.scene
    assert {k: row.tolist() for k, row in again.written.items()} == {k: row.tolist() for k, row in mine.written.items()}
    assert [(p.body, p.duration, list(np.asarray(p.torque))) for p in again.pushes] == [
        (p.body, p.duration, list(np.asarray(p.torque))) for p in mine.pushes
    ]
    np.testing.assert_array_equal(again.qpos(), mine.qpos())


def test_a_player_that_does_not_record_says_so() -> None:
    made = dinosaur()
    player = Player(made.character, made.policy, made.reference, record=False)
    player.advance(0.1)
    with pytest.raises(InputError, match="make it with record=True"):
        player.recording()


def test_a_recording_of_nothing_is_a_recording(tmp_path: Path) -> None:
    made = dinosaur()
    empty = Player(made.character, made.policy, made.reference).recording()
    empty.save(tmp_path / "a.npz")
    again = Recording.load(tmp_path / "a.npz")
    assert len(again.states) == len(again.replay()) == 0
    assert again.qpos().shape == (1, made.character.model.nq)


def changed(**changes: Any) -> bytes:
    """The bytes of a recording with some members or facts changed; None takes one away."""
    file = io.BytesIO()
    folder = Path(cache_file())
    with np.load(folder, allow_pickle=False) as arrays:
        members: dict[str, Any] = {name: arrays[name] for name in arrays.files}
    facts = json.loads(bytes(members["facts"]))
    for name, value in changes.items():
        where = facts if name in facts else members
        if value is None:
            del where[name]
        else:
            where[name] = value(where[name]) if callable(value) else value
    members["facts"] = np.frombuffer(json.dumps(facts).encode(), dtype=np.uint8)
    np.savez(file, **members)
    return file.getvalue()


@cache
def cache_file() -> str:
    import tempfile

    folder = tempfile.mkdtemp()
    played().save(f"{folder}/a.npz")
    return f"{folder}/a.npz"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"schema": 2}, "recorded by a newer surefoot; this one reads schema 1"),
        ({"schema": "1"}, "not a recording of surefoot"),
        ({"start": None}, "start.npy is missing"),
        ({"states": lambda a: a[:-1]}, "different lengths"),
        ({"states": lambda a: a[:, :-1]}, "different lengths"),
        ({"start": lambda a: np.concatenate([a, a])}, "different lengths"),
        ({"states": lambda a: a.ravel()}, "has the shape"),
        ({"targets": lambda a: a.ravel(), "linear": lambda a: a.ravel()}, "has the shape"),
        ({"pushes": [{"body": "chest", "force": [0, 0, 0], "torque": [0, 0, 0], "start": 10**400, "duration": 1}]}, "."),
        ({"targets": lambda a: a[:, :-1]}, "different widths"),
        ({"substeps": lambda a: 0 * a}, "a period has 1 to 10000 steps"),
        ({"substeps": lambda a: 0 * a + 10**9}, "a period has 1 to 10000 steps"),
        ({"characters": {"x": "<mujoco/>"}}, "x"),
        ({"characters": {}}, "1 to 32 characters, got 0"),
        ({"characters": {"x": '<mujoco><include file="/etc/passwd"/></mujoco>'}}, "reaches outside the file"),
        ({"pushes": [{"body": "nobody", "force": [0, 0, 0], "torque": [0, 0, 0], "start": 0, "duration": 1}]}, "nobody"),
        ({"pushes": [{"body": 1}]}, "not a recording of surefoot"),
        ({"scene": {"ground": 5}}, "."),
        ({"start": np.array([object()], dtype=object)}, "pickled objects are not read"),
        ({"pushes": [{"body": "chest", "force": [1e999, 0, 0], "torque": [0, 0, 0], "start": 0, "duration": 1}]}, "not finite"),
        ({"targets": lambda a: a * np.nan}, "a NaN or an infinity"),
        ({"written_at": lambda a: a - 100}, "a row is written before period"),
        ({"targets": lambda a: a[:, 1:], "linear": lambda a: a[:, 1:]}, "servos, the recording"),
    ],
)
def test_damaged_recordings_are_one_line_when_they_are_read_or_replayed(changes: dict[str, Any], said: str, tmp_path: Path) -> None:
    (tmp_path / "a.npz").write_bytes(changed(**changes))
    with pytest.raises(InputError, match=said) as caught:
        Recording.load(tmp_path / "a.npz").replay()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("cut", [0, 1, 100, -40, -1])
def test_recordings_that_were_cut_off_are_one_line(cut: int, tmp_path: Path) -> None:
    (tmp_path / "a.npz").write_bytes(Path(cache_file()).read_bytes()[:cut])
    with pytest.raises(InputError):
        Recording.load(tmp_path / "a.npz")


@pytest.mark.parametrize("member", ["facts", "start", "states", "targets", "linear", "substeps", "written", "written_at"])
def test_headers_that_lie_are_refused_before_anything_is_made(member: str, tmp_path: Path) -> None:
    with zipfile.ZipFile(cache_file()) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    for content in lying(members[f"{member}.npy"]):
        (tmp_path / "a.npz").write_bytes(pack({**members, f"{member}.npy": content}))
        with pytest.raises(InputError, match=r"^a\.npz: ") as caught:
            Recording.load(tmp_path / "a.npz")
        assert "\n" not in str(caught.value)


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.npz", "w", zipfile.ZIP_DEFLATED) as archive, archive.open("facts.npy", "w") as member:
        for _ in range(1100):
            member.write(bytes(1 << 20))
    with pytest.raises(InputError, match="more than the 1024 MB"):
        Recording.load(tmp_path / "a.npz")
