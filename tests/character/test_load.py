"""MJCF of any origin becomes a character, or is refused in one line before it can do harm."""

from __future__ import annotations

import json
from pathlib import Path

import mujoco
import numpy as np
import pytest
from benchmarks.rig_trial import held_deviation, let_go, lowest

from surefoot.character import guard
from surefoot.character.builtin import builtin
from surefoot.character.character import Character
from surefoot.character.load import load_character, parse_character
from surefoot.errors import InputError
from tests.character.mjcf_models import HUMANOID, QUADRUPED


@pytest.fixture(scope="module", params=["humanoid", "quadruped"])
def foreign(request: pytest.FixtureRequest) -> Character:
    return parse_character({"humanoid": HUMANOID, "quadruped": QUADRUPED}[request.param], f"{request.param}.xml")


def test_every_joint_gets_servos_and_the_files_own_are_gone(foreign: Character) -> None:
    model = foreign.model
    balls = np.count_nonzero(model.jnt_type == mujoco.mjtJoint.mjJNT_BALL)
    assert model.nu == model.njnt - 1 + 2 * balls
    assert (model.actuator_gaintype == mujoco.mjtGain.mjGAIN_FIXED).all()
    assert (model.actuator_biastype == mujoco.mjtBias.mjBIAS_AFFINE).all()
    assert model.nkey == 0


def test_its_rest_pose_stands_on_the_ground_within_its_limits(foreign: Character) -> None:
    model = foreign.model
    assert lowest(foreign, model.qpos0) == pytest.approx(0.0, abs=1e-5)  # MuJoCo writes six digits
    for j in range(1, model.njnt):
        if model.jnt_type[j] == mujoco.mjtJoint.mjJNT_HINGE:
            assert model.qpos0[model.jnt_qposadr[j]] == 0.0
            assert model.jnt_range[j][0] - 1e-5 <= 0.0 <= 1e-5 + model.jnt_range[j][1]


def test_zero_controls_hold_the_rest_pose_and_falling_is_peaceful(foreign: Character) -> None:
    assert held_deviation(foreign, foreign.model.qpos0, 3.0) < 20.0
    speed, finite, warnings, _ = let_go(foreign, 4.0)
    assert finite
    assert warnings == 0
    assert speed < 50.0


def test_its_own_text_gives_the_same_model_again(foreign: Character) -> None:
    again = parse_character(foreign.xml)
    for field in ("qpos0", "body_pos", "body_mass", "jnt_range", "jnt_axis", "actuator_gainprm", "actuator_forcerange", "dof_armature"):
        np.testing.assert_allclose(getattr(again.model, field), getattr(foreign.model, field), rtol=1e-5, atol=1e-7, err_msg=field)
    assert (again.feet, again.end_effectors, again.partners) == (foreign.feet, foreign.end_effectors, foreign.partners)


def test_feet_sides_and_facing_are_found() -> None:
    person = parse_character(HUMANOID)
    assert set(person.feet) == {"right_foot", "left_foot"}
    assert person.partners["left_shin"] == "right_shin"
    assert person.partners["pelvis"] == "pelvis"
    np.testing.assert_allclose(person.forward, [1.0, 0.0, 0.0], atol=0.05)
    dog = parse_character(QUADRUPED)
    assert set(dog.feet) == {"FL_calf", "FR_calf", "RL_calf", "RR_calf"}
    np.testing.assert_allclose(dog.forward, [1.0, 0.0, 0.0], atol=0.05)  # in its own frame, though it stands turned


def test_a_rest_pose_out_of_reach_moves_into_the_limits_without_moving_the_model() -> None:
    source = mujoco.MjModel.from_xml_string(QUADRUPED)
    dog = parse_character(QUADRUPED)
    rng = np.random.default_rng(3)
    before, after = mujoco.MjData(source), mujoco.MjData(dog.model)
    for _ in range(5):
        angles = rng.uniform(source.jnt_range[1:, 0], source.jnt_range[1:, 1])
        rest = np.clip(source.qpos0[7:], source.jnt_range[1:, 0], source.jnt_range[1:, 1])
        before.qpos[7:] = angles
        after.qpos[7:] = angles - rest
        mujoco.mj_kinematics(source, before)
        mujoco.mj_kinematics(dog.model, after)
        np.testing.assert_allclose(after.xpos[2:] - after.xpos[1], before.xpos[2:] - before.xpos[1], atol=1e-6)
        np.testing.assert_allclose(after.xmat[2:], before.xmat[2:], atol=1e-6)


