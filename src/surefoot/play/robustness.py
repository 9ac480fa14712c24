"""How robust a skill is: who stands where the world, the body or the senses are not those that it was learned with (see `trials`)?

Every row is played from perturbed starts at all phases, as `evaluate` perturbs them, over the origin and turned to travel along x; the same
rule says who has fallen. Rows that share a model run side by side in one engine; scene, masses, delay and noise are each simulation's own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from surefoot.motion import quaternion
from surefoot.physics.batch import BatchEngine
from surefoot.physics.features import anatomy, facing
from surefoot.physics.manifold import integrate
from surefoot.play.trials import RobustnessConfig, Row, Trial, travels, trials
from surefoot.policy import ground
from surefoot.policy.fall import FallRule
from surefoot.policy.perform import enter
from surefoot.policy.policy import Policy, checked, substeps
from surefoot.policy.reference import Reference
from surefoot.policy.states import States

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

PLACE, ANGLE = 0.01, math.radians(1.0)
"""Noise 1: standard deviations of places [m] and angles [rad]; velocities are off as those of perturbed starts are."""


def robustness(
    policy: Policy,
    reference: Reference,
    starts: Reference,
    config: RobustnessConfig,
    spread: Array,
    *,
    hold: float,
    seed: np.random.SeedSequence,
    threads: int = 0,
    progress: Callable[[str], None] | None = None,
) -> tuple[list[Row], int]:
    """The table, and the physics steps that it took. `spread` (nv,) are the deviations of velocities at the start."""
    asked = trials(policy, starts, config)
    say = progress or (lambda text: None)
    plane = [t for t in asked if t.kind in ("slope", "friction")]
    others = [t for t in asked if t.kind not in ("slope", "friction", "step")]
    up, down = ([t for t in asked if t.kind == "step" and t.value * sign > 0.0] for sign in (1.0, -1.0))
    groups = [group for group in (plane, up, down, others) if group]
    found: dict[Trial, Row] = {}
    steps = 0
    for n, (group, child) in enumerate(zip(groups, seed.spawn(len(groups)), strict=True)):
        titles = ", ".join(dict.fromkeys(t.kind for t in group))
        work = _Group(policy, reference, starts, group, config, spread, hold, np.random.default_rng(child), threads)
        for done in work.play():
            say(f"robustness {n + 1} of {len(groups)}: {titles}, {done:.0f} s")
        found |= {row.trial: row for row in work.rows()}
        steps += work.engine.physics_steps
    return [found[t] for t in asked], steps


class _Group:
    """Trials side by side in one engine."""

    def __init__(
        self,
        policy: Policy,
        reference: Reference,
        starts: Reference,
        group: Sequence[Trial],
        config: RobustnessConfig,
        spread: Array,
        hold: float,
        rng: np.random.Generator,
        threads: int,
    ) -> None:
        self.policy, self.trials, self.num = policy, group, config.episodes
        self.rng, self.spread = rng, spread
        character, num = starts.character, config.episodes
        total = num * len(group)
        self.engine = BatchEngine(character, total, threads, group[0].scene)
        self.row = np.repeat(np.arange(len(group)), num)
        if any(t.scene != group[0].scene for t in group):
            self.engine.set_scenes([group[r].scene for r in self.row.tolist()])
        if any(t.mass != 1.0 for t in group):
            factor = np.array([group[r].mass for r in self.row.tolist()])
            model = self.engine.model
            self.engine.vary("body_mass", factor[:, None] * model.body_mass)
            self.engine.vary("body_inertia", factor[:, None, None] * model.body_inertia)
        self.rules = [FallRule(reference, t.scene) for t in group]
        self.body = anatomy(character)
        self.turn = np.array([group[r].turn for r in self.row.tolist()])
        self.substeps = substeps(policy, self.engine.timestep)
        self.late = np.array([round(group[r].delay / self.engine.timestep) for r in self.row.tolist()])
        self.noise = np.array([group[r].noise for r in self.row.tolist()])
        phase = starts.duration * (np.arange(num) + rng.uniform(0.0, 1.0, num)) / num
        phase = policy.period * np.floor(phase / policy.period)
        qpos, qvel = level(starts, phase)
        qvel = qvel + spread * rng.standard_normal(qvel.shape)
        self.begun = np.tile(phase, len(group))
        qpos, qvel = np.tile(qpos, (len(group), 1)), np.tile(qvel, (len(group), 1))
        for r, t in enumerate(group):
            mine = self.row == r
            gaps = ground.gaps(ground.surface(character), t.scene, *character.world(qpos[mine]))
            qpos[mine, 2] += np.maximum(0.0, -gaps.min(axis=-1, initial=np.inf))
        enter(self.engine, policy, self.begun, qpos, qvel)
        lasting = np.full(total, config.seconds) if starts.cycle else starts.duration - self.begun + hold
        self.periods = np.ceil(lasting / policy.period - 1e-9).astype(np.int64)
        self.completed, self.standing = np.zeros(total, dtype=np.int64), np.zeros(total, dtype=bool)
        self.turned = np.zeros(total)

    def play(self) -> Iterator[float]:
        """Play all to their ends; tells the seconds done, one by one."""
        policy, engine, period = self.policy, self.engine, self.policy.period
        x = States(engine, np.array(engine.state), self.body)
        memory = policy.start(self.begun, x)
        sims = np.flatnonzero(engine.ok)
        past = [np.array(engine.state)]  # rows after every step, the newest last
        heading = _heading(x)
        for k in range(int(self.periods.max())):
            if not len(sims):
                return
            if "turn" in memory:
                memory = {**memory, "turn": self.turn[sims]}
            answer, memory = policy.act(self.begun[sims] + k * period, self._seen(past, sims), memory)
            targets = np.zeros((len(self.row), engine.servos.num))
            targets[sims] = checked(policy, answer, len(sims), engine.servos.num)
            speechless = sims[~np.isfinite(targets[sims]).all(axis=-1)]
            engine.state[speechless] = np.nan
            past = self._step(targets, sims, past)
            lives = engine.ok[sims]
            x = States(engine, engine.state[sims], self.body, sims)
            self.completed[sims[lives]] = k + 1
            now = _heading(x)
            self.turned[sims] += (now - heading[sims] + np.pi) % (2.0 * np.pi) - np.pi
            heading[sims] = now
            fell = self._fell(x, memory.get("time", self.begun[sims] + (k + 1) * period), sims) | ~lives
            ended = self.periods[sims] <= k + 1
            self.standing[sims[ended & ~fell]] = True
            going = ~(fell | ended)
            memory, sims = {name: array[going] for name, array in memory.items()}, sims[going]
            if (k + 1) % max(round(1.0 / period), 1) == 0:
                yield (k + 1) * period

    def _step(self, targets: Array, sims: NDArray[np.int64], past: list[Array]) -> list[Array]:
        """One control period; rows after every step where somebody sees late."""
        engine, longest = self.engine, int(self.late.max())
        if not longest:
            engine.step(targets, self.substeps, linear=self.policy.linear, ids=sims)
            return [np.array(engine.state)]
        first = engine.layout.ctrl.start
        held = np.array(engine.state[:, first : first + engine.servos.num])
        for i in range(1, self.substeps + 1):
            part = targets if i == self.substeps or not self.policy.linear else held + i / self.substeps * (targets - held)
            engine.step(part, 1, ids=sims)
            past.append(np.array(engine.state))
        return past[-1 - longest :]

    def _seen(self, past: list[Array], sims: NDArray[np.int64]) -> States:
        """What the policy is shown of simulations `sims`."""
        rows = np.array(past[-1][sims])
        for late in np.unique(self.late[sims]).tolist():
            mine = self.late[sims] == late
            rows[mine] = past[max(len(past) - 1 - late, 0)][sims[mine]]
        if self.noise.any():
            model, layout = self.engine.character.model, self.engine.layout
            z = self.rng.standard_normal((len(self.row), 2, model.nv))[sims] * self.noise[sims, None, None]
            off = np.full(model.nv, ANGLE)
            off[:3] = PLACE
            q, v = slice(layout.qpos.start, layout.qpos.start + model.nq), slice(layout.qvel.start, layout.qvel.start + model.nv)
            noisy = self.noise[sims] > 0.0
            rows[noisy, q] = integrate(model, rows[noisy, q], off * z[noisy, 0])
            rows[noisy, v] += self.spread * z[noisy, 1]
        return States(self.engine, rows, self.body, sims)

    def _fell(self, x: States, t: Array, sims: NDArray[np.int64]) -> Mask:
        out = np.zeros(len(sims), dtype=bool)
        position, rotation = np.asarray(x.seen.position), np.asarray(x.seen.rotation)
        for r, rule in enumerate(self.rules):
            mine = self.row[sims] == r
            if mine.any():
                out[mine] = rule.fell(position[mine], rotation[mine], np.asarray(t)[mine])
        return out

    def rows(self) -> list[Row]:
        """What was found."""
        out = []
        for r, trial in enumerate(self.trials):
            mine = self.row == r
            standing, survived = self.standing[mine], self.completed[mine] * self.policy.period
            rate = math.nan
            if trial.kind == "turn" and standing.any():
                rate = float(np.degrees(np.median(self.turned[mine][standing] / survived[standing])))
            out.append(Row(trial=trial, survived=np.asarray(survived, dtype=np.float64), standing=standing, rate=rate))
        return out


def level(starts: Reference, phase: Array) -> tuple[Array, Array]:
    """Poses (N, nq) and velocities (N, nv) at times (N,), over the origin, turned so that the skill travels, or else faces, along x."""
    qpos, qvel = starts.at(phase), starts.velocity_at(phase)
    way = np.asarray(starts.qpos)[[0, -1], :2]
    along = way[1] - way[0]
    if travels(starts) < 0.1:
        body, turns = anatomy(starts.character), np.asarray(starts.qpos)[:1, 3:7]
        cosine, sine = facing.heading(body.front(turns))
        along = np.array([cosine[0], sine[0]])
    turn = quaternion.about([0.0, 0.0, 1.0], -math.atan2(along[1], along[0]))
    qpos, qvel = np.array(qpos), np.array(qvel)
    qpos[:, :2] = 0.0
    qpos[:, 3:7] = quaternion.multiply(turn, qpos[:, 3:7])
    qvel[:, :3] = quaternion.rotate(turn, qvel[:, :3])
    return qpos, qvel


def _heading(x: States) -> Array:
    cosine, sine = facing.heading(x.body.front(np.asarray(x.seen.rotation)[:, 0]))
    return np.arctan2(sine, cosine)
