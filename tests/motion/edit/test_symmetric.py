"""Gaits made symmetric."""

import numpy as np
import pytest

from surefoot import material
from surefoot.errors import InputError
from surefoot.motion import quaternion
from surefoot.motion.edit import close_cycle, cut, face, find_cycle, mirror, repeat, resample, symmetric_gait
from surefoot.motion.edit.close import stride
from surefoot.motion.files import ReadOptions, read_motion
from surefoot.motion.motion import Motion
from tests.clips import MOTIONS, needs_motions


def asymmetry(motion: Motion) -> float:
    """How far the second half is from the first's mirror image, root-relative (root mean square) [m]."""
    half = (motion.num_frames - 1) // 2
    step = stride(motion)
    image = mirror(repeat(motion, 2), heading=float(np.arctan2(step.y, step.x)))
    later = cut(image, half * motion.frame_time, (half + motion.num_frames - 1) * motion.frame_time)
    apart = (later.joint_positions - later.joint_positions[:, :1]) - (motion.joint_positions - motion.joint_positions[:, :1])
    return float(np.sqrt(np.mean(np.sum(apart**2, axis=-1))))


def limping() -> Motion:
    """Our walk with one knee stiffer and the trunk leaning to a side, walking to the north-east."""
    walk = resample(material.motion("humanoid/walk"), 60.0, interpolation="cubic")
    knee, waist = walk.skeleton.index("left_knee"), walk.skeleton.index("waist")
    rotations = np.array(walk.rotations)
    rotations[:, knee] = quaternion.slerp(
        rotations[:, knee], np.broadcast_to(quaternion.IDENTITY, rotations[:, knee].shape), np.full(len(rotations), 0.3)
    )
    rotations[:, waist] = quaternion.multiply(rotations[:, waist], quaternion.exp([0.1, 0.0, 0.0]))
    return face(walk.replace(rotations=rotations, contacts=None), 0.7)


def test_a_limping_walk_becomes_symmetric_and_keeps_its_speed_and_its_direction() -> None:
    motion = limping()
    out = symmetric_gait(motion)
    assert asymmetry(close_cycle(motion)) > 0.03
    assert asymmetry(out) < 1e-6
    before, after = stride(close_cycle(motion)), stride(out)
    assert np.allclose([before.x, before.y], [after.x, after.y], atol=1e-3)
    assert out.num_frames == motion.num_frames


def test_a_symmetric_walk_stays_as_it_is_and_meets_itself_without_a_seam() -> None:
    walk = symmetric_gait(material.motion("humanoid/walk"))
    again = symmetric_gait(walk)
    moved = np.linalg.norm(again.joint_positions - walk.joint_positions, axis=-1)
    assert moved.mean() < 5e-4
    assert moved.max() < 5e-3  # the heel strikes at the seam: closing it again rounds that by millimetres
    many = repeat(walk, 3)
    change = np.abs(np.diff(many.joint_positions, 2, axis=0)).max(axis=(1, 2))
    assert change[walk.num_frames - 2] < 1.2 * np.percentile(change, 90)


def test_a_gait_that_turns_is_refused() -> None:
    walk = material.motion("humanoid/walk")
    spin = quaternion.about(np.array([0.0, 0.0, 1.0]), np.linspace(0.0, 0.8, walk.num_frames))
    translations, rotations = np.array(walk.translations), np.array(walk.rotations)
    translations[:, 0], rotations[:, 0] = quaternion.rotate(spin, translations[:, 0]), quaternion.multiply(spin, rotations[:, 0])
    with pytest.raises(InputError, match=r"a gait that turns by 4[56]° a cycle cannot be made symmetric"):
        symmetric_gait(walk.replace(translations=translations, rotations=rotations, contacts=None))


@needs_motions
@pytest.mark.parametrize("name", ["cmu_bvh/cmu_02_01_walk_normal.bvh", "cmu_bvh/cmu_09_01_run.bvh", "deepmimic/humanoid3d_run.txt"])
def test_captured_gaits_become_symmetric_with_little_change(name: str) -> None:
    motion = read_motion(f"{MOTIONS}/{name}", ReadOptions(drop_first_frame=name.endswith(".bvh")))
    cycle = find_cycle(motion)
    closed, out = close_cycle(motion, cycle), symmetric_gait(motion, cycle)
    assert asymmetry(out) < 0.3 * asymmetry(closed)
    own = [m.joint_positions - m.joint_positions[:, :1] for m in (closed, out)]
    assert np.linalg.norm(own[1] - own[0], axis=-1).mean() < 0.05
