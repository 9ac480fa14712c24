"""A simulated character from any skeleton, with no settings at all."""

from surefoot.character.rig.config import RigConfig
from surefoot.character.rig.rig import Rigged, rig

__all__ = ["RigConfig", "Rigged", "rig"]
