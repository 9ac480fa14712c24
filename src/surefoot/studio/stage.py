"""What is seen: the character, its ghost, the ground, balls and the arrows of forces, as nodes of a viser scene.

    /stage            moves against the character while the camera follows it, so that every viewer's camera stays its own
    /stage/body/…     a mesh for each body and colour, in the body's frame
    /stage/ghost/…    the same shapes, translucent, where the reference is

Squares of the ground are laid again under the character wherever it goes; from below one sees through them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot.character.character import Character
from surefoot.motion import quaternion
from surefoot.studio.forces import Arrow
from surefoot.studio.shapes import Ground, grounds, shapes, squares
from surefoot.studio.view import extent, home
from surefoot.studio.world import Frame

if TYPE_CHECKING:
    import viser

Array = NDArray[np.float64]

GHOST = (120, 150, 190)
GHOSTLY = 0.35
"""Opacity of a ghost."""
LIGHT, DARK = (236, 238, 241), (206, 211, 218)
ARROW = (214, 39, 40)
TILES = 40
"""Squares along each side of the ground that is laid out."""
METRES_A_KILONEWTON, LONGEST = 4.0, 1.3
"""Length of an arrow, and the most of it [m], for a character of 1.7 m."""
SKIN = 0.13
"""How far before the point an arrow ends that presses on it, for a character of 1.7 m [m]: else it would hide in the body."""
PERSON = 1.7
NEAR = 20.0
"""Balls farther away than this [m] are not shown: those that wait to be thrown lie beyond."""
MOST_ARROWS = 4
OUT_OF_SIGHT = np.array([[[0.0, 0.0, -1000.0], [0.0, 0.0, -999.0]]])


@dataclass(frozen=True, eq=False, kw_only=True)
class Drag:
    """Somebody drags a body."""

    who: int
    """The number of the viewer."""
    phase: str
    """ "start", "update" or "end"."""
    body: str
    taken: Array  # (3,)
    """Where it was taken, in the world."""
    hand: Array  # (3,)
    """In the world; measured from below the character where the camera goes `along` with it."""
    along: bool


Grab = Callable[[Drag], None]


class Stage:
    """The nodes of one show in a scene."""

    def __init__(self, server: viser.ViserServer, character: Character, model: mujoco.MjModel, grab: Grab | None = None) -> None:
        self._server = server
        self._character = character
        self._model, self._data = model, mujoco.MjData(model)
        self._ghost_data = mujoco.MjData(character.model)
        self._size = character.height / PERSON
        self._away = np.zeros(3)
        self._seen = False
        self.follow = True
        self.ghost = True
        with server.atomic():
            self._root = server.scene.add_frame("/stage", show_axes=False)
            self._bodies = self._clothe("body", model, None)
            self._ghosts = self._clothe("ghost", character.model, GHOST)
            self._grounds = [(ground, self._lay(k, ground)) for k, ground in enumerate(grounds(model))]
            self._arrows = [self._arrow(k) for k in range(MOST_ARROWS)]
            if grab is not None:
                self._offer(grab)
            position, aim = home(character)
            server.initial_camera.look_at, server.initial_camera.position = aim, position

    def show(self, frame: Frame, layout: Any) -> None:
        """A moment of the world whose rows have this layout."""
        nq = self._character.model.nq
        self._data.qpos[:] = np.nan_to_num(frame.row[layout.qpos])
        self._data.mocap_pos.reshape(-1)[:] = frame.row[layout.mocap_pos]
        self._data.mocap_quat.reshape(-1)[:] = frame.row[layout.mocap_quat]
        mujoco.mj_kinematics(self._model, self._data)
        root = np.array(self._data.xpos[1])
        with self._server.atomic():
            if self.follow or not self._seen:  # whoever stops following stays where it was
                self._away, self._seen = -root * [1.0, 1.0, 0.0], True
            self._root.position = self._away
            self._place(self._bodies, self._data)
            ghost = frame.ghost if self.ghost else None
            if ghost is not None:
                self._ghost_data.qpos[:] = ghost[:nq]
                mujoco.mj_kinematics(self._character.model, self._ghost_data)
                self._place(self._ghosts, self._ghost_data)
            for node in {id(node): node for nodes in self._ghosts.values() for node in nodes}.values():
                if node.visible != (ghost is not None):
                    node.visible = ghost is not None
            for ground, node in self._grounds:
                self._carry(ground, node, root)
            self._point(frame.arrows)

    @property
    def extent(self) -> float:
        """How large the character looks [m]."""
        return extent(self._character)

    @property
    def side(self) -> float:
        """Of a square of the ground [m]."""
        return _side(self._character.height)

    @property
    def root(self) -> Array:
        """Where the character is in the scene (3,)."""
        return np.array(self._data.xpos[1]) + self._away

    def remove(self) -> None:
        """Take everything away."""
        self._root.remove()

    def _clothe(self, folder: str, model: mujoco.MjModel, colour: tuple[int, int, int] | None) -> dict[int, list[Any]]:
        """Nodes by body; those of the world itself stand still."""
        nodes: dict[int, list[Any]] = {}
        ghost = colour is not None
        own = frozenset(int(b) for b in self._character.body_ids) if ghost else None
        for k, shape in enumerate(shapes(model, own)):
            node = self._server.scene.add_mesh_simple(
                f"/stage/{folder}/{k}",
                shape.vertices,
                shape.faces,
                color=colour or shape.colour,
                opacity=GHOSTLY if ghost else shape.opacity,
                cast_shadow=not ghost and shape.opacity is None,
                receive_shadow=not ghost,
                visible=not ghost,
            )
            nodes.setdefault(shape.body, []).append(node)
        return nodes

    def _lay(self, k: int, ground: Ground) -> Any:
        side = _side(self._character.height)
        node = self._server.scene.add_frame(f"/stage/ground/{k}", show_axes=False, position=ground.position, wxyz=ground.rotation)
        for name, colour, (vertices, faces) in zip(("dark", "light"), (DARK, LIGHT), squares(side, TILES), strict=True):
            self._server.scene.add_mesh_simple(f"/stage/ground/{k}/{name}", vertices, faces, color=colour, cast_shadow=False)
        return node

    def _carry(self, ground: Ground, node: Any, root: Array) -> None:
        """Bring the squares under the character, by whole pairs, so that they seem to lie still."""
        pair = 2.0 * _side(self._character.height)
        local = quaternion.rotate(quaternion.conjugate(ground.rotation), root - ground.position)
        moved = pair * np.round(local / pair) * [1.0, 1.0, 0.0]
        place = ground.position + quaternion.rotate(ground.rotation, moved)
        if not np.array_equal(place, np.asarray(node.position)):
            node.position = place

    def _place(self, nodes: dict[int, list[Any]], data: mujoco.MjData) -> None:
        for body, own in nodes.items():
            if body == 0:
                continue
            parked = bool(np.linalg.norm(data.xpos[body] - data.xpos[1]) > NEAR)
            for node in own:
                if parked and node.visible:
                    node.visible = False
                elif not parked:
                    node.position, node.wxyz = data.xpos[body], data.xquat[body]
                    if nodes is self._bodies and not node.visible:
                        node.visible = True

    def _arrow(self, k: int) -> tuple[Any, Any]:
        thick = 0.018 * self._size
        arrow = self._server.scene.add_arrows(
            f"/stage/arrow/{k}",
            OUT_OF_SIGHT,
            ARROW,
            shaft_radius=thick,
            head_radius=2.4 * thick,
            head_length=5.0 * thick,
            visible=False,
        )
        label = self._server.scene.add_label(f"/stage/newtons/{k}", "", visible=False, anchor="bottom-center", font_screen_scale=1.3)
        return arrow, label

    def _point(self, arrows: tuple[Arrow, ...]) -> None:
        for k, (node, label) in enumerate(self._arrows):
            if k >= len(arrows):
                if node.visible:
                    node.visible = label.visible = False
                    node.points = OUT_OF_SIGHT  # else a browser shows it there for a picture when it comes back
                continue
            arrow = arrows[k]
            length = float(np.clip(METRES_A_KILONEWTON * self._size**-2 * arrow.newtons / 1000.0, 0.15 * self._size, LONGEST * self._size))
            way = arrow.force / max(arrow.newtons, 1e-9)
            # a push ends where it presses: its arrow comes from outside
            tail = arrow.point if arrow.pulls else arrow.point - (length + SKIN * self._size) * way
            node.points = np.stack([tail, tail + length * way])[None]
            label.position = tail + (length * way if arrow.pulls else 0.0) + [0.0, 0.0, 0.06 * self._size]
            label.text = f"{arrow.newtons:.0f} N"
            node.visible = label.visible = True

    def _offer(self, grab: Grab) -> None:
        """Let bodies of the character be taken by the mouse."""
        names = {int(body): name for name, body in zip(self._character.skeleton.names, self._character.body_ids, strict=True)}
        for body, nodes in self._bodies.items():
            if body not in names:
                continue
            for node in nodes:
                node.on_drag(self._dragged(grab, names[body]))

    def _dragged(self, grab: Grab, body: str) -> Callable[[Any], Any]:
        async def drag(event: Any) -> None:  # viser keeps the order of coroutines alone
            away = self._away
            hand = np.asarray(event.end_position) - (0.0 if self.follow else away)
            taken = np.asarray(event.start_position) - away
            grab(Drag(who=event.client_id, phase=event.phase, body=body, taken=taken, hand=hand, along=self.follow))

        return drag


def _side(height: float) -> float:
    """Of a square of the ground [m]: one metre for a person."""
    return max(2.0 ** round(math.log2(height / PERSON)), 1e-3)
