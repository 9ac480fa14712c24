"""Open loop: a clip performed by a simulated character.

fitted = prepare(read_motion("walk.bvh"))          rigged from its own skeleton; or prepare(motion, character)
outcome = reconstruct(fitted, seed=0)
outcome.success, outcome.status, outcome.value.policy
"""

from surefoot.reconstruct.escalate import ReconstructConfig, reconstruct
from surefoot.reconstruct.improved import ImprovedConfig, improved
from surefoot.reconstruct.outcome import Outcome, Performance, Progress, Told
from surefoot.reconstruct.prepare import Prepared, prepare
from surefoot.reconstruct.samcon import SamconConfig, samcon
from surefoot.reconstruct.timeline import Timeline, timeline

__all__ = [
    "ImprovedConfig",
    "Outcome",
    "Performance",
    "Prepared",
    "Progress",
    "ReconstructConfig",
    "SamconConfig",
    "Timeline",
    "Told",
    "improved",
    "prepare",
    "reconstruct",
    "samcon",
    "timeline",
]
