"""The first simulation that diverged, kept to be looked at.

    python -m surefoot.physics.crash FOLDER/diverged.npz [--png FILE]

replays the period substep by substep and says at which one it broke, what was fastest before, and draws the last good pose.
"""

from __future__ import annotations

import argparse
import json
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from mujoco.batch import MODEL_FIELDS
from numpy.typing import NDArray

from surefoot.archive import Archive, write_archive
from surefoot.character.character import Character
from surefoot.character.load import parse_character
from surefoot.character.quiet import quiet
from surefoot.errors import InputError, SurefootError, one_line
from surefoot.motion.limits import read_bytes, shown
from surefoot.physics.layout import ALL, layout
from surefoot.physics.scene import Scene, compile_scene

Array = NDArray[np.float64]

NAME = "diverged.npz"
SCHEMA = 1
COUNTED = frozenset({"geom_contype", "geom_conaffinity", "geom_priority"})
"""Fields of whole numbers that are taken from a file; others are indices and kinds."""
FIELD = "varied"
"""Folder of the fields of the model in a crash file."""
CTRL = int(mujoco.mjtState.mjSTATE_CTRL)
CTRL_AND_FORCES = CTRL | int(mujoco.mjtState.mjSTATE_XFRC_APPLIED)


@dataclass(frozen=True, kw_only=True, eq=False)
class Crash:
    """A simulation and the inputs under which it diverged."""

    xml: str
    """The character."""
    scene: Scene
    varied: dict[str, Array]
    """Model fields of this simulation that differ from the model's."""
    row: Array  # (S,)
    """Its state before the period."""
    control: Array  # (n, num_inputs)
    """Inputs of every substep of the period."""
    spec: int
    """Which parts of the state the inputs are (mjtState bits)."""


def write(folder: Path, crash: Crash) -> Path:
    """Write a crash into a folder, which is made; an older one is replaced."""
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"schema": SCHEMA, "xml": crash.xml, "scene": crash.scene.to_json(), "spec": crash.spec})
    arrays = {f"{FIELD}/{name}.npy": np.asarray(value) for name, value in crash.varied.items()}
    facts = np.frombuffer(text.encode(), dtype=np.uint8)
    write_archive(folder / NAME, {"facts.npy": facts, "row.npy": crash.row, "control.npy": crash.control, **arrays})
    return folder / NAME


def read(path: str | Path) -> Crash:
    """Read a crash file, which may come from a stranger."""
    archive = Archive(read_bytes(path), shown(path))
    try:
        facts = json.loads(bytes(archive.array("facts.npy", (None,), "u")))
        if facts["schema"] != SCHEMA:
            raise ValueError(f"schema {one_line(repr(facts['schema']), 20)}; this one reads {SCHEMA}")
        # Targets that are not finite may be what it diverged by.
        crash = Crash(
            xml=str(facts["xml"]),
            scene=Scene.from_json(facts["scene"]),
            varied=archive.arrays(FIELD, "fi", finite=False),
            row=archive.array("row.npy", (None,), finite=False),
            control=archive.array("control.npy", (None, None), finite=False),
            spec=int(facts["spec"]),
        )
    except (KeyError, ValueError, TypeError, OverflowError, RecursionError) as error:
        raise InputError(f"{archive.name}: not a crash file of surefoot ({one_line(str(error), 100)}).") from None
    _check(crash, archive.name)
    return crash


def _check(crash: Crash, name: str) -> None:
    """An error where a crash, which may come from a stranger, does not fit its model; the model is tried before it is compiled here."""
    model = compile_scene(parse_character(crash.xml, name), crash.scene)
    if crash.spec not in (CTRL, CTRL_AND_FORCES):
        raise InputError(f"{name}: its inputs are no parts of a state that are known ({crash.spec}).")
    wanted = (mujoco.mj_stateSize(model, ALL),), (mujoco.mj_stateSize(model, crash.spec),)
    if crash.row.shape != wanted[0] or crash.control.ndim != 2 or crash.control.shape[1:] != wanted[1]:
        raise InputError(f"{name}: its row {crash.row.shape} and inputs {crash.control.shape} are not of the model's sizes.")
    for field, value in crash.varied.items():
        told = f"{name}: '{one_line(field, 40)}'"
        if field not in MODEL_FIELDS or np.shape(_field(model, field)) != value.shape:
            raise InputError(f"{told} of shape {value.shape} is no field of the model that may vary.")
        if field not in COUNTED and np.asarray(_field(model, field)).dtype.kind != "f":
            raise InputError(f"{told} is a field of indices or kinds, which could lead MuJoCo anywhere; such crashes are not replayed.")
        if not np.isfinite(value).all():
            raise InputError(f"{told} holds a NaN or an infinity: that is what it diverged by.")


