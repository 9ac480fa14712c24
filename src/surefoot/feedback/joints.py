"""The joints that carry a character: what the paper's feedback turns.

Simulation for Control, 3.1, takes the waist, the hips and the knees of a person: the trunk's own joints, and every joint of a leg above the
one that stands. A body without legs (a snake, a fish) is carried by all its joints.
"""

from __future__ import annotations

import numpy as np

from surefoot.character.character import Character
from surefoot.motion.anatomy import anatomy
from surefoot.motion.skeleton import read_only
from surefoot.physics.servos import Servos
from surefoot.reconstruct.actions import Actions, waist


def carriers(character: Character, servos: Servos) -> Actions:
    """Waist, hips and knees. A spine of n joints shares its turn."""
    names, body = character.skeleton.names, anatomy(character.skeleton)
    share: dict[int, float] = {}
    spine = [j for j in waist(character, body) if names[j] in servos.names]
    share.update({j: len(spine) ** -0.5 for j in spine})
    for leg, foot in zip(body.legs, body.feet, strict=False):
        last = leg.index(foot) if foot in leg else len(leg)
        share.update(dict.fromkeys(leg[:last], 1.0))
    if not share:
        share = {j: 1.0 for j, parent in enumerate(character.skeleton.parents) if parent >= 0}
    columns = [c for c, name in enumerate(servos.names) if names.index(name) in share]
    taken = {servos.names[c] for c in columns}
    return Actions(
        columns=np.array(columns, dtype=np.int64),
        share=read_only(np.array([share[names.index(servos.names[c])] for c in columns])),
        num_targets=servos.num,
        joints=tuple(name for name in names if name in taken),
    )
