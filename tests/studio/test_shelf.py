"""What has been opened from the page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from surefoot import material
from surefoot.bundle import encode
from surefoot.errors import InputError
from surefoot.motion.files import write_motion
from surefoot.studio import shelf as module
from surefoot.studio.shelf import Shelf, harmless
from surefoot.studio.show import Show, open_show


@pytest.fixture(scope="module")
def walk() -> Show:
    return open_show("humanoid/walk")


@pytest.fixture
def shelf(walk: Show) -> Iterator[Shelf]:
    made = Shelf(walk)
    yield made
    made.close()


@pytest.fixture(scope="module")
def bvh(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    file = tmp_path_factory.mktemp("clip") / "a.bvh"
    write_motion(material.motion("humanoid/walk"), file)
    return file.read_bytes()


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("../../etc/passwd.bvh", "passwd.bvh"),
        ("C:\\secret\\walk.BVH", "walk.bvh"),
        ("..bvh", "bvh"),
        (".hidden.glb", "hidden.glb"),
        ("a\x00b\n.bvh", "a_b_.bvh"),
        ("x" * 300 + ".bvh", "x" * 80 + ".bvh"),
        ("", "file"),
        ("Läufer 2.bvh", "Läufer 2.bvh"),
    ],
)
def test_names_from_strangers_become_harmless(given: str, kept: str) -> None:
    assert harmless(given) == kept


def test_a_motion_and_a_bundle_are_opened_and_stay_to_choose_from(shelf: Shelf, walk: Show, bvh: bytes) -> None:
    show = shelf.handed_in("my walk.bvh", bvh)
    assert isinstance(show, Show)
    assert show.mode == "replay"
    other = shelf.handed_in("kept.surefoot", encode(walk.as_bundle()))
    assert isinstance(other, Show)
    assert other.mode == "simulate"
    assert shelf.names == ("humanoid/walk", "my walk.bvh", "humanoid/walk 2")
    assert shelf.show("my walk.bvh") is show


def test_the_same_name_twice_is_told_apart(shelf: Shelf, bvh: bytes) -> None:
    for _ in range(3):
        shelf.handed_in("a.bvh", bvh)
    assert shelf.names[1:] == ("a.bvh", "a.bvh 2", "a.bvh 3")


def test_what_is_neither_motion_nor_bundle_is_refused_and_not_kept(shelf: Shelf) -> None:
    with pytest.raises(InputError, match=r"run.exe: no motion and no bundle; open one of \.surefoot, \.bvh"):
        shelf.handed_in("run.exe", b"MZ")
    with pytest.raises(InputError, match=r"bad\.bvh"):
        shelf.handed_in("bad.bvh", b"HIERARCHY\nnonsense")
    assert shelf._folder is not None
    assert list(shelf._folder.iterdir()) == []
    assert shelf.names == ("humanoid/walk",)


def test_a_clip_of_a_gltf_is_chosen(shelf: Shelf) -> None:
    first = shelf.handed_in("people.glb", material.glb("humanoid"))
    assert isinstance(first, Show)
    second = shelf.clip(first, first.clips[1])
    assert second.clip == first.clips[1]
    with pytest.raises(InputError, match="no clip named 'nothing'"):
        shelf.clip(first, "nothing")


def test_files_and_shows_that_are_kept_are_bounded(shelf: Shelf, bvh: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_BYTES", 3 * len(bvh))
    monkeypatch.setattr(module, "MAX_SHOWS", 4)
    for k in range(6):
        shelf.handed_in(f"{k}.bvh", bvh)
    assert shelf._folder is not None
    assert sorted(file.name for file in shelf._folder.iterdir()) == ["3.bvh", "4.bvh", "5.bvh"]
    assert len(shelf.names) == 4


def test_a_file_that_belongs_to_another_waits_for_it(shelf: Shelf) -> None:
    assert shelf.handed_in("02.asf", b":version 1.10") == "02.asf is kept; now open the file that needs it."


def test_the_folder_ends_with_the_studio(walk: Show, bvh: bytes) -> None:
    shelf = Shelf(walk)
    shelf.handed_in("a.bvh", bvh)
    folder: Path | None = shelf._folder
    assert folder is not None
    assert folder.exists()
    shelf.close()
    assert not folder.exists()
