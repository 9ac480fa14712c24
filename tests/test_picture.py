"""Pictures without a graphics card: what is where, and the solids' geometry."""

from pathlib import Path

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from surefoot import material
from surefoot.character.builtin import builtin
from surefoot.clothing import clothe, side_of
from surefoot.errors import InputError
from surefoot.material import sheets
from surefoot.motion.motion import Motion
from surefoot.painter import SUPERSAMPLE, Camera, paint
from surefoot.picture import character_frames, character_picture, contact_sheet, geoms, heading, look_at, picture
from surefoot.solids import Block, Cone, Solid

RED = (0.9, 0.1, 0.1)
unit = st.floats(-1.0, 1.0)


def camera(eye: tuple[float, float, float] = (3.0, -4.0, 1.5), size: tuple[int, int] = (80, 60)) -> Camera:
    return Camera(eye=np.array(eye), target=np.array([0.0, 0.0, 0.7]), view_height=2.4, width=size[0], height=size[1])


def turned(a: float, b: float, c: float) -> NDArray[np.float64]:
    out = np.zeros(9)
    mujoco.mju_quat2Mat(out, np.array([1.0, a, b, c]) / np.linalg.norm([1.0, a, b, c]))
    return out.reshape(3, 3)


def rays_to(points: NDArray[np.float64], eye: NDArray[np.float64]) -> NDArray[np.float32]:
    out = points - eye
    return np.asarray(out / np.linalg.norm(out, axis=-1, keepdims=True), dtype=np.float32)


def engine_distance(
    kind: str, size: NDArray[np.float64], axes: NDArray[np.float64], eye: NDArray[np.float64], ray: NDArray[np.float32]
) -> float:
    """MuJoCo's answer to the same question; -1 for a miss."""
    code = {"capsule": mujoco.mjtGeom.mjGEOM_CAPSULE, "box": mujoco.mjtGeom.mjGEOM_BOX, "cylinder": mujoco.mjtGeom.mjGEOM_CYLINDER}
    kinds = code | {"ellipsoid": mujoco.mjtGeom.mjGEOM_ELLIPSOID}
    return float(mujoco.mju_rayGeom(np.zeros(3), axes.ravel(), size, eye, ray.astype(float), kinds[kind], None))


@given(
    st.sampled_from(["capsule", "box", "cylinder", "ellipsoid"]), *[unit] * 6, st.floats(0.1, 0.6), st.floats(0.1, 0.6), st.floats(0.1, 0.6)
)
@settings(max_examples=120, deadline=None)
def test_rays_meet_solids_where_the_engine_says(
    kind: str, a: float, b: float, c: float, x: float, y: float, z: float, p: float, q: float, r: float
) -> None:
    axes, eye = turned(a, b, c), np.array([3.0, -2.0, 1.0])
    solid: Solid
    if kind == "capsule":
        size = np.array([p, q, 0.0])
        solid = Cone(a=-q * axes[:, 2], b=q * axes[:, 2], radius_a=p, radius_b=p, colour=RED)
    else:
        size = np.array([p, q, 0.0] if kind == "cylinder" else [p, q, r])
        half = np.array([p, p, q]) if kind == "cylinder" else size
        solid = Block(kind=kind, centre=np.zeros(3), axes=axes, half=half, colour=RED)  # type: ignore[arg-type]
    ray = rays_to(0.8 * np.array([[x, y, z]]), eye)
    t, normal = solid.meet(eye, ray[None])
    expected = engine_distance(kind, size, axes, eye, ray[0])
    grazing = np.isfinite(t[0, 0]) and abs(float(normal[0, 0] @ ray[0])) < 0.05
    if grazing or (expected >= 0.0) != bool(np.isfinite(t[0, 0])):
        near = [
            solid.meet(eye, rays_to(0.8 * np.array([[x, y, z]]) + d, eye)[None])[0][0, 0] for d in 0.01 * np.vstack([np.eye(3), -np.eye(3)])
        ]
        assert grazing or np.isfinite(near).any() != np.isfinite(near).all()  # only at the very rim may they differ
        return
    if expected >= 0.0:
        assert t[0, 0] == pytest.approx(expected, abs=2e-4)
        assert np.linalg.norm(normal[0, 0]) == pytest.approx(1.0, abs=1e-3)
        assert float(normal[0, 0] @ ray[0]) < 1e-3


def test_a_round_cone_is_met_on_both_balls_and_between() -> None:
    cone = Cone(a=np.zeros(3), b=np.array([0.0, 0.0, 1.0]), radius_a=0.4, radius_b=0.1, colour=RED)
    eye = np.array([5.0, 0.0, 0.0])
    for height in (-0.2, 0.0, 0.5, 1.05):
        ray = np.array([[[-1.0, 0.0, 0.0]]], dtype=np.float32)
        start = eye + np.array([0.0, 0.0, height])
        t, normal = cone.meet(start, ray)
        hit = start + t[0, 0] * ray[0, 0]
        # On the surface, the nearest of all balls of the family is touched from outside.
        s = np.linspace(0.0, 1.0, 2001)[:, None]
        gap = np.linalg.norm(hit - s * cone.b, axis=-1) - (0.4 - 0.3 * s[:, 0])
        assert abs(gap.min()) < 1e-3
        assert normal[0, 0, 0] > 0.0


