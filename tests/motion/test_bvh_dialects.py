"""The same walk, written as every exporter writes it, is read to the same positions with no settings."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np
import pytest

from surefoot.motion import bvh
from surefoot.motion.axes import UpAxis
from surefoot.motion.files import ReadOptions, read_motion
from surefoot.motion.motion import Guess, Motion
from tests.clips import MOTIONS, needs_motions
from tests.motion.bodies import CRAB, DOG, DOG_TIPS, Clip, person, walk
from tests.motion.bvh_dialects import AXES, MIXED, Dialect, Written, write

UNITS = {"cm": 0.01, "m": 1.0, "mm": 0.001, "inch": 0.0254, "CMU": 0.0254 / 0.45, "foot": 0.3048, "dm": 0.1}
WALK = person()


def guess(motion: Motion, what: str) -> Guess:
    return next(g for g in motion.source.guesses if g.what == what)


def check(written: Written, unit_m: float = 0.01, up: str = "Y", options: ReadOptions | None = None, digits: float = 6e-6) -> Motion:
    """The motion that was read, after comparing it with what was written; `digits` is the rounding of the file's numbers."""
    motion = bvh.read(written.data, "clip.bvh", options)
    assert motion.source.up_axis == up, guess(motion, "up axis")
    assert motion.source.unit_m == pytest.approx(unit_m), guess(motion, "unit")
    assert motion.skeleton.names == written.names
    tolerance = digits * (1.0 + 10.0 * unit_m)  # angles and lengths rounded to six decimals
    np.testing.assert_allclose(motion.joint_positions, written.positions, atol=tolerance)
    np.testing.assert_allclose(motion.tip_positions, written.tip_positions, atol=tolerance)
    return motion


@pytest.mark.parametrize("up", ["Y", "Z"])
@pytest.mark.parametrize("unit", UNITS)
def test_unit_and_up_axis_are_found_from_the_body_and_its_walk(unit: str, up: str) -> None:
    motion = check(write(WALK, Dialect(unit_m=UNITS[unit], up=up)), UNITS[unit], up)
    assert guess(motion, "unit").confidence > 0.5
    assert guess(motion, "up axis").confidence > 0.9
    assert guess(motion, "up axis").override == f"--up {up}"


@pytest.mark.parametrize("up", ["X", "-X", "-Y", "-Z"])
def test_a_rare_up_axis_is_found_too(up: str) -> None:
    check(write(WALK, Dialect(up=up)), up=up)


# Names and habits as far as they are known; the numbers are our own walk.
MIXAMO = {name: f"mixamorig:{name}" for name in WALK.names}
BIPED = {
    "Hips": "Bip01", "Spine": "Bip01 Spine", "Spine1": "Bip01 Spine1", "Neck": "Bip01 Neck", "Head": "Bip01 Head",
    "LeftShoulder": "Bip01 L Clavicle", "LeftArm": "Bip01 L UpperArm", "LeftForeArm": "Bip01 L Forearm", "LeftHand": "Bip01 L Hand",
    "RightShoulder": "Bip01 R Clavicle", "RightArm": "Bip01 R UpperArm", "RightForeArm": "Bip01 R Forearm", "RightHand": "Bip01 R Hand",
    "LeftUpLeg": "Bip01 L Thigh", "LeftLeg": "Bip01 L Calf", "LeftFoot": "Bip01 L Foot", "LeftToeBase": "Bip01 L Toe0",
    "RightUpLeg": "Bip01 R Thigh", "RightLeg": "Bip01 R Calf", "RightFoot": "Bip01 R Foot", "RightToeBase": "Bip01 R Toe0",
}  # fmt: skip
MANNEQUIN = {
    "Hips": "pelvis", "Spine": "spine_01", "Spine1": "spine_02", "Neck": "neck_01", "Head": "head",
    "LeftShoulder": "clavicle_l", "LeftArm": "upperarm_l", "LeftForeArm": "lowerarm_l", "LeftHand": "hand_l",
    "RightShoulder": "clavicle_r", "RightArm": "upperarm_r", "RightForeArm": "lowerarm_r", "RightHand": "hand_r",
    "LeftUpLeg": "thigh_l", "LeftLeg": "calf_l", "LeftFoot": "foot_l", "LeftToeBase": "ball_l",
    "RightUpLeg": "thigh_r", "RightLeg": "calf_r", "RightFoot": "foot_r", "RightToeBase": "ball_r",
}  # fmt: skip
DAZ = {
    "Hips": "hip", "Spine": "abdomen", "Spine1": "chest", "Neck": "neck", "Head": "head",
    "LeftShoulder": "lCollar", "LeftArm": "lShldr", "LeftForeArm": "lForeArm", "LeftHand": "lHand",
    "RightShoulder": "rCollar", "RightArm": "rShldr", "RightForeArm": "rForeArm", "RightHand": "rHand",
    "LeftUpLeg": "lThigh", "LeftLeg": "lShin", "LeftFoot": "lFoot", "LeftToeBase": "lToe",
    "RightUpLeg": "rThigh", "RightLeg": "rShin", "RightFoot": "rFoot", "RightToeBase": "rToe",
}  # fmt: skip
SMPL = {
    "Hips": "Pelvis", "Spine": "Spine1", "Spine1": "Spine3", "LeftShoulder": "L_Collar", "LeftArm": "L_Shoulder", "LeftForeArm": "L_Elbow",
    "LeftHand": "L_Wrist", "RightShoulder": "R_Collar", "RightArm": "R_Shoulder", "RightForeArm": "R_Elbow", "RightHand": "R_Wrist",
    "LeftUpLeg": "L_Hip", "LeftLeg": "L_Knee", "LeftFoot": "L_Ankle", "LeftToeBase": "L_Foot", "RightUpLeg": "R_Hip", "RightLeg": "R_Knee",
    "RightFoot": "R_Ankle", "RightToeBase": "R_Foot",
}  # fmt: skip
BANDAI = {"LeftUpLeg": "UpperLeg_L", "LeftLeg": "LowerLeg_L", "LeftFoot": "Foot_L", "LeftToeBase": "Toes_L", "LeftArm": "UpperArm_L"}

