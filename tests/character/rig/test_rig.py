"""Any skeleton becomes a character that replays its clip, stands, and holds its pose."""

from __future__ import annotations

from typing import Literal

import mujoco
import numpy as np
import pytest
from benchmarks.animals import animal, scaled, sway
from benchmarks.rig_trial import held_deviation, let_go, lowest, replay_error, try_out
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.character.rig import RigConfig, rig
from surefoot.character.servo import rest_transforms
from surefoot.errors import InputError
from surefoot.material.skeletons import DINOSAUR, HUMANOID
from surefoot.motion import quaternion
from surefoot.motion.anatomy import anatomy, attach
from surefoot.motion.bvh import read
from surefoot.motion.edit import scale
from surefoot.motion.files import read_motion
from surefoot.motion.motion import Motion, Source
from surefoot.motion.skeleton import Skeleton, Tip
from tests.clips import MOTIONS, needs_motions
from tests.motion.bodies import DOG, DOG_TIPS, PERSON_TIPS, walk
from tests.motion.bodies import PERSON as PERSON_JOINTS
from tests.motion.bvh_dialects import Dialect, write

PERSON = sway(HUMANOID, "person")


def still(skeleton: Skeleton) -> Motion:
    return Motion(skeleton, skeleton.translations[None], skeleton.rotations[None], 1.0 / 30.0)


@pytest.mark.parametrize("name", ["crab", "spider", "bird", "snake", "chain", "mouse 0.05 m", "mammoth 20 m", "child 0.2 m"])
def test_animals_of_all_kinds_and_sizes_keep_the_promises(name: str) -> None:
    trial = try_out(rig(animal(name)), seconds=2.0)
    assert trial.replay_mm < 5.0
    assert trial.self_contacts == 0
    assert trial.rest_gap_mm == pytest.approx(0.0, abs=0.1)
    assert trial.held_deg < 20.0
    assert trial.finite
    assert trial.warnings == 0
    assert trial.speed < 50.0


@pytest.mark.parametrize(("height", "mass"), [(0.2, 0.1), (9.0, 1e4)])
def test_from_a_tenth_of_a_kilo_to_ten_tonnes(height: float, mass: float) -> None:
    rigged = rig(sway(scaled(HUMANOID, height), "person"), RigConfig(mass=mass))
    assert rigged.character.mass == pytest.approx(mass)
    assert held_deviation(rigged.character, rigged.character.model.qpos0, 2.0) < 20.0
    assert let_go(rigged.character, 2.0)[1:3] == (True, 0)


def test_a_person_of_average_height_weighs_what_a_person_weighs() -> None:
    assert 50.0 < rig(PERSON).character.mass < 80.0


def test_the_same_motion_gives_the_same_bytes() -> None:
    assert rig(PERSON).character.xml == rig(PERSON).character.xml


def test_names_are_kept_and_bodies_stand_on_their_joints() -> None:
    rigged = rig(PERSON)
    assert set(rigged.character.skeleton.names) == set(HUMANOID.names)
    assert rigged.character.source["joints"]["left_knee"] == "left_knee"


def test_left_and_right_mirror_each_other() -> None:
    blueprint = rig(sway(DINOSAUR, "dinosaur")).blueprint
    for body in blueprint.bodies:
        other = blueprint.body(blueprint.partners[body.name])
        assert (body.joint, body.foot, len(body.shapes)) == (other.joint, other.foot, len(other.shapes))
        assert body.mass == pytest.approx(other.mass, rel=1e-9)
        np.testing.assert_allclose(body.limits, other.limits, atol=1e-9)
        for mine, theirs in zip(body.shapes, other.shapes, strict=True):
            np.testing.assert_allclose(mine.size, theirs.size, rtol=1e-6)
            np.testing.assert_allclose(mine.center, theirs.center * [1.0, -1.0, 1.0], atol=1e-6)
        if body.axis is not None and other.axis is not None and other is not body:
            np.testing.assert_allclose(body.axis, other.axis * [-1.0, 1.0, -1.0], atol=1e-6)


