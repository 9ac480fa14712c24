"""MJCF from strangers: what is refused before MuJoCo sees it, and a trial compilation where a crash does no harm.

Refused are elements and attributes that reach outside the file or multiply what is in it, deep nesting, and large counts. What passes is
compiled once in a process of its own, with limits on memory and time (`compile_probe`).
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import subprocess
import sys
import tempfile
from xml.parsers import expat

from surefoot.errors import InputError, one_line
from surefoot.motion.limits import check_count

MAX_DEPTH = 128
MAX_ELEMENTS = 20_000
MAX_ATTRIBUTE = 4 * 2**20
MAX_NAME = 1000
"""Letters of a name."""
MAX_PIXELS = 4 * 4096 * 4096
"""Of all textures, and heights of all height fields."""
TIMEOUT_S = 20.0

OUTSIDE = frozenset({"include", "model", "attach"})
"""Elements that stand for other files."""
FOREIGN = frozenset({"plugin", "extension"})
"""Elements that run code of others."""
MULTIPLY = frozenset({"composite", "flexcomp", "replicate", "flex", "skin"})
"""Elements that stand for many others, or for soft bodies, which a character has none of."""
COUNTS = {
    **dict.fromkeys(("width", "height"), 8192),
    **dict.fromkeys(("nrow", "ncol"), 2048),
    **dict.fromkeys(("iterations", "ls_iterations", "nuserdata"), 10_000),
    **dict.fromkeys(("noslip_iterations", "ccd_iterations", "sdf_iterations", "sdf_initpoints", "mpr_iterations"), 1000),
    **dict.fromkeys(("numslices", "numstacks", "numquads", "offsamples"), 256),
    **dict.fromkeys(("shadowsize", "offwidth", "offheight"), 16_384),
}
"""Largest values of attributes that make MuJoCo, or what draws it, allocate or loop."""
SIZES = frozenset({"memory", "njmax", "nconmax", "nstack", "nkey"})
"""Attributes of <size> that ask for memory."""

WORDS = frozenset({"name", "class", "childclass", "body", "body1", "body2", "joint", "geom", "site", "target", "material", "data"})
"""Attributes that hold names: a joint may be called "inf"."""


class OtherFiles(InputError):
    """A model names other files, which is refused unless somebody trusts it."""


def refuse_dangers(text: str, name: str) -> None:
    """An error when MJCF text is not to be compiled at all."""
    reader = _Reader(name)
    parser = expat.ParserCreate("utf-8")  # as MuJoCo reads it, whatever it says of itself
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.StartDoctypeDeclHandler = reader.doctype
    try:
        parser.Parse(text.encode("utf-8", "replace"), True)
    except expat.ExpatError as error:
        raise InputError(f"{name}: not an MJCF file: {error}.") from None


class _Reader:
    """Looks at elements one by one, and raises at the first that is refused."""

    def __init__(self, name: str) -> None:
        self.name, self.depth, self.count, self.pixels = name, 0, 0, 0

    def doctype(self, *_: object) -> None:
        raise InputError(f"{self.name}: an MJCF file with a DOCTYPE or entities is not read.")

    def end(self, _: str) -> None:
        self.depth -= 1

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        self.count += 1
        if self.count == 1 and tag != "mujoco":
            raise InputError(f"{self.name}: not an MJCF file: its first element is <{one_line(tag, 40)}>, expected <mujoco>.")
        check_count(f"{self.name}: nested elements", self.depth, MAX_DEPTH)
        check_count(f"{self.name}: elements", self.count, MAX_ELEMENTS)
        shown = one_line(tag, 40)
        if tag.lower() in OUTSIDE:
            raise OtherFiles(f"{self.name}: it has a <{shown}>, which reaches outside the file; such models are not read.")
        if tag.lower() in FOREIGN:
            raise InputError(f"{self.name}: it has a <{shown}>, which reaches outside the file; such models are not read.")
        if tag.lower() in MULTIPLY:
            raise InputError(f"{self.name}: it has a <{shown}>, which a character cannot have; write its bodies out one by one.")
        for key, value in attributes.items():
            self._attribute(shown, key, value)
        sides = {"texture": ("width", "height"), "hfield": ("nrow", "ncol")}.get(tag.lower())
        if sides is not None:
            wide, high = (_whole(attributes.get(side, "0")) for side in sides)
            self.pixels += wide * (high or 6 * wide)  # a cube has six faces, each as high as it is wide
            check_count(f"{self.name}: pixels of textures and height fields", self.pixels, MAX_PIXELS)

    def _attribute(self, tag: str, key: str, value: str) -> None:
        if key.startswith("file") or key in ("content_type", "plugin", "instance"):
            kind = InputError if key in ("plugin", "instance") else OtherFiles
            raise kind(f'{self.name}: <{tag} {key}="{one_line(value, 60)}"> names another file; models must stand alone (no meshes).')
        if len(value) > MAX_ATTRIBUTE:
            raise InputError(f"{self.name}: <{tag} {key}> is {len(value) / 2**20:.0f} MB long; a character's are at most 4 MB.")
        if key == "name" and len(value) > MAX_NAME:
            raise InputError(f"{self.name}: <{tag}> has a name of {len(value)} letters; a character's have at most {MAX_NAME}.")
        if key in COUNTS:
            check_count(f"{self.name}: <{tag} {key}>", _whole(value), COUNTS[key])
        if key not in WORDS and _endless(value):
            raise InputError(f'{self.name}: <{tag} {key}="{one_line(value, 60)}"> is not finite; every number of a character is.')
        if tag == "size" and key in SIZES:
            raise InputError(
                f'{self.name}: <size {key}="{one_line(value, 40)}"> asks for memory; leave it out, MuJoCo finds the size by itself.'
            )


def _endless(value: str) -> bool:
    """Whether all of a value are numbers, and one of them is a NaN or an infinity, which MuJoCo takes for "not given"."""
    try:
        return not all(math.isfinite(float(word)) for word in value.split())
    except ValueError:
        return False


def _whole(value: str) -> int:
    try:
        return int(float(value))
    except (ValueError, OverflowError):
        return 0  # MuJoCo will say what is wrong with it


def probe(text: str, name: str) -> None:
    """Compile MJCF text in a process of its own; an error when that fails, dies, or takes too long or too much memory."""
    digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
    if digest not in _TRIED:
        if len(_TRIED) >= 256:
            _TRIED.clear()
        _TRIED[digest] = _problem(text)
    if _TRIED[digest]:
        raise InputError(f"{name}: MuJoCo cannot compile it: {_TRIED[digest]}")


_TRIED: dict[str, str] = {}
"""What was wrong with the texts tried so far, by digest; empty when nothing was."""


def _problem(text: str) -> str:
    """What is wrong with a model, empty when nothing is."""
    said, why = apart("surefoot.character.compile_probe", text.encode("utf-8", "replace"), TIMEOUT_S)
    return why or verdict(said)


def apart(module: str, given: bytes, timeout: float, *arguments: str) -> tuple[bytes, str]:
    """What a module says that is run in a process of its own; or why it could say nothing."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    with tempfile.TemporaryDirectory(prefix="surefoot-probe-") as folder:  # MuJoCo writes its log where it runs
        try:
            done = subprocess.run(
                [sys.executable, "-m", module, *arguments],
                input=given,
                capture_output=True,
                timeout=timeout,
                cwd=folder,
                env={**environment, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
                check=False,
            )
        except subprocess.TimeoutExpired:
            return b"", f"it took more than {timeout:.0f} s."
        except OSError as error:
            return b"", f"no process could be started to try it ({error.strerror})."
    return done.stdout, ""


def verdict(said: bytes) -> str:
    """What the process said is wrong with a model, empty when nothing is."""
    try:
        answer = json.loads(said.decode("utf-8", "replace").strip().splitlines()[-1])
    except (ValueError, IndexError):
        return "the compiler crashed or ran out of memory or time."
    return "" if answer.get("ok") else one_line(str(answer.get("error", "no reason was given")), 240)
