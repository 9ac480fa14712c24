"""A character in a world: the role it plays, and how far it has come."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from surefoot.character.character import Character
from surefoot.motion import quaternion
from surefoot.physics.batch import BatchEngine
from surefoot.physics.features import Anatomy
from surefoot.play.world import Part
from surefoot.policy.fall import FallRule
from surefoot.policy.policy import Memory, Policy, opening
from surefoot.policy.reference import Reference
from surefoot.policy.states import States

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Role:
    """A character and how it enters the world."""

    character: Character
    policy: Policy
    reference: Reference | None = None
    """By which a fall is judged, and where it begins; its own rest pose where there is none."""
    starts: Reference | None = None
    """Poses that it really passes through, in the reference's time: it begins there, where they are known."""
    time: float = 0.0
    """Where in its motion it begins [s]."""
    position: tuple[float, float] = (0.0, 0.0)
    """Moved along the floor by this [m]."""
    heading: float = 0.0
    """Turned about the origin by this, before it is moved [rad]."""


@dataclass(kw_only=True, eq=False)
class Actor:
    """A role being played."""

    role: Role
    part: Part
    policy: Policy
    rule: FallRule | None
    view: BatchEngine
    body: Anatomy
    begun: float
    """t at which the policy began."""
    every: int
    """Steps in its control period."""
    done: int = 0
    """Steps since the policy began."""
    memory: Memory = field(default_factory=dict)
    target: Array = field(default_factory=lambda: np.zeros(0))
    turn: float = 0.0
    """The turn rate that is asked for, anticlockwise [rad/s]."""
    next: tuple[Policy, float] | None = None
    fallen: str = ""

    @property
    def t(self) -> float:
        """The policy's time [s]."""
        return self.begun + (self.done // self.every) * self.policy.period

    def reference_time(self, timestep: float) -> float:
        """Where in its motion it is now [s]: where its policy believes to be, or by the clock."""
        known = self.memory.get("time")
        return self.begun + self.done * timestep if known is None else float(known[0])

    @property
    def turns(self) -> bool:
        """Whether its policy obeys a turn rate."""
        return "turn" in self.memory

    def asked(self) -> Memory:
        """The policy's memory with the turn rate in it that is asked for."""
        return {**self.memory, "turn": np.array([self.turn])} if self.turns else self.memory

    def see(self, world: BatchEngine) -> States:
        """What its policy sees: its own part of the world's row, as if it were alone."""
        if self.view is world:
            return States(world, world.state.copy(), self.body)
        whole, own, part = world.layout, self.view.layout, self.part
        row, state = own.default[None].copy(), world.state[0]
        row[0, own.time] = state[whole.time]
        for mine, theirs, share in (
            (own.qpos, whole.qpos, part.qpos),
            (own.qvel, whole.qvel, part.qvel),
            (own.warmstart, whole.warmstart, part.qvel),
            (own.ctrl, whole.ctrl, part.ctrl),
        ):
            row[0, mine] = state[theirs.start + share.start : theirs.start + share.stop]
        return States(self.view, row, self.body)


def placed(role: Role, t: float, there: Reference | None) -> tuple[Array, Array]:
    """Pose (nq,) and velocity (nv,) of a reference at time t (at rest where there is none), moved to where the role stands."""
    if there is None:
        qpos, qvel = np.array(role.character.model.qpos0), np.zeros(role.character.model.nv)
    else:
        qpos, qvel = there.at([t])[0], there.velocity_at([t])[0]
    turn = quaternion.about([0.0, 0.0, 1.0], role.heading)
    qpos[:3] = quaternion.rotate(turn, qpos[:3])
    qpos[:2] += role.position
    qpos[3:7] = quaternion.multiply(turn, qpos[3:7])
    qvel[:3] = quaternion.rotate(turn, qvel[:3])  # the angular velocity of a free joint is in its own frame
    return qpos, qvel


def beginning(world: BatchEngine, actors: Iterable[Actor], now: float) -> Array:
    """The row (S,) at time `now` in which everybody stands where the role says, servos where the policy would have brought them."""
    layout = world.layout
    row = layout.default.copy()
    row[layout.time] = now
    for actor in actors:
        role = actor.role
        qpos, qvel = placed(role, role.time, role.starts or role.reference)
        alone = actor.view.rows(qpos[None], qvel[None], actor.view.servos.ctrl(qpos)[None], now)
        ctrl = opening(role.policy, np.array([role.time]), States(actor.view, alone, actor.body))[0]
        part = actor.part
        for theirs, share, value in ((layout.qpos, part.qpos, qpos), (layout.qvel, part.qvel, qvel), (layout.ctrl, part.ctrl, ctrl)):
            row[theirs.start + share.start : theirs.start + share.stop] = value
    return row
