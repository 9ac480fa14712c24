"""Mutated bundles: a zip of a manifest, a character's text and arrays; and what a bundle that was read must be good for."""

from __future__ import annotations

import io
import json
import stat
import struct
import tempfile
import warnings
import zipfile
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from surefoot import rig
from surefoot.bundle import Bundle, bundle_of, encode, export, load, perform
from surefoot.bundle.report import BundleReport
from surefoot.errors import SurefootError
from surefoot.motion import bvh, gltf, gltf_write
from surefoot.physics import Ball, Drop, Scene
from surefoot.physics.scene import Box, Platform
from surefoot.play.benchmark import feedback, swaying
from tests.fuzz import containers, mutate, probe
from tests.fuzz.mutate import MOST, TRASH, Rng, dumps, of_bytes, of_tree, pick
from tests.motion.bodies import person
from tests.motion.bvh_dialects import write

PLAYED = 0.1
"""Seconds that a bundle which was read is played."""


@cache
def seeds() -> list[bytes]:
    """A clip tracked open loop, with the GLB that it came from; feedback in a scene of everything."""
    motion = bvh.read(write(person(frames=5)).data, "seed.bvh")
    glb = gltf_write.encode(motion)
    read = gltf.read(glb, "seed.glb")
    tracked = bundle_of(read, rig(read), source=glb)
    reference = swaying(tracked.character)
    reference = replace(reference, qpos=reference.qpos[::4], frame_time=4 * reference.frame_time)
    scene = Scene(
        ground=Drop(), obstacles=(Box(position=(3.0, 0.0, 0.2)),), props=(Ball(), Platform(position=(0.0, 4.0, 0.1))), friction=0.8
    )
    learned = Bundle(
        name="sway",
        character=tracked.character,
        policy=feedback(reference),
        reference=reference,
        starts=reference,
        scene=scene,
        method="guided",
        success=True,
        result={"mpjpe_mm": 3.0, "passes": [{"cost": 1.0}]},
        curves={"cost": np.arange(5.0)},
    )
    return [encode(tracked), encode(learned)]


def mutated(data: bytes, rng: Rng, others: list[bytes]) -> bytes:
    """A mutated bundle: its bytes, its directory, its manifest, its character, or its arrays."""
    if rng.integers(6) == 0:
        return containers.npz(data, rng, others)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {info.filename: archive.read(info) for info in archive.infolist()}
    for _ in range(int(rng.integers(1, 3))):
        match int(rng.integers(8)):
            case 0 | 1 | 2:
                members["manifest.json"] = dumps(_manifest(members, rng), rng)
            case 3:
                text = members.get("character.xml", b"")
                members["character.xml"] = _character(text, rng, others)
            case 4 | 5 | 6:
                name = pick(rng, sorted(members))
                members[name] = _member(name, members[name], rng)
            case _:
                name, other = (pick(rng, sorted(members)) for _ in range(2))
                members[name] = members[other]
        if not members:
            members = {"manifest.json": b"{}"}
    return _packed(members, rng)[: 4 * MOST]


def _manifest(members: dict[str, bytes], rng: Rng) -> Any:
    try:
        tree = json.loads(members.get("manifest.json", b"{}"))
    except (ValueError, RecursionError):
        return {}
    if not isinstance(tree, dict) or rng.integers(4) == 0:
        return of_tree(tree, rng)
    if rng.integers(2):  # inside one of its parts
        key = pick(rng, sorted(tree))
        return {**tree, key: of_tree(tree[key], rng)} if isinstance(tree[key], dict | list) else {**tree, key: pick(rng, mutate.ODD)}
    names = sorted(members)
    tricks = (
        ("members", {pick(rng, names): pick(rng, [*names, "../x"])}),
        ("schema", pick(rng, (0, 1, 2, 10**30, -1, 1.0, True, "1", None))),
        ("policy", {**_dict(tree.get("policy")), "kind": pick(rng, ("open loop", "linear feedback", "neural", "os.system", ""))}),
        ("scene", {**_dict(tree.get("scene")), "friction": pick(rng, (0, -1, 1e300, "x", None))}),
        ("scene", {**_dict(tree.get("scene")), "props": [pick(rng, _PROPS)] * pick(rng, (1, 3, 2000))}),
        ("scene", {**_dict(tree.get("scene")), "ground": pick(rng, _GROUNDS)}),
        ("reference", {**_dict(tree.get("reference")), "frame_time": pick(rng, (0, -1, 1e-300, 1e300, 1e-9, 1e9, "x"))}),
        ("performance", {"frame_time": pick(rng, (1e-6, 1e6, 1e-300, 0, 0.3))}),
    )
    key, value = pick(rng, tricks)
    return {**tree, key: value}


