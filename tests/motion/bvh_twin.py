"""A second reader of BVH, slow and plain: words, 3 by 3 matrices, SciPy. It shares no line with the package's own.

It takes well-formed files with absolute root positions, and gives the file's own units and axes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation, Slerp

Array = NDArray[np.float64]


class Twin:
    """Joints with their channels, and the rows of numbers."""

    def __init__(self, text: str) -> None:
        head, _, motion = text.partition("MOTION")
        words = head.split()
        self.names: list[str] = []
        self.parents: list[int] = []
        self.offsets: list[list[float]] = []
        self.channels: list[list[str]] = []
        open_: list[int] = []
        i = 0
        while i < len(words):
            if words[i] in ("ROOT", "JOINT"):
                self.names.append(words[i + 1])
                self.parents.append(open_[-1] if open_ else -1)
                self.channels.append([])
                self.offsets.append([])
                i += 2
            elif words[i] == "End":
                self.names.append("")
                self.parents.append(open_[-1])
                self.channels.append([])
                self.offsets.append([])
                i += 2
            elif words[i] == "{":
                open_.append(len(self.names) - 1)
                i += 1
            elif words[i] == "}":
                open_.pop()
                i += 1
            elif words[i] == "OFFSET":
                self.offsets[open_[-1]] = [float(w) for w in words[i + 1 : i + 4]]
                i += 4
            elif words[i] == "CHANNELS":
                count = int(words[i + 1])
                self.channels[open_[-1]] = words[i + 2 : i + 2 + count]
                i += 2 + count
            else:
                i += 1
        numbers = motion.replace("Frames:", " ").replace("Frame Time:", " ").split()
        self.frame_time = float(numbers[1])
        self.rows = np.array([float(w) for w in numbers[2:]]).reshape(int(numbers[0]), -1)

    def local(self, frame: int) -> list[tuple[Array, Rotation]]:
        """Translation and rotation of each joint in its parent's frame."""
        row, column, out = self.rows[frame], 0, []
        for offset, channels in zip(self.offsets, self.channels, strict=True):
            place, turn = np.array(offset), Rotation.identity()
            for channel in channels:
                value, axis = row[column], "XYZ".index(channel[0].upper())
                column += 1
                if channel[1:].lower() == "position":
                    place[axis] = value
                else:
                    turn = turn * Rotation.from_rotvec(np.radians(value) * np.eye(3)[axis])
            out.append((place, turn))
        return out

    def positions(self, frame: float) -> Array:
        """World positions (J, 3) of joints and end sites; `frame` may lie between two: turns are then divided evenly."""
        low = int(frame)
        here = self.local(low)
        if frame > low:
            part, there = frame - low, self.local(low + 1)
            here = [
                ((1.0 - part) * p0 + part * p1, Slerp([0.0, 1.0], Rotation.concatenate([r0, r1]))(part))
                for (p0, r0), (p1, r1) in zip(here, there, strict=True)
            ]
        world: list[tuple[Array, Rotation]] = []
        for (place, turn), p in zip(here, self.parents, strict=True):
            world.append((place, turn) if p < 0 else (world[p][0] + world[p][1].apply(place), world[p][1] * turn))
        return np.array([place for place, _ in world])
