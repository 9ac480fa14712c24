"""The studio in a real browser: what a person sees, does and takes away. Pictures go to out/."""

from __future__ import annotations

import io
import re
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from surefoot import material
from surefoot.bundle import load
from surefoot.motion.files import read_motion, write_motion
from surefoot.studio.view import FROM, extent
from tests.studio.browser import CHEAP, MIDDLE, SIZE, button, keep, launched, needs_browser, number, opened, said, tab, until

pytestmark = [needs_browser, pytest.mark.filterwarnings("ignore::DeprecationWarning")]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as drive:
        made = launched(drive)
        yield made
        made.close()


@pytest.fixture(scope="module")
def shared() -> Iterator[Any]:
    from surefoot.studio.show import open_show
    from surefoot.studio.studio import Studio

    made = Studio(open_show("humanoid/walk"), port=0)
    made._view._shadows.value = False
    made._view._light()
    yield made
    made.close()


@pytest.fixture
def studio(shared: Any) -> Any:
    """One studio for all tests, each beginning with the walk, replayed."""
    shared.live.put_on(shared.shelf.show("humanoid/walk"))
    shared.live.set_loop(True)
    shared.live.set_speed(1.0)
    return shared


@pytest.fixture(scope="module")
def first(browser: Any, shared: Any) -> Iterator[Any]:
    made = opened(browser, shared.address)
    yield made
    made.close()


@pytest.fixture
def page(first: Any, studio: Any) -> Any:
    """One page for all tests, its first tab open."""
    tab(first, "Push")
    return first


def place(studio: Any) -> np.ndarray:
    """The character's pose as it is shown."""
    sight = studio.live.sight
    first = sight.layout.qpos.start
    return np.array(sight.frame.row[first : first + sight.show.character.model.nq])


