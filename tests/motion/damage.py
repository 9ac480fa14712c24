"""Ways to damage a file, as hypothesis strategies, and what a reader may do with the result."""

from __future__ import annotations

import json
import re
import struct
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st

from surefoot.errors import InputError
from surefoot.motion.motion import Motion

_FLOATS = [struct.pack("<f", x) for x in (float("nan"), float("inf"), -3e38, 1e30, 1e6, 300.0, 0.0, 1e-40)]
_NUMBERS = ["-1", "0", "1", "2", "3", "7", "255", "65536", "4294967295", "1e308", "1e-320", "0.5", "null", "true", '"x"', "[]", "{}", "[0]"]


@st.composite
def damaged(draw: st.DrawFn, data: bytes) -> bytes:
    """The bytes with a few of them changed, cut out, doubled or cut off."""
    out = bytearray(data)
    for _ in range(draw(st.integers(1, 6))):
        if len(out) < 9:
            break
        at = draw(st.integers(0, len(out) - 9))
        kind = draw(st.sampled_from(["byte", "bit", "float", "whole", "cut", "double", "off"]))
        if kind == "byte":
            out[at] = draw(st.integers(0, 255))
        elif kind == "bit":
            out[at] ^= 1 << draw(st.integers(0, 7))
        elif kind == "float":
            out[at & ~3 : (at & ~3) + 4] = draw(st.sampled_from(_FLOATS))
        elif kind == "whole":
            out[at : at + 4] = struct.pack("<I", draw(st.sampled_from([0, 1, 2**31 - 1, 2**32 - 1])))
        elif kind == "off":
            del out[at:]
        else:
            part = out[at : at + draw(st.integers(1, 200))]
            if kind == "cut":
                del out[at : at + len(part)]
            else:
                out[at:at] = part
    return bytes(out)


@st.composite
def damaged_json(draw: st.DrawFn, tree: Any) -> Any:
    """The JSON tree with some of its numbers and texts replaced by others."""
    text = json.dumps(tree)
    for _ in range(draw(st.integers(1, 5))):
        places = list(re.finditer(r'(?<=[:\[,] )(-?\d[\d.eE+-]*|"[^"]*")(?=[,\]}])|(?<=\[)(-?\d[\d.eE+-]*)', text))
        place = draw(st.sampled_from(places))
        text = text[: place.start()] + draw(st.sampled_from(_NUMBERS)) + text[place.end() :]
    return json.loads(text)


def survives(read: Callable[[], Motion], seconds: float = 2.0) -> bool:
    """Whether `read` gave a motion; else it must give one line. Either within some seconds of processor time."""
    start = time.process_time()
    motion, said = None, ""
    try:
        motion = read()
    except InputError as error:
        said = str(error)
    assert time.process_time() - start < seconds
    if motion is None:
        assert len(said) > 10
        assert "\n" not in said
        return False
    assert np.isfinite(motion.joint_positions).all()
    np.testing.assert_allclose(np.linalg.norm(motion.joint_rotations, axis=-1), 1.0, atol=1e-6)
    return True
