"""A simulated character from any skeleton, with no settings at all."""

from surefoot.character.rig.config import RigConfig
from surefoot.character.rig.edits import BodyEdit, RigEdits, parse_edits, read_edits
from surefoot.character.rig.rig import Rigged, edits_template, rig

__all__ = ["BodyEdit", "RigConfig", "RigEdits", "Rigged", "edits_template", "parse_edits", "read_edits", "rig"]
