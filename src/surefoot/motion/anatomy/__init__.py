"""Who is who in a skeleton: trunk, limbs, left and right, forward and up, and what hangs in the wrong place."""

from surefoot.motion.anatomy.describe import Anatomy, anatomy
from surefoot.motion.anatomy.detached import attach, reparent

__all__ = ["Anatomy", "anatomy", "attach", "reparent"]
