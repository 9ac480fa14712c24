"""What a person may say about a rig instead of letting it be derived."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from surefoot.character.blueprint import Servo


@dataclass(frozen=True, kw_only=True)
class RigConfig:
    """How a skeleton becomes a character. The defaults need no thought."""

    joints: Literal["auto", "ball", "hinge"] = "auto"
    """auto: hinges where the clip turns about one axis, balls elsewhere. hinge: hinges everywhere (Wide band 4.2)."""
    hinges: dict[str, tuple[float, float, float]] = field(default_factory=dict)
    """Joints that are hinges whatever the clip shows, and their axes in the rest pose (world); a mirror partner follows by itself."""
    density: float = 1000.0
    """[kg/m^3]"""
    mass: float | None = None
    """Total mass [kg]; None takes volume times density."""
    limb_radius: float = 0.15
    """Capsule radius as a part of the bone's length (Wide band 4.1 takes 0.10, which makes a person of 20 kg)."""
    margin: float = 0.35
    """Joint limits are what the clip shows, plus this much [rad]."""
    smallest_limit: float = 0.6
    """A ball may always turn this far from the rest pose [rad]."""
    finger: float = 0.06
    """Ends of hands, feet, tails and heads that reach less far than this part of the height are merged into them."""
    helper: float = 0.006
    """Bones shorter than this part of the height are helpers and are merged."""
    max_bodies: int = 120
    """More bodies than this are refused."""
    keep_first_frame: bool = False
    """Keep a leading T-pose frame that snaps into the motion."""
    servo: Servo = field(default_factory=Servo)
    """Gains of all joints."""
