"""Films and pictures: what is drawn is there, where it should be, the same twice, and what cannot be drawn is one line."""

from __future__ import annotations

import io
import subprocess
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from surefoot import material
from surefoot.errors import InputError, MissingExtra
from surefoot.physics.scene import Ball, Box, Scene
from surefoot.physics.terrain import Bumps, Steps
from surefoot.render import RenderConfig, film, render
from surefoot.render.canvas import _trouble
from surefoot.render.stage import of_bundle, of_motion
from tests.bundle.cases import dinosaur, learned

SMALL = "160x120"
needs_egl = pytest.mark.skipif(bool(_trouble("egl")), reason=f"no EGL: {_trouble('egl')}")
DRAWN = ["painter", pytest.param("egl", marks=needs_egl)]


def opened(path: Path) -> np.ndarray:
    return np.asarray(Image.open(path).convert("RGB"), dtype=float) / 255.0


def warm(picture: np.ndarray) -> np.ndarray:
    """Where left legs are (h, w)."""
    return picture[..., 0] - picture[..., 2] > 0.15


def cool(picture: np.ndarray) -> np.ndarray:
    """Where right legs are (h, w)."""
    return picture[..., 2] - picture[..., 0] > 0.24


@pytest.mark.parametrize("drawn", DRAWN)
@pytest.mark.parametrize("subject", [material.motion("humanoid/walk"), dinosaur()], ids=["motion", "bundle"])
def test_a_sheet_shows_both_legs_of_every_subject_and_is_the_same_twice(subject: object, drawn: str, tmp_path: Path) -> None:
    config = RenderConfig(frames=2, size=SMALL, draw=drawn)  # type: ignore[arg-type]
    done = render(subject, tmp_path / "a.png", config)  # type: ignore[arg-type]
    render(subject, tmp_path / "b.png", config)  # type: ignore[arg-type]
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()
    picture = opened(tmp_path / "a.png")
    assert picture.shape == (120, 2 * 160 + 3, 3)
    assert done.frames == 2
    assert done.fps is None
    assert warm(picture).sum() > 30
    assert cool(picture).sum() > 30


@pytest.mark.parametrize("drawn", DRAWN)
def test_the_floor_has_squares_and_the_body_a_shadow(drawn: str, tmp_path: Path) -> None:
    render(dinosaur(), tmp_path / "a.png", RenderConfig(frames=1, size="320x240", ghost="none", draw=drawn))  # type: ignore[arg-type]
    grey = opened(tmp_path / "a.png").mean(axis=-1)
    edges = np.abs(np.diff(grey[-60:, :80], axis=0)).max()
    assert edges > 0.02
    assert grey[150:].min() < 0.5 * np.median(grey)


@needs_egl
def test_both_ways_of_drawing_see_the_same_thing_in_the_same_place(tmp_path: Path) -> None:
    for drawn in ("painter", "egl"):
        config = RenderConfig(frames=1, begin=0.6, size="320x240", draw=drawn)  # type: ignore[arg-type]
        render(material.motion("humanoid/jump"), tmp_path / f"{drawn}.png", config)
    ours, theirs = opened(tmp_path / "painter.png"), opened(tmp_path / "egl.png")
    for tint in (warm, cool):
        seen = [np.percentile(np.argwhere(tint(picture)), (2.0, 98.0), axis=0) for picture in (ours, theirs)]
        assert np.abs(seen[0] - seen[1]).max() < 6, (tint, seen)


@pytest.mark.parametrize("drawn", DRAWN)
def test_a_ghost_stands_inside_or_beside_or_not_at_all(drawn: str, tmp_path: Path) -> None:
    pictures = {}
    for ghost in ("none", "inside", "beside"):
        config = RenderConfig(frames=1, begin=1.0, size=SMALL, ghost=ghost, draw=drawn, view="front")  # type: ignore[arg-type]
        render(dinosaur(), tmp_path / f"{ghost}.png", config)
        pictures[ghost] = opened(tmp_path / f"{ghost}.png")
    assert np.abs(pictures["none"] - pictures["inside"]).max() > 0.05
    assert np.abs(pictures["inside"] - pictures["beside"]).max() > 0.05


def test_a_ghost_of_a_closed_loop_goes_where_the_body_is(monkeypatch: pytest.MonkeyPatch) -> None:
    made = learned()
    monkeypatch.setattr(type(made.policy), "closed", True, raising=False)
    stage = of_bundle(made, np.array([0.0, 0.5]), "inside", (64, 64))
    assert stage.ghost is not None
    import mujoco

    body, shade = mujoco.MjData(stage.model), mujoco.MjData(stage.model)
    stage.pose(body, 1)
    stage.ghost(shade, 1)
    np.testing.assert_allclose(shade.qpos[:2], body.qpos[:2])


