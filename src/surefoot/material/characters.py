"""The two characters as puppets, and how their surfaces look."""

from __future__ import annotations

from surefoot.material.body import Ball, Look
from surefoot.material.puppet import Puppet
from surefoot.material.skeletons import ARM_SPREAD, DINOSAUR, DINOSAUR_HINGES, HUMANOID, HUMANOID_HINGES

HUMAN = Puppet(skeleton=HUMANOID, hinges=HUMANOID_HINGES, name="humanoid", arm_end="wrist", heel_on="ankle", arm_spread=ARM_SPREAD)
DINO = Puppet(skeleton=DINOSAUR, hinges=DINOSAUR_HINGES, name="dinosaur", arm_end="hand", heel_on="toe")


def _eyes() -> tuple[Ball, ...]:
    white, black = (0.95, 0.95, 0.92), (0.02, 0.02, 0.02)
    return tuple(
        ball
        for side in (1.0, -1.0)
        for ball in (("head", (0.555, 0.070 * side, 1.340), 0.042, white), ("head", (0.585, 0.082 * side, 1.350), 0.022, black))
    )


LOOKS = {
    "humanoid": Look(middle=(0.55, 0.55, 0.53), left=(0.85, 0.40, 0.13), right=(0.12, 0.36, 0.66)),
    "dinosaur": Look(
        middle=(0.16, 0.42, 0.13),
        left=(0.12, 0.33, 0.10),
        right=(0.12, 0.33, 0.10),
        girth={"pelvis": 1.25, "chest": 1.3, "neck": 1.3, "jaw": 1.7, "tail_1": 1.35, "tail_2": 1.3, "tail_3": 1.2}
        | {"hip": 1.6, "knee": 1.3, "ankle": 1.3, "toe": 1.4, "shoulder": 1.5, "elbow": 1.4},
        balls=_eyes(),
    ),
}
