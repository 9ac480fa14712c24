"""Simulations that leave: on the source's own skeleton, as BVH, GLB or NPZ."""

from surefoot.export.glb import Appended, append_clip
from surefoot.export.skeleton import on_source, source_joints

__all__ = ["Appended", "append_clip", "on_source", "source_joints"]
