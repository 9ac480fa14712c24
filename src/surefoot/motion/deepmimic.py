"""DeepMimic clips: 44 numbers a frame for one fixed humanoid.

    duration, root position (3), root quaternion (w x y z), then by joint: chest, neck, right hip, right knee, right ankle, right
    shoulder, right elbow, and the left leg and arm likewise; a ball is a quaternion (w x y z), knees and elbows are one angle about z

Metres, Y up, facing +X. The file holds no skeleton: the lengths are those of the humanoid that the clips were made for. The format's
hands never turn; they are kept as joints, so that they have a name and a place.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from surefoot.errors import InputError
from surefoot.motion import quaternion
from surefoot.motion.axes import turn, upright
from surefoot.motion.files import ReadOptions, without_first_frame
from surefoot.motion.limits import check_size
from surefoot.motion.motion import Guess, Motion, Source
from surefoot.motion.skeleton import Skeleton, Tip
from surefoot.motion.txt import table, unit_quaternions

Array = NDArray[np.float64]

WIDTH = 44

# name, parent, offset in the parent's frame [m], numbers in the file (4: ball, 1: hinge about z, 0: fixed), in the file's order
JOINTS: tuple[tuple[str, str, tuple[float, float, float], int], ...] = (
    ("root", "", (0.0, 0.0, 0.0), 4),
    ("chest", "root", (0.0, 0.236151, 0.0), 4),
    ("neck", "chest", (0.0, 0.223894, 0.0), 4),
    ("right_hip", "root", (0.0, 0.0, 0.084887), 4),
    ("right_knee", "right_hip", (0.0, -0.421546, 0.0), 1),
    ("right_ankle", "right_knee", (0.0, -0.40987, 0.0), 4),
    ("right_shoulder", "chest", (-0.02405, 0.2435, 0.18311), 4),
    ("right_elbow", "right_shoulder", (0.0, -0.274788, 0.0), 1),
    ("right_wrist", "right_elbow", (0.0, -0.258947, 0.0), 0),
    ("left_hip", "root", (0.0, 0.0, -0.084887), 4),
    ("left_knee", "left_hip", (0.0, -0.421546, 0.0), 1),
    ("left_ankle", "left_knee", (0.0, -0.40987, 0.0), 4),
    ("left_shoulder", "chest", (-0.02405, 0.2435, -0.18311), 4),
    ("left_elbow", "left_shoulder", (0.0, -0.274788, 0.0), 1),
    ("left_wrist", "left_elbow", (0.0, -0.258947, 0.0), 0),
)
# The far ends of the last bones: crown, toe and heel of each foot's sole, finger tips.
TIPS: tuple[tuple[str, str, tuple[float, float, float]], ...] = (
    ("crown", "neck", (0.0, 0.2775, 0.0)),
    ("right_toe", "right_ankle", (0.1335, -0.05, 0.0)),
    ("right_heel", "right_ankle", (-0.0435, -0.05, 0.0)),
    ("right_hand", "right_wrist", (0.0, -0.04, 0.0)),
    ("left_toe", "left_ankle", (0.1335, -0.05, 0.0)),
    ("left_heel", "left_ankle", (-0.0435, -0.05, 0.0)),
    ("left_hand", "left_wrist", (0.0, -0.04, 0.0)),
)


def skeleton(unit_m: float = 1.0, turned: Array | None = None) -> Skeleton:
    """The humanoid of the format, standing with its arms down; `turned` (4,) is its root's rest rotation."""
    names = [name for name, *_ in JOINTS]
    rotations = np.tile(quaternion.IDENTITY, (len(JOINTS), 1))
    rotations[0] = upright("Y") if turned is None else turned
    return Skeleton(
        names=tuple(names),
        parents=np.array([names.index(parent) if parent else -1 for _, parent, *_ in JOINTS]),
        translations=unit_m * np.array([offset for *_, offset, _ in JOINTS]),
        rotations=rotations,
        tips=tuple(Tip(joint=names.index(j), offset=unit_m * np.array(offset), name=tip) for tip, j, offset in TIPS),
    )


def read(data: bytes, name: str, options: ReadOptions) -> Motion:
    """Read a DeepMimic clip."""
    content = table(data, name)
    rows = content.rows
    if rows.shape[1] != WIDTH:
        raise InputError(f"{name}: a DeepMimic frame has {WIDTH} numbers, these have {rows.shape[1]}.")
    check_size(len(rows), len(JOINTS))
    up, unit_m = options.up or "Y", options.unit_m or 1.0
    body = skeleton(unit_m, upright(up))

    rotations = np.tile(quaternion.IDENTITY, (len(rows), len(JOINTS), 1))  # (T, J, 4)
    column = 4
    for j, (joint, _, _, width) in enumerate(JOINTS):
        if width == 4:
            rotations[:, j] = unit_quaternions(rows[:, column : column + 4], name, joint)
        elif width == 1:
            rotations[:, j] = quaternion.about([0.0, 0.0, 1.0], rows[:, column])
        column += width
    rotations[:, 0] = quaternion.multiply(upright(up), rotations[:, 0])
    translations = np.tile(body.translations, (len(rows), 1, 1))
    translations[:, 0] = unit_m * turn(up, rows[:, 1:4])

    frame_time, guesses, warnings = _frame_time(rows[:, 0], name, options)
    loop = content.facts.get("Loop")
    motion = Motion(
        body,
        translations,
        rotations,
        frame_time,
        name=name.rsplit(".", 1)[0],
        source=Source(
            format="deepmimic",
            file=name,
            clip=name.rsplit(".", 1)[0],
            unit_m=unit_m,
            up_axis=up,
            guesses=guesses,
            warnings=warnings,
            loop=loop == "wrap" if loop in ("wrap", "none") else None,
            extra={"fixed_joints": [joint for joint, _, _, width in JOINTS if width == 0]},
        ),
    )
    return without_first_frame(motion) if options.drop_first_frame else motion


def _frame_time(durations: Array, name: str, options: ReadOptions) -> tuple[float, tuple[Guess, ...], tuple[str, ...]]:
    """One frame time for a format that gives each frame its own; the last frame's is 0 by custom."""
    if options.fps is not None:
        return 1.0 / options.fps, (), ()
    steps = durations[:-1] if len(durations) > 1 else durations
    negative = np.flatnonzero(steps < 0.0)
    if len(negative):
        raise InputError(f"{name}: frame {negative[0]} lasts {steps[negative[0]]:g} s; durations must not be negative.")
    usual = float(np.median(steps))
    if usual <= 0.0:
        if len(durations) > 1:
            raise InputError(f"{name}: most frames last 0 s; give the frame rate with --fps.")
        usual = 1.0 / 30.0
    odd = np.flatnonzero(np.abs(steps - usual) > 1e-3 * usual)
    if len(odd) == 0:
        return usual, (), ()
    worst = int(odd[np.argmax(np.abs(steps[odd] - usual))])
    guess = Guess(
        what="fps",
        value=f"{1.0 / usual:.6g}",
        confidence=1.0 - len(odd) / len(steps),
        why=f"{len(odd)} of {len(steps)} frames last something else; the median is taken for all",
        override="--fps",
    )
    return usual, (guess,), (f"frame {worst} lasts {steps[worst]:g} s, most last {usual:g} s; every frame is read as {usual:g} s",)
