"""A manifest's values: what may not stand in it when it is written, and what kind each must be when it is read."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import PurePath, PurePosixPath, PureWindowsPath
from typing import Any, TypeVar, cast

from surefoot.errors import InputError, one_line

T = TypeVar("T")

LEFT_OUT = frozenset({"core_s", "wall_s", "threads", "out", "json", "machine", "resume", "folder", "every_s"})
"""Keys of configs and results that depend on the machine or the moment, or name files."""


def plain(value: Any) -> Any:
    """JSON values: arrays as lists, NaN and infinities as null."""
    if isinstance(value, Mapping):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    if isinstance(value, str | bool | int) or value is None:
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, PurePath):
        return value.name
    if hasattr(value, "tolist"):  # NumPy's arrays and scalars
        return plain(value.tolist())
    raise InputError(f"a {type(value).__name__} cannot stand in a bundle's manifest; give JSON values.")


def cleaned(value: Any) -> Any:
    """JSON values without what depends on the machine: the keys above go, and paths lose their folders."""
    if isinstance(value, Mapping):
        return {str(key): cleaned(inner) for key, inner in value.items() if key not in LEFT_OUT}
    if isinstance(value, list | tuple):
        return [cleaned(inner) for inner in value]
    return _without_folder(value) if isinstance(value, str) else plain(value)


def _without_folder(text: str) -> str:
    """An absolute path's last part; any other text as it is."""
    for kind in (PurePosixPath, PureWindowsPath):
        if kind(text).is_absolute() and "\n" not in text:
            return kind(text).name
    return text


def facts(manifest: Mapping[str, Any], key: str) -> dict[str, Any]:
    """The JSON object under `key`."""
    return cast(dict[str, Any], fact(manifest, key, dict))


def fact(manifest: Mapping[str, Any], key: str, kind: type[T]) -> T:
    """The value of that kind under `key`; whole numbers are numbers, too."""
    if key not in manifest:
        raise InputError(f"its manifest has no '{key}'.")
    value = manifest[key]
    if kind is float and isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**53:
        value = float(value)
    if not isinstance(value, kind) or (kind is int and (isinstance(value, bool) or not 0 <= cast(int, value) < 2**63)):
        names = {dict: "an object", str: "a text", float: "a number", int: "a whole number", bool: "true or false"}
        raise InputError(f"its manifest's '{key}' is {one_line(repr(value), 40)}, expected {names[kind]}.")
    if isinstance(value, str):
        return cast(T, value.encode("utf-8", "replace").decode("utf-8"))
    return value


def optional(manifest: Mapping[str, Any], key: str, kind: type[T]) -> T | None:
    """The value of that kind under `key`, or None where there is none."""
    return None if manifest.get(key) is None else fact(manifest, key, kind)
