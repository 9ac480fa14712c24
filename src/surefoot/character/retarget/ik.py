"""Full-body inverse kinematics by mink, frame after frame.

Each step solves a quadratic program for the tangent dq of the pose,

    min |W (J dq + e)|^2 + damping |dq|^2     subject to joint limits and z_i + J_i dq >= -depth (ground)

with the residuals e of all points (end effectors and hips at high cost, elbows and knees at low), of the rotations of root, feet, hands
and head, and of the posture. A frame starts from the guess for it, changed as the solution changed the guess before it.
"""

from __future__ import annotations

import mink
import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot.character.character import Character
from surefoot.character.retarget.config import RetargetConfig
from surefoot.character.retarget.ground import heights, lowest, rise, surface_points
from surefoot.character.retarget.targets import Targets

Array = NDArray[np.float64]

NEAR = 0.10
"""Points lower than this part of the character's height are watched [1]."""


STUCK = 0.025
"""A foot this far from its target, as a part of the height, is worth a second try."""
TOES = 4.0
"""Toes are so much stiffer than other joints: else they curl under the foot before it rises."""
BETTER = 0.6
"""It is taken when its cost is less than this part of the first's."""
BACK = 60
"""Frames before that follow it, at most."""
LONGEST = 0.4
"""No coordinate moves further in one step [rad or m]: the linear model is not to be trusted beyond."""


class PointTask(mink.Task):  # type: ignore[misc]
    """Points fixed in bodies at places in the world, or at vectors from their base points: e = p(q) - b(q) - target.

    A body of -1 is the world: its point is the origin.
    """

    def __init__(self, bodies: NDArray[np.int64], offsets: Array, bases: NDArray[np.int64], base_offsets: Array, lm_damping: float) -> None:
        super().__init__(cost=np.zeros(3 * len(bodies)), lm_damping=lm_damping)
        self.bodies, self.offsets, self.bases, self.base_offsets = bodies, offsets, bases, base_offsets
        self.places = np.zeros((len(bodies), 3))
        self.active = np.arange(len(bodies))

    def aim(self, places: Array, weights: Array) -> None:
        """Set targets (n, 3) and costs (n,); points of no cost are left out."""
        self.active = np.flatnonzero(weights)
        self.places = places[self.active]
        self.cost = np.repeat(weights[self.active], 3)

    def _points(self, data: mujoco.MjData) -> Array:
        return _places(data, self.bodies[self.active], self.offsets[self.active])

    def _base_points(self, data: mujoco.MjData) -> tuple[NDArray[np.int64], Array]:
        """Rows that have a base, and the bases' places."""
        rows = np.flatnonzero(self.bases[self.active] >= 0)
        chosen = self.active[rows]
        return rows, _places(data, self.bases[chosen], self.base_offsets[chosen])

    def compute_error(self, configuration: mink.Configuration) -> Array:
        error = self._points(configuration.data) - self.places
        rows, bases = self._base_points(configuration.data)
        error[rows] -= bases
        return np.asarray(error.ravel())

    def compute_jacobian(self, configuration: mink.Configuration) -> Array:
        model, data = configuration.model, configuration.data
        out = np.empty((len(self.active), 3, model.nv))
        for row, point, body in zip(out, self._points(data), self.bodies[self.active], strict=True):
            mujoco.mj_jac(model, data, row, None, point, body)
        base = np.empty((3, model.nv))
        for i, point in zip(*self._base_points(data), strict=True):
            mujoco.mj_jac(model, data, base, None, point, self.bases[self.active[i]])
            out[i] -= base
        return out.reshape(-1, model.nv)


def _places(data: mujoco.MjData, bodies: NDArray[np.int64], offsets: Array) -> Array:
    return np.asarray(data.xpos[bodies] + np.einsum("nij,nj->ni", data.xmat[bodies].reshape(-1, 3, 3), offsets))


