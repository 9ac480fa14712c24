"""What is fuzzed: one function a format. Each gives seeds (small good files), a mutation, and a reading.

To add a format, write a function that returns a `Format` and name it in `FORMATS`. Its `read` may raise `SurefootError` with one line, and
nothing else; what it returns has been checked. Seeds are made in memory by our own writers; small real clips join them where they exist.
"""

from __future__ import annotations

import json
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from surefoot.motion import amc, bvh, deepmimic, deepmimic_body, gltf, npz, quadruped
from surefoot.motion.files import ReadOptions, read_motion
from surefoot.motion.motion import Motion
from tests.clips import MOTIONS
from tests.fuzz import containers, mutate, probe
from tests.fuzz.mutate import Rng, pick
from tests.motion.bodies import DOG, DOG_TIPS, person, walk
from tests.motion.bvh_dialects import MIXED, Dialect, write


@dataclass(frozen=True)
class Format:
    """One kind of file."""

    seeds: list[bytes]
    mutate: Callable[[bytes, Rng, list[bytes]], bytes]
    """A seed, a generator, all seeds: the mutated file."""
    read: Callable[[bytes, Rng], None]
    """Reads and checks; the generator may choose among options."""


def check(motion: Motion) -> None:
    """What a valid motion is, beyond what its constructor holds."""
    positions, world = motion.world
    assert np.isfinite(positions).all(), "joint positions are not finite"
    assert np.abs(np.linalg.norm(motion.rotations, axis=-1) - 1.0).max() < 1e-6, "rotations are no unit quaternions"
    assert np.abs(np.linalg.norm(world, axis=-1) - 1.0).max() < 1e-4, "world rotations are no unit quaternions"
    assert np.abs(np.linalg.norm(motion.skeleton.rotations, axis=-1) - 1.0).max() < 1e-6, "rest rotations are no unit quaternions"
    assert np.isfinite(motion.skeleton.translations).all(), "the rest pose is not finite"
    assert np.isfinite(motion.tip_positions).all(), "tips are not finite"
    assert all(isinstance(name, str) for name in motion.skeleton.names)
    assert all(line and "\n" not in line for line in motion.source.warnings), "a warning is no line"
    assert all(0.0 <= guess.confidence <= 1.0 for guess in motion.source.guesses), "a confidence outside 0..1"
    json.dumps({"extra": motion.source.extra, "name": motion.name})


def options(rng: Rng) -> ReadOptions:
    """Mostly none, sometimes flags."""
    if rng.integers(3):
        return ReadOptions()
    return ReadOptions(
        up=pick(rng, (None, "Y", "Z", "X")),
        unit_m=pick(rng, (None, None, 0.01, 1.0)),
        fps=pick(rng, (None, None, 30.0, 1e-3, 1e5)),
        positions=pick(rng, (None, "absolute", "relative", "ignore")),
        drop_first_frame=bool(rng.integers(2)),
    )


def real(pattern: str) -> list[bytes]:
    """Real clips for development, where they are."""
    return [path.read_bytes() for path in sorted(MOTIONS.glob(pattern))[:2]]


def shortened(data: bytes, frames: int) -> bytes:
    """The first frames of a BVH."""
    head, tail = data.split(b"Frames:")
    rows = tail.split(b"\n")
    return head + b"Frames: %d\n" % frames + b"\n".join(rows[1 : 2 + frames]) + b"\n"


def small(frames: int = 5) -> list[Motion]:
    clips = (
        write(person(frames=frames, tips=True)),
        write(walk(DOG, DOG_TIPS, frames=frames), Dialect(unit_m=1.0, up="Z", positions="absolute")),
    )
    return [bvh.read(written.data, "seed.bvh") for written in clips]


