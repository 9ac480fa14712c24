"""The source's pose on the character's bones, without regard to the ground: bone directions agree, rest poses need not.

Every driven body b follows one source joint j through a constant turn K_b, found where both skeletons stand in their reference poses and
face the same way (S_j0, T_b0; d: directions of the matched bones):

    T_b(t) = S_j(t) K_b,    K_b = S_j0^-1 between(d_target, d_source) T_b0

Trunk, spine and head keep T_b0 as it stands; feet agree in their soles' frames. Where a hinge follows a ball, the ball is twisted about
its bone until the hinge's axis is normal to the plane of the source's bent limb.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot.character.character import Character
from surefoot.character.retarget.feet import UP, SourceFoot, TargetFoot, frame
from surefoot.character.retarget.matching import Pair
from surefoot.motion import quaternion
from surefoot.motion.anatomy import Anatomy
from surefoot.motion.anatomy.pose import Pose
from surefoot.motion.motion import Motion

Array = NDArray[np.float64]

LEANING = np.radians(40.0)
"""Spines whose reference directions differ by more are aligned along their bones."""
TILTED = np.radians(15.0)
"""Spines whose reference directions differ by more, but are not aligned, have no end effector of their own: the pose places the head."""


@dataclass(frozen=True, kw_only=True)
class Side:
    """A skeleton in its reference pose, with what is known about it."""

    pose: Pose
    anatomy: Anatomy
    forward: Array  # (3,)
    """Unit, horizontal, in the pose."""


@dataclass(frozen=True, kw_only=True)
class Driver:
    """How a body follows a joint of the source."""

    joint: int
    turn: Array  # (4,)
    """K: the body's world rotation is the joint's times this."""


def station_places(pair: Pair, station: float, positions: Array, rotations: Array) -> Array:
    """The place (..., 3) of a station on the source's limb."""
    points = pair.source.points
    low = min(int(station), len(points) - 1)
    high = min(low + 1, len(points) - 1)
    a = points[low].places(positions, rotations)
    part = station - low
    return a if part < 1e-9 or high == low else np.asarray(a + part * (points[high].places(positions, rotations) - a))


def driven_by(pair: Pair, i: int) -> int:
    """The source joint that turns the body at the target's point i: the one whose bone lies at the middle of the body's."""
    points = pair.source.points
    after = pair.stations[min(i + 1, len(pair.stations) - 1)]
    middle = 0.5 * (pair.stations[i] + after)
    if after - pair.stations[i] < 1e-9:
        middle = pair.stations[i]
    return points[min(int(middle + 1e-9), len(points) - 1)].joint


def heading_turn(source: Side, target: Side) -> Array:
    """The turn (4,) about the vertical that makes the character's reference pose face as the source's does."""
    a, b = target.forward, source.forward
    return quaternion.about(UP, np.arctan2(a[0] * b[1] - a[1] * b[0], a @ b))


def drivers(
    pairs: list[Pair],
    source: Side,
    target: Side,
    character: Character,
    feet: dict[int, tuple[SourceFoot, TargetFoot]],
    motion: Motion,
    overrides: dict[str, str | None],
) -> dict[int, Driver]:
    """The driver of every driven body, by skeleton joint. `feet` is by number of the pair."""
    turn = heading_turn(source, target)
    rest = quaternion.multiply(turn, target.pose.rotations)  # (J, 4)
    names = character.skeleton.names
    out: dict[int, Driver] = {}

    def follow(body: int, joint: int, align: Array) -> None:
        given = overrides.get(names[body], "")
        if given is None:
            return
        joint = motion.skeleton.index(given) if given else joint
        inverse = quaternion.conjugate(source.pose.rotations[joint])
        out[body] = Driver(joint=joint, turn=quaternion.multiply(inverse, quaternion.multiply(align, rest[body])))

    follow(target.anatomy.trunk, source.anatomy.trunk, quaternion.IDENTITY)
    for pair in pairs:
        align = quaternion.IDENTITY
        places = [p.places(target.pose.positions, target.pose.rotations) for p in pair.target.points]
        ours = [station_places(pair, u, source.pose.positions, source.pose.rotations) for u in pair.stations]
        done: set[int] = set()
        for i, point in enumerate(pair.target.points):
            if point.joint in done or (pair.target.kind == "spine" and point.joint == target.anatomy.trunk):
                continue
            done.add(point.joint)
            if pair.target.kind == "spine":
                whole = lean(pairs, pair, source, target)
                align = whole if quaternion.angle(whole) > LEANING and i < len(places) - 2 else quaternion.IDENTITY
            elif i + 1 < len(places) and pair.stations[i + 1] - pair.stations[i] > 1e-6:
                align = _align(places[i], places[i + 1], ours[i], ours[i + 1], turn)
            empty = i < pair.end and pair.stations[i + 1] - pair.stations[i] <= 1e-6 and pair.target.kind != "spine"
            if (empty and pair.ratio > 0.0) or (pair.ratio == 0.0 and i > 0):
                continue  # a link that the source does not have
            follow(point.joint, driven_by(pair, i), align)
    for number, (our_foot, their_foot) in feet.items():
        _drive_foot(pairs[number], our_foot, their_foot, source, character, motion, out, overrides)
    for body, joint_name in overrides.items():
        if joint_name is not None and character.skeleton.index(body) not in out:
            follow(character.skeleton.index(body), motion.skeleton.index(joint_name), quaternion.IDENTITY)
    return out