def test_what_turns_about_one_axis_becomes_a_hinge_and_the_rest_balls() -> None:
    rotations = np.tile(HUMANOID.rotations, (30, 1, 1))
    bend = np.abs(np.sin(np.linspace(0.0, 6.0, 30)))
    for side in ("left", "right"):
        rotations[:, HUMANOID.index(f"{side}_knee")] = quaternion.about([0.0, 1.0, 0.0], bend)
        rotations[:, HUMANOID.index(f"{side}_hip")] = quaternion.multiply(
            quaternion.about([0.0, 1.0, 0.0], -bend), quaternion.about([1.0, 0.0, 0.0], 0.2 * np.cos(np.linspace(0, 6, 30)))
        )
    motion = Motion(HUMANOID, np.tile(HUMANOID.translations, (30, 1, 1)), rotations, 0.05)
    blueprint = rig(motion).blueprint
    knee = blueprint.body("left_knee")
    assert knee.joint == "hinge"
    assert knee.axis is not None
    np.testing.assert_allclose(np.abs(knee.axis), [0.0, 1.0, 0.0], atol=1e-6)
    assert np.ptp(knee.limits) == pytest.approx(bend.max() + 2 * RigConfig().margin, abs=1e-3)
    assert blueprint.body("left_hip").joint == "ball"
    everywhere = rig(motion, RigConfig(joints="hinge")).blueprint
    assert {b.joint for b in everywhere.bodies[1:]} == {"hinge"}
    assert {b.joint for b in rig(motion, RigConfig(joints="ball")).blueprint.bodies[1:]} == {"ball"}


@needs_motions
def test_a_pelvis_reaches_down_to_hips_that_hang_below_it() -> None:
    character = rig(read_motion(MOTIONS / "gltf" / "khronos_rigged_figure.glb")).character
    model, data = character.model, mujoco.MjData(character.model)
    mujoco.mj_kinematics(model, data)
    pelvis, hips = model.body("torso_joint_1").id, [model.body(f"leg_joint_{side}_1").id for side in "LR"]
    geom = int(model.body_geomadr[pelvis])
    middle = data.xpos[hips].mean(axis=0)
    assert data.xpos[pelvis, 2] - middle[2] > 0.05, "else this shows nothing"
    place = data.geom_xmat[geom].reshape(3, 3).T @ (middle - data.geom_xpos[geom])
    place[2] -= np.clip(place[2], -model.geom_size[geom, 1], model.geom_size[geom, 1])
    assert np.linalg.norm(place) <= 1.01 * model.geom_size[geom, 0]


def test_fingers_and_tips_are_merged_and_said_so() -> None:
    names, parents = list(HUMANOID.names), list(HUMANOID.parents)
    places, turns = list(HUMANOID.translations), list(HUMANOID.rotations)
    for side, sign in (("left", 1.0), ("right", -1.0)):
        wrist = HUMANOID.index(f"{side}_wrist")
        for finger in ("thumb", "index", "pinky"):
            names.append(f"{side}_{finger}")
            parents.append(wrist)
            places.append(np.array([0.02, 0.04 * sign, -0.07]))
            turns.append(np.array([1.0, 0.0, 0.0, 0.0]))
    skeleton = Skeleton(tuple(names), np.array(parents), np.array(places), np.array(turns), HUMANOID.tips)
    rigged = rig(sway(skeleton, "fingers"))
    assert not any("thumb" in name for name in rigged.character.skeleton.names)
    assert any(line.startswith("merged into the hand: ") and "left_thumb" in line for line in rigged.character.report)


def test_feet_parked_on_the_root_are_hung_from_the_leg() -> None:
    below = Skeleton(
        ("root", *HUMANOID.names),
        np.concatenate([[-1], HUMANOID.parents + 1]),
        np.concatenate([[[0.0, 0.0, 0.0]], HUMANOID.translations]),
        np.concatenate([HUMANOID.rotations[:1], HUMANOID.rotations]),
    )
    walk = sway(below, "walk")
    parked, _ = attach(walk, {below.index(f"{side}_ankle"): 0 for side in ("left", "right")})
    rigged = rig(parked)
    assert rigged.blueprint.body("left_ankle").parent == "left_knee"
    assert any("hung where they belong" in line for line in rigged.character.report)


