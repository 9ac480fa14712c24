"""Motions that physics books know, each within the error that the time step explains.

One step of the integrator is v' = v + h a(q, v), q' = q + h v' (semi-implicit Euler); tolerances follow from that.
"""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from scipy.special import ellipk

from surefoot.character.builtin import builtin
from surefoot.motion import quaternion
from surefoot.physics import Ball, BatchEngine, Push, Scene
from surefoot.physics.layout import ALL
from surefoot.physics.mirror import mirror
from surefoot.physics.torque import torque_driven
from tests.physics.made import made

G = 9.81


def test_a_ball_falls_freely() -> None:
    engine = BatchEngine(builtin("humanoid"), 1, threads=1, scene=Scene(props=(Ball(position=(5.0, 0.0, 10.0)),)))
    height, h, n = engine.layout.qpos.stop - 5, engine.timestep, 200
    engine.step(None, n)
    fallen = 10.0 - engine.state[0, height]
    # Sum of the integrator's own series: h^2 g (1 + 2 + .. + n); only rounding remains, n operations on numbers near 10.
    assert fallen == pytest.approx(G * h * h * n * (n + 1) / 2, abs=n * 10.0 * np.finfo(float).eps * 4)
    # The book's g t^2 / 2 differs by g t h / 2 exactly.
    assert fallen - G * (n * h) ** 2 / 2 == pytest.approx(G * n * h * h / 2, abs=1e-9)


def test_a_pendulum_swings_with_its_period() -> None:
    h, length, radius, amplitude = 0.002, 1.0, 0.01, 0.5
    pendulum = made(
        f'<mujoco><option timestep="{h}" integrator="implicitfast"/><worldbody><body name="bob" pos="0 0 3">'
        f'<joint name="hinge" axis="0 1 0"/><geom type="sphere" size="{radius}" pos="0 0 -{length}" mass="1"/></body></worldbody></mujoco>'
    )
    engine = BatchEngine(pendulum, 1, threads=1)
    engine.qpos[0, 0] = amplitude
    angles = np.empty(12_000)
    for k in range(len(angles)):
        engine.step(None, 1)
        angles[k] = engine.qpos[0, 0]
    down = np.flatnonzero((angles[:-1] > 0) & (angles[1:] <= 0))
    crossings = h * (1 + down + angles[down] / (angles[down] - angles[down + 1]))
    period = (crossings[-1] - crossings[0]) / (len(crossings) - 1)
    inertia = length**2 + 0.4 * radius**2
    exact = 4 * np.sqrt(inertia / (G * length)) * ellipk(np.sin(amplitude / 2) ** 2)
    # A harmonic oscillator of frequency w integrated so has the period T (1 - (w h)^2 / 24); the swing is nearly harmonic. Where the
    # angle is zero its curvature vanishes too, so interpolation adds a third-order error only.
    assert period / exact - 1 == pytest.approx(-(G / length) * h * h / 24, rel=0.25)


@pytest.mark.parametrize("friction", [0.3, 0.6])
def test_a_sliding_block_stops_after_its_distance(friction: float) -> None:
    h, speed = 0.001, 2.0
    block = made(
        f'<mujoco><option timestep="{h}" integrator="implicitfast"/><worldbody><geom type="plane" size="0 0 1"/>'
        '<body name="block" pos="0 0 0.1"><freejoint/><geom type="box" size=".2 .2 .1" mass="2"/></body></worldbody></mujoco>'
    )
    engine = BatchEngine(block, 1, threads=1, scene=Scene(friction=friction))
    engine.step(None, 500)  # settles
    begin = engine.qpos[0, 0]
    engine.qvel[0] = [speed, 0, 0, 0, 0, 0]
    engine.step(None, 3000)
    distance, expected = engine.qpos[0, 0] - begin, speed**2 / (2 * friction * G)
    # v loses friction g h a step before the block moves: it stops v h / 2 short. The last step of a slide, shorter than h, and the
    # contact's softness add less than that again.
    assert abs(distance - (expected - speed * h / 2)) < speed * h / 2
    assert abs(engine.qvel[0, 0]) < 1e-6


def test_a_push_changes_momentum_by_its_impulse() -> None:
    # A single body: momentum is exact in this integrator, so only rounding remains.
    ball = made(
        '<mujoco><option timestep="0.005" integrator="implicitfast"/><worldbody><body name="ball" pos="0 0 9"><freejoint/>'
        '<geom size=".1" mass="3"/></body></worldbody></mujoco>'
    )
    engine = BatchEngine(ball, 2, threads=1)
    push = Push(body="ball", force=[[40.0, -20.0, 60.0], [0.0, 0.0, 0.0]], start=0.0125, duration=0.2)
    for _ in range(5):  # the window begins and ends inside periods
        engine.step(None, 13, pushes=[push])
    change = 3.0 * (engine.qvel[0, :3] - engine.qvel[1, :3])
    np.testing.assert_allclose(change, np.array([40.0, -20.0, 60.0]) * 0.2, rtol=1e-12)


