"""What a film shows, frame by frame: a model that is posed, its ghost, and where the camera looks from.

    bundle -> its character in its scene, the reference as a ghost inside it or beside it
    motion -> its skeleton, clothed

T frames.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot.bundle import Bundle, Performance, perform
from surefoot.clothing import clothe
from surefoot.errors import InputError
from surefoot.motion import quaternion
from surefoot.motion.motion import Motion
from surefoot.physics.features import anatomy, facing
from surefoot.physics.manifold import difference, integrate
from surefoot.physics.scene import scene_spec
from surefoot.picture import GHOST, LEFT, MIDDLE, RIGHT, dressed, geoms, heading, outline, tinted, travelling
from surefoot.policy.reference import Reference
from surefoot.render.look import light
from surefoot.solids import Solid

Array = NDArray[np.float64]
Ghost = Literal["inside", "beside", "none"]
Pose = Callable[[mujoco.MjData, int], None]

ASIDE = 0.9
"""How far a ghost stands beside, in heights."""
_AROUND = 24
"""Points around a clothed limb."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Stage:
    """T frames to be drawn."""

    model: mujoco.MjModel
    pose: Pose
    """Puts frame k into data."""
    ghost: Pose | None
    own: int
    """Bodies up to this one are the character's; props come after it."""
    solids: Callable[[int], tuple[list[Solid], list[Solid] | None, float | None]]
    """For the painter: solids of frame k, those of the ghost, and the floor's height."""
    root: Array  # (T, 3)
    points: Array  # (P, 3)
    """What has to be in sight, given from the root's place on the floor."""
    forward: Array  # (3,)
    height: float
    """[m]"""

    @property
    def num_frames(self) -> int:
        """T"""
        return len(self.root)


def of_bundle(bundle: Bundle, times: Array, ghost: Ghost, size: tuple[int, int]) -> Stage:
    """A bundle's character at `times` (T,) [s] of its performance, which goes on as long as they ask for."""
    character = bundle.character
    spec = scene_spec(character, bundle.scene)
    light(spec, character.height, size)
    model = spec.compile()
    done = _performance(bundle, float(times[-1]) if len(times) else 0.0)
    whole = _sampled(model if done.qpos.shape[1] == model.nq else character.model, done, times)
    poses = whole[:, : character.model.nq]
    rest = np.array(model.qpos0)
    shades = None if ghost == "none" else _shades(bundle, times[: len(poses)], poses, ghost)

    def put(rows: Array) -> Pose:
        def pose(data: mujoco.MjData, k: int) -> None:
            data.qpos[:] = rest
            data.qpos[: rows.shape[1]] = rows[k]
            mujoco.mj_kinematics(model, data)
            mujoco.mj_camlight(model, data)

        return pose

    here, there = put(whole), None if shades is None else put(shades)
    own = int(character.body_ids[-1])
    data = mujoco.MjData(model)

    def solids(k: int) -> tuple[list[Solid], list[Solid] | None, float | None]:
        here(data, k)
        seen, floor = geoms(model, data)
        if shades is None:
            return seen, None, floor
        alone.qpos[:] = shades[k]
        mujoco.mj_kinematics(character.model, alone)
        return seen, [tinted(solid) for solid in geoms(character.model, alone)[0]], floor

    alone = mujoco.MjData(character.model)
    positions, rotations = character.world(poses)
    forward = travelling(positions[:, 0], quaternion.rotate(rotations[:, 0], character.forward), character.height)
    some = slice(None, None, 1 + len(poses) // 100)
    points = [outline(character.model, alone, q) for q in poses[some]]
    if shades is not None:  # a ghost may run far ahead of a body that fell: it stays in sight for two heights
        for q, shade in zip(poses[some], shades[some], strict=True):
            away = shade[:2] - q[:2]
            near = away * min(1.0, 2.0 * character.height / max(float(np.hypot(*away)), 1e-9))
            points.append(outline(character.model, alone, shade) + np.array([*near, 0.0]))
    return Stage(
        model=model,
        pose=here,
        ghost=there,
        own=own,
        solids=solids,
        root=positions[:, 0],
        points=np.concatenate(points),
        forward=forward,
        height=character.height,
    )


def of_motion(motion: Motion, times: Array, size: tuple[int, int]) -> Stage:
    """A motion's skeleton, clothed, at `times` (T,) [s]."""
    spec = mujoco.MjSpec()
    spec.option.timestep = 0.005
    light(spec, motion.skeleton.height, size)
    limbs = clothe(motion.skeleton)
    if not limbs:
        raise InputError(f"'{motion.name}' has no bones of any length; there is nothing to draw.")
    joints = sorted({limb.joint for limb in limbs})
    bodies = {j: spec.worldbody.add_body(name=f"joint {j}", mocap=True) for j in joints}
    for n, limb in enumerate(limbs):
        vertices = _hull(limb.start, limb.end, limb.radius_start, limb.radius_end)
        spec.add_mesh(name=f"limb {n}", uservert=vertices.ravel().tolist())
        rgba = [*(MIDDLE, LEFT, RIGHT)[limb.side], 1.0]
        bodies[limb.joint].add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname=f"limb {n}", rgba=rgba, contype=0, conaffinity=0)
    try:
        model = spec.compile()
    except ValueError as error:
        raise InputError(f"'{motion.name}': its bones cannot be drawn: {error}") from None
    positions, world = motion.skeleton.forward(*motion.sample(times))
    places = [int(model.body(f"joint {j}").mocapid[0]) for j in joints]

    def pose(data: mujoco.MjData, k: int) -> None:
        data.mocap_pos[places], data.mocap_quat[places] = positions[k, joints], world[k, joints]
        mujoco.mj_kinematics(model, data)
        mujoco.mj_camlight(model, data)

    root = positions[:, motion.skeleton.roots[0]]
    along = motion.joint_positions[:, motion.skeleton.roots[:1]] * [1.0, 1.0, 0.0]
    points = [(motion.joint_positions - along).reshape(-1, 3), (motion.tip_positions - along).reshape(-1, 3)]
    return Stage(
        model=model,
        pose=pose,
        ghost=None,
        own=model.nbody - 1,
        solids=lambda k: (list(dressed(motion, float(times[k]))), None, 0.0),
        root=root,
        points=np.concatenate(points),
        forward=heading(motion),
        height=motion.skeleton.height,
    )


