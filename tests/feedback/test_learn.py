"""Learning on a tiny budget: the same bits at any number of threads and after a kill; and one that really stands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from surefoot.bundle import encode
from surefoot.bundle.learned import judged, learned_bundle
from surefoot.character.builtin import builtin
from surefoot.feedback.decide import decide
from surefoot.feedback.guided import GuidedConfig
from surefoot.feedback.learn import Learned, learn
from surefoot.material import motion
from surefoot.play.evaluate import EvaluateConfig
from surefoot.reconstruct.prepare import prepare

TINY = GuidedConfig(samples=12, walks=2, rounds=1, warm_up=2, iterations=3, horizon=3)
NAME = "humanoid/run"


def tiny(**flags: Any) -> Learned:
    made = decide(motion(NAME))
    fitted = prepare(made.motion, builtin("humanoid"))
    return learn(fitted.character, fitted.qpos, made.motion.frame_time, TINY, repeats=True, even=True, seed=3, **flags)


def same(one: Learned, other: Learned) -> bool:
    mine, its = one.policy.to_arrays()[0], other.policy.to_arrays()[0]
    return all(np.array_equal(mine[name], its[name]) for name in mine) and one.history == other.history


def test_one_thread_and_two_learn_the_same_bits() -> None:
    assert same(tiny(threads=1), tiny(threads=2))


def test_learning_that_was_stopped_goes_on_to_the_same_bits(tmp_path: Path) -> None:
    class Killed(Exception):
        pass

    def stop(done: float, said: str) -> None:
        if done >= 0.6:
            raise Killed

    with pytest.raises(Killed):
        tiny(threads=1, folder=tmp_path / "run", tell=stop)
    assert same(tiny(threads=1, folder=tmp_path / "run", resume=True), tiny(threads=1))


def test_ctrl_c_keeps_the_best_so_far() -> None:
    def stop(done: float, said: str) -> None:
        if "of its walks" not in said:  # an iteration is done
            raise KeyboardInterrupt

    found = tiny(threads=1, tell=stop)
    assert found.interrupted
    assert len(found.history) == 1


def test_a_learned_bundle_comes_back_from_its_bytes_and_its_fall_is_told() -> None:
    from surefoot.bundle import decode

    read = motion(NAME)
    made = decide(read)
    fitted = prepare(made.motion, builtin("humanoid"))
    found = tiny(threads=1)
    trial, why = judged(found, seed=0, threads=1, config=EvaluateConfig(episodes=4, seconds=1.0, pushes=False))
    bundle = learned_bundle(read, fitted, made, found, trial, why, seed=3)
    data = encode(bundle)
    assert data == encode(decode(data, "again"))
    assert bundle.success is (not why)
    assert "core_s" not in bundle.result
    assert bundle.result["decision"] == made.why
