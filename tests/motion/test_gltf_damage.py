"""Files from strangers: damaged, or made to hurt. Each is one line of error or a valid motion, in little time and memory."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from surefoot.errors import InputError
from surefoot.motion import gltf, npz
from surefoot.motion.files import ReadOptions
from tests.motion.damage import damaged, damaged_json, survives
from tests.motion.gltf_build import Maker, arm, turned
from tests.motion.test_gltf_write import walker

FEW = settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


def rich() -> Maker:
    """A file with something of everything: scales, a matrix, a skin, all interpolations, sparse and normalised numbers, two clips."""
    maker = arm()
    maker.tree["nodes"].append({"name": "Armature", "scale": [300.0, 300.0, 300.0], "rotation": turned(0, -90), "children": [0]})
    maker.tree["nodes"][2] |= {"matrix": [1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1, 0, 0, 1, 0, 1]}
    del maker.tree["nodes"][2]["translation"]
    maker.tree["scenes"] = [{"nodes": [3]}]
    times = maker.accessor([0.0, 0.25, 1.0])
    spline = maker.accessor(np.random.default_rng(0).normal(size=(9, 4)))
    small = maker.accessor([[0, 0, 0, 127], [0, 0, 127, 0], [0, 127, 0, 0]], "i1", normalized=True)
    at, put = maker.view(np.array([1], "<u1")), maker.view(np.array([[9, 9, 9]], "<f4"))
    patch = {"count": 1, "indices": {"bufferView": at, "componentType": 5121}, "values": {"bufferView": put}}
    sparse = maker.declare({"componentType": 5126, "count": 3, "type": "VEC3", "sparse": patch})
    sizes = maker.accessor([[1, 1, 1], [1, 2, 1], [3, 1, 1]])
    maker.animation([(1, "rotation", maker.sampler(times, small)), (0, "translation", maker.sampler(times, sparse))], "Walk")
    channels = [(1, "rotation", maker.sampler(times, spline, "CUBICSPLINE")), (0, "scale", maker.sampler(times, sizes, "STEP"))]
    maker.animation([*channels, (0, "weights", maker.sampler(times, times))], "Run")
    maker.tree["skins"][0]["inverseBindMatrices"] = maker.accessor(np.tile(np.eye(4).ravel(), (3, 1)))
    return maker


def read(data: bytes, name: str = "x.glb", clip: str | None = None) -> Any:
    return gltf.read(data, name, ReadOptions(clip=clip))


def test_the_file_that_is_damaged_below_is_sound() -> None:
    assert survives(lambda: read(rich().glb(), clip="Run"))
    assert survives(lambda: read(rich().embedded()))


@FEW
@given(damaged(rich().glb()), st.sampled_from([None, "Run"]))
def test_damaged_glb(data: bytes, clip: str | None) -> None:
    survives(lambda: read(data, clip=clip))


@FEW
@given(damaged(rich().embedded()))
def test_damaged_gltf(data: bytes) -> None:
    survives(lambda: read(data, "x.gltf"))


@FEW
@given(damaged_json(rich().tree), st.sampled_from([None, "Run"]))
def test_glb_with_wrong_numbers_in_its_json(tree: Any, clip: str | None) -> None:
    maker = rich()
    maker.tree = tree
    data = maker.glb()
    sound = survives(lambda: read(data, clip=clip))
    with contextlib.suppress(InputError):  # another clip may be the damaged one
        assert gltf.describe(data, "x.glb").has_skeleton or not sound


@FEW
@given(damaged(npz.encode(walker())))
def test_damaged_npz(data: bytes) -> None:
    survives(lambda: npz.read(data, "x.npz"))


def chain(num: int, depth: int, **extra: Any) -> Maker:
    """Joints in chains of that depth."""
    nodes: list[dict[str, Any]] = [{"name": f"n{i}", "translation": [0.0, 0.01, 0.0], **extra} for i in range(num)]
    for i in range(1, num):
        if i % depth:
            nodes[i - 1]["children"] = [i]
    return Maker(nodes, skins=[{"joints": list(range(num))}])


def turning(maker: Maker, times: Any) -> bytes:
    """All joints turn by one pair of accessors."""
    values = np.random.default_rng(0).normal(size=(len(times), 4))
    sampler = maker.sampler(maker.accessor(times), maker.accessor(values))
    maker.animation([(i, "rotation", sampler) for i in range(len(maker.tree["nodes"]))])
    return maker.glb()


def sharing(clips: int, keys: int) -> bytes:
    """Many clips that use the same accessors."""
    maker = arm()
    times, values = maker.accessor(np.arange(keys) / 24), maker.accessor(np.zeros((keys, 3)))
    for _ in range(clips):
        maker.animation([(1, "translation", maker.sampler(times, values))], "same")
    return maker.glb()


def nested(depth: int) -> bytes:
    return b'{"asset": {"version": "2.0"}, "extras": ' + b"[" * depth + b"]" * depth + b"}"


HOSTILE: dict[str, Callable[[], bytes]] = {
    "as long as is read of so few keys": lambda: turning(chain(40, 40, scale=[1.0, 1.1, 0.9]), [0.0, 290.0]),
    "a million seconds": lambda: turning(chain(40, 40), [0.0, 1e6]),
    "10 million seconds at one joint": lambda: turning(chain(1, 1), [0.0, 1e7]),
    "4,096 joints": lambda: turning(chain(4096, 500), [0.0, 1.0]),
    "a chain of 5,000": lambda: turning(chain(4096, 4096), [0.0, 1.0]),
    "65,000 nodes": lambda: Maker([{"name": "n"} for _ in range(65_000)], skins=[{"joints": [0]}]).glb(),
    "20,000 clips": lambda: sharing(20_000, 2),
    "4,000 clips that share 100,000 keys": lambda: sharing(4_000, 100_000),
    "390 channels that share 10,000 keys": lambda: turning(chain(390, 100), np.arange(10_000) / 24),
    "4,000 channels that share 990 keys": lambda: turning(chain(4_000, 100), np.arange(990) / 24),
    "JSON 100,000 deep": lambda: nested(100_000),
    "JSON 2 million wide": lambda: b'{"asset": {"version": "2.0"}, "nodes": [' + b"{}," * 2_000_000 + b"{}]}",
    "4 GB declared": lambda: b"glTF" + bytes([2, 0, 0, 0]) + b"\xff" * 4 + b"\xff\xff\xff\x7fJSON" + b"{}",
    "scales that overflow": lambda: turning(chain(40, 40, scale=[1e30, 1e30, 1e30]), [0.0, 1.0]),
}

RUN = """
import sys, time
from surefoot.errors import InputError
from surefoot.motion import gltf
with open(sys.argv[1], "rb") as file:
    data = file.read()
for read in (gltf.read, gltf.clips, gltf.describe):
    start = time.process_time()
    try:
        read(data, "x.glb")
    except InputError as error:
        assert "\\n" not in str(error)
    seconds = time.process_time() - start
    with open("/proc/self/status") as status:  # ru_maxrss would hold what the parent had used when it started this process
        print(seconds, int(next(line for line in status if line.startswith("VmHWM")).split()[1]) / 1024)
"""


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_files_cost_little_time_and_memory(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "x.glb"
    path.write_bytes(HOSTILE[kind]())
    done = subprocess.run([sys.executable, "-c", RUN, str(path)], capture_output=True, text=True, check=True, timeout=60)
    for line in done.stdout.splitlines():
        seconds, megabytes = map(float, line.split())
        assert seconds < 2.0
        assert megabytes < 500.0


def test_a_cycle_among_nodes_is_named() -> None:
    tree = {"asset": {"version": "2.0"}, "nodes": [{"children": [1]}, {"children": [2]}, {"children": [0]}]}
    with pytest.raises(InputError, match="its nodes form a cycle"):
        read(json.dumps(tree).encode())
