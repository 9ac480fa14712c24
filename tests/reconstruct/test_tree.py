"""A tree small enough to check by hand: three generations of three samples.

generation 0    0(1) 1(2) 2(9)      costs in brackets, elites 0 and 1
generation 1    0(1) 1(5) 2(1)      from 0, 0, 1; elites 0 and 2
generation 2    0(3) 1(1) 2(2)      from 0, 2, 2; elites 1 and 2
"""

from __future__ import annotations

import numpy as np

from surefoot.reconstruct.adaptation import averaged, moved, ranked
from surefoot.reconstruct.tree import Generation, backtrack, best_path, heights, path_costs


def generation(costs: list[float], elites: list[int], parents: list[int]) -> Generation:
    return Generation(
        actions=np.arange(3.0)[:, None] + 10.0 * np.array(costs)[:, None],
        costs=np.array(costs, dtype=float),
        elites=np.array(elites),
        parents=np.array(parents),
    )


TREE = [generation([1, 2, 9], [0, 1], [0, 0, 0]), generation([1, 5, 1], [0, 2], [0, 0, 1]), generation([3, 1, 2], [1, 2], [0, 2, 2])]


def test_path_costs_add_up_along_the_tree() -> None:
    assert [c.tolist() for c in path_costs(TREE)] == [[1, 2, 9], [2, 6, 3], [5, 4, 5]]


def test_the_best_path_ends_in_the_cheapest_elite() -> None:
    assert best_path(TREE) == [1, 2, 1]
    assert backtrack(TREE, 0) == [0, 0, 0]


def test_heights_count_generations_of_elites_below() -> None:
    tall, onward = heights(TREE)
    assert [h.tolist() for h in tall] == [[2, 3, 0], [1, 0, 2], [0, 1, 1]]
    assert onward[0][:2].tolist() == [2.0, 4.0]  # 1 + 1;  2 + 1 + 1


def test_those_whose_descendants_came_furthest_rank_first() -> None:
    actions, height = ranked(TREE)[0]
    assert height.tolist() == [3]
    assert actions.tolist() == [TREE[0].actions[1].tolist()]


def test_a_distribution_moves_to_the_weighted_mean_of_its_better_half() -> None:
    actions = np.array([[1.0], [3.0], [100.0], [100.0]])
    weights = np.log(2.5) - np.log([1.0, 2.0])
    weights /= weights.sum()
    mean, variance = moved(np.array([0.0]), np.array([4.0]), actions, 0.25)
    assert np.allclose(mean, weights @ [1.0, 3.0])
    assert np.allclose(variance, 0.75 * 4.0 + 0.25 * (weights @ [1.0, 9.0]))


def test_elites_are_averaged_by_the_heights_of_their_subtrees() -> None:
    """Equation 9."""
    assert np.allclose(averaged(np.array([[0.0], [3.0]]), np.array([1, 2])), [2.0])
