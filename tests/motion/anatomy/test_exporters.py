"""Bodies as exporters name, hang and pose them: fingers named after hands, handles of rigs, two people, bones along one axis."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.animals import sway

from surefoot import material
from surefoot.material.skeletons import HUMANOID, build
from surefoot.motion import quaternion
from surefoot.motion.anatomy import Anatomy, anatomy
from surefoot.motion.motion import Motion
from surefoot.motion.skeleton import Skeleton, Tip

Point = tuple[float, float, float]
IDENTITY = np.array(quaternion.IDENTITY)


def grown(skeleton: Skeleton, more: list[tuple[str, str, Point]]) -> Skeleton:
    """The skeleton with more joints, each at a place in the world of the rest pose, "" for a further root."""
    names, parents = list(skeleton.names), skeleton.parents.tolist()
    places = [tuple(float(x) for x in place) for place in skeleton.rest[0]]
    for name, parent, place in more:
        names.append(name)
        parents.append(names.index(parent) if parent else -1)
        places.append(place)
    rows = [(name, names[p] if p >= 0 else "", place) for name, p, place in zip(names, parents, places, strict=True)]
    grown = build(rows, [])  # type: ignore[arg-type]
    return Skeleton(grown.names, grown.parents, grown.translations, grown.rotations, skeleton.tips)


def at(name: str) -> Point:
    x, y, z = HUMANOID.rest[0][HUMANOID.index(name)]
    return float(x), float(y), float(z)


def named(skeleton: Skeleton, joints: tuple[int, ...]) -> list[str]:
    return [skeleton.names[j] for j in joints]


def is_a_person(skeleton: Skeleton, body: Anatomy) -> bool:
    """Whether the limbs are HUMANOID's."""
    return (
        named(skeleton, body.feet) == ["left_ankle", "right_ankle"]
        and named(skeleton, body.hands) == ["left_wrist", "right_wrist"]
        and skeleton.names[body.trunk] == "pelvis"
    )


def test_fingers_named_after_the_hand_are_not_the_hand() -> None:
    names = {"left_wrist": "LeftHand", "right_wrist": "RightHand"}
    fingers = []
    for side, y in (("Left", 1.0), ("Right", -1.0)):
        x, _, z = at(f"{side.lower()}_wrist")
        for k, finger in enumerate(("Thumb", "Index", "Pinky")):
            for bone in (1, 2, 3):
                parent = f"{side.lower()}_wrist" if bone == 1 else f"{side}Hand{finger}{bone - 1}"
                fingers.append((f"{side}Hand{finger}{bone}", parent, (x + 0.02 * k, y * (0.4 + 0.03 * bone), z - 0.03 * bone)))
    skeleton = grown(HUMANOID, fingers)
    skeleton = Skeleton(
        tuple(names.get(n, n) for n in skeleton.names), skeleton.parents, skeleton.translations, skeleton.rotations, skeleton.tips
    )
    assert named(skeleton, anatomy(skeleton).hands) == ["LeftHand", "RightHand"]


def test_handles_of_feet_and_hands_that_are_there_besides_are_no_limbs() -> None:
    handles = [
        ("ik_foot_root", "ground", (0.0, 0.0, 0.0)),
        ("ik_foot_l", "ik_foot_root", at("left_ankle")),
        ("ik_foot_r", "ik_foot_root", at("right_ankle")),
        ("ik_hand_gun", "ground", at("right_wrist")),
        ("ik_hand_l", "ik_hand_gun", at("left_wrist")),
        ("control-toe-roll.l", "ground", (0.2, 0.1, 0.0)),
        ("control-foot-roll.l", "control-toe-roll.l", (0.1, 0.1, 0.0)),
    ]
    renamed = {"left_ankle": "foot_l", "right_ankle": "foot_r", "left_wrist": "hand_l", "right_wrist": "hand_r", "left_ball": "toes_l"}
    base = build([("ground", "", (0.0, 0.0, 0.0))], [])
    person = [(name, HUMANOID.names[p] if p >= 0 else "ground", at(name)) for name, p in zip(HUMANOID.names, HUMANOID.parents, strict=True)]
    skeleton = grown(base, [*person, *handles])
    skeleton = Skeleton(
        tuple(renamed.get(n, n) for n in skeleton.names), skeleton.parents, skeleton.translations, skeleton.rotations, skeleton.tips
    )
    body = anatomy(skeleton)
    assert skeleton.names[body.trunk] == "pelvis"
    assert named(skeleton, body.feet) == ["foot_l", "foot_r"]
    assert named(skeleton, body.hands) == ["hand_l", "hand_r"]
    assert {name for name, _, _ in handles} <= set(named(skeleton, body.controls))


