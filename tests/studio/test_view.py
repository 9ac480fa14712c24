"""Where people look from."""

from __future__ import annotations

import numpy as np
import pytest

from surefoot import material
from surefoot.character.rig import rig
from surefoot.studio.view import FROM, extent, home


def test_a_person_is_seen_from_a_distance_of_its_height() -> None:
    person = rig(material.motion("humanoid/walk")).character
    position, aim = home(person)
    assert extent(person) == person.height
    assert np.allclose(position - aim, person.height * FROM)
    assert aim[2] == pytest.approx(0.5 * person.height)


def test_an_animal_with_a_long_tail_is_seen_from_farther_away() -> None:
    animal = rig(material.motion("dinosaur/walk")).character
    assert extent(animal) > 1.1 * animal.height