_PROPS: tuple[dict[str, Any], ...] = (
    {"kind": "ball", "name": "ball", "radius": 1e-9, "mass": 1e9, "position": [0, 0, 0]},
    {"kind": "ball", "name": "../x", "radius": -1, "mass": 0, "position": [1e300, 0, 0]},
    {"kind": "platform", "name": "a" * 5000, "size": [1e-12, 1e12, 0], "position": [0, 0, 0]},
    {"kind": "file"},
)
_GROUNDS: tuple[dict[str, Any], ...] = (
    {"kind": "bumps", "seed": 10**9, "level": 1e9, "size": 1e9},
    {"kind": "bumps", "seed": -1, "cell": 1e-9},
    {"kind": "slope", "degrees": 90.0},
    {"kind": "steps", "depth": 1e-12, "num": 10**9, "height": 1e9},
    {"kind": "drop", "height": -1e9},
    {"kind": "lava"},
)


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _character(text: bytes, rng: Rng, others: list[bytes]) -> bytes:
    """Injuries to numbers of the MJCF, so that many still compile; or anywhere."""
    match int(rng.integers(4)):
        case 0:
            return of_bytes(text, rng, others)
        case 1:
            return mutate.of_text(text, rng, ('<include file="/etc/passwd"/>', "<body>", "</body>", '<geom size="1"/>'))
        case _:
            return mutate.of_attributes(text, rng)


def _member(name: str, content: bytes, rng: Rng) -> bytes:
    """Injuries to an array: its header, its numbers; or to any bytes."""
    if not name.endswith(".npy") or rng.integers(4) == 0:
        return of_bytes(content, rng, [content])
    match int(rng.integers(4)):
        case 0:
            return containers._header(content, rng)
        case 1:
            return containers._array(rng)
        case _:
            out = bytearray(content)
            count = max(0, (len(out) - 128) // 8)
            values = (
                (float("nan"), float("inf"), 1e308, -1e308, 1e-310, 1e9) if rng.integers(4) == 0 else (0.0, -1.0, 0.3, 1e3, -30.0, 1e-9)
            )
            for _ in range(int(rng.integers(1, 10))):
                if count:
                    struct.pack_into("<d", out, 128 + 8 * int(rng.integers(count)), pick(rng, values))
            return bytes(out)


def _packed(members: dict[str, bytes], rng: Rng) -> bytes:
    """A zip, now and then with names, links, duplicates and sizes that lie."""
    out = io.BytesIO()
    trick = int(rng.integers(60))
    with warnings.catch_warnings(action="ignore"), zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for name, content in members.items():
            info = zipfile.ZipInfo("x")
            info.filename = name
            if trick == 0 and rng.integers(4) == 0:
                info.filename = pick(rng, ("../" + name, "/tmp/" + name, "C:\\" + name, name + "/", name.upper(), pick(rng, TRASH)))
            if trick == 1 and rng.integers(4) == 0:
                info.external_attr = pick(rng, (stat.S_IFLNK, stat.S_IFCHR, stat.S_IFIFO, stat.S_IFDIR)) << 16
                content = b"/etc/passwd" if rng.integers(2) else content
            if trick == 2:
                info.compress_type = pick(rng, (zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA))
            try:
                archive.writestr(info, content)
                if trick == 3 and rng.integers(4) == 0:
                    archive.writestr(info, b"again")
            except (UnicodeError, ValueError, struct.error):
                archive.writestr(f"m{len(content)}", content)
        if trick == 4:  # unpacks to far more than it weighs
            archive.writestr("policy/bomb.npy", bytes(30 * 2**20), zipfile.ZIP_DEFLATED, 1)
    return out.getvalue()


def read(data: bytes, rng: Rng) -> None:
    """Load it; what loads is described, written again to the same bytes twice, played for a moment, and exported."""
    with tempfile.TemporaryDirectory(prefix="fuzz") as folder, warnings.catch_warnings(), probe.forked(rng):
        warnings.filterwarnings("ignore", category=UserWarning)  # MuJoCo's own, on odd inertias
        path = Path(folder) / "fuzz.surefoot"
        path.write_bytes(data)
        bundle = load(path)
        BundleReport(bundle=bundle).text()
        json.dumps(BundleReport(bundle=bundle).to_json(), allow_nan=False)
        whole = encode(bundle)
        path.write_bytes(whole)
        assert encode(load(path)) == whole, "it is written otherwise when it is read again"
        done = perform(bundle, PLAYED, frame_time=0.02)
        assert np.isfinite(done.qpos).all(), "a pose is not finite"
        out = Path(folder) / f"out{pick(rng, ('.bvh', '.glb', '.npz'))}"
        try:
            export(bundle.replace(performance=done), out)
        except SurefootError:
            assert not out.exists(), "a refused export left a file"
        there = {item.name for item in Path(folder).iterdir()}
        assert there <= {path.name, out.name}, f"files were written: {there}"
