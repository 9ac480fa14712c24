"""Key-framed quadruped clips: 19 numbers a frame for a Laikago-like robot dog.

    root position (3), root quaternion (x y z w), then three angles [rad] a leg, abduction, hip and knee, in the order
    front right, front left, rear right, rear left

Metres, Z up. The base's own frame has x to its left, y up and z forward, so its level pose is the quaternion (0.5, 0.5, 0.5, 0.5),
facing +X. Hip and knee turn about the base's x; abduction turns about z on the left and -z on the right, so equal angles are
symmetric poses.

The file holds no skeleton. The lengths below are the robot's; with them all standing feet of five clips by the format's authors keep the
same height, 5.6 cm at the centre of the foot's ball, within 2 mm: the evidence for the signs and the order of the legs.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from surefoot.errors import InputError, one_line
from surefoot.motion import quaternion
from surefoot.motion.axes import turn, upright
from surefoot.motion.files import ReadOptions, without_first_frame
from surefoot.motion.limits import check_size
from surefoot.motion.motion import Motion, Source
from surefoot.motion.skeleton import Skeleton, Tip
from surefoot.motion.txt import table, unit_quaternions

Array = NDArray[np.float64]

WIDTH = 19
LEVEL = (0.5, 0.5, 0.5, 0.5)
LEGS = (("front_right", -1.0, 0.242889), ("front_left", 1.0, 0.242889), ("rear_right", -1.0, -0.194401), ("rear_left", 1.0, -0.194401))
"""Name, side (left is +x), distance of the hip motor before the base's origin [m]."""
MOTOR = 0.0817145
"""From the middle plane to the abduction joint [m]."""
HIP = 0.0547
"""From the abduction joint outward to the hip [m]."""
KNEE = (-0.02069, -0.20833, -0.1422)
"""The knee in the left thigh's frame [m]; the thigh leans back when its angle is zero."""
FOOT = (0.0, -0.25, -0.022)
"""The centre of the foot's ball in the shank's frame [m]."""


def skeleton(unit_m: float = 1.0, turned: Array | None = None) -> Skeleton:
    """The robot of the format, level, all angles zero."""
    names, parents, offsets, tips = ["base"], [-1], [(0.0, 0.0, 0.0)], []
    for leg, side, ahead in LEGS:
        start = len(names)
        names += [f"{leg}_abduction", f"{leg}_hip", f"{leg}_knee"]
        parents += [0, start, start + 1]
        offsets += [(side * MOTOR, 0.0, ahead), (side * HIP, 0.0, 0.0), (side * KNEE[0], KNEE[1], KNEE[2])]
        tips.append(Tip(joint=start + 2, offset=unit_m * np.array(FOOT), name=f"{leg}_foot"))
    rotations = np.tile(quaternion.IDENTITY, (len(names), 1))
    rotations[0] = LEVEL if turned is None else quaternion.multiply(turned, LEVEL)
    return Skeleton(
        names=tuple(names), parents=np.array(parents), translations=unit_m * np.array(offsets), rotations=rotations, tips=tuple(tips)
    )


def read(data: bytes, name: str, options: ReadOptions) -> Motion:
    """Read a 19-number quadruped clip."""
    content = table(data, name)
    rows = content.rows
    if rows.shape[1] != WIDTH:
        raise InputError(f"{name}: a quadruped frame has {WIDTH} numbers, these have {rows.shape[1]}.")
    up, unit_m = options.up or "Z", options.unit_m or 1.0
    body = skeleton(unit_m, upright(up))
    check_size(len(rows), body.num_joints)

    rotations = np.tile(quaternion.IDENTITY, (len(rows), body.num_joints, 1))  # (T, J, 4)
    base = unit_quaternions(rows[:, [6, 3, 4, 5]], name, "the base")  # x y z w in the file
    rotations[:, 0] = quaternion.multiply(upright(up), base)
    for k, (_, side, _) in enumerate(LEGS):
        angles = rows[:, 7 + 3 * k : 10 + 3 * k]
        for i, axis in enumerate(([0.0, 0.0, side], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0])):
            rotations[:, 1 + 3 * k + i] = quaternion.about(axis, angles[:, i])
    translations = np.tile(body.translations, (len(rows), 1, 1))
    translations[:, 0] = unit_m * turn(up, rows[:, :3])

    facts = content.facts
    loop = {"Wrap": True, "Clamp": False}.get(str(facts.get("LoopMode")))
    stem = name.rsplit(".", 1)[0]
    source = Source(format="quadruped", file=name, clip=stem, unit_m=unit_m, up_axis=up, loop=loop)
    motion = Motion(body, translations, rotations, _frame_time(facts, name, options), name=stem, source=source)
    return without_first_frame(motion) if options.drop_first_frame else motion


def _frame_time(facts: dict[str, object], name: str, options: ReadOptions) -> float:
    if options.fps is not None:
        return 1.0 / options.fps
    given = facts.get("FrameDuration")
    if not isinstance(given, float) or not 1e-6 <= given <= 1e6:
        found = one_line(repr(given), 40) if "FrameDuration" in facts else "none"
        raise InputError(f'{name}: "FrameDuration" must be the seconds of a frame, found {found}; add it or give --fps.')
    return given
