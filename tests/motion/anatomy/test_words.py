"""What names hint at."""

import pytest

from surefoot.motion.anatomy.words import named_partners, parts, side, tokens


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("mixamorig:LeftUpLeg", ("left", "up", "leg")),
        ("Bip01 L Thigh", ("bip", "01", "l", "thigh")),
        ("thigh.L.001", ("thigh", "l", "001")),
        ("b_LeftLeg01_015", ("b", "left", "leg", "01", "015")),
        ("FrontLowLeg.R", ("front", "low", "leg", "r")),
    ],
)
def test_names_are_split_where_a_person_would(name: str, words: tuple[str, ...]) -> None:
    assert tokens(name) == words


@pytest.mark.parametrize(
    ("name", "which"),
    [("LeftFoot", 1), ("foot.R", -1), ("rfemur", 0), ("l_hand", 1), ("Tail", 0), ("right_wrist", -1), ("Liver", 0), ("Rear", 0)],
)
def test_a_side_is_a_word_of_its_own(name: str, which: int) -> None:
    assert side(name) == which


@pytest.mark.parametrize(
    ("name", "part"),
    [("rfemur", "leg"), ("LeftToeBase", "toe"), ("PoleTarget.L", "control"), ("hand.r", "hand"), ("left_hip", "leg"), ("Ears", "face")],
)
def test_parts_of_the_body_are_known_with_and_without_a_side(name: str, part: str) -> None:
    assert part in parts(name)


def test_a_rear_leg_has_no_ear() -> None:
    assert "face" not in parts("rear_left_knee")
    assert "face" in parts("lear") or "face" in parts("l_ear")


def test_partners_are_found_by_swapping_the_side_also_with_serial_numbers() -> None:
    names = ["Hips", "LeftLeg_015", "LeftFoot_016", "RightLeg_019", "RightFoot_020", "lonely_l"]
    partner, sides = named_partners(names, [-1, 0, 1, 0, 3, 0])
    assert partner == [-1, 3, 4, 1, 2, -1]
    assert sides == [0, 1, 1, -1, -1, 0]


def test_several_joints_of_one_name_pair_in_their_order() -> None:
    partner, _ = named_partners(["root", "arm_l", "arm_l", "arm_r", "arm_r"], [-1, 0, 1, 0, 3])
    assert partner == [-1, 3, 4, 1, 2]
