"""A person's edits of a rig (Wide band 4.3)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest
from benchmarks.animals import animal

from surefoot.character.rig import Rigged, edits_template, parse_edits, read_edits, rig
from surefoot.errors import InputError

DOG = animal("dog 0.7 m")


def edited(**tree: Any) -> Rigged:
    return rig(DOG, edits=parse_edits({"schema": 1, **tree}))


@pytest.fixture(scope="module")
def plain() -> Rigged:
    return rig(DOG)


def test_the_template_applied_unchanged_changes_nothing(plain: Rigged) -> None:
    again = rig(DOG, edits=parse_edits(json.loads(json.dumps(edits_template(plain)))))
    for a, b in zip(plain.blueprint.bodies, again.blueprint.bodies, strict=True):
        assert (a.name, a.parent, a.joint, a.foot) == (b.name, b.parent, b.joint, b.foot)
        np.testing.assert_allclose(a.limits, b.limits, atol=1e-6)
        assert a.mass == pytest.approx(b.mass, rel=1e-6)
        for s, t in zip(a.shapes, b.shapes, strict=True):
            np.testing.assert_allclose(s.center, t.center, atol=1e-7)
            np.testing.assert_allclose(s.size, t.size, rtol=1e-6)
    assert plain.character.end_effectors == again.character.end_effectors
    np.testing.assert_allclose(plain.qpos, again.qpos, atol=1e-6)


def test_edits_are_read_from_a_file(tmp_path: Path, plain: Rigged) -> None:
    path = tmp_path / "edits.json"
    path.write_text(json.dumps(edits_template(plain)))
    assert read_edits(path).root == "hips"


def test_a_joint_becomes_a_hinge_and_so_does_its_partner_mirrored() -> None:
    model = edited(bodies={"shin.L": {"joint": "hinge", "axis": [0.3, 1, 0], "limits_deg": [-10, 80]}}).character.model
    left, right = model.joint("shin.L"), model.joint("shin.R")
    assert left.type[0] == right.type[0] == mujoco.mjtJoint.mjJNT_HINGE
    np.testing.assert_allclose(np.degrees(left.range), [-10, 80])
    np.testing.assert_allclose(np.degrees(right.range), [-10, 80])
    np.testing.assert_allclose(right.axis, left.axis * [-1.0, 1.0, -1.0], atol=1e-9)  # a mirrored rotation's axis


def test_without_symmetry_the_other_side_stays(plain: Rigged) -> None:
    rigged = edited(symmetric=False, bodies={"shin.L": {"joint": "ball", "limits_deg": [0, 100]}})
    assert rigged.blueprint.body("shin.L").limits[1] == pytest.approx(np.radians(100))
    assert rigged.blueprint.body("shin.R").limits == plain.blueprint.body("shin.R").limits


def test_a_deleted_tail_is_gone_with_its_tip(plain: Rigged) -> None:
    rigged = edited(delete=["tail1"])
    gone = set(plain.character.skeleton.names) - set(rigged.character.skeleton.names)
    assert gone == {"tail1", "tail2"}
    assert rigged.qpos.shape[1] == rigged.character.model.nq


def test_merged_bodies_keep_their_shapes_where_they_were(plain: Rigged) -> None:
    rigged = edited(merge={"tail2": "tail1"})
    assert "tail2" not in rigged.character.skeleton.names
    before, after = mujoco.MjData(plain.character.model), mujoco.MjData(rigged.character.model)
    mujoco.mj_kinematics(plain.character.model, before)
    mujoco.mj_kinematics(rigged.character.model, after)
    np.testing.assert_allclose(after.geom("tail1 2").xpos, before.geom("tail2").xpos, atol=1e-7)


def test_a_parent_merges_into_its_child_under_the_childs_name() -> None:
    names = edited(merge={"hips": "spine"}).character.skeleton.names
    assert names[0] == "spine"
    assert "hips" not in names


def test_another_root_keeps_the_rest_pose_and_the_joints(plain: Rigged) -> None:
    rigged = edited(root="chest")
    assert rigged.character.skeleton.names[0] == "chest"
    assert rigged.character.model.nv == plain.character.model.nv
    before, after = mujoco.MjData(plain.character.model), mujoco.MjData(rigged.character.model)
    for model, data in ((plain.character.model, before), (rigged.character.model, after)):
        mujoco.mj_kinematics(model, data)
    away = after.geom("head").xpos - before.geom("head").xpos  # the whole may stand elsewhere on the floor
    for name in ("hips", "tail2", "shin.R", "neck"):
        np.testing.assert_allclose(after.geom(name).xpos - before.geom(name).xpos, away, atol=1e-7)
        np.testing.assert_allclose(after.geom(name).xmat, before.geom(name).xmat, atol=1e-7)


def test_another_root_replays_the_same_rotations(plain: Rigged) -> None:
    rigged = edited(root="chest")
    names = rigged.character.skeleton.names
    mine = rigged.character.world(rigged.qpos)[1]
    theirs = plain.character.world(plain.qpos)[1][:, [plain.character.skeleton.names.index(n) for n in names]]
    hinged = {b.name for b in plain.blueprint.bodies if b.joint == "hinge"}
    for j, name in enumerate(names):
        if name not in hinged:
            dots = np.abs(np.sum(mine[:, j] * theirs[:, j], axis=-1))
            assert dots.min() > np.cos(np.radians(0.6)), name


def test_shapes_are_added_scaled_and_removed(plain: Rigged) -> None:
    ball = {"kind": "sphere", "center": [0.0, 0.02, -0.1], "size": [0.03]}
    rigged = edited(bodies={"hindfoot.L": {"add_shapes": [ball]}, "neck": {"scale": 1.5}})
    left, right = (rigged.blueprint.body(f"hindfoot.{side}").shapes[-1] for side in "LR")
    assert left.kind == right.kind == "sphere"
    np.testing.assert_allclose(right.center, left.center * [1.0, -1.0, 1.0], atol=1e-12)
    assert rigged.blueprint.body("neck").shapes[0].size[0] == pytest.approx(1.5 * plain.blueprint.body("neck").shapes[0].size[0])
    assert rigged.blueprint.body("neck").mass > 2.0 * plain.blueprint.body("neck").mass
    with pytest.raises(InputError, match="would have no shape left"):
        edited(bodies={"neck": {"remove_shapes": [0]}})


def test_masses_sum_to_what_was_asked_for() -> None:
    rigged = edited(mass_kg=40, bodies={"head": {"mass_kg": 10}})
    assert rigged.character.mass == pytest.approx(40.0)
    assert rigged.blueprint.body("head").mass == pytest.approx(10.0)


def test_feet_and_end_effectors_are_what_the_edits_say() -> None:
    rigged = edited(end_effectors=["head", "tail2"], bodies={"forefoot.L": {"foot": False}})
    assert rigged.character.end_effectors == ("head", "tail2")
    assert set(rigged.character.feet) == {"hindfoot.L", "hindfoot.R"}


@pytest.mark.parametrize(
    ("tree", "says"),
    [
        ({"delete": ["tial1"]}, "no body named 'tial1'; did you mean 'tail1'"),
        ({"delete": ["hips"]}, "is the root and cannot be deleted"),
        ({"merge": {"head": "hips"}}, "no joint ties them; it is tied to neck"),
        ({"bodies": {"head": {"masss": 1}}}, "no entry named 'masss'; did you mean 'mass_kg'"),
        ({"bodies": {"head": {"limits_deg": [10, -10]}}}, "expected the lowest and the highest angle"),
        ({"bodies": {"hips": {"joint": "hinge"}}}, "is the root: it floats freely"),
        ({"bodies": {"neck": {"joint": "hinge", "limits_deg": [10, 20], "axis": [0, 1, 0]}}}, "limits must hold 0"),
        ({"bodies": {"head": {"add_shapes": [{"kind": "cone"}]}}}, "no kind of shape named 'cone'"),
        ({"bodies": {"head": {"add_shapes": [{"kind": "box", "size": [1, 2]}]}}}, "expected three half sides"),
        ({"bodies": {"head": {"axis": [0, 0, 0]}}}, "expected a direction"),
        ({"bodies": {"head": {"mass_kg": -1}}}, "expected a number above zero"),
        ({"mass_kg": 5, "bodies": {"head": {"mass_kg": 6}}}, "weigh 6 already"),
        ({"schema": 99}, "schema 99 is not known"),
        ({"symmetric": "yes"}, "expected true or false"),
        ([], "expected an object in braces"),
    ],
)
def test_wrong_edits_are_one_clear_line(tree: Any, says: str) -> None:
    with pytest.raises(InputError, match=says) as caught:
        rig(DOG, edits=parse_edits(tree))
    assert "\n" not in str(caught.value)