def from_hips(pairs: list[Pair], pair: Pair, source: Side, target: Side) -> Pair:
    """A spine's pair with the ratio of the ways from hips to head: trunk joints sit anywhere."""
    ours = hips(pairs, source.pose.positions, source.pose.rotations, True)
    theirs = hips(pairs, target.pose.positions, target.pose.rotations, False)
    if pair.target.kind != "spine" or ours is None or theirs is None:
        return pair
    length = float(np.linalg.norm(station_places(pair, pair.source_end, source.pose.positions, source.pose.rotations) - ours))
    own = float(np.linalg.norm(pair.target.points[pair.end].places(target.pose.positions, target.pose.rotations) - theirs))
    return replace(pair, ratio=own / length) if length > 1e-9 else pair


def lean(pairs: list[Pair], pair: Pair, source: Side, target: Side) -> Array:
    """The turn (4,) from the character's way from hips to head to the source's, both in their reference poses."""
    theirs = pair.target.points[pair.end].places(target.pose.positions, target.pose.rotations)
    ours = station_places(pair, pair.source_end, source.pose.positions, source.pose.rotations)
    turn = heading_turn(source, target)
    first = [hips(pairs, side.pose.positions, side.pose.rotations, own) for side, own in ((source, True), (target, False))]
    return _align(
        target.pose.positions[target.anatomy.trunk] if first[1] is None else first[1],
        theirs,
        source.pose.positions[source.anatomy.trunk] if first[0] is None else first[0],
        ours,
        turn,
    )


def hips(pairs: list[Pair], positions: Array, rotations: Array, ours: bool) -> Array | None:
    """The middle (..., 3) of the hips of the legs that are matched, the hindmost where there are several pairs; None without legs."""
    legs = [p for p in pairs if p.target.kind == "leg"][-2:]
    if not legs:
        return None
    if ours:
        return np.asarray(np.mean([station_places(p, p.stations[0], positions, rotations) for p in legs], axis=0))
    return np.asarray(np.mean([p.target.points[0].places(positions, rotations) for p in legs], axis=0))


def _align(a0: Array, a1: Array, b0: Array, b1: Array, turn: Array) -> Array:
    """The shortest turn from the target's bone, in the source's heading, to the source's."""
    return quaternion.between(quaternion.rotate(turn, a1 - a0), b1 - b0)


