"""A bundle: a character, what it has learned and where that came from, in one file.

    manifest.json        schema, method, success, numbers, config, seed, versions, source, and the JSON half of all below
    character.xml        MJCF
    policy/*.npy         the policy's arrays
    reference/*.npy      the poses that it is meant to perform (T, nq)
    starts/*.npy         poses that it really passes through, where they are known: evaluation begins there
    performance/qpos.npy the poses that it performed in the simulation (T, nq), so that export gives back what was seen
    curves/*.npy         what went on while it was found: terms of the cost over time, the best of every pass
    motion/*.npy         the source's clip on its own skeleton
    source.glb           the source's own file, so that its mesh takes the performance back

No clock time, duration of work, thread count or path stands in it: the same work is the same bytes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.archive import Archive, Member, pack
from surefoot.bundle.manifest import cleaned, fact, facts, optional, plain
from surefoot.bundle.migrate import SCHEMA, migrated
from surefoot.bundle.motions import motion_members, read_motion_members
from surefoot.character.character import Character
from surefoot.character.load import parse_character
from surefoot.doctor import versions
from surefoot.errors import InputError, one_line
from surefoot.motion.files import atomic_write
from surefoot.motion.limits import MAX_COORDINATE, MAX_FILE_BYTES, read_bytes, shown
from surefoot.motion.motion import Motion
from surefoot.physics.manifold import off_unit
from surefoot.physics.scene import Scene
from surefoot.policy.policy import Packed, Policy
from surefoot.policy.policy import pack as pack_policy
from surefoot.policy.policy import unpack as unpack_policy
from surefoot.policy.reference import UNIT, Reference

Array = NDArray[np.float64]

FORMAT = "surefoot bundle"
SUFFIX = ".surefoot"
MAX_SOURCE = 64 * 2**20
"""Bytes of a source file that a bundle carries; larger ones stay outside."""
LONGEST_PERIOD = 10.0
"""Of control [s]."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Performance:
    """What a policy did in the simulation."""

    qpos: Array  # (T, nq)
    frame_time: float
    """[s]"""

    @property
    def duration(self) -> float:
        """Seconds from the first frame to the last."""
        return (len(self.qpos) - 1) * self.frame_time


@dataclass(frozen=True, eq=False, kw_only=True)
class Bundle:
    """A character, a policy and what made it."""

    name: str
    character: Character
    policy: Policy
    reference: Reference
    scene: Scene = field(default_factory=Scene)
    method: str = "open loop"
    """How the policy was found."""
    success: bool | None = None
    """Whether it did what was asked; None when nobody looked."""
    result: dict[str, Any] = field(default_factory=dict)
    """What was found out about it: errors, status, counts (JSON values)."""
    curves: dict[str, Array] = field(default_factory=dict)
    """Numbers in a row, by name, for reports and figures: terms of the cost at the end of every fragment, the best of every pass."""
    config: dict[str, Any] = field(default_factory=dict)
    """What was asked for (JSON values)."""
    seed: int = 0
    versions: dict[str, str] = field(default_factory=versions)
    performance: Performance | None = None
    starts: Reference | None = None
    """Poses that the policy really passes through, in the reference's time, where they are known: evaluation perturbs these."""
    motion: Motion | None = None
    """The source's clip on its own skeleton, every joint of it."""
    start: float = 0.0
    """Time in that clip [s] at which the reference begins."""
    sha256: str = ""
    """Of the source's file."""
    file: bytes = b""
    """The source's own .glb, where it came from one."""

    @property
    def numbers(self) -> int:
        """How many numbers the policy has."""
        return pack_policy(self.policy).numbers

    def replace(self, **changes: Any) -> Bundle:
        """A copy with some fields changed."""
        return replace(self, **changes)


def encode(bundle: Bundle) -> bytes:
    """The bytes of a bundle."""
    packed = pack_policy(bundle.policy)
    reference, reference_facts = bundle.reference.to_arrays()
    members: dict[str, Member] = {"character.xml": bundle.character.xml.encode()}
    members |= {f"policy/{name}.npy": array for name, array in packed.arrays.items()}
    members |= {f"reference/{name}.npy": array for name, array in reference.items()}
    members |= {f"curves/{name}.npy": np.asarray(array) for name, array in bundle.curves.items()}
    starts: dict[str, Any] | None = None
    if bundle.starts is not None:
        passed, starts = bundle.starts.to_arrays()
        members |= {f"starts/{name}.npy": array for name, array in passed.items()}
    motion: dict[str, Any] | None = None
    if bundle.motion is not None:
        arrays, motion = motion_members(bundle.motion)
        members |= arrays
    if bundle.performance is not None:
        members["performance/qpos.npy"] = np.asarray(bundle.performance.qpos, dtype=np.float64)
    if bundle.file:
        if len(bundle.file) > MAX_SOURCE:
            raise InputError(
                f"a source of {len(bundle.file) / 2**20:.0f} MB is more than the {MAX_SOURCE // 2**20} MB that a bundle carries."
            )
        members["source.glb"] = bundle.file
    source = bundle.motion.source if bundle.motion is not None else None
    members["manifest.json"] = plain(
        {
            "format": FORMAT,
            "schema": SCHEMA,
            "name": bundle.name,
            "method": bundle.method,
            "success": bundle.success,
            "seed": bundle.seed,
            "config": cleaned(bundle.config),
            "result": cleaned(bundle.result),
            "versions": bundle.versions,
            "policy": {"kind": packed.kind, "numbers": packed.numbers, "facts": packed.facts},
            "reference": reference_facts,
            "starts": starts,
            "scene": bundle.scene.to_json(),
            "performance": None if bundle.performance is None else {"frame_time": bundle.performance.frame_time},
            "source": {
                "file": source.file if source is not None else "",
                "clip": source.clip if source is not None else "",
                "sha256": bundle.sha256,
                "start_s": bundle.start,
            },
            "motion": motion,
        }
    )
    return pack(members)


