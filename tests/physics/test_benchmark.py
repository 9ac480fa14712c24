"""`surefoot bench engine`: its numbers, at a size that takes a moment."""

from __future__ import annotations

import pytest

from surefoot.character.builtin import builtin
from surefoot.errors import InputError
from surefoot.physics.benchmark import measure


def test_a_row_compares_the_engine_with_the_bare_batch_on_the_same_work() -> None:
    seen: list[int] = []
    row = measure("deepmimic", builtin("deepmimic"), num_simulations=4, threads=1, pairs=3, budget_s=2.0, progress=seen.append)
    assert (row.character, row.num_simulations, row.threads) == ("deepmimic", 4, 1)
    assert len(row.ratios) == 3
    assert seen == [1, 2, 3]
    assert row.ratio == pytest.approx(sorted(row.ratios)[1])
    assert row.engine_steps_per_s > 0.0 < row.bare_steps_per_s


def test_an_unknown_benchmark_lists_the_known_ones() -> None:
    from surefoot.cli.bench import Command

    with pytest.raises(InputError, match="no benchmark named 'engin'; did you mean 'engine'"):
        Command(name="engin").run()
    with pytest.raises(InputError, match="--simulations 0: expected 1 to 100000"):
        Command(name="engine", simulations=0).run()