def test_ours_load_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "humanoid.xml"
    path.write_text(builtin("humanoid").xml)
    assert load_character(path) is builtin("humanoid")  # known, so it need not be tried
    path.write_text(builtin("humanoid").xml + "\n")
    again = load_character(path)
    assert again.feet == builtin("humanoid").feet
    assert again.lead == builtin("humanoid").lead


MINIMAL = '<mujoco><worldbody><body name="a"><freejoint/><geom size="1"/>{}</body>{}</worldbody>{}</mujoco>'
LIMB = '<body name="b" pos="0 0 1"><joint name="j" range="-1 1" limited="true"/><geom size="1"/></body>'


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("no xml at all", "not an MJCF file"),
        ("<robot/>", "its first element is <robot>, expected <mujoco>"),
        ('<!DOCTYPE x [<!ENTITY a "b">]><mujoco/>', "DOCTYPE"),
        (MINIMAL.format(LIMB, "", '<include file="/etc/passwd"/>'), "<include>, which reaches outside"),
        (MINIMAL.format(LIMB, "", '<asset><mesh file="/etc/passwd"/></asset>'), "names another file"),
        (MINIMAL.format(LIMB, "", '<asset><texture fileup="x.png"/></asset>'), "names another file"),
        (MINIMAL.format(LIMB, "", '<extension><plugin plugin="a.b"/></extension>'), "<extension>"),
        (MINIMAL.format('<replicate count="1000000">' + LIMB + "</replicate>", "", ""), "<replicate>, which a character cannot have"),
        (MINIMAL.format('<composite type="cable" count="99999 1 1"/>', "", ""), "<composite>"),
        (MINIMAL.format(LIMB, "", '<asset><texture builtin="flat" width="90000" height="9"/></asset>'), "width>: 90000 declared"),
        (
            MINIMAL.format(LIMB, "", "<asset>" + 9 * '<texture builtin="flat" width="4096" height="4096"/>' + "</asset>"),
            "pixels of textures",
        ),
        (MINIMAL.format(LIMB, "", '<asset><texture type="cube" builtin="flat" width="8192"/></asset>'), "pixels of textures"),
        (
            MINIMAL.format(LIMB, "", "<asset>" + 20 * '<hfield nrow="2048" ncol="2048"/>' + "</asset>"),
            "and height fields: 71303168 declared",
        ),
        (MINIMAL.format(LIMB, "", '<option noslip_iterations="2000000000"/>'), "noslip_iterations>: 2000000000 declared"),
        (MINIMAL.format(LIMB, "", '<option ccd_iterations="2000000000"/>'), "ccd_iterations>: 2000000000 declared"),
        (MINIMAL.format(LIMB, "", '<visual><quality numslices="1000000"/></visual>'), "numslices>: 1000000 declared"),
        (MINIMAL.format(LIMB, "", '<visual><global offwidth="1000000"/></visual>'), "offwidth>: 1000000 declared"),
        (MINIMAL.format(LIMB.replace('"j"', '"' + "j" * 2000 + '"'), "", ""), "<joint> has a name of 2000 letters"),
        ('<?xml version="1.0" encoding="utf-16"?><robot/>', "its first element is <robot>"),
        (MINIMAL.format(LIMB, "", '<size memory="900G"/>'), "asks for memory"),
        ("<mujoco>" + "<body>" * 200 + "</body>" * 200 + "</mujoco>", "nested elements: 129 declared"),
        ("<mujoco>" + "<geom/>" * 30_000 + "</mujoco>", "elements: 20001 declared"),
        (MINIMAL.format(LIMB.replace('range="-1 1" limited="true"', ""), "", ""), "joints without limits: j"),
        (MINIMAL.format(LIMB.replace("<joint", '<joint type="slide"'), "", ""), "sliding joints cannot be driven yet: j"),
        (MINIMAL.format("", "", ""), "a single rigid body"),
        (MINIMAL.format(LIMB, '<body name="c"><geom size="1"/></body>', ""), "beside it stand: c"),
        (MINIMAL.replace("<freejoint/>", "").format(LIMB, "", ""), "needs one free joint at its root|needs one free joint, at its root"),
        (MINIMAL.format(LIMB.replace('size="1"', 'size="x"'), "", ""), "MuJoCo cannot compile it"),
        (MINIMAL.format(LIMB.replace("0 0 1", "0 0 1e300"), "", ""), "it has a length of 1e.300 m; lengths are metres"),
        (MINIMAL.format(LIMB, "", "<actuator>" + '<motor joint="j"/>' * 2_000 + "</actuator>"), "2000 declared"),
        (MINIMAL.format(LIMB, "", '<custom><text name="surefoot" data="{{}}"/></custom>'), "facts are damaged"),
        (MINIMAL.format(LIMB, "", '<option timestep="0"/>'), "its time step is 0 s; expected 1e-05 to 0.1 s"),
        (MINIMAL.format(LIMB, "", '<option timestep="1e-12"/>'), "its time step is 1e-12 s"),
        (MINIMAL.format(LIMB, "", '<option timestep="-1"/>'), "its time step is -1 s"),
        (MINIMAL.format(LIMB, "", '<option timestep="nan"/>'), '<option timestep="nan"> is not finite'),
        (MINIMAL.format(LIMB.replace("0 0 1", "0 0 1e999"), "", ""), '<body pos="0 0 1e999"> is not finite'),
        (MINIMAL.format(LIMB, "", '<option gravity="0 0 1e200"/>'), "its gravity is 1e.200"),
        (MINIMAL.format(LIMB.replace('range="', 'armature="1e200" range="'), "", ""), "holds a number that is not finite, or beyond"),
    ],
)
def test_what_is_no_character_is_refused_in_one_line(text: str, says: str) -> None:
    with pytest.raises(InputError, match=says) as caught:
        parse_character(text, "model.xml")
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith("model.xml: ") or "facts are damaged" in str(caught.value)


