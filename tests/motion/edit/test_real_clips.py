"""Edits of real clips: cycles of the right length, mirrored contacts, seams, travel of game cycles."""

import numpy as np
import pytest

from surefoot.motion.anatomy import anatomy
from surefoot.motion.edit import close_cycle, concatenate, cut, face, find_cycle, give_travel, is_in_place, mirror, repeat
from surefoot.motion.files import ReadOptions, list_clips, read_motion
from surefoot.motion.motion import Motion
from tests.clips import MOTIONS, needs_motions
from tests.motion.edit.test_gaits import feet

pytestmark = needs_motions
KAYKIT = "gltf/kaykit_medium_movement_basic.glb"


def load(name: str) -> Motion:
    return read_motion(f"{MOTIONS}/{name}", ReadOptions(drop_first_frame=name.endswith(".bvh")))


def _all() -> list[str]:
    if not MOTIONS.is_dir():
        return []
    out = [f"cmu_bvh/{p.name}" for p in sorted(MOTIONS.glob("cmu_bvh/*.bvh"))]
    out += [f"deepmimic/{p.name}" for p in sorted(MOTIONS.glob("deepmimic/humanoid3d_*.txt"))]
    out += [f"quadruped_keyframes/{p.name}" for p in sorted(MOTIONS.glob("quadruped_keyframes/*.txt")) if "LICENSE" not in p.name]
    for p in sorted(MOTIONS.glob("gltf/*.glb")):
        out += [f"gltf/{p.name}#{clip.name}" for clip in list_clips(p)]
    return out


@pytest.mark.parametrize("name", _all())
def test_mirrored_twice_every_clip_is_itself(name: str) -> None:
    motion = load(name)
    twice = mirror(mirror(motion))
    assert np.abs(twice.joint_positions - motion.joint_positions).max() < 1e-9 * max(1.0, motion.skeleton.height)


@pytest.mark.parametrize(("name", "length"), [("walk", 38 / 30), ("run", 24 / 30)])
def test_the_cycles_of_deepmimic_are_found_whole(name: str, length: float) -> None:
    motion = load(f"deepmimic/humanoid3d_{name}.txt")
    cycle = find_cycle(motion)
    assert cycle is not None
    assert abs(cycle.duration - length) < 1e-3
    assert "the file says that it repeats" in cycle.why


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [
        ("02_01_walk_normal", 1.05, 1.15),
        ("08_01_walk_fast", 0.95, 1.05),
        ("37_01_walk_slow", 1.2, 1.35),
        ("09_01_run", 0.7, 0.77),
        ("16_36_jog", 0.74, 0.84),
    ],
)
def test_one_cycle_is_found_in_captured_gaits(name: str, low: float, high: float) -> None:
    cycle = find_cycle(load(f"cmu_bvh/cmu_{name}.bvh"))
    assert cycle is not None
    assert low < cycle.duration < high
    assert cycle.confidence > 0.7


@pytest.mark.parametrize(
    "name",
    ["cmu_bvh/cmu_02_01_walk_normal.bvh", "cmu_bvh/cmu_09_01_run.bvh", "deepmimic/humanoid3d_walk.txt", "deepmimic/humanoid3d_run.txt"],
)
def test_real_gaits_repeat_straight_and_without_a_seam_while_little_is_changed(name: str) -> None:
    motion = load(name)
    cycle = find_cycle(motion)
    assert cycle is not None
    closed = close_cycle(motion, cycle)
    many = repeat(closed, 4)
    path = many.joint_positions[:, anatomy(motion.skeleton, motion).trunk, :2]
    net = path[-1] - path[0]
    aside = np.abs((path - path[0]) @ np.array([-net[1], net[0]])) / np.linalg.norm(net)
    assert aside.max() < 0.06
    change = np.abs(np.diff(many.joint_positions, 2, axis=0)).max(axis=(1, 2))
    seams = change[closed.num_frames - 2 :: closed.num_frames - 1]
    assert seams.max() < np.percentile(change, 95)
    raw = cut(motion, cycle.start, cycle.end)
    assert np.linalg.norm(closed.joint_positions - raw.joint_positions, axis=-1).mean() < 0.025


