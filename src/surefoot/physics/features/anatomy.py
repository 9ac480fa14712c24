"""What the features must know about a body: where its front is, which bodies are its feet and hands, what mirrors what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.character.character import Character
from surefoot.motion import quaternion

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, kw_only=True)
class Foot:
    """Bodies that form one foot."""

    name: str
    bodies: tuple[int, ...]
    """Indices of skeleton joints."""
    weights: tuple[float, ...]
    """Shares of the foot's mass; they sum to one."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Anatomy:
    """Indices are those of the character's skeleton (its bodies in MuJoCo's order, the root first)."""

    to_front: Array  # (4,)
    """A frame with x forward and z up, in the root body's frame."""
    feet: tuple[Foot, ...]
    """Left before right where they come in pairs."""
    ends: tuple[int, ...]
    """End effectors."""
    partners: tuple[int, ...]
    """Mirror partner of every body."""
    foot_partners: tuple[int, ...]
    """Mirror partner of every foot."""
    end_partners: tuple[int, ...]

    def front(self, rotation: Any) -> Any:
        """Rotations (..., 4) of the front frame, given the root's. Arrays of any library."""
        from surefoot.physics.features.algebra import array_namespace, like, multiply

        xp = array_namespace(rotation)
        return multiply(rotation, like(self.to_front, rotation) + xp.zeros_like(rotation))


def anatomy(character: Character) -> Anatomy:
    """The anatomy of a character."""
    skeleton = character.skeleton
    names = skeleton.names
    partners = tuple(names.index(character.partners.get(name, name)) for name in names)
    left = np.cross(character.up, character.forward)
    axes = np.stack([character.forward, left, character.up], axis=-1)
    to_front = quaternion.from_matrix(axes)
    rest = skeleton.rest[0]
    across = quaternion.rotate(skeleton.rest[1][0], left)
    masses = character.model.body_mass[character.body_ids]
    groups: dict[int, list[int]] = {}
    for name in character.feet:  # bodies of a foot hang together
        joint = names.index(name)
        top = joint
        while skeleton.parents[top] >= 0 and names[int(skeleton.parents[top])] in character.feet:
            top = int(skeleton.parents[top])
        groups.setdefault(top, []).append(joint)
    feet = []
    # From the front to the back (to a decimetre, so that pairs stay together), left before right.
    ahead = quaternion.rotate(skeleton.rest[1][0], character.forward)
    order = sorted(groups, key=lambda top: (-round(float(rest[top] @ ahead) / (0.1 * character.height)), -float(rest[top] @ across)))
    for top in order:
        mass = np.array([masses[j] for j in groups[top]])
        feet.append(Foot(name=names[top], bodies=tuple(groups[top]), weights=tuple(float(m) for m in mass / mass.sum())))
    foot_names = [foot.bodies[0] for foot in feet]
    ends = tuple(names.index(name) for name in character.end_effectors)

    def partner_of(index: int, among: list[int]) -> int:
        return among.index(partners[index]) if partners[index] in among else among.index(index)

    return Anatomy(
        to_front=to_front,
        feet=tuple(feet),
        ends=ends,
        partners=partners,
        foot_partners=tuple(partner_of(j, foot_names) for j in foot_names),
        end_partners=tuple(partner_of(j, list(ends)) for j in ends),
    )
