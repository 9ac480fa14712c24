"""Small bodies whose motion is known, as characters."""

from __future__ import annotations

import mujoco

from surefoot.character.character import Character, from_model


def made(xml: str, **known: object) -> Character:
    """A character from any MJCF; facts that a test does not care about are filled in."""
    facts: dict[str, object] = {
        "schema": 1, "forward": [1, 0, 0], "up": [0, 0, 1], "feet": [], "end_effectors": [], "partners": {}, "lead_s": 0.0, "height_m": 1.0,
    }  # fmt: skip
    return from_model(xml, mujoco.MjModel.from_xml_string(xml), {**facts, **known})
