"""What the glTF reader makes of each part of the format. Files are Y up in metres; (x, y, z) there is (x, -z, y) here."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.interpolate import CubicHermiteSpline
from scipy.spatial.transform import Rotation

from surefoot import material
from surefoot.errors import InputError
from surefoot.motion import gltf, quaternion
from surefoot.motion.edit import scale
from surefoot.motion.files import ReadOptions, list_clips, read_motion
from surefoot.motion.motion import Motion
from tests.clips import MOTIONS, needs_motions
from tests.motion.gltf_build import Maker, arm, turned


def read(maker: Maker | bytes, name: str = "arm.glb", **options: object) -> Motion:
    data = maker if isinstance(maker, bytes) else maker.glb()
    return gltf.read(data, name, ReadOptions(unit_m=1.0, **options))


def one(mode: str | None, values: object, times: object = (0.0, 1.0, 2.0), path: str = "translation", **options: object) -> Motion:
    """The arm with one moving channel at its upper link, four frames a second."""
    maker = arm()
    maker.move(1, path, times, values, mode)
    return read(maker, fps=4.0, **options)


def test_linear_channels_go_straight_between_keys_and_hold_beyond_them() -> None:
    motion = one(None, [[0, 1, 0], [2, 1, 0], [2, 1, 4]])
    x = motion.joint_positions[:, 1]
    np.testing.assert_allclose(x[[0, 1, 2, 4]], [[0, 0, 1], [0.5, 0, 1], [1, 0, 1], [2, 0, 1]], atol=1e-12)
    np.testing.assert_allclose(x[[6, 8]], [[2, -2, 1], [2, -4, 1]], atol=1e-12)


def test_step_channels_jump_at_their_keys() -> None:
    x = one("STEP", [[0, 1, 0], [2, 1, 0], [7, 1, 0]]).joint_positions[:, 1, 0]
    np.testing.assert_array_equal(x, [0, 0, 0, 0, 2, 2, 2, 2, 7])


def test_cubic_channels_follow_the_hermite_spline_of_their_tangents() -> None:
    rng = np.random.default_rng(3)
    times = np.array([0.0, 0.5, 2.0], dtype=np.float32).astype(float)
    values = rng.normal(size=(3, 3, 3)).astype(np.float32).astype(float)  # key, (in, value, out), axis
    motion = one("CUBICSPLINE", values.reshape(-1, 3), times)
    at = motion.times
    want = np.empty((len(at), 3))
    for k in (0, 1):
        part = CubicHermiteSpline(times[k : k + 2], values[k : k + 2, 1], [values[k, 2], values[k + 1, 0]])
        inside = (at >= times[k]) & (at <= times[k + 1])
        want[inside] = part(at[inside])
    got = motion.joint_positions[:, 1]
    np.testing.assert_allclose(got, np.stack([want[:, 0], -want[:, 2], want[:, 1]], -1), atol=1e-12)


def test_cubic_rotations_are_normalised() -> None:
    a, b, zero = turned(2, 0), turned(2, 90), [0.0] * 4
    motion = one("CUBICSPLINE", [zero, a, zero, zero, b, zero], [0.0, 1.0], "rotation")
    np.testing.assert_allclose(np.linalg.norm(motion.rotations, axis=-1), 1.0, atol=1e-12)
    np.testing.assert_allclose(motion.joint_positions[2, 2], [-np.sin(np.pi / 4), 0, 1 + np.cos(np.pi / 4)], atol=1e-7)


def test_rotations_take_the_shorter_arc_at_constant_speed() -> None:
    far = [-x for x in turned(2, 80)]  # the same rotation, on the other side of the sphere
    motion = one("LINEAR", [turned(2, 0), far, far], path="rotation")
    angles = np.degrees(quaternion.angle(motion.rotations[:5, 1]))
    np.testing.assert_allclose(angles, [0, 20, 40, 60, 80], atol=1e-5)


def test_a_clip_that_begins_a_moment_late_holds_its_first_key() -> None:
    maker = arm()
    maker.move(1, "translation", [1 / 30, 2 / 30, 3 / 30], [[1, 1, 0], [2, 1, 0], [3, 1, 0]])
    motion = read(maker)
    assert motion.fps == 30.0
    np.testing.assert_allclose(motion.joint_positions[:, 1, 0], [1, 1, 2, 3], atol=1e-12)
    assert "first key is at 0.03333 s" in motion.source.warnings[0]


def test_a_clip_that_begins_late_is_read_from_its_first_key() -> None:
    maker = arm()
    maker.move(1, "translation", [40.0, 41.0], [[1, 1, 0], [2, 1, 0]])
    motion = read(maker)
    assert (motion.duration, motion.source.extra["start_s"]) == (1.0, 40.0)


@pytest.mark.parametrize(
    ("times", "fps"),
    [
        (np.arange(40) / 30, 30.0),
        (np.arange(40) / 24, 24.0),
        ([0.0, 0.1, 0.3, 0.4], 30.0),
        (np.arange(400) / 23.976023976, 24000 / 1001),
        (np.arange(400) * 0.0083333, 1 / 0.0083333),
        (np.arange(90) / 17, 17.0),
        (np.round(np.arange(40) / 24, 4), 24.0),
        ([0.0, 1.0, 3.0], 24.0),
    ],
)
def test_the_rate_puts_every_key_on_a_frame(times: object, fps: float) -> None:
    times = np.asarray(times, dtype=float)
    maker = arm()
    maker.move(1, "translation", times, np.stack([times, times, times], -1))
    motion = read(maker)
    assert motion.fps == pytest.approx(fps, rel=1e-6)
    assert motion.num_frames == round(times[-1] * fps) + 1
    assert not motion.source.warnings


def test_keys_on_no_raster_are_sampled_densely_to_the_very_end() -> None:
    times = np.array([0.0, 0.1234567, 0.3456789, 1.0101013])
    maker = arm()
    maker.move(1, "translation", times, np.stack([times, times, times], -1))
    motion = read(maker)
    assert "no common raster" in motion.source.warnings[0]
    assert motion.duration == pytest.approx(times[-1], abs=1e-6)
    np.testing.assert_allclose(motion.joint_positions[:, 1, 0], motion.times, atol=1e-7)


def test_values_at_keys_are_exact_up_to_rounding() -> None:
    times = np.arange(50, dtype=np.float32) / np.float32(24)
    values = np.random.default_rng(1).normal(size=(50, 3)).astype(np.float32)
    maker = arm()
    maker.move(0, "translation", times, values)
    motion = read(maker)
    want = np.stack([values[:, 0], -values[:, 2], values[:, 1]], -1).astype(float)
    np.testing.assert_allclose(motion.translations[:, 0], want, rtol=0, atol=4e-15)


@pytest.mark.parametrize(("kind", "scale"), [("i1", 127), ("u1", 255), ("i2", 32767), ("u2", 65535)])
def test_normalised_integers_are_fractions(kind: str, scale: int) -> None:
    low = -scale if kind[0] == "i" else 0
    maker = arm()
    values = maker.accessor([[0, scale, 0], [scale, scale, low]], kind, normalized=True)
    maker.animation([(1, "translation", maker.sampler(maker.accessor([0.0, 1.0]), values))])
    np.testing.assert_allclose(read(maker, fps=1.0).joint_positions[1, 1], [1, 1 if low else 0, 1], atol=1e-12)


def test_sparse_accessors_replace_a_few_elements_of_a_base_or_of_zeros() -> None:
    maker = arm()
    times = maker.accessor([0.0, 1.0, 2.0])
    at, put = maker.view(np.array([1], "<u1")), maker.view(np.array([[9, 9, 9]], "<f4"))
    patch = {"count": 1, "indices": {"bufferView": at, "componentType": 5121}, "values": {"bufferView": put}}
    base = maker.view(np.ones((3, 3), "<f4"))
    dense = maker.declare({"bufferView": base, "componentType": 5126, "count": 3, "type": "VEC3", "sparse": patch})
    zeros = maker.declare({"componentType": 5126, "count": 3, "type": "VEC3", "sparse": patch})
    maker.animation([(1, "translation", maker.sampler(times, dense)), (2, "translation", maker.sampler(times, zeros))])
    motion = read(maker, fps=1.0)
    np.testing.assert_array_equal(motion.translations[:, 1, 0], [1, 9, 1])
    np.testing.assert_array_equal(motion.translations[:, 2, 0], [0, 9, 0])


def test_interleaved_numbers_are_read_by_their_stride() -> None:
    maker = arm()
    times = maker.accessor([0.0, 1.0])
    view = maker.view(np.arange(14, dtype="<f4"), byteStride=28)
    values = maker.declare({"bufferView": view, "byteOffset": 8, "componentType": 5126, "count": 2, "type": "VEC3"})
    maker.animation([(1, "translation", maker.sampler(times, values))])
    np.testing.assert_allclose(read(maker, fps=1.0).translations[:, 1], [[2, 3, 4], [9, 10, 11]], atol=1e-13)


def test_numbers_are_found_in_a_binary_chunk_a_data_uri_and_a_file_beside(tmp_path: Path) -> None:
    maker = arm()
    maker.move(1, "rotation", [0.0, 1.0], [turned(0, 0), turned(0, 60)])
    for name, data in (("a.glb", maker.glb()), ("b.gltf", maker.embedded()), ("c.gltf", maker.external("some%20numbers.bin"))):
        (tmp_path / name).write_bytes(data)
    (tmp_path / "some numbers.bin").write_bytes(bytes(maker.blob))
    a, b, c = (read_motion(tmp_path / name) for name in ("a.glb", "b.gltf", "c.gltf"))
    np.testing.assert_array_equal(a.joint_positions, b.joint_positions)
    np.testing.assert_array_equal(a.joint_positions, c.joint_positions)


@pytest.mark.parametrize("uri", ["../out.bin", "/etc/hostname", "a\\b.bin", "file:///etc/hostname", "http://host/a.bin", "%2e%2e/out.bin"])
def test_buffers_outside_the_files_own_folder_are_refused(tmp_path: Path, uri: str) -> None:
    maker = arm()
    maker.move(1, "rotation", [0.0, 1.0], [turned(0, 0), turned(0, 60)])
    (tmp_path / "in").mkdir()
    (tmp_path / "out.bin").write_bytes(bytes(maker.blob))
    (tmp_path / "in" / "x.gltf").write_bytes(maker.external(uri))
    with pytest.raises(InputError, match="own folder"):
        read_motion(tmp_path / "in" / "x.gltf")


def test_a_buffer_that_is_not_there_is_named(tmp_path: Path) -> None:
    maker = arm()
    maker.move(1, "rotation", [0.0, 1.0], [turned(0, 0), turned(0, 60)])
    (tmp_path / "x.gltf").write_bytes(maker.external("lost.bin"))
    with pytest.raises(InputError, match=r"'lost\.bin', which is not beside it"):
        read_motion(tmp_path / "x.gltf")


@pytest.mark.parametrize("scale", [100.0, 300.0, 0.01])
def test_the_scale_of_an_armature_is_in_the_positions(scale: float) -> None:
    maker = arm()
    maker.tree["nodes"].append({"name": "Armature", "scale": [scale] * 3, "rotation": turned(0, -90), "children": [0]})
    maker.tree["scenes"] = [{"nodes": [3]}]
    maker.move(1, "rotation", [0.0, 1.0], [turned(2, 0), turned(2, 90)])
    motion = read(maker)
    assert motion.skeleton.names == ("lower", "upper", "hand")
    np.testing.assert_allclose(motion.skeleton.rest[0], scale * np.array([[0, 0, 0], [0, 1, 0], [0, 2, 0]]), atol=1e-9 * scale)
    np.testing.assert_allclose(motion.joint_positions[-1, 2], [-scale, scale, 0], atol=1e-6 * scale)


def matrices(tree: dict, moved: dict[tuple[int, str], np.ndarray]) -> dict[int, np.ndarray]:
    """World matrices by plain 4 x 4 products."""
    nodes = tree["nodes"]
    parents = {c: i for i, n in enumerate(nodes) for c in n.get("children", [])}

    def local(i: int) -> np.ndarray:
        if "matrix" in nodes[i]:
            return np.array(nodes[i]["matrix"], dtype=float).reshape(4, 4).T
        out = np.eye(4)
        value = {path: moved.get((i, path), nodes[i].get(path)) for path in ("translation", "rotation", "scale")}
        out[:3, :3] = Rotation.from_quat([0, 0, 0, 1] if value["rotation"] is None else value["rotation"]).as_matrix()
        out[:3, :3] *= 1.0 if value["scale"] is None else np.array(value["scale"])
        out[:3, 3] = 0.0 if value["translation"] is None else value["translation"]
        return out

    def world(i: int) -> np.ndarray:
        return world(parents[i]) @ local(i) if i in parents else local(i)

    return {i: world(i) for i in range(len(nodes))}


@given(st.integers(0, 2**32 - 1))
def test_positions_are_those_of_plain_matrices_under_any_scale_mirror_and_shear(seed: int) -> None:
    rng = np.random.default_rng(seed)
    num = int(rng.integers(2, 7))
    nodes: list[dict] = []
    for i in range(num):
        node: dict = {"name": f"n{i}"}
        if rng.random() < 0.2:
            node["matrix"] = np.vstack([rng.normal(size=(3, 4)), [0, 0, 0, 1]]).T.ravel().tolist()
        else:
            node["translation"] = rng.normal(size=3).tolist()
            node["rotation"] = Rotation.random(random_state=int(rng.integers(2**31))).as_quat().tolist()
            if rng.random() < 0.5:
                node["scale"] = (rng.choice([-1.0, 1.0], 3) * rng.uniform(0.1, 4.0, 3)).tolist()
        nodes.append(node)
        if i:
            nodes[int(rng.integers(0, i))].setdefault("children", []).append(i)
    maker = Maker(nodes, skins=[{"joints": list(range(int(rng.integers(0, num)), num))}])
    channels = []
    for i in range(num):
        if "matrix" in nodes[i]:
            continue
        for path, width in (("translation", 3), ("rotation", 4), ("scale", 3)):
            if rng.random() < 0.4:
                values = rng.normal(size=(2, width)).astype(np.float32)
                channels.append((i, path, values))
    if not channels:
        return
    times = maker.accessor([0.0, 1.0])
    maker.animation([(i, path, maker.sampler(times, maker.accessor(values))) for i, path, values in channels])
    motion = read(maker, fps=1.0)
    for k in (0, 1):
        world = matrices(maker.tree, {(i, path): values[k].astype(float) for i, path, values in channels})
        for j, name in enumerate(motion.skeleton.names):
            x, y, z = world[int(name[1:])][:3, 3]
            np.testing.assert_allclose(motion.joint_positions[k, j], [x, -z, y], atol=1e-9 * (1 + np.abs([x, y, z]).max()))
    np.testing.assert_allclose(np.linalg.norm(motion.joint_rotations, axis=-1), 1.0, atol=1e-9)


def test_scale_channels_stretch_what_hangs_below() -> None:
    motion = one(None, [[1, 1, 1], [1, 3, 1]], [0.0, 1.0], "scale")
    np.testing.assert_allclose(motion.joint_positions[:, 2, 2], [2.0, 2.5, 3.0, 3.5, 4.0], atol=1e-12)
    np.testing.assert_allclose(motion.rotations[:, 1], np.tile(quaternion.IDENTITY, (5, 1)), atol=1e-12)


def test_a_joint_scaled_to_nothing_keeps_a_rotation() -> None:
    maker = arm()
    maker.tree["nodes"][1]["rotation"] = turned(2, 30)
    maker.move(1, "scale", [0.0, 1.0], [[1, 1, 1], [0, 0, 0]])
    motion = read(maker, fps=1.0)
    np.testing.assert_allclose(motion.joint_positions[1, 2], motion.joint_positions[1, 1], atol=1e-12)
    np.testing.assert_allclose(motion.rotations[1, 1], motion.rotations[0, 1], atol=1e-7)


def test_every_joint_of_every_skin_is_read_once() -> None:
    maker = arm()
    maker.tree["nodes"].append({"name": "tail", "translation": [1.0, 0.0, 0.0]})
    maker.tree["nodes"][0]["children"].append(3)
    maker.tree["skins"] = [{"joints": [2, 1, 0]}, {"joints": [0, 3]}]
    assert set(read(maker).skeleton.names) == {"lower", "upper", "hand", "tail"}


def test_plain_nodes_without_a_skin_are_joints_when_they_move() -> None:
    maker = arm()
    del maker.tree["skins"]
    maker.move(1, "rotation", [0.0, 1.0], [turned(2, 0), turned(2, 90)])
    motion = read(maker)
    assert motion.skeleton.names == ("lower", "upper", "hand")
    np.testing.assert_allclose(motion.joint_positions[-1, 2], [-1, 0, 1], atol=1e-7)


def test_a_skin_without_an_animation_is_one_frame_of_rest() -> None:
    motion = read(arm())
    assert motion.num_frames == 1
    np.testing.assert_array_equal(motion.joint_positions[0], motion.skeleton.rest[0])
    assert "rest pose is one frame" in motion.source.warnings[0]


def test_bone_ends_are_tips() -> None:
    maker = arm()
    maker.tree["nodes"][2] |= {"children": [3], "rotation": turned(2, 90)}
    maker.tree["nodes"].append({"name": "hand_end", "translation": [0.0, 0.5, 0.0]})
    motion = read(maker)
    assert [(t.joint, t.name) for t in motion.skeleton.tips] == [(2, "hand_end")]
    np.testing.assert_allclose(motion.tip_positions[0, 0], [-0.5, 0, 2], atol=1e-12)


def clips_file() -> Maker:
    maker = arm()
    for name in ("Armature|Walk", "Run", None, "Run"):
        maker.move(1, "rotation", [0.0, 1.0], [turned(2, 0), turned(2, 90)], name=name)
    maker.animation([(0, "weights", maker.sampler(maker.accessor([0.0, 1.0]), maker.accessor([0.0, 1.0])))], "Face")
    return maker


def test_clips_are_chosen_by_name_and_the_first_unasked(tmp_path: Path) -> None:
    path = tmp_path / "arm.glb"
    path.write_bytes(clips_file().glb())
    assert [clip.name for clip in list_clips(path)] == ["Armature|Walk", "Run", "animation_2", "Run_2"]
    first = read_motion(path)
    assert (first.name, first.source.clip) == ("Armature|Walk", "Armature|Walk")
    assert first.source.extra["other_clips"] == ["Run", "animation_2", "Run_2"]
    assert read_motion(f"{path}#Run_2").name == "Run_2"
    assert read_motion(f"{path}#walk").name == "Armature|Walk"
    assert "other_clips" not in read_motion(f"{path}#Run").source.extra
    with pytest.raises(InputError, match=r"no clip named 'Rum'; did you mean 'Run'\?"):
        read_motion(f"{path}#Rum")


def test_what_is_not_used_is_said() -> None:
    told = gltf.describe(clips_file().glb(), "arm.glb")
    assert told.warnings == ("animations that move no joint are left out: 'Face'.", "channels of weights are not used: 'Face'.")


def test_warnings_are_single_lines_whatever_the_nodes_are_called() -> None:
    maker = arm()
    maker.tree["nodes"].append({"name": "eye\nof the\x07storm", "camera": 0})
    maker.tree["scenes"] = [{"nodes": [0, 3]}]
    maker.move(3, "translation", [0.0, 1.0], [[0, 0, 0], [1, 0, 0]])
    assert read(maker).source.warnings[0] == "moving cameras or lights are left out: 'eye of the storm'."


def morph_only() -> Maker:
    mesh = {"primitives": [{"attributes": {}, "targets": [{}, {}]}]}
    maker = Maker([{"name": "face", "mesh": 0}], meshes=[mesh])
    maker.animation([(0, "weights", maker.sampler(maker.accessor([0.0, 1.0]), maker.accessor([0.0, 0.0, 1.0, 1.0])))])
    return maker


def camera_only() -> Maker:
    maker = Maker([{"name": "boom", "children": [1]}, {"name": "eye", "camera": 0}], cameras=[{"type": "perspective"}])
    maker.move(0, "rotation", [0.0, 1.0], [turned(1, 0), turned(1, 90)])
    return maker


@pytest.mark.parametrize(
    ("maker", "said", "joints"),
    [
        (morph_only(), "1 node, 1 mesh, 2 morph targets, 1 animation", ("face",)),
        (camera_only(), "2 nodes, 1 camera, 1 animation", ("boom", "eye")),
        (Maker([{"name": "stone", "mesh": 0}], meshes=[{"primitives": []}]), "1 node, 1 mesh", ("stone",)),
        (Maker([]), "nothing", ()),
    ],
)
def test_a_file_without_a_skeleton_is_described_and_not_read(maker: Maker, said: str, joints: tuple[str, ...]) -> None:
    told = gltf.describe(maker.glb(), "thing.glb")
    assert (told.has_skeleton, told.clips, told.sentence, told.joints) == (False, (), said, joints)
    assert gltf.clips(maker.glb(), "thing.glb") == ()
    with pytest.raises(InputError, match=f"thing.glb: there is no skeleton in it, .* it holds {said}."):
        read(maker, "thing.glb")


@pytest.mark.parametrize(
    ("times", "values", "mode", "said"),
    [
        ([0.0, 1.0, 0.5], [[0, 0, 0]] * 3, None, "must rise; key 2 at 0.5 s comes after 1 s"),
        ([0.0, 1.0], [[0, 0, 0]] * 3, None, "2 key times need 2 values of translation"),
        ([0.0, 1.0], [[0, 0, 0]] * 4, "CUBICSPLINE", "2 key times need 6 values of translation"),
        ([0.0, 1.0], [[0, 0, 0, 1]] * 2, None, "needs 3 numbers an element"),
        ([0.0, 1.0], [[0, 0, 0]] * 2, "SMOOTH", "STEP, LINEAR, CUBICSPLINE are known"),
        ([0.0, float("nan")], [[0, 0, 0]] * 2, None, "NaN or an infinity"),
        ([0.0, 1e30], [[0, 0, 0]] * 2, None, "times up to 1e"),
        ([0.0, 1e6], [[0, 0, 0]] * 2, None, "Lower the rate"),
        ([0.0, 1.0], [[0, 0, 0], [1e30, 0, 0]], None, "beyond every sensible distance"),
    ],
)
def test_damaged_channels_are_refused_in_one_line(times: list, values: list, mode: str | None, said: str) -> None:
    maker = arm()
    maker.move(1, "translation", times, values, mode)
    with pytest.raises(InputError, match=said) as caught:
        read(maker)
    assert str(caught.value).startswith("arm.glb: ")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda t: t["nodes"][2].update(children=[0]), "cycle|two nodes"),
        (lambda t: t["nodes"][0].update(children=[1, 2]), "hangs below two nodes"),
        (lambda t: t["nodes"][0].update(children=[99]), "there are 3"),
        (lambda t: t["skins"][0].update(joints=[5]), "there are 3"),
        (lambda t: t.update(asset={"version": "1.0"}), "expected 2.0"),
        (lambda t: t.pop("asset"), "no 'asset'"),
        (lambda t: t["nodes"][1].update(translation=[0, 1]), "expected 3 finite numbers"),
        (lambda t: t["accessors"][0].update(count=10**9), "buffer view has"),
        (lambda t: t["accessors"][0].update(componentType=5124), "componentType"),
        (lambda t: t["bufferViews"][0].update(byteLength=10**9), "of a buffer of"),
        (lambda t: t["bufferViews"][1].update(extensions={"EXT_meshopt_compression": {}}), "without compression"),
        (lambda t: t["animations"][0]["channels"][0].pop("target"), "target is missing"),
    ],
)
def test_damaged_trees_are_refused_in_one_line(change: object, said: str) -> None:
    maker = arm()
    maker.move(1, "translation", [0.0, 1.0], [[0, 0, 0]] * 2)
    change(maker.tree)
    with pytest.raises(InputError, match=said):
        read(maker)


def test_units_are_metres_unless_that_makes_a_giant_or_a_mite() -> None:
    for length, unit in ((1.0, 1.0), (100.0, 0.01), (0.1, 1.0), (1000.0, 0.001)):
        maker = arm()
        for node in maker.tree["nodes"][1:]:
            node["translation"] = [0.0, length, 0.0]
        motion = gltf.read(maker.glb(), "arm.glb")
        assert motion.source.unit_m == unit
        assert motion.source.guesses[0].what == "unit"


def test_a_person_of_two_centimetres_was_scaled_once_too_often() -> None:
    walk = material.motion("humanoid/walk")
    for factor, unit, sure in ((1.0, 1.0, 0.9), (0.01, 100.0, 0.5), (0.001, 1.0, 0.3)):
        motion = gltf.read(gltf.encode(scale(walk, factor)), "walk.glb")
        guess = motion.source.guesses[0]
        assert (motion.source.unit_m, guess.confidence) == (unit, sure)
        assert guess.override == ("--unit 100" if unit > 1.0 else "--unit m")


@needs_motions
def test_all_clips_of_a_real_file_share_skeleton_and_unit() -> None:
    for path in sorted((MOTIONS / "gltf").glob("*.glb")):
        motions = [read_motion(path, ReadOptions(clip=clip.name)) for clip in list_clips(path)]
        assert len({(m.skeleton.names, m.source.unit_m, m.skeleton.height) for m in motions}) == 1
        for motion, clip in zip(motions, list_clips(path), strict=True):
            assert (motion.num_frames, motion.fps) == (clip.frames, pytest.approx(clip.fps))


@needs_motions
def test_rigid_parts_without_a_skin_are_joints_in_a_real_file() -> None:
    motion = read_motion(MOTIONS / "gltf" / "kenney_character.glb", ReadOptions(clip="walk"))
    assert {"leg-left", "leg-right", "arm-left", "arm-right"} <= set(motion.skeleton.names)
