"""The falling rule, for skills that may drift:

    fallen  =  a guarded body touches the ground   or   root height < half the reference's

Guarded are the bodies all of whose shapes stay more than 5 cm (scaled with height / 1.7 m) above the ground throughout the reference; feet
never are. Heights are above the ground below, the reference's above its own. N simulations, T moments, G shapes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.physics.scene import Scene
from surefoot.policy import ground
from surefoot.policy.reference import Reference
from surefoot.policy.states import States

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

CLEAR = 0.05
"""[m], for a character of 1.7 m."""
LOW = 0.5
"""Part of the reference's root height."""


def guarded(gaps: Array, body: NDArray[np.int64], feet: Mask, scale: float = 1.0) -> Mask:
    """Which shapes (G,) must not touch the ground: gaps (T, G) of the reference, the body of each shape (G,), which are feet's (G,)."""
    near = ~(gaps > CLEAR * scale).all(axis=0)
    return ~feet & ~np.isin(body, body[near])


def fallen(gaps: Array, root: Array, reference_root: Array, touch: float = 0.0) -> Mask:
    """Who has fallen (...): gaps (..., G) of guarded shapes, root heights (...), the reference's (...). Lost simulations (NaN) have."""
    return np.asarray((gaps <= touch).any(axis=-1) | ~(root >= LOW * reference_root))


class FallRule:
    """The rule for one reference, with what it needs of it computed once."""

    def __init__(self, reference: Reference, scene: Scene | None = None) -> None:
        """`scene` is where the simulations are; the reference knows its own."""
        character = reference.character
        self.reference = reference
        self.scene = scene or Scene()
        shapes, size = ground.surface(character), ground.size(character)
        self.touch = ground.touching(self.scene, size)
        position, rotation = character.world(np.asarray(reference.qpos))
        feet = np.array([character.skeleton.names[int(b)] in character.feet for b in shapes.body], dtype=bool)
        self.guard = shapes[guarded(ground.gaps(shapes, reference.scene, position, rotation), shapes.body, feet, size)]
        """Shapes that must not touch the ground."""
        self._heights = position[:, 0, 2] - ground.height(reference.scene, position[:, 0])

    def reference_root(self, t: Any) -> Array:
        """Root heights (N,) of the reference above its ground at times t (N,)."""
        mine = self.reference
        t = np.asarray(t, dtype=float)
        if mine.cycle:
            t = np.mod(t, mine.duration)
        return np.interp(t, np.arange(len(self._heights)) * mine.frame_time, self._heights)

    def __call__(self, x: States, t: Any) -> Mask:
        """Who has fallen (N,), at times t (N,) of the reference."""
        return self.fell(x.seen.position, x.seen.rotation, t)

    def fell(self, position: Array, rotation: Array, t: Any) -> Mask:
        """The same of bodies at positions (N, B, 3) with rotations (N, B, 4)."""
        root = position[..., 0, 2] - ground.height(self.scene, position[..., 0, :])
        return fallen(ground.gaps(self.guard, self.scene, position, rotation), root, self.reference_root(t), self.touch)

    def why(self, x: States, t: Any, row: int = 0) -> str:
        """In what way a simulation has fallen, in a few words; empty where it has not."""
        position, rotation = x.seen.position[row], x.seen.rotation[row]
        if not np.isfinite(position).all():
            return "the simulation diverged"
        low = ground.gaps(self.guard, self.scene, position, rotation)
        names = x.character.skeleton.names
        hit = dict.fromkeys(names[int(self.guard.body[g])] for g in np.flatnonzero(low <= self.touch))
        if hit:
            return f"{' and '.join(list(hit)[:3])} touched the ground"
        root = float(position[0, 2] - ground.height(self.scene, position[0]))
        wanted = float(np.atleast_1d(self.reference_root(np.atleast_1d(t)))[min(row, np.size(t) - 1)])
        return f"the root sank to {root:.2f} m, under half of {wanted:.2f} m" if root < LOW * wanted else ""