def _field(model: mujoco.MjModel, field: str) -> Any:
    return getattr(model.opt, field[4:]) if field.startswith("opt.") else getattr(model, field)


def replay(crash: Crash) -> tuple[mujoco.MjModel, Array, str]:
    """The model, the good rows (n, S) up to the one at which it broke, and MuJoCo's complaint."""
    model = compile_scene(Character.from_xml(crash.xml), crash.scene)
    for name, value in crash.varied.items():
        target = _field(model, name)
        if isinstance(target, np.ndarray):
            target[...] = value
        else:
            setattr(model.opt, name[4:], value)
    data = mujoco.MjData(model)
    rows, complaint = [crash.row], "it did not diverge again"
    with quiet():
        if crash.varied:
            mujoco.mj_setConst(model, data)
        mujoco.mj_setState(model, data, crash.row, ALL)
        for inputs in crash.control:
            mujoco.mj_setState(model, data, inputs, crash.spec)
            try:
                mujoco.mj_step(model, data)
            except mujoco.FatalError as error:
                complaint = str(error)
                break
            found = [kind for kind in range(mujoco.mjtWarning.mjNWARNING.value) if data.warning[kind].number]
            if found:
                complaint = mujoco.mju_warningText(found[0], data.warning[found[0]].lastinfo)
                break
            row = np.empty(len(crash.row))
            mujoco.mj_getState(model, data, row, ALL)
            rows.append(row)
    return model, np.array(rows), complaint


def describe(crash: Crash) -> str:
    """What happened, line by line."""
    model, rows, complaint = replay(crash)
    parts = layout(model)
    last = rows[-1]
    speeds = np.abs(last[parts.qvel])
    lines = [
        f"{complaint.strip()}",
        f"substep {len(rows)} of {len(crash.control)} from t = {crash.row[parts.time]:.4f} s",
        f"the last good state is t = {last[parts.time]:.4f} s",
        "fastest then:",
    ]
    for dof in np.argsort(-speeds)[:5]:
        lines.append(f"  joint '{model.joint(int(model.dof_jntid[dof])).name}' at {last[parts.qvel][dof]:.4g} (m/s or rad/s)")
    data = mujoco.MjData(model)
    with quiet(), suppress(mujoco.FatalError):  # what broke it may break here, too
        mujoco.mj_setState(model, data, last, ALL)
        mujoco.mj_forward(model, data)
    deep = sorted(data.contact, key=lambda contact: float(contact.dist))[:3]
    lines += [f"  contact '{model.geom(c.geom1).name}' with '{model.geom(c.geom2).name}', {-1000 * c.dist:.1f} mm deep" for c in deep]
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    """Look at a crash file."""
    parser = argparse.ArgumentParser(prog="python -m surefoot.physics.crash", description="Look at a simulation that diverged.")
    parser.add_argument("file")
    parser.add_argument("--png", help="draw the last good pose into this file")
    given = parser.parse_args(arguments)
    try:
        crash = read(given.file)
        print(describe(crash))
        if given.png:
            _draw(crash, given.png)
    except SurefootError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    return 0


def _draw(crash: Crash, path: str) -> None:
    from surefoot.picture import character_picture

    model, rows, _ = replay(crash)
    character = Character.from_xml(crash.xml)
    pose = rows[-1][layout(model).qpos][: character.model.nq]
    try:
        character_picture(character, pose, size=(960, 720)).save(path)
    except (OSError, ValueError) as error:
        raise InputError(f"{shown(path)}: the picture cannot be written ({error}).") from None


if __name__ == "__main__":
    sys.exit(main())
