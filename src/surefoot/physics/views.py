"""What an engine shows of its simulations: the observers, made when they are first asked, with models that differ as the engine's do."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
from mujoco.batch import Batch
from numpy.typing import ArrayLike, NDArray

from surefoot.character.quiet import quiet
from surefoot.errors import InputError
from surefoot.physics.features.contact import ContactObserver, Contacts, add_contact_sensors
from surefoot.physics.features.observation import Observation, Observer, without_forces
from surefoot.physics.layout import Layout
from surefoot.physics.scene import Scene, compile_scene, scene_spec
from surefoot.physics.variation import Variation

Array = NDArray[np.float64]


class Views:
    """Observations and contacts of rows of one engine."""

    def __init__(self, variation: Variation, model: mujoco.MjModel, layout: Layout, threads: int) -> None:
        self._variation = variation
        self._model = model
        self._layout = layout
        self._threads = threads
        self._observer: Observer | None = None
        self._feeler: ContactObserver | None = None

    def observe(self, rows: ArrayLike, sims: ArrayLike | None = None) -> Observation:
        """Positions, rotations and sensors at rows (..., S), of simulations `sims` (M,) where there are rows (M, S) of some only."""
        if self._observer is None:
            bodies = len(self._variation.character.skeleton.names)
            self._observer = Observer(Batch(without_forces(self._model), self._variation.num, self._threads), self._layout, bodies)
            self._variation.give_all(self._observer.batch, self._still)
        return Observation(**self._of(self._observer, rows, sims))

    def contacts(self, rows: ArrayLike, sims: ArrayLike | None = None) -> Contacts:
        """Contact forces at rows (..., S); `sims` as above."""
        if self._feeler is None:
            names = self._variation.character.skeleton.names
            batch = Batch(self._feeling(self._variation.scene), self._variation.num, self._threads)
            self._feeler = ContactObserver(batch, self._layout, len(names))
            self._variation.give_all(self._feeler.batch, self._feeling)
        with quiet():
            return Contacts(**self._of(self._feeler, rows, sims))

    def changed(self, field: str | None = None) -> None:
        """Simulations differ otherwise than before, in one field or in their scenes."""
        for user, compiled in ((self._observer, self._still), (self._feeler, self._feeling)):
            if user is not None and field is not None:
                self._variation.give(user.batch, field)
            elif user is not None:
                self._variation.give_all(user.batch, compiled)

    def _still(self, scene: Scene) -> mujoco.MjModel:
        return without_forces(compile_scene(self._variation.character, scene))

    def _feeling(self, scene: Scene) -> mujoco.MjModel:
        spec = scene_spec(self._variation.character, scene)
        add_contact_sensors(spec, self._variation.character.skeleton.names)
        return spec.compile()

    def _of(self, observer: Observer | ContactObserver, given: ArrayLike, sims: ArrayLike | None) -> dict[str, Any]:
        if sims is None or not self._variation:
            return self._in_parts(observer, given)
        rows, chosen = np.asarray(given, dtype=float), np.asarray(sims)
        everyone = np.full((self._variation.num, self._layout.size), np.nan)  # rows of NaN cost nothing
        everyone[chosen] = rows
        return {name: array[chosen] for name, array in self._in_parts(observer, everyone).items()}

    def _in_parts(self, observer: Observer | ContactObserver, given: ArrayLike) -> dict[str, Any]:
        """What an observer sees of rows (..., S), as many at a time as there are simulations.

        Rows (N, ..., S) of an engine whose simulations differ are seen by the simulation they came from.
        """
        rows = np.asarray(given, dtype=float)
        if rows.shape[-1:] != (self._layout.size,):
            raise InputError(f"a row of this engine has {self._layout.size} numbers, got an array of shape {rows.shape}.")
        width, lead = self._variation.num, rows.shape[:-1]
        moved = bool(self._variation) and len(lead) > 1
        if moved:
            rows = np.moveaxis(rows, 0, -2)
        flat = rows.reshape(-1, self._layout.size)
        if len(lead) == 1 and len(flat) <= width:
            return vars(observer(flat))
        parts = [vars(observer(flat[i : i + width])) for i in range(0, max(len(flat), 1), width)]
        out = {}
        for name in parts[0]:
            joined = np.concatenate([part[name] for part in parts])
            joined = joined.reshape(*rows.shape[:-1], *joined.shape[1:])
            out[name] = np.moveaxis(joined, len(lead) - 1, 0) if moved else joined
        return out
