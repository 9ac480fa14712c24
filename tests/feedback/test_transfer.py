"""A skill on a changed body: the new body's measure, the old one's behaviour."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from surefoot.bundle import encode, load, save
from surefoot.bundle.carried import carried_bundle
from surefoot.character.builtin import builtin
from surefoot.character.changed import Proportions, changed
from surefoot.character.rig.replay import lowest_points
from surefoot.errors import InputError
from surefoot.feedback.policy import LinearFeedback
from surefoot.feedback.transfer import carried, legs
from surefoot.physics import BatchEngine
from surefoot.physics.features import anatomy, state_features
from surefoot.play import Player
from tests.bundle.cases import dinosaur, learned
from tests.cli.surefoot import surefoot

BUNDLE = learned()


def policy() -> LinearFeedback:
    assert isinstance(BUNDLE.policy, LinearFeedback)
    return BUNDLE.policy


def longer(factor: float = 1.2):  # type: ignore[no-untyped-def]
    """The humanoid with longer legs."""
    body = BUNDLE.character
    names = body.skeleton.names
    chain = set()
    for foot in body.feet:
        j = names.index(foot)
        while (j := int(body.skeleton.parents[j])) > 0:
            chain.add(names[j])
    return changed(body, Proportions(lengths=dict.fromkeys(chain, factor)))


def test_onto_the_same_body_nothing_changes() -> None:
    found = carried(policy(), BUNDLE.reference, BUNDLE.starts, BUNDLE.character)
    np.testing.assert_array_equal(found.policy.gain, policy().gain)
    np.testing.assert_allclose(found.policy.center, policy().center, atol=1e-12)
    np.testing.assert_allclose(found.reference.qpos, BUNDLE.reference.qpos, atol=1e-12)


def test_longer_legs_go_further_and_their_feet_are_where_they_were() -> None:
    body = longer()
    found = carried(policy(), BUNDLE.reference, BUNDLE.starts, body)
    ratio = legs(body) / legs(BUNDLE.character)
    assert 1.1 < ratio < 1.25
    way = [np.asarray(one.qpos)[-1, 0] - np.asarray(one.qpos)[0, 0] for one in (BUNDLE.reference, found.reference)]
    assert way[1] == pytest.approx(ratio * way[0])
    np.testing.assert_array_equal(found.reference.qpos[:, 3:], BUNDLE.reference.qpos[:, 3:])
    low = [lowest_points(one.character, np.asarray(one.qpos)) for one in (BUNDLE.reference, found.reference)]
    np.testing.assert_allclose(low[1], ratio * low[0], atol=5e-3)
    assert found.starts is not None


def test_gains_are_in_the_new_body_s_measure() -> None:
    body = longer()
    found = carried(policy(), BUNDLE.reference, None, body).policy
    ratio, mass = legs(body) / legs(BUNDLE.character), body.mass / BUNDLE.character.mass
    np.testing.assert_allclose(found.gain[..., :2], policy().gain[..., :2])  # per radian
    np.testing.assert_allclose(found.gain[..., 2:15], policy().gain[..., 2:15] / ratio)  # per metre, per metre a second
    np.testing.assert_allclose(found.gain[..., 15:], policy().gain[..., 15:] / (mass * ratio**2))
    np.testing.assert_array_equal(found.action, policy().action)
    np.testing.assert_array_equal(found.reference, policy().reference)


def test_who_was_at_the_centre_of_the_feedback_still_is() -> None:
    """On the reference a policy whose centres are the reference's features does nothing, on any body."""
    reference = BUNDLE.reference
    times = policy().period * policy().edges[:-1]

    def features(one):  # type: ignore[no-untyped-def]
        engine = BatchEngine(one.character, len(times), 1)
        seen = engine.observe(engine.rows(one.at(times), one.velocity_at(times)))
        return np.asarray(state_features(seen, anatomy(one.character), near=policy().tilts))

    on_it = policy().replace(center=features(reference), action=np.zeros_like(policy().action))
    found = carried(on_it, reference, None, longer())
    np.testing.assert_allclose(found.policy.actions(np.arange(len(times)), features(found.reference)), 0.0, atol=1e-9)


def test_a_carried_bundle_plays_and_comes_back_from_its_file(tmp_path: Path) -> None:
    made = carried_bundle(BUNDLE, longer())
    save(made, tmp_path / "longer.surefoot")
    again = load(tmp_path / "longer.surefoot")
    assert encode(again) == encode(made)
    assert again.success is None
    player = Player(again.character, again.policy, again.reference)
    player.advance(0.3)
    assert not player.lost


def test_other_joints_are_refused() -> None:
    with pytest.raises(InputError, match="a skill goes onto bodies with the same joints only"):
        carried(policy(), BUNDLE.reference, None, builtin("deepmimic"))
    with pytest.raises(InputError, match="only what was learned goes onto another body"):
        carried_bundle(dinosaur(), builtin("deepmimic"))


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("here")
def test_retarget_takes_a_skill_and_proportions(capsys: pytest.CaptureFixture[str]) -> None:
    save(BUNDLE, "walk.surefoot")
    body = BUNDLE.character.feet[0]
    Path("p.json").write_text(f'{{"masses": {{"{body}": 1.5}}}}')
    said = surefoot(capsys, "retarget", "walk.surefoot", "--proportions", "p.json", "--out", "heavy.surefoot", "--json", "-")
    assert said.code == 0
    assert said.json["mass_kg"] > BUNDLE.character.mass
    assert load("heavy.surefoot").character.mass == pytest.approx(said.json["mass_kg"])
    nowhere = surefoot(capsys, "retarget", "walk.surefoot", "--out", "heavy.surefoot")
    assert nowhere.code == 2
    assert "say onto which body the skill goes" in nowhere.err
    assert surefoot(capsys, "retarget", "humanoid/walk", "--out", "walk.bvh").code == 2
