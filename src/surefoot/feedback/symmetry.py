"""A gait's two halves as one: what is learned of a stride is its mirror image's, too (Simulation for Control, 3.5).

S_k+F/2 = mirror S_k,      a_k+F/2 = mirror a_k             states and actions of the second half are those of the first, mirrored
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.feedback.cycle import Cycle
from surefoot.feedback.policy import LinearFeedback
from surefoot.feedback.walks import Steps, Tuples
from surefoot.physics.batch import BatchEngine
from surefoot.physics.features import mirrored
from surefoot.physics.mirror import mirror
from surefoot.reconstruct.actions import Actions

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, kw_only=True)
class Symmetry:
    """How features and actions of a body are mirrored."""

    feature: Array  # (n, n)
    action: Array  # (d, d)
    control: Array  # (nu, nu)

    def pooled(self, tuples: list[Tuples]) -> list[Tuples]:
        """Tuples of the first half with those of the second, mirrored; F / 2 of them."""
        half = len(tuples) // 2
        out = []
        for one, other in zip(tuples[:half], tuples[half:], strict=True):
            out.append(
                Tuples(
                    features=np.concatenate([one.features, np.einsum("ij,mj->mi", self.feature, other.features)]),
                    actions=np.concatenate([one.actions, np.einsum("ij,mj->mi", self.action, other.actions)]),
                    weights=np.concatenate([one.weights, other.weights]),
                )
            )
        return out

    def pooled_steps(self, steps: list[Steps]) -> list[Steps]:
        """What fragments did in the first half with, mirrored, the second; F of them, the second half being the first's image."""
        half = len(steps) // 2
        first = [_joined(one, self._image(other)) for one, other in zip(steps[:half], steps[half:], strict=True)]
        return [*first, *[self._image(one) for one in first]]

    def _image(self, steps: Steps) -> Steps:
        feature, action = self.feature, self.action
        return Steps(
            before=np.einsum("ij,mj->mi", feature, steps.before),
            tried=np.einsum("ij,mj->mi", action, steps.tried),
            after=np.einsum("ij,mj->mi", feature, steps.after),
        )

    def both(self, center: Array, gain: Array, action: Array, spread: Array) -> tuple[Array, Array, Array, Array]:
        """Numbers of the first half (F / 2, ...) and, mirrored, of the second (F, ...). Mirroring twice changes nothing."""
        turned = np.einsum("ij,kj->ki", self.feature, center)
        gains = np.einsum("ij,kjm,nm->kin", self.action, gain, self.feature)
        turns = np.einsum("ij,kj->ki", self.action, action)
        wide = np.einsum("ij,kj->ki", np.abs(self.action), spread)
        return (
            np.concatenate([center, turned]),
            np.concatenate([gain, gains]),
            np.concatenate([action, turns]),
            np.concatenate([spread, wide]),
        )


def _joined(one: Steps, other: Steps) -> Steps:
    return Steps(
        before=np.concatenate([one.before, other.before]),
        tried=np.concatenate([one.tried, other.tried]),
        after=np.concatenate([one.after, other.after]),
    )


def symmetry(cycle: Cycle, engine: BatchEngine, joints: Actions) -> Symmetry:
    """How the states and actions of a cycle's body are mirrored."""
    control = mirror(cycle.character, engine.layout).control
    num = len(cycle.features[0])
    feature = np.stack([mirrored(row, cycle.body) for row in np.eye(num)], axis=-1)
    return Symmetry(feature=feature, action=control[np.ix_(joints.columns, joints.columns)], control=control)


def symmetric(policy: LinearFeedback, found: Symmetry) -> LinearFeedback:
    """The policy with the targets of its second half those of the first, mirrored."""
    half = len(policy.reference) // 2
    first = policy.reference[:half]
    return policy.replace(reference=np.concatenate([first, np.einsum("ij,tj->ti", found.control, first)]))