@needs_egl
def test_a_scene_is_drawn_with_its_steps_and_balls(tmp_path: Path) -> None:
    scenes = (
        Scene(),
        Scene(
            ground=Steps(start=0.6),
            obstacles=(Box(position=(0.8, 0.5, 0.3), size=(0.3, 0.3, 0.6)),),
            props=(Ball(position=(0.5, -0.5, 0.8)),),
        ),
        Scene(ground=Bumps(level=0.3)),
    )
    seen = []
    for n, scene in enumerate(scenes):
        made = dinosaur().replace(scene=scene, performance=None)
        render(made, tmp_path / f"{n}.png", RenderConfig(frames=1, seconds=0.2, size=SMALL, ghost="none", draw="egl"))
        seen.append(opened(tmp_path / f"{n}.png"))
    assert np.abs(seen[0] - seen[1]).max() > 0.1
    assert np.abs(seen[0] - seen[2]).max() > 0.02


def test_props_move_in_a_film() -> None:
    falling = Scene(props=(Ball(position=(1.0, 2.0, 2.0)),))
    stage = of_bundle(dinosaur().replace(scene=falling), np.array([0.0, 0.5]), "none", (64, 64))
    import mujoco

    data = mujoco.MjData(stage.model)
    heights = []
    for k in range(2):
        stage.pose(data, k)
        heights.append(float(data.body("ball").xpos[2]))
    assert heights[0] == pytest.approx(2.0)
    assert heights[1] == pytest.approx(2.0 - 0.5 * 9.81 * 0.25, abs=0.03)


def test_a_gif_has_its_frames_and_their_time(tmp_path: Path) -> None:
    config = RenderConfig(size="64x48", seconds=0.5, fps=30.0, draw="painter")
    done = render(material.motion("humanoid/walk"), tmp_path / "a.gif", config)
    again = render(material.motion("humanoid/walk"), tmp_path / "b.gif", config)
    assert done == again
    assert (tmp_path / "a.gif").read_bytes() == (tmp_path / "b.gif").read_bytes()
    with Image.open(tmp_path / "a.gif") as picture:
        assert picture.n_frames == done.frames == 16  # type: ignore[attr-defined]
        lasting = 0
        for k in range(done.frames):
            picture.seek(k)
            lasting += picture.info["duration"]
    assert lasting == pytest.approx(16 / 30 * 1000, abs=10)


def test_slow_motion_and_a_beginning(tmp_path: Path) -> None:
    done = render(
        material.motion("humanoid/walk"),
        tmp_path / "a.gif",
        RenderConfig(size="32x32", seconds=0.4, begin=0.2, slow=2.0, fps=10.0, draw="painter"),
    )
    assert done.frames == 9
    assert done.seconds == pytest.approx(0.4)


def test_an_mp4_is_what_ffmpeg_reads(tmp_path: Path) -> None:
    pytest.importorskip("imageio_ffmpeg")
    config = RenderConfig(size="63x47", seconds=0.3, draw="painter")
    done = render(dinosaur(), tmp_path / "a.mp4", config)
    render(dinosaur(), tmp_path / "b.mp4", config)
    assert (tmp_path / "a.mp4").read_bytes() == (tmp_path / "b.mp4").read_bytes()
    assert done.size == (64, 48)  # H.264 wants even sides
    raw = subprocess.run(
        [film.program(), "-loglevel", "error", "-i", tmp_path / "a.mp4", "-f", "rawvideo", "-pix_fmt", "rgb24", "-"],
        capture_output=True,
        check=True,
        timeout=60,
    ).stdout
    assert len(raw) == done.frames * 64 * 48 * 3
    assert not list(tmp_path.glob(".*"))


def test_without_ffmpeg_the_line_that_installs_it_is_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    monkeypatch.setattr("shutil.which", lambda name: None)
    with pytest.raises(MissingExtra, match=r"pip install 'surefoot\[video\]'"):
        render(dinosaur(), tmp_path / "a.mp4")
    assert not list(tmp_path.iterdir())


