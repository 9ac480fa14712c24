"""How simulations of one engine differ: fields of the model, or whole scenes.

Fields (mass, friction, gravity, the tilt of the ground) are MuJoCo's own per-simulation values; scenes are models compiled one by one,
for what is no field, such as a height field. An engine uses one way or the other. The batches that observe differ alike.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

import mujoco
import numpy as np
from mujoco.batch import MODEL_FIELDS, Batch
from numpy.typing import ArrayLike, NDArray

from surefoot.character.character import Character
from surefoot.errors import InputError, unknown_name
from surefoot.physics.scene import Scene, compile_scene

Array = NDArray[np.float64]


class Variation:
    """What differs between simulations."""

    def __init__(self, character: Character, scene: Scene, num_simulations: int) -> None:
        self.character = character
        self.scene = scene
        self.num = num_simulations
        self.fields: dict[str, Array] = {}
        """(N, ...) each."""
        self.scenes: tuple[Scene, ...] | None = None

    def __bool__(self) -> bool:
        return bool(self.fields) or self.scenes is not None

    def vary(self, field: str, values: ArrayLike) -> None:
        """Note a field's values."""
        if self.scenes is not None:
            raise InputError(f"{field} cannot vary beside scenes that differ; put it into them, or vary fields alone.")
        if field not in MODEL_FIELDS:
            raise unknown_name("model field that may vary", field, sorted(MODEL_FIELDS))
        array = np.asarray(values)
        if array.shape[:1] != (self.num,):
            raise InputError(f"{field} needs a value for each of {self.num} simulations, got an array of shape {array.shape}.")
        self.fields[field] = np.array(array)

    def set_scenes(self, scenes: Sequence[Scene]) -> None:
        """Note the scenes."""
        if self.fields:
            raise InputError(f"scenes cannot differ beside fields that vary ({', '.join(self.fields)}).")
        if len(scenes) != self.num:
            raise InputError(f"{self.num} simulations need {self.num} scenes, got {len(scenes)}.")
        self.scenes = tuple(scenes)

    def give(self, batch: Batch, field: str) -> None:
        """Write one field into a batch."""
        live = batch.expand(field)
        try:
            live[...] = self.fields[field]
        except ValueError:
            raise InputError(f"{field} needs an array of shape {live.shape}, got {self.fields[field].shape}.") from None
        if field.startswith("opt.") or field in mujoco.MjModel._setconst_inputs:
            batch.set_const()

    def give_all(self, batch: Batch, compiled: Callable[[Scene], mujoco.MjModel] | None = None) -> None:
        """Write everything that differs into a batch; `compiled` makes the model of a scene."""
        for field in self.fields:
            self.give(batch, field)
        if self.scenes is None:
            return
        make = compiled or (lambda scene: compile_scene(self.character, scene))
        models = {scene: make(scene) for scene in dict.fromkeys(self.scenes)}
        try:
            batch.set_models([models[scene] for scene in self.scenes])
        except (ValueError, mujoco.FatalError) as error:
            raise InputError(f"these scenes differ in more than their numbers: {error}.") from None

    def scene_of(self, sim: int) -> Scene:
        """The scene of one simulation."""
        return self.scene if self.scenes is None else self.scenes[sim]

    def fields_of(self, sim: int) -> dict[str, Array]:
        """The values of one simulation."""
        return {name: values[sim] for name, values in self.fields.items()}


def processors() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
