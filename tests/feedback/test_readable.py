"""Feedback in words: gains that are known come out as degrees under their names; the picture shows them where they are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from surefoot.bundle import save
from surefoot.bundle.report import report
from surefoot.errors import InputError
from surefoot.feedback.heatmap import STOPS, colours, heatmap
from surefoot.feedback.policy import LinearFeedback
from surefoot.feedback.readable import readable, targets
from surefoot.physics.features import anatomy, names, units
from tests.bundle.cases import dinosaur, learned


def policy() -> LinearFeedback:
    """Feedback of one strong entry in half of the fragments, and a weak one."""
    made = learned().policy
    assert isinstance(made, LinearFeedback)
    gain = np.zeros_like(made.gain)
    gain[5:, 2, 7] = 0.4  # radians of target 2 per m/s sideways
    gain[:, 0, 1] = 0.01  # radians of target 0 per radian of pitch
    return made.replace(gain=gain)


def test_a_gain_is_degrees_per_unit_under_its_names() -> None:
    read = readable(policy(), learned().character)
    first, second = read.strongest(2)
    assert first == (2, 7)
    assert second == (0, 1)
    assert read.features[7] == "velocity left"
    assert (read.units[7], read.units[1], read.units[2], read.units[15]) == ("m/s", "deg", "cm", "kg m^2/s")
    np.testing.assert_allclose(read.degrees[5:, 2, 7], np.degrees(0.4))
    np.testing.assert_allclose(read.degrees[:, 0, 1], 0.01)  # degrees per degree
    found = read.to_json(1)["strongest"][0]
    assert found["joint"] == targets(learned().character, policy())[2]
    assert found["largest_at"] == 0.5
    assert found["largest"] == pytest.approx(np.degrees(0.4))


def test_the_text_has_a_column_for_every_phase() -> None:
    read = readable(policy(), learned().character)
    lines = read.text(2).splitlines()
    assert lines[1].split()[-10:] == [f"{10 * k}" for k in range(10)]
    assert lines[2].split()[-10:] == ["+0"] * 5 + ["+23"] * 5
    assert "velocity left [deg per m/s]" in lines[2]


def test_every_feature_has_a_unit_and_axes_are_named_by_what_turning_about_them_does() -> None:
    character = learned().character
    body = anatomy(character)
    assert len(names(body)) == len(units(body)) == 18
    found = targets(character, policy())
    assert len(set(found)) == character.model.nu
    assert {"left hip pitch", "right hip pitch"} <= {name.replace("_", " ").lower() for name in found} or any("pitch" in n for n in found)
    for side in ("roll", "pitch", "twist"):
        assert any(name.endswith(side) for name in found)


def test_colours_run_from_blue_over_white_to_red() -> None:
    found = colours(np.array([-2.0, -1.0, 0.0, 1.0, 5.0]), 1.0)
    np.testing.assert_array_equal(found[[0, 1]], [STOPS[0]] * 2)
    np.testing.assert_array_equal(found[2], STOPS[2])
    np.testing.assert_array_equal(found[[3, 4]], [STOPS[-1]] * 2)


def test_the_heat_map_is_red_where_the_gain_is_and_white_elsewhere() -> None:
    gain = np.zeros_like(policy().gain)
    gain[5:, 2, 7] = 0.4
    gain[:5, 4, 3] = -0.4  # enough of them that the colours end there
    gain[5:, 4, 3] = -10.0
    pixels = np.asarray(heatmap(readable(policy().replace(gain=gain), learned().character), "walk"))
    reds = np.argwhere((pixels == STOPS[-1].astype(np.uint8)).all(axis=-1))
    wide = np.ptp(reds[reds[:, 0] == reds[0, 0], 1]) + 1
    assert wide == 108  # half of the phase
    assert np.ptp(reds[reds[:, 0] < pixels.shape[0] - 60, 0]) + 1 == 15  # one feature's row


def test_a_bundle_s_gains_are_plotted_and_a_plan_has_none(tmp_path: Path) -> None:
    report(learned()).plot(tmp_path / "gains.png")
    with Image.open(tmp_path / "gains.png") as image:
        assert image.format == "PNG"
        assert image.size[0] > 600
    save(dinosaur(), tmp_path / "walk.surefoot")
    with pytest.raises(InputError, match="'open loop', which has no gains to plot; learn it first"):
        report(tmp_path / "walk.surefoot").plot(tmp_path / "none.png")
    assert not (tmp_path / "none.png").exists()
