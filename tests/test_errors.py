"""The texts of errors, as a person reads them. They stand in errors.txt; SUREFOOT_UPDATE=1 writes them anew: read the difference.

Every one is a single line that says what was given, what was expected, what exists or what to do.
"""

from __future__ import annotations

import json
import os
import re
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import surefoot
from surefoot import material
from surefoot.character.retarget import retarget
from surefoot.cli.main import main
from surefoot.errors import InputError, MissingExtra, SurefootError, missing_extra, one_line, unknown_name

SNAPSHOT = Path(__file__).with_name("errors.txt")

BVH = """HIERARCHY
ROOT Hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  End Site
  {
    OFFSET 0 10 0
  }
}
MOTION
Frames: 2
Frame Time: 0.0333
0 90 0 0 0 0
0 91 0 0 0 0
"""


def glb(tree: dict[str, object]) -> bytes:
    text = json.dumps(tree).encode()
    text += b" " * (-len(text) % 4)
    return struct.pack("<4sIIII", b"glTF", 2, 20 + len(text), len(text), 0x4E4F534A) + text


FILES: dict[str, bytes] = {
    "empty.bvh": b"",
    "prose.bvh": b"Once upon a time",
    "ragged.bvh": BVH.replace("0 91 0 0 0 0", "0 91 0 0").encode(),
    "short.bvh": BVH.replace("Frames: 2", "Frames: 7").encode(),
    "no_motion.bvh": BVH[: BVH.index("MOTION")].encode(),
    "nan.bvh": BVH.replace("0 91", "nan 91").encode(),
    "channel.bvh": BVH.replace("Yrotation", "Wrotation").encode(),
    "minus.bvh": BVH.replace("Frames: 2", "Frames: -2").encode(),
    "huge.bvh": BVH.replace("Frames: 2", "Frames: 999999999").encode(),
    "cut.glb": glb({"asset": {"version": "2.0"}})[:-8],
    "old.glb": glb({"asset": {"version": "1.0"}}),
    "camera.glb": glb({"asset": {"version": "2.0"}, "cameras": [{"type": "perspective"}]}),
    "cycle.gltf": json.dumps({"asset": {"version": "2.0"}, "nodes": [{"children": [1]}, {"children": [0]}]}).encode(),
    "list.gltf": b"[1, 2]",
    "walk.fbx": b"Kaydara FBX Binary  ",
    "walk.amc": b":FULLY-SPECIFIED\n:DEGREES\n1\nroot 0 0 0 0 0 0\n",
    "short.txt": b'{"Loop": "wrap", "Frames": [[0.1, 1, 2, 3]]}',
    "pickle.npz": b"PK\x03\x04nothing",
    "photo.png": b"\x89PNG\r\n",
    "plain.xml": b"<html></html>",
    "include.xml": b'<mujoco><include file="other.xml"/></mujoco>',
    "broken.xml": b"<mujoco><worldbody>",
    "empty.xml": b"<mujoco><worldbody/></mujoco>",
}

COMMANDS = (
    "rig",
    "rig walk.bvh --out a.xml --sed 3",
    "rig walk.bvh --out a.xml --mass heavy",
    "rig walk.bvh --out a.xml --density heavy",
    "rig walk.bvh --out a.xml --seed many",
    "rig walk.bvh --out",
    "rig walk.bvh --out a.xml --joints rope",
    "rig walk.bvh --out a.txt",
    "rig no/such/walk.bvh --out a.xml",
    "rig walc.bvh --out a.xml",
    "export walk.bvh --out walk.fbx",
    "export walk.bvh --out no/such/walk.glb",
    "export walk.bvh --out a.bvh --unit furlong",
    "export walk.bvh --out a.bvh --unit -1",
    "export walk.bvh --out a.bvh --up W",
    "export walk.bvh --out a.bvh --fps 0",
    "export walk.bvh --out a.bvh --seed -1",
    "export walk.bvh --out a.bvh --threads -1",
    "export walk.bvh#Run --out a.bvh",
    "export walk.bvh#Run --clip Walk --out a.bvh",
    "export humanoid/wlak --out a.bvh",
    "retarget walk.bvh --character humanoit --out a.bvh",
    "retarget walk.bvh --character humanoid --matching no.txt --out a.bvh",
)