def of_bvh() -> Format:
    dialects = (
        Dialect(),
        Dialect(positions="relative", orders=MIXED),
        Dialect(travel="below", positions="absolute", newline="\r\n"),
        Dialect(one_line=True),
    )
    seeds = (
        [write(person(frames=5), d).data for d in dialects]
        + [write(walk(DOG, frames=3)).data]
        + [shortened(data, 8) for data in real("cmu_bvh/*_09_*.bvh")]
    )
    blocks = (
        "JOINT a\n{\nOFFSET 0 1 0\nCHANNELS 3 Zrotation Xrotation Yrotation",
        "End Site\n{\nOFFSET 0 0 0\n}",
        "}",
        "{",
        "MOTION",
        "ROOT b\n{",
    )
    return Format(
        seeds,
        lambda data, rng, all_: mutate.of_text(data, rng, blocks) if rng.integers(4) else mutate.of_bytes(data, rng, all_),
        lambda data, rng: check(bvh.read(data, "fuzz.bvh", options(rng))),
    )


FIGURE = """:version 1.10
:name small
:units
  mass 1.0
  length 0.45
  angle deg
:documentation
  a small figure
:root
  order TX TY TZ RX RY RZ
  axis XYZ
  position 0 0 0
  orientation 0 0 0
:bonedata
  begin
    id 1
    name thigh
    direction 0.3 -0.95 0
    length 7.5
    axis 0 0 20 XYZ
    dof rx ry rz
    limits (-160.0 20.0)
           (-70.0 70.0)
           (-60.0 70.0)
  end
  begin
    id 2
    name shin
    direction 0.3 -0.95 0
    length 8
    axis 0 0 20 XYZ
    dof rx
    limits (-10.0 170.0)
  end
  begin
    id 3
    name back
    direction 0 1 0
    length 9
    axis 0 0 0 ZYX
    dof rx ty l
    limits (-10.0 inf)
  end
:hierarchy
  begin
    root thigh back
    thigh shin
  end
"""
FRAMES = """#!OML:ASF
:FULLY-SPECIFIED
:DEGREES
1
root 0 17 0 5 0 3
thigh 3 2 1
shin 20
back 1 0.1 0.2
2
root 0.1 17 0.2 5 1 3
thigh 3.5 2 1
shin 21
back 1e-3 0.1 -0.2
"""


def of_asf() -> Format:
    blocks = (
        "begin\nname a\ndirection 0 1 0\nlength 1\naxis 0 0 0 XYZ\nend",
        "end",
        "begin",
        ":hierarchy",
        "root thigh",
        "thigh root",
        "shin thigh",
    )
    return Format(
        [FIGURE.encode(), *real("cmu_amc/*.asf")],
        lambda data, rng, all_: mutate.of_text(data, rng, blocks) if rng.integers(4) else mutate.of_bytes(data, rng, all_),
        lambda data, rng: check(amc.read(data, "fuzz.asf", options(rng))),
    )


def of_amc() -> Format:
    def read(data: bytes, rng: Rng) -> None:
        with tempfile.TemporaryDirectory(prefix="fuzz") as folder:
            figure = Path(folder) / "seed.asf"
            figure.write_text(FIGURE, encoding="utf-8")
            check(amc.read(data, "fuzz.amc", replace(options(rng), skeleton=figure)))

    blocks = ("3\nroot 0 17 0 5 0 3\nthigh 3 2 1\nshin 20\nback 1 0.1 0.2", "root 0 0 0 0 0 0", ":RADIANS", "1")
    return Format(
        [FRAMES.encode()],
        lambda data, rng, all_: mutate.of_text(data, rng, blocks) if rng.integers(4) else mutate.of_bytes(data, rng, all_),
        read,
    )


def of_json(data: bytes, rng: Rng, others: list[bytes]) -> bytes:
    match int(rng.integers(4)):
        case 0:
            return mutate.of_bytes(data, rng, others)
        case 1:
            return mutate.of_text(data, rng)
        case _:
            return mutate.dumps(mutate.of_tree(json.loads(data), rng), rng)


