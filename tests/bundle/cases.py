"""Bundles to test with: a clip tracked open loop, a reconstruction, what learning gives. Nothing is searched: policies are random."""

from __future__ import annotations

from functools import cache

import numpy as np

from surefoot import builtin, material, rig
from surefoot.bundle import Bundle, bundle_of
from surefoot.feedback.policy import LinearFeedback
from surefoot.motion import gltf
from surefoot.motion.files import ReadOptions
from surefoot.physics.plan import plan
from surefoot.physics.servos import servos
from surefoot.policy.openloop import OpenLoop
from surefoot.policy.reference import Reference


@cache
def dinosaur() -> Bundle:
    """Our dinosaur's walk from its own GLB, tracked open loop."""
    data = material.glb("dinosaur")
    motion = gltf.read(data, "dinosaur.glb", ReadOptions(clip="walk"))
    return bundle_of(motion, rig(motion), source=data)


@cache
def reconstructed() -> Bundle:
    """A plan with offsets for the humanoid, with the record of the search that would have found it."""
    motion = material.motion("humanoid/walk")
    rigged = rig(motion)
    rng = np.random.default_rng(0)
    fragments = int(np.ceil(motion.duration / 0.1))
    made = plan(rigged.character, rigged.qpos, motion.frame_time)
    offsets = 0.05 * rng.normal(size=(fragments, rigged.character.model.nu))
    return bundle_of(
        motion,
        rigged,
        OpenLoop(plan=made.replace(offsets=offsets), period=0.02),
        method="samcon",
        success=False,
        config={"samples": 600, "window": 0.2},
        result={"status": "made for a test", "mpjpe_mm": 80.0, "passes": [{"best_cost": 3.0}]},
        curves={"cost": np.linspace(3.0, 1.0, fragments), "pose": rng.random(fragments)},
        seed=7,
    )


@cache
def learned() -> Bundle:
    """Linear feedback for the walk of the built-in humanoid as a cycle, with random gains."""
    motion = material.motion("humanoid/walk")
    character = builtin("humanoid")
    rng = np.random.default_rng(1)
    qpos = np.tile(character.model.qpos0, (31, 1))
    qpos[:, 0] = np.linspace(0.0, 1.0, 31)
    drive = servos(character)
    periods, fragments, joints = 50, 10, 6
    policy = LinearFeedback(
        servos=drive,
        period=0.02,
        edges=np.arange(fragments + 1) * (periods // fragments),
        reference=np.tile(drive.ctrl(qpos[:1]), (periods, 1)),
        columns=np.arange(joints),
        tilts=np.zeros((fragments, 3)),
        center=np.zeros((fragments, 18)),
        gain=0.01 * rng.normal(size=(fragments, joints, 18)),
        action=0.02 * rng.normal(size=(fragments, joints)),
    )
    reference = Reference(character=character, qpos=qpos, frame_time=1.0 / 30.0, cycle=True)
    fitted = _Fitted(character, motion, qpos)
    return bundle_of(motion, fitted, policy, reference=reference, starts=reference, method="guided", success=True, seed=3)


class _Fitted:
    """A clip in the joints of a character that was not rigged from it."""

    def __init__(self, character, motion, qpos) -> None:  # type: ignore[no-untyped-def]
        self.character, self.motion, self.qpos = character, motion, qpos
