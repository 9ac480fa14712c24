"""Four sources whose simulations go back to them: one BVH, two animals and robots of strangers, and our dinosaur."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import numpy as np

from surefoot import material, rig
from surefoot.bundle import Bundle, bundle_of
from surefoot.motion.files import read_motion
from tests.clips import MOTIONS

FOREIGN = {
    "salsa": "cmu_bvh/cmu_60_10_salsa.bvh",
    "trex": "gltf/quaternius_trex.glb#TRex_Run",
    "robot": "gltf/robot_expressive.glb#Walking",
}
OWN = ("dinosaur",)


@cache
def bundle(name: str, folder: str) -> Bundle:
    """A second of open-loop tracking of a source's clip; `folder` takes our dinosaur's file."""
    if name in FOREIGN:
        path = os.fspath(MOTIONS / FOREIGN[name])
    else:
        file = Path(folder) / f"{name}.glb"
        file.write_bytes(material.glb(name))
        path = f"{file}#walk"
    motion = read_motion(path)
    if motion.duration > 2.0:
        frames = int(2.0 / motion.frame_time)
        motion = motion.replace(translations=motion.translations[:frames], rotations=motion.rotations[:frames])
    made = bundle_of(motion, rig(motion), source=path.split("#")[0])
    assert made.performance is not None
    assert np.abs(made.performance.qpos - made.reference.qpos[: len(made.performance.qpos)]).max() > 0.01  # physics did something
    return made
