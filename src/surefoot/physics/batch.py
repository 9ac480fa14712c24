"""The engine on this machine's processor: MuJoCo's native batch, bit-identical at any number of threads and any width.

One control period is one native call. Held targets are written into the rows and stepped; targets that move within a period, and pushes,
go along as controls of every substep. Both ways call the same step at the same inputs, so one call of 100 periods, 100 calls of one and a
batch of a single simulation agree bit for bit.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from mujoco.batch import Batch, SimulationError
from numpy.typing import ArrayLike, NDArray

from surefoot.character.character import Character
from surefoot.errors import InputError, unknown_name
from surefoot.physics import crash
from surefoot.physics.engine import Rollout, Stop
from surefoot.physics.features.contact import ContactObserver, Contacts
from surefoot.physics.features.observation import Observation, Observer
from surefoot.physics.layout import layout
from surefoot.physics.push import Push, schedule
from surefoot.physics.quiet import quiet
from surefoot.physics.scene import Scene, compile_scene, scene_spec
from surefoot.physics.servos import servos

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

CTRL = int(mujoco.mjtState.mjSTATE_CTRL)
CTRL_AND_FORCES = CTRL | int(mujoco.mjtState.mjSTATE_XFRC_APPLIED)


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
        self.varied: dict[str, Array] = {}
        self.physics_steps = 0
        """Substeps simulated so far, all simulations together."""
        self.dump = None if dump is None else Path(dump)
        self._warned = self.batch.warning[:, :, 1]
        ctrl = self.layout.ctrl
        self._driven = slice(ctrl.start, ctrl.start + self.servos.num)  # servos of props come after the character's
        self._observer: Observer | None = None
        self._feeler: ContactObserver | None = None
        self._calls: list[tuple[NDArray[np.int64] | None, Array, int, Array | None, int]] = []  # of this period, kept for a dump only

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

    def observe(self, rows: Array | None = None) -> Observation:
        """Positions, rotations and sensors at rows (..., S), by default the current ones."""
        if self._observer is None:
            num = len(self.character.skeleton.names)
            self._observer = Observer(self.model, self.layout, num, self.num_simulations, self.threads)
            self._expand_all(self._observer.batch)
        if rows is None:
            return self._observer(self.batch.state)
        return Observation(**self._in_parts(self._observer, np.asarray(rows, dtype=float)))

    def contacts(self, rows: Array | None = None) -> Contacts:
        """Contact forces at rows (..., S), by default the current ones: those of the next substep's beginning."""
        if self._feeler is None:
            spec = scene_spec(self.character, self.scene)
            self._feeler = ContactObserver(spec, self.layout, self.character.skeleton.names, self.num_simulations, self.threads)
            self._expand_all(self._feeler.batch)
        with quiet():
            if rows is None:
                return self._feeler(self.batch.state)
            return Contacts(**self._in_parts(self._feeler, np.asarray(rows, dtype=float)))

    def _in_parts(self, observer: Observer | ContactObserver, rows: Array) -> dict[str, Array]:
        """What an observer sees of rows (..., S), as many at a time as there are simulations.

        Rows (N, ..., S) of an engine whose simulations differ are seen by the simulation they came from.
        """
        width, lead = self.num_simulations, rows.shape[:-1]
        moved = bool(self.varied) and len(lead) > 1
        if moved:
            rows = np.moveaxis(rows, 0, -2)
        flat = rows.reshape(-1, self.layout.size)
        parts = [observer(flat[i : i + width]) for i in range(0, len(flat), width)]
        out = {}
        for name in vars(parts[0]):
            joined = np.concatenate([getattr(part, name) for part in parts])
            joined = joined.reshape(*rows.shape[:-1], *joined.shape[1:])
            out[name] = np.moveaxis(joined, len(lead) - 1, 0) if moved else joined
        return out

    def vary(self, field: str, values: ArrayLike) -> None:
        """Give a field of MuJoCo's model ("geom_friction", "body_mass", "opt.gravity", ...) its own value in every simulation (N, ...)."""
        if field not in mujoco.batch.MODEL_FIELDS:
            raise unknown_name("model field that may vary", field, sorted(mujoco.batch.MODEL_FIELDS))
        values = np.asarray(values)
        if values.shape[:1] != (self.num_simulations,):
            raise InputError(f"{field} needs a value for each of {self.num_simulations} simulations, got an array of shape {values.shape}.")
        self.varied[field] = np.array(values)
        for user in (self, self._observer, self._feeler):
            if user is not None:
                self._expand(user.batch, field)

    def _expand_all(self, batch: Batch) -> None:
        for field in self.varied:
            self._expand(batch, field)

    def _expand(self, batch: Batch, field: str) -> None:
        live = batch.expand(field)
        try:
            live[...] = self.varied[field]
        except ValueError:
            raise InputError(f"{field} needs an array of shape {live.shape}, got {self.varied[field].shape}.") from None
        if field.startswith("opt.") or field in mujoco.MjModel._setconst_inputs:
            batch.set_const()

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
        bodies = [self.character.body(push.body) for push in pushes]
        only = [_select(push, select) for push in pushes]
        touched, forces = schedule(only, bodies, self.time[select], substeps, self.timestep, self.model.nbody)
        return (touched, forces) if touched.any() else (None, nothing)

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
            varied = {name: values[sim] for name, values in self.varied.items()}
            assert self.dump is not None
            crash.write(self.dump, crash.Crash(xml=self.character.xml, scene=self.scene, varied=varied, row=row, control=inputs, spec=spec))
            self.dump = None  # the first one only
            return


def processors() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _select(push: Push, chosen: Any) -> Push:
    """The push on some of the simulations."""

    def part(value: ArrayLike, ndim: int) -> ArrayLike:
        array = np.asarray(value, dtype=float)
        return array[chosen] if array.ndim == ndim else array

    return Push(body=push.body, force=part(push.force, 2), start=part(push.start, 1), duration=push.duration, torque=part(push.torque, 2))
