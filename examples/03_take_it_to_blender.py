"""Any clip as GLB and BVH, which Blender opens at the same positions: python 03_take_it_to_blender.py [FILE]

Without a file, every built-in clip is written.
"""

import sys

import surefoot
from surefoot import material

if len(sys.argv) > 1:
    file = sys.argv[1]
    motions = [surefoot.read_motion(file, surefoot.ReadOptions(clip=clip.name or None)) for clip in surefoot.list_clips(file)]
else:
    motions = [material.motion(name) for name in material.names()]

for motion in motions:
    name = f"{motion.skeleton.num_joints}_joints_{motion.name}".replace("/", "_")
    for suffix in (".glb", ".bvh"):
        surefoot.write_motion(motion, name + suffix)
        print(f"wrote {name + suffix}: {motion.duration:.2f} s")