def _performance(bundle: Bundle, seconds: float) -> Performance:
    """What the bundle carries where that is long enough, else its policy plays again; props are known only where it plays."""
    done = bundle.performance
    if done is not None and not bundle.scene.props and seconds <= done.duration + 1e-9:
        return done
    return perform(bundle, seconds, whole=True)


def _sampled(model: mujoco.MjModel, done: Performance, times: Array) -> Array:
    """Poses at times (T,), on the line between two frames; fewer where the performance ends early."""
    at = times[times <= done.duration + 1e-9] / done.frame_time
    if len(times) and not len(at):
        raise InputError(f"--begin {times[0]:g}: the performance ends at {done.duration:.2f} s, because it falls; begin before that.")
    low = np.minimum(np.floor(at + 1e-6).astype(np.int64), len(done.qpos) - 1)
    high = np.minimum(low + 1, len(done.qpos) - 1)
    part = np.clip(at - low, 0.0, 1.0)[:, None]
    return np.asarray(integrate(model, done.qpos[low], part * difference(model, done.qpos[high], done.qpos[low])))


def _shades(bundle: Bundle, times: Array, poses: Array, ghost: Ghost) -> Array:
    """The reference's poses (T, nq). A closed loop may drift, so its ghost goes where the body is."""
    reference: Reference = bundle.reference
    character = bundle.character
    shades = np.array(reference.at(times))
    if getattr(bundle.policy, "closed", False):
        front = anatomy(character).front
        have, want = (facing.heading(front(q[:, 3:7])) for q in (shades, poses))
        yaw = np.arctan2(want[1] * have[0] - want[0] * have[1], want[0] * have[0] + want[1] * have[1])
        zero = np.zeros_like(yaw)
        turn = np.stack([np.cos(0.5 * yaw), zero, zero, np.sin(0.5 * yaw)], axis=-1)
        shades[:, 3:7] = quaternion.multiply(turn, shades[:, 3:7])
        shades[:, :2] = poses[:, :2]
    if ghost == "beside":
        positions, rotations = character.world(shades)
        forward = travelling(positions[:, 0], quaternion.rotate(rotations[:, 0], character.forward), character.height)
        shades[:, :2] += ASIDE * character.height * np.array([-forward[1], forward[0]])
    return shades


def _hull(a: Array, b: Array, radius_a: float, radius_b: float) -> Array:
    """Points (n, 3) on two balls, whose hull is a round cone."""
    k = np.arange(_AROUND * 8)
    z = 1.0 - 2.0 * (k + 0.5) / len(k)
    turn = np.pi * (1.0 + 5.0**0.5) * k
    ball = np.stack([np.sqrt(1.0 - z * z) * np.cos(turn), np.sqrt(1.0 - z * z) * np.sin(turn), z], axis=-1)
    return np.concatenate([a + radius_a * ball, b + radius_b * ball])


__all__: Sequence[str] = ("GHOST", "Ghost", "Stage", "of_bundle", "of_motion")
