"""Real Blender as a judge: the user's own character takes our simulation, and its bones are where the simulation had them."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np
import pytest

from surefoot.bundle import export
from surefoot.export import source_joints
from tests.blender import needs_blender, run_blender
from tests.clips import MOTIONS, needs_motions
from tests.export.cases import FOREIGN, OWN, bundle

SCRIPT = """
def imported(path):
    before = set(bpy.data.objects)
    actions = set(bpy.data.actions)
    if path.endswith(".bvh"):
        bpy.ops.import_anim.bvh(filepath=path, axis_forward="-Z", axis_up="Y", rotate_mode="QUATERNION", global_scale=1.0)
    else:
        bpy.ops.import_scene.gltf(filepath=path)
    armature = next(thing for thing in bpy.data.objects if thing not in before and thing.type == "ARMATURE")
    return armature, [action for action in bpy.data.actions if action not in actions]

def heads(armature, frames):
    out = []
    for frame in frames:
        bpy.context.scene.frame_set(int(np.floor(frame)), subframe=float(frame - np.floor(frame)))
        bpy.context.view_layer.update()
        out.append({bone.name: list(armature.matrix_world @ bone.head) for bone in armature.pose.bones})
    return out

def skinned(frame):
    bpy.context.scene.frame_set(int(frame))
    deps = bpy.context.evaluated_depsgraph_get()
    points = []
    for thing in bpy.data.objects:
        if thing.type == "MESH" and not thing.name.startswith("Icosphere"):  # that is how the importer draws bones
            seen = thing.evaluated_get(deps)
            points += [list(seen.matrix_world @ v.co) for v in seen.data.vertices]
    return [np.min(points, axis=0).tolist(), np.max(points, axis=0).tolist()] if points else None

result = []
for original, ours, clip, times in payload:
    bpy.ops.wm.read_factory_settings(use_empty=True)
    theirs, _ = imported(original)
    here, actions = imported(ours)
    fps = bpy.context.scene.render.fps
    frames = [1 + n for n in range(len(times))] if ours.endswith(".bvh") else [t * fps for t in times]
    if clip:
        alone = here.animation_data.action.name
        action = next(a for a in actions if a.name.rsplit(".", 1)[0] == clip or a.name == clip)
    else:
        alone, action = "", here.animation_data.action
    answer = {"alone": alone, "ours": heads(here, frames)}
    theirs.animation_data_create()
    for track in theirs.animation_data.nla_tracks:
        track.mute = True
    theirs.animation_data.action = action
    theirs.animation_data.action_slot = action.slots[0]
    answer["theirs"] = heads(theirs, frames)
    answer["mesh"] = skinned(frames[len(frames) // 2])
    answer["materials"] = sorted({m.name.split(".")[0] for m in bpy.data.materials})
    result.append(answer)
"""


@needs_blender
@pytest.mark.blender
@needs_motions
def test_the_original_armature_follows_the_simulation_to_a_millimetre(tmp_path: Path) -> None:
    names = [*FOREIGN, *OWN]
    payload, wanted = [], []
    for name in names:
        made = bundle(name, str(tmp_path))
        original = MOTIONS / FOREIGN[name].split("#")[0] if name in FOREIGN else tmp_path / f"{name}.glb"
        out = tmp_path / f"{name} simulated{original.suffix}"
        written = export(made, out)
        payload.append((str(original), str(out), written.clip if out.suffix == ".glb" else "", written.motion.times.tolist()))
        assert made.motion is not None
        assert made.performance is not None
        positions, _ = made.character.world(made.performance.qpos)
        joints = source_joints(made.character, made.motion)
        wanted.append({made.motion.skeleton.names[j]: positions[:, b] / _unit(original) for j, b in joints.items()})
    for name, (original, _, clip, _), goal, found in zip(names, payload, wanted, run_blender(SCRIPT, payload, timeout=300.0), strict=True):
        unit = _unit(Path(original))
        for who in ("ours", "theirs"):
            apart = [unit * np.linalg.norm(goal[joint][t] - pose[joint]) for t, pose in enumerate(found[who]) for joint in goal]
            assert max(apart) < 1e-3, (name, who)
        assert len(found["ours"][0]) >= len(goal)
        assert found["alone"] == clip  # it is what plays when the file is opened
        if original.endswith(".glb"):
            low, high = np.array(found["mesh"])
            middle = np.array([found["theirs"][len(found["theirs"]) // 2][joint] for joint in goal])
            assert (middle.min(axis=0) > low - 0.2 * (high - low)).all()
            assert (middle.max(axis=0) < high + 0.2 * (high - low)).all()
            assert set(found["materials"]) >= _materials(Path(original))


def _unit(path: Path) -> float:
    """Metres in what Blender takes for a metre."""
    if path.suffix == ".bvh":
        from surefoot.motion.files import read_motion

        return read_motion(path).source.unit_m
    return 1.0


def _materials(path: Path) -> set[str]:
    data = path.read_bytes()
    tree = json.loads(data[20 : 20 + struct.unpack_from("<I", data, 12)[0]])
    return {material["name"].split(".")[0] for material in tree.get("materials", [])}
