"""Several characters in one world that can collide: one model, each character's names behind a prefix.

    "anna/pelvis", "ben/pelvis", ...        qpos = (qpos of anna, qpos of ben, ..., props)

The composed model is a character like any other, of several trees, so that the engine runs it, pushes it and dumps it as ever. One alone
keeps its names. MuJoCo writes a composed model's numbers with six digits: bodies weigh what they weigh alone to a millionth.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

import mujoco
import numpy as np

from surefoot.character.character import Character
from surefoot.errors import InputError
from surefoot.motion.skeleton import Skeleton, Tip

MOST = 32
"""Characters in one world."""


@dataclass(frozen=True, kw_only=True)
class Part:
    """One character's share of the world's rows."""

    character: Character
    prefix: str
    """What stands before its names in the world."""
    qpos: slice
    """Of the world's qpos; likewise the others."""
    qvel: slice
    ctrl: slice
    bodies: slice
    """Of the world's skeleton."""


def compose(characters: Mapping[str, Character]) -> tuple[Character, dict[str, Part]]:
    """All characters as one, and which part of it each is. They stand where their own models put them: place their roots."""
    if not 1 <= len(characters) <= MOST:
        raise InputError(f"a world holds 1 to {MOST} characters, got {len(characters)}.")
    for name in characters:
        if not re.fullmatch(r"[\w .-]{1,40}", name):
            raise InputError(f"'{name}' cannot name a character in a world: letters, digits, spaces, dots and hyphens, at most 40.")
    if len(characters) == 1:
        name, alone = next(iter(characters.items()))
        return alone, parts({name: alone}, prefixed=False)
    first = next(iter(characters.values()))
    for name, character in characters.items():
        if character.timestep != first.timestep:
            raise InputError(
                f"characters in one world share its time step: '{name}' has {character.timestep:g} s, the first {first.timestep:g} s."
            )
    spec = mujoco.MjSpec.from_string(first.xml)
    for body in list(spec.worldbody.bodies):
        spec.delete(body)
    for thing in (*spec.keys, *spec.texts, *spec.actuators, *spec.sensors, *spec.excludes):
        spec.delete(thing)
    for name, character in characters.items():
        own = mujoco.MjSpec.from_string(character.xml)
        for thing in (*own.keys, *own.texts, *own.sensors, *own.worldbody.geoms, *own.worldbody.lights):
            own.delete(thing)
        spec.attach(own, prefix=f"{name}/", frame=spec.worldbody.add_frame())
    try:
        model = spec.compile()
        xml = spec.to_xml()
    except ValueError as error:
        raise InputError(f"MuJoCo cannot put these characters into one world: {error}") from None
    shares = parts(characters, prefixed=True)
    whole = replace(
        first,
        name=" and ".join(characters),
        xml=xml,
        model=model,
        skeleton=_joined(shares),
        feet=tuple(f"{share.prefix}{foot}" for share in shares.values() for foot in share.character.feet),
        end_effectors=tuple(f"{share.prefix}{end}" for share in shares.values() for end in share.character.end_effectors),
        partners={f"{s.prefix}{a}": f"{s.prefix}{b}" for s in shares.values() for a, b in s.character.partners.items()},
        height=max(character.height for character in characters.values()),
        report=(),
        source={},
    )
    return whole, shares


def parts(characters: Mapping[str, Character], *, prefixed: bool) -> dict[str, Part]:
    """Where each character lies in the world's rows."""
    out: dict[str, Part] = {}
    qpos = qvel = ctrl = bodies = 0
    for name, character in characters.items():
        model, joints = character.model, len(character.skeleton.names)
        out[name] = Part(
            character=character,
            prefix=f"{name}/" if prefixed else "",
            qpos=slice(qpos, qpos + model.nq),
            qvel=slice(qvel, qvel + model.nv),
            ctrl=slice(ctrl, ctrl + model.nu),
            bodies=slice(bodies, bodies + joints),
        )
        qpos, qvel, ctrl, bodies = qpos + model.nq, qvel + model.nv, ctrl + model.nu, bodies + joints
    return out


def _joined(shares: Mapping[str, Part]) -> Skeleton:
    names: list[str] = []
    parents: list[int] = []
    tips: list[Tip] = []
    for share in shares.values():
        own, before = share.character.skeleton, len(names)
        names += [f"{share.prefix}{name}" for name in own.names]
        parents += [int(p) + before if p >= 0 else -1 for p in own.parents]
        tips += [replace(tip, joint=tip.joint + before) for tip in own.tips]
    skeletons = [share.character.skeleton for share in shares.values()]
    return Skeleton(
        tuple(names),
        np.array(parents),
        np.concatenate([own.translations for own in skeletons]),
        np.concatenate([own.rotations for own in skeletons]),
        tuple(tips),
    )
