"""The skinned bodies of our own characters and their GLB files."""

import numpy as np
import pytest

from surefoot import material
from surefoot.errors import InputError
from surefoot.material.body import surface
from surefoot.material.characters import LOOKS
from surefoot.material.skeletons import DINOSAUR, HUMANOID
from surefoot.motion import gltf, gltf_write
from surefoot.motion.files import ReadOptions
from tests.blender import needs_blender, run_blender

SKELETONS = {"humanoid": HUMANOID, "dinosaur": DINOSAUR}


@pytest.mark.parametrize("name", SKELETONS)
def test_a_surface_has_unit_normals_and_weights_that_add_up(name: str) -> None:
    body = surface(SKELETONS[name], LOOKS[name])
    np.testing.assert_allclose(np.linalg.norm(body.normals, axis=-1), 1.0, atol=1e-9)
    np.testing.assert_allclose(body.weights.sum(-1), 1.0, atol=1e-12)
    assert body.weights.min() >= 0.0
    assert body.joints.max() < SKELETONS[name].num_joints
    assert body.triangles.max() == len(body.points) - 1
    assert body.points[:, 2].min() > -0.05


@pytest.mark.parametrize("name", SKELETONS)
def test_triangles_are_seen_from_outside(name: str) -> None:
    body = surface(SKELETONS[name], LOOKS[name])
    a, b, c = np.moveaxis(body.points[body.triangles], 1, 0)
    face = np.cross(b - a, c - a)
    size = np.linalg.norm(face, axis=-1)
    outward = body.normals[body.triangles].mean(1)
    whole = size > 1e-9  # the poles of the round ends are points
    assert (np.sum(face * outward, -1)[whole] > 0.0).all()


@pytest.mark.parametrize("name", SKELETONS)
def test_a_surface_is_closed(name: str) -> None:
    """The signed volume of all its parts is a body's, and no part is inside out."""
    body = surface(SKELETONS[name], LOOKS[name])
    a, b, c = np.moveaxis(body.points[body.triangles], 1, 0)
    volume = np.sum(a * np.cross(b, c)) / 6.0
    assert 0.02 < volume < 0.2


def test_the_dinosaurs_file_holds_its_three_clips() -> None:
    data = material.glb("dinosaur")
    assert data == material.glb("dinosaur")
    assert [clip.name for clip in gltf.clips(data, "dinosaur.glb")] == ["walk", "box", "jump"]
    for clip in ("walk", "box", "jump"):
        made, read = material.motion(f"dinosaur/{clip}"), gltf.read(data, "dinosaur.glb", ReadOptions(clip=clip))
        assert read.skeleton.names == made.skeleton.names
        assert read.num_frames == made.num_frames
        np.testing.assert_allclose(read.joint_positions, made.joint_positions, atol=2e-6)
        np.testing.assert_allclose(read.tip_positions, made.tip_positions, atol=2e-6)


def test_clips_of_another_skeleton_do_not_fit_into_a_file() -> None:
    with pytest.raises(InputError, match="the clips of one GLB file share a skeleton; that of 'walk' is not that of 'box'"):
        gltf_write.encode(material.motion("dinosaur/box"), clips=[material.motion("humanoid/walk")])


@needs_blender
@pytest.mark.blender
def test_blender_moves_the_body_as_its_bones(tmp_path) -> None:
    path = tmp_path / "dinosaur.glb"
    path.write_bytes(material.glb("dinosaur"))
    script = """
bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.context.scene.render.fps = 30
bpy.ops.import_scene.gltf(filepath=payload)
body = next(o for o in bpy.data.objects if o.type == "MESH" and o.vertex_groups)
rig = next(o for o in bpy.data.objects if o.type == "ARMATURE")
action = bpy.data.actions["jump"]
rig.animation_data.action = action
rig.animation_data.action_slot = action.slots[0]
for track in rig.animation_data.nla_tracks:
    track.mute = True
lows = []
for frame in (0, 45, 105):
    bpy.context.scene.frame_set(frame)
    seen = body.evaluated_get(bpy.context.evaluated_depsgraph_get())
    corners = np.array([(seen.matrix_world @ v.co)[:] for v in seen.data.vertices])
    lows.append([*corners.min(0).tolist(), *corners.max(0).tolist()])
result = {"actions": sorted(a.name for a in bpy.data.actions), "colours": [a.name for a in body.data.color_attributes], "boxes": lows}
"""
    seen = run_blender(script, str(path))
    assert seen["actions"] == ["box", "jump", "walk"]
    assert seen["colours"]
    jump = material.motion("dinosaur/jump")
    for frame, box in zip((0, 45, 105), seen["boxes"], strict=True):
        points = np.concatenate([jump.joint_positions[frame], jump.tip_positions[frame]])
        low, high = np.array(box[:3]), np.array(box[3:])
        assert np.abs(points.min(0) - low).max() < 0.15
        assert np.abs(points.max(0) - high).max() < 0.15