def of_deepmimic() -> Format:
    still = [0.04, 0.0, 0.85, 0.0, 1.0, 0.0, 0.0, 0.0]
    ball, hinge = [1.0, 0.0, 0.0, 0.0], [0.1]
    row = still + ball * 2 + (ball + hinge + ball + ball + hinge) * 2
    seeds = [json.dumps({"Loop": "wrap", "Frames": [row] * 4}, indent=1).encode(), json.dumps({"Loop": "none", "Frames": [row]}).encode()]
    return Format(seeds, of_json, lambda data, rng: check(deepmimic.read(data, "fuzz.txt", options(rng))))


def of_deepmimic_body() -> Format:
    joints = [
        ("root", -1, 0.0),
        ("chest", 0, 0.2),
        ("left_hip", 0, 0.0),
        ("left_knee", 2, -0.4),
        ("right_hip", 0, 0.0),
        ("right_knee", 4, -0.4),
    ]
    tree = {
        "Skeleton": {
            "Joints": [
                {"ID": i, "Name": n, "Parent": p, "AttachX": 0.0, "AttachY": y, "AttachZ": 0.1 * i} for i, (n, p, y) in enumerate(joints)
            ]
        },
        "BodyDefs": [
            {"ID": i, "Shape": shape, "AttachY": -0.2, "Param0": 0.1, "Param1": 0.3}
            for i, shape in ((1, "sphere"), (3, "box"), (5, "capsule"))
        ],
    }
    seeds = [json.dumps(tree).encode(), json.dumps(tree, indent=1).encode()]
    return Format(seeds, of_json, lambda data, rng: check(deepmimic_body.read(data, "fuzz.txt", options(rng))))


def of_quadruped() -> Format:
    row = [0.0, 0.0, 0.43, 0.5, 0.5, 0.5, 0.5] + [0.0, 0.9, -1.8] * 4
    seeds = [json.dumps({"LoopMode": "Wrap", "FrameDuration": 0.04, "Frames": [row] * 4}, indent=1).encode()]
    return Format(seeds, of_json, lambda data, rng: check(quadruped.read(data, "fuzz.txt", options(rng))))


def of_glb() -> Format:
    def read(data: bytes, rng: Rng) -> None:
        if rng.integers(3) == 0:
            gltf.describe(data, "fuzz.glb", options(rng))
        check(gltf.read(data, "fuzz.glb", options(rng)))

    return Format([gltf.encode(m) for m in small()] + real("gltf/*figure.glb") + real("gltf/kenney*.glb"), containers.glb, read)


def of_gltf() -> Format:
    """glTF as text, its buffer embedded."""
    import base64
    import struct

    seeds = []
    for motion in small():
        data = gltf.encode(motion)
        size = struct.unpack_from("<I", data, 12)[0]
        tree = json.loads(data[20 : 20 + size])
        tree["buffers"][0]["uri"] = "data:application/octet-stream;base64," + base64.b64encode(data[20 + size + 8 :]).decode()
        seeds.append(json.dumps(tree).encode())
    return Format(seeds, containers.glb, lambda data, rng: check(gltf.read(data, "fuzz.gltf", options(rng))))


def of_npz() -> Format:
    return Format([npz.encode(m) for m in small()], containers.npz, lambda data, rng: check(npz.read(data, "fuzz.npz", options(rng))))


MODEL = """<mujoco model="small">
  <compiler angle="degree" autolimits="true"/>
  <option timestep="0.005" integrator="implicitfast"/>
  <default>
    <default class="limb"><geom type="capsule" size="0.05"/><joint range="-90 90"/></default>
  </default>
  <worldbody>
    <geom type="plane" size="5 5 0.1"/>
    <body name="trunk" pos="0 0 1">
      <freejoint/>
      <geom type="box" size="0.1 0.15 0.25" mass="20"/>
      <body name="thigh" pos="0 0.1 -0.25" childclass="limb">
        <joint name="hip" type="ball" range="0 80"/>
        <geom fromto="0 0 0 0 0 -0.4"/>
        <body name="shin" pos="0 0 -0.4">
          <joint name="knee" axis="0 1 0" range="0 140"/>
          <geom fromto="0 0 0 0 0 -0.4"/>
        </body>
      </body>
    </body>
  </worldbody>
  <actuator>
    <motor joint="knee" gear="50"/>
  </actuator>
</mujoco>
"""


