"""Every feature beside its slow twin: plain loops over one MjData, written from the definitions."""

from __future__ import annotations

import math

import mujoco
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from surefoot.character.builtin import builtin
from surefoot.character.character import Character
from surefoot.motion import quaternion
from surefoot.physics import BatchEngine, Observation
from surefoot.physics.features import (
    anatomy,
    center_of_pressure,
    end_effector_velocities,
    end_effectors,
    faced,
    facing,
    foot_forces,
    joint_rotations,
    mirrored,
    mirrored_vectors,
    names,
    root_velocities,
    state_features,
    tilt,
)
from surefoot.physics.layout import ALL
from surefoot.physics.mirror import mirror

NUM = 24


@pytest.fixture(scope="module", params=["humanoid", "deepmimic"])
def engine(request: pytest.FixtureRequest) -> BatchEngine:
    """Simulations that stumble and fall over in all directions, some of them upside down."""
    character = builtin(request.param)
    rng = np.random.default_rng(3)
    engine = BatchEngine(character, NUM, threads=2)
    poses = np.tile(character.model.qpos0, (NUM, 1))
    turn = np.concatenate([quaternion.exp(rng.normal(0.0, 0.1, (NUM // 2, 3))), rng.normal(size=(NUM // 2, 4))])
    poses[:, 3:7] = quaternion.normalize(quaternion.multiply(turn, poses[:, 3:7]))
    poses[NUM // 2 :, 2] += 0.5
    engine.state[:] = engine.rows(poses, rng.normal(0.0, 0.5, (NUM, character.model.nv)))
    engine.rollout(rng.normal(0.0, 0.1, (NUM, 4, engine.servos.num)), 20)
    assert engine.ok.all()
    return engine


def plain(engine: BatchEngine, i: int) -> mujoco.MjData:
    """Simulation i computed by MuJoCo alone."""
    data = mujoco.MjData(engine.model)
    mujoco.mj_setState(engine.model, data, engine.state[i], ALL)
    mujoco.mj_forward(engine.model, data)
    return data


def plain_heading(root: np.ndarray) -> float:
    """The facing direction [rad] of a rotation matrix with x forward and z up, from the definition with complex numbers."""
    x, y, z, w = Rotation.from_matrix(root).as_quat()
    scale = math.tan(math.radians(72.5)) / math.sqrt((1 + math.sqrt(5)) / 2)
    a, b = complex(w, z), complex(x, y) / scale
    h = a**2 + abs(b) ** 2 / (abs(a) ** 2 + abs(b) ** 2) * (1.6j * a * b - b**2)
    return math.atan2(h.imag, h.real)


def plain_frame(character: Character, data: mujoco.MjData) -> tuple[np.ndarray, np.ndarray]:
    """The matrix that turns world vectors into the facing frame, and the root's front frame in the world."""
    root = data.xmat[1].reshape(3, 3)
    front = root @ np.stack([character.forward, np.cross(character.up, character.forward), character.up], axis=-1)
    angle = plain_heading(front)
    return np.array([[math.cos(angle), math.sin(angle), 0], [-math.sin(angle), math.cos(angle), 0], [0, 0, 1.0]]), front


def plain_momentum(model: mujoco.MjModel, data: mujoco.MjData) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Centre of mass, its velocity and the angular momentum about it, body by body."""
    bodies = range(1, model.nbody)
    mass = model.body_mass
    total = sum(mass[b] for b in bodies)
    com = sum(mass[b] * data.xipos[b] for b in bodies) / total
    motion = {}
    for b in bodies:
        twist = np.zeros(6)
        mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_BODY, b, twist, 0)
        motion[b] = (twist[:3].copy(), twist[3:].copy())  # of the inertial frame
    velocity = sum(mass[b] * motion[b][1] for b in bodies) / total
    momentum = np.zeros(3)
    for b in bodies:
        axes = data.ximat[b].reshape(3, 3)
        momentum += axes @ np.diag(model.body_inertia[b]) @ axes.T @ motion[b][0]
        momentum += mass[b] * np.cross(data.xipos[b] - com, motion[b][1] - velocity)
    return com, velocity, momentum


def test_the_state_features_equal_their_slow_twin(engine: BatchEngine) -> None:
    character, model = engine.character, engine.model
    body = anatomy(character)
    fast = state_features(engine.observe(), body)
    assert fast.shape == (NUM, 18)
    assert len(names(body)) == 18
    for i in range(NUM):
        data = plain(engine, i)
        into, front = plain_frame(character, data)
        com, velocity, momentum = plain_momentum(model, data)
        turn = Rotation.from_matrix(into @ front).as_rotvec()
        root = data.xpos[1]
        expected = [*turn[:2], root[2], *(into @ (com - root))[:2], com[2], *(into @ velocity)]
        for side in ("left_", "right_"):
            parts = [model.body(n).id for n in character.feet if n.startswith(side)]
            middle = sum(model.body_mass[b] * data.xipos[b] for b in parts) / sum(model.body_mass[b] for b in parts)
            expected += [*(into @ (middle - com))]
        expected += [*(into @ momentum)]
        np.testing.assert_allclose(fast[i], expected, rtol=0, atol=1e-9)


def test_end_effectors_and_velocities_equal_their_slow_twins(engine: BatchEngine) -> None:
    character, model = engine.character, engine.model
    body, seen = anatomy(character), engine.observe()
    places, speeds, root = end_effectors(seen, body), end_effector_velocities(seen, body), root_velocities(seen, body)
    for i in range(NUM):
        data = plain(engine, i)
        into, _ = plain_frame(character, data)
        for e, name in enumerate(character.end_effectors):
            b = model.body(name).id
            np.testing.assert_allclose(places[i, e], into @ (data.xpos[b] - data.xpos[1]), rtol=0, atol=1e-9)
            twist = np.zeros(6)
            mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_XBODY, b, twist, 0)
            np.testing.assert_allclose(speeds[i, e], into @ twist[3:], rtol=0, atol=1e-9)
        np.testing.assert_allclose(root[i, :3], into @ data.qvel[:3], rtol=0, atol=1e-9)
        np.testing.assert_allclose(root[i, 3:], into @ data.xmat[1].reshape(3, 3) @ data.qvel[3:6], rtol=0, atol=1e-9)


def test_joint_rotations_equal_their_slow_twin(engine: BatchEngine) -> None:
    skeleton = engine.character.skeleton
    fast = joint_rotations(engine.observe(), skeleton.parents, skeleton.rotations)
    for i in range(NUM):
        data = plain(engine, i)
        for j in range(1, skeleton.num_joints):
            above = data.xmat[1 + skeleton.parents[j]].reshape(3, 3)
            rest = Rotation.from_quat(skeleton.rotations[j], scalar_first=True).as_matrix()
            local = rest.T @ above.T @ data.xmat[1 + j].reshape(3, 3)
            np.testing.assert_allclose(fast[i, j - 1], Rotation.from_matrix(local).as_rotvec(), rtol=0, atol=1e-9)


def test_contact_forces_and_centre_of_pressure_equal_their_slow_twins(engine: BatchEngine) -> None:
    character, model = engine.character, engine.model
    body = anatomy(character)
    contacts = engine.contacts()
    feet, pressure, left = foot_forces(contacts, body), center_of_pressure(contacts, body), center_of_pressure(contacts, body, 0)
    touched = 0
    for i in range(NUM):
        data = plain(engine, i)
        force = np.zeros((model.nbody, 3))
        points: list[tuple[int, np.ndarray, np.ndarray]] = []
        for c, contact in enumerate(data.contact):
            bodies = model.geom_bodyid[[contact.geom1, contact.geom2]]
            if 0 not in bodies:
                continue  # the body touches itself
            wrench = np.zeros(6)
            mujoco.mj_contactForce(model, data, c, wrench)
            push = contact.frame.reshape(3, 3).T @ wrench[:3] * (1.0 if bodies[0] == 0 else -1.0)
            other = int(bodies.max())
            force[other] += push
            points.append((other, contact.pos.copy(), push))
        # MuJoCo's solver stops at its tolerance; both run the same one, so only summation differs: forces of 1e3 N, 1e-12 relative.
        np.testing.assert_allclose(contacts.force[i], force[1:], rtol=0, atol=1e-9)
        for which, joints in enumerate(foot.bodies for foot in body.feet):
            np.testing.assert_allclose(feet[i, which], force[[j + 1 for j in joints]].sum(axis=0), rtol=0, atol=1e-9)
        for chosen, found in ((body.feet, pressure[i]), (body.feet[:1], left[i])):
            standing = [(p, f) for b, p, f in points if b - 1 in [j for foot in chosen for j in foot.bodies]]
            total = sum(f[2] for _, f in standing)
            if total < 1.0:
                continue
            touched += 1
            # On flat ground (contacts at one height up to their depth) it is the mean of the points, weighted by vertical force.
            plain_point = sum(f[2] * p for p, f in standing) / total
            heights = [p[2] for p, _ in standing]
            shear = max(np.linalg.norm(f[:2]) for _, f in standing)
            moved = np.ptp(heights) * shear * len(standing) / total
            np.testing.assert_allclose(found[:2], plain_point[:2], rtol=0, atol=1e-9 + moved)
    assert touched >= 5


def test_observations_describe_the_state_itself_not_the_substep_before(engine: BatchEngine) -> None:
    seen = engine.observe()
    for i in (0, NUM - 1):
        np.testing.assert_allclose(seen.position[i, 0], engine.qpos[i, :3], rtol=0, atol=1e-15)
        np.testing.assert_allclose(seen.com[i], plain(engine, i).subtree_com[1], rtol=0, atol=1e-12)


def test_results_do_not_depend_on_how_many_rows_are_observed(engine: BatchEngine) -> None:
    body, rows = anatomy(engine.character), engine.state.copy()
    skeleton = engine.character.skeleton
    whole = engine.observe()
    together = state_features(whole, body)
    for num in (1, 2, 3, 7, 17):
        part = BatchEngine(engine.character, num, threads=1)
        seen = part.observe(rows[:num])
        assert np.array_equal(state_features(seen, body), together[:num])
        for function in (end_effectors, end_effector_velocities, root_velocities, tilt):
            assert np.array_equal(function(seen, body), function(whole, body)[:num])
        turned = joint_rotations(seen, skeleton.parents, skeleton.rotations)
        assert np.array_equal(turned, joint_rotations(whole, skeleton.parents, skeleton.rotations)[:num])


def test_recorded_rows_are_observed_in_any_shape(engine: BatchEngine) -> None:
    body = anatomy(engine.character)
    block = engine.state.reshape(4, NUM // 4, -1)
    np.testing.assert_array_equal(
        state_features(engine.observe(block), body).reshape(NUM, -1), state_features(engine.observe(engine.state), body)
    )


def test_mirrored_states_have_mirrored_features(engine: BatchEngine) -> None:
    body = anatomy(engine.character)
    features = state_features(engine.observe(), body)
    image = mirror(engine.character, engine.layout).rows(engine.state)
    np.testing.assert_allclose(state_features(engine.observe(image), body), mirrored(features, body), rtol=0, atol=1e-9)


def test_every_vector_of_the_mirrored_state_is_the_mirrored_vector(engine: BatchEngine) -> None:
    character, body = engine.character, anatomy(engine.character)
    skeleton, image = character.skeleton, mirror(engine.character, engine.layout)
    other = image.rows(engine.state)
    seen, across = engine.observe(), engine.observe(other)
    feet, ends = body.foot_partners, body.end_partners
    for function in (end_effectors, end_effector_velocities):
        np.testing.assert_allclose(function(across, body), mirrored_vectors(function(seen, body), ends), rtol=0, atol=1e-9)
    here, there = root_velocities(seen, body), root_velocities(across, body)
    np.testing.assert_allclose(there[:, None, :3], mirrored_vectors(here[:, None, :3], [0]), rtol=0, atol=1e-9)
    np.testing.assert_allclose(there[:, None, 3:], mirrored_vectors(here[:, None, 3:], [0], turning=True), rtol=0, atol=1e-9)
    turned = image.joints(joint_rotations(seen, skeleton.parents, skeleton.rotations))
    np.testing.assert_allclose(joint_rotations(across, skeleton.parents, skeleton.rotations), turned, rtol=0, atol=1e-9)
    # Contact forces come from an iterative solver, which stops at its tolerance: a thousandth of the largest force is asked for.
    before, after = engine.contacts(), engine.contacts(other)
    forces, mirrored_forces = faced(seen, body, foot_forces(before, body)), faced(across, body, foot_forces(after, body))
    scale = max(1.0, float(np.abs(forces).max()))
    np.testing.assert_allclose(mirrored_forces, mirrored_vectors(forces, feet), rtol=0, atol=1e-3 * scale)
    pressed = [center_of_pressure(contacts, body) - np.asarray(s.position)[:, 0] for contacts, s in ((before, seen), (after, across))]
    a, b = faced(seen, body, pressed[0][:, None]), faced(across, body, pressed[1][:, None])
    stands = np.isfinite(a).all(axis=(1, 2))
    assert stands.sum() >= 5
    np.testing.assert_allclose(b[stands], mirrored_vectors(a[stands], [0]), rtol=0, atol=1e-3)


def test_foot_forces_in_the_facing_frame_are_the_world_s_turned_by_the_heading(engine: BatchEngine) -> None:
    body = anatomy(engine.character)
    forces, seen = foot_forces(engine.contacts(), body), engine.observe()
    inside = faced(seen, body, forces)
    for i in range(NUM):
        into, _ = plain_frame(engine.character, plain(engine, i))
        np.testing.assert_allclose(inside[i], forces[i] @ into.T, rtol=0, atol=1e-9)


def test_features_do_not_depend_on_where_the_body_stands_or_which_way_it_faces(engine: BatchEngine) -> None:
    body = anatomy(engine.character)
    features = state_features(engine.observe(), body)
    moved, turn = engine.state.copy(), quaternion.about([0.0, 0.0, 1.0], 2.3)
    qpos, qvel = moved[:, engine.layout.qpos], moved[:, engine.layout.qvel]
    qpos[:, :3] = quaternion.rotate(turn, qpos[:, :3]) + np.array([3.0, -2.0, 0.0])
    qpos[:, 3:7] = quaternion.multiply(turn, qpos[:, 3:7])
    qvel[:, :3] = quaternion.rotate(turn, qvel[:, :3])
    np.testing.assert_allclose(state_features(engine.observe(moved), body), features, rtol=0, atol=1e-9)


def heading_of(rotations: np.ndarray) -> np.ndarray:
    cosine, sine = facing.heading(rotations)
    return np.arctan2(sine, cosine)


def test_upright_the_heading_is_the_turn_about_the_vertical() -> None:
    angles = np.linspace(-3.1, 3.1, 13)
    np.testing.assert_allclose(heading_of(quaternion.about([0.0, 0.0, 1.0], angles)), angles, atol=1e-12)
    leaning = quaternion.multiply(quaternion.about([0.0, 0.0, 1.0], angles), quaternion.exp([0.02, 0.03, 0.0]))
    # The tilt t moves the heading from the twist by the third order only: |B|^2 |a B| = 1.6 (t / 2 s)^3 < 1e-6 for t = 0.036.
    np.testing.assert_allclose(heading_of(leaning), angles, atol=1e-6)


@pytest.mark.parametrize("backwards", [1.0, -1.0])
def test_a_somersault_keeps_its_heading_even_upside_down(backwards: float) -> None:
    flip = quaternion.about([0.0, 1.0, 0.0], backwards * np.linspace(0.0, 4.0 * np.pi, 721))
    np.testing.assert_allclose(heading_of(flip), 0.0, atol=1e-12)


@pytest.mark.parametrize("lean", [0.0, 0.15, -0.15])
@pytest.mark.parametrize("axis", [(0.0, 1.0, 0.0), (1.0, 0.0, 0.0)])
def test_the_heading_never_jumps_through_somersaults_and_cartwheels(axis: tuple[float, float, float], lean: float) -> None:
    turn = quaternion.about(axis, np.linspace(0.0, 2.0 * np.pi, 2001))
    turn = quaternion.multiply(turn, quaternion.exp([lean, lean, 0.0]))
    steps = np.abs((np.diff(heading_of(turn)) + np.pi) % (2.0 * np.pi) - np.pi)
    assert steps.max() < 0.03  # at most about ten times as fast as the body


def test_a_rotation_vector_near_half_a_turn_follows_its_neighbour() -> None:
    angles = np.radians(np.arange(150.0, 215.0, 5.0))
    root = quaternion.about([0.0, 1.0, 0.0], angles)
    zeros = np.zeros((len(angles), 1, 3))
    seen = Observation(
        position=zeros, rotation=root[:, None], center=zeros, com=zeros[:, 0], com_velocity=zeros[:, 0],
        angular_momentum=zeros[:, 0], twist=np.zeros((len(angles), 1, 6)),
    )  # fmt: skip
    body = anatomy(builtin("humanoid"))
    np.testing.assert_allclose(tilt(seen, body, np.array([0.0, np.pi, 0.0]))[:, 1], angles, atol=1e-9)
    jumps = np.abs(np.diff(tilt(seen, body)[:, 1]))
    assert jumps.max() > 6.0  # without a neighbour it flips
