"""A trusted model of several files becomes one text that means the same; what is not trusted is refused with the flag's name."""

from __future__ import annotations

import struct
from pathlib import Path

import mujoco
import numpy as np
import pytest
from PIL import Image
from scipy.spatial import ConvexHull

from surefoot import material
from surefoot.character import guard
from surefoot.character.load import load_character, parse_character
from surefoot.character.retarget import retarget
from surefoot.character.standalone import MAX_VERTICES, joined, standalone
from surefoot.errors import InputError
from tests.cli.surefoot import surefoot

ROBOT = """<mujoco model="robot">
  <compiler meshdir="assets" texturedir="assets"/>
  <asset>
    <texture name="red" type="2d" file="red.png"/>
    <texture name="plain" type="2d" builtin="flat" rgb1="1 0 0" width="8" height="8"/>
    <material name="red" texture="red"/>
    <material name="plain" texture="plain"/>
    <mesh name="trunk" file="trunk.stl" scale="0.001 0.001 0.001"/>
    <mesh name="ball" file="ball.stl"/>
    <mesh name="leg" file="leg.stl"/>
    <mesh name="sheet" file="sheet.stl" inertia="shell"/>
  </asset>
  <worldbody>
    <geom type="plane" size="5 5 0.1"/>
    <body name="trunk" pos="0 0 1">
      <freejoint/>
      <geom name="trunk" type="mesh" mesh="trunk" material="red"/>
      <geom name="sheet" type="mesh" mesh="sheet" contype="0" conaffinity="0" material="plain" pos="0 0 0.3" mass="0"/>
      <geom name="head" type="mesh" mesh="ball" pos="0.1 0 0.4" euler="20 0 30"/>
      <geom name="fitted" type="capsule" mesh="leg" pos="-0.2 0 0" euler="0 50 0"/>
      <include file="legs.xml"/>
    </body>
  </worldbody>
</mujoco>
"""
LEG = """<body name="{0}" pos="0 {1} -0.25">
  <joint name="{0}" type="ball" range="0 80"/>
  <geom name="{0}" type="mesh" mesh="leg" pos="0 0 -0.2" euler="0 10 0"/>
  <body name="{0} shin" pos="0 0 -0.4">
    <inertial pos="0.01 0 -0.1" mass="2" fullinertia="0.02 0.02 0.01 0.001 0 0"/>
    <joint axis="0 1 0" range="0 120"/>
    <geom name="{0} shin" type="mesh" mesh="leg" pos="0 0 -0.2"/>
  </body>
</body>
"""


def stl(path: Path, points: np.ndarray, faces: list[list[int]] | None = None) -> None:
    """A binary STL of points' convex hull, or of given faces."""
    if faces is None:
        hull = ConvexHull(points)
        faces = []
        for (a, b, c), out in zip(hull.simplices, hull.equations[:, :3], strict=True):
            turned = np.cross(points[b] - points[a], points[c] - points[a]) @ out < 0.0
            faces.append([a, c, b] if turned else [a, b, c])
    rows = [struct.pack("<12fH", 0, 0, 0, *points[list(face)].ravel(), 0) for face in faces]
    path.write_bytes(bytes(80) + struct.pack("<I", len(rows)) + b"".join(rows))


def box(x: float, y: float, z: float) -> np.ndarray:
    corners = np.array([[i, j, k] for i in (-1.0, 1.0) for j in (-1.0, 1.0) for k in (-1.0, 1.0)]) * [x, y, z]
    return np.asarray(corners + np.array([0.2 * x, 0.0, 0.0]))


@pytest.fixture
def robot(tmp_path: Path) -> Path:
    """A robot in seven files."""
    assets = tmp_path / "assets"
    assets.mkdir()
    rng = np.random.default_rng(0)
    ball = rng.normal(size=(2000, 3))
    stl(assets / "trunk.stl", box(100.0, 150.0, 250.0))
    stl(assets / "leg.stl", box(0.05, 0.05, 0.2))
    stl(assets / "ball.stl", 0.1 * ball / np.linalg.norm(ball, axis=1, keepdims=True))
    stl(assets / "sheet.stl", np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]]), [[0, 1, 2], [2, 1, 3]])
    Image.new("RGB", (8, 8), (200, 30, 30)).save(assets / "red.png")
    legs = "".join(LEG.format(name, y) for name, y in (("left", 0.1), ("right", -0.1)))
    (tmp_path / "legs.xml").write_text(f"<mujocoinclude>{legs}</mujocoinclude>", encoding="utf-8")
    (tmp_path / "robot.xml").write_text(ROBOT, encoding="utf-8")
    return tmp_path / "robot.xml"