def onto_humanoid(matching: dict[str, str | None]) -> object:
    return retarget(material.motion("humanoid/walk"), surefoot.builtin("humanoid"), matching=matching)


CALLS: dict[str, Callable[[], object]] = {
    "unknown built-in motion": lambda: material.motion("humanoid/swim"),
    "unknown built-in character": lambda: surefoot.builtin("dinosuar"),
    "unknown joint": lambda: material.motion("humanoid/walk").skeleton.index("tail"),
    "unknown joint in a matching": lambda: onto_humanoid({"pelvis": "wing"}),
    "unknown body in a matching": lambda: onto_humanoid({"wing": "pelvis"}),
    "motion of wrong shape": lambda: material.motion("humanoid/walk").replace(rotations=np.zeros((2, 2, 4))),
    "motion with a NaN": lambda: material.motion("humanoid/walk").replace(
        translations=np.full_like(material.motion("humanoid/walk").translations, np.nan)
    ),
    "missing extra": lambda: (_ for _ in ()).throw(missing_extra("viser, which draws the studio,", "pip install 'surefoot[studio]'")),
}


def test_error_texts_are_those_of_the_snapshot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    surefoot.write_motion(material.motion("humanoid/walk"), "walk.bvh")
    said: dict[str, str] = {}
    for command in COMMANDS:
        capsys.readouterr()
        assert main(command.split()) == 2, command
        out, err = capsys.readouterr()
        assert out == "", command
        said[f"surefoot {command}"] = err.removesuffix("\n")
    for name, call in CALLS.items():
        with pytest.raises(SurefootError) as caught:
            call()
        said[name] = str(caught.value)
    Path("walk.bvh").unlink()
    for name, data in FILES.items():
        Path(name).write_bytes(data)
        with pytest.raises(SurefootError) as caught:
            surefoot.load_character(name) if name.endswith(".xml") else surefoot.rig(surefoot.read_motion(name))
        said[name] = str(caught.value)
        Path(name).unlink()
    for name, text in said.items():
        assert re.fullmatch(r"[^\n\x00-\x1f]{10,420}", text), name
        assert str(tmp_path) not in text, name
    found = "".join(f"{name}\n    {text}\n" for name, text in said.items())
    if os.environ.get("SUREFOOT_UPDATE"):
        SNAPSHOT.write_text(found, encoding="utf-8")
    assert found == SNAPSHOT.read_text(encoding="utf-8")


def test_a_message_is_always_one_line_of_bounded_length() -> None:
    assert str(SurefootError("a\nb\r\n\tc\x00d\x1b[31m")) == "a b c d [31m"
    assert len(str(SurefootError("x" * 10_000))) == 400
    assert one_line("  many   blanks ") == "many blanks"


def test_an_unknown_name_lists_what_exists_and_the_nearest() -> None:
    assert str(unknown_name("clip", "Wlak", ["Walk", "Run"])) == "no clip named 'Wlak'; did you mean 'Walk'? There are 2: 'Walk', 'Run'."
    assert str(unknown_name("clip", "x", [])) == "no clip named 'x'; there is none at all."
    assert str(unknown_name("clip", "x", ["only"])) == "no clip named 'x'. There is 1: 'only'."
    assert str(unknown_name("clip", "x", [f"clip {n}" for n in range(100)])).endswith("'clip 11', ….")


def test_bad_input_and_missing_parts_end_with_code_2() -> None:
    assert InputError.exit_code == MissingExtra.exit_code == SurefootError.exit_code == 2
