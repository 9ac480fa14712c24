"""Acclaim motions and skeletons: known poses, the BVH of the same clip, a second computation, what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from surefoot.errors import InputError
from surefoot.motion import amc, bvh
from surefoot.motion.files import ReadOptions
from surefoot.motion.motion import Motion
from tests.clips import MOTIONS, needs_motions

Array = NDArray[np.float64]

FIGURE = """# by hand
:version 1.10
:units
  length 0.45
  angle deg
:root
  order TX TY TZ RX RY RZ
  axis XYZ
  position 0 1 0
  orientation 0 0 0
:bonedata
  begin
    name thigh
    direction 0 -1 0
    length 8
    axis 0 0 30 XYZ
    dof rx ry rz
    limits (-160.0 20.0)
           (-70.0 70.0)
           (-60.0 inf)
  end
  begin
    name shin
    direction 0 -2 0
    length 7
    axis 0 0 0 XYZ
    dof rx
  end
  begin
    name spring
    direction 0 1 0
    length 2
    axis 0 0 0 XYZ
    dof tx l
  end
  begin
    name top
    direction 0 1 0
    length 1
    axis 0 0 0 XYZ
  end
:hierarchy
  begin
    root thigh spring
    thigh shin
    spring top
  end
"""
FRAMES = """:FULLY-SPECIFIED
:DEGREES
1
root 0 16 0 0 0 0
thigh 0 0 0
shin 90
spring 0 0
2
root 1 17 2 0 90 0
thigh 90 0 0
shin 0
spring 0.5 3
"""
INCH = 0.0254 / 0.45


def read(tmp_path: Path, frames: str = FRAMES, figure: str = FIGURE, options: ReadOptions | None = None) -> Motion:
    (tmp_path / "body.asf").write_text(figure, encoding="utf-8")
    return amc.read(frames.encode(), "clip.amc", options or ReadOptions(unit_m=INCH), tmp_path)


def at(motion: Motion, frame: int, name: str) -> Array:
    """A joint's position in the file's axes and units."""
    x, y, z = motion.joint_positions[frame, motion.skeleton.index(name)] / motion.source.unit_m
    return np.array([x, z, -y])


def test_a_bone_hangs_at_its_parents_end_and_turns_about_axes_of_its_own(tmp_path: Path) -> None:
    motion = read(tmp_path)
    np.testing.assert_allclose(at(motion, 0, "root"), [0, 17, 0], atol=1e-12)
    np.testing.assert_allclose(at(motion, 0, "shin"), [0, 9, 0], atol=1e-12)
    tip = motion.tip_positions[0, [motion.skeleton.names[t.joint] for t in motion.skeleton.tips].index("shin")] / INCH
    np.testing.assert_allclose([tip[0], tip[2], -tip[1]], [0, 9, -7], atol=1e-12)  # bent by 90 degrees about x: from -y to -z
    # Second frame: the root turned by 90 degrees about y, the thigh by 90 degrees about an x axis that leans by 30 degrees.
    axis = Rotation.from_euler("z", 30, degrees=True)
    thigh = Rotation.from_euler("y", 90, degrees=True) * (axis * Rotation.from_euler("x", 90, degrees=True) * axis.inv())
    np.testing.assert_allclose(at(motion, 1, "shin"), np.array([1.0, 18.0, 2.0]) + thigh.apply([0, -8, 0]), atol=1e-12)


def test_bones_shift_and_stretch(tmp_path: Path) -> None:
    motion = read(tmp_path)
    np.testing.assert_allclose(at(motion, 0, "top") - at(motion, 0, "spring"), [0, 2, 0], atol=1e-12)
    np.testing.assert_allclose(at(motion, 1, "top") - at(motion, 1, "spring"), [0, 5, 0], atol=1e-12)
    np.testing.assert_allclose(at(motion, 1, "spring"), [1, 18, 2 - 0.5], atol=1e-12)  # tx, turned by the root


def test_radians_are_radians(tmp_path: Path) -> None:
    degrees = read(tmp_path)
    frames = FRAMES.replace(":DEGREES", ":RADIANS").replace("shin 90", f"shin {np.pi / 2}").replace(" 90", f" {np.pi / 2}")
    np.testing.assert_allclose(read(tmp_path, frames).joint_positions, degrees.joint_positions, atol=1e-9)


def test_an_asf_alone_is_its_rest_pose(tmp_path: Path) -> None:
    motion = amc.read(FIGURE.encode(), "body.asf", ReadOptions(unit_m=INCH))
    assert motion.num_frames == 1
    np.testing.assert_allclose(at(motion, 0, "shin"), [0, -7, 0], atol=1e-12)
    assert any("rest pose" in w for w in motion.source.warnings)


def test_the_unit_follows_the_custom_of_acclaim_files(tmp_path: Path) -> None:
    motion = read(tmp_path, options=ReadOptions())
    unit = next(g for g in motion.source.guesses if g.what == "unit")
    assert motion.source.unit_m == pytest.approx(INCH)
    assert "0.45 of an inch" in unit.why
    assert motion.fps == pytest.approx(120.0)
    assert read(tmp_path, options=ReadOptions(fps=60.0, up="Z", unit_m=1.0)).source.guesses == ()


@needs_motions
def test_the_bvh_of_the_same_clip_agrees_and_lacks_one_bone() -> None:
    path = MOTIONS / "cmu_amc" / "02_01.amc"
    ours = amc.read(path.read_bytes(), path.name, ReadOptions(), path.parent)
    twin = MOTIONS / "cmu_bvh" / "cmu_02_01_walk_normal.bvh"
    theirs = bvh.read(twin.read_bytes(), twin.name, ReadOptions(drop_first_frame=True))
    assert ours.num_frames == theirs.num_frames
    assert ours.source.unit_m == pytest.approx(theirs.source.unit_m)

    def pair(acclaim: str, name: str) -> tuple[Array, Array]:
        return ours.joint_positions[:, ours.skeleton.index(acclaim)], theirs.joint_positions[:, theirs.skeleton.index(name)]

    for side, letter in (("Left", "l"), ("Right", "r")):
        for acclaim, name in (("femur", "UpLeg"), ("tibia", "Leg"), ("foot", "Foot"), ("toes", "ToeBase")):
            np.testing.assert_allclose(*pair(letter + acclaim, side + name), atol=1e-5 * ours.skeleton.height)
    for acclaim, name in (("root", "Hips"), ("upperback", "Spine"), ("thorax", "Spine1")):
        np.testing.assert_allclose(*pair(acclaim, name), atol=1e-5 * ours.skeleton.height)
    # The conversion to BVH put the neck and shoulders where the thorax begins; above it everything is shifted by that bone.
    missing = np.subtract(*pair("lowerneck", "Neck"))
    assert np.linalg.norm(missing, axis=-1) == pytest.approx(np.linalg.norm(missing[0]), abs=1e-6)
    for acclaim, name in (
        ("head", "Head"),
        ("lhumerus", "LeftArm"),
        ("lradius", "LeftForeArm"),
        ("lwrist", "LeftHand"),
        ("rwrist", "RightHand"),
    ):
        np.testing.assert_allclose(np.subtract(*pair(acclaim, name)), missing, atol=1e-5 * ours.skeleton.height)


@needs_motions
@pytest.mark.parametrize("clip", ["02_01", "02_03"])
def test_real_clips_agree_with_a_plain_second_computation(clip: str) -> None:
    path = MOTIONS / "cmu_amc" / f"{clip}.amc"
    motion = amc.read(path.read_bytes(), path.name, ReadOptions(), path.parent)
    bones, parents = plain_figure((MOTIONS / "cmu_amc" / "02.asf").read_text())
    frame = -1
    data: list[dict[str, list[float]]] = []
    for line in path.read_text().splitlines():
        words = line.split()
        if words[0].isdigit():
            data.append({})
        elif data:
            data[-1][words[0]] = [float(w) for w in words[1:]]
    assert motion.num_frames == len(data)
    for frame in range(0, len(data), 40):
        ends = {"root": np.array(data[frame]["root"][:3])}
        turns = {"root": Rotation.from_euler("xyz", data[frame]["root"][3:], degrees=True)}
        for name, parent in parents:
            direction, length, axis, dof = bones[name]
            angles = dict(zip(dof, data[frame].get(name, []), strict=True))
            own = Rotation.from_euler("xyz", [angles.get(a, 0.0) for a in ("rx", "ry", "rz")], degrees=True)
            turns[name] = turns[parent] * axis * own * axis.inv()
            np.testing.assert_allclose(at(motion, frame, name), ends[parent], atol=1e-9)
            ends[name] = ends[parent] + turns[name].apply(direction) * length


def plain_figure(text: str) -> tuple[dict[str, tuple[Array, float, Rotation, list[str]]], list[tuple[str, str]]]:
    """Bones as (direction, length, axis, dof) and pairs (bone, parent), parents first."""
    bones, parents = {}, []
    for block in text.split(":bonedata")[1].split(":hierarchy")[0].split("begin")[1:]:
        words = {line.split()[0]: line.split()[1:] for line in block.splitlines() if line.split()}
        direction = np.array([float(w) for w in words["direction"]])
        axis = Rotation.from_euler("xyz", [float(w) for w in words["axis"][:3]], degrees=True)
        bones[words["name"][0]] = (direction / np.linalg.norm(direction), float(words["length"][0]), axis, words.get("dof", []))
    for line in text.split(":hierarchy")[1].splitlines():
        names = line.split()
        parents += [(child, names[0]) for child in names[1:]] if names and names[0] not in ("begin", "end") else []
    return bones, parents


REFUSED = {
    "a bone that the skeleton lacks": (
        FRAMES.replace("shin 90", "shank 90"),
        FIGURE,
        r"line 6: the skeleton has no bone 'shank'",
    ),
    "too few numbers": (FRAMES.replace("thigh 90 0 0", "thigh 90 0"), FIGURE, r"line 10: bone 'thigh' has 2 numbers, its skeleton says 3"),
    "a word": (FRAMES.replace("shin 90", "shin ninety"), FIGURE, r"line 6: a number was expected, found 'ninety'"),
    "NaN": (FRAMES.replace("shin 90", "shin nan"), FIGURE, r"line 6: a number was expected, found 'nan'"),
    "a bone twice": (FRAMES.replace("shin 90", "shin 90\nshin 90"), FIGURE, r"line 7: bone 'shin' stands twice"),
    "a bone missing": (FRAMES.replace("shin 0\n", ""), FIGURE, r"line 8: the frame that begins here has no line for bone 'shin'"),
    "no frames": (":DEGREES\n", FIGURE, r"clip.amc: no frames"),
    "no frame number": ("root 0 0 0 0 0 0\n", FIGURE, r"line 1: a frame number was expected"),
    "a figure without bones": (FRAMES, FIGURE.replace(":bonedata", ":bones"), r"body.asf: no section ':bonedata'"),
    "an unknown child": (FRAMES, FIGURE.replace("thigh shin", "thigh shank"), r"no bone named 'shank' in :bonedata"),
    "a cycle": (FRAMES, FIGURE.replace("root thigh spring\n    thigh shin", "root spring\n    thigh shin\n    shin thigh"), r"cycle"),
    "a bone with two parents": (FRAMES, FIGURE.replace("spring top", "spring top shin"), r"bone 'shin' already hangs somewhere"),
    "a bone named twice": (FRAMES, FIGURE.replace("name top", "name shin"), r"a second bone named 'shin'"),
    "an odd freedom": (FRAMES, FIGURE.replace("dof rx\n", "dof rw\n"), r"'rw' is no degree of freedom; there are rx, ry"),
    "an odd order": (FRAMES, FIGURE.replace("axis 0 0 30 XYZ", "axis 0 0 30 XYY"), r"an order like XYZ was expected, found 'XYY'"),
    "a short direction": (FRAMES, FIGURE.replace("direction 0 -2 0", "direction 0 -2"), r"three numbers were expected, found 2"),
    "no end": (FRAMES, FIGURE.replace("  end\n:hierarchy", ":hierarchy"), r"the last bone, 'top', has no 'end'"),
    "an empty figure": (FRAMES, "", r"body.asf: no section ':root'"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_read_says_where(case: str, tmp_path: Path) -> None:
    frames, figure, message = REFUSED[case]
    with pytest.raises(InputError, match=message) as caught:
        read(tmp_path, frames, figure)
    assert "\n" not in str(caught.value)


def test_a_missing_skeleton_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"an .amc needs its skeleton, an .asf; none stands beside it. Name one with --skeleton"):
        amc.read(FRAMES.encode(), "clip.amc", ReadOptions(), tmp_path)
    for name in ("a.asf", "b.asf"):
        (tmp_path / name).write_text(FIGURE, encoding="utf-8")
    with pytest.raises(InputError, match=r"2 stand beside it: a.asf, b.asf"):
        amc.read(FRAMES.encode(), "clip.amc", ReadOptions(), tmp_path)
    assert amc.read(FRAMES.encode(), "clip.amc", ReadOptions(skeleton=tmp_path / "b.asf"), tmp_path).num_frames == 2


def test_small_frames_cannot_claim_a_huge_motion(tmp_path: Path) -> None:
    still = "".join(f"begin\nname b{k}\ndirection 0 1 0\nlength 1\naxis 0 0 0 XYZ\nend\n" for k in range(3000))
    figure = FIGURE.replace(":hierarchy", still + ":hierarchy").replace("  order TX TY TZ RX RY RZ\n", "  order\n")
    figure = figure.replace("    dof rx ry rz\n", "").replace("    dof rx\n", "").replace("    dof tx l\n", "")
    with pytest.raises(InputError, match=r"million transforms, but the file holds only 0 million numbers"):
        read(tmp_path, "\n".join(str(k) for k in range(3000)), figure)