def test_a_compiler_that_dies_takes_nothing_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard.sys, "executable", "/bin/false")
    with pytest.raises(InputError, match="crashed or ran out of memory or time"):
        guard.probe("<mujoco><!-- a text nobody tried --></mujoco>", "model.xml")


@pytest.mark.parametrize(
    ("fact", "value", "says"),
    [
        ("lead_s", "1e999", "its servos' lead is inf s"),
        ("height_m", "0", "it says that it is 0 m tall"),
        ("height_m", "NaN", "it says that it is nan m tall"),
        ("height_m", "1" + 400 * "0", "facts are damaged: int too large"),
        ("forward", "[0, 0, 0]", "two directions at right angles"),
        ("up", "[NaN, 0, 1]", "two directions at right angles"),
        ("tips", '[["pelvis", [0, 0, 1e300]]]', "one of its tips lies beyond"),
    ],
)
def test_facts_that_cannot_be_are_refused(fact: str, value: str, says: str) -> None:
    spec = mujoco.MjSpec.from_string(builtin("humanoid").xml)
    (text,) = spec.texts
    text.data = json.dumps({**json.loads(text.data), fact: json.loads(value)})
    with pytest.raises(InputError, match=says):
        parse_character(spec.to_xml(), "c.xml")


def test_reading_a_model_of_odd_numbers_writes_no_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="not finite"):
        parse_character(MINIMAL.format(LIMB.replace('size="1"', 'size="1" mass="nan"'), "", ""))
    named = MINIMAL.format(LIMB.replace('"j"', '"inf"'), "", "")
    assert parse_character(named).model.joint("inf").id == 1
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_character_of_ours_is_refused() -> None:
    xml = builtin("deepmimic").xml
    for old, new in (('"schema":1', '"schema":999'), ('"feet":', '"foot":'), ('"lead_s":', '"lead_x":')):
        broken = xml.replace(old.replace('"', "&quot;"), new.replace('"', "&quot;"))
        assert broken != xml
        with pytest.raises(InputError):
            parse_character(broken, "c.xml")
