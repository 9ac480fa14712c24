"""What a controller sees of a state, batched, and written against the array API.

seen = engine.observe()
s = state_features(seen, anatomy(character))        # (N, 18) for two feet
"""

from surefoot.physics.features.anatomy import Anatomy, Foot, anatomy
from surefoot.physics.features.body import end_effector_velocities, end_effectors, faced, joint_rotations, mirrored_vectors, root_velocities
from surefoot.physics.features.contact import Contacts, center_of_pressure, foot_forces
from surefoot.physics.features.observation import Observation
from surefoot.physics.features.state import mirrored, names, state_features, tilt, units

__all__ = [
    "Anatomy",
    "Contacts",
    "Foot",
    "Observation",
    "anatomy",
    "center_of_pressure",
    "end_effector_velocities",
    "end_effectors",
    "faced",
    "foot_forces",
    "joint_rotations",
    "mirrored",
    "mirrored_vectors",
    "names",
    "root_velocities",
    "state_features",
    "tilt",
    "units",
]
