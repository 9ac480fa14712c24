"""Give it a motion; get a character that performs it in physics and stays on its feet.

    import surefoot

    motion = surefoot.read_motion("walk.bvh")
    rigged = surefoot.rig(motion)
    rigged.character.xml, rigged.qpos

Names are loaded when they are first used, so that `import surefoot` costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from surefoot.bundle import Bundle, bundle_of, load, save
    from surefoot.character.builtin import builtin
    from surefoot.character.character import Character
    from surefoot.character.load import load_character
    from surefoot.character.retarget import RetargetConfig, Retargeted, retarget
    from surefoot.character.rig import RigConfig, RigEdits, Rigged, edits_template, read_edits, rig
    from surefoot.errors import InputError, MissingExtra, SurefootError
    from surefoot.motion.files import Clip, ReadOptions, list_clips, read_motion, write_motion
    from surefoot.motion.motion import Guess, Motion, Source
    from surefoot.motion.skeleton import Skeleton, Tip
    from surefoot.physics import BatchEngine, Engine, Push, Rollout, Scene

_PLACES = {
    "BatchEngine": "surefoot.physics",
    "Bundle": "surefoot.bundle",
    "Character": "surefoot.character.character",
    "Clip": "surefoot.motion.files",
    "Engine": "surefoot.physics",
    "Guess": "surefoot.motion.motion",
    "InputError": "surefoot.errors",
    "MissingExtra": "surefoot.errors",
    "Motion": "surefoot.motion.motion",
    "Push": "surefoot.physics",
    "ReadOptions": "surefoot.motion.files",
    "RetargetConfig": "surefoot.character.retarget",
    "Retargeted": "surefoot.character.retarget",
    "RigConfig": "surefoot.character.rig",
    "RigEdits": "surefoot.character.rig",
    "Rigged": "surefoot.character.rig",
    "Rollout": "surefoot.physics",
    "Scene": "surefoot.physics",
    "Skeleton": "surefoot.motion.skeleton",
    "Source": "surefoot.motion.motion",
    "SurefootError": "surefoot.errors",
    "Tip": "surefoot.motion.skeleton",
    "builtin": "surefoot.character.builtin",
    "bundle_of": "surefoot.bundle",
    "edits_template": "surefoot.character.rig",
    "list_clips": "surefoot.motion.files",
    "load": "surefoot.bundle",
    "load_character": "surefoot.character.load",
    "read_edits": "surefoot.character.rig",
    "read_motion": "surefoot.motion.files",
    "retarget": "surefoot.character.retarget",
    "rig": "surefoot.character.rig",
    "save": "surefoot.bundle",
    "write_motion": "surefoot.motion.files",
}
"""Each public name and the module it is loaded from; the imports above say the same to type checkers."""

__all__ = [
    "BatchEngine",
    "Bundle",
    "Character",
    "Clip",
    "Engine",
    "Guess",
    "InputError",
    "MissingExtra",
    "Motion",
    "Push",
    "ReadOptions",
    "RetargetConfig",
    "Retargeted",
    "RigConfig",
    "RigEdits",
    "Rigged",
    "Rollout",
    "Scene",
    "Skeleton",
    "Source",
    "SurefootError",
    "Tip",
    "builtin",
    "bundle_of",
    "edits_template",
    "list_clips",
    "load",
    "load_character",
    "read_edits",
    "read_motion",
    "retarget",
    "rig",
    "save",
    "write_motion",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("surefoot")
    if name not in _PLACES:
        raise AttributeError(f"module 'surefoot' has no attribute '{name}'; it has {', '.join(__all__)}")
    value = getattr(importlib.import_module(_PLACES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
