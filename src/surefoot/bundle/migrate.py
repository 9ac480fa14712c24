"""Older bundles: one function a step, from each schema to the next.

    manifest of schema n -> STEPS[n] -> manifest of schema n + 1 -> ... -> SCHEMA

A step changes the manifest alone. It says where a member's new name differs by an entry of `manifest["members"]`, a map from the names
that this version asks for to those in the archive. Whoever raises SCHEMA adds a step here and a bundle of the old schema to the tests.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from surefoot.errors import InputError, one_line

SCHEMA = 1

Manifest = dict[str, Any]
Step = Callable[[Manifest], Manifest]

STEPS: dict[int, Step] = {}
"""From each older schema, the function that leads to the next."""


def migrated(manifest: Manifest, name: str, steps: Mapping[int, Step] | None = None, newest: int = SCHEMA) -> Manifest:
    """The manifest in the newest schema; an error for a newer one, or one so old that no step leads from it."""
    steps = STEPS if steps is None else steps
    schema = manifest.get("schema")
    if not isinstance(schema, int) or isinstance(schema, bool):
        raise InputError(f"{name}: its schema is {one_line(repr(schema), 30)}, expected a whole number; is it a bundle of surefoot?")
    if schema > newest:
        made = manifest.get("versions")
        by = f" by surefoot {one_line(str(made['surefoot']), 30)}" if isinstance(made, dict) and "surefoot" in made else ""
        raise InputError(f"{name}: written{by} in schema {schema}, newer than the {newest} that is read here; update surefoot.")
    for old in range(schema, newest):
        if old not in steps:
            raise InputError(f"{name}: written in schema {schema}, which is no longer read; surefoot reads from {min([*steps, newest])}.")
        manifest = {**steps[old](dict(manifest)), "schema": old + 1}
    return manifest
