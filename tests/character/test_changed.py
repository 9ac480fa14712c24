"""Characters with other proportions, made from their MJCF."""

from __future__ import annotations

import json
from pathlib import Path

import mujoco
import numpy as np
import pytest

from surefoot import material, rig
from surefoot.character.builtin import builtin
from surefoot.character.changed import Proportions, changed, read_proportions
from surefoot.character.load import parse_character
from surefoot.errors import InputError


def places(character) -> np.ndarray:  # type: ignore[no-untyped-def]
    return character.skeleton.rest[0]


def test_what_is_not_changed_is_the_same_body() -> None:
    old = builtin("deepmimic")
    new = changed(old, Proportions())
    np.testing.assert_allclose(new.model.body_mass, old.model.body_mass, rtol=1e-5)
    np.testing.assert_allclose(new.model.body_inertia, old.model.body_inertia, rtol=1e-4)
    np.testing.assert_allclose(new.model.actuator_gainprm, old.model.actuator_gainprm, rtol=1e-5)
    np.testing.assert_allclose(new.model.dof_armature, old.model.dof_armature, rtol=1e-5)
    np.testing.assert_allclose(places(new), places(old), atol=1e-5)
    assert (new.feet, new.end_effectors, new.partners) == (old.feet, old.end_effectors, old.partners)
    assert new.height == pytest.approx(old.height)
    assert new.lead == pytest.approx(old.lead)


def test_a_longer_shin_moves_both_ankles_and_the_feet_stay_on_the_ground() -> None:
    old = builtin("deepmimic")
    names = old.skeleton.names
    new = changed(old, Proportions(lengths={"left_knee": 1.25}))
    for side in ("left", "right"):
        knee, ankle = names.index(f"{side}_knee"), names.index(f"{side}_ankle")
        was, now = (np.linalg.norm(places(c)[ankle] - places(c)[knee]) for c in (old, new))
        assert now == pytest.approx(1.25 * was, rel=1e-4)
        thigh = [np.linalg.norm(places(c)[knee] - places(c)[names.index(f"{side}_hip")]) for c in (old, new)]
        assert thigh[1] == pytest.approx(thigh[0], rel=1e-4)
        body = new.body(f"{side}_knee")
        assert new.model.body_mass[body] == pytest.approx(1.25 * old.model.body_mass[body], rel=1e-4)
    assert places(new)[:, 2].min() == pytest.approx(places(old)[:, 2].min(), abs=1e-5)
    assert new.height > old.height


def test_a_heavier_body_has_stronger_servos() -> None:
    old = builtin("humanoid")
    trunk = old.skeleton.names[int(np.argmax(old.model.body_mass[old.body_ids]))]
    new = changed(old, Proportions(masses={trunk: 2.0}))
    more = new.mass / old.mass
    assert more > 1.05
    np.testing.assert_allclose(new.model.actuator_gainprm[:, 0], more * old.model.actuator_gainprm[:, 0], rtol=1e-4)
    np.testing.assert_allclose(new.model.actuator_biasprm[:, 1:3], more * old.model.actuator_biasprm[:, 1:3], rtol=1e-4)
    np.testing.assert_allclose(new.model.actuator_forcerange, more * old.model.actuator_forcerange, rtol=1e-4)
    np.testing.assert_allclose(places(new), places(old), atol=1e-5)


def test_a_changed_body_is_read_again_and_rigged_ones_change_too() -> None:
    rigged = rig(material.motion("dinosaur/walk")).character
    body = next(name for name in rigged.feet if rigged.partners.get(name, name) != name)
    above = rigged.skeleton.names[int(rigged.skeleton.parents[rigged.skeleton.names.index(body)])]
    new = changed(rigged, Proportions(lengths={above: 1.2}), "longer")
    again = parse_character(new.xml)
    assert again.name == "longer"
    np.testing.assert_array_equal(again.model.body_mass, new.model.body_mass)
    data = mujoco.MjData(new.model)
    mujoco.mj_forward(new.model, data)
    assert np.isfinite(data.qacc).all()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ('{"length": {}}', "p.json: no part of proportions named 'length'; did you mean 'lengths'"),
        ('{"lengths": {"knee": "long"}}', "'lengths' is an object of numbers by body"),
        ('{"schema": 2}', "schema 2 is not known"),
        ("[]", "got list"),
        ("{", "not readable as JSON"),
    ],
)
def test_a_wrong_file_is_one_line(given: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "p.json").write_text(given)
    with pytest.raises(InputError, match=said):
        read_proportions(tmp_path / "p.json")


def test_wrong_bodies_and_factors_are_named(tmp_path: Path) -> None:
    (tmp_path / "p.json").write_text(json.dumps({"schema": 1, "lengths": {"left_knee": 1.1}, "masses": {"chest": 2}}))
    assert read_proportions(tmp_path / "p.json") == Proportions(lengths={"left_knee": 1.1}, masses={"chest": 2.0})
    with pytest.raises(InputError, match="no body named 'left_nee'; did you mean 'left_knee'"):
        changed(builtin("deepmimic"), Proportions(lengths={"left_nee": 1.1}))
    with pytest.raises(InputError, match=r"0\.2 to 5 times as long or heavy, not 9"):
        changed(builtin("deepmimic"), Proportions(masses={"chest": 9.0}))
