"""Random motions of random skeletons, for tests that write and read them back."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from surefoot.motion import quaternion
from surefoot.motion.motion import Guess, Motion, Source
from surefoot.motion.skeleton import Skeleton, Tip

NAMES = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=8)


@st.composite
def motions(draw: st.DrawFn) -> Motion:
    """Up to six joints, one root or several, bones that stretch, tips, odd names and frame times."""
    num = draw(st.integers(1, 6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    frames = draw(st.integers(1, 5))
    parents = [-1] + [int(rng.integers(-1 if rng.random() < 0.2 else 0, j)) for j in range(1, num)]
    names = draw(st.lists(NAMES, min_size=num, max_size=num))
    joints = draw(st.lists(st.integers(0, num - 1), max_size=3))
    tips = tuple(Tip(joint=j, offset=rng.normal(size=3), name=draw(st.sampled_from(["", "toe", "hand end"]))) for j in joints)
    rest = rng.normal(size=(num, 3))
    skeleton = Skeleton(tuple(names), np.array(parents), rest, quaternion.normalize(rng.normal(size=(num, 4))), tips)
    still = rng.random(num) < 0.5
    translations = rest + np.where(still[:, None], 0.0, rng.normal(size=(frames, num, 3)))
    rotations = quaternion.continuous(quaternion.normalize(rng.normal(size=(frames, num, 4))))
    source = Source(
        format=draw(st.sampled_from(["", "bvh", "amc"])),
        file="x.bvh",
        unit_m=draw(st.sampled_from([1.0, 0.01, 0.0254 / 0.45])),
        up_axis=draw(st.sampled_from(["Y", "Z", "-X"])),
        guesses=(Guess(what="unit", value="cm", confidence=0.7, why="so", override="--unit cm"),) if draw(st.booleans()) else (),
        warnings=tuple(draw(st.lists(NAMES, max_size=2))),
        loop=draw(st.sampled_from([None, True, False])),
        extra=draw(st.dictionaries(NAMES, st.one_of(st.integers(), st.booleans(), NAMES, st.lists(NAMES, max_size=2)), max_size=2)),
    )
    contacts = rng.random((frames, num)) < 0.5 if draw(st.booleans()) else None
    time = draw(st.sampled_from([1 / 30, 0.0083333, 1 / 24, 0.04]) | st.floats(1e-3, 0.5))
    return Motion(skeleton, translations, rotations, time, name=draw(NAMES), contacts=contacts, source=source)
