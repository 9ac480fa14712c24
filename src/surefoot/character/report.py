"""What a character is made of, for people and as JSON: its bodies as a tree, how each is joined, what it weighs and stands on."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from surefoot.character.character import Character
from surefoot.character.load import load_character

_KINDS = {
    int(mujoco.mjtJoint.mjJNT_FREE): "free",
    int(mujoco.mjtJoint.mjJNT_BALL): "ball",
    int(mujoco.mjtJoint.mjJNT_HINGE): "hinge",
}


@dataclass(frozen=True, kw_only=True)
class BodyFacts:
    """One body of a character."""

    name: str
    parent: str | None
    joint: str
    """free, ball, hinge, several hinges as "2 hinges", or fixed."""
    limits_deg: tuple[float, float] | None
    """Of a ball or a single hinge."""
    mass_kg: float
    shapes: int


@dataclass(frozen=True, kw_only=True)
class CharacterReport:
    """What is known about a character."""

    name: str
    bodies: tuple[BodyFacts, ...]
    degrees_of_freedom: int
    actuators: int
    mass_kg: float
    height_m: float
    timestep_s: float
    lead_s: float
    feet: tuple[str, ...]
    end_effectors: tuple[str, ...]
    report: tuple[str, ...]
    """What was guessed, merged or left out when it was made."""
    source: dict[str, Any]

    @staticmethod
    def of(character: Character) -> CharacterReport:
        """The report on a character."""
        return CharacterReport(
            name=character.name,
            bodies=tuple(_body(character, j) for j in range(character.skeleton.num_joints)),
            degrees_of_freedom=int(character.model.nv),
            actuators=int(character.model.nu),
            mass_kg=character.mass,
            height_m=character.height,
            timestep_s=character.timestep,
            lead_s=character.lead,
            feet=character.feet,
            end_effectors=character.end_effectors,
            report=character.report,
            source=character.source,
        )

    def to_json(self) -> dict[str, Any]:
        """The report as JSON values."""
        return {
            "kind": "character",
            "clips": [],
            "joints": [body.name for body in self.bodies],
            "up_axis": "Z",
            "unit_m": 1.0,
            "guesses": [],
            "warnings": [],
            **asdict(self),
        }

    def text(self) -> str:
        """The report for a person."""
        made = self.source.get("file") or ""
        lines = [
            f"{self.name}: a character of {len(self.bodies)} bodies" + (f", made from {made}" if made else ""),
            f"  {self.mass_kg:.4g} kg, {self.height_m:.3g} m, {self.degrees_of_freedom} degrees of freedom, {self.actuators} servos",
            f"  steps of {1e3 * self.timestep_s:g} ms; targets are read {1e3 * self.lead_s:.0f} ms ahead",
            f"  stands on {', '.join(self.feet) or 'nothing in particular'}",
            f"  ends in {', '.join(self.end_effectors) or 'nothing in particular'}",
            "",
        ]
        depth: dict[str, int] = {}
        width = max(len(body.name) + 2 * _depth(body, depth) for body in self.bodies)
        for body in self.bodies:
            label = "  " * depth[body.name] + body.name
            limits = "" if body.limits_deg is None else f" {body.limits_deg[0]:.0f}° to {body.limits_deg[1]:.0f}°"
            lines.append(f"  {label:<{width}}  {body.mass_kg:8.3g} kg  {body.joint}{limits}")
        if self.report:
            lines += ["", *(f"  {line}" for line in self.report)]
        return "\n".join(lines)


def report(character: Character | str | Path) -> CharacterReport:
    """The report on a character, or on the one in an MJCF file."""
    return CharacterReport.of(character if isinstance(character, Character) else load_character(character))


def _depth(body: BodyFacts, known: dict[str, int]) -> int:
    known[body.name] = 0 if body.parent is None else known[body.parent] + 1
    return known[body.name]


def _body(character: Character, index: int) -> BodyFacts:
    model, skeleton = character.model, character.skeleton
    body, parent = int(character.body_ids[index]), int(skeleton.parents[index])
    first, count = int(model.body_jntadr[body]), int(model.body_jntnum[body])
    kind = "fixed" if count == 0 else _KINDS.get(int(model.jnt_type[first]), "slide") if count == 1 else f"{count} hinges"
    limits = None
    if count == 1 and model.jnt_limited[first] and kind != "free":
        low, high = np.degrees(model.jnt_range[first])
        limits = (float(low), float(high))
    return BodyFacts(
        name=skeleton.names[index],
        parent=None if parent < 0 else skeleton.names[parent],
        joint=kind,
        limits_deg=limits,
        mass_kg=float(model.body_mass[body]),
        shapes=int(model.body_geomnum[body]),
    )
