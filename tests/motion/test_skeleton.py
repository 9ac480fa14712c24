"""Skeletons: forward and backward kinematics, trees, tips."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.errors import InputError
from surefoot.motion import quaternion
from surefoot.motion.skeleton import Skeleton, Tip, topological


def tree(parents: list[int], seed: int = 0, **fields: object) -> Skeleton:
    rng = np.random.default_rng(seed)
    num = len(parents)
    rotations = quaternion.exp(rng.normal(size=(num, 3)))
    return Skeleton(tuple(f"j{k}" for k in range(num)), np.array(parents), rng.normal(size=(num, 3)), rotations, **fields)  # type: ignore[arg-type]


parent_lists = st.integers(1, 12).flatmap(lambda n: st.tuples(*(st.integers(-1, k - 1) for k in range(n)))).map(list)


@given(parent_lists, st.integers(0, 1000))
def test_backward_undoes_forward(parents: list[int], seed: int) -> None:
    skeleton = tree(parents, seed)
    rng = np.random.default_rng(seed)
    translations = rng.normal(size=(3, len(parents), 3))
    rotations = quaternion.exp(3.0 * rng.normal(size=(3, len(parents), 3)))
    back = skeleton.backward(*skeleton.forward(translations, rotations))
    np.testing.assert_allclose(back[0], translations, atol=1e-12)
    np.testing.assert_allclose(back[1], rotations, atol=1e-12)


@given(parent_lists, st.integers(0, 1000))
def test_forward_agrees_with_products_of_matrices(parents: list[int], seed: int) -> None:
    skeleton = tree(parents, seed)
    world: list[np.ndarray] = []
    for j, p in enumerate(parents):
        m = np.eye(4)
        m[:3, :3] = quaternion.to_matrix(skeleton.rotations[j])
        m[:3, 3] = skeleton.translations[j]
        world.append(m if p < 0 else world[p] @ m)
    positions, rotations = skeleton.rest
    np.testing.assert_allclose(positions, [m[:3, 3] for m in world], atol=1e-12)
    np.testing.assert_allclose(quaternion.to_matrix(rotations), [m[:3, :3] for m in world], atol=1e-12)


def test_children_descendants_and_chains_follow_the_tree() -> None:
    skeleton = tree([-1, 0, 0, 1, -1, 4])
    assert skeleton.roots == (0, 4)
    assert skeleton.children == ((1, 2), (3,), (), (), (5,), ())
    assert skeleton.descendants(1) == (1, 3)
    assert skeleton.descendants(0) == (0, 1, 2, 3)
    assert skeleton.chain(3) == (0, 1, 3)


def test_tips_move_with_their_joint() -> None:
    skeleton = tree([-1, 0], tips=(Tip(joint=1, offset=np.array([0.0, 0.0, 2.0])),))
    positions, world = skeleton.rest
    tip = skeleton.tip_positions(positions, world)
    np.testing.assert_allclose(tip[0], positions[1] + quaternion.rotate(world[1], [0.0, 0.0, 2.0]))
    assert tree([-1]).tip_positions(np.zeros((5, 1, 3)), np.zeros((5, 1, 4))).shape == (5, 0, 3)


def test_arrays_are_copies_and_read_only() -> None:
    offsets = np.zeros((1, 3))
    skeleton = Skeleton(("a",), np.array([-1]), offsets, np.array([quaternion.IDENTITY]))
    offsets[0, 0] = 5.0
    assert skeleton.translations[0, 0] == 0.0
    with pytest.raises(ValueError, match="read-only"):
        skeleton.translations[0, 0] = 1.0


def test_an_unknown_joint_is_told_what_exists() -> None:
    with pytest.raises(InputError, match=r"no joint named 'j9'.*'j0', 'j1'"):
        tree([-1, 0]).index("j9")


@pytest.mark.parametrize("parents", [[0], [-1, 1], [-1, 2, 0], [-2]])
def test_parents_stand_before_their_children(parents: list[int]) -> None:
    with pytest.raises(InputError, match="parents must stand before their children"):
        tree(parents)


def test_a_skeleton_needs_joints_and_matching_arrays() -> None:
    with pytest.raises(InputError, match="at least one joint"):
        Skeleton((), np.zeros(0, dtype=np.int64), np.zeros((0, 3)), np.zeros((0, 4)))
    with pytest.raises(InputError, match="a skeleton of 1 joints needs"):
        Skeleton(("a",), np.array([-1]), np.zeros((2, 3)), np.zeros((1, 4)))


def test_topological_order_puts_parents_first_and_refuses_cycles() -> None:
    assert topological([2, 2, -1, 0]) == [2, 0, 3, 1]
    assert topological([-1, 0, 1]) == [0, 1, 2]
    with pytest.raises(InputError, match="form a cycle: 2 of 3"):
        topological([-1, 2, 1])
    with pytest.raises(InputError, match="joint 0 hangs below joint 4; there are 2"):
        topological([4, -1])
