"""Which joints an action turns, and how widely: derived from the body.

    a ~ N(mean, diag(window^2)),        offset of joint j = S a

Waist, legs and shoulders are sampled; Simulation for Control (3.1) takes waist, hips and knees of a body that has no arms to fall on.
A chain of n joints that bends as one (the spine below the arms, a tail) shares the window: each takes window / sqrt(n).
d numbers an action, nu targets.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.character.character import Character
from surefoot.motion.anatomy import Anatomy, anatomy
from surefoot.motion.skeleton import read_only
from surefoot.physics.servos import Servos

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, kw_only=True)
class Actions:
    """The sampled part of the targets."""

    columns: NDArray[np.int64]  # (d,)
    """Targets that an action turns."""
    share: Array  # (d,)
    """Part of the window that each takes."""
    num_targets: int
    """nu"""
    joints: tuple[str, ...]
    """Bodies whose joints are sampled."""

    @property
    def size(self) -> int:
        """d"""
        return len(self.columns)

    def offsets(self, actions: Array) -> Array:
        """Turns of all targets (..., nu) by actions (..., d)."""
        out = np.zeros((*actions.shape[:-1], self.num_targets))
        out[..., self.columns] = actions
        return out


def actions(character: Character, servos: Servos, *, arms: float = 1.0, elbows: float = 0.5, toes: float = 0.0) -> Actions:
    """What to sample of a character. `arms`, `elbows` and `toes` are the parts of the window that these take."""
    names, body = character.skeleton.names, anatomy(character.skeleton)
    share: dict[int, float] = {}
    for chain in (waist(character, body), body.tail):
        driven = [j for j in chain if names[j] in servos.names]
        share.update({j: len(driven) ** -0.5 for j in driven})
    for leg, foot in zip(body.legs, body.feet, strict=False):
        last = leg.index(foot) if foot in leg else len(leg) - 1
        share.update({j: 1.0 if n <= last else toes for n, j in enumerate(leg)})
    for arm in body.arms:
        upper = [j for j in arm[:-1] if names[j] in servos.names] or list(arm[:1])
        bent = upper[-1:] if len(upper) > 1 else []  # the elbow
        shoulder = [j for j in upper if j not in bent]
        if not bent and len(arm) > 1:
            bent = list(arm[1:2])
        share.update({j: arms * len(shoulder) ** -0.5 for j in shoulder})
        share.update(dict.fromkeys(bent, elbows))
    if not share:  # a body that nothing is known of: all joints alike
        share = {j: 1.0 for j, parent in enumerate(character.skeleton.parents) if parent >= 0}
    columns, part = [], []
    for c, name in enumerate(servos.names):
        found = share.get(names.index(name), 0.0)
        if found > 0.0:
            columns.append(c)
            part.append(found)
    taken = {servos.names[c] for c in columns}
    return Actions(
        columns=np.array(columns, dtype=np.int64),
        share=read_only(np.array(part)),
        num_targets=servos.num,
        joints=tuple(name for name in names if name in taken),
    )


def waist(character: Character, body: Anatomy) -> tuple[int, ...]:
    """The joints of the spine (not the root) from the trunk up to where the arms hang; all below the head without arms."""
    parents = character.skeleton.parents
    spine = body.spine
    carriers = [spine.index(int(parents[arm[0]])) for arm in body.arms if int(parents[arm[0]]) in spine]
    end = max(carriers) + 1 if carriers else max(len(spine) - 1, 1)
    return tuple(j for j in spine[:end] if parents[j] >= 0)


def carrying(character: Character) -> NDArray[np.bool_]:
    """Which bodies (B,) the cost's pose term takes more seriously: spine below the arms, and legs."""
    body = anatomy(character.skeleton)
    out = np.zeros(len(character.skeleton.names), dtype=bool)
    out[list(waist(character, body))] = True
    for leg in body.legs:
        out[list(leg)] = True
    return out
