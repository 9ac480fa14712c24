"""The two characters as puppets."""

from __future__ import annotations

from surefoot.material.puppet import Puppet
from surefoot.material.skeletons import ARM_SPREAD, DINOSAUR, DINOSAUR_HINGES, HUMANOID, HUMANOID_HINGES

HUMAN = Puppet(skeleton=HUMANOID, hinges=HUMANOID_HINGES, name="humanoid", arm_end="wrist", heel_on="ankle", arm_spread=ARM_SPREAD)
DINO = Puppet(skeleton=DINOSAUR, hinges=DINOSAUR_HINGES, name="dinosaur", arm_end="hand", heel_on="toe")
