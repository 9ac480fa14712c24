"""The player: characters live in one world, each under its policy.

    each control period:   x -> policy -> targets -> engine -> x        requests are carried out between two periods

One character is a batch of one, so it moves bit for bit as it would among thousands. Several share one model (see `world`) and can collide;
where their control periods differ, the world goes on in the longest step that divides them all. However finely `advance` is called, the
states at the ends of periods are the same bits.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.character.character import Character
from surefoot.errors import InputError, unknown_name
from surefoot.physics.batch import BatchEngine
from surefoot.physics.features import anatomy
from surefoot.physics.push import Push, trunk
from surefoot.physics.scene import MAX_THINGS, Ball, Scene
from surefoot.play.actor import Actor, Role, beginning, placed
from surefoot.play.recording import Recording, period
from surefoot.play.world import compose
from surefoot.policy.fall import FallRule
from surefoot.policy.policy import Policy, checked, remembered, substeps
from surefoot.policy.reference import Reference
from surefoot.policy.states import States

Array = NDArray[np.float64]

WATCH = 0.1
"""Falls are looked for this often [s]."""
MOST_TURN = 10.0
"""Turn rates that may be asked for [rad/s]."""
FARTHEST = 1000.0
"""A ball is thrown from at most this far away, along each axis [m]."""
PARKED = 30.0
"""Balls that nobody has thrown yet lie this far to the left [m]."""


class Player:
    """One character under a policy, or several (`Player.of`). `recording()` gives what was played so far."""

    def __init__(
        self,
        character: Character,
        policy: Policy,
        reference: Reference | None = None,
        *,
        starts: Reference | None = None,
        scene: Scene | None = None,
        time: float = 0.0,
        balls: int = 0,
        record: bool = True,
    ) -> None:
        """Begin at the reference's pose at `time`, or that of `starts`, poses that the policy really passes through, or at rest; `balls`
        lie ready to be thrown."""
        role = Role(character=character, policy=policy, reference=reference, starts=starts, time=time)
        self._open({character.name: role}, scene, balls, record)

    @classmethod
    def of(cls, roles: Mapping[str, Role], *, scene: Scene | None = None, balls: int = 0, record: bool = True) -> Player:
        """Several characters in one world, by name."""
        made = cls.__new__(cls)
        made._open(roles, scene, balls, record)
        return made

    def _open(self, roles: Mapping[str, Role], scene: Scene | None, balls: int, record: bool) -> None:
        if not 0 <= balls <= MAX_THINGS:
            raise InputError(f"a world holds 0 to {MAX_THINGS} balls, got {balls}.")
        ready = tuple(Ball(name=f"ball {i + 1}", position=(0.0, PARKED + i, 0.11)) for i in range(balls))
        self.scene = replace(scene or Scene(), props=(*(scene or Scene()).props, *ready))
        whole, parts = compose({name: role.character for name, role in roles.items()})
        self.engine = BatchEngine(whole, 1, 1, self.scene)
        alone = len(roles) == 1
        self._actors: dict[str, Actor] = {}
        for name, role in roles.items():
            if not np.isfinite([role.time, role.heading, *role.position]).all():
                raise InputError(f"'{name}' needs a finite time, place and heading to begin with.")
            if role.reference is not None and role.reference.character.model.nq != role.character.model.nq:
                raise InputError(f"the reference of '{name}' is of another character, '{role.reference.character.name}'.")
            self._actors[name] = Actor(
                role=role,
                part=parts[name],
                policy=role.policy,
                rule=None if role.reference is None else FallRule(role.reference, self.scene),
                view=self.engine if alone else BatchEngine(role.character, 1, 1, replace(self.scene, props=())),
                body=anatomy(role.character),
                begun=role.time,
                every=substeps(role.policy, self.engine.timestep),
            )
        self._record = record
        self._pushes: list[Push] = []
        self._all_pushes: list[Push] = []
        self._throws: list[tuple[str, Array, Array]] = []
        self._written: dict[int, Array] = {}
        self._tape: list[tuple[Array, Array, NDArray[np.bool_], int]] = []
        self._events: list[str] = []
        self._resetting = False
        self._thrown = 0
        self._last = 0.0
        self._inside = 0  # steps into the running period
        self._from = np.zeros(0)
        self._targets = np.zeros(0)
        self._linear = np.zeros(0, dtype=bool)
        self._stretch = 0
        self.lost = False
        """The simulation diverged; only `reset` goes on."""
        self.engine.state[0] = beginning(self.engine, self._actors.values(), 0.0)
        self._start = self.engine.state[0].copy()
        for actor in self._actors.values():
            self._begin(actor)

    @property
    def time(self) -> float:
        """Seconds played."""
        now = float(self.engine.state[0, self.engine.layout.time])
        return now if math.isfinite(now) else self._last

    @property
    def names(self) -> tuple[str, ...]:
        """Who plays."""
        return tuple(self._actors)

    @property
    def fallen(self) -> dict[str, str]:
        """Who has fallen since it was last reset, and in what way."""
        return {name: actor.fallen for name, actor in self._actors.items() if actor.fallen}

    @property
    def events(self) -> tuple[str, ...]:
        """What happened, line by line."""
        return tuple(self._events)

    def qpos(self, name: str | None = None) -> Array:
        """The pose (nq,) of a character, by default the first."""
        first, part = self.engine.layout.qpos.start, self._actor(name).part.qpos
        return np.array(self.engine.state[0, first + part.start : first + part.stop])

    def ghost(self, name: str | None = None) -> Array | None:
        """The pose (nq,) at which a character's reference is now, where it has one."""
        actor = self._actor(name)
        return None if actor.role.reference is None else placed(actor.role, self.place(name), actor.role.reference)[0]

    def place(self, name: str | None = None) -> float:
        """Where in its motion a character is now [s]: where its policy believes to be, or by the clock."""
        timestep = self.engine.timestep
        return self._actor(name).reference_time(timestep) + self._inside * timestep

    def states(self, name: str | None = None) -> States:
        """What the policy of a character sees now."""
        return self._actor(name).see(self.engine)

    def step(self) -> None:
        """Go on to the next end of a control period."""
        if not self._inside:
            self._prepare()
            if self._fails():
                return
            period(self.engine, self._targets, self._linear, self._stretch, self._pushes)
            self._finish()
        while self._inside:
            self._one()

    def advance(self, seconds: float) -> None:
        """Go on by a time, which may end inside a control period."""
        if not math.isfinite(seconds):
            raise InputError(f"a player goes on by a finite time, got {seconds}.")
        left = round(seconds / self.engine.timestep)
        while left > 0 and not self.lost:
            if not self._inside:
                self._prepare()
                if not self._fails() and self._stretch <= left:
                    left -= self._stretch
                    period(self.engine, self._targets, self._linear, self._stretch, self._pushes)
                    self._finish()
                    continue
            if not self.lost:
                self._one()
                left -= 1

    def push(
        self,
        force: ArrayLike,
        *,
        duration: float = 0.2,
        name: str | None = None,
        body: str | None = None,
        torque: ArrayLike = (0.0, 0.0, 0.0),
    ) -> None:
        """Push a body, by default the trunk, from now on: force [N] and torque [N m] in the world."""
        actor = self._actor(name)
        if body is not None:
            actor.role.character.body(body)
        vectors = [np.asarray(part, dtype=float) for part in (force, torque)]
        if any(v.shape != (3,) or not np.isfinite(v).all() for v in vectors) or not (np.isfinite(duration) and duration > 0.0):
            raise InputError("a push needs a force and a torque of three finite numbers each, and a positive duration.")
        where = f"{actor.part.prefix}{body or trunk(actor.role.character)}"
        made = Push(body=where, force=vectors[0], torque=vectors[1], start=self.time, duration=duration)
        self._pushes.append(made)
        if self._record:
            self._all_pushes.append(made)
        self._note(f"{where} pushed with {np.linalg.norm(vectors[0]):.0f} N for {duration:g} s")

    def throw(self, *, ball: str | None = None, at: str | None = None, start: ArrayLike = (2.0, 0.0, 1.5), speed: float = 8.0) -> None:
        """Throw a ball from a point [m] given from the character's root over the floor, at its trunk; it flies from the next period on."""
        actor = self._actor(at)
        names = [prop.name for prop in self.scene.props if isinstance(prop, Ball)]
        if not names:
            raise InputError("there is no ball in this world; say how many when it is made: Player(..., balls=1).")
        if ball is not None and ball not in names:
            raise unknown_name("ball", ball, names)
        if not 0.1 <= float(speed) <= 200.0:
            raise InputError(f"a ball is thrown at 0.1 to 200 m/s, got {speed:g}.")
        offset = np.asarray(start, dtype=float)
        if offset.shape != (3,) or not np.abs(offset).max() <= FARTHEST:
            raise InputError(f"a ball is thrown from a point of three numbers, each within {FARTHEST:g} m of the root, got {start!r}.")
        which = ball or names[self._thrown % len(names)]
        self._thrown += 1
        whole = actor.see(self.engine).seen
        joint = actor.role.character.skeleton.names.index(trunk(actor.role.character))
        aim = np.asarray(whole.center)[0, joint]
        root = np.asarray(whole.position)[0, 0]
        from_ = root * [1.0, 1.0, 0.0] + offset
        flight = max(float(np.linalg.norm(aim - from_)) / speed, self.engine.timestep)
        gravity = np.asarray(self.engine.model.opt.gravity)
        self._throws.append((which, from_, (aim - from_) / flight - 0.5 * flight * gravity))
        self._note(f"{which} thrown at {actor.part.prefix}{trunk(actor.role.character)}, {speed:g} m/s")

    def turn(self, rate: float, *, name: str | None = None) -> None:
        """Ask a character to turn at a rate [rad/s], anticlockwise, from its next control fragment on until something else is asked."""
        actor = self._actor(name)
        if not actor.turns:
            raise InputError(
                f"the '{actor.policy.kind}' of '{actor.role.character.name}' obeys no turn rate; surefoot.feedback.turning teaches it."
            )
        if not (math.isfinite(rate) and abs(rate) <= MOST_TURN):
            raise InputError(f"a turn rate is at most {MOST_TURN:g} rad/s to either side, got {rate:g}.")
        actor.turn = float(rate)
        self._note(f"{actor.part.prefix or actor.role.character.name + ' '}asked to turn at {math.degrees(rate):.0f} degrees/s")

    def turns(self, name: str | None = None) -> bool:
        """Whether the policy that plays a character obeys `turn`."""
        return self._actor(name).turns

    def switch(self, policy: Policy, *, name: str | None = None, time: float = 0.0) -> None:
        """Another policy takes over at the end of the running control period, `time` into its motion."""
        actor = self._actor(name)
        substeps(policy, self.engine.timestep)
        actor.next = (policy, time)

    def reset(self) -> None:
        """Everybody begins again at the next period; pushes end now, the clock and the recording go on."""
        self._resetting = True
        self._all_pushes = [cut for push in self._all_pushes if (cut := _ended(push, self.time)) is not None]
        self._pushes.clear()
        if self.lost:
            self._restart()

    def recording(self) -> Recording:
        """What was played so far, in whole periods."""
        if not self._record:
            raise InputError("this player does not record; make it with record=True.")
        size, nu = self.engine.layout.size, self.engine.servos.num
        states, targets, linear, steps = zip(*self._tape, strict=True) if self._tape else ((), (), (), ())
        return Recording(
            characters={name: actor.role.character for name, actor in self._actors.items()},
            scene=self.scene,
            start=self._start.copy(),
            states=np.array(states, dtype=float).reshape(-1, size),
            targets=np.array(targets, dtype=float).reshape(-1, nu),
            linear=np.array(linear, dtype=bool).reshape(-1, nu),
            substeps=np.array(steps, dtype=np.int64),
            written={k: row.copy() for k, row in self._written.items() if k < len(self._tape)},
            pushes=tuple(self._all_pushes),
            events=self.events,
        )

    def _prepare(self) -> None:
        """Carry out requests and ask those policies whose period begins."""
        if self._resetting:
            self._restart()
        self._fly()
        self._from = self.engine.state[0, self._ctrl].copy()
        self._targets, self._linear = self._from.copy(), np.zeros(len(self._from), dtype=bool)
        left = []
        for actor in self._actors.values():
            if actor.done % actor.every == 0:
                if actor.next is not None:
                    self._take_over(actor)
                x, t = actor.see(self.engine), np.array([actor.t])
                targets, memory = actor.policy.act(t, x, actor.asked())
                actor.memory = remembered(actor.policy, memory, 1)
                actor.target = checked(actor.policy, targets, 1, len(self._from[actor.part.ctrl]))[0].copy()
            left.append(actor.every - actor.done % actor.every)
        self._stretch = math.gcd(*(actor.every for actor in self._actors.values()), *left)
        for actor, rest in zip(self._actors.values(), left, strict=True):
            part, own = actor.part.ctrl, actor.target
            if actor.policy.linear and rest > self._stretch:
                own = self._from[part] + self._stretch / rest * (own - self._from[part])
            self._targets[part], self._linear[part] = own, actor.policy.linear
        now = self.time
        self._pushes = [push for push in self._pushes if float(np.asarray(push.start)) + push.duration > now - self.engine.timestep]

    def _fails(self) -> bool:
        """Targets that are not finite would be ignored by MuJoCo: the policy, and with it the simulation, is lost."""
        if np.isfinite(self._targets).all():
            return False
        self._lose("a policy gave targets that are not finite")
        return True

    def _one(self) -> None:
        """One step inside a period: the same bits as the whole of it at once."""
        self._inside += 1
        part = self._inside / self._stretch
        way = self._from + part * (self._targets - self._from)
        last = self._inside == self._stretch
        row = np.where(self._linear & (not last), way, self._targets)
        self.engine.step(row, 1, pushes=self._pushes)
        if last or not self.engine.ok[0]:
            self._finish()

    def _finish(self) -> None:
        self._inside = 0
        if self.engine.ok[0]:
            self._last = self.time
        else:
            self._lose("the simulation diverged")
            return
        if self._record:
            self._tape.append((self.engine.state[0].copy(), self._targets, self._linear, self._stretch))
        for actor in self._actors.values():
            actor.done += self._stretch
            if actor.rule is None or actor.fallen or actor.done % max(round(WATCH / self.engine.timestep), 1) >= self._stretch:
                continue
            x, t = actor.see(self.engine), np.array([actor.reference_time(self.engine.timestep)])
            if actor.rule(x, t)[0]:
                actor.fallen = actor.rule.why(x, t)
                self._note(f"{actor.part.prefix or actor.role.character.name + ' '}fell: {actor.fallen}")

    def _lose(self, why: str) -> None:
        self.lost = True
        self._inside = 0
        for actor in self._actors.values():
            actor.fallen = actor.fallen or why
        self._note(why)

    @property
    def _ctrl(self) -> slice:
        first = self.engine.layout.ctrl.start
        return slice(first, first + self.engine.servos.num)

    def _begin(self, actor: Actor) -> None:
        """Its policy starts; servos that follow lines stand where the policy would have brought them."""
        x, t = actor.see(self.engine), np.array([actor.begun])
        actor.memory = remembered(actor.policy, actor.policy.start(t, x), 1)
        actor.done, actor.fallen = 0, ""
        actor.target = np.array(x.ctrl[0])

    def _take_over(self, actor: Actor) -> None:
        assert actor.next is not None
        actor.policy, actor.begun = actor.next
        actor.next = None
        actor.every, actor.done = substeps(actor.policy, self.engine.timestep), 0
        actor.memory = remembered(actor.policy, actor.policy.start(np.array([actor.begun]), actor.see(self.engine)), 1)
        self._note(f"{actor.part.prefix or actor.role.character.name + ' '}is under '{actor.policy.kind}' now")

    def _restart(self) -> None:
        """Write the beginning over the state; the clock goes on, so that pushes of the past stay there."""
        self.engine.state[0] = beginning(self.engine, self._actors.values(), self.time)
        self._resetting = self.lost = False
        self._throws.clear()
        for actor in self._actors.values():
            actor.policy, actor.begun = actor.role.policy, actor.role.time
            actor.every, actor.next = substeps(actor.policy, self.engine.timestep), None
            actor.turn = 0.0
            self._begin(actor)
        self._written[len(self._tape)] = self.engine.state[0].copy()
        self._note("reset")

    def _fly(self) -> None:
        """Throw the balls that wait."""
        for ball, place, velocity in self._throws:
            joint = self.engine.model.joint(ball)
            row, layout = self.engine.state[0], self.engine.layout
            q, v = layout.qpos.start + int(joint.qposadr[0]), layout.qvel.start + int(joint.dofadr[0])
            row[q : q + 7] = [*place, 1.0, 0.0, 0.0, 0.0]
            row[v : v + 6] = [*velocity, 0.0, 0.0, 0.0]
        if self._throws:
            self._written[len(self._tape)] = self.engine.state[0].copy()
            self._throws.clear()

    def _actor(self, name: str | None) -> Actor:
        if name is None:
            return next(iter(self._actors.values()))
        if name not in self._actors:
            raise unknown_name("character in this world", name, self._actors)
        return self._actors[name]

    def _note(self, line: str) -> None:
        self._events.append(f"{self.time:.2f} s: {line}")


def _ended(push: Push, now: float) -> Push | None:
    """What of a push lies before a time."""
    start = float(np.asarray(push.start))
    return replace(push, duration=min(push.duration, now - start)) if start < now - 1e-9 else None
