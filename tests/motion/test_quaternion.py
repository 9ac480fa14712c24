"""Quaternion algebra: known answers and identities, also next to zero and to half a turn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from surefoot.motion import quaternion as quat

Array = NDArray[np.float64]

_real = st.floats(-1.0, 1.0, allow_subnormal=False)
vectors = st.tuples(_real, _real, _real).map(np.array)
# Angles next to the places where formulas break, and anywhere between.
angles = st.one_of(
    st.sampled_from([0.0, 1e-300, 1e-160, 1e-16, 1e-9, 1e-5, np.pi / 2, np.pi - 1e-5, np.pi - 1e-9, np.pi - 1e-15]), st.floats(0.0, 3.14159)
)


@st.composite
def directions(draw: st.DrawFn) -> Array:
    v = draw(vectors)
    norm = float(np.linalg.norm(v))
    return v / norm if norm > 1e-3 else np.array([0.0, 0.6, 0.8])


@st.composite
def rotations(draw: st.DrawFn) -> Array:
    return quat.exp(draw(directions()) * draw(angles))


def same(a: Array, b: Array, tolerance: float = 1e-12) -> bool:
    """Whether two quaternions are the same rotation."""
    return bool(np.max(quat.angle(quat.multiply(quat.conjugate(a), b))) < tolerance)


@given(rotations(), rotations(), vectors)
def test_a_product_rotates_by_its_right_factor_first(a: Array, b: Array, v: Array) -> None:
    np.testing.assert_allclose(quat.rotate(quat.multiply(a, b), v), quat.rotate(a, quat.rotate(b, v)), atol=1e-12)


@given(rotations(), vectors)
def test_a_rotation_keeps_lengths_and_its_conjugate_undoes_it(q: Array, v: Array) -> None:
    turned = quat.rotate(q, v)
    assert np.linalg.norm(turned) == pytest.approx(np.linalg.norm(v), abs=1e-12)
    np.testing.assert_allclose(quat.rotate(quat.conjugate(q), turned), v, atol=1e-12)


@given(directions(), angles)
def test_log_undoes_exp_from_zero_to_half_a_turn(axis: Array, angle: float) -> None:
    np.testing.assert_allclose(quat.log(quat.exp(axis * angle)), axis * angle, rtol=1e-9, atol=1e-14 if angle < 3.0 else 1e-9)
    assert quat.angle(quat.exp(axis * angle)) == pytest.approx(angle, rel=1e-12, abs=1e-15)


@given(rotations())
def test_exp_undoes_log_and_log_never_exceeds_half_a_turn(q: Array) -> None:
    for sign in (1.0, -1.0):
        assert same(quat.exp(quat.log(sign * q)), q, 1e-9)
        assert np.linalg.norm(quat.log(sign * q)) <= np.pi + 1e-12


def test_rotation_vectors_keep_tiny_angles() -> None:
    v = np.array([3e-200, 0.0, 4e-200])
    np.testing.assert_allclose(quat.log(quat.exp(v)), v, rtol=1e-12)


@given(rotations())
def test_matrices_and_quaternions_are_one_to_one(q: Array) -> None:
    m = quat.to_matrix(q)
    np.testing.assert_allclose(m @ m.T, np.eye(3), atol=1e-12)
    assert np.linalg.det(m) == pytest.approx(1.0)
    assert same(quat.from_matrix(m), q, 1e-9)


@given(rotations(), vectors)
def test_a_matrix_rotates_as_its_quaternion_does(q: Array, v: Array) -> None:
    np.testing.assert_allclose(quat.to_matrix(q) @ v, quat.rotate(q, v), atol=1e-12)


@given(directions(), directions(), angles)
def test_between_is_the_shortest_turn_also_for_opposite_directions(a: Array, b: Array, angle: float) -> None:
    helper = np.cross(a, b)
    axis = helper / np.linalg.norm(helper) if np.linalg.norm(helper) > 1e-3 else np.cross(a, np.eye(3)[np.argmin(np.abs(a))])
    axis = axis / np.linalg.norm(axis)
    for target in (b, -a, a, quat.rotate(quat.exp(axis * angle), a)):
        q = quat.between(a, target)
        np.testing.assert_allclose(quat.rotate(q, a), target, atol=3e-8)
        across = np.arctan2(np.linalg.norm(np.cross(a, target)), a @ target)
        assert quat.angle(q) == pytest.approx(across, abs=3e-8)


@given(rotations(), rotations(), st.floats(0.0, 1.0))
def test_slerp_turns_evenly_along_the_shorter_arc(a: Array, b: Array, t: float) -> None:
    whole = float(quat.angle(quat.multiply(quat.conjugate(a), b)))
    for sign in (1.0, -1.0):
        q = quat.slerp(a, sign * b, t)
        assert quat.angle(quat.multiply(quat.conjugate(a), q)) == pytest.approx(t * whole, abs=1e-9)
        assert quat.angle(quat.multiply(quat.conjugate(q), b)) == pytest.approx((1.0 - t) * whole, abs=1e-9)


def test_slerp_meets_both_ends_next_to_half_a_turn() -> None:
    a = quat.IDENTITY
    for angle in (np.pi - 1e-9, np.pi, np.pi + 1e-9):
        b = quat.about([0.0, 0.0, 1.0], np.array(angle))
        assert same(quat.slerp(a, b, 0.0), a)
        assert same(quat.slerp(a, b, 1.0), b, 1e-9)


@given(rotations(), directions())
def test_swing_times_twist_is_the_rotation(q: Array, axis: Array) -> None:
    swing, twist = quat.swing_twist(q, axis)
    assert same(quat.multiply(swing, twist), q, 1e-9)
    np.testing.assert_allclose(np.cross(twist[1:], axis), 0.0, atol=1e-9)


@given(st.lists(rotations(), min_size=1, max_size=8), st.lists(st.booleans(), min_size=8, max_size=8))
def test_continuous_changes_signs_only(many: list[Array], flips: list[bool]) -> None:
    q = np.stack([-r if flip else r for r, flip in zip(many, flips, strict=False)])
    smooth = quat.continuous(q)
    np.testing.assert_array_equal(np.abs(smooth), np.abs(q))
    np.testing.assert_array_equal(smooth[0], q[0])
    assert (np.sum(smooth[1:] * smooth[:-1], axis=-1) >= 0.0).all()


@given(rotations(), st.lists(st.booleans(), min_size=2, max_size=6))
def test_the_mean_of_one_rotation_is_that_rotation_whatever_the_signs(q: Array, flips: list[bool]) -> None:
    assert same(quat.mean(np.stack([-q if flip else q for flip in flips])), q, 1e-7)


def test_the_mean_lies_in_the_middle() -> None:
    ends = quat.exp(np.array([[0.0, 0.2, 0.0], [0.0, 1.0, 0.0]]))
    assert same(quat.mean(ends), quat.exp([0.0, 0.6, 0.0]), 1e-9)


def test_normalize_bears_huge_tiny_and_zero() -> None:
    np.testing.assert_allclose(quat.normalize([3e200, 0.0, 4e200, 0.0]), [0.6, 0.0, 0.8, 0.0])
    np.testing.assert_allclose(quat.normalize([3e-200, 0.0, 4e-200, 0.0]), [0.6, 0.0, 0.8, 0.0])
    np.testing.assert_array_equal(quat.normalize(np.zeros(4)), quat.IDENTITY)


@pytest.mark.parametrize("order", ["ZYX", "XYZ", "YXZ", "ZXY", "YZX", "XZY", "XYX", "Z", "XY"])
def test_euler_angles_multiply_as_they_are_written(order: str) -> None:
    degrees = np.array([[20.0, -50.0, 110.0], [400.0, 90.0, -179.0]])[:, : len(order)]
    for row in degrees:
        m = np.eye(3)
        for letter, angle in zip(order, np.radians(row), strict=True):
            k = "XYZ".index(letter)
            i, j = (k + 1) % 3, (k + 2) % 3
            step = np.eye(3)
            step[i, i] = step[j, j] = np.cos(angle)
            step[i, j], step[j, i] = -np.sin(angle), np.sin(angle)
            m = m @ step
        np.testing.assert_allclose(quat.to_matrix(quat.from_euler(order, row)), m, atol=1e-12)


def test_about_needs_no_unit_axis() -> None:
    np.testing.assert_allclose(quat.rotate(quat.about([0.0, 0.0, 7.0], np.array(np.pi / 2)), [1.0, 0.0, 0.0]), [0.0, 1.0, 0.0], atol=1e-15)
