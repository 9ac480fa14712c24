"""What a person may say about a retargeting instead of letting it be derived."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class RetargetConfig:
    """How a motion is put onto another body. Lengths are for a body of 1.7 m and scale with the character's height."""

    end_weight: float = 20.0
    """Cost of an end effector's distance from its target [1/m]."""
    root_weight: float = 12.0
    """Cost of the hips' distance from their target [1/m]."""
    root_turn_weight: float = 3.0
    """Cost of the root's rotation away from its target [1/rad]."""
    planted_weight: float = 120.0
    """Cost of a planted sole's distance from where it stands [1/m]."""
    middle_weight: float = 2.0
    """Cost of the distance of elbows and knees from where the source's limb has them [1/m]."""
    turn_weight: float = 1.0
    """Cost of the rotation of feet, hands and head away from their target [1/rad]."""
    posture_weight: float = 0.4
    """Cost of each joint's angle away from the source's bone directions [1/rad]."""
    continuity_weight: float = 1.0
    """Cost of each joint's angle away from the frame before, as the source moved it on [1/rad]."""
    damping: float = 1e-3
    """Levenberg-Marquardt damping of every step."""
    caution: float = 0.02
    """More damping while targets are far, times their weighted squared distance: targets out of reach do not throw the limbs about."""
    iterations: int = 8
    """Most steps a frame; fewer when a step moves nothing."""
    first_iterations: int = 30
    """Most steps of the first frame."""
    tolerance: float = 1e-3
    """A frame is done when no joint moves more than this in a step [rad or m]."""
    depth: float = 0.001
    """Shapes may sink this far into the ground [m]."""
    lock: bool = True
    """Hold planted feet and hands in place."""
    ground: bool = True
    """Keep all shapes above the ground."""
    blend: float = 0.12
    """Seconds over which a planted foot's correction fades in and out."""
    contact_speed: float = 0.30
    """A point slower than this may be planted [m/s]."""
    contact_height: float = 0.035
    """A point lower than this above its standing height may be planted [m]."""
    fewest_contact: float = 0.05
    """Shorter contacts are ignored [s]."""