@pytest.mark.parametrize("name", ["cmu_bvh/cmu_02_01_walk_normal.bvh", "deepmimic/humanoid3d_walk.txt", "cmu_bvh/cmu_10_03_kick_ball.bvh"])
def test_a_mirrored_clip_stands_on_the_other_foot(name: str) -> None:
    motion = load(name)
    left, right = feet(motion)
    other_left, other_right = feet(mirror(motion))
    assert (left == other_right).mean() > 0.97
    assert (right == other_left).mean() > 0.97
    assert (left != right).mean() > 0.2


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [("Walking_A", 0.5, 1.2), ("Walking_B", 0.4, 1.2), ("Walking_C", 0.3, 1.0), ("Running_A", 2.0, 5.0), ("Running_B", 2.5, 7.0)],
)
def test_game_cycles_get_the_travel_that_their_feet_imply_in_the_direction_they_face(name: str, low: float, high: float) -> None:
    motion = load(f"{KAYKIT}#{name}")
    assert is_in_place(motion)
    path = give_travel(motion).joint_positions[:, anatomy(motion.skeleton, motion).trunk]
    net = path[-1] - path[0]
    speed = float(np.linalg.norm(net[:2])) / motion.duration
    assert low < speed < high
    assert net @ anatomy(motion.skeleton, motion).forward > 0.95 * np.linalg.norm(net)


@pytest.mark.parametrize(
    "name",
    [
        "gltf/khronos_fox.glb#Walk",
        "gltf/khronos_fox.glb#Run",
        "gltf/quaternius_trex.glb#Armature|TRex_Walk",
        "gltf/robot_expressive.glb#Walking",
    ],
)
def test_animals_and_cartoons_walk_in_place_too(name: str) -> None:
    assert is_in_place(load(name))


@pytest.mark.parametrize(
    "name",
    [
        "gltf/robot_expressive.glb#Dance",
        "gltf/khronos_fox.glb#Survey",
        "cmu_bvh/cmu_60_10_salsa.bvh",
        "cmu_bvh/cmu_79_08_boxing.bvh",
        f"{KAYKIT}#Jump_Full_Long",
    ],
)
def test_dances_boxing_and_jumps_do_not(name: str) -> None:
    assert not is_in_place(load(name))


@pytest.mark.parametrize(
    "name", [f"{KAYKIT}#Walking_A", f"{KAYKIT}#Jump_Full_Short", "quadruped_keyframes/turn.txt", "gltf/robot_expressive.glb#Wave"]
)
def test_a_cycle_that_already_meets_itself_is_left_alone(name: str) -> None:
    motion = load(name)
    closed = close_cycle(motion)
    assert closed.num_frames == motion.num_frames
    assert np.abs(closed.joint_positions - motion.joint_positions).max() < 2e-4 * max(1.0, motion.skeleton.height)


@pytest.mark.parametrize(
    ("first", "second", "seconds"), [("walk", "run", 0.6), ("run", "walk", 0.6), ("walk", "jump", 1.5), ("run", "kick", 0.6)]
)
def test_one_clip_after_another_goes_on_straight_ahead_though_their_poses_differ(first: str, second: str, seconds: float) -> None:
    a, b = load(f"deepmimic/humanoid3d_{first}.txt"), load(f"deepmimic/humanoid3d_{second}.txt")
    both = concatenate(a, face(b, 2.5), 0.2)
    path = both.joint_positions[:, 0, :2]
    split = a.num_frames - round(0.1 * a.fps)
    ways = [path[split] - path[0], path[min(split + round(seconds * a.fps), len(path) - 1)] - path[split]]
    between = np.degrees(np.angle(complex(*ways[1]) / complex(*ways[0])))
    assert abs(between) < 12.0
    steps = np.linalg.norm(np.diff(path, axis=0), axis=1)
    fastest = max(np.linalg.norm(np.diff(m.joint_positions[:, 0, :2], axis=0), axis=1).max() / m.frame_time for m in (a, b))
    assert steps.max() / both.frame_time < 1.25 * fastest


@pytest.mark.parametrize(
    "name", ["cmu_139_16_getup_from_ground", "cmu_127_24_run_dive_roll", "cmu_10_03_kick_ball", "cmu_77_02_stand_idle"]
)
def test_captures_that_do_not_repeat_have_no_cycle(name: str) -> None:
    assert find_cycle(load(f"cmu_bvh/{name}.bvh")) is None
