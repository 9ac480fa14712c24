"""A bundle whose skill has learned to turn, judged on episodes that learning never saw, at the full and at half the rate, to both sides."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

import numpy as np

from surefoot.bundle.bundle import Bundle
from surefoot.bundle.make import performing
from surefoot.errors import InputError
from surefoot.feedback.policy import LinearFeedback
from surefoot.feedback.steered import turns
from surefoot.feedback.turning import Tell, TurningConfig, turning

STANDS = 60 / 64
"""Share of the episodes that must stand at every rate."""


def turned_bundle(
    bundle: Bundle,
    config: TurningConfig | None = None,
    *,
    seed: int = 0,
    threads: int = 0,
    tell: Tell | None = None,
    episodes: int = 64,
    seconds: float = 20.0,
) -> Bundle:
    """The bundle with a turn command. Its result holds "turning": for each rate who stands and how fast they turn."""
    if not isinstance(bundle.policy, LinearFeedback):
        raise InputError(f"{bundle.name} is '{bundle.policy.kind}'; only what was learned learns to turn.")
    config = config or TurningConfig()
    found = turning(bundle.policy, bundle.reference, bundle.starts, config, seed=seed, threads=threads, tell=tell)
    rows: list[dict[str, Any]] = []
    for part in (-1.0, -0.5, 0.5, 1.0):
        asked = part * config.rate
        stood, rate = turns(
            found.policy,
            bundle.reference,
            bundle.starts,
            math.radians(asked),
            episodes=episodes,
            seconds=seconds,
            seed=seed + 1_000_003,
            threads=threads,
        )
        reached = float(np.degrees(rate))
        rows.append({"asked_deg_s": asked, "stood": stood, "episodes": episodes, "seconds": seconds, "turned_deg_s": reached})
    good = all(row["stood"] >= STANDS * episodes for row in rows)
    told = {"success": good, "rows": rows, "history": found.history, "config": asdict(config), "physics_steps": found.physics_steps}
    made = bundle.replace(policy=found.policy, result={**bundle.result, "turning": told})
    return performing(made)
