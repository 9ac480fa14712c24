"""How it is looked at: physics or the clip itself, ghost, shadows, and every viewer's own camera.

    home     aside and ahead of the character, at the height of its chest, as far as its size asks for

Cameras belong to their viewers. One is written only when its viewer asks for it, or when someone of another size comes on stage.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from surefoot.character.character import Character
from surefoot.motion import quaternion
from surefoot.studio.controls import by_person
from surefoot.studio.live import Live, Sight

if TYPE_CHECKING:
    import viser

Array = NDArray[np.float64]

AIM = 0.5
"""Height that is looked at, in heights of the character."""
FROM = np.array([1.15, -1.15, 0.3])
"""Where the camera stands, seen from there, in extents of the character."""
LONG = 1.4
"""Times the distance from the foremost joint to the hindmost."""
PHYSICS, CLIP = "in physics", "the clip itself"


def extent(character: Character) -> float:
    """How large a character looks [m]: its height, or more for one that is long from head to tail."""
    places, rotations = character.skeleton.rest
    ahead = quaternion.rotate(rotations[0], character.forward)
    return max(character.height, LONG * float(np.ptp(places @ ahead)))


def home(character: Character) -> tuple[Array, Array]:
    """Where a camera stands (3,) and what it looks at (3,), for a character that stands at the origin."""
    aim = np.array([0.0, 0.0, AIM * character.height])
    return aim + extent(character) * FROM, aim


def bring_back(client: Any, character: Character, root: Array) -> None:
    """One viewer's camera before the character again, which stands at `root` (3,)."""
    position, aim = home(character)
    client.camera.position, client.camera.look_at = position + root * [1, 1, 0], aim + root * [1, 1, 0]


def resize(server: viser.ViserServer, ratio: float) -> None:
    """Every camera nearer or farther, as much as who is on stage now is smaller or larger."""
    for client in server.get_clients().values():
        with contextlib.suppress(Exception):  # whoever has just come has no camera yet, and gets the right one
            position, aim = ratio * np.array(client.camera.position), ratio * np.array(client.camera.look_at)
            client.camera.position, client.camera.look_at = position, aim


class View:
    """The folder of all that."""

    def __init__(self, server: viser.ViserServer, live: Live) -> None:
        gui = server.gui
        self._server, self._live = server, live
        with gui.add_folder("View"):
            self._mode = gui.add_dropdown("Play", (PHYSICS, CLIP), hint="Simulated, or the reference's own poses")
            self._ghost = gui.add_checkbox("Ghost", True, hint="The reference, translucent, beside what the character does")
            self._follow = gui.add_checkbox("Follow it", True, hint="The camera goes along with the character")
            self._shadows = gui.add_checkbox("Shadows", True, hint="Costs every viewer's browser a little")
            self.back = gui.add_button("Camera back", hint="Where the character is in sight again; only yours")
            self._scale = gui.add_markdown("")
        self._mode.on_update(by_person(lambda event: self._set_mode(event.target.value == PHYSICS)))
        self._shadows.on_update(by_person(lambda event: self._light()))
        self._light()
        self._said = ""

    @property
    def ghost(self) -> bool:
        """Whether the ghost is wanted."""
        return bool(self._ghost.value)

    @property
    def follow(self) -> bool:
        """Whether the camera is to follow."""
        return bool(self._follow.value)

    def refresh(self, sight: Sight, side: float) -> None:
        """Show how it is played, and how large the squares of the ground are [m]."""
        mode = PHYSICS if sight.mode == "simulate" else CLIP
        if self._mode.value != mode:
            self._mode.value = mode
        said = f"A square of the ground is {side:g} m wide."
        if said != self._said:
            self._scale.content = self._said = said

    def _light(self) -> None:
        self._server.scene.configure_default_lights(enabled=True, cast_shadow=bool(self._shadows.value))

    def _set_mode(self, physics: bool) -> None:
        self._live.ask(lambda world: world.set_mode("simulate" if physics else "replay"))
        self._live.play(True)
