"""Material of our own: key-framed motions of two characters, made from their scripts in memory.

    motion("humanoid/walk"), names(), glb("dinosaur"), skill("humanoid/walk")

They are drawn to be recognised, not to obey physics: the jumps hover. Skills are bundles that `surefoot learn` made of them
(`make skills`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.resources import files

from surefoot.errors import unknown_name
from surefoot.material import dinosaur_box, dinosaur_jump, dinosaur_walk, humanoid_box, humanoid_gaits, humanoid_getup, humanoid_jump
from surefoot.material.body import surface
from surefoot.material.characters import DINO, HUMAN, LOOKS
from surefoot.material.keyframes import Score
from surefoot.material.puppet import Puppet
from surefoot.motion import gltf_write
from surefoot.motion.motion import Motion

_SCRIPTS: dict[str, tuple[Puppet, Callable[[], Score]]] = {
    "humanoid/walk": (HUMAN, humanoid_gaits.walk),
    "humanoid/run": (HUMAN, humanoid_gaits.run),
    "humanoid/jump": (HUMAN, humanoid_jump.jump),
    "humanoid/box": (HUMAN, humanoid_box.box),
    "humanoid/getup": (HUMAN, humanoid_getup.getup),
    "dinosaur/walk": (DINO, dinosaur_walk.walk),
    "dinosaur/box": (DINO, dinosaur_box.box),
    "dinosaur/jump": (DINO, dinosaur_jump.jump),
}


_SKILLS = ("humanoid/walk",)


def names() -> tuple[str, ...]:
    """All motions, as "character/clip"."""
    return tuple(_SCRIPTS)


@cache
def motion(name: str) -> Motion:
    """A built-in motion by its name, at 30 frames a second."""
    if name not in _SCRIPTS:
        raise unknown_name("built-in motion", name, _SCRIPTS)
    puppet, script = _SCRIPTS[name]
    return puppet.animate(name.split("/")[1], script())


@cache
def glb(character: str) -> bytes:
    """A GLB file of a character: its skeleton, a skinned body and all its clips."""
    if character not in LOOKS:
        raise unknown_name("character of our own", character, LOOKS)
    first, *others = [motion(name) for name in names() if name.split("/")[0] == character]
    return gltf_write.encode(first, clips=others, body=surface(first.skeleton, LOOKS[character]))


def skill(name: str) -> bytes:
    """The bundle of a skill that was learned from a built-in motion."""
    if name not in _SKILLS:
        raise unknown_name("built-in skill", name, _SKILLS)
    return (files("surefoot.material") / "skills" / f"{name.replace('/', '-')}.surefoot").read_bytes()
