"""Edits of motions: pure functions, a Motion in, a Motion out."""

from surefoot.motion.edit.contacts import ContactConfig, fill_contacts, foot_contacts
from surefoot.motion.edit.cut import cut
from surefoot.motion.edit.cycle import Cycle, close_cycle, find_cycle, repeat
from surefoot.motion.edit.frame import face, ground, lift, scale, translate, turn_up
from surefoot.motion.edit.join import blend, concatenate
from surefoot.motion.edit.mirror import mirror
from surefoot.motion.edit.planar import Planar, move
from surefoot.motion.edit.resample import resample
from surefoot.motion.edit.smooth import smooth
from surefoot.motion.edit.symmetric import symmetric_gait
from surefoot.motion.edit.travel import give_travel, is_in_place
from surefoot.motion.edit.velocity import Velocities, velocities

__all__ = [
    "ContactConfig",
    "Cycle",
    "Planar",
    "Velocities",
    "blend",
    "close_cycle",
    "concatenate",
    "cut",
    "face",
    "fill_contacts",
    "find_cycle",
    "foot_contacts",
    "give_travel",
    "ground",
    "is_in_place",
    "lift",
    "mirror",
    "move",
    "repeat",
    "resample",
    "scale",
    "smooth",
    "symmetric_gait",
    "translate",
    "turn_up",
    "velocities",
]
