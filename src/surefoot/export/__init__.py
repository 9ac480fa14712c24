"""Simulations that leave: on the source's own skeleton, as BVH, GLB or NPZ."""

from surefoot.export.glb import Extended, with_clip
from surefoot.export.skeleton import on_source, source_joints

__all__ = ["Extended", "on_source", "source_joints", "with_clip"]