def test_a_film_that_ffmpeg_cannot_write_is_one_line_and_leaves_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.mp4").write_bytes(b"old")
    (tmp_path / "broken").write_text("#!/bin/sh\ncat >/dev/null\necho 'no encoder for that' >&2\nexit 1\n", encoding="utf-8")
    (tmp_path / "broken").chmod(0o755)
    monkeypatch.setattr(film, "program", lambda: str(tmp_path / "broken"))
    with pytest.raises(InputError, match=r"a\.mp4: ffmpeg could not write it: no encoder for that"):
        render(dinosaur(), tmp_path / "a.mp4", RenderConfig(size="32x32", seconds=0.1, draw="painter"))
    assert (tmp_path / "a.mp4").read_bytes() == b"old"
    assert {path.name for path in tmp_path.iterdir()} == {"a.mp4", "broken"}


def test_without_egl_and_osmesa_the_painter_draws_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("surefoot.render.canvas._trouble", lambda kind: f"lib{kind} is not installed")
    monkeypatch.setattr("surefoot.render.canvas._choices", lambda: ("egl", "osmesa"))
    done = render(dinosaur(), tmp_path / "a.png", RenderConfig(frames=1, size="64x64"))
    assert done.drawn_by == "Surefoot's own painter"
    assert done.note.startswith("EGL: libegl is not installed; OSMesa: libosmesa is not installed; so Surefoot's own painter draws")
    with pytest.raises(InputError, match="--draw egl: libegl is not installed; surefoot doctor names what is missing"):
        render(dinosaur(), tmp_path / "b.png", RenderConfig(frames=1, size="64x64", draw="egl"))


def test_a_still_camera_sees_the_whole_way() -> None:
    from surefoot.render.render import _cameras

    motion = material.motion("humanoid/walk")
    times = np.linspace(0.0, motion.duration, 20)
    stage = of_motion(motion, times, (200, 100))
    cameras = list(_cameras(stage, RenderConfig(camera="still", view="side"), (200, 100)))
    assert all(camera is cameras[0] for camera in cameras)
    places, depth = cameras[0].project(stage.root)
    assert (depth > 0.0).all()
    assert ((places > 0.0) & (places < [200, 100])).all()


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({"size": "large"}, "--size large: expected WIDTHxHEIGHT"),
        ({"size": "9x9"}, "each 16 to 4096"),
        ({"size": "9000x9000"}, "each 16 to 4096"),
        ({"fps": 0.0}, "--fps 0: expected 0.001 to 240"),
        ({"seconds": -1.0}, "--seconds -1"),
        ({"frames": 0}, "1 to 100 pictures"),
        ({"slow": 1000.0}, "--slow 1000"),
    ],
)
def test_what_cannot_be_is_one_line(config: dict, said: str) -> None:
    with pytest.raises(InputError, match=said):
        RenderConfig(**config)


def test_other_suffixes_and_endless_gifs_are_refused_before_the_work(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"written as \.mp4, \.gif, \.png"):
        render(dinosaur(), tmp_path / "a.avi")
    with pytest.raises(InputError, match="too many for a GIF"):
        render(dinosaur(), tmp_path / "a.gif", RenderConfig(seconds=100.0))
    with pytest.raises(InputError, match=r"--begin 99: the clip lasts"):
        render(material.motion("humanoid/walk"), tmp_path / "a.png", RenderConfig(begin=99.0))


def test_the_picture_of_one_frame_is_that_frame(tmp_path: Path) -> None:
    render(material.motion("dinosaur/walk"), tmp_path / "a.png", RenderConfig(frames=1, size="80x60", draw="painter"))
    with Image.open(io.BytesIO((tmp_path / "a.png").read_bytes())) as picture:
        assert picture.size == (80, 60)


def test_where_egl_draws_nothing_osmesa_is_tried_and_then_the_painter_with_a_line_for_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    class Broken:
        def __init__(self, stage: object, size: tuple[int, int], kind: str) -> None:
            asked.append(kind)
            raise InputError(f"{kind} draws in a process of its own, but not in this one: no")

    monkeypatch.setattr("surefoot.render.canvas._trouble", lambda kind: "")
    monkeypatch.setattr("surefoot.render.canvas._choices", lambda: ("egl", "osmesa"))
    monkeypatch.setattr("surefoot.render.canvas.OpenGL", Broken)
    done = render(dinosaur(), tmp_path / "a.png", RenderConfig(frames=1, size="64x64"))
    assert asked == ["egl", "osmesa"]
    assert done.drawn_by == "Surefoot's own painter"
    assert [part.split(":")[0] for part in done.note.split("; ")[:2]] == ["EGL", "OSMesa"]
