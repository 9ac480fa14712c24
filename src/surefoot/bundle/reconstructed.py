"""The bundle of a reconstruction: the plan that was found, what was to be performed, how near it came, and the cost over time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from surefoot.bundle.bundle import Bundle
from surefoot.bundle.make import bundle_of
from surefoot.motion.motion import Motion
from surefoot.physics.scene import Scene
from surefoot.reconstruct.outcome import Outcome
from surefoot.reconstruct.prepare import Prepared

MACHINE = ("core_s", "wall_s", "passes")
"""What depends on the machine, or is told in `curves`: not in a bundle, whose bytes are the work's alone."""


def reconstructed(
    motion: Motion,
    fitted: Prepared,
    outcome: Outcome,
    *,
    source: str | Path | bytes | None = None,
    scene: Scene | None = None,
    seed: int = 0,
    config: dict[str, Any] | None = None,
) -> Bundle:
    """The bundle of what was reconstructed of a motion. `source` is the motion's file."""
    done = outcome.value
    result = {key: value for key, value in outcome.to_json().items() if key not in MACHINE and key != "success"}
    return bundle_of(
        motion,
        fitted,
        done.policy,
        source=source,
        reference=done.reference,
        scene=scene or Scene(),
        method=str(outcome.stats["method"]),
        success=outcome.success,
        result=result | {"how": fitted.how},
        curves={f"cost/{name}": term for name, term in done.terms.items()},
        config=config or {},
        seed=seed,
    )
