"""BVH files that cannot be read: one line that names the file's line. Harmless oddities: a warning."""

from __future__ import annotations

import re

import numpy as np
import pytest

from surefoot.errors import InputError
from surefoot.motion import bvh
from surefoot.motion.files import ReadOptions

SMALL = """HIERARCHY
ROOT Hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Spine
  {
    OFFSET 0 20 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0 30 0
    }
  }
}
MOTION
Frames: 3
Frame Time: 0.04
0 90 0 0 0 0 1 2 3
0 91 0 0 0 0 1 2 3
0 92 0 0 0 0 1 2 3
"""


def lines(**changes: str | None) -> str:
    """SMALL with lines (l1, l2, ...) changed, or left out where None."""
    rows: list[str | None] = list(SMALL.split("\n"))
    for key, text in changes.items():
        rows[int(key[1:]) - 1] = text
    return "\n".join(row for row in rows if row is not None)


def read(text: str) -> None:
    bvh.read(text.encode(), "clip.bvh")


def test_the_small_file_itself_is_good() -> None:
    motion = bvh.read(SMALL.encode(), "clip.bvh")
    assert motion.skeleton.names == ("Hips", "Spine")
    assert (motion.num_frames, motion.frame_time) == (3, 0.04)
    assert not [w for w in motion.source.warnings if "line" in w]


ERRORS = {
    "a short row": (lines(l20="0 91 0 0 0 0 1 2"), r"clip.bvh line 20: expected 9 numbers, got 8"),
    "a long row": (lines(l20="0 91 0 0 0 0 1 2 3 4"), r"clip.bvh line 20: expected 9 numbers, got 10"),
    "a short last row": (lines(l21="0 92 0"), r"clip.bvh line 21: expected 9 numbers, got 3"),
    "all rows too short": (
        lines(l19="0.000000 1.0000000 2.000000", l20="0.0000000 1.00000 2", l21="0 1 2"),
        r"line 19: expected 9 numbers, got 3 \(as every row has",
    ),
    "no MOTION": (lines(l16=None), r"clip.bvh line \d+: "),
    "nothing behind the hierarchy": ("\n".join(SMALL.split("\n")[:15]), r"clip.bvh line 15: the file ends without the line MOTION"),
    "fewer frames than declared": (lines(l17="Frames: 4"), r"clip.bvh line 21: 4 frames declared, the file ends after 3"),
    "far fewer frames than declared": (lines(l17="Frames: 1000000"), r"line 21: 1000000 frames of 9 numbers declared, the file ends"),
    "no frames declared": (lines(l17="Frames: 0"), r"clip.bvh line 17: Frames is 0; .* at least 1"),
    "a negative number of frames": (lines(l17="Frames: -3"), r"clip.bvh line 17: Frames is -3"),
    "half a frame": (lines(l17="Frames: 2.5"), r"clip.bvh line 17: Frames is 2.5"),
    "more frames than can be read": (lines(l17="Frames: 99999999999"), r"line 17: frames: 99999999999 declared, 0 to 2000000"),
    "a count that is no number": (lines(l17="Frames: many"), r"clip.bvh line 17: Frames: 'many' is not a number"),
    "no rows at all": ("\n".join(SMALL.split("\n")[:18]), r"clip.bvh line 18: 3 frames of 9 numbers declared"),
    "a word among the numbers": (lines(l20="0 91 0 zero 0 0 1 2 3"), r"clip.bvh line 20: frame data: 'zero' is not a number"),
    "NaN among the numbers": (lines(l20="0 91 0 nan 0 0 1 2 3"), r"clip.bvh line 20: number 4 of the frame is nan"),
    "an infinite number": (lines(l20="0 91 0 inf 0 0 1 2 3"), r"clip.bvh line 20: number 4 of the frame is inf"),
    "a position beyond reason": (lines(l20="0 1e30 0 0 0 0 1 2 3"), r"clip.bvh line 20: number 2 of the frame is 1e\+30"),
    "an infinite frame time": (lines(l18="Frame Time: inf"), r"clip.bvh line 18: Frame Time: 'inf' is not a finite number"),
    "an OFFSET of two": (lines(l8="    OFFSET 0 20"), r"clip.bvh line 9: OFFSET: 'CHANNELS' is not a number"),
    "an OFFSET that is no number": (lines(l8="    OFFSET 0 twenty 0"), r"clip.bvh line 8: OFFSET: 'twenty'"),
    "an OFFSET of infinity": (lines(l8="    OFFSET 0 1e400 0"), r"clip.bvh line 8: OFFSET: '1e400' is not a finite number"),
    "fewer channels than counted": (
        lines(l9="    CHANNELS 4 Zrotation Xrotation Yrotation"),
        r"CHANNELS declares 4 channels, number 4 is 'End'",
    ),
    "more channels than counted": (lines(l9="    CHANNELS 2 Zrotation Xrotation Yrotation"), r"clip.bvh line 9: found 'Yrotation'"),
    "a channel nobody knows": (
        lines(l9="    CHANNELS 3 Zrotation Wrotation Yrotation"),
        r"line 9: CHANNELS declares 3 .* number 2 is 'Wrotation'",
    ),
    "a million channels": (
        lines(l9="    CHANNELS 1000000 Zrotation"),
        r"clip.bvh line 9: CHANNELS 1e\+06; expected a whole number from 0 to 64",
    ),
    "a brace too many": (lines(l14="  }}}}"), r"clip.bvh line 14: '}' closes nothing"),
    "a brace too few": (lines(l3=""), r"clip.bvh line 4: expected '{' after 'Hips', found 'OFFSET'"),
    "a word out of place": (lines(l4="  OFSET 0 0 0"), r"clip.bvh line 4: found 'OFSET'; expected OFFSET, CHANNELS"),
    "no root": ("HIERARCHY\nMOTION\nFrames: 1\nFrame Time: 1\n", r"clip.bvh: there is no ROOT"),
    "no channels": ("HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\n}\nMOTION\nFrames: 1\nFrame Time: 1\n0\n", r"clip.bvh: no joint has CHANNELS"),
    "an empty file": ("", r"clip.bvh: the file is empty"),
    "blanks": (" \n\t\n", r"clip.bvh: the file is empty"),
    "another format": ('{"Frames": [[1, 2]]}', r"clip.bvh line 1: "),
    "a joint inside an end site": (lines(l12="      JOINT a"), r"clip.bvh line 12: a JOINT inside an End Site"),
    "nesting without end": (
        "HIERARCHY\nROOT a\n{\n" + "JOINT a\n{\n" * 600 + "MOTION\n",
        r"line \d+: joints are nested more than 512 deep",
    ),
    "joints without end": (
        "HIERARCHY\n" + "ROOT a\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n}\n" * 4097 + "MOTION\nFrames: 1\n",
        r"line \d+: joints: 4097 declared, 0 to 4096",
    ),
}