def test_a_ball_covers_the_pixels_it_should() -> None:
    view = camera((0.0, -8.0, 0.7), (120, 120))
    pixels = paint([Cone(a=np.array([0, 0, 0.7]), b=np.array([0, 0, 0.7]), radius_a=0.5, radius_b=0.5, colour=RED)], view)
    red = (pixels[..., 0] - pixels[..., 1]) > 0.2
    assert red[60, 60]
    assert red.sum() == pytest.approx(np.pi * (0.5 / (2.4 / 120)) ** 2, rel=0.06)
    rows = np.flatnonzero(red.any(1))
    assert rows[0] + rows[-1] == pytest.approx(119, abs=2)


def test_what_is_nearer_hides_what_is_behind() -> None:
    ball, blue = {"radius_a": 0.4, "radius_b": 0.4}, (0.1, 0.1, 0.9)
    near, far = np.array([0.0, -1.0, 0.7]), np.array([0.0, 1.0, 0.7])
    solids = [Cone(a=near, b=near, colour=RED, **ball), Cone(a=far, b=far, colour=blue, **ball)]
    for order in (solids, solids[::-1]):
        middle = paint(order, camera((0.0, -8.0, 0.7)))[30, 40]
        assert middle[0] > middle[2] + 0.3


def test_the_floor_hides_what_is_below_it_and_shows_shadows() -> None:
    sunk = [Cone(a=np.array([0, 0, -0.5]), b=np.array([0, 0, -0.5]), radius_a=0.3, radius_b=0.3, colour=RED)]
    empty = paint([], camera())
    assert not ((paint(sunk, camera())[..., 0] - paint(sunk, camera())[..., 1]) > 0.2).any()
    held = [Cone(a=np.array([0, 0, 0.5]), b=np.array([0, 0, 0.5]), radius_a=0.2, radius_b=0.2, colour=(1.0, 1.0, 1.0))]
    assert (empty - paint(held, camera())).max() > 0.1
    assert paint(sunk, camera(), floor=None).shape == (60, 80, 3)


def test_solids_behind_the_eye_or_aside_do_not_matter() -> None:
    for place in ([6.0, -8.0, 1.5], [40.0, 30.0, 0.7]):
        away = Cone(a=np.array(place), b=np.array(place), radius_a=0.2, radius_b=0.2, colour=RED)
        assert np.isfinite(paint([away], camera())).all()


def test_a_picture_is_the_same_each_time_and_has_its_size() -> None:
    walk = material.motion("humanoid/walk")
    one, two = (np.asarray(picture(walk, 0.4, size=(90, 70))) for _ in range(2))
    assert one.shape == (70, 90, 3)
    np.testing.assert_array_equal(one, two)


def test_a_ghost_is_fainter_than_the_motion() -> None:
    walk, run = material.motion("humanoid/walk"), material.motion("humanoid/run")
    alone = np.asarray(picture(walk, 0.3, view="side", size=(120, 140)), dtype=int)
    with_ghost = np.asarray(picture(walk, 0.3, view="side", size=(120, 140), ghost=run.replace(translations=_at(run, walk))), dtype=int)
    assert 50 < np.abs(alone - with_ghost).max() < 250
    assert (alone != with_ghost).any(-1).mean() < 0.5


def _at(run: Motion, walk: Motion) -> NDArray[np.float64]:
    out = np.array(run.translations)
    out[:, 0, 0] += walk.translations[9, 0, 0] - run.translations[9, 0, 0] + 0.3
    return out


def test_a_contact_sheet_has_a_cell_for_each_frame() -> None:
    sheet = contact_sheet(material.motion("dinosaur/walk"), frames=5, columns=3, size=(60, 50))
    assert sheet.size == (3 * 63 - 3, 2 * 53 - 3)
    assert contact_sheet(material.motion("dinosaur/walk"), frames=0, size=(60, 50)).size == (60, 50)


def test_an_unknown_view_lists_the_views() -> None:
    with pytest.raises(InputError, match=r"no view named 'top'\. There are 3: 'side', 'quarter', 'front'\."):
        picture(material.motion("humanoid/walk"), 0.0, view="top")  # type: ignore[arg-type]


@pytest.mark.parametrize("size", [(0, 10), (10, 5000)])
def test_a_pictures_size_is_bounded(size: tuple[int, int]) -> None:
    with pytest.raises(InputError, match="a picture is 1 to 4096 pixels wide and high, got"):
        picture(material.motion("humanoid/walk"), 0.0, size=size)


@pytest.mark.parametrize("view", ["side", "quarter", "front"])
@pytest.mark.parametrize("name", ["humanoid/jump", "humanoid/getup", "dinosaur/box"])
def test_the_whole_body_is_in_the_picture_all_the_time(name: str, view: str) -> None:
    motion = material.motion(name)
    for frame in range(0, motion.num_frames, 7):
        seen = look_at(motion, frame * motion.frame_time, view, 200, 240)  # type: ignore[arg-type]
        places, _ = seen.project(np.concatenate([motion.joint_positions[frame], motion.tip_positions[frame]]))
        assert (places > 0).all()
        assert (places < [200, 240]).all()


