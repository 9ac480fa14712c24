"""The characters that come with the package, by name.

    builtin("humanoid").motion(qpos, frame_time)

A name stands for a function without arguments; its character is compiled once.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from surefoot.character import deepmimic as _deepmimic
from surefoot.character import dinosaur as _dinosaur
from surefoot.character import humanoid as _humanoid
from surefoot.character import robot as _robot
from surefoot.character.character import Character
from surefoot.errors import unknown_name


@cache
def humanoid() -> Character:
    """A person: 1.70 m, 62 kg, 45 degrees of freedom, feet with toes."""
    return Character.from_blueprint(_humanoid.blueprint())


@cache
def deepmimic() -> Character:
    """The body of the DeepMimic clips: 45 kg, 34 degrees of freedom."""
    return Character.from_blueprint(_deepmimic.blueprint())


@cache
def dinosaur() -> Character:
    """A cartoon biped, 1.5 m tall, 50 kg, 21 bodies: a heavy head and a tail that balances it."""
    return Character.from_blueprint(_dinosaur.blueprint())


@cache
def robot() -> Character:
    """A boxy robot, 1.6 m, 70 kg, 34 degrees of freedom: broad trunk, short legs, feet like bricks."""
    return Character.from_blueprint(_robot.blueprint())


_MAKERS: dict[str, Callable[[], Character]] = {"humanoid": humanoid, "deepmimic": deepmimic, "dinosaur": dinosaur, "robot": robot}


def names() -> tuple[str, ...]:
    """Names that `builtin` knows."""
    return tuple(_MAKERS)


def made() -> tuple[Character, ...]:
    """Those that have been compiled already."""
    return tuple(maker() for maker in (humanoid, deepmimic, dinosaur) if maker.cache_info().currsize)


def builtin(name: str) -> Character:
    """The built-in character of that name."""
    if name not in _MAKERS:
        raise unknown_name("built-in character", name, _MAKERS)
    return _MAKERS[name]()