def save(bundle: Bundle, path: str | Path) -> None:
    """Write a bundle beside `path` and rename it into place."""
    path = Path(path)
    if path.suffix.lower() != SUFFIX:
        raise InputError(f"{shown(path)}: a bundle is written as {SUFFIX}, not as '{path.suffix}'.")
    atomic_write(path, encode(bundle))


def load(path: str | Path) -> Bundle:
    """A bundle from its file, which may come from a stranger."""
    return decode(read_bytes(path, MAX_FILE_BYTES), shown(path))


def decode(data: bytes, name: str) -> Bundle:
    """A bundle from its bytes. Sizes and names are checked first, the character is compiled last."""
    archive, manifest = opened(data, name)
    try:
        return _read(archive, manifest)
    except InputError as error:
        said = str(error)
        raise error if said.startswith(archive.name) else archive.fail(said) from None


def opened(data: bytes, name: str) -> tuple[Archive, dict[str, Any]]:
    """The archive of a bundle and its manifest in today's schema."""
    archive = Archive(data, name)
    if "manifest.json" not in archive:
        motion = " a motion's .npz, it seems;" if "joint_names.npy" in archive else ""
        raise archive.fail(f"no bundle of surefoot:{motion} it has no manifest.json.")
    manifest = archive.json("manifest.json")
    if manifest.get("format") != FORMAT:
        raise archive.fail("no bundle of surefoot: its manifest.json does not say so.")
    manifest = migrated(manifest, archive.name)
    archive.rename(fact(manifest, "members", dict) if "members" in manifest else {})
    return archive, manifest


def _read(archive: Archive, manifest: Mapping[str, Any]) -> Bundle:
    policy, reference, source = (facts(manifest, key) for key in ("policy", "reference", "source"))
    packed = Packed(kind=fact(policy, "kind", str), arrays=_bounded(archive.arrays("policy")), facts=facts(policy, "facts"))
    poses = _bounded(archive.arrays("reference", "f"))
    starts = None if manifest.get("starts") is None else (_bounded(archive.arrays("starts", "f")), facts(manifest, "starts"))
    motion = None if manifest.get("motion") is None else read_motion_members(archive, facts(manifest, "motion"))
    scene = Scene.from_json(facts(manifest, "scene"))
    performance = None
    if manifest.get("performance") is not None:
        frame_time = fact(facts(manifest, "performance"), "frame_time", float)
        if not 1e-6 <= frame_time <= 1e6:
            raise InputError(f"a frame of its performance lasts {frame_time:g} s.")
        done = _bounded({"performance": archive.array("performance/qpos.npy", (None, None))})["performance"]
        performance = Performance(qpos=done, frame_time=frame_time)
    file = archive.bytes("source.glb", MAX_SOURCE) if "source.glb" in archive else b""
    sha256 = fact(source, "sha256", str)
    start = fact(source, "start_s", float)
    if not 0.0 <= start <= 1e6:
        raise InputError(f"its reference begins {start:g} s into the clip.")
    name, method, seed = fact(manifest, "name", str), fact(manifest, "method", str), fact(manifest, "seed", int)
    success = optional(manifest, "success", bool)
    versions = {str(key): str(value) for key, value in facts(manifest, "versions").items()}
    result, config = facts(manifest, "result"), facts(manifest, "config")
    character = parse_character(archive.text("character.xml"), f"{archive.name}: character.xml")
    if performance is not None and (performance.qpos.shape[1] != character.model.nq or not len(performance.qpos)):
        raise InputError(f"its performance has poses {performance.qpos.shape}, expected (one or more, {character.model.nq}).")
    if performance is not None and off_unit(character.model, performance.qpos) > UNIT:
        raise InputError("its performance holds a quaternion whose length is not 1.")
    learned = unpack_policy(packed, character)
    if not 0.0 < learned.period <= LONGEST_PERIOD:
        raise InputError(f"its policy's control period is {learned.period:g} s, expected at most {LONGEST_PERIOD:g} s.")
    return Bundle(
        name=name,
        method=method,
        seed=seed,
        character=character,
        policy=learned,
        reference=Reference.from_arrays(poses, reference, character),
        starts=None if starts is None else Reference.from_arrays(*starts, character),
        scene=scene,
        success=success,
        result=result,
        config=config,
        curves=archive.arrays("curves"),
        versions=versions,
        performance=performance,
        motion=motion,
        start=start,
        sha256=one_line(sha256, 64),
        file=file,
    )


def _bounded(arrays: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """The arrays, or an error where a number is larger than any place, angle or gain."""
    for name, array in arrays.items():
        if array.dtype.kind in "if" and array.size and not float(np.abs(array.astype(float)).max()) <= MAX_COORDINATE:
            raise InputError(f"its {name} holds a number beyond {MAX_COORDINATE:g}.")
    return arrays


def sha256_of(path: str | Path) -> str:
    """The SHA-256 of a source's file."""
    return hashlib.sha256(read_bytes(path)).hexdigest()