class TurnTask(mink.Task):  # type: ignore[misc]
    """World rotations of bodies: e = log(R R_target^-1)."""

    def __init__(self, bodies: NDArray[np.int64], weights: Array) -> None:
        super().__init__(cost=np.repeat(weights, 3))
        self.bodies = bodies
        self.targets = np.tile([1.0, 0.0, 0.0, 0.0], (len(bodies), 1))

    def compute_error(self, configuration: mink.Configuration) -> Array:
        out = np.empty((len(self.bodies), 3))
        inverse, turn = np.empty(4), np.empty(4)
        for row, target, body in zip(out, self.targets, self.bodies, strict=True):
            mujoco.mju_negQuat(inverse, target)
            mujoco.mju_mulQuat(turn, configuration.data.xquat[body], inverse)
            mujoco.mju_quat2Vel(row, turn, 1.0)
        return out.ravel()

    def compute_jacobian(self, configuration: mink.Configuration) -> Array:
        model, data = configuration.model, configuration.data
        out = np.empty((len(self.bodies), 3, model.nv))
        for row, body in zip(out, self.bodies, strict=True):
            mujoco.mj_jacBody(model, data, None, row, body)
        return out.reshape(-1, model.nv)


class GroundLimit(mink.Limit):  # type: ignore[misc]
    """No shape sinks into the ground by more than `depth`."""

    def __init__(self, model: mujoco.MjModel, depth: float, near: float) -> None:
        self.bodies, self.points, self.radii = surface_points(model)
        self.depth, self.near = depth, near

    def compute_qp_inequalities(self, configuration: mink.Configuration, dt: float) -> mink.Constraint:
        model, data = configuration.model, configuration.data
        height = heights(data, self.bodies, self.points, self.radii)
        low = np.flatnonzero(height < self.near)
        if len(low) == 0:
            return mink.Constraint()
        jacobian = np.empty((3, model.nv))
        rows = np.empty((len(low), model.nv))
        for row, i in zip(rows, low, strict=True):
            body = self.bodies[i]
            point = data.xpos[body] + data.xmat[body].reshape(3, 3) @ self.points[i]
            mujoco.mj_jac(model, data, jacobian, None, point, body)
            row[:] = -jacobian[2]
        return mink.Constraint(G=rows, h=height[low] + self.depth)


