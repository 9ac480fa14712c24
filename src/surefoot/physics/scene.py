"""A scene: ground, obstacles and props around a character. JSON values, so that a bundle carries it.

    model = compile_scene(character, scene)

Bodies, joints and servos of props come after the character's own, so its part of qpos, qvel and ctrl stays in front.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from typing import Any, Literal

import mujoco
import numpy as np
from mujoco.batch import Batch
from numpy.typing import ArrayLike, NDArray

from surefoot.character.character import Character
from surefoot.errors import InputError, unknown_name
from surefoot.motion import quaternion
from surefoot.physics.features.observation import add_sensors
from surefoot.physics.terrain import GROUNDS, Flat, Ground, floor

Array = NDArray[np.float64]
Vector = tuple[float, float, float]

MAX_THINGS = 200
"""Obstacles and props that one scene may hold."""


@dataclass(frozen=True, kw_only=True)
class Box:
    """An obstacle that does not move."""

    name: str = "obstacle"
    position: Vector = (1.0, 0.0, 0.45)
    """Of its centre [m]."""
    size: Vector = (0.4, 1.0, 0.9)
    """Full sides [m]."""
    heading: float = 0.0
    """Turned anticlockwise about z [degrees]."""


@dataclass(frozen=True, kw_only=True)
class Ball:
    """A ball that flies and rolls freely; throw it by writing its velocity into the state."""

    name: str = "ball"
    radius: float = 0.11
    """[m]"""
    mass: float = 0.43
    """[kg]"""
    position: Vector = (1.0, 0.0, 0.11)
    """[m]"""


@dataclass(frozen=True, kw_only=True)
class Platform:
    """A driven plate: it tilts about an axis or slides along it, as far as its target in `ctrl` says."""

    name: str = "platform"
    moves: Literal["tilt", "slide"] = "tilt"
    axis: Vector = (0.0, 1.0, 0.0)
    size: Vector = (2.0, 2.0, 0.1)
    """Full sides [m]."""
    position: Vector = (0.0, 0.0, -0.05)
    """Of its centre; its upper face is the clip's ground when it lies half its thickness below zero [m]."""
    mass: float = 500.0
    """[kg]"""
    frequency: float = 5.0
    """Of its critically damped servo [Hz]."""


Prop = Ball | Platform


@dataclass(frozen=True, kw_only=True)
class Scene:
    """Where a character performs."""

    ground: Ground = field(default_factory=Flat)
    friction: float | None = None
    """Sliding friction of the ground; None keeps the character's model's own."""
    obstacles: tuple[Box, ...] = ()
    props: tuple[Prop, ...] = ()
    lowered: float = 0.0
    """How far the plane lies below the clip's ground, to make room for a platform [m]."""

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "ground": asdict(self.ground),
            "friction": self.friction,
            "obstacles": [_plain(box) for box in self.obstacles],
            "props": [{"kind": type(prop).__name__.lower(), **_plain(prop)} for prop in self.props],
            "lowered": self.lowered,
        }

    @staticmethod
    def from_json(values: Any) -> Scene:
        """A scene from JSON values that may come from strangers."""
        known = _object(values, "a scene", ("ground", "friction", "obstacles", "props", "lowered"))
        ground = dict(_object(known.get("ground", {"kind": "flat"}), "a scene's ground"))
        kind = str(ground.pop("kind", "flat"))
        if kind not in GROUNDS:
            raise unknown_name("ground", kind, GROUNDS)
        boxes = _list(known.get("obstacles", []), "obstacles")
        props = _list(known.get("props", []), "props")
        kinds: dict[str, type[Prop]] = {"ball": Ball, "platform": Platform}
        made: list[Prop] = []
        for prop in props:
            given = dict(_object(prop, "a prop"))
            which = str(given.pop("kind", ""))
            if which not in kinds:
                raise unknown_name("prop", which, kinds)
            made.append(_make(kinds[which], given))
        friction = known.get("friction")
        return Scene(
            ground=_make(GROUNDS[kind], ground),
            friction=None if friction is None else _number(friction, "friction", 0.0, 10.0),
            obstacles=tuple(_make(Box, dict(_object(box, "an obstacle"))) for box in boxes),
            props=tuple(made),
            lowered=_number(known.get("lowered", 0.0), "lowered", 0.0, 100.0),
        )

    @cached_property
    def _terrain(self) -> Batch:
        """Ground and obstacles alone, to shoot rays at."""
        spec = mujoco.MjSpec()
        with _errors_of_mujoco():
            floor(spec)
            _furnish(spec, self)
            return Batch(spec.compile(), 1, 1)

    def height(self, points: ArrayLike) -> Array:
        """Height of ground and obstacles (...) [m] under points (..., 2), straight down from above everything."""
        xy = np.asarray(points, dtype=float)[..., :2]
        if self == Scene():
            return np.zeros(xy.shape[:-1])
        flat = xy.reshape(-1, 2)
        start = np.concatenate([flat, np.full((len(flat), 1), 200.0)], axis=-1)
        distance, _ = self._terrain.ray(start[None], np.array([0.0, 0.0, -1.0]))
        return np.asarray(np.where(distance[0] < 0.0, -np.inf, 200.0 - distance[0]).reshape(xy.shape[:-1]))


