"""What is taken along: the performance as it was played."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from surefoot import material
from surefoot.bundle import decode
from surefoot.errors import InputError
from surefoot.motion.files import read_motion
from surefoot.studio.show import Show, open_show
from surefoot.studio.take import Played, evenly, file_of, since_beginning
from surefoot.studio.world import FRAME, World


@pytest.fixture(scope="module")
def walk() -> Show:
    return open_show("humanoid/walk")


@pytest.fixture(scope="module")
def played(walk: Show) -> Played:
    world = World(walk, "simulate")
    world.loop = False
    for k in range(50):
        if k == 10:
            world.push(90.0, 150.0)
        world.advance(1.0 / 60.0)
    return Played(show=walk, frames=world.taken(), qpos=world.player.engine.layout.qpos)


def test_a_bundle_holds_what_was_played_pushes_and_all(played: Played) -> None:
    again = decode(file_of(played, "Bundle"), "played.surefoot")
    assert again.performance is not None
    assert again.performance.duration == pytest.approx(played.frames[-1].time, abs=FRAME)
    nq = played.show.character.model.nq
    first = played.qpos.start
    assert np.allclose(again.performance.qpos[0], played.frames[0].row[first : first + nq])
    unpushed = again.reference.at([again.performance.duration])[0]
    assert np.abs(again.performance.qpos[-1, :3] - unpushed[:3]).max() > 0.02


def test_a_bvh_is_on_the_sources_skeleton_where_the_simulation_had_it(played: Played, tmp_path: Path) -> None:
    (tmp_path / "back.bvh").write_bytes(file_of(played, "BVH"))
    back = read_motion(tmp_path / "back.bvh")
    made = played.bundle()
    assert made.performance is not None
    assert set(back.skeleton.names) == set(material.motion("humanoid/walk").skeleton.names)
    place, _ = made.character.world(made.performance.qpos)
    root = back.joint_positions[:, back.skeleton.names.index(made.character.skeleton.names[0])]
    assert np.abs(root - place[:, 0]).max() < 2e-3


def test_a_glb_takes_the_source_with_it(tmp_path: Path) -> None:
    (tmp_path / "people.glb").write_bytes(material.glb("humanoid"))
    show = open_show(tmp_path / "people.glb")
    world = World(show, "simulate")
    for _ in range(20):
        world.advance(FRAME)
    played = Played(show=show, frames=world.taken(), qpos=world.player.engine.layout.qpos)
    (tmp_path / "back.glb").write_bytes(file_of(played, "GLB"))
    from surefoot.motion.files import list_clips

    assert len(list_clips(tmp_path / "back.glb")) == len(show.clips) + 1
    assert read_motion(tmp_path / "back.glb").duration == pytest.approx(world.time, abs=2 * FRAME)


def test_a_replay_gives_the_clip_itself(walk: Show, tmp_path: Path) -> None:
    played = Played(show=walk, frames=(), qpos=slice(0, 0))
    (tmp_path / "clip.bvh").write_bytes(file_of(played, "BVH"))
    clip = material.motion("humanoid/walk")
    assert read_motion(tmp_path / "clip.bvh").num_frames == clip.num_frames
    assert played.file == "humanoid walk"


def test_a_performance_begins_where_it_last_began(walk: Show) -> None:
    world = World(walk, "simulate")
    for _ in range(30):
        world.advance(FRAME)
    world.stand()
    for _ in range(12):
        world.advance(FRAME)
    frames = since_beginning(world.taken())
    assert 9 <= len(frames) <= 13
    assert frames[0].place < 0.1
    assert all(b.place > a.place for a, b in pairwise(frames))


def test_a_performance_that_physics_entered_midway_starts_again_at_the_beginning(walk: Show) -> None:
    world = World(walk)
    world.advance(0.6)
    world.set_mode("simulate")
    world.advance(0.2)
    assert world.frame.place == pytest.approx(0.8, abs=0.03)
    before = world.time
    world.stand()
    world.advance(0.2)
    assert world.frame.place == pytest.approx(0.2, abs=0.03)
    assert world.time == pytest.approx(before + 0.2)
    assert len(world.player.events) == 0


def test_uneven_times_become_even_ones(walk: Show) -> None:
    times = np.array([0.0, 0.03, 0.07, 0.1, 0.14, 0.2])
    want = walk.reference.at(times)
    found = evenly(walk.character.model, times, want, 0.02)
    assert len(found) == 11
    assert np.allclose(found[5], want[3])
    assert np.allclose(np.linalg.norm(found[:, 3:7], axis=1), 1.0)
    assert np.array_equal(evenly(walk.character.model, times[:1], want[:1], 0.02), want[:1])


def test_an_unknown_kind_of_file_lists_what_there_is(played: Played) -> None:
    with pytest.raises(InputError, match="'FBX' is none of BVH, GLB, MP4"):
        file_of(replace(played, frames=()), "FBX")


@pytest.mark.slow
def test_a_film_is_drawn_in_a_process_of_its_own(played: Played) -> None:
    pytest.importorskip("imageio_ffmpeg")
    assert file_of(played, "MP4")[4:8] == b"ftyp"