def test_a_push_on_a_character_in_flight_moves_its_centre_of_mass() -> None:
    character = torque_driven(builtin("humanoid"))
    engine = BatchEngine(character, 2, threads=1)
    poses = np.tile(character.model.qpos0, (2, 1))
    poses[:, 2] += 5.0
    engine.state[:] = engine.rows(poses)
    force = np.array([[150.0, 80.0, 0.0], [0.0, 0.0, 0.0]])
    for _ in range(4):
        engine.step(None, 20, pushes=[Push(body="chest", force=force, start=0.1, duration=0.2)])
    velocity = engine.observe().com_velocity
    # With joints, the integrator keeps momentum to first order in the step (the next test measures how well): half a percent here.
    np.testing.assert_allclose(character.mass * (velocity[0] - velocity[1])[:2], force[0, :2] * 0.2, rtol=0.005)


def tumble(timestep: float) -> tuple[np.ndarray, np.ndarray, float]:
    """Drift of angular momentum and of the centre of mass's velocity over half a second of tumbling, limp, and the momentum's size."""
    limp = torque_driven(builtin("humanoid"))
    character = made(limp.xml.replace('timestep="0.005"', f'timestep="{timestep}"'), partners=limp.partners)
    assert character.timestep == timestep
    engine = BatchEngine(character, 1, threads=1)
    pose = character.model.qpos0.copy()
    pose[2] += 5.0
    engine.state[:] = engine.rows(pose[None], np.random.default_rng(0).normal(0.0, 1.0, (1, character.model.nv)))
    before = engine.observe()
    engine.step(None, round(0.5 / timestep))
    after = engine.observe()
    drop = np.array([0.0, 0.0, -G * 0.5])
    size = float(np.linalg.norm(before.angular_momentum))
    return (after.angular_momentum - before.angular_momentum)[0], (after.com_velocity - before.com_velocity)[0] - drop, size


def test_momentum_is_constant_in_flight() -> None:
    coarse, fine = tumble(0.005), tumble(0.0025)
    for part, scale in ((0, coarse[2]), (1, G * 0.5)):
        # The integrator is of first order: its drift c h halves with the step, and what extrapolation leaves is of second order,
        # (h times the body's fastest rates, about 10 / s)^2 / 2.
        assert np.linalg.norm(fine[part]) == pytest.approx(0.5 * np.linalg.norm(coarse[part]), rel=0.1)
        assert np.linalg.norm(coarse[part]) < 0.01 * scale
        assert np.linalg.norm(2 * fine[part] - coarse[part]) < (0.005 * 10) ** 2 / 2 * scale


def test_the_energy_of_a_passive_ragdoll_never_grows() -> None:
    character = torque_driven(builtin("humanoid"))
    engine = BatchEngine(character, 4, threads=1)
    rng = np.random.default_rng(1)
    poses = np.tile(character.model.qpos0, (4, 1))
    poses[:, 2] += 0.5
    poses[:, 3:7] = quaternion.exp(rng.normal(0.0, 1.0, (4, 3)))
    engine.state[:] = engine.rows(poses, rng.normal(0.0, 0.5, (4, character.model.nv)))
    model = engine.model
    model.opt.enableflags |= int(mujoco.mjtEnableBit.mjENBL_ENERGY)
    data = mujoco.MjData(model)
    energy, depth = np.empty((400, 4)), np.zeros(4)
    for k in range(len(energy)):
        for i in range(4):
            mujoco.mj_setState(model, data, engine.state[i], ALL)
            mujoco.mj_forward(model, data)
            energy[k, i] = data.energy.sum()
            depth[i] = max([depth[i], *(-contact.dist for contact in data.contact)])
        engine.step(None, 2)
    # Contacts are soft: while a body sinks in by d, up to its weight times d is held in them and given back. Nothing else may rise.
    rise = energy - np.minimum.accumulate(energy, axis=0)
    assert (rise < character.mass * G * depth).all()
    # And the fall ends where the body lies: most of the energy is gone, and over the last second none comes back.
    assert (energy[-1] < 0.15 * energy[0]).all()
    assert (energy[-1] <= energy[-100] + 1e-6).all()


@pytest.mark.parametrize("name", ["humanoid", "deepmimic"])
def test_mirrored_states_simulate_to_mirrored_states(name: str) -> None:
    character = builtin(name)
    engine = BatchEngine(character, 2, threads=1)
    image = mirror(character, engine.layout)
    rng = np.random.default_rng(0)
    engine.state[:] = engine.rows(
        np.tile(character.model.qpos0, (2, 1)), rng.normal(0.0, 0.3, (2, character.model.nv)), rng.normal(0.0, 0.1, (2, engine.servos.num))
    )
    engine.state[1] = image.rows(engine.state[0])
    for _ in range(10):
        targets = rng.normal(0.0, 0.1, engine.servos.num)
        push = Push(body="chest", force=[[60.0, 40.0, 0.0], [60.0, -40.0, 0.0]], torque=[[5.0, 4.0, 3.0], [-5.0, 4.0, -3.0]])
        engine.step(np.stack([targets, image.ctrl(targets)]), 20, pushes=[push])
        # One period of 0.1 s; ten in a row stay as near, through the fall that follows.
        parts = engine.layout
        apart = np.abs(image.rows(engine.state[0]) - engine.state[1])
        assert apart[parts.qpos].max() < 1e-6
        assert apart[parts.qvel].max() < 1e-6
    np.testing.assert_allclose(image.rows(image.rows(engine.state)), engine.state, rtol=0, atol=1e-15)
