"""A random generator's state as JSON values, so that a resumed run draws the numbers it would have drawn."""

from __future__ import annotations

from typing import Any

import numpy as np

from surefoot.errors import InputError


def random_state(rng: np.random.Generator) -> dict[str, Any]:
    """Everything that the next number depends on."""
    bits = rng.bit_generator
    if not isinstance(bits, np.random.PCG64):
        raise InputError(f"the state of a {type(bits).__name__} is not kept; make generators with numpy.random.default_rng.")
    state: dict[str, Any] = dict(bits.state)
    inner = {key: f"{value:x}" for key, value in state["state"].items()}  # 128 bits, as texts for readers with 64
    return {"state": inner, "has_uint32": int(state["has_uint32"]), "uinteger": int(state["uinteger"])}


def restored(state: Any) -> np.random.Generator:
    """The generator whose state it was."""
    try:
        inner = state["state"]
        bits = np.random.PCG64(0)
        bits.state = {
            "bit_generator": "PCG64",
            "state": {"state": int(inner["state"], 16), "inc": int(inner["inc"], 16)},
            "has_uint32": int(state["has_uint32"]),
            "uinteger": int(state["uinteger"]),
        }
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise InputError(f"a checkpoint's random state is damaged ({error}).") from None
    return np.random.Generator(bits)
