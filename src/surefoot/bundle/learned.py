"""The bundle of a skill that was learned: the policy, what it performs, the orbit it settles on, and how learning went.

Success is judged on episodes that learning never saw: at least `STANDS` of them stand to their end, and the motion is still the motion.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from surefoot.bundle.bundle import Bundle
from surefoot.bundle.make import bundle_of
from surefoot.feedback.decide import Decision
from surefoot.feedback.learn import Learned
from surefoot.motion.motion import Motion
from surefoot.play.evaluate import EvaluateConfig, Evaluation, evaluate
from surefoot.reconstruct.prepare import Prepared

STANDS = 0.9
"""Share of the episodes that must stand."""
NEAR = 0.08
"""Largest mean root-relative error of joints [m], for a person of 1.7 m."""
SLOWER, SLOW = 0.1, 0.05
"""Largest error of the speed: as a part of the reference's, or [m/s]."""
TRIED = EvaluateConfig(episodes=64, seconds=20.0, pushes=False)
MACHINE = ("core_s", "wall_s")
"""What depends on the machine is not in a bundle."""


def judged(learned: Learned, *, seed: int, threads: int, config: EvaluateConfig = TRIED) -> tuple[Evaluation, str]:
    """Episodes that learning never saw, and what is wrong in words; empty for a success."""
    found = evaluate(learned.policy, learned.reference, config, seed=seed + 1_000_003, threads=threads, starts=learned.starts)
    size = learned.reference.character.height / 1.7
    wrong = []
    if found.survival_rate < STANDS:
        wrong.append(f"only {100 * found.survival_rate:.0f} % of {len(found.standing)} episodes stand to their end")
    if not found.nominal.judgement.joints <= NEAR * size:
        wrong.append(f"joints are {1e3 * found.nominal.judgement.joints:.0f} mm off on the average")
    apart = abs(found.speed - found.reference_speed)
    if apart > max(SLOWER * found.reference_speed, SLOW):
        wrong.append(f"it travels at {found.speed:.2f} m/s instead of {found.reference_speed:.2f}")
    return found, "; ".join(wrong)


def learned_bundle(
    motion: Motion,
    fitted: Prepared,
    decision: Decision,
    learned: Learned,
    found: Evaluation,
    why: str,
    *,
    source: str | Path | bytes | None = None,
    **fields: Any,
) -> Bundle:
    """The bundle of a skill. `motion` is the clip as it was read."""
    values = {key: value for key, value in {**learned.stats, **found.to_json()}.items() if key not in MACHINE}
    made = bundle_of(
        motion,
        fitted,
        learned.policy,
        source=source,
        reference=learned.reference,
        starts=learned.starts,
        method="guided",
        success=not why,
        result={**values, "why": why, "how": fitted.how, "decision": decision.why, "iterations": learned.history},
        curves={"survival": np.array([one.get("best", 0.0) for one in learned.history])},
        **fields,
    )
    return made.replace(start=made.start + decision.first * motion.frame_time)