def test_the_side_view_shows_a_walker_going_to_the_right() -> None:
    walk = material.motion("humanoid/walk")
    np.testing.assert_allclose(heading(walk), [1.0, 0.0, 0.0], atol=0.02)
    right, _, _ = look_at(walk, 0.0, "side", 100, 100).axes
    assert right[0] > 0.99


@pytest.mark.parametrize(
    ("name", "side"),
    [("LeftFoot", 1), ("mixamorig:RightLeg", -1), ("foot.L", 1), ("r_arm", -1), ("Spine", 0), ("lower_back", 0), ("rib", 0)],
)
def test_sides_are_read_from_names(name: str, side: int) -> None:
    assert side_of(name) == side


def test_clothes_are_symmetric() -> None:
    motion = material.motion("dinosaur/walk")
    limbs = clothe(motion.skeleton)
    for side in (1, -1):
        assert sum(limb.side == side for limb in limbs) == 7
    assert {limb.joint for limb in limbs} == set(range(motion.skeleton.num_joints))


def test_a_character_is_drawn_from_its_geoms() -> None:
    humanoid = builtin("humanoid")
    data = mujoco.MjData(humanoid.model)
    mujoco.mj_kinematics(humanoid.model, data)
    solids, floor = geoms(humanoid.model, data)
    assert floor == 0.0
    assert len(solids) == humanoid.model.ngeom - 1
    boxes = [s for s in solids if isinstance(s, Block)]
    assert len(boxes) == 4  # two feet with toes
    lowest = min(s.outline[0][:, 2].min() for s in boxes)
    assert lowest == pytest.approx(0.0, abs=1e-9)


def test_every_kind_of_geom_is_drawn_and_hidden_ones_are_not() -> None:
    xml = """<mujoco><asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset><worldbody>
      <geom type="plane" size="1 1 1" pos="0 0 0.1"/><geom type="box" size=".1 .2 .3"/><geom type="sphere" size=".1"/>
      <geom type="capsule" size=".1 .2"/><geom type="cylinder" size=".1 .2"/><geom type="ellipsoid" size=".1 .2 .3"/>
      <geom type="mesh" mesh="m"/><geom type="box" size="1 1 1" group="3"/><geom type="box" size="1 1 1" rgba="1 1 1 0"/>
      </worldbody></mujoco>"""
    model = mujoco.MjModel.from_xml_string(xml)
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    solids, floor = geoms(model, data)
    assert floor == pytest.approx(0.1)
    assert [s.kind if isinstance(s, Block) else "cone" for s in solids] == ["box", "cone", "cone", "cylinder", "ellipsoid", "box"]
    mesh = solids[-1]
    assert isinstance(mesh, Block)
    corners = np.vstack([np.zeros(3), np.eye(3)])
    assert (np.abs((corners - mesh.centre) @ mesh.axes) <= mesh.half + 1e-6).all()


def test_frames_of_a_film_follow_the_character_and_show_its_ghost() -> None:
    humanoid, walk = builtin("humanoid"), material.motion("humanoid/walk")
    qpos = humanoid.qpos(walk)[::8]
    frames = list(character_frames(humanoid, qpos, size=(96, 80)))
    assert len(frames) == len(qpos)
    assert all(f.shape == (80, 96, 3) and f.dtype == np.uint8 for f in frames)
    ghost = next(character_frames(humanoid, qpos, size=(96, 80), ghost=qpos[::-1]))
    assert np.abs(ghost.astype(int) - frames[0]).max() > 30
    np.testing.assert_array_equal(np.asarray(character_picture(humanoid, qpos[0], size=(96, 80))).shape, (80, 96, 3))


def test_poses_of_the_wrong_width_are_refused() -> None:
    humanoid = builtin("humanoid")
    with pytest.raises(InputError, match=rf"'humanoid' needs poses \(1, {humanoid.model.nq}\), got \(1, 3\)\."):
        character_picture(humanoid, np.zeros(3))


def test_edges_are_smooth() -> None:
    """Supersampling gives the rim of a shape more than two shades."""
    assert SUPERSAMPLE > 1
    ball = Cone(a=np.array([0, 0, 0.7]), b=np.array([0, 0, 0.7]), radius_a=0.5, radius_b=0.5, colour=(0.0, 0.0, 0.0))
    row = paint([ball], camera((0.0, -8.0, 0.7), (120, 120)))[60, :, 0]
    assert len(np.unique(np.round(row[30:45], 2))) > 3


def test_the_sheets_are_small_pictures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sheets.main(["--out", str(tmp_path)])
    files = sorted(tmp_path.glob("*.png"))
    assert len(files) == len(material.names()) + 1
    assert max(f.stat().st_size for f in files) < 250_000
    assert "9 pictures" in capsys.readouterr().out