@needs_motions
@pytest.mark.parametrize("clip", ["Attack", "Death", "Idle", "Jump", "Run", "Walk"])
@pytest.mark.parametrize("beast", ["TRex", "Velociraptor"])
def test_feet_that_stand_still_beside_each_other_stay_on_their_own_legs(beast: str, clip: str) -> None:
    rigged = rig(read_motion(MOTIONS / "gltf" / f"quaternius_{beast.lower()}.glb#{beast}_{clip}"))
    assert sorted(rigged.character.feet) == ["BackFoot.L", "BackFoot.R"]
    parents = {b.name: b.parent for b in rigged.blueprint.bodies}
    assert [parents[f"BackFoot.{side}"] for side in "LR"] == ["BackLowLeg.L", "BackLowLeg.R"]


def test_neighbours_and_the_roots_neighbours_never_collide() -> None:
    model = rig(PERSON).character.model
    pairs = {tuple(sorted((int(s) >> 16, int(s) & 0xFFFF))) for s in model.exclude_signature}
    for body in range(2, model.nbody):
        if model.body_parentid[body] == 1:  # MuJoCo lets a welded root collide with its children
            assert (1, body) in pairs


def test_a_joint_that_turns_nearly_round_is_rested_nearer_to_its_clip() -> None:
    rotations = np.tile(HUMANOID.rotations, (30, 1, 1))
    for side in ("left", "right"):
        rotations[:, HUMANOID.index(f"{side}_knee")] = quaternion.about([0.0, 1.0, 0.1], np.linspace(0.0, np.radians(172.0), 30))
    rigged = rig(Motion(HUMANOID, np.tile(HUMANOID.translations, (30, 1, 1)), rotations, 0.05), RigConfig(joints="ball"))
    adr = rigged.character.model.joint("left_knee").qposadr[0]
    turns = quaternion.angle(rigged.qpos[:, adr : adr + 4])
    assert np.degrees(turns.max()) < 156.0
    assert any("turns these joints nearly round" in line for line in rigged.character.report)
    assert 1e3 * replay_error(rigged) < 1.0


def test_stretching_bones_are_held_at_one_length_and_reported() -> None:
    translations = np.tile(HUMANOID.translations, (30, 1, 1))
    translations[:, HUMANOID.index("neck")] *= (1.0 + 0.5 * np.sin(np.linspace(0, 6, 30)))[:, None]
    rigged = rig(Motion(HUMANOID, translations, np.tile(HUMANOID.rotations, (30, 1, 1)), 0.05))
    assert set(rigged.stretch_mm) == {"neck"}
    assert any("bones that stretch" in line for line in rigged.character.report)


@pytest.mark.parametrize("body", ["person", "dog"])
@pytest.mark.parametrize("rest", ["along x", "odd"])
def test_where_the_rest_pose_is_none_the_clip_gives_one_alike_on_both_sides(body: str, rest: Literal["along x", "odd"]) -> None:
    clip = {"person": walk(PERSON_JOINTS, PERSON_TIPS), "dog": walk(DOG, DOG_TIPS)}[body]
    motion = read(write(clip, Dialect(rest=rest)).data, "walk.bvh")
    rigged = rig(motion)
    assert any(line.startswith("rest pose made from the clip") for line in rigged.character.report)
    assert rigged.motion.skeleton.rest[1] == pytest.approx(motion.skeleton.rest[1]), "what goes back to the user has the file's own"
    at, _ = rest_transforms(rigged.blueprint)
    names = [b.name for b in rigged.blueprint.bodies]
    both = [(names.index(a), names.index(b)) for a, b in rigged.blueprint.partners.items() if "Left" in a]
    assert len(both) >= 6
    apart = np.array([at[a] - at[b] for a, b in both])
    normal = apart.sum(axis=0) * [1.0, 1.0, 0.0]
    normal /= np.linalg.norm(normal)
    middle = np.array([0.5 * (at[a] + at[b]) @ normal for a, b in both])
    assert np.abs(middle - np.median(middle)).max() < 0.02 * rigged.character.height
    assert np.linalg.norm(apart - (apart @ normal)[:, None] * normal, axis=1).max() < 0.02 * rigged.character.height
    assert {name.replace("Left", "Right") for name in rigged.character.feet} == {n for n in rigged.character.feet if "Right" in n}
    for leg in anatomy(rigged.character.skeleton).legs:
        assert at[leg[0]][2] - at[leg[-1]][2] > 0.25 * rigged.character.height
    trial = try_out(rigged, seconds=2.0)
    assert (trial.replay_mm < 5.0, trial.self_contacts, trial.finite) == (True, 0, True)