EXPORTERS: dict[str, tuple[Clip, Dialect]] = {
    "Mixamo, through MotionBuilder": (person(fingers=True), Dialect(names=MIXAMO, orders=("ZXY",), root_offset="first")),
    "Blender": (WALK, Dialect(unit_m=1.0, up="Z", orders=("XYZ",), positions="absolute", root_offset="rest", row_end=" ")),
    "MotionBuilder with a reference": (WALK, Dialect(travel="below", positions="absolute", orders=("ZXY",))),
    "Rokoko": (person(fingers=True), Dialect(orders=("ZYX",), root_offset="rest", t_pose_first=True)),
    "Xsens": (WALK, Dialect(orders=("YXZ",), newline="\r\n")),
    "Perception Neuron": (person(fingers=True), Dialect(orders=("YXZ",), positions="absolute", number="%.4f", newline="\r\n")),
    "Perception Neuron without displacement": (person(fingers=True), Dialect(orders=("YXZ",), number="%.2f", row_end=" ")),
    "Bandai Namco": (WALK, Dialect(travel="below", root_name="joint_Root", positions="absolute", orders=("ZYX",), names=BANDAI)),
    "LAFAN1": (WALK, Dialect(orders=("ZYX",), rest="along x", root_offset="first")),
    "AIST and SMPL": (WALK, Dialect(unit_m=1.0, names=SMPL, orders=("XYZ",), ends=False)),
    "100STYLE": (WALK, Dialect(orders=("YXZ",), positions="absolute", root_offset="rest", newline="\r\n")),
    "Truebones": (WALK, Dialect(unit_m=0.0254, names=BIPED, orders=("ZXY",), rest="odd", positions="absolute", root_offset="first")),
    "Unreal mannequin": (
        WALK,
        Dialect(up="Z", names=MANNEQUIN, travel="below", root_name="root", rest="odd", orders=("XYZ",), positions="absolute"),
    ),
    "Daz": (WALK, Dialect(names=DAZ, orders=("XYZ",), root_offset="rest", root_position="relative")),
    "CMU": (person(helpers=True), Dialect(unit_m=UNITS["CMU"], orders=("ZYX",), t_pose_first=True, number="%.5f")),
    "the oldest": (WALK, Dialect(unit_m=0.0254, orders=("ZXY",), number="%.2f")),
    "Motive in metres": (person(fingers=True), Dialect(unit_m=1.0, orders=("ZXY",), number="%.6f")),
    "Poser in decimetres": (WALK, Dialect(unit_m=0.1, orders=MIXED, names=DAZ)),
    "three.js": (WALK, Dialect(rotation_first=True, positions="relative", orders=("YZX",))),
}


@pytest.mark.parametrize("exporter", EXPORTERS)
@pytest.mark.parametrize("heading", [0.0, 70.0, 200.0])
def test_every_exporter_is_read_without_settings(exporter: str, heading: float) -> None:
    clip, dialect = EXPORTERS[exporter]
    decimals = int(dialect.number[2])
    digits = 6e-6 if decimals >= 5 else 10.0 ** (-decimals) * 0.06
    check(write(clip.headed(heading), dialect), dialect.unit_m, dialect.up, digits=digits)


