"""Characters from MJCF: ours as they are, anybody's with servos of ours.

text (of several files: standalone) -> refused when dangerous (guard) -> tried in a process of its own (guard.probe) -> compiled
     -> ours as it is, others adopted (adopt)
"""

from __future__ import annotations

from pathlib import Path

import mujoco

from surefoot.character import builtin
from surefoot.character.adopt import adopt, check_joints
from surefoot.character.blueprint import Servo
from surefoot.character.bounds import check_facts, check_model
from surefoot.character.character import Character, from_model, read_facts
from surefoot.character.guard import OtherFiles, probe, refuse_dangers
from surefoot.character.quiet import quiet
from surefoot.errors import InputError
from surefoot.motion.limits import read_bytes, shown

MAX_BYTES = 16 * 2**20


def load_character(path: str | Path, servo: Servo | None = None, *, trust_files: bool = False) -> Character:
    """A character from an MJCF file. With `trust_files` it may name others: includes and meshes, which are put into its text."""
    name = shown(path)
    if trust_files:
        from surefoot.character.standalone import standalone

        return parse_character(standalone(path), name, servo)
    try:
        text = read_bytes(path, MAX_BYTES).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{name}: not an MJCF file: its text is not UTF-8.") from None
    try:
        return parse_character(text, name, servo)
    except OtherFiles as error:
        raise InputError(f"{error} If you trust it, --trust-files (trust_files=True in Python) reads what it names.") from None


def parse_character(text: str, name: str = "character", servo: Servo | None = None) -> Character:
    """A character from MJCF text. Includes, plugins, outside files and whatever crashes the compiler are refused."""
    for known in builtin.made():
        if text == known.xml:
            return known
    if len(text) > MAX_BYTES:
        raise InputError(f"{name}: {len(text) / 2**20:.0f} MB of MJCF, more than the {MAX_BYTES // 2**20} MB that are read.")
    refuse_dangers(text, name)
    probe(text, name)
    try:
        with quiet():
            spec = mujoco.MjSpec.from_string(text)
            model = spec.compile()
    except ValueError as error:
        raise InputError(f"{name}: MuJoCo cannot compile it: {error}") from None
    check_joints(model, name)
    check_model(model, name)
    known_facts = read_facts(model)
    if known_facts is None:
        return adopt(spec, model, name, servo or Servo())
    driven = sum(3 if kind == mujoco.mjtJoint.mjJNT_BALL else 1 for kind in model.jnt_type[1:])
    if model.nu != driven:
        raise InputError(f"{name}: a character of ours has one servo for each way its joints turn, {driven}; this one has {model.nu}.")
    character = from_model(text, model, known_facts)
    check_facts(character, name)
    return character
