"""The engine on this machine's processor: MuJoCo's native batch, bit-identical at any number of threads and any width.

One control period is one native call. Held targets are written into the rows and stepped; targets that move within a period, and pushes,
go along as controls of every substep. Both ways call the same step at the same inputs, so one call of 100 periods, 100 calls of one and a
batch of a single simulation agree bit for bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from mujoco.batch import Batch, SimulationError
from numpy.typing import ArrayLike, NDArray

from surefoot.character.character import Character
from surefoot.character.quiet import quiet
from surefoot.errors import InputError
from surefoot.physics import crash
from surefoot.physics.crash import CTRL, CTRL_AND_FORCES
from surefoot.physics.engine import Rollout, Stop
from surefoot.physics.features.contact import Contacts
from surefoot.physics.features.observation import Observation
from surefoot.physics.layout import layout
from surefoot.physics.push import Push, schedule
from surefoot.physics.scene import Scene, compile_scene
from surefoot.physics.servos import servos
from surefoot.physics.variation import Variation, processors
from surefoot.physics.views import Views

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


class BatchEngine:
    """`num_simulations` simulations of one character in a scene, on `threads` threads (0: all this process may use).

    With `dump` set to a folder, the first simulation that diverges is written there (see `crash`).
    """

    def __init__(
        self, character: Character, num_simulations: int, threads: int = 0, scene: Scene | None = None, dump: str | Path | None = None
    ) -> None:
        if num_simulations < 1:
            raise InputError(f"an engine needs at least one simulation, got {num_simulations}.")
        if threads < 0:
            raise InputError(f"threads must be 0 (all) or more, got {threads}.")
        self.character = character
        self.scene = scene or Scene()
        self.model = compile_scene(character, self.scene)
        self.layout = layout(self.model)
        self.servos = servos(character)
        self.timestep = float(self.model.opt.timestep)
        self.num_simulations = num_simulations
        self.threads = threads or processors()
        self.batch = Batch(self.model, num_simulations, self.threads)
        self.batch.state[:] = self.layout.default
        self._variation = Variation(character, self.scene, num_simulations)
        self._views = Views(self._variation, self.model, self.layout, self.threads)
        self.physics_steps = 0
        """Substeps simulated so far, all simulations together."""
        self.dump = None if dump is None else Path(dump)
        self._warned = self.batch.warning[:, :, 1]
        ctrl = self.layout.ctrl
        self._driven = slice(ctrl.start, ctrl.start + self.servos.num)  # servos of props come after the character's
        self._calls: list[tuple[NDArray[np.int64] | None, Array, int, Array | None, int]] = []  # of this period, kept for a dump only

    @property
    def scenes(self) -> tuple[Scene, ...] | None:
        """The scene of every simulation (N), where they differ; None where all are in `scene`."""
        return self._variation.scenes

    @property
    def state(self) -> Array:
        """Rows (N, S), live."""
        return self.batch.state

    @property
    def qpos(self) -> Array:
        """Poses (N, nq), live."""
        return self.batch.state[:, self.layout.qpos]

    @property
    def qvel(self) -> Array:
        """Velocities (N, nv), live."""
        return self.batch.state[:, self.layout.qvel]

    @property
    def time(self) -> Array:
        """Each simulation's clock (N,) [s], live."""
        return self.batch.state[:, self.layout.time]

    @property
    def ok(self) -> Mask:
        """Simulations (N,) that did not diverge."""
        return np.isfinite(self.time)

    def rows(self, qpos: ArrayLike, qvel: ArrayLike | None = None, ctrl: ArrayLike | None = None, time: ArrayLike = 0.0) -> Array:
        """Fresh rows of the character's poses (..., nq), velocities (..., nv) and targets (..., nu); props stand where the scene puts them.

        They hold no warm start: put them into `state`, or observe them.
        """
        qpos = np.asarray(qpos, dtype=float)
        body = self.character.model
        full = [np.broadcast_to(self.layout.default[part], (*qpos.shape[:-1], part.stop - part.start)).copy() for part in self._parts]
        for array, value, width, name in zip(full, (qpos, qvel, ctrl), (body.nq, body.nv, body.nu), ("qpos", "qvel", "ctrl"), strict=True):
            if value is None:
                continue
            given = np.asarray(value, dtype=float)
            if given.shape[-1:] not in ((width,), array.shape[-1:]):
                raise InputError(f"{name} of '{self.character.name}' needs {width} numbers a row, got an array of shape {given.shape}.")
            array[..., : given.shape[-1]] = given
        return self.layout.rows(full[0], full[1], full[2], time)

    @property
    def _parts(self) -> tuple[slice, slice, slice]:
        return self.layout.qpos, self.layout.qvel, self.layout.ctrl

    def step(
        self,
        targets: ArrayLike | None = None,
        substeps: int = 1,
        *,
        linear: bool = False,
        ids: ArrayLike | None = None,
        pushes: Sequence[Push] = (),
    ) -> None:
        """One control period of `substeps`. `ids` are the simulations it runs (a mask or sorted indices); diverged ones never run.

        Targets (N, nu) or (nu,) are held, or reached linearly from the row's own at the end of the period; None keeps the row's own.
        """
        chosen = self._choose(ids)
        if substeps < 1 or (chosen is not None and not len(chosen)):
            return
        state, driven = self.batch.state, self._driven
        select: Any = slice(None) if chosen is None else chosen
        if targets is not None:
            targets = np.asarray(targets, dtype=float)
            if targets.shape not in ((self.servos.num,), (self.num_simulations, self.servos.num)):
                raise InputError(
                    f"targets are an array ({self.servos.num},) or ({self.num_simulations}, {self.servos.num}), got {targets.shape}."
                )
            if targets.ndim == 2 and chosen is not None:
                targets = targets[chosen]
        touched, forces = self._schedule(pushes, select, substeps)
        self._calls.clear()
        with quiet():
            if not linear or targets is None:
                if targets is not None:
                    state[select, driven] = targets
                if touched is None:
                    self._native(chosen, substeps, None, CTRL)
                else:
                    self._pushed(chosen, substeps, None, touched, forces)
            else:
                start = state[select, driven]
                control = np.repeat(state[select, self.layout.ctrl][:, None], substeps, axis=1)
                part = (np.arange(1, substeps + 1) / substeps)[:, None]
                way = np.broadcast_to(targets, start.shape) - start
                control[:, :, : self.servos.num] = start[:, None] + part * way[:, None]
                control[:, -1, : self.servos.num] = targets  # exactly
                if touched is None:
                    self._native(chosen, substeps, control, CTRL)
                else:
                    self._pushed(chosen, substeps, control, touched, forces)
        self.physics_steps += substeps * (self.num_simulations if chosen is None else len(chosen))
        self._mark_diverged()

    def rollout(
        self,
        targets: ArrayLike,
        substeps: int,
        *,
        linear: bool = False,
        ids: ArrayLike | None = None,
        pushes: Sequence[Push] = (),
        stop: Stop | None = None,
        record: bool = True,
    ) -> Rollout:
        """K control periods with targets (N, K, nu) or (K, nu). A simulation that diverges, or that `stop` names, costs nothing from there.

        `stop(k, state)` is called after every period with all rows (N, S) and returns a mask (N,).
        """
        targets = np.asarray(targets, dtype=float)
        num, periods = self.num_simulations, targets.shape[-2]
        chosen = self._choose(ids)
        begun = np.ones(num, dtype=bool)
        if chosen is not None:
            begun[:] = False
            begun[chosen] = True
        running, steps = begun.copy(), self.physics_steps
        completed = np.zeros(num, dtype=np.int64)
        states = np.full((num, periods if record else 1, self.layout.size), np.nan)
        for k in range(periods):
            if not running.any():
                break
            self.step(targets[..., k, :], substeps, linear=linear, ids=running, pushes=pushes)
            running &= self.ok
            completed[running] = k + 1
            states[running, k if record else 0] = self.batch.state[running]
            if stop is not None:
                running &= ~np.asarray(stop(k, self.batch.state), dtype=bool)
        if not record:
            states[~running] = np.nan
        return Rollout(states=states, ok=running, diverged=begun & ~self.ok, periods=completed, physics_steps=self.physics_steps - steps)

    def resample(self, parents: ArrayLike) -> None:
        """Simulation i continues from the state of simulation parents[i] (N,)."""
        self.batch.state[:] = np.take(self.batch.state, np.asarray(parents), axis=0)

    def observe(self, rows: ArrayLike | None = None, sims: ArrayLike | None = None) -> Observation:
        """Positions, rotations and sensors at rows (..., S), by default the current ones. Where simulations differ and rows (M, S) are of
        some of them only, `sims` (M,) says of which."""
        return self._views.observe(self.batch.state if rows is None else rows, sims)

    def contacts(self, rows: ArrayLike | None = None, sims: ArrayLike | None = None) -> Contacts:
        """Contact forces at rows (..., S), by default the current ones: those of the next substep's beginning. `sims` as for `observe`."""
        return self._views.contacts(self.batch.state if rows is None else rows, sims)

    def vary(self, field: str, values: ArrayLike) -> None:
        """Give a field of MuJoCo's model ("geom_friction", "body_mass", "opt.gravity", ...) its own value in every simulation (N, ...)."""
        self._variation.vary(field, values)
        self._variation.give(self.batch, field)
        self._views.changed(field)

    def set_scenes(self, scenes: Sequence[Scene]) -> None:
        """Give every simulation its own scene (N): other slopes, bumps, drops, frictions; as many obstacles and props of the same kinds."""
        self._variation.set_scenes(scenes)
        try:
            self._variation.give_all(self.batch)
        except InputError:
            self._variation.scenes = None
            raise
        self._views.changed()

    def _choose(self, ids: ArrayLike | None) -> NDArray[np.int64] | None:
        """Indices of the simulations to run, or None for all of them."""
        mask = self.ok
        if ids is not None:
            given = np.asarray(ids)
            asked = np.zeros(self.num_simulations, dtype=bool)
            asked[given] = True
            mask = mask & asked
        return None if mask.all() else np.flatnonzero(mask)

    def _schedule(self, pushes: Sequence[Push], select: Any, substeps: int) -> tuple[Mask | None, Array]:
        """Which of the selected simulations are pushed, or None when none is, and the forces on them."""
        nothing = np.zeros(0)
        if not pushes:
            return None, nothing
        bodies = [self._body(push.body) for push in pushes]
        only = [push.of(select) for push in pushes]
        touched, forces = schedule(only, bodies, self.time[select], substeps, self.timestep, self.model.nbody)
        return (touched, forces) if touched.any() else (None, nothing)

    def _body(self, name: str) -> int:
        """MuJoCo's index of a body of the character or of a prop's."""
        props = [prop.name for prop in self.scene.props]
        return int(self.model.body(name).id) if name in props else self.character.body(name)

    def _pushed(self, chosen: NDArray[np.int64] | None, substeps: int, control: Array | None, touched: Mask, forces: Array) -> None:
        """A period in which some simulations are pushed; the others run as ever."""
        ids = np.arange(self.num_simulations) if chosen is None else chosen
        hit, calm = ids[touched], ids[~touched]
        state, parts = self.batch.state, self.layout
        if control is None:
            mine = np.repeat(state[hit][:, None, parts.ctrl], substeps, axis=1)
        else:
            mine = control[touched]
        base = state[hit, parts.xfrc]
        total = base[:, None] + forces.reshape(len(hit), substeps, -1)
        self._native(hit, substeps, np.concatenate([mine, total], axis=-1), CTRL_AND_FORCES)
        state[hit, parts.xfrc] = base
        if len(calm):
            self._native(calm, substeps, None if control is None else control[~touched], CTRL)

    def _native(self, ids: NDArray[np.int64] | None, substeps: int, control: Array | None, spec: int) -> None:
        if self.dump is not None:
            rows = self.batch.state.copy() if ids is None else self.batch.state[ids]
            self._calls.append((ids, rows, substeps, control, spec))
        try:
            if control is None:
                self.batch.step(ids, substeps)
            else:
                self.batch.rollout(substeps, control, spec, record=(), ids=ids)
        except SimulationError as error:  # e.g. out of memory for contacts: as lost as a diverged one
            self.batch.state[error.ids] = np.nan
            if self.dump is not None and len(error.ids):
                self._write_crash(int(error.ids[0]))

    def _mark_diverged(self) -> None:
        """A warning means that MuJoCo reset or dropped something: such a row becomes NaN, so that it never looks still."""
        if not self._warned.any():
            return
        lost = self._warned.any(axis=1)
        self.batch.warning[...] = 0
        self.batch.state[lost] = np.nan
        if self.dump is not None:
            self._write_crash(int(np.flatnonzero(lost)[0]))

    def _write_crash(self, sim: int) -> None:
        for ids, rows, substeps, control, spec in self._calls:
            at = sim if ids is None else int(np.searchsorted(ids, sim))
            if ids is not None and (at == len(ids) or ids[at] != sim):
                continue
            row = rows[at]
            inputs = np.repeat(row[None, self.layout.ctrl], substeps, axis=0) if control is None else control[at]
            differs = self._variation
            kept = crash.Crash(
                xml=self.character.xml, scene=differs.scene_of(sim), varied=differs.fields_of(sim), row=row, control=inputs, spec=spec
            )
            assert self.dump is not None
            crash.write(self.dump, kept)
            self.dump = None  # the first one only
            return
