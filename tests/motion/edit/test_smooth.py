"""The low-pass: what it must keep, what it must remove."""

import numpy as np
import pytest

from surefoot import material
from surefoot.errors import InputError
from surefoot.motion import quaternion
from surefoot.motion.anatomy import anatomy
from surefoot.motion.edit import ground, lift, resample, smooth, translate
from surefoot.motion.edit.measure import lowest
from surefoot.motion.motion import Motion
from tests.motion.edit.strangers import scramble, tree


def _spin(frames: int, rate: float) -> Motion:
    """Two joints that spin and drift at constant rates, several full turns."""
    skeleton = tree(np.random.default_rng(1), 2)
    t = np.arange(frames)[:, None, None] / 100.0
    axes = np.array([[0.0, 0.6, 0.8], [1.0, 0.0, 0.0]])
    return Motion(skeleton, t * np.array([[1.0, 2.0, 3.0], [0.0, 0.0, 0.0]]) + 1.0, quaternion.exp(rate * axes * t), 0.01)


@pytest.mark.parametrize("frames", [4, 5, 17, 300])
def test_constant_velocities_pass_unchanged_to_the_ends_and_through_full_turns(frames: int) -> None:
    motion = _spin(frames, 20.0)
    out = smooth(motion, 6.0)
    assert np.abs(out.translations - motion.translations).max() < 1e-6
    assert quaternion.angle(quaternion.multiply(quaternion.conjugate(out.rotations), motion.rotations)).max() < 1e-6


def test_what_does_not_move_stays_bit_for_bit() -> None:
    motion = _spin(50, 3.0)
    assert np.array_equal(smooth(motion, 6.0).translations[:, 1], motion.translations[:, 1])


@pytest.mark.parametrize(("hertz", "low", "high"), [(1.0, 0.99, 1.01), (6.0, 0.69, 0.73), (24.0, -0.02, 0.02)])
def test_a_sine_keeps_its_phase_and_its_share_of_the_amplitude(hertz: float, low: float, high: float) -> None:
    motion = _spin(1200, 0.0)
    wave = np.sin(2.0 * np.pi * hertz * motion.times)[:, None]
    shaken = motion.replace(
        translations=motion.translations + 0.1 * wave[..., None],
        rotations=quaternion.multiply(motion.rotations, quaternion.exp(0.1 * wave[..., None] * np.array([0.0, 0.6, 0.8]))),
    )
    out = smooth(shaken, 6.0)
    inside = slice(200, 1000)
    moved = (out.translations - motion.translations)[inside, 0, 0]
    turned = quaternion.log(quaternion.multiply(quaternion.conjugate(motion.rotations), out.rotations))[inside, 0, 2] / 0.8
    for got in (moved, turned):
        share = float(got @ wave[inside, 0]) / float(wave[inside, 0] @ wave[inside, 0]) / 0.1
        assert low < share < high


def test_noise_on_a_walk_falls_by_more_than_half_while_the_walk_stays() -> None:
    walk = resample(material.motion("humanoid/walk"), 120.0, interpolation="cubic")
    rng = np.random.default_rng(5)
    noisy = walk.replace(
        rotations=quaternion.multiply(walk.rotations, quaternion.exp(0.02 * rng.normal(size=(*walk.rotations.shape[:2], 3))))
    )

    def off(motion: Motion) -> float:
        return float(np.sqrt(np.mean(np.sum((motion.joint_positions - walk.joint_positions) ** 2, axis=-1))))

    assert off(smooth(noisy, 8.0)) < 0.45 * off(noisy)
    assert off(smooth(walk, 8.0)) < 0.004


def test_a_cutoff_must_lie_below_half_the_frame_rate() -> None:
    motion = scramble(0, 2, 10, 30.0)
    with pytest.raises(InputError, match="a cutoff of 20 Hz cannot smooth 30 frames a second: it must lie between 0 and 15 Hz"):
        smooth(motion, 20.0)
    with pytest.raises(InputError, match="cannot smooth"):
        smooth(motion, 0.0)
    short = scramble(0, 2, 3, 30.0)
    assert smooth(short, 6.0) is short


@pytest.mark.parametrize("height", [-1.3, 0.4])
def test_grounding_puts_the_standing_feet_at_zero_in_spite_of_a_bad_frame(height: float) -> None:
    walk = material.motion("humanoid/walk")
    translations = np.array(walk.translations)
    translations[:, 0, 2] += height
    translations[12, 0, 2] -= 0.5
    grounded = ground(walk.replace(translations=translations))
    body = anatomy(walk.skeleton, walk)
    good = np.delete(lowest(grounded, body), 12)
    assert abs(np.percentile(good, 10)) < 0.015


def test_lifting_raises_the_lowest_point_to_the_clearance_and_never_lowers() -> None:
    walk = material.motion("humanoid/walk")
    body = anatomy(walk.skeleton, walk)
    sunk = translate(walk, [0.0, 0.0, -0.2])
    assert np.isclose(lowest(lift(sunk, 0.01), body).min(), 0.01)
    high = translate(walk, [0.0, 0.0, 0.7])
    assert np.array_equal(lift(high).translations, high.translations)