def test_of_two_people_in_one_file_the_first_is_read_and_has_its_own_left_and_right() -> None:
    second = []
    for name, p in zip(HUMANOID.names, HUMANOID.parents, strict=True):
        x, y, z = at(name)
        second.append((f"other_{name}", f"other_{HUMANOID.names[p]}" if p >= 0 else "", (1.05 * x + 0.3, 1.05 * y + 1.2, 1.05 * z)))
    skeleton = grown(HUMANOID, second)
    body = anatomy(skeleton)
    assert is_a_person(skeleton, body)
    assert [body.side[j] for j in body.feet] == ["left", "right"]
    assert body.partner[skeleton.index("neck")] == skeleton.index("neck")
    assert skeleton.index("other_pelvis") in body.controls


def test_of_two_bodies_in_one_file_the_one_that_the_clip_moves_is_read() -> None:
    second = [
        (f"other_{n}", f"other_{HUMANOID.names[p]}" if p >= 0 else "", tuple(np.array(at(n)) + np.array([0.3, 1.2, 0.0])))
        for n, p in zip(HUMANOID.names, HUMANOID.parents, strict=True)
    ]
    skeleton = grown(HUMANOID, second)
    for mover, still in (("pelvis", "other_pelvis"), ("other_pelvis", "pelvis")):
        rotations = np.tile(skeleton.rotations, (3, 1, 1))
        for j in skeleton.descendants(skeleton.index(mover)):
            rotations[1, j] = quaternion.multiply(rotations[1, j], quaternion.exp([0.0, 0.1, 0.0]))
        motion = Motion(skeleton, np.tile(skeleton.translations, (3, 1, 1)), rotations, 0.1)
        body = anatomy(skeleton, motion)
        assert skeleton.names[body.trunk] == mover
        assert skeleton.index(still) in body.controls
        assert len(body.feet) == 2
        assert body.partner[body.feet[0]] == body.feet[1]


@pytest.mark.parametrize("above", [0, 1])
def test_bones_along_one_axis_below_a_root_on_the_ground_are_read_in_the_clip(above: int) -> None:
    """All bones along +X at rest, those of the right side along -X, as some engines export; the hips high above a root at the origin."""
    walk = material.motion("humanoid/walk")
    old = walk.skeleton
    frames = np.tile(IDENTITY, (old.num_joints, 1))  # of each joint, its bone along its x axis
    for j in range(old.num_joints):
        child = next((c for c in old.children[j] if np.linalg.norm(old.translations[c]) > 1e-6), None)
        if child is not None:
            sign = -1.0 if old.names[j].startswith("right") else 1.0
            frames[j] = quaternion.between(np.array([sign, 0.0, 0.0]), old.translations[child])
    world = quaternion.multiply(walk.joint_rotations, frames)
    parents = old.parents
    inverse = quaternion.conjugate(frames)
    places = np.where((parents >= 0)[:, None], quaternion.rotate(inverse[np.maximum(parents, 0)], old.translations), old.translations)
    names, offset = old.names, 0
    positions, rotations = walk.joint_positions, world
    if above:
        names, offset = ("origin", *names), 1
        parents = np.concatenate([[-1], old.parents + 1])
        places = np.concatenate([np.zeros((1, 3)), places])
        places[1] += [4.5, 0.0, 0.0]  # where the actor stood when the file was made
        still = np.zeros((walk.num_frames, 1, 3))
        positions = np.concatenate([still, positions], axis=1)
        rotations = np.concatenate([np.tile(IDENTITY, (walk.num_frames, 1, 1)), rotations], axis=1)
    skeleton = Skeleton(names, parents, places, np.tile(IDENTITY, (len(names), 1)))
    motion = Motion.from_world(skeleton, positions, rotations, walk.frame_time)
    body, plain = anatomy(skeleton, motion), anatomy(old, walk)
    assert [tuple(j - offset for j in leg) for leg in body.legs] == list(plain.legs)
    assert named(skeleton, body.hands) == named(old, plain.hands)
    assert body.trunk == plain.trunk + offset
    assert "was read instead" in body.notes[0]


