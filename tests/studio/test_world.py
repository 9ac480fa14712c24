"""A world: played, pushed, looked back at, without threads or a browser."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from surefoot.errors import InputError
from surefoot.studio.show import Show, open_show
from surefoot.studio.world import BALLS, FRAME, KEPT, World


@pytest.fixture(scope="module")
def walk() -> Show:
    return open_show("humanoid/walk")


def test_a_motion_is_replayed_first_pose_by_pose(walk: Show) -> None:
    world = World(walk)
    assert world.mode == "replay"
    world.advance(0.4)
    nq = walk.character.model.nq
    first = world.player.engine.layout.qpos.start
    assert np.array_equal(world.frame.row[first : first + nq], walk.reference.at([0.4])[0])


def test_a_replay_begins_again_or_holds_its_end(walk: Show) -> None:
    world = World(walk)
    last = walk.reference.duration
    world.advance(last + 0.25)
    assert world.time == pytest.approx(0.25)
    world.loop = False
    world.advance(2.0 * last)
    assert world.time == last


def test_a_replay_shows_any_moment_of_its_clip(walk: Show) -> None:
    world = World(walk)
    world.scrub(0.7)
    assert world.frame.time == 0.7
    world.scrub(1e9)
    assert world.frame.time == walk.reference.duration


def test_physics_takes_over_where_the_clip_is(walk: Show) -> None:
    world = World(walk)
    world.advance(0.5)
    before = world.transform("pelvis")[0]
    world.set_mode("simulate")
    assert world.mode == "simulate"
    assert np.allclose(world.transform("pelvis")[0], before, atol=1e-6)
    assert world.frame.ghost is not None


def test_simulated_time_goes_in_whole_steps_however_it_is_asked_for(walk: Show) -> None:
    coarse, fine = World(walk, "simulate"), World(walk, "simulate")
    coarse.advance(0.3)
    for _ in range(37):
        fine.advance(0.3 / 37)
    assert fine.player.time == pytest.approx(0.3, abs=1e-9)
    assert np.array_equal(coarse.frame.row, fine.frame.row)


def test_the_past_is_seen_again_frame_by_frame(walk: Show) -> None:
    world = World(walk, "simulate")
    rows = []
    for _ in range(20):
        world.advance(FRAME)
        rows.append(world.frame)
    world.scrub(rows[4].time)
    assert world.frame is rows[4]
    world.step()
    assert world.frame is rows[5]
    world.advance(FRAME)
    assert world.frame.time > rows[-1].time


def test_a_push_moves_the_body_its_way_and_is_drawn(walk: Show) -> None:
    pushed, free = World(walk, "simulate"), World(walk, "simulate")
    ahead = np.array([np.cos(pushed.facing), np.sin(pushed.facing), 0.0])
    left = np.cross([0.0, 0.0, 1.0], ahead)
    pushed.push(90.0, 300.0)
    for world in (pushed, free):
        world.advance(0.2)
    moved = pushed.transform("chest")[0] - free.transform("chest")[0]
    assert moved @ left > 0.05
    assert abs(moved @ ahead) < 0.5 * (moved @ left)
    (arrow,) = pushed.frame.arrows
    assert arrow.newtons == pytest.approx(300.0)
    assert not arrow.pulls
    pushed.advance(1.0)
    assert pushed.frame.arrows == ()


def test_a_hand_pulls_the_body_it_holds_towards_itself(walk: Show) -> None:
    held, free = World(walk, "simulate"), World(walk, "simulate")
    position, _ = held.transform("chest")
    aside = np.cross([0.0, 0.0, 1.0], [np.cos(held.facing), np.sin(held.facing), 0.0])
    held.pull("chest", held.local("chest", position), position + aside)
    for world in (held, free):
        for _ in range(10):
            world.advance(FRAME)
    assert (held.transform("chest")[0] - free.transform("chest")[0]) @ aside > 0.1
    (arrow,) = held.frame.arrows
    assert arrow.pulls
    assert arrow.force @ aside > 0.5 * arrow.newtons  # it walks on meanwhile
    held.release()
    held.advance(0.3)
    assert held.frame.arrows == ()


def test_a_hand_of_a_camera_that_follows_goes_along_with_the_character(walk: Show) -> None:
    """What is held still on the screen pulls on as it did, however far the character walks."""
    stays, goes = World(walk, "simulate"), World(walk, "simulate")
    for world in (stays, goes):
        chest = world.transform("chest")[0]
        below = world.player.qpos()[:3] * [1.0, 1.0, 0.0]
        if world is goes:
            world.pull("chest", np.zeros(3), chest - below, along=True)
        else:
            world.pull("chest", np.zeros(3), chest)
        world.advance(0.25)
        world.advance(0.25)
    pulls = [world.frame.arrows[0].newtons for world in (stays, goes)]
    assert np.linalg.norm(goes.player.qpos()[:2] - below[:2]) > 0.2
    assert pulls[1] < 0.5 * pulls[0]


def test_two_people_pull_at_once_and_each_lets_go_alone(walk: Show) -> None:
    world = World(walk, "simulate")
    for who, body in ((1, "chest"), (2, "left_wrist")):
        world.pull(body, np.zeros(3), world.transform(body)[0] + [0.0, 0.3, 0.0], who=who)
    world.advance(0.1)
    assert len(world.frame.arrows) == 2
    world.release(1)
    world.advance(0.2)
    assert len(world.frame.arrows) == 1
    world.release(2)
    world.release(2)
    world.advance(0.2)
    assert not world.frame.arrows


def test_a_pull_is_never_stronger_than_its_limit(walk: Show) -> None:
    world = World(walk, "simulate")
    world.pull("chest", np.zeros(3), [1e6, 0.0, 0.0])
    world.advance(0.1)
    assert world.frame.arrows[0].newtons <= 12.0 * walk.character.mass * 1.0001


def test_a_pull_by_no_finite_point_or_no_body_is_an_error(walk: Show) -> None:
    world = World(walk)
    with pytest.raises(InputError, match="finite"):
        world.pull("chest", [np.nan, 0, 0], [0, 0, 0])
    with pytest.raises(InputError, match="no body named 'wing'"):
        world.pull("wing", [0, 0, 0], [0, 0, 0])
    assert world.mode == "replay"


def test_a_ball_is_thrown_and_hits(walk: Show) -> None:
    hit, free = World(walk, "simulate"), World(walk, "simulate")
    hit.throw(20.0)
    for world in (hit, free):
        world.advance(0.6)
    assert np.linalg.norm(hit.transform("chest")[0] - free.transform("chest")[0]) > 1e-3
    for _ in range(2 * BALLS):
        hit.throw()


def test_a_fall_is_noticed_and_standing_up_puts_it_back(walk: Show) -> None:
    world = World(walk, "simulate")
    world.loop = False
    world.push(180.0, 2000.0)
    for _ in range(40):
        world.advance(0.1)
    assert "touched the ground" in world.frame.fallen or "sank" in world.frame.fallen
    world.stand()
    world.advance(FRAME)
    assert world.frame.fallen == ""
    assert world.frame.place < 0.1


def test_a_performance_that_is_over_begins_again(walk: Show) -> None:
    world = World(walk, "simulate")
    places = []
    for _ in range(60):
        world.advance(0.1)
        places.append(world.frame.place)
    assert max(places) < walk.reference.duration + 1.2
    assert sum(b < a for a, b in pairwise(places)) >= 2


def test_the_past_that_is_kept_is_bounded(walk: Show) -> None:
    world = World(walk, "simulate")
    for _ in range(70):
        world.advance(1.0)
    assert world.past()[-1].time - world.past()[0].time <= KEPT + 1.0
    assert world.past()[0].time > 5.0
    assert len(world.past()) <= 1 + KEPT / FRAME
