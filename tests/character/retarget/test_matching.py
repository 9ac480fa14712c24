"""Which limb drives which, and what a person may say about it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.character.builtin import builtin
from surefoot.character.retarget import parse_overrides, read_overrides, retarget
from surefoot.character.rig import rig
from surefoot.errors import InputError
from surefoot.material.skeletons import DINOSAUR
from surefoot.motion.motion import Motion
from surefoot.motion.skeleton import Skeleton
from tests.character.retarget.clips import steps


def standing(skeleton: Skeleton) -> Motion:
    return Motion(skeleton, np.tile(skeleton.translations, (4, 1, 1)), np.tile(skeleton.rotations, (4, 1, 1)), 1.0 / 30.0)


def test_limbs_of_two_people_match_joint_by_joint() -> None:
    drivers = retarget(steps("humanoid", 4), builtin("deepmimic")).matching.drivers
    assert drivers["left_knee"] == "left_knee"
    assert drivers["right_elbow"] == "right_elbow"
    assert drivers["chest"] == "chest"
    assert drivers["root"] == "pelvis"


def test_a_limb_without_partner_is_named() -> None:
    matching = retarget(standing(DINOSAUR), builtin("humanoid")).matching
    assert matching.unmatched == ("the source's tail",)
    assert {p.target.label for p in matching.pairs} == {"left leg", "right leg", "left arm", "right arm", "spine"}


def test_a_person_walks_on_a_dinosaurs_legs() -> None:
    dinosaur = rig(standing(DINOSAUR)).character
    matching = retarget(steps("humanoid", 4), dinosaur).matching
    assert matching.drivers["left_hip"] == "left_hip"
    assert matching.drivers["tail_2"] is None


def test_the_matching_is_printed_in_lines() -> None:
    lines = retarget(steps("humanoid", 2), builtin("deepmimic")).matching.lines()
    assert "left_shoulder -> left_shoulder" in lines
    assert any(line.startswith("left leg -> left leg (x ") for line in lines)


def test_an_override_changes_the_driver_and_says_so(tmp_path: Path) -> None:
    file = tmp_path / "matching.txt"
    file.write_text("# the head follows the chest\nchest -> neck\n- -> left_elbow\n")
    matching = retarget(steps("humanoid", 2), builtin("deepmimic"), matching=file).matching
    assert matching.drivers["neck"] == "chest"
    assert matching.drivers["left_elbow"] is None
    assert "chest -> neck (given)" in matching.lines()


def test_an_unknown_joint_lists_those_that_exist() -> None:
    with pytest.raises(InputError, match="no joint of the source named 'left_kne'; did you mean 'left_knee'"):
        retarget(steps("humanoid", 2), builtin("deepmimic"), matching={"left_knee": "left_kne"})
    with pytest.raises(InputError, match="no body of the character named 'tail'"):
        retarget(steps("humanoid", 2), builtin("deepmimic"), matching={"tail": "chest"})


def test_a_line_that_is_no_pair_is_named_by_its_number() -> None:
    with pytest.raises(InputError, match="matching, line 2: expected 'source joint -> target body', found 'chest neck'"):
        parse_overrides("a -> b\nchest neck\n")
    with pytest.raises(InputError, match="'b' is driven twice"):
        parse_overrides("a -> b\nc -> b\n")


def test_names_may_hold_spaces_and_colons() -> None:
    assert parse_overrides("mixamorig:Left Arm ->  left shoulder \n") == {"left shoulder": "mixamorig:Left Arm"}


@given(st.text(st.sampled_from("ab ->#:\t\n\x00é"), max_size=60))
def test_any_text_is_read_or_refused_in_one_line(text: str) -> None:
    message = ""
    try:
        assert all(parse_overrides(text))
    except InputError as error:
        message = str(error)
    assert len(message.splitlines()) <= 1


def test_a_matching_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "matching.txt"
    file.write_bytes(b"\xff\xfe\x00\x80")
    with pytest.raises(InputError, match="not a text file"):
        read_overrides(file)


def test_a_body_without_any_limb_in_common_is_refused() -> None:
    stone = Skeleton(("stone",), np.array([-1]), np.array([[0.0, 0.0, 0.5]]), np.array([[1.0, 0.0, 0.0, 0.0]]))
    with pytest.raises(InputError, match="no limb of 'the motion' matches one of 'humanoid': the source has 0 legs"):
        retarget(standing(stone), builtin("humanoid"))
