"""Elites are diverse and hold the best; shares fall with cost; systematic resampling follows them."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.reconstruct.resampling import elites, shares, systematic

costs = st.lists(st.floats(0.0, 100.0), min_size=4, max_size=60).map(np.array)


@settings(deadline=None)
@given(costs, st.integers(1, 20))
def test_elites_hold_the_best_each_once_and_best_first(cost: np.ndarray, num: int) -> None:
    found = elites(cost, num)
    assert len(found) == len(set(found.tolist())) == min(num, len(cost))
    assert cost[found[0]] == cost.min()
    assert (np.diff(cost[found]) >= 0.0).all()


def test_the_lost_are_never_elites() -> None:
    cost = np.array([np.inf, 2.0, np.inf, 1.0, np.inf])
    assert elites(cost, 4).tolist() == [3, 1]
    assert len(elites(np.full(3, np.inf), 2)) == 0


def test_some_elites_look_worse_than_the_plain_best() -> None:
    """Of 1000 samples whose costs are spread evenly, the hundred cheapest end at 0.1; diverse ones reach further."""
    cost = np.linspace(0.0, 1.0, 1000)
    found = elites(cost, 100)
    assert cost[found[-1]] > 0.5
    assert np.median(cost[found]) < 0.2


def test_shares_sum_to_one_and_fall_with_cost() -> None:
    part = shares(np.array([1.0, 2.0, 3.0, 10.0]))
    assert abs(part.sum() - 1.0) < 1e-12
    assert (np.diff(part) < 0.0).all()
    assert shares(np.array([5.0])).tolist() == [1.0]


@settings(deadline=None)
@given(costs, st.integers(1, 500), st.floats(0.0, 0.999))
def test_systematic_resampling_gives_each_its_share_within_one(cost: np.ndarray, num: int, u: float) -> None:
    part = shares(np.sort(cost))
    children = np.bincount(systematic(part, num, u), minlength=len(part))
    assert children.sum() == num
    assert (np.abs(children - num * part) < 1.0 + 1e-9).all()