def of_mjcf() -> Format:
    """Characters from MJCF text."""
    from surefoot.character.builtin import builtin
    from surefoot.character.load import load_character

    def read(data: bytes, rng: Rng) -> None:
        with tempfile.TemporaryDirectory(prefix="fuzz") as folder, probe.forked(rng):
            path = Path(folder) / "fuzz.xml"
            path.write_bytes(data)
            with warnings.catch_warnings(action="ignore", category=UserWarning):  # MuJoCo's own, on odd inertias
                character = load_character(path)
        assert np.isfinite(character.model.body_mass).all(), "masses are not finite"

    blocks = (
        '<body pos="0 0 0.1"><joint axis="0 0 1" range="-9 9"/><geom type="sphere" size="0.1"/>',
        "<body>",
        "</body>",
        '<geom type="mesh" mesh="a"/>',
        '<include file="/etc/passwd"/>',
        '<asset><texture name="t" type="2d" builtin="flat" width="100000" height="100000"/></asset>',
        '<asset><hfield name="h" nrow="30000" ncol="30000" size="1 1 1 1"/></asset>',
        '<size memory="100G"/>',
        '<custom><numeric name="n" size="900000000"/></custom>',
        '<replicate count="1000000" offset="1 0 0"><body><geom size="1"/></body></replicate>',
        '<composite type="cable" count="100000 1 1"/>',
    )

    def mutated(data: bytes, rng: Rng, others: list[bytes]) -> bytes:
        kind = int(rng.integers(5))
        if kind < 2:
            return mutate.of_attributes(data, rng)
        return mutate.of_bytes(data, rng, others) if kind == 2 else mutate.of_text(data, rng, blocks)

    return Format([MODEL.encode(), builtin("deepmimic").xml.encode()], mutated, read)


def of_bundle() -> Format:
    """Bundles, which are played and exported when they are read."""
    from tests.fuzz import bundles

    return Format(bundles.seeds(), bundles.mutated, bundles.read)


def of_recording() -> Format:
    """Recordings and crash files, which are replayed when they are read."""
    from tests.fuzz import recordings

    return Format(recordings.seeds(), recordings.mutated, recordings.read)


def of_any() -> Format:
    """Files on disk under any name, through the door that finds out what they are."""
    formats = [make() for name, make in FORMATS.items() if name not in ("any", "mjcf", "bundle", "recording")]
    owners = {seed: f for f in formats for seed in f.seeds}

    def read(data: bytes, rng: Rng) -> None:
        suffix = pick(rng, (".bvh", ".glb", ".gltf", ".txt", ".json", ".amc", ".asf", ".npz", "", ".fbx", ".BVH"))
        with tempfile.TemporaryDirectory(prefix="fuzz") as folder:
            figure, path = Path(folder) / "seed.asf", Path(folder) / f"fuzz{suffix}"
            figure.write_text(FIGURE, encoding="utf-8")
            path.write_bytes(data)
            check(read_motion(path, replace(options(rng), skeleton=figure)))

    return Format(list(owners), lambda data, rng, all_: owners[data].mutate(data, rng, owners[data].seeds), read)


FORMATS: dict[str, Callable[[], Format]] = {
    "bvh": of_bvh,
    "asf": of_asf,
    "amc": of_amc,
    "deepmimic": of_deepmimic,
    "deepmimic_body": of_deepmimic_body,
    "quadruped": of_quadruped,
    "glb": of_glb,
    "gltf": of_gltf,
    "npz": of_npz,
    "mjcf": of_mjcf,
    "bundle": of_bundle,
    "recording": of_recording,
    "any": of_any,
}
