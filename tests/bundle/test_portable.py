"""A skill as JSON: another program that knows nothing of ours gets our player's states from it, bit for bit."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from surefoot.bundle import Bundle, player
from surefoot.bundle.portable import portable, write_portable
from surefoot.errors import InputError
from surefoot.feedback.policy import LinearFeedback
from surefoot.physics.scene import Scene
from surefoot.physics.terrain import Slope
from tests.bundle.cases import dinosaur, learned

EXAMPLE = Path(__file__).parents[2] / "examples" / "05_a_skill_in_numpy.py"


def turning() -> Bundle:
    """Random feedback that obeys a turn rate."""
    made = learned()
    assert isinstance(made.policy, LinearFeedback)
    turn = 0.1 * np.random.default_rng(4).normal(size=made.policy.action.shape)
    return made.replace(policy=made.policy.replace(turn=turn, answers=np.array([[-0.7, 0.0, 0.6], [-1.0, 0.0, 0.8]])))


@pytest.mark.parametrize(("made", "rate"), [(learned, 0.0), (turning, 0.5)])
def test_eighty_lines_of_numpy_give_the_player_s_states_bit_for_bit(made, rate: float, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    assert len(EXAMPLE.read_text(encoding="utf-8").splitlines()) <= 80
    bundle = made()
    write_portable(bundle, tmp_path / "policy.json")
    asked = [str(EXAMPLE), "policy.json", "1.5", str(np.degrees(rate))]
    done = subprocess.run([sys.executable, *asked], capture_output=True, text=True, timeout=120, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    playing = player(bundle, record=True)
    if rate:
        playing.turn(np.radians(float(asked[-1])))
    playing.advance(1.5)
    recording, layout = playing.recording(), playing.engine.layout
    rows = recording.states
    ours = np.concatenate([rows[:, layout.time, None], rows[:, layout.qpos], rows[:, layout.qvel]], axis=1)
    np.testing.assert_array_equal(np.load(tmp_path / "states.npy"), ours)


def test_the_json_says_what_every_number_is() -> None:
    bundle = learned()
    said = json.loads(json.dumps(portable(bundle), allow_nan=False))
    policy = bundle.policy
    assert isinstance(policy, LinearFeedback)
    assert [len(said[key]) for key in ("features", "targets", "edges")] == [18, bundle.character.model.nu, 11]
    assert all(feature["name"] and feature["unit"] and feature["is"] for feature in said["features"])
    assert [drive["body"] for drive in said["targets"]] == list(policy.servos.names)
    assert all(drive["kp"] > 0.0 and drive["kd"] > 0.0 and drive["torque_n_m"][1] > 0.0 for drive in said["targets"])
    assert said["model"]["sha256"] == hashlib.sha256(said["model"]["xml"].encode()).hexdigest()
    np.testing.assert_array_equal(said["gain"], policy.gain)
    np.testing.assert_array_equal(said["reference"], policy.reference)
    assert said["turns"] is False
    assert portable(turning())["turns"] is True


def test_what_is_no_feedback_or_not_on_flat_ground_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is 'open loop'; only what `surefoot learn` makes"):
        portable(dinosaur())
    with pytest.raises(InputError, match="flat ground only"):
        portable(learned().replace(scene=Scene(ground=Slope(degrees=5.0))))
    with pytest.raises(InputError, match=r"p\.txt: a skill is written as \.json"):
        write_portable(learned(), tmp_path / "p.txt")