@pytest.mark.parametrize("reading", ["absolute", "relative"])
@pytest.mark.parametrize("rest", ["clip", "along x", "odd"])
def test_position_channels_of_every_joint_are_read_as_they_are_meant(reading: str, rest: str) -> None:
    motion = check(write(WALK, Dialect(positions=reading, rest=rest)))  # type: ignore[arg-type]
    found = guess(motion, "position channels")
    assert found.value.startswith(reading)
    assert found.confidence > 0.9
    assert found.override == f"--positions {reading}"


@pytest.mark.parametrize("travel", ["hips", "above", "below"])
@pytest.mark.parametrize("positions", ["root", "absolute", "relative"])
def test_the_travel_may_stand_on_the_hips_or_above_them(travel: str, positions: str) -> None:
    check(write(WALK, Dialect(travel=travel, positions=positions)))  # type: ignore[arg-type]


@pytest.mark.parametrize("offset", ["zero", "rest", "first"])
def test_the_root_position_replaces_its_offset_as_in_blender(offset: str) -> None:
    check(write(WALK, Dialect(root_offset=offset)))  # type: ignore[arg-type]


def test_a_root_position_that_is_added_to_the_offset_shows_by_the_floor() -> None:
    motion = check(write(WALK, Dialect(root_offset="rest", root_position="relative")))
    assert guess(motion, "root position").value.startswith("relative")


def test_flags_override_every_guess() -> None:
    written = write(WALK, Dialect(unit_m=1.0, up="Z", positions="absolute"))
    motion = bvh.read(written.data, "clip.bvh", ReadOptions(unit_m=0.5, up="X", positions="ignore", fps=10.0))
    assert motion.source.guesses == ()
    assert (motion.source.unit_m, motion.source.up_axis, motion.frame_time) == (0.5, "X", 0.1)
    expected = 0.5 * written.positions @ AXES["X"]  # AXES["X"] turns the clip's axes to the file's; its transpose turns back
    np.testing.assert_allclose(motion.joint_positions, expected, atol=1e-5)


def test_a_wrong_reading_can_be_asked_for() -> None:
    written = write(WALK, Dialect(positions="absolute"))
    motion = bvh.read(written.data, "clip.bvh", ReadOptions(positions="relative", up="Y", unit_m=0.01))
    assert np.abs(motion.joint_positions - written.positions).max() > 0.1
    assert [g.what for g in motion.source.guesses] == []


def test_bones_come_from_positions_where_all_offsets_are_zero() -> None:
    motion = check(write(WALK, Dialect(positions="absolute", zero_offsets=True)))
    assert any("All OFFSETs are zero" in w for w in motion.source.warnings)
    assert motion.skeleton.height > 1.0


@pytest.mark.parametrize(
    "dialect",
    [
        Dialect(orders=MIXED),
        Dialect(orders=MIXED, rotation_first=True, positions="absolute"),
        Dialect(wraps=True),
        Dialect(newline="\r\n"),
        Dialect(newline="\r"),
        Dialect(tab="    "),
        Dialect(case="lower"),
        Dialect(case="upper"),
        Dialect(one_line=True),
        Dialect(number="%.9e"),
        Dialect(number="%+.6f"),
        Dialect(row_end=" \t "),
        Dialect(end=""),
        Dialect(end="\n\n  \n\t\n\n"),
        Dialect(frames="Frames:{}"),
        Dialect(frames="Frames: \t{} "),
        Dialect(frames="Frames : {}"),
        Dialect(frames="frames {}"),
        Dialect(frames="Number of Frames: {}"),
        Dialect(frame_time="Frame Time:{}"),
        Dialect(frame_time="Frame Time:\t{}"),
        Dialect(frame_time="FrameTime: {}"),
        Dialect(ends=False),
        Dialect(names={"Hips": "the hips ", "LeftArm": "Left: Arm|01", "Head": "頭", "Neck": "Joint", "Spine": "End", "Spine1": "OFFSET"}),
    ],
    ids=lambda d: " ".join(f"{k}={v!r}" for k, v in vars(d).items() if v != getattr(Dialect(), k))[:60],
)
def test_the_text_may_be_laid_out_in_any_way(dialect: Dialect) -> None:
    written = write(WALK, dialect)
    check(replace(written, names=tuple(name.strip() for name in written.names)))


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "latin-1"])
def test_byte_order_marks_and_old_encodings_are_read(encoding: str) -> None:
    written = write(WALK, Dialect(names={"Head": "Kopf ä"}))
    check(replace(written, data=written.data.decode().encode(encoding)))


def test_columns_may_be_separated_by_commas_or_hold_decimal_commas() -> None:
    written = write(WALK)
    head, tail = written.data.decode().split("Frame Time")
    first, *rows = tail.split("\n")
    for body in ("\n".join(rows).replace(" ", ", "), "\n".join(rows).replace(".", ",")):
        check(replace(written, data=f"{head}Frame Time{first}\n{body}".encode()))