def test_a_pair_of_legs_whose_hips_swing_is_still_left_before_right() -> None:
    motion = material.motion("humanoid/walk")
    for frame in range(0, motion.num_frames, 5):
        still = Skeleton(
            motion.skeleton.names, motion.skeleton.parents, motion.translations[frame], motion.rotations[frame], motion.skeleton.tips
        )
        assert is_a_person(still, anatomy(still)) or named(still, anatomy(still).feet) == ["left_ankle", "right_ankle"]


def test_without_sides_in_the_names_a_head_is_not_taken_for_the_other_side_of_a_belly() -> None:
    rows: list[tuple[str, str, Point]] = [
        ("root", "", (0.0, 0.0, 0.35)),
        ("head", "root", (0.3, 0.0, 0.36)),
        ("abdomen", "root", (-0.3, 0.0, 0.4)),
    ]
    for i, degrees in enumerate((35.0, 70.0, 110.0, 145.0, -35.0, -70.0, -110.0, -145.0)):
        x, y = float(np.cos(np.radians(degrees))), float(np.sin(np.radians(degrees)))
        for k, (r, z) in enumerate(((0.15, 0.34), (0.5, 0.75), (0.9, 0.45), (1.15, 0.0))):
            rows.append((f"leg{i}_{k}", f"leg{i}_{k - 1}" if k else "root", (r * x, r * y, z)))
    skeleton = build(rows, [("face", "head", (0.5, 0.0, 0.33)), ("spinneret", "abdomen", (-0.9, 0.0, 0.45))])
    body = anatomy(skeleton, sway(skeleton, "spider"))
    assert len(body.legs) == 8
    assert not body.arms
    assert body.head == skeleton.index("head")
    assert np.allclose(body.forward, [1.0, 0.0, 0.0], atol=1e-6)


def flattened(motion: Motion, joints: tuple[str, ...]) -> Motion:
    """The same motion with some joints hung from a root on the ground, as an export of deform bones alone does."""
    old = motion.skeleton
    parents = np.array([-1, *(0 if name in joints or p < 0 else p + 1 for name, p in zip(old.names, old.parents.tolist(), strict=True))])
    rest = np.concatenate([np.zeros((1, 3)), old.rest[0]])
    places = rest - np.where(parents[:, None] >= 0, rest[np.maximum(parents, 0)], 0.0)
    tips = tuple(Tip(joint=tip.joint + 1, offset=tip.offset) for tip in old.tips)
    skeleton = Skeleton(("root", *old.names), parents, places, np.tile(IDENTITY, (len(parents), 1)), tips)
    still = np.zeros((motion.num_frames, 1, 3))
    positions = np.concatenate([still, motion.joint_positions], axis=1)
    rotations = np.concatenate([np.tile(IDENTITY, (motion.num_frames, 1, 1)), motion.joint_rotations], axis=1)
    return Motion.from_world(skeleton, positions, rotations, motion.frame_time)


@pytest.mark.parametrize("clip", ["humanoid/box", "dinosaur/walk"])
@pytest.mark.parametrize("which", ["limbs", "all"])
def test_limbs_that_hang_from_a_root_on_the_ground_are_hung_where_their_joints_keep_their_place(clip: str, which: str) -> None:
    motion = material.motion(clip)
    old = motion.skeleton
    limbs = tuple(n for n in old.names if which == "all" or any(word in n for word in ("shoulder", "hip", "elbow")))
    flat = flattened(motion, limbs)
    body = anatomy(flat.skeleton, flat)
    names = flat.skeleton.names
    found = {names[j]: names[k] for j, k in body.detached.items()}
    assert found == {name: old.names[p] for name, p in zip(old.names, old.parents, strict=True) if name in limbs and p >= 0}
    plain = anatomy(old, motion)
    assert named(flat.skeleton, body.feet) == named(old, plain.feet)
    assert named(flat.skeleton, body.hands) == named(old, plain.hands)


