"""Read a motion, see what was guessed, draw a contact sheet: python 01_look_at_a_motion.py [FILE]

Without a file, the built-in walk is written as a BVH first.
"""

import sys

import surefoot
from surefoot import material, picture

if len(sys.argv) > 1:
    file = sys.argv[1]
else:
    file = "walk.bvh"
    surefoot.write_motion(material.motion("humanoid/walk"), file)

motion = surefoot.read_motion(file)
print(f"{motion.name}: {motion.skeleton.num_joints} joints, {motion.num_frames} frames, {motion.duration:.2f} s at {motion.fps:g} a second")
for guess in motion.source.guesses:
    print(f"  guessed {guess.what}: {guess.value} ({guess.confidence:.0%} sure: {guess.why}); {guess.override} overrides it")
for warning in motion.source.warnings:
    print(f"  {warning}")

picture.contact_sheet(motion, frames=6, view="quarter").save("motion.png")
print("wrote motion.png")
