"""Who draws: MuJoCo's renderer without a screen (EGL, else OSMesa; on other systems the system's own), else our painter.

A library that is there may still draw nothing, or take the process down: each is tried once in a process of its own.
"""

from __future__ import annotations

import importlib
import platform
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, Protocol

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot.doctor import draws
from surefoot.errors import InputError
from surefoot.painter import Camera
from surefoot.picture import GHOST, as_bytes, painted
from surefoot.render.look import SUN_HIGH
from surefoot.render.stage import Stage

Frame = NDArray[np.uint8]
"""(height, width, 3)"""
Drawing = Literal["auto", "egl", "osmesa", "native", "painter"]

NAMES = {"egl": "EGL", "osmesa": "OSMesa", "native": "the system's OpenGL"}
SHEER = 0.34
"""Opacity of a ghost."""
SHRUNK = 0.985
"""Of its size, so that a ghost hides inside a body that is where it should be."""
SPARE = 64
"""Geoms that a scene takes besides those of two models: lights, skies."""


class Canvas(Protocol):
    """Draws frames of a stage."""

    name: str
    """For people: who draws."""

    def draw(self, k: int, camera: Camera) -> Frame:
        """Frame k as a camera sees it."""

    def close(self) -> None:
        """Give back what the system lent."""


def canvas(stage: Stage, size: tuple[int, int], drawing: Drawing = "auto") -> tuple[Canvas, str]:
    """A canvas of that size [pixels], and a line that says why it is not the first choice; empty where it is."""
    if drawing == "painter":
        return Painted(stage), ""
    if drawing != "auto":
        why = _trouble(drawing)
        if why:
            raise InputError(f"--draw {drawing}: {why}; surefoot doctor names what is missing, and --draw painter needs nothing.")
        return OpenGL(stage, size, drawing), ""
    told: list[str] = []
    for kind in _choices():
        why = _trouble(kind)
        if not why:
            try:
                return OpenGL(stage, size, kind), "; ".join(told)
            except InputError as error:  # the next way may still be open
                why = str(error)
        told.append(f"{NAMES[kind]}: {why}")
    told.append("so Surefoot's own painter draws, slower; surefoot doctor says what to install")
    return Painted(stage), "; ".join(told)


def _choices() -> tuple[str, ...]:
    return ("egl", "osmesa") if platform.system() == "Linux" else ("native",)


@cache
def _trouble(kind: str) -> str:
    """Why a way of drawing does not draw; empty where it does."""
    return draws(kind)


@dataclass(eq=False)
class Painted:
    """Our own painter."""

    stage: Stage
    name: str = "Surefoot's own painter"

    def draw(self, k: int, camera: Camera) -> Frame:
        """Frame k as a camera sees it."""
        solids, ghost, floor = self.stage.solids(k)
        return as_bytes(painted(solids, ghost, camera, floor))

    def close(self) -> None:
        """Nothing was lent."""


class OpenGL:
    """MuJoCo's renderer, into memory."""

    def __init__(self, stage: Stage, size: tuple[int, int], kind: str) -> None:
        self.stage, self.size = stage, size
        self.name = f"MuJoCo's renderer through {NAMES[kind]}"
        place = {"egl": "mujoco.egl", "osmesa": "mujoco.osmesa"}.get(kind, "mujoco.gl_context")
        try:
            self._context: Any = importlib.import_module(place).GLContext(*size)
        except (ImportError, RuntimeError, AttributeError, OSError) as error:  # another way was taken by this process before
            raise InputError(f"{NAMES[kind]} draws in a process of its own, but not in this one: {error}") from None
        self._context.make_current()
        model = stage.model
        self._renderer = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_100)
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, self._renderer)
        self._scene = mujoco.MjvScene(model, maxgeom=2 * model.ngeom + SPARE)
        self._option, self._perturb = mujoco.MjvOption(), mujoco.MjvPerturb()
        for flag in (mujoco.mjtRndFlag.mjRND_REFLECTION, mujoco.mjtRndFlag.mjRND_FOG, mujoco.mjtRndFlag.mjRND_HAZE):
            self._scene.flags[flag] = flag == mujoco.mjtRndFlag.mjRND_HAZE
        self._data, self._other = mujoco.MjData(model), mujoco.MjData(model)
        self._camera = mujoco.MjvCamera()

    def draw(self, k: int, camera: Camera) -> Frame:
        """Frame k as a camera sees it."""
        stage, scene = self.stage, self._scene
        stage.pose(self._data, k)
        self._aim(camera)
        mujoco.mjv_updateScene(stage.model, self._data, self._option, self._perturb, self._camera, int(mujoco.mjtCatBit.mjCAT_ALL), scene)
        for lamp in scene.lights[: scene.nlight]:
            if not lamp.headlight:  # the sun goes along, so that the map of its shadows lies where the character is
                lamp.pos[:] = camera.target + 3.0 * stage.height * SUN_HIGH
        if stage.ghost is not None:
            stage.ghost(self._other, k)
            self._add_ghost()
        rectangle = mujoco.MjrRect(0, 0, *self.size)
        self._context.make_current()
        mujoco.mjr_render(rectangle, scene, self._renderer)
        pixels = np.empty((self.size[1], self.size[0], 3), dtype=np.uint8)
        mujoco.mjr_readPixels(pixels, None, rectangle, self._renderer)
        return pixels[::-1]

    def _aim(self, camera: Camera) -> None:
        """MuJoCo's camera as ours: what is seen at the target is `view_height` high."""
        away = camera.eye - camera.target
        distance = float(np.linalg.norm(away))
        self._camera.lookat[:] = camera.target
        self._camera.distance = distance
        self._camera.azimuth = float(np.degrees(np.arctan2(-away[1], -away[0])))
        self._camera.elevation = -float(np.degrees(np.arcsin(away[2] / distance)))
        self.stage.model.vis.global_.fovy = float(np.degrees(2.0 * np.arctan(0.5 * camera.view_height / distance)))

    def _add_ghost(self) -> None:
        """The character once more, sheer and without a shadow."""
        stage, scene = self.stage, self._scene
        first = scene.ngeom
        mujoco.mjv_addGeoms(stage.model, self._other, self._option, self._perturb, int(mujoco.mjtCatBit.mjCAT_DYNAMIC), scene)
        for geom in scene.geoms[first : scene.ngeom]:
            prop = geom.objtype == mujoco.mjtObj.mjOBJ_GEOM and int(stage.model.geom_bodyid[geom.objid]) > stage.own
            geom.rgba[:] = [*GHOST, 0.0 if prop else SHEER]
            geom.transparent, geom.category = 1, mujoco.mjtCatBit.mjCAT_DECOR  # decoration casts no shadow
            geom.size[:] = SHRUNK * geom.size

    def close(self) -> None:
        """Give back the context."""
        self._renderer.free()
        self._context.free()
