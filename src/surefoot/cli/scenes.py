"""Scenes as the command line names them: "slope:5", "steps:0.1@1.0", "drop:1.0@0.7", "bumps:0.05"; or a JSON file."""

from __future__ import annotations

import json
import re
from pathlib import Path

from surefoot.errors import InputError, unknown_name
from surefoot.motion.limits import read_bytes
from surefoot.physics.scene import Scene
from surefoot.physics.terrain import GROUNDS

SIZES = {"slope": "degrees", "steps": "rise", "drop": "height", "bumps": "amplitude"}
"""What SIZE means, by kind of ground."""
STARTS = {"steps": "start", "drop": "edge"}
"""What START means, by kind of ground."""
MAX_SCENE = 2**20
"""Bytes of a scene's file."""


def scene_of(ground: str | None, file: Path | None) -> Scene | None:
    """The scene that the flags ask for; None where they ask for none."""
    if ground is not None and file is not None:
        raise InputError("--ground and --scene: a scene's file names its own ground; give one of them.")
    if file is not None:
        if not file.is_file():
            raise InputError(f"--scene {file}: there is no such file.")
        try:
            return Scene.from_json(json.loads(read_bytes(file, MAX_SCENE)))
        except (ValueError, RecursionError) as error:
            if isinstance(error, InputError):
                raise
            raise InputError(f"--scene {file.name}: not JSON ({error}).") from None
    return None if ground is None else _ground(ground)


def _ground(said: str) -> Scene:
    match = re.fullmatch(r"([a-z]+)(?::([-+.\deE]+))?(?:@([-+.\deE]+))?", said)
    if match is None:
        raise InputError(f"--ground {said}: expected KIND, KIND:SIZE or KIND:SIZE@START, as slope:5 or drop:1.0@0.7.")
    kind, size, start = match.groups()
    if kind not in GROUNDS:
        raise unknown_name("--ground", kind, GROUNDS)
    values: dict[str, object] = {"kind": kind}
    for what, names, given in (("size", SIZES, size), ("start", STARTS, start)):
        if given is None:
            continue
        if kind not in names:
            raise InputError(f"--ground {said}: {kind} has no {what}.")
        try:
            values[names[kind]] = float(given)
        except ValueError:
            raise InputError(f"--ground {said}: '{given}' is not a number.") from None
    return Scene.from_json({"ground": values})
