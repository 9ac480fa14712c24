"""Guesses of the up axis and the unit: what decides them, and how sure they are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from surefoot.motion import axes, bvh, quaternion, units
from surefoot.motion.files import ReadOptions
from tests.clips import MOTIONS, needs_motions
from tests.motion.bodies import Clip, person
from tests.motion.bvh_dialects import AXES

CLIPS = sorted((MOTIONS / "cmu_bvh").glob("*.bvh"))


def body(clip: Clip, scale: float = 1.0, up: str = "Z", names: tuple[str, ...] | None = None) -> units.Body:
    """The clip in a file's axes and unit."""
    rest = np.zeros_like(clip.offsets)
    for j, p in enumerate(clip.parents):
        rest[j] = clip.offsets[j] + (rest[p] if p >= 0 else 0.0)
    return units.Body(
        names=names or clip.names, parents=clip.parents, rest=scale * rest @ AXES[up].T, posed=scale * clip.positions @ AXES[up].T
    )


@pytest.mark.parametrize("up", list(AXES))
def test_upright_turns_the_files_axis_to_z_and_keeps_hands(up: axes.UpAxis) -> None:
    axis = {"X": 0, "Y": 1, "Z": 2}[up[-1]]
    arrow = (-1.0 if up[0] == "-" else 1.0) * np.eye(3)[axis]
    np.testing.assert_allclose(axes.turn(up, arrow), [0.0, 0.0, 1.0], atol=1e-15)
    np.testing.assert_allclose(quaternion.to_matrix(axes.upright(up)), AXES[up].T, atol=1e-15)


def test_stature_is_measured_along_bones_in_any_pose() -> None:
    clip = person()
    standing, _ = units.stature(body(clip), "Z")
    lying, how = units.stature(body(clip, up="X"), "Z")
    assert standing == pytest.approx(1.68, rel=0.1)
    assert lying == pytest.approx(standing)
    assert how == "from toe to finger tip along the bones"


def test_travel_below_a_still_root_is_no_bone() -> None:
    clip = person()
    with_root = units.Body(
        names=("Root", *clip.names),
        parents=(-1, *(p + 1 for p in clip.parents)),
        rest=np.concatenate([np.zeros((1, 3)), body(clip).rest]),
        posed=np.concatenate([np.zeros((len(clip.root), 1, 3)), np.array([30.0, 0.0, 0.0]) + clip.positions], axis=1),
    )
    assert units.stature(with_root, "Z")[0] == pytest.approx(units.stature(body(clip), "Z")[0])


@pytest.mark.parametrize(
    ("size", "unit"), [(172.0, "cm"), (1.72, "m"), (1720.0, "mm"), (67.0, "inch"), (30.0, "0.05644 m"), (5.6, "foot"), (17.0, "dm")]
)
def test_a_person_has_one_plausible_unit(size: float, unit: str) -> None:
    unit_m, guess = units.guess_unit(size, human=True)
    assert guess.value == unit
    assert size * unit_m == pytest.approx(1.7, rel=0.06)
    assert guess.confidence > 0.6
    assert guess.override.startswith("--unit ")


def test_a_beast_may_have_any_size_and_the_guess_says_so() -> None:
    _, person_ = units.guess_unit(170.0, human=True)
    _, beast = units.guess_unit(170.0, human=False)
    assert beast.value == "cm"
    assert beast.confidence < person_.confidence


def test_knees_that_stand_above_the_body_are_no_feet() -> None:
    """An insect's legs: its feet have names that nobody knows."""
    names = ("thorax", *(f"{part}{k}" for k in range(4) for part in ("femur", "tibia", "tarsus")))
    parents = [-1, *(j for k in range(4) for j in (0, 3 * k + 1, 3 * k + 2))]
    around = [(np.cos(a), np.sin(a)) for a in np.pi * (0.25 + 0.5 * np.arange(4))]
    rest = np.array([(0.0, 0.0, 0.1), *((r * x, r * y, z) for x, y in around for r, z in ((0.05, 0.1), (0.15, 0.25), (0.3, 0.0)))])
    body = units.Body(names=names, parents=parents, rest=rest, posed=rest[None])
    assert [names[j] for j in body.feet] == [f"tarsus{k}" for k in range(4)]
    assert units.guess_up(body)[0] == "Z"


@pytest.mark.parametrize(("size", "human"), [(0.06, True), (2e4, True), (0.01, False), (1e6, False)])
def test_a_size_that_no_unit_makes_sense_of_is_a_poor_guess(size: float, human: bool) -> None:
    assert units.guess_unit(size, human=human)[1].confidence <= 0.4


def test_nothing_with_a_length_is_a_poor_guess() -> None:
    _, guess = units.guess_unit(0.0, human=True)
    assert guess.confidence == 0.1
    assert guess.why == "nothing in the file has a length"


@pytest.mark.parametrize(
    ("names", "human"),
    [
        (("Hips", "LeftLeg", "RightLeg", "LeftArm", "RightArm", "Head"), True),
        (("pelvis", "thigh_l", "thigh_r", "upperarm_l", "upperarm_r", "neck_01"), True),
        (("Bip01", "Bip01 L Thigh", "Bip01 R Calf", "Bip01 L UpperArm", "Bip01 R Hand", "Bip01 Head", "Bip01 Ponytail1"), True),
        (("lfemur", "rfemur", "lhumerus", "rhumerus", "head"), True),
        (("LeftLeg", "RightLeg", "LeftArm", "RightArm", "Head", "Tail"), False),
        (("joint1", "joint2", "joint3"), False),
    ],
)
def test_names_tell_a_person_from_a_beast(names: tuple[str, ...], human: bool) -> None:
    parents = [-1] + [0] * (len(names) - 1)
    assert units.Body(names=names, parents=parents, rest=np.zeros((len(names), 3)), posed=np.zeros((1, len(names), 3))).human is human


def test_a_single_pose_is_never_certain() -> None:
    clip = person().frames(slice(10, 11))
    up, guess = units.guess_up(body(clip))
    assert (up, guess.confidence) == ("Z", 0.8)


def test_a_body_without_names_still_stands_by_how_it_moves() -> None:
    clip = person()
    for up in ("Y", "Z"):
        found, guess = units.guess_up(body(clip, up=up, names=("",) * len(clip.names)))
        assert found == up
        assert guess.confidence > 0.5


@needs_motions
@pytest.mark.parametrize("path", CLIPS, ids=lambda p: p.stem)
def test_real_clips_are_y_up_in_the_unit_of_their_conversion(path: Path) -> None:
    motion = bvh.read(path.read_bytes(), path.name, ReadOptions(drop_first_frame=True))
    found = {guess.what: guess for guess in motion.source.guesses}
    assert motion.source.up_axis == "Y"
    assert motion.source.unit_m == pytest.approx(0.0254 / 0.45)
    assert found["up axis"].confidence > 0.95
    assert found["unit"].confidence > 0.85
    assert bvh.read(path.read_bytes(), path.name).source.extra == {"leading_rest_frame": True}
    assert motion.source.warnings == ()