def scene_spec(character: Character, scene: Scene) -> mujoco.MjSpec:
    """The character's model in a scene, with the sensors that observations need, before it is compiled."""
    with _errors_of_mujoco():
        spec = mujoco.MjSpec.from_string(character.xml)
        add_sensors(spec, character.skeleton.names[0])
        _furnish(spec, scene)
        for prop in scene.props:
            _add_prop(spec, prop)
    return spec


def compile_scene(character: Character, scene: Scene) -> mujoco.MjModel:
    """The character's model in a scene."""
    spec = scene_spec(character, scene)
    with _errors_of_mujoco():
        model = spec.compile()
    for name in character.skeleton.names:
        if model.body(name).id != character.model.body(name).id:
            raise InputError(f"the scene changes the place of body '{name}' in the model.")
    return model


@contextmanager
def _errors_of_mujoco() -> Iterator[None]:
    try:
        yield
    except ValueError as error:
        raise InputError(f"MuJoCo cannot compile the scene: {error}") from None


def _furnish(spec: mujoco.MjSpec, scene: Scene) -> None:
    """Ground and obstacles."""
    plane = floor(spec)
    have = {geom.name for geom in spec.worldbody.geoms}
    if scene.lowered:
        plane.pos = [0.0, 0.0, -scene.lowered]
    scene.ground.lay(spec)
    for box in scene.obstacles:
        spec.worldbody.add_geom(
            name=box.name,
            type=mujoco.mjtGeom.mjGEOM_BOX,
            pos=box.position,
            size=[0.5 * side for side in box.size],
            quat=quaternion.about([0.0, 0.0, 1.0], np.radians(box.heading)),
            rgba=[0.80, 0.70, 0.45, 1.0],
        )
    for geom in spec.worldbody.geoms:
        if scene.friction is not None and (geom.name not in have or geom.name == plane.name):
            geom.friction = [scene.friction, *np.asarray(geom.friction)[1:]]
            geom.priority = 1  # MuJoCo takes the larger friction of two geoms unless one has priority


def _add_prop(spec: mujoco.MjSpec, prop: Prop) -> None:
    body = spec.worldbody.add_body(name=prop.name, pos=prop.position)
    if isinstance(prop, Ball):
        body.add_freejoint(name=prop.name)
        body.add_geom(
            name=prop.name, type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[prop.radius, 0, 0], mass=prop.mass, rgba=[0.9, 0.45, 0.2, 1.0]
        )
        return
    half = [0.5 * side for side in prop.size]
    tilts = prop.moves == "tilt"
    kind = mujoco.mjtJoint.mjJNT_HINGE if tilts else mujoco.mjtJoint.mjJNT_SLIDE
    body.add_joint(name=prop.name, type=kind, axis=prop.axis)
    body.add_geom(name=prop.name, type=mujoco.mjtGeom.mjGEOM_BOX, size=half, mass=prop.mass, rgba=[0.6, 0.6, 0.65, 1.0])
    moved = prop.mass * (max(half) ** 2 / 3.0 if tilts else 1.0)
    omega = 2.0 * math.pi * prop.frequency
    servo = spec.add_actuator(name=prop.name, target=prop.name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
    servo.set_to_position(kp=moved * omega**2, kv=2.0 * moved * omega)


def _plain(value: Box | Prop) -> dict[str, Any]:
    return {name: list(v) if isinstance(v, tuple) else v for name, v in asdict(value).items()}


def _object(value: Any, what: str, keys: tuple[str, ...] | None = None) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InputError(f"{what} is a JSON object, got {type(value).__name__}.")
    if keys is not None:
        for key in value:
            if key not in keys:
                raise unknown_name(f"part of {what}", str(key), keys)
    return value


def _list(value: Any, what: str) -> list[Any]:
    if not isinstance(value, list) or len(value) > MAX_THINGS:
        raise InputError(f"a scene's {what} are a list of at most {MAX_THINGS}.")
    return value


def _number(value: Any, what: str, low: float = -1e4, high: float = 1e4) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise InputError(f"a scene's {what} is a number between {low:g} and {high:g}, got {value!r}.")
    return float(value)


def _make(kind: type[Any], values: dict[str, Any]) -> Any:
    """A dataclass of numbers, names and triples from JSON values, each checked."""
    known = {f.name: f.default for f in fields(kind)}
    out: dict[str, Any] = {}
    for name, value in values.items():
        if name not in known:
            raise unknown_name(f"field of a {kind.__name__.lower()}", str(name), known)
        default = known[name]
        what = f"{kind.__name__.lower()}'s {name}"
        if isinstance(default, str):
            if name == "moves" and value not in ("tilt", "slide"):
                raise unknown_name("way to move", str(value), ("tilt", "slide"))
            if not isinstance(value, str) or not 0 < len(value) <= 100:
                raise InputError(f"a scene's {what} is a name of at most 100 characters.")
            out[name] = value
        elif isinstance(default, tuple):
            if not isinstance(value, list | tuple) or len(value) != 3:
                raise InputError(f"a scene's {what} is three numbers.")
            out[name] = tuple(_number(v, what) for v in value)
        elif isinstance(default, int):
            out[name] = int(_number(value, what, 0, 1e9 if name == "seed" else 1000))
        else:
            out[name] = _number(value, what)
    return kind(**out)
