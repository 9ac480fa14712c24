"""Linear feedback in words and pictures: which feature turns which joint, by how many degrees, at which phase.

    degrees[k, i, j] = how far target i turns for one unit of feature j in fragment k

Units are those that a person would say: degrees of joint per degree of tilt, per cm, per m/s, per kg m^2/s. Which of several is strongest
cannot be said across units; what counts is what a common disturbance does: 5 degrees of tilt, 1 cm of height, 2 cm of the centre of mass
against the root, 0.25 m/s, 3 cm of a foot, and the momentum that 0.25 m/s give a tenth of the body at half its height (lengths for 1.7 m).
An axis is named by what turning about it does in the rest pose: "pitch" about the left, "roll" about the way ahead, "twist" about up.
F fragments, d targets that are turned, n features.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot.character.character import Character
from surefoot.feedback.policy import LinearFeedback
from surefoot.motion import quaternion
from surefoot.physics.features import anatomy, names, units

Array = NDArray[np.float64]

SHOWN = {"rad": ("deg", np.degrees(1.0)), "m": ("cm", 100.0), "m/s": ("m/s", 1.0), "kg m^2/s": ("kg m^2/s", 1.0)}
"""The unit that is shown for each, and how many of them one is."""
TILT, HEIGHT, CENTRE, SPEED, FOOT = np.radians(5.0), 0.01, 0.02, 0.25, 0.03
"""Common disturbances of a person, in SI units."""
NAMED = 0.9
"""Cosine from which on an axis has the name of the body's."""
COLUMNS = 12
"""Phases that a table shows at most."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Readable:
    """Linear feedback with names."""

    joints: tuple[str, ...]  # (d,)
    """What turns, as "left_hip pitch"."""
    features: tuple[str, ...]  # (n,)
    units: tuple[str, ...]  # (n,)
    """In which the features are counted."""
    common: Array  # (n,)
    """What a common disturbance is, in these units."""
    degrees: Array  # (F, d, n)
    """[degrees per unit]"""
    phases: Array  # (F,)
    """Where each fragment begins, as a part of the cycle or the skill."""

    @cached_property
    def size(self) -> Array:
        """How far a common disturbance turns each joint (d, n) [degrees], root mean square over the fragments."""
        return np.asarray(np.sqrt(np.mean((self.degrees * self.common) ** 2, axis=0)))

    def strongest(self, num: int) -> list[tuple[int, int]]:
        """Joint and feature of the strongest entries, the strongest first."""
        order = np.argsort(-self.size, axis=None, kind="stable")[:num]
        return [(int(i), int(j)) for i, j in zip(*np.unravel_index(order, self.size.shape), strict=True)]

    def to_json(self, num: int = 40) -> dict[str, Any]:
        """The strongest entries, as JSON values."""
        rows = []
        for i, j in self.strongest(num):
            course = self.degrees[:, i, j]
            peak = int(np.argmax(np.abs(course)))
            rows.append(
                {
                    "joint": self.joints[i],
                    "feature": self.features[j],
                    "unit": self.units[j],
                    "degrees_per_unit": course.tolist(),
                    "largest": float(course[peak]),
                    "largest_at": float(self.phases[peak]),
                    "common_disturbance": float(self.common[j]),
                    "degrees_for_it": float(self.size[i, j]),
                }
            )
        return {"joints": list(self.joints), "features": list(self.features), "phases": self.phases.tolist(), "strongest": rows}

    def text(self, num: int = 16) -> str:
        """The strongest entries, by phase, for a person."""
        parts = np.array_split(np.arange(len(self.phases)), min(len(self.phases), COLUMNS))
        rows = [("", "at % of the way", *[f"{100.0 * self.phases[part[0]]:.0f}" for part in parts])]
        for i, j in self.strongest(num):
            course = [float(self.degrees[part, i, j].mean()) for part in parts]
            digits = 0 if max(abs(v) for v in course) >= 10.0 else 1
            rows.append((self.joints[i], f"{self.features[j]} [deg per {self.units[j]}]", *[f"{v:+.{digits}f}" for v in course]))
        widths = [max(len(row[c]) for row in rows) for c in range(len(rows[0]))]
        lines = [
            "  ".join([row[0].ljust(widths[0]), row[1].ljust(widths[1]), *[v.rjust(w) for v, w in zip(row[2:], widths[2:], strict=True)]])
            for row in rows
        ]
        first = f"what turns what, the strongest {len(rows) - 1} of {self.size.size}: degrees of joint per unit of feature"
        return "\n".join([first, *[f"  {line.rstrip()}" for line in lines]])


def readable(policy: LinearFeedback, character: Character) -> Readable:
    """The gains of a policy with names."""
    body = anatomy(character)
    si = units(body)
    shown = np.array([SHOWN[unit][1] for unit in si])
    return Readable(
        joints=tuple(targets(character, policy)[c] for c in policy.columns),
        features=names(body),
        units=tuple(SHOWN[unit][0] for unit in si),
        common=_common(character, len(body.feet)) * shown,
        degrees=np.degrees(policy.gain) / shown,
        phases=policy.edges[:-1] / float(policy.edges[-1]),
    )


def _common(character: Character, feet: int) -> Array:
    """A common disturbance of each feature (n,), in SI units."""
    size = character.height / 1.7
    speed = SPEED * float(np.sqrt(size))
    momentum = speed * 0.1 * character.mass * 0.5 * character.height
    lengths = size * np.array([HEIGHT, CENTRE, CENTRE, HEIGHT])
    return np.concatenate([[TILT] * 2, lengths, [speed] * 3, [size * FOOT] * (3 * feet), [momentum] * 3])


def targets(character: Character, policy: LinearFeedback) -> tuple[str, ...]:
    """A name for each servo target (nu,): its body's, and what turning its axis does where it has several."""
    model, skeleton = character.model, character.skeleton
    front = quaternion.multiply(skeleton.rest[1][0], anatomy(character).to_front)
    ways = dict(zip(("roll", "pitch", "twist"), quaternion.rotate(front, np.eye(3)), strict=True))
    out: list[str] = []
    for a, name in enumerate(policy.servos.names):
        joint = int(model.actuator_trnid[a, 0])
        if model.jnt_type[joint] != mujoco.mjtJoint.mjJNT_BALL:
            several = sum(other == name for other in policy.servos.names) > 1
            out.append(f"{name} {1 + policy.servos.names[:a].count(name)}" if several else name)
            continue
        turned = quaternion.rotate(skeleton.rest[1][skeleton.names.index(name)], model.actuator_gear[a, :3])
        near = {way: float(turned @ along) for way, along in ways.items()}
        best = max(near, key=lambda way: abs(near[way]))
        sign = "" if near[best] > 0.0 else "-"
        out.append(f"{name} {sign}{best}" if abs(near[best]) >= NAMED else f"{name} {'xyz'[int(np.argmax(model.actuator_gear[a, :3]))]}")
    return tuple(out)
