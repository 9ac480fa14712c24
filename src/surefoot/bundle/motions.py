"""A motion as members of a bundle, and back bit for bit: local transforms, rest pose, tips and contacts as arrays, the rest as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.archive import Archive
from surefoot.errors import InputError, one_line
from surefoot.motion.limits import MAX_COORDINATE, MAX_DEPTH, check_size
from surefoot.motion.motion import Motion
from surefoot.motion.npz import source_from_json
from surefoot.motion.skeleton import Skeleton, Tip

Array = NDArray[np.float64]
FOLDER = "motion"


def motion_members(motion: Motion) -> tuple[dict[str, NDArray], dict[str, Any]]:
    """Arrays by their members' names, and facts as JSON values."""
    skeleton = motion.skeleton
    arrays: dict[str, NDArray] = {
        "translations": motion.translations,
        "rotations": motion.rotations,
        "parents": skeleton.parents,
        "rest_translations": skeleton.translations,
        "rest_rotations": skeleton.rotations,
        "tip_joints": np.array([tip.joint for tip in skeleton.tips], dtype=np.int64),
        "tip_offsets": np.array([tip.offset for tip in skeleton.tips], dtype=float).reshape(-1, 3),
    }
    if motion.contacts is not None:
        arrays["contacts"] = motion.contacts
    facts = {
        "name": motion.name,
        "frame_time": motion.frame_time,
        "joints": list(skeleton.names),
        "tips": [tip.name for tip in skeleton.tips],
        "source": asdict(motion.source),
    }
    return {f"{FOLDER}/{name}.npy": array for name, array in arrays.items()}, facts


def read_motion_members(archive: Archive, facts: Mapping[str, Any]) -> Motion:
    """The motion again, of values that may come from strangers."""
    try:
        names = tuple(_text(name) for name in _list(facts["joints"]))
        tip_names = tuple(_text(name) for name in _list(facts["tips"]))
        num = len(names)
        (frames, *_) = archive.array(f"{FOLDER}/translations.npy", (None, num, 3)).shape
        check_size(frames, num)
        skeleton = Skeleton(
            names,
            _take(archive, "parents", (num,), "i"),
            _take(archive, "rest_translations", (num, 3)),
            _rotations(archive, "rest_rotations", (num, 4)),
            _tips(archive, tip_names, num),
        )
        _check_depth(skeleton)
        contacts = f"{FOLDER}/contacts.npy"
        return Motion(
            skeleton,
            _take(archive, "translations", (frames, num, 3)),
            _rotations(archive, "rotations", (frames, num, 4)),
            _frame_time(facts["frame_time"]),
            name=_text(facts["name"]),
            contacts=archive.array(contacts, (frames, num), "b") if contacts in archive else None,
            source=source_from_json(facts["source"]),
        )
    except InputError as error:
        said = str(error)
        raise error if said.startswith(archive.name) else archive.fail(f"its motion: {said}") from None
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise archive.fail(f"its motion is damaged ({type(error).__name__}: {one_line(str(error), 80)}).") from None


def _take(archive: Archive, name: str, shape: tuple[int | None, ...], kinds: str = "f") -> NDArray:
    array = archive.array(f"{FOLDER}/{name}.npy", shape, kinds)
    if array.size and float(np.abs(array.astype(float)).max()) > MAX_COORDINATE:
        raise InputError(f"{name} holds a number beyond {MAX_COORDINATE:g}.")
    return array


def _rotations(archive: Archive, name: str, shape: tuple[int | None, ...]) -> Array:
    array = _take(archive, name, shape)
    if array.size and np.abs(np.linalg.norm(array, axis=-1) - 1.0).max() > 1e-6:
        raise InputError(f"{name} holds a quaternion whose length is not 1.")
    return np.asarray(array, dtype=np.float64)


def _tips(archive: Archive, names: tuple[str, ...], num: int) -> tuple[Tip, ...]:
    joints = _take(archive, "tip_joints", (len(names),), "i")
    offsets = _take(archive, "tip_offsets", (len(names), 3))
    if len(joints) and not 0 <= int(joints.min()) <= int(joints.max()) < num:
        raise InputError(f"a tip belongs to joint {int(joints.max())}; there are {num}, counted from 0.")
    return tuple(Tip(joint=int(j), offset=o, name=n) for j, o, n in zip(joints, offsets, names, strict=True))


def _check_depth(skeleton: Skeleton) -> None:
    depth = np.zeros(skeleton.num_joints, dtype=int)
    for j, p in enumerate(skeleton.parents):
        depth[j] = depth[p] + 1 if p >= 0 else 1
    if depth.max() > MAX_DEPTH:
        raise InputError(f"its joints hang {depth.max()} deep, more than the {MAX_DEPTH} that are read.")


def _frame_time(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 1e-6 <= value <= 1e6:
        raise InputError(f"a frame lasts {one_line(repr(value), 30)} s in it; between 1e-6 and 1e6 s are read.")
    return float(value)


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError("no list")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("no text")
    return value.encode("utf-8", "replace").decode("utf-8")  # half of a surrogate pair can stand in JSON
