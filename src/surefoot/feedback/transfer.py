"""A skill on a changed body: what was learned, in the new body's measure (Simulation for Control, 3.5 and figure 13).

With r the new legs' length over the old one's, m the mass likewise, and S the scale of each feature (1 for angles, r for lengths and
velocities, m r^2 for momentum):

    joints, targets, actions, turn      stay
    root                                r times along the floor; in height so that the feet touch as before
    M'  = M S^-1,       s^' = s(reference') + S (s^ - s(reference))             where each fragment begins

It is a start for learning, and often stands as it is. Time is kept: the same periods, fragments and phases.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.character.character import Character
from surefoot.character.rig.replay import lowest_points
from surefoot.errors import InputError
from surefoot.feedback.policy import LinearFeedback
from surefoot.physics.batch import BatchEngine
from surefoot.physics.features import anatomy, state_features, units
from surefoot.physics.servos import servos
from surefoot.policy.reference import Reference

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, kw_only=True)
class Carried:
    """A skill on another body."""

    policy: LinearFeedback
    reference: Reference
    starts: Reference | None


def carried(policy: LinearFeedback, reference: Reference, starts: Reference | None, character: Character) -> Carried:
    """A learned skill on a body with the same joints and other measures."""
    check_same_joints(reference.character, character)
    longer = legs(character) / legs(reference.character)
    heavier = character.mass / reference.character.mass
    moved = on(reference, character, longer)
    scale = np.array(
        [{"rad": 1.0, "m": longer, "m/s": longer}.get(unit, heavier * longer**2) for unit in units(anatomy(reference.character))]
    )
    begins = np.asarray(policy.period * policy.edges[:-1], dtype=np.float64)
    before, after = (_features(one, begins, policy.tilts) for one in (reference, moved))
    made = policy.replace(servos=servos(character), gain=policy.gain / scale, center=after + scale * (policy.center - before))
    return Carried(policy=made, reference=moved, starts=None if starts is None else on(starts, character, longer))


def check_same_joints(old: Character, new: Character) -> None:
    """An error where two bodies do not have the same joints, with the same ways to turn."""
    for mine, its in ((old, new), (new, old)):
        lacking = [name for name in mine.skeleton.names if name not in its.skeleton.names]
        if lacking:
            raise InputError(
                f"'{its.name}' has no body '{lacking[0]}', which '{mine.name}' has: a skill goes onto bodies with the same joints only."
            )
    same = (
        old.skeleton.names == new.skeleton.names
        and np.array_equal(old.skeleton.parents, new.skeleton.parents)
        and np.array_equal(old.model.jnt_type, new.model.jnt_type)
        and np.array_equal(old.model.jnt_bodyid, new.model.jnt_bodyid)
        and servos(old).names == servos(new).names
    )
    if not same:
        raise InputError(
            f"'{new.name}' has the bodies of '{old.name}', but other joints: a skill goes onto bodies with the same joints only."
        )


def legs(character: Character) -> float:
    """Height of the root above the lowest joint in the rest pose [m]; of a body that lies, its size."""
    places = character.skeleton.rest[0]
    high = float(places[0, 2] - places[:, 2].min())
    return high if high > 0.1 * character.height else character.height


def on(reference: Reference, character: Character, longer: float) -> Reference:
    """A reference in the joints of another body, its way `longer` times as long, its lowest points where they were."""
    qpos = np.array(reference.qpos)
    qpos[:, :3] *= longer
    qpos[:, 3:] = _turned(reference.character, character, qpos[:, 3:])
    low = np.array(lowest_points(reference.character, np.asarray(reference.qpos)))
    now = np.array(lowest_points(character, qpos))
    # Feet are what is low most of the time: a knee that touches now and then does not lift the whole.
    near = low <= np.nanpercentile(low, 50.0)
    qpos[:, 2] += float(np.nanmedian((longer * low - now)[near])) if near.any() else 0.0
    return Reference(character=character, qpos=qpos, frame_time=reference.frame_time, cycle=reference.cycle, scene=reference.scene)


def _turned(old: Character, new: Character, joints: Array) -> Array:
    """Joints' part of poses: the same angles, the rest poses being the same."""
    if not np.allclose(old.skeleton.rotations[1:], new.skeleton.rotations[1:], atol=1e-4):
        raise InputError(f"the bones of '{new.name}' stand otherwise at rest than those of '{old.name}': retarget the motion instead.")
    return joints


def _features(reference: Reference, times: Array, tilts: Array) -> Array:
    """State features (F, n) of a reference at times (F,)."""
    engine = BatchEngine(reference.character, len(times), 1)
    seen = engine.observe(engine.rows(reference.at(times), reference.velocity_at(times)))
    return np.asarray(state_features(seen, anatomy(reference.character), near=tilts))
