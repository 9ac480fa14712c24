"""A recording: states at the end of every control period, and the inputs that led there.

    row_{k+1} = step(row_k or what was written over it, targets_k, pushes)        replayed bit for bit, in any process

A period is `substeps[k]` steps under targets that are held, or reached linearly at its end, for each servo as `linear[k]` says. What a
person did is there too: pushes with their times, and rows written over (a thrown ball, a reset) before a period.

File: .npz without pickles, the facts as JSON text inside. The same recording is the same bytes.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.archive import Archive, pack
from surefoot.character.character import Character
from surefoot.errors import InputError, one_line
from surefoot.motion.files import atomic_write
from surefoot.motion.limits import check_count, read_bytes, shown
from surefoot.physics.batch import BatchEngine
from surefoot.physics.push import Push
from surefoot.physics.scene import Scene
from surefoot.play.world import MOST, Part, compose

Array = NDArray[np.float64]

SCHEMA = 1
MAX_BYTES = 1 << 30
"""Of a file, and of what it unpacks to."""
MAX_PERIODS = 10_000_000
MAX_SUBSTEPS = 10_000
"""In one period."""
MAX_PUSHES = 100_000


@dataclass(frozen=True, eq=False, kw_only=True)
class Recording:
    """K control periods of one world, with S numbers a row, nu servos and P pushes."""

    characters: dict[str, Character]
    scene: Scene
    start: Array  # (S,)
    states: Array  # (K, S)
    """At the end of each period."""
    targets: Array  # (K, nu)
    linear: NDArray[np.bool_]  # (K, nu)
    substeps: NDArray[np.int64]  # (K,)
    written: dict[int, Array] = field(default_factory=dict)
    """Rows (S,) that took the place of the state before a period, by the period."""
    pushes: tuple[Push, ...] = ()
    events: tuple[str, ...] = ()
    """What happened, line by line, for people."""

    @property
    def timestep(self) -> float:
        """[s]"""
        return next(iter(self.characters.values())).timestep

    @property
    def times(self) -> Array:
        """Time of each state (K + 1,) since the beginning [s]; the first is `start`."""
        return np.asarray(np.concatenate([[0.0], np.cumsum(self.substeps)]) * self.timestep, dtype=np.float64)

    def qpos(self, name: str | None = None) -> Array:
        """Poses (K + 1, nq) of a character, by default the first."""
        whole, shares = compose(self.characters)
        share: Part = shares[name or next(iter(shares))]
        first = BatchEngine(whole, 1, 1, self.scene).layout.qpos.start
        rows = np.concatenate([self.start[None], self.states])
        return np.array(rows[:, first + share.qpos.start : first + share.qpos.stop])

    def replay(self) -> Array:
        """States (K, S) of the same inputs simulated again: `states`, bit for bit, on the same version of MuJoCo."""
        whole, _ = compose(self.characters)
        engine = BatchEngine(whole, 1, 1, self.scene)
        if self.start.shape != (engine.layout.size,):
            raise InputError(f"a row of this world has {engine.layout.size} numbers, the recording's have {len(self.start)}.")
        if self.targets.shape[1] != engine.servos.num:
            raise InputError(f"this world has {engine.servos.num} servos, the recording {self.targets.shape[1]}.")
        engine.state[0] = self.start
        out = np.full_like(self.states, np.nan)
        for k in range(len(out)):
            if k in self.written:
                engine.state[0] = self.written[k]
            period(engine, self.targets[k], self.linear[k], int(self.substeps[k]), self.pushes)
            if not engine.ok[0]:
                break
            out[k] = engine.state[0]
        return out

    def save(self, path: str | Path) -> None:
        """Write it as .npz."""
        facts = {
            "schema": SCHEMA,
            "characters": {name: character.xml for name, character in self.characters.items()},
            "scene": self.scene.to_json(),
            "pushes": [_push_to_json(push) for push in self.pushes],
            "events": list(self.events),
        }
        written = sorted(self.written)
        arrays: dict[str, Any] = {
            "facts": np.frombuffer(json.dumps(facts).encode(), dtype=np.uint8),
            "start": self.start,
            "states": self.states,
            "targets": self.targets,
            "linear": self.linear,
            "substeps": self.substeps,
            "written_at": np.array(written, dtype=np.int64),
            "written": np.array([self.written[k] for k in written], dtype=float).reshape(len(written), len(self.start)),
        }
        size = sum(array.nbytes for array in arrays.values())
        if size > MAX_BYTES // 2:
            raise InputError(f"{shown(path)}: {size / 2**20:.0f} MB are more than the {MAX_BYTES // 2**21} MB of one recording; play less.")
        atomic_write(path, pack({f"{name}.npy": array for name, array in arrays.items()}))

    @staticmethod
    def load(path: str | Path) -> Recording:
        """Read one, which may come from a stranger."""
        from surefoot.character.load import parse_character

        name = shown(path)
        archive = Archive(read_bytes(path, MAX_BYTES), name, MAX_BYTES)
        try:
            facts = json.loads(bytes(archive.array("facts.npy", (None,), "u")))
            if not isinstance(facts, dict) or facts["schema"] > SCHEMA:
                raise InputError(f"{name}: recorded by a newer surefoot; this one reads schema {SCHEMA}.")
            start = _floats(archive.array("start.npy", (None,)))
            states, targets, rows = (_floats(archive.array(f"{key}.npy", (None, None))) for key in ("states", "targets", "written"))
            linear = np.asarray(archive.array("linear.npy", (None, None), "b"), dtype=bool)
            substeps = np.asarray(archive.array("substeps.npy", (None,), "i"), dtype=np.int64)
            written = {int(k): row for k, row in zip(archive.array("written_at.npy", (None,), "i"), rows, strict=True)}
            check_count(f"{name}: periods", len(states), MAX_PERIODS)
            if not len(states) == len(targets) == len(linear) == len(substeps) or states.shape[1:] != start.shape:
                raise InputError(f"{name}: its arrays are of different lengths.")
            if targets.shape != linear.shape or any(row.shape != start.shape for row in written.values()):
                raise InputError(f"{name}: its arrays are of different widths.")
            if len(substeps) and not 1 <= int(substeps.min()) <= int(substeps.max()) <= MAX_SUBSTEPS:
                raise InputError(f"{name}: a period has 1 to {MAX_SUBSTEPS} steps.")
            if written and not 0 <= min(written) <= max(written) < len(states):
                raise InputError(f"{name}: a row is written before period {max(written)}; it has {len(states)}, counted from 0.")
            cast, pushed = dict(facts["characters"]), list(facts["pushes"])
            check_count(f"{name}: characters", len(cast), MOST)
            check_count(f"{name}: pushes", len(pushed), MAX_PUSHES)
            characters = {str(who): parse_character(str(xml), f"{name}, {who}") for who, xml in cast.items()}
            return Recording(
                characters=characters,
                scene=Scene.from_json(facts["scene"]),
                start=start,
                states=states,
                targets=targets,
                linear=linear,
                substeps=substeps,
                written=written,
                pushes=tuple(_push_from_json(values) for values in pushed),
                events=tuple(str(line) for line in list(facts["events"])),
            )
        except (KeyError, ValueError, TypeError, OverflowError, RecursionError) as error:
            raise InputError(f"{name}: not a recording of surefoot, or a damaged one ({one_line(str(error), 100)}).") from None


def period(engine: BatchEngine, targets: Array, linear: NDArray[np.bool_], substeps: int, pushes: tuple[Push, ...] | list[Push]) -> None:
    """One control period of a world in which some servos' targets (nu,) are held and others are reached linearly."""
    some = bool(linear.any())
    if some and not linear.all():
        first = engine.layout.ctrl.start
        held = np.flatnonzero(~linear)
        engine.state[0, first + held] = targets[held]  # a straight line from the target to itself
    engine.step(targets, substeps, linear=some, pushes=pushes)


def _floats(array: NDArray[Any]) -> Array:
    return np.asarray(array, dtype=np.float64)


def _push_to_json(push: Push) -> dict[str, Any]:
    def values(part: Any) -> Any:
        return np.asarray(part, dtype=float).tolist()

    return {
        "body": push.body,
        "force": values(push.force),
        "torque": values(push.torque),
        "start": values(push.start),
        "duration": push.duration,
    }


def _push_from_json(values: Any) -> Push:
    force, torque = (np.asarray(values[key], dtype=float).reshape(3) for key in ("force", "torque"))
    start, duration = float(values["start"]), float(values["duration"])
    if not np.isfinite([*force, *torque, start, duration]).all():
        raise ValueError("a push that is not finite")
    return Push(body=str(values["body"]), force=force, torque=torque, start=start, duration=duration)