class Solver:
    """The problem of one character and its targets."""

    def __init__(self, character: Character, targets: Targets, config: RetargetConfig) -> None:
        model = character.model
        self.model, self.targets, self.config = model, targets, config
        self.configuration = mink.Configuration(model)
        ids = character.body_ids
        bases = [g.base for g in targets.goals]
        self.points = PointTask(
            ids[[g.point.joint for g in targets.goals]],
            np.array([g.point.offset for g in targets.goals]),
            np.array([-1 if b is None else ids[b.joint] for b in bases]),
            np.array([(0.0, 0.0, 0.0) if b is None else b.offset for b in bases]),
            config.caution,
        )
        self.turns = TurnTask(ids[[b.body for b in targets.bearings]], np.array([b.weight for b in targets.bearings]))
        stiffness = np.full(model.nv, config.posture_weight)
        for body in ids[list(targets.toes)]:
            first = int(model.body_dofadr[body])
            stiffness[first : first + int(model.body_dofnum[body])] *= TOES
        self.posture = mink.PostureTask(model, cost=stiffness)
        self.deepest = config.depth * character.height / 1.7
        self.continuity = mink.PostureTask(model, cost=config.continuity_weight)
        self.limits: list[mink.Limit] = [mink.ConfigurationLimit(model)]
        if config.ground:
            self.limits.append(GroundLimit(model, self.deepest, NEAR * character.height))
        self.places = np.stack([g.places for g in targets.goals], axis=1)  # (T, n, 3)
        self.weights = np.stack([g.weight for g in targets.goals], axis=1)  # (T, n)
        self.rotations = np.stack([b.rotations for b in targets.bearings], axis=1)  # (T, m, 4)
        self.reach, self.height = targets.reach, character.height
        self.weights_now = self.weights[0]
        self.legs = np.array(["leg" in g.name for g in targets.goals])
        self.heavy = config.end_weight * 1.7 / character.height

    def frame(self, t: int, start: Array, iterations: int, fresh: bool = False) -> Array:
        """The pose (nq,) of frame t, from the pose `start`; `fresh` forgets the frame before."""
        configuration = self.configuration
        configuration.update(start)
        self.weights_now = self.weights[t]
        self.points.aim(self.places[t], self.weights_now)
        self.turns.targets = self.rotations[t]
        self.posture.set_target(self.targets.guess[t])
        tasks = [self.points, self.turns, self.posture]
        if t > 0 and not fresh:
            self.continuity.set_target(start)
            tasks.append(self.continuity)
        for _ in range(iterations):
            step = self._step(tasks)
            q = configuration.integrate(step, 1.0)
            configuration.update(q)
            if float(np.abs(step).max()) < self.config.tolerance:
                break
        return np.array(configuration.q)

    def stuck(self) -> bool:
        """Whether a foot or a planted sole of the frame just solved is far from its target."""
        gaps = np.linalg.norm(self.points.compute_error(self.configuration).reshape(-1, 3), axis=1)
        held = (self.weights_now >= self.heavy)[self.points.active] & self.legs[self.points.active]
        return bool(gaps[held].max(initial=0.0) > STUCK * self.height)

    def cost(self) -> float:
        """What the steps minimise, at the present pose, but for the continuity."""
        tasks = (self.points, self.turns, self.posture)
        return float(sum(np.sum((task.cost * task.compute_error(self.configuration)) ** 2) for task in tasks))

    def _step(self, tasks: list[mink.Task]) -> Array:
        try:
            step = mink.solve_ik(self.configuration, tasks, 1.0, "daqp", damping=self.config.damping, limits=self.limits)
        except mink.NoSolutionFound:
            step = mink.solve_ik(self.configuration, tasks, 1.0, "daqp", damping=10.0 * self.config.damping, limits=self.limits[1:])
        return np.asarray(step * min(1.0, LONGEST / max(float(np.abs(step).max()), 1e-12)))

    def solve(self) -> Array:
        """All poses (T, nq)."""
        guess = self.targets.guess
        out = np.empty_like(guess)
        costs = np.empty(len(guess))
        change = np.zeros(self.model.nv)
        for t, row in enumerate(guess):
            out[t] = self.frame(t, self._moved(row, change), self.config.first_iterations if t == 0 else self.config.iterations)
            costs[t] = self.cost()
            if t > 0 and self.stuck():
                self._retry(t, out, costs)
            mujoco.mj_differentiatePos(self.model, change, 1.0, row, out[t])
        return self.raised(out) if self.config.ground else out

    def _moved(self, pose: Array, change: Array) -> Array:
        start = np.array(pose)
        mujoco.mj_integratePos(self.model, start, change, 1.0)
        return start

    def _retry(self, t: int, out: Array, costs: Array) -> None:
        """Solve frame t from the guess itself: a toe curled under on the ground finds no way back by small steps.

        Where that is better, the frames before follow it backwards as long as it is better for them, too, so that nothing snaps at t.
        """
        guess = self.targets.guess
        found = self.frame(t, guess[t], self.config.first_iterations, fresh=True)
        if self.cost() > BETTER * costs[t]:
            return
        out[t], costs[t] = found, self.cost()
        change = np.empty(self.model.nv)
        for u in range(t - 1, max(t - BACK, -1), -1):
            mujoco.mj_differentiatePos(self.model, change, 1.0, guess[u + 1], out[u + 1])
            found = self.frame(u, self._moved(guess[u], change), self.config.iterations)
            if self.cost() > costs[u]:
                return
            out[u], costs[u] = found, self.cost()

    def raised(self, qpos: Array) -> Array:
        """The poses, lifted where joint limits left the ground's limit no solution."""
        depth = -self.deepest - lowest(self.model, qpos)
        if depth.max() > 0.5 * self.deepest:
            adr = int(self.model.jnt_qposadr[np.flatnonzero(self.model.jnt_type == mujoco.mjtJoint.mjJNT_FREE)[0]])
            qpos[:, adr + 2] += rise(depth, self.reach)
        return qpos
