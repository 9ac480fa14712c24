"""How well a policy stands what learning is about: episodes from perturbed starts, pushed on the trunk from all sides.

    score = mean over episodes of (time until it falls) / (time that was asked for)

Every comparison is made on the same starts and pushes, drawn from a seed of their own that learning does not use.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from surefoot.feedback.cycle import HOLD, Cycle
from surefoot.feedback.policy import LinearFeedback
from surefoot.feedback.survival import Survival, perturbed, survive
from surefoot.physics.batch import BatchEngine
from surefoot.physics.push import Push, trunk

Array = NDArray[np.float64]

SECONDS = 8.0
"""An episode of a cycle [s]."""
FIRST, SECOND = 1.0, 4.0
"""A push begins within a second after each of these [s]."""
LASTS = 0.2
"""[s]"""


class Stress:
    """One trial for several policies."""

    def __init__(self, cycle: Cycle, engine: BatchEngine, starts: Sequence[Array], force: float, rng: np.random.Generator) -> None:
        """`force` [N] is that of every push."""
        num = engine.num_simulations
        self.cycle = cycle
        self.engine = engine
        self.rows, self.fragment = perturbed(cycle, engine, starts, num, rng)
        self.seconds = cycle.duration + HOLD if cycle.ends else SECONDS
        body = trunk(cycle.character)
        self.pushes = []
        for moment in (FIRST, SECOND):
            toward, begin = rng.uniform(0.0, 2.0 * np.pi, num), moment + rng.uniform(0.0, 1.0, num)
            away = force * np.stack([np.cos(toward), np.sin(toward), 0.0 * toward], axis=-1)
            if force > 0.0 and not cycle.ends:
                self.pushes.append(Push(body=body, force=away, start=begin, duration=LASTS))

    def __call__(self, policy: LinearFeedback) -> Survival:
        """How long its episodes lasted."""
        return survive(policy, self.cycle, self.engine, self.rows, self.fragment, self.seconds, self.pushes)