def _drive_foot(
    pair: Pair,
    ours: SourceFoot,
    theirs: TargetFoot,
    source: Side,
    character: Character,
    motion: Motion,
    out: dict[int, Driver],
    overrides: dict[str, str | None],
) -> None:
    """Sole to sole; a toe continues the foot straight where the source stands flat."""
    names = character.skeleton.names
    if ours.ball is None or names[theirs.ankle] in overrides:
        return
    joint = ours.ankle.joint
    flat = ours.flat
    positions, rotations = motion.joint_positions[flat], motion.joint_rotations[flat]
    if len(flat) == 0:
        positions, rotations = source.pose.positions[None], source.pose.rotations[None]
    along = ours.ball.places(positions, rotations) - ours.ankle.places(positions, rotations)
    forward = quaternion.rotate(quaternion.conjugate(rotations[:, joint]), along).mean(axis=0)
    turn = quaternion.multiply(frame(ours.up, forward), quaternion.conjugate(frame(theirs.up, theirs.forward)))
    out[theirs.ankle] = Driver(joint=joint, turn=turn)
    if theirs.toe is None or names[theirs.toe] in overrides:
        return
    toe = ours.ball.joint
    if toe == joint:
        out.pop(theirs.toe, None)
        return
    rest = quaternion.multiply(quaternion.conjugate(character.skeleton.rest[1][theirs.ankle]), character.skeleton.rest[1][theirs.toe])
    straight = quaternion.multiply(quaternion.multiply(rotations[:, joint], turn), rest)
    out[theirs.toe] = Driver(joint=toe, turn=quaternion.mean(quaternion.multiply(quaternion.conjugate(rotations[:, toe]), straight)))


def world_rotations(character: Character, motion: Motion, found: dict[int, Driver], trunk: int) -> Array:
    """World rotations (T, J, 4) of all bodies; those without a driver keep their rest angle to their parent."""
    skeleton = character.skeleton
    out = np.empty((motion.num_frames, skeleton.num_joints, 4))
    rest = skeleton.rest[1]
    for j, p in enumerate(skeleton.parents):
        if j in found:
            out[:, j] = quaternion.multiply(motion.joint_rotations[:, found[j].joint], found[j].turn)
        elif p < 0:  # above the trunk
            own = quaternion.multiply(motion.joint_rotations[:, found[trunk].joint], found[trunk].turn)
            out[:, j] = quaternion.multiply(own, quaternion.multiply(quaternion.conjugate(rest[trunk]), rest[j]))
        else:
            out[:, j] = quaternion.multiply(out[:, p], skeleton.rotations[j])
    return out


def twist_to_hinges(character: Character, pairs: list[Pair], motion: Motion, world: Array) -> Array:
    """Turn every ball that a hinge follows about its bone, so that the hinge's axis is normal to the plane of the source's bend."""
    model, out = character.model, np.array(world)
    for pair in pairs:
        if pair.target.kind not in ("leg", "arm"):
            continue
        points = pair.target.points
        for i in range(1, pair.end):
            upper, lower = points[i - 1].joint, points[i].joint
            body = int(character.body_ids[lower])
            first = int(model.body_jntadr[body])
            hinge = model.body_jntnum[body] == 1 and model.jnt_type[first] == mujoco.mjtJoint.mjJNT_HINGE
            if not hinge or character.skeleton.parents[lower] != upper:
                continue
            places = [station_places(pair, u, *motion.world) for u in pair.stations[i - 1 : i + 2]]
            d1, d2 = _unit(places[1] - places[0]), _unit(places[2] - places[1])
            normal = np.cross(d1, d2)
            bend = np.linalg.norm(normal, axis=-1)
            low, high = model.jnt_range[first] if model.jnt_limited[first] else (-1.0, 1.0)
            sign = 1.0 if abs(high) >= abs(low) else -1.0
            axis = sign * quaternion.rotate(character.skeleton.rotations[lower], model.jnt_axis[first])
            axis = quaternion.rotate(out[:, upper], axis)
            flat = _unit(axis - np.sum(axis * d1, -1, keepdims=True) * d1)
            normal = normal / np.maximum(bend, 1e-9)[:, None]
            angle = np.arctan2(np.sum(np.cross(flat, normal) * d1, -1), np.sum(flat * normal, -1))
            weight = smooth(bend, 0.15, 0.45) * smooth(np.cos(angle), 0.0, 0.4)
            out[:, upper] = quaternion.multiply(quaternion.exp(d1 * (weight * angle)[:, None]), out[:, upper])
    return out


def smooth(x: Array, low: float, high: float) -> Array:
    """0 below `low`, 1 above `high`, a smooth step between."""
    part = np.clip((x - low) / (high - low), 0.0, 1.0)
    return np.asarray(part * part * (3.0 - 2.0 * part))


def _unit(v: Array) -> Array:
    return np.asarray(v / np.maximum(np.linalg.norm(v, axis=-1, keepdims=True), 1e-9))