@pytest.mark.parametrize("frame_time", [0.0083333, 0.033333333333333, 0.016667, 1 / 29.97, 0.5, 1e-4])
def test_odd_frame_times_are_kept_exactly(frame_time: float) -> None:
    motion = bvh.read(write(replace(WALK, frame_time=frame_time)).data, "clip.bvh")
    assert motion.frame_time == frame_time


def test_a_rate_in_place_of_the_frame_time_is_taken_for_one() -> None:
    motion = bvh.read(write(WALK).data.replace(b"Frame Time: 0.03333333333333333", b"Frame Time: 120"), "clip.bvh")
    assert motion.fps == pytest.approx(120.0)
    assert guess(motion, "fps").override == "--fps 120"
    assert any("taken for frames a second" in w for w in motion.source.warnings)


def test_decimal_commas_may_lack_the_zero_before_them() -> None:
    written = write(WALK)
    data = written.data.replace(b" 0.", b" .").replace(b" -0.", b" -.").replace(b".", b",")
    assert b"Frame Time: ,03" in data
    check(replace(written, data=data))


def test_a_file_without_a_frame_time_says_what_was_assumed() -> None:
    data = write(WALK).data
    for text in (data.replace(b"Frame Time: 0.03333333333333333\n", b""), data.replace(b"0.03333333333333333", b"0")):
        motion = bvh.read(text, "clip.bvh")
        assert motion.fps == pytest.approx(30.0)
        assert guess(motion, "fps").override == "--fps 30"
        assert any("30 frames a second are assumed" in w for w in motion.source.warnings)


@pytest.mark.parametrize("frames", [1, 2, 3, 5])
def test_a_few_frames_are_enough(frames: int) -> None:
    motion = check(write(person(frames=frames)))
    assert motion.num_frames == frames


@pytest.mark.parametrize("up", ["Y", "Z"])
@pytest.mark.parametrize(("unit", "unit_m"), [("m", 1.0), ("cm", 0.01)])
@pytest.mark.parametrize("body", ["dog", "horse", "crab"])
def test_beasts_stand_the_right_way_up(body: str, unit: str, unit_m: float, up: str) -> None:
    clip = {"dog": walk(DOG, DOG_TIPS), "horse": walk(DOG, DOG_TIPS, scale=3.0), "crab": walk(CRAB)}[body]
    rests: tuple[Literal["clip", "odd"], ...] = ("clip", "odd")
    for rest in rests:
        motion = check(write(clip, Dialect(unit_m=unit_m, up=up, rest=rest)), unit_m, up)
        assert guess(motion, "unit").confidence < 0.99, f"nobody knows how large a {body} is"


@needs_motions
@pytest.mark.parametrize("up", ["Y", "Z"])
@pytest.mark.parametrize("clip", ["khronos_fox.glb#Run", "khronos_fox.glb#Walk", "quaternius_velociraptor.glb#Velociraptor_Run"])
def test_a_beast_that_runs_on_the_spot_stands_the_right_way_up(clip: str, up: UpAxis) -> None:
    beast = read_motion(MOTIONS / "gltf" / clip)
    assert bvh.read(bvh.encode(beast, up=up, unit_m=0.01), "beast.bvh").source.up_axis == up


def test_a_teleport_of_one_frame_is_kept_and_does_not_mislead() -> None:
    root = WALK.root.copy()
    root[20] += [50.0, 0.0, 3.0]
    check(write(replace(WALK, root=root)), digits=5e-5)


def test_a_leading_t_pose_is_pointed_out_and_dropped_on_request() -> None:
    written = write(WALK, Dialect(t_pose_first=True))
    motion = check(written)
    assert any("--drop-first-frame" in w for w in motion.source.warnings)
    dropped = check(
        replace(written, positions=written.positions[1:], tip_positions=written.tip_positions[1:]),
        options=ReadOptions(drop_first_frame=True),
    )
    assert dropped.num_frames == WALK.root.shape[0]
    assert not any("--drop-first-frame" in w for w in dropped.source.warnings)
    assert not any("--drop-first-frame" in w for w in bvh.read(write(WALK).data, "clip.bvh").source.warnings)


def test_several_roots_are_one_skeleton() -> None:
    first, second = write(WALK), write(walk(DOG, DOG_TIPS))
    trees, rows = [], []
    for written in (first, second):
        head, tail = written.data.decode().split("MOTION\n")
        trees.append(head.replace("HIERARCHY\n", ""))
        rows.append(tail.strip().split("\n"))
    together = [f"{a} {b}" for a, b in zip(rows[0][2:], rows[1][2:], strict=True)]
    motion = bvh.read("\n".join(["HIERARCHY", *trees, "MOTION", *rows[0][:2], *together]).encode(), "two.bvh")
    assert len(motion.skeleton.roots) == 2
    np.testing.assert_allclose(motion.joint_positions, np.concatenate([first.positions, second.positions], axis=1), atol=2e-5)