@pytest.mark.parametrize("clip", ["humanoid/walk", "humanoid/box", "dinosaur/walk", "dinosaur/jump"])
def test_joints_that_are_all_roots_are_made_a_tree(clip: str) -> None:
    motion = material.motion(clip)
    old = motion.skeleton
    flat = Skeleton(old.names, np.full(old.num_joints, -1), *old.rest, old.tips)
    roots = Motion.from_world(flat, *motion.world, motion.frame_time)
    body, plain = anatomy(flat, roots), anatomy(old, motion)
    assert [named(flat, leg)[:3] for leg in body.legs] == [named(old, leg)[:3] for leg in plain.legs]
    assert named(flat, body.hands) == named(old, plain.hands)
    assert len(body.detached) == old.num_joints - 1
    first = np.zeros(6, dtype=int)
    still = roots.replace(translations=roots.translations[first], rotations=roots.rotations[first], contacts=None)
    assert named(flat, anatomy(flat, still).feet) == named(old, plain.feet)


def test_bones_that_stretch_stay_where_they_are() -> None:
    motion = material.motion("humanoid/box")
    longer = np.array(motion.translations)
    wave = 1.0 + 0.4 * np.sin(np.linspace(0.0, 9.0, motion.num_frames))
    for name in ("left_knee", "left_ankle", "right_elbow", "neck"):
        longer[:, motion.skeleton.index(name)] *= wave[:, None]
    assert not anatomy(motion.skeleton, motion.replace(translations=longer)).detached


def test_the_joint_of_a_biped_s_footsteps_is_no_part_of_its_body() -> None:
    skeleton = grown(HUMANOID, [("Bip01 Footsteps", "pelvis", (0.0, 0.0, 0.0))])
    body = anatomy(skeleton)
    assert is_a_person(skeleton, body)
    assert named(skeleton, body.controls) == ["Bip01 Footsteps"]


def test_two_tails_in_a_row_are_neither_arms_nor_each_other_s_other_side() -> None:
    x, _, z = at("pelvis")
    tails = [(f"{kind}{k}", f"{kind}{k - 1}" if k > 1 else "pelvis", (x - 0.15 * k, 0.0, z - dip * k)) for kind, dip in
             (("Tail", 0.02), ("TailGuide", 0.05)) for k in (1, 2, 3)]  # fmt: skip
    skeleton = grown(HUMANOID, tails)  # type: ignore[arg-type]
    body = anatomy(skeleton)
    assert is_a_person(skeleton, body)
    assert all(body.partner[skeleton.index(name)] == skeleton.index(name) for name, _, _ in tails)
    assert body.tail


def test_skirts_and_hair_are_no_arms_and_a_jaw_is_no_head() -> None:
    x, _, z = at("pelvis")
    more: list[tuple[str, str, Point]] = [("jaw", "neck", (0.05, 0.0, 1.5)), ("tongue", "jaw", (0.09, 0.0, 1.5))]
    for k in range(8):
        away = np.array([np.cos(0.7 * k + 0.35), np.sin(0.7 * k + 0.35)])
        more += [
            (f"Skirt{i}_{k}", f"Skirt{i - 1}_{k}" if i else "pelvis", (x + 0.2 * away[0], 0.2 * away[1], z - 0.15 * i)) for i in (0, 1)
        ]
        more += [(f"Hair{i}_{k}", f"Hair{i - 1}_{k}" if i else "neck", (0.1 * away[0], 0.1 * away[1], 1.65 - 0.1 * i)) for i in (0, 1)]
    skeleton = grown(HUMANOID, more)
    body = anatomy(skeleton)
    assert is_a_person(skeleton, body)
    assert body.head == skeleton.index("neck")


def test_one_who_hops_has_one_foot() -> None:
    rows: list[tuple[str, str, Point]] = [
        ("hips", "", (0.0, 0.0, 0.9)),
        ("thigh", "hips", (0.0, 0.0, 0.8)),
        ("shin", "thigh", (0.05, 0.0, 0.45)),
        ("foot", "shin", (0.0, 0.0, 0.08)),
        ("chest", "hips", (0.0, 0.0, 1.2)),
        ("head", "chest", (0.0, 0.0, 1.5)),
        *((f"{part}.{side}", f"arm.{side}" if part == "hand" else "chest", (0.0, y, height))
          for side, y in (("L", 0.2), ("R", -0.2)) for part, height in (("arm", 1.4), ("hand", 0.8))),
    ]  # fmt: skip
    skeleton = build(rows, [("toe", "foot", (0.18, 0.0, 0.0)), ("crown", "head", (0.0, 0.0, 1.7))])
    body = anatomy(skeleton)
    assert named(skeleton, body.feet) == ["foot"]
    assert named(skeleton, body.hands) == ["hand.L", "hand.R"]
