"""A motion onto another body, by limbs matched by geometry and names and full-body inverse kinematics."""

from surefoot.character.retarget.config import RetargetConfig
from surefoot.character.retarget.keys import Keyframes, transfer_keys
from surefoot.character.retarget.matching import Matching, parse_overrides, read_overrides
from surefoot.character.retarget.retarget import Retargeted, retarget

__all__ = ["Keyframes", "Matching", "RetargetConfig", "Retargeted", "parse_overrides", "read_overrides", "retarget", "transfer_keys"]
