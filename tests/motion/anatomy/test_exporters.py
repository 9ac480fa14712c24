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
from surefoot.motion.skeleton import Skeleton

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
