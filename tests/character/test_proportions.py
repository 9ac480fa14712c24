"""Bodies with other proportions."""

from __future__ import annotations

import numpy as np
import pytest

from surefoot.character import deepmimic
from surefoot.character.character import Character
from surefoot.character.proportions import proportioned
from surefoot.errors import InputError


def test_longer_legs_lift_the_root_and_nothing_else_of_the_trunk() -> None:
    plain = deepmimic.blueprint()
    made = proportioned(plain, {"left_hip": 1.2, "right_knee": 1.1})
    before, after = (dict(zip([b.name for b in one.bodies], one.rest[0], strict=True)) for one in (plain, made))
    lifted = 0.2 * 0.421546 + 0.1 * 0.409870
    assert after["root"][2] - before["root"][2] == pytest.approx(lifted)
    np.testing.assert_allclose(after["chest"] - after["root"], before["chest"] - before["root"])
    for side in ("left_", "right_"):  # what is said of one side holds for the other
        assert after[side + "ankle"][2] == pytest.approx(before[side + "ankle"][2])
    assert made.height == pytest.approx(plain.height + lifted)


def test_mass_follows_length_and_factor() -> None:
    plain = deepmimic.blueprint()
    made = proportioned(plain, {"left_hip": 1.2}, {"chest": 1.5})
    assert made.mass == pytest.approx(plain.mass + 2 * 0.2 * 4.5 + 0.5 * 14.0)
    assert Character.from_blueprint(made).mass == pytest.approx(made.mass)


def test_no_factors_change_nothing() -> None:
    plain = deepmimic.blueprint()
    made = proportioned(plain, {})
    assert made.mass == plain.mass
    np.testing.assert_array_equal(made.rest[0], plain.rest[0])


def test_unknown_bodies_and_wild_factors_are_refused() -> None:
    with pytest.raises(InputError, match="no body named 'left_hipp'; did you mean 'left_hip'"):
        proportioned(deepmimic.blueprint(), {"left_hipp": 1.1})
    with pytest.raises(InputError, match=r"chest: a body is made 0\.2 to 5 times as long or heavy, not 9\."):
        proportioned(deepmimic.blueprint(), {}, {"chest": 9.0})
