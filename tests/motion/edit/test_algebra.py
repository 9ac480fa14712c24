"""Laws that edits obey on any motion."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from surefoot import material
from surefoot.errors import InputError
from surefoot.motion import quaternion
from surefoot.motion.anatomy import anatomy
from surefoot.motion.edit import concatenate, cut, face, mirror, move, resample, scale, translate, turn_up
from surefoot.motion.edit.measure import facing
from surefoot.motion.edit.planar import Planar, nearest
from surefoot.motion.motion import Motion
from tests.motion.edit.strangers import curve, same, scramble, scrambles

angles = st.floats(-7.0, 7.0)
lengths = st.floats(-5.0, 5.0)
planars = st.builds(Planar, x=lengths, y=lengths, yaw=angles)


@given(scrambles)
@example(scramble(1736, 3, 3, 16.0))  # two joints side by side, one of which carries the body
def test_mirrored_twice_is_the_motion_itself(motion: Motion) -> None:
    body = anatomy(motion.skeleton)
    assert same(mirror(mirror(motion, body=body), body=body), motion, 1e-9)


@pytest.mark.parametrize("name", material.names())
def test_built_in_motions_mirrored_twice_are_themselves_without_a_heading_given(name: str) -> None:
    motion = material.motion(name)
    assert same(mirror(mirror(motion)), motion, 1e-9)


@given(scrambles)
def test_resampling_at_the_same_rate_changes_nothing(motion: Motion) -> None:
    assert resample(motion, motion.fps) is motion


@given(scrambles, st.integers(2, 5), st.sampled_from(["linear", "cubic"]))
def test_every_nth_frame_of_a_motion_resampled_to_n_times_its_rate_is_the_motion(motion: Motion, times: int, how: str) -> None:
    finer = resample(motion, times * motion.fps, interpolation=how)  # type: ignore[arg-type]
    assert finer.num_frames == times * (motion.num_frames - 1) + 1
    kept = finer.replace(
        translations=finer.translations[::times],
        rotations=finer.rotations[::times],
        contacts=None if finer.contacts is None else finer.contacts[::times],
        frame_time=motion.frame_time,
    )
    assert same(kept, motion, 1e-9)


@given(scrambles, st.floats(1e-3, 1e3))
def test_scaling_back_undoes_scaling(motion: Motion, factor: float) -> None:
    back = scale(scale(motion, factor), 1.0 / factor)
    assert same(back, motion, 1e-12)
    assert np.allclose(back.skeleton.translations, motion.skeleton.translations, rtol=1e-14)
    assert np.allclose(scale(motion, factor).tip_positions, factor * motion.tip_positions, rtol=1e-9, atol=1e-12 * factor)


@given(scrambles, st.data())
def test_two_parts_of_a_motion_put_together_are_the_motion(motion: Motion, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, motion.num_frames - 1)) * motion.frame_time
    together = concatenate(cut(motion, 0.0, at), cut(motion, at), blend=0.0)
    assert same(together, motion, 1e-9)


@given(scrambles, scrambles)
def test_cutting_takes_a_concatenation_apart_again(first: Motion, other: Motion) -> None:
    second = first.replace(translations=first.translations[::-1], rotations=first.rotations[::-1], contacts=None)
    both = concatenate(first, second, blend=0.0)
    assert same(cut(both, 0.0, first.duration), first.replace(contacts=None), 1e-12)
    tail = cut(both, first.duration)
    assert tail.num_frames == second.num_frames
    apart = np.linalg.norm(tail.joint_positions[1:, :, None] - tail.joint_positions[1:, None], axis=-1)
    assert np.allclose(apart, np.linalg.norm(second.joint_positions[1:, :, None] - second.joint_positions[1:, None], axis=-1), atol=1e-9)


@given(scrambles, planars)
def test_a_move_along_the_floor_and_back_is_no_move(motion: Motion, by: Planar) -> None:
    assert same(move(move(motion, by), by.inverse()), motion, 1e-9)


@given(planars, planars, st.integers(0, 2**32 - 1))
def test_moves_compose(a: Planar, b: Planar, seed: int) -> None:
    points = np.random.default_rng(seed).normal(size=(5, 3))
    assert np.allclose(a.after(b).points(points), a.points(b.points(points)), atol=1e-9)
    found = nearest(a.points(points), points)
    assert np.allclose(found.points(points), a.points(points), atol=1e-9)
    assert np.allclose(b.power(3).points(points), b.points(b.points(b.points(points))), atol=1e-8)


@given(scrambles, angles)
def test_facing_a_heading_makes_the_first_frame_face_it(motion: Motion, heading: float) -> None:
    body = anatomy(motion.skeleton)
    turned = face(motion, heading, body=body)
    assert np.isclose(np.exp(1j * facing(turned, body)[0]), np.exp(1j * heading), atol=1e-6)
    assert np.allclose(turned.joint_positions[0, body.trunk], motion.joint_positions[0, body.trunk], atol=1e-9)


@pytest.mark.parametrize(("up", "vector"), [("Y", (0, 1, 0)), ("-X", (-1, 0, 0)), ("X", (1, 0, 0)), ("-Z", (0, 0, -1)), ("Z", (0, 0, 1))])
def test_turning_the_up_axis_lifts_what_lay_along_it(up: str, vector: tuple[int, int, int]) -> None:
    motion = scramble(1, 4, 5, 30.0)
    turned = turn_up(motion, up)  # type: ignore[arg-type]
    assert np.allclose(turned.joint_positions[..., 2], motion.joint_positions @ np.array(vector, dtype=float))
    assert np.allclose(turned.skeleton.rest[0][:, 2], motion.skeleton.rest[0] @ np.array(vector, dtype=float))


def test_a_cubic_follows_a_smooth_curve_forty_times_closer_than_a_line() -> None:
    coarse, fine = curve(20.0), curve(200.0)
    errors = {}
    for how in ("linear", "cubic"):
        again = resample(coarse, 200.0, interpolation=how)  # type: ignore[arg-type]
        turned = quaternion.multiply(quaternion.conjugate(again.rotations), fine.rotations)
        errors[how] = max(
            float(quaternion.angle(turned)[20:-20].max()), float(np.abs(again.translations - fine.translations)[20:-20].max())
        )
    assert errors["cubic"] < errors["linear"] / 40.0 < 1e-3


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda m: resample(m, 0.0), "a frame rate must be a positive number, got 0.0."),
        (lambda m: resample(m, 30.0, interpolation="best"), "no interpolation named 'best'; there are 'linear' and 'cubic'."),
        (lambda m: resample(m, 1e300), "too many frames"),
        (lambda m: cut(m, 0.2, 0.1), "cannot cut from 0.2 to 0.1 s: the motion lasts from 0 to 1 s, and the start comes first."),
        (lambda m: cut(m, 0.0, 2.0), "cannot cut from 0 to 2 s: the motion lasts from 0 to 1 s"),
        (lambda m: cut(m, float("nan")), "finite numbers of seconds"),
        (lambda m: scale(m, -1.0), "a scale must be a positive number, got -1.0."),
        (lambda m: turn_up(m, "W"), "no axis named 'W'"),
        (lambda m: translate(m, [0.0, 1.0]), "three finite numbers of metres"),
        (lambda m: concatenate(m, m, blend=5.0), "an overlap of 5 s is longer than the shorter of the two motions, 1 s."),
        (lambda m: concatenate(m, scramble(0, 2, 5, 30.0)), "motions of different skeletons (3 and 2 joints) cannot be concatenated"),
        (lambda m: mirror(m, heading=float("inf")), "a heading is a finite angle"),
    ],
)
def test_impossible_edits_say_what_is_wrong(call: object, says: str) -> None:
    with pytest.raises(InputError) as error:
        call(curve(20.0))  # type: ignore[operator]
    assert says in str(error.value)
