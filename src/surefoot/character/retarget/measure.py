"""How good a retargeting is: end effectors, ground, planted soles, speed of the joints.

end error   mean |e(t) - e'(t)| over frames and end effectors, e' the source's end effector scaled limb by limb
slide       of one contact: the largest horizontal distance between two places of the standing point
speed       the largest angle that a joint turns from one frame to the next, over the frame time
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import pdist

from surefoot.character.character import Character
from surefoot.character.retarget.ground import lowest
from surefoot.character.retarget.plant import runs
from surefoot.character.retarget.retarget import Retargeted
from surefoot.motion import quaternion
from surefoot.motion.motion import Motion

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Quality:
    """Figures of one retargeting."""

    ends_m: dict[str, float]
    """Mean error of each limb's end effector."""
    penetration_m: float
    """Deepest any shape goes below the ground."""
    slides_m: tuple[float, ...]
    """Of every contact of every standing point."""
    joint_speed: float
    """Fastest joint of the result [rad/s]."""
    fastest: str
    """That joint's body."""
    source_speed: float
    """Fastest joint of the source that drives a body [rad/s]."""

    @property
    def end_m(self) -> float:
        """Mean over the end effectors."""
        return float(np.mean(list(self.ends_m.values()))) if self.ends_m else 0.0

    @property
    def slide_m(self) -> float:
        """The worst contact's."""
        return max(self.slides_m, default=0.0)


def measure(result: Retargeted, character: Character, source: Motion) -> Quality:
    """Figures of `result`, which was made from `source`."""
    world = result.motion.world
    ends = {name: float(goal.gap(*world).mean()) for name, goal in result.ends.items()}
    slides = []
    for point, on in result.planted.values():
        place = point.places(*world)[:, :2]
        slides += [float(pdist(place[a:b]).max(initial=0.0)) for a, b in runs(on)]
    speeds = turning(result.motion)[:, 1:]
    names = {name for name in result.matching.drivers.values() if name is not None}
    chosen = sorted({source.skeleton.index(name) for name in names} - set(source.skeleton.roots))
    worst = int(np.argmax(speeds.max(axis=0))) if speeds.size else 0
    return Quality(
        ends_m=ends,
        penetration_m=max(0.0, -float(lowest(character.model, result.qpos).min())),
        slides_m=tuple(slides),
        joint_speed=float(speeds.max()) if speeds.size else 0.0,
        fastest=character.skeleton.names[worst + 1] if speeds.size else "",
        source_speed=float(turning(source)[:, chosen].max(initial=0.0)),
    )


def turning(motion: Motion) -> Array:
    """Speed (T - 1, J) of every joint's own rotation [rad/s]."""
    steps = quaternion.multiply(quaternion.conjugate(motion.rotations[:-1]), motion.rotations[1:])
    return quaternion.angle(steps) / motion.frame_time
