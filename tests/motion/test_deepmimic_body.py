"""DeepMimic character files: the skeleton of the clips as a rest pose; what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from surefoot.character.rig import rig
from surefoot.errors import InputError
from surefoot.motion import deepmimic, deepmimic_body
from surefoot.motion.files import ReadOptions, read_motion
from tests.clips import MOTIONS, needs_motions


def joint(index: int, name: str, parent: int, **at: Any) -> dict[str, Any]:
    return {"ID": index, "Name": name, "Parent": parent, **at}


def read(joints: Any, **more: Any) -> Any:
    return deepmimic_body.read(json.dumps({"Skeleton": {"Joints": joints}, **more}).encode(), "body.txt", ReadOptions())


def test_joints_stand_where_their_parents_have_them_whatever_their_order() -> None:
    motion = read([joint(7, "knee", 4, AttachY=-0.4), joint(4, "hip", -1, AttachY=1.0)])
    skeleton = motion.skeleton
    assert (skeleton.names, skeleton.parents.tolist(), motion.num_frames) == (("hip", "knee"), [-1, 0], 1)
    assert skeleton.rest[0] == pytest.approx(np.array([[0.0, 0.0, 1.0], [0.0, 0.0, 0.6]]))


@needs_motions
def test_the_character_file_holds_the_skeleton_that_its_clips_are_read_on() -> None:
    motion, known = read_motion(MOTIONS / "deepmimic" / "character_humanoid3d.txt"), deepmimic.skeleton()
    assert motion.skeleton.names == known.names
    assert motion.skeleton.rest[0] == pytest.approx(known.rest[0], abs=1e-9)
    assert [t.joint for t in motion.skeleton.tips] == [t.joint for t in known.tips]
    for ours, theirs in zip(motion.skeleton.tips, known.tips, strict=True):
        assert ours.offset == pytest.approx(theirs.offset, abs=1e-9)
    assert len(rig(motion).character.feet) == 2


@pytest.mark.parametrize(
    ("joints", "said"),
    [
        ([], '"Joints" is empty'),
        ("x", 'a list "Joints" of objects'),
        ([joint(0, "a", 5)], "hangs below joint 5, which is not there"),
        ([joint(0, "a", 1), joint(1, "b", 0)], "form a cycle"),
        ([joint(0, "a", -1, AttachX="far")], "AttachX is 'far'; a finite number is expected"),
        ([joint(0, "a", -1, AttachX=1e300)], "a finite number is expected"),
        ([joint(0, "a", "b")], "Parent is 'b'; a whole number is expected"),
    ],
)
def test_what_cannot_be_read_is_one_line(joints: Any, said: str) -> None:
    with pytest.raises(InputError) as error:
        read(joints)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_the_content_tells_it_from_a_gltf(tmp_path: Path) -> None:
    path = tmp_path / "body.json"
    path.write_text(json.dumps({"Skeleton": {"Joints": [joint(0, "hip", -1), joint(1, "knee", 0, AttachY=-0.4)]}}), encoding="utf-8")
    assert read_motion(path).skeleton.names == ("hip", "knee")