def test_a_leading_t_pose_is_left_out_unless_kept() -> None:
    moved = PERSON.replace(source=Source(extra={"leading_rest_frame": True}))
    assert rig(moved).motion.num_frames == moved.num_frames - 1
    assert any("left out" in line for line in rig(moved).character.report)
    assert rig(moved, RigConfig(keep_first_frame=True)).motion.num_frames == moved.num_frames


def test_what_cannot_be_rigged_is_one_clear_line() -> None:
    lone = Skeleton(("only",), np.array([-1]), np.zeros((1, 3)), np.array([[1.0, 0, 0, 0]]))
    with pytest.raises(InputError, match=r"lie in one point|nothing to rig"):
        rig(still(lone))
    with pytest.raises(InputError, match=r"^the body is 17 mm tall; .* say the file's unit \(--unit cm, or a number of metres\)"):
        rig(scale(PERSON, 0.01))
    long = Skeleton(tuple(f"j{i}" for i in range(300)), np.arange(-1, 299), np.full((300, 3), 0.1), np.tile([1.0, 0, 0, 0], (300, 1)))
    with pytest.raises(InputError, match="max_bodies"):
        rig(still(long))


@st.composite
def motions(draw: st.DrawFn) -> Motion:
    """Random trees of 2 to 40 joints with wild rest rotations, tips, zero lengths, several roots, and wild clips."""
    num = draw(st.integers(2, 40))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    parents = np.array([-1] + [int(rng.integers(-1 if rng.random() < 0.05 else 0, j)) for j in range(1, num)])
    lengths = rng.choice([0.0, 1e-9, 0.05, 0.3, 1.0, 30.0], num, p=[0.1, 0.05, 0.25, 0.4, 0.15, 0.05])
    translations = rng.normal(size=(num, 3)) * lengths[:, None]
    rotations = quaternion.normalize(rng.normal(size=(num, 4)) if rng.random() < 0.5 else np.tile([1.0, 0, 0, 0], (num, 1)))
    names = tuple(str(rng.choice(["LeftLeg", "RightLeg", "Spine", "Head", "foot.L", "tail", "", "a b", "x"])) for _ in range(num))
    tips = tuple(Tip(joint=int(rng.integers(num)), offset=rng.normal(size=3) * 0.2) for _ in range(int(rng.integers(0, 4))))
    frames = int(rng.choice([1, 2, 20]))
    wild = rng.normal(size=(frames, num, 4)) * rng.choice([0.0, 0.1, 3.0]) + rotations
    moved = np.tile(translations, (frames, 1, 1)) + rng.normal(size=(frames, num, 3)) * rng.choice([0.0, 0.0, 0.1])
    return Motion(Skeleton(names, parents, translations, rotations, tips), moved, quaternion.normalize(wild), 1.0 / 30.0)


@settings(max_examples=40, deadline=None)
@given(motions())
def test_random_trees_become_characters_or_one_clear_line(motion: Motion) -> None:
    refused = ""
    try:
        rigged = rig(motion)
    except InputError as error:
        refused = str(error)
    if refused:
        assert "\n" not in refused
        return
    model, data = rigged.character.model, mujoco.MjData(rigged.character.model)
    mujoco.mj_forward(model, data)
    assert np.isfinite(model.actuator_gainprm).all()
    assert np.isfinite(rigged.qpos).all()
    for contact in data.contact:
        assert model.geom_bodyid[contact.geom1] == 0 or contact.dist >= 0.0
    assert lowest(rigged.character, model.qpos0) == pytest.approx(0.0, abs=1e-5 * max(rigged.character.height, 1.0))


@needs_motions
@pytest.mark.parametrize("name", ["cmu_bvh/cmu_88_01_backflip.bvh", "cmu_bvh/cmu_60_10_salsa.bvh"])
def test_real_clips_replay_to_the_millimetre_and_hold(name: str) -> None:
    path = MOTIONS / name
    rigged = rig(read(path.read_bytes(), path.name))
    trial = try_out(rigged, seconds=2.0)
    assert trial.replay_mm < 5.0
    assert trial.self_contacts == 0
    assert abs(trial.first_gap_mm) < 1.0
    assert trial.held_deg < 20.0
    assert trial.warnings == 0