@pytest.mark.parametrize("case", ERRORS)
def test_what_cannot_be_read_is_one_line_that_names_the_place(case: str) -> None:
    text, message = ERRORS[case]
    with pytest.raises(InputError, match=message) as caught:
        read(text)
    assert "\n" not in str(caught.value)


WARNINGS = {
    "more frames than declared": (lines(l17="Frames: 2"), "declares 2, 1 more rows follow"),
    "no count of frames": (lines(l17=None), "does not say how many frames"),
    "braces missing at the end": (lines(l15=""), r"1 '}' missing at the end of the hierarchy"),
    "a joint without OFFSET": (lines(l8=None), r"Joint 'Spine' \(line 6\) has no OFFSET"),
    "a joint without a name": (lines(l6="  JOINT"), r"joint in line 6 has no name; it is called 'joint1'"),
    "scale channels": (
        lines(
            l9="    CHANNELS 4 Zrotation Xrotation Yrotation Xscale",
            l19="0 90 0 0 0 0 1 2 3 1",
            l20="0 90 0 0 0 0 1 2 3 1",
            l21="0 90 0 0 0 0 1 2 3 1",
        ),
        "Scale channels .* are not used",
    ),
}


@pytest.mark.parametrize("case", WARNINGS)
def test_what_is_harmless_is_read_with_a_warning(case: str) -> None:
    text, message = WARNINGS[case]
    motion = bvh.read(text.encode(), "clip.bvh")
    assert any(re.search(message, w) for w in motion.source.warnings), motion.source.warnings
    assert motion.skeleton.num_joints == 2


def test_comments_and_blank_lines_are_passed_over() -> None:
    motion = bvh.read(lines(l4="  # by hand\n\n  OFFSET 0 0 0", l20="\n\n0 91 0 0 0 0 1 2 3").encode(), "clip.bvh")
    assert motion.num_frames == 3
    assert motion.source.warnings == ()


def test_a_frame_may_be_broken_over_lines_or_all_stand_on_one() -> None:
    head, numbers = SMALL.split("Frame Time: 0.04\n")
    whole = bvh.read(SMALL.encode(), "clip.bvh")
    for text in (numbers.replace("\n", " "), numbers.replace(" 0 0 0 0 ", " 0 0\n0 0 "), numbers.replace(" ", "\n")):
        motion = bvh.read(f"{head}Frame Time: 0.04\n{text}".encode(), "clip.bvh")
        np.testing.assert_array_equal(motion.translations, whole.translations)


def test_a_nonsense_override_is_refused() -> None:
    for options, message in (
        (ReadOptions(unit_m=0.0), "length of a unit must be a positive number"),
        (ReadOptions(unit_m=float("nan")), "length of a unit must be a positive number"),
        (ReadOptions(fps=-1.0), "frames per second must be a positive number"),
    ):
        with pytest.raises(InputError, match=message):
            bvh.read(SMALL.encode(), "clip.bvh", options)


def test_the_only_frame_cannot_be_dropped() -> None:
    with pytest.raises(InputError, match=r"clip.bvh: it has a single frame"):
        bvh.read(lines(l17="Frames: 1", l20=None, l21=None).encode(), "clip.bvh", ReadOptions(drop_first_frame=True))


def test_a_small_file_cannot_claim_a_huge_motion() -> None:
    still = "JOINT b\n{\nOFFSET 0 1 0\n}\n" * 3000
    text = f"HIERARCHY\nROOT a\n{{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n{still}}}\nMOTION\nFrames: 3000\nFrame Time: 1\n" + "0\n" * 3000
    with pytest.raises(InputError, match=r"9.0 million transforms, but the file holds only 0.003 million numbers"):
        read(text)