def test_the_page_paints_within_three_seconds(browser: Any, studio: Any) -> None:
    """The best of a few; on a crowded machine, in seconds that it would have been alone there."""
    painted = []
    for _ in range(5):
        alone = share()
        context = browser.new_context(viewport=SIZE)
        fresh = context.new_page()
        fresh.goto(f"{studio.address}?{CHEAP}")
        fresh.wait_for_function("performance.getEntriesByName('first-contentful-paint').length > 0", timeout=60_000)
        painted.append(fresh.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime") * min(alone, share()))
        context.close()
        if painted[-1] < 3000.0:
            break
    assert min(painted) < 3000.0


def share() -> float:
    """Which part of a processor one gets now: 1 on a machine that has nothing else to do."""
    wall, work = time.perf_counter(), time.process_time()
    while time.process_time() - work < 0.2:
        pass
    return min(0.2 / (time.perf_counter() - wall), 1.0)


def test_the_character_is_seen_and_moves(page: Any, studio: Any) -> None:
    assert page.title() == "Surefoot"
    before, at = keep(page, "loaded"), place(studio)
    until(lambda: keep(page, "moving") != before, "another picture")
    assert not np.array_equal(place(studio), at)
    assert "Without physics" in said(page)


def test_a_body_that_is_dragged_is_pulled_with_an_arrow(page: Any, studio: Any) -> None:
    until(lambda: studio.live.sight.frame.time > 0.1, "play")
    time.sleep(1.0)
    button(page, "Pause").click()
    page.mouse.move(*MIDDLE)
    page.mouse.down()
    for k in range(1, 16):
        page.mouse.move(MIDDLE[0] + 12 * k, MIDDLE[1])
        time.sleep(0.05)
    sight = until(lambda: studio.live.sight if any(a.pulls for a in studio.live.sight.frame.arrows) else None, "an arrow")
    keep(page, "dragged")
    (arrow,) = [arrow for arrow in sight.frame.arrows if arrow.pulls]
    assert arrow.newtons > 20.0
    assert sight.mode == "simulate"
    assert sight.playing
    world = studio.live._world
    begun = world.time
    until(lambda: world.time > begun + 0.5, "half a second with the hand held still")
    (pull,) = world._pulls.values()
    root = world.player.qpos()[:3]
    assert pull.along
    assert np.linalg.norm(pull.target(root) - root) < 2.0 * sight.show.character.height  # it went along with the camera
    page.mouse.up()
    until(lambda: not any(a.pulls for a in studio.live.sight.frame.arrows), "the hand to let go")
    assert "simulated" in said(page)


def camera(studio: Any) -> np.ndarray:
    """Where the newest viewer's camera stands, seen from what it looks at."""
    client = studio.server.get_clients()[max(studio.server.get_clients())]
    return np.array(client.camera.position) - np.array(client.camera.look_at)


def test_a_camera_that_lost_the_character_is_brought_back(page: Any, studio: Any) -> None:
    home = studio.live.sight.show.character.height * FROM
    page.mouse.move(60, 500)
    page.mouse.down()
    page.mouse.move(160, 380, steps=6)
    page.mouse.up()
    until(lambda: np.linalg.norm(camera(studio) - home) > 0.5, "another view")
    button(page, "Camera back").click()
    until(lambda: np.allclose(camera(studio), home, atol=1e-2), "the view of before")


def test_pushes_balls_falls_and_standing_up(page: Any, studio: Any) -> None:
    page.get_by_text("Loop", exact=True).locator("xpath=following::input[@type='checkbox'][1]").uncheck()
    until(lambda: not studio.live.sight.loop, "the loop to be off")
    number(page, "Strength [N]").fill("400")
    button(page, "←").click()
    until(lambda: any(a.newtons == pytest.approx(400.0) for a in studio.live.sight.frame.arrows), "a push of 400 N")
    until(lambda: "Fell:" in said(page), "the fall to be told")
    keep(page, "fallen")
    button(page, "Throw a ball").click()
    until(lambda: any("thrown" in line for line in studio.live._world.player.events), "a ball")
    button(page, "Stand up again").click()
    until(lambda: not studio.live.sight.frame.fallen, "the character on its feet")
    until(lambda: "Fell:" not in said(page), "the page to say so")


def test_the_time_line_shows_the_moment_that_is_asked_for_steps_and_slows(page: Any, studio: Any) -> None:
    number(page, "Time [s]").fill("0.5")
    sight = until(lambda: None if studio.live.sight.playing else studio.live.sight, "the pause")
    assert sight.frame.time == 0.5
    assert np.allclose(place(studio), sight.show.reference.at([0.5])[0])
    button(page, "Step").click()
    until(lambda: studio.live.sight.frame.time > 0.5, "a step")
    assert studio.live.sight.frame.time == pytest.approx(0.5 + 1.0 / 30.0)
    assert not studio.live.sight.playing
    page.get_by_text("Speed", exact=True).locator("xpath=following::input[@role='combobox'][1]").click()
    page.get_by_role("option", name="¼×").click()
    until(lambda: studio.live.sight.speed == 0.25, "a quarter of the speed")
    button(page, "Play").click()
    until(lambda: studio.live.sight.playing, "play")


def test_curves_are_drawn_of_a_simulation(page: Any, studio: Any) -> None:
    button(page, "↑").click()
    tab(page, "Curves")
    page.get_by_text("Draw curves", exact=True).locator("xpath=following::input[@type='checkbox'][1]").check()
    for title in (
        "Tracking error [mm]",
        "Terms of the cost",
        "Contact forces [N]",
        "Torques of the joint [N m]",
        "Action offsets of the joint [°]",
    ):
        page.get_by_text(title, exact=True).wait_for()
    time.sleep(2.0)
    keep(page, "curves")
    with studio.server.atomic():
        drawn = {name: chart._handle.data for name, chart in studio._plots._charts.items()}
    for name, (times, *curves) in drawn.items():
        assert len(times) > 10, name
        assert all(len(curve) == len(times) and np.isfinite(curve).all() for curve in curves), name
    assert max(float(curve.max()) for curve in drawn["contact"][1:]) > 100.0  # it walks on its feet


def test_two_viewers_see_the_same_and_a_closed_page_stops_nothing(browser: Any, page: Any, studio: Any) -> None:
    other = opened(browser, studio.address)
    try:
        button(page, "Pause").click()
        until(lambda: button(other, "Play").count() == 1, "the other page's button")
        number(page, "Time [s]").fill("0.7")
        until(lambda: number(other, "Time [s]").input_value() == "0.7", "the other page's time line")
        button(other, "Play").click()
        until(lambda: button(page, "Pause").count() == 1, "the first page's button")
        button(page, "↑").click()
        until(lambda: "simulated" in said(other), "the other page to say so")
    finally:
        other.close()  # like any page that is closed
    begun = studio.live.sight.frame.time
    until(lambda: studio.live.sight.frame.time > begun + 1.0, "the world to go on")
    again = opened(browser, studio.address)
    until(lambda: abs(float(number(again, "Time [s]").input_value()) - studio.live.sight.frame.time) < 1.0, "the present")
    again.close()


def handed_in(page: Any, name: str, data: bytes) -> None:
    """Choose a file in the page's dialogue."""
    page.set_input_files("input[type=file]", {"name": name, "mimeType": "application/octet-stream", "buffer": data})


def test_a_motion_that_is_handed_in_is_reconstructed_plays_and_is_kept(page: Any, studio: Any, tmp_path: Path) -> None:
    write_motion(material.motion("humanoid/walk"), tmp_path / "my walk.bvh")
    handed_in(page, "my walk.bvh", (tmp_path / "my walk.bvh").read_bytes())
    until(lambda: studio.live.sight.show.name == "my walk.bvh", "the file on stage")
    tab(page, "Learn")
    number(page, "Samples").fill("120")
    button(page, "Start").click()
    until(lambda: studio.live.sight.show.compare is not None, "the best so far on stage")
    keep(page, "learning")
    until(lambda: "Done:" in said(page), "success", 90.0)
    until(lambda: studio.live.sight.show.bundle is not None, "the result on stage")
    sight = studio.live.sight
    assert sight.mode == "simulate"
    assert sight.show.bundle.success
    assert sight.show.bundle.method == "basic"
    with page.expect_download() as coming:
        button(page, "Keep the result").click()
    coming.value.save_as(tmp_path / "kept.surefoot")
    again = load(tmp_path / "kept.surefoot")
    assert again.config["samples"] == 120
    assert again.motion is not None
    assert set(again.motion.skeleton.names) == set(material.motion("humanoid/walk").skeleton.names)
    keep(page, "learned")


@pytest.mark.slow
def test_a_job_is_stopped_and_hands_back_its_best(page: Any, studio: Any) -> None:
    tab(page, "Learn")
    number(page, "Samples").fill("4000")
    button(page, "Start").click()
    until(lambda: studio.learning.job and studio.learning.job.report.part > 0.05, "a start")
    button(page, "Stop and take the best").click()
    until(lambda: studio.learning.job.report.over, "the end")
    report = studio.learning.job.report
    assert report.error == ""
    assert report.result is not None
    until(lambda: "Not there yet:" in said(page) or "Done:" in said(page), "the page to say so")


@pytest.mark.slow
def test_learning_is_started_from_the_page_shows_what_it_begins_with_and_is_stopped(page: Any, studio: Any) -> None:
    tab(page, "Learn")
    what = page.get_by_text("What", exact=True).locator("xpath=following::input[@role='combobox'][1]")
    what.click()
    page.get_by_role("option", name="Learn to stay up").click()
    page.get_by_text("Shape", exact=True).wait_for()  # the panel of its own config
    button(page, "Start").click()
    until(lambda: studio.live.sight.show.compare is not None, "the policy before learning on stage", 200.0)
    assert studio.live.sight.show.reference.duration > 4.0
    until(lambda: "the best so far" in said(page), "the page to say what is played")
    until(lambda: 0.0 < studio.learning.job.report.part < 1.0 and "of its walks" in said(page), "the bar to move")
    keep(page, "guided")
    button(page, "Stop and take the best").click()
    until(lambda: studio.learning.job.report.over, "the end")
    assert "before anything was learned" in studio.learning.job.report.error
    until(lambda: studio.live.sight.show.compare is None, "the clip on stage again")
    what.click()
    page.get_by_role("option", name="Reconstruct (basic)").click()
    number(page, "Samples").wait_for()


@pytest.mark.slow
def test_a_clip_inside_a_gltf_is_chosen(page: Any, studio: Any) -> None:
    handed_in(page, "people.glb", material.glb("humanoid"))
    until(lambda: studio.live.sight.show.file is not None and studio.live.sight.show.clips, "the file on stage")
    clips = studio.live.sight.show.clips
    assert len(clips) > 3
    page.get_by_text("Clip", exact=True).locator("xpath=following::input[@role='combobox'][1]").click()
    page.get_by_role("option", name=clips[1], exact=True).click()
    until(lambda: studio.live.sight.show.clip == clips[1], "the other clip")
    keep(page, "clips")


def test_a_file_that_is_dropped_on_the_page_is_opened(page: Any, studio: Any, tmp_path: Path) -> None:
    write_motion(material.motion("dinosaur/walk"), tmp_path / "dino.bvh")
    text = (tmp_path / "dino.bvh").read_text(encoding="utf-8")
    page.evaluate(
        """text => {
            const carried = new DataTransfer();
            carried.items.add(new File([text], "dino.bvh"));
            document.querySelector("canvas").dispatchEvent(new DragEvent("drop", {dataTransfer: carried, bubbles: true, cancelable: true}));
        }""",
        text,
    )
    distance = float(np.linalg.norm(camera(studio)))
    before = extent(studio.live.sight.show.character)
    until(lambda: studio.live.sight.show.name == "dino.bvh", "the file on stage")
    ratio = extent(studio.live.sight.show.character) / before
    until(lambda: np.linalg.norm(camera(studio)) == pytest.approx(ratio * distance, rel=0.1), "the camera to step back for its size")


@pytest.mark.parametrize(
    ("name", "what"),
    [("bad.bvh", "bad.bvh"), ("bad.surefoot", "bad.surefoot"), ("bad.exe", "no motion and no bundle"), ("bomb.surefoot", "bomb.surefoot")],
)
def test_a_hostile_file_is_refused_with_a_sentence(page: Any, studio: Any, name: str, what: str) -> None:
    before = studio.live.sight.show
    data = b"HIERARCHY\nROOT a\n{\n" + b"{" * 1000 if name == "bad.bvh" else b"\x00\x01PK" * 40
    if name == "bomb.surefoot":
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("manifest.json", b" " * 50_000_000)
        data = file.getvalue()
    handed_in(page, name, data)
    told = page.locator("[role=alert]").filter(has_text="Not opened").filter(has_text=what).first
    told.wait_for()
    keep(page, "refused")
    assert re.search(r"\w.*\.$", told.inner_text().strip(), re.DOTALL)
    assert studio.live.sight.show is before
    assert studio.live.sight.playing


def test_a_file_that_is_too_large_is_refused_before_it_is_kept(page: Any, studio: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from surefoot.studio import server

    monkeypatch.setattr(server, "MAX_UPLOAD", 100_000)
    handed_in(page, "large.bvh", b"x" * 200_000)
    page.get_by_text("Not taken").wait_for()
    until(lambda: button(page, "Open a motion or a bundle").is_enabled(), "the button to be free again")
    assert not studio.server.gui._current_file_upload_states


@pytest.mark.parametrize("suffix", [".bvh", ".glb"])
def test_an_export_reads_back(page: Any, studio: Any, tmp_path: Path, suffix: str) -> None:
    button(page, "↑").click()
    until(lambda: studio.live.sight.mode == "simulate", "the push")
    studio.live.set_loop(False)  # what is taken begins where it last began
    studio.live.ask(lambda world: world.stand(), wait=10.0)
    begun = studio.live.sight.frame.time
    until(lambda: studio.live.sight.frame.time > begun + 0.8, "something to be played")
    button(page, "Pause").click()
    tab(page, "Export")
    kind = suffix[1:].upper()
    with page.expect_download() as coming:
        button(page, f"{kind} ({suffix})").click()
    coming.value.save_as(tmp_path / f"back{suffix}")
    back = read_motion(tmp_path / f"back{suffix}")
    assert set(back.skeleton.names) >= set(studio.live.sight.show.character.skeleton.names)
    assert back.duration == pytest.approx(studio.live.sight.frame.time - begun, abs=0.3)
    turned = np.abs(back.joint_positions[-1] - back.joint_positions[0]).max()
    assert turned > 0.05


def test_a_recording_plays_alone_without_the_studio(browser: Any, page: Any, studio: Any, tmp_path: Path) -> None:
    button(page, "→").click()
    until(lambda: studio.live.sight.mode == "simulate" and studio.live.sight.frame.time > 1.0, "something to be played")
    tab(page, "Export")
    with page.expect_download() as coming:
        button(page, "Web page (.html)").click()
    coming.value.save_as(tmp_path / "alone.html")
    small = {"width": 480, "height": 300}  # software rendering paints all the time, and a screenshot waits for it
    context = browser.new_context(viewport=small, offline=True)
    alone = context.new_page()
    alone.set_default_timeout(60_000)
    alone.goto((tmp_path / "alone.html").as_uri())
    alone.wait_for_selector("canvas[data-engine]")
    assert alone.title() == "humanoid/walk"
    time.sleep(1.5)
    first = keep(alone, "recording")
    time.sleep(0.5)
    assert alone.screenshot() != first
    context.close()