def corners(model: mujoco.MjModel, geom: str) -> tuple[np.ndarray, np.ndarray]:
    """Lowest and highest place of a geom's vertices in the world, at rest."""
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    g = model.geom(geom).id
    mesh = model.geom_dataid[g]
    vertices = model.mesh_vert[model.mesh_vertadr[mesh] : model.mesh_vertadr[mesh] + model.mesh_vertnum[mesh]]
    world = data.geom_xpos[g] + vertices @ data.geom_xmat[g].reshape(3, 3).T
    return world.min(axis=0), world.max(axis=0)


def test_one_text_means_what_the_files_meant(robot: Path) -> None:
    before, after = mujoco.MjModel.from_xml_path(str(robot)), mujoco.MjModel.from_xml_string(joined(str(robot)))
    for name in ("trunk", "left", "left shin", "right"):
        assert np.allclose(corners(before, name), corners(after, name), atol=1e-6), name
    for field in ("body_mass", "body_inertia", "body_ipos"):
        assert np.allclose(getattr(before, field), getattr(after, field), rtol=1e-5, atol=1e-6), field
    fitted = before.geom("fitted"), after.geom("fitted")
    for field in ("type", "size", "pos", "quat"):
        assert np.allclose(getattr(fitted[0], field), getattr(fitted[1], field), atol=1e-6), field


def test_a_round_mesh_loses_vertices_but_hardly_any_size_and_a_flat_one_goes(robot: Path) -> None:
    before, after = mujoco.MjModel.from_xml_path(str(robot)), mujoco.MjModel.from_xml_string(joined(str(robot)))
    assert before.mesh("ball").vertnum[0] == 2000
    assert 100 < after.mesh("ball hull").vertnum[0] <= MAX_VERTICES
    assert np.abs(np.subtract(corners(before, "head"), corners(after, "head"))).max() < 0.003  # of a radius of 0.1 m
    names = {after.geom(g).name for g in range(after.ngeom)}
    assert "sheet" not in names
    assert {after.texture(t).name for t in range(after.ntex)} == {"plain"}


def test_files_are_read_only_when_they_are_trusted_and_the_line_says_how(robot: Path) -> None:
    with pytest.raises(InputError, match=r"names another file; .* If you trust it, --trust-files \(trust_files=True in Python\)"):
        load_character(robot)
    character = load_character(robot, trust_files=True)
    assert character.skeleton.names == ("trunk", "left", "left shin", "right", "right shin")
    alone = parse_character(character.xml, "again")  # what a bundle carries stands alone
    assert alone.mass == pytest.approx(character.mass)


def test_a_motion_goes_onto_a_body_of_meshes(robot: Path) -> None:
    found = retarget(material.motion("humanoid/walk"), load_character(robot, trust_files=True))
    assert np.isfinite(found.qpos).all()


def test_the_flag_reaches_the_commands(robot: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "5 bodies" in surefoot(capsys, "inspect", robot, "--trust-files").out
    refused = surefoot(capsys, "inspect", robot)
    assert refused.code == 2
    assert "--trust-files" in refused.err


@pytest.mark.parametrize(
    ("file", "content", "said"),
    [
        ("assets/trunk.stl", None, "trunk.stl"),
        ("assets/trunk.stl", b"\xff" * 500, "MuJoCo cannot read it with the files"),
        ("legs.xml", None, "legs.xml"),
        ("robot.xml", b'<mujoco><extension><plugin plugin="mujoco.pid"/></extension></mujoco>', "extension"),
        ("robot.xml", b"\x00\x01", "MuJoCo cannot read it with the files"),
        ("robot.xml", None, "no such file"),
    ],
)
def test_what_is_missing_or_damaged_is_one_line(file: str, content: bytes | None, said: str, robot: Path) -> None:
    if content is None:
        (robot.parent / file).unlink()
    else:
        (robot.parent / file).write_bytes(content)
    with pytest.raises(InputError, match=said) as caught:
        load_character(robot, trust_files=True)
    assert str(caught.value).startswith("robot.xml: ")


def test_a_process_that_dies_over_it_takes_nothing_with_it(robot: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard.sys, "executable", "/bin/false")
    with pytest.raises(InputError, match="crashed or ran out of memory or time"):
        standalone(robot)
