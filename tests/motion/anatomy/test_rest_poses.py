"""Bodies whose rest pose tells nothing: they are read in a frame in which they stand as they mostly do."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from surefoot.character.rig import rig
from surefoot.motion import bvh
from surefoot.motion.anatomy import anatomy
from surefoot.motion.anatomy.pose import scrambled
from surefoot.motion.motion import Motion
from tests.motion.bodies import CRAB, Clip, person, walk
from tests.motion.bvh_dialects import Dialect, write


def read(clip: Clip, dialect: Dialect, seed: int = 0) -> Motion:
    return bvh.read(write(clip, dialect, seed).data, "clip.bvh")


def nameless(clip: Clip) -> Clip:
    return replace(clip, names=tuple(f"bone{j}" for j in range(len(clip.names))))


def on_its_hands(clip: Clip, frames: range) -> Clip:
    """The same walk, with a handstand in between, in which the body with its arms is taller than ever."""
    turned, root = clip.turned.copy(), clip.root.copy()
    upside_down = Rotation.from_euler("y", 180.0, degrees=True).as_matrix()
    for t in frames:
        turned[t] = upside_down
        for j, name in enumerate(clip.names):
            if name.removeprefix("Left").removeprefix("Right") in ("Arm", "ForeArm", "Hand"):
                side = 1.0 if name.startswith("Left") else -1.0
                turned[t, j] = upside_down @ Rotation.from_euler("x", 90.0 * side, degrees=True).as_matrix()
        root[t, 2] = 1.15
    return replace(clip, turned=turned, root=root)


@pytest.mark.parametrize("names", ["a person's", "none"])
def test_who_stands_on_his_hands_for_a_moment_is_read_where_he_walks(names: str) -> None:
    clip = on_its_hands(person(), range(24, 30))
    tall = np.ptp(clip.positions[..., 2], axis=1)
    assert tall[26] > 1.1 * tall[10], "else this shows nothing"
    motion = read(clip if names == "a person's" else nameless(clip), Dialect(rest="along x", root_offset="first"))
    body = anatomy(motion.skeleton, motion)
    assert [clip.names[j] for j in body.feet] == ["LeftFoot", "RightFoot"]
    assert [clip.names[j] for j in body.hands] == ["LeftHand", "RightHand"]


@pytest.mark.parametrize("seed", range(6))
def test_a_rest_pose_of_joints_turned_at_random_is_not_stood_in(seed: int) -> None:
    clip = person()
    motion = read(nameless(clip), Dialect(rest="odd"), seed)
    assert scrambled(motion)
    body = anatomy(motion.skeleton, motion)
    assert {clip.names[j] for j in body.feet} == {"LeftFoot", "RightFoot"}
    assert any("rest pose made from the clip" in line for line in rig(motion).character.report)


def test_a_t_pose_is_no_scrambled_one() -> None:
    for clip in (person(), on_its_hands(person(), range(24, 30))):
        assert not scrambled(read(clip, Dialect()))


def test_a_crab_stands_on_the_legs_that_are_lifted_in_the_frame_that_is_read() -> None:
    motion = read(walk(CRAB), Dialect(rest="along x", root_offset="first"))
    assert len(anatomy(motion.skeleton, motion).legs) == 8
