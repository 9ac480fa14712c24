"""Mutated recordings and crash files: arrays in a zip, facts as JSON bytes in one of them; what is read is replayed."""

from __future__ import annotations

import io
import json
import tempfile
import warnings
import zipfile
from functools import cache
from pathlib import Path

import numpy as np

from surefoot.archive import encode_array
from surefoot.character.builtin import builtin
from surefoot.physics import Ball, BatchEngine, Scene, crash
from surefoot.play import Player, Recording, Role
from surefoot.play.benchmark import swaying
from surefoot.policy import track
from tests.fuzz import bundles, containers, mutate, probe
from tests.fuzz.mutate import Rng, dumps, of_tree, pick

STEPS = 300
"""Most steps that are replayed."""


@cache
def seeds() -> list[bytes]:
    """One character that is pushed, two with a ball, and a simulation that diverged."""
    character = builtin("deepmimic")
    reference = swaying(character)
    role = Role(character=character, policy=track(character, reference), reference=reference)
    one = Player(character, role.policy, reference)
    one.push((50.0, 0.0, 0.0))
    two = Player.of({"anna": role, "ben": Role(**{**vars(role), "position": (0.0, 2.0)})}, balls=1, scene=Scene(props=(Ball(),)))
    two.throw(at="ben")
    with tempfile.TemporaryDirectory() as folder:
        for player, name in ((one, "one"), (two, "two")):
            player.advance(0.1)
            player.recording().save(f"{folder}/{name}.npz")
        engine = BatchEngine(character, 1, 1, dump=folder)
        engine.vary("body_mass", engine.model.body_mass[None])
        engine.qvel[0, 10] = 1e9
        engine.step(None, 3)
        return [(Path(folder) / name).read_bytes() for name in ("one.npz", "two.npz", crash.NAME)]


def mutated(data: bytes, rng: Rng, others: list[bytes]) -> bytes:
    """A mutated file: its bytes and directory, its facts, or its arrays."""
    if rng.integers(4) == 0:
        return containers.npz(data, rng, others)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {info.filename: archive.read(info) for info in archive.infolist()}
    match int(rng.integers(8)):
        case 0 | 1 | 2:
            start = 10 + int.from_bytes(members["facts.npy"][8:10], "little")
            text = dumps(of_tree(json.loads(members["facts.npy"][start:]), rng), rng)
            members["facts.npy"] = encode_array(np.frombuffer(text, dtype=np.uint8))
        case 3:
            name, other = (pick(rng, sorted(members)) for _ in range(2))
            members[name] = members[other]
        case _:
            name = pick(rng, sorted(members))
            members[name] = bundles._member(name, members[name], rng)
    return bundles._packed(members, rng)[: 4 * mutate.MOST]


def read(data: bytes, rng: Rng) -> None:
    """Load it; what loads is written to the same bytes again, and replayed."""
    with tempfile.TemporaryDirectory(prefix="fuzz") as folder, warnings.catch_warnings(), probe.forked(rng):
        warnings.filterwarnings("ignore", category=UserWarning)  # MuJoCo's own, on odd inertias
        path = Path(folder) / "fuzz.npz"
        path.write_bytes(data)
        if b"control.npy" in data:
            looked = crash.read(path)
            if len(looked.control) < STEPS:
                crash.describe(looked)
            return
        recording = Recording.load(path)
        recording.save(path)
        whole = path.read_bytes()
        Recording.load(path).save(path)
        assert path.read_bytes() == whole, "it is written otherwise when it is read again"
        if int(recording.substeps.sum()) < STEPS:
            recording.replay()
