"""Where the character's hips and end effectors have to be: the source's, scaled limb by limb.

With k the ratio of the legs' lengths, s a limb's own ratio, A the ankle's height on a flat sole, and primes for the character:

    hips    h' = k h,  h'_z = k (h_z - A) + A'
    feet    e' = l' + s (e - l),  e'_z = s (e_z - A) + A'          l: the limb's first point
    hands   e' = l' + s (e - l)                               l' as it comes out, not as it was aimed at; in the world while a hand stands
    head    e' = h' + s (e - h)

A body whose trunk is thicker than the source's is raised where it lies on the ground, and its feet with it unless they stand.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import uniform_filter1d

from surefoot.character.character import Character
from surefoot.character.retarget.config import RetargetConfig
from surefoot.character.retarget.feet import SourceFoot, TargetFoot
from surefoot.character.retarget.ground import lowest, rise
from surefoot.character.retarget.limbs import Point
from surefoot.character.retarget.matching import Pair
from surefoot.character.retarget.plant import Contacts, plant_foot, plant_hand, ramp, sole_contacts, standing
from surefoot.character.retarget.transfer import hips, smooth, station_places
from surefoot.motion import quaternion
from surefoot.motion.motion import Motion

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True)
class Goal:
    """A point of the character and where it should be."""

    name: str
    point: Point
    places: Array  # (T, 3)
    weight: Array  # (T,)
    """[1/m]"""
    base: Point | None = None
    """The point from which `places` are measured, along the world's axes; None for the world's origin."""

    def gap(self, positions: Array, rotations: Array) -> Array:
        """Distance (T,) from the goal, given the world transforms of all bodies [m]."""
        place = self.point.places(positions, rotations) - self.places
        return np.asarray(np.linalg.norm(place if self.base is None else place - self.base.places(positions, rotations), axis=-1))


@dataclass(frozen=True, kw_only=True)
class Bearing:
    """A body and the rotation it should have."""

    body: int
    rotations: Array  # (T, 4)
    weight: float
    """[1/rad]"""


@dataclass(frozen=True, kw_only=True)
class Targets:
    """Everything the inverse kinematics aims at."""

    guess: Array  # (T, nq)
    """The pose by bone directions, the hips in their place."""
    goals: tuple[Goal, ...]
    bearings: tuple[Bearing, ...]
    ends: dict[str, Goal]
    """End effectors by limb, where the source has them, scaled limb by limb."""
    planted: dict[str, tuple[Point, Flags]]
    """Points that stand, and when."""
    reach: int
    """Frames over which corrections fade."""
    toes: tuple[int, ...] = ()
    """Bodies beyond the ankles."""


def leg_ratio(pairs: list[Pair], source_height: float, target_height: float) -> float:
    """The ratio by which height and travel scale: of the legs, else of the bodies' heights."""
    legs = [p.ratio for p in pairs if p.target.kind == "leg" and p.ratio > 0.0]
    return float(np.mean(legs)) if legs else target_height / source_height


def aim(
    motion: Motion,
    character: Character,
    pairs: list[Pair],
    feet: dict[int, tuple[SourceFoot, TargetFoot]],
    world: Array,
    flags: Flags,
    loose: set[int],
    config: RetargetConfig,
) -> Targets:
    """Targets from the transferred rotations `world` (T, J, 4) and the source's contacts `flags` (T, J).

    Spines in `loose` (numbers of pairs) have rest poses so different that only the transferred pose says where the head belongs.
    """
    size = motion.skeleton.height / 1.7
    reach = max(1, round(config.blend * np.sqrt(size) / motion.frame_time))
    scale = leg_ratio(pairs, motion.skeleton.height, character.skeleton.height)
    world = np.array(world)
    _bend_toes(world, character, feet, motion, scale, reach)
    guess = character.pose(_roots(motion, character, pairs, feet, world, scale), world)
    raised = np.zeros(motion.num_frames)
    if config.ground:
        adr = int(character.model.jnt_qposadr[character.model.body_jntadr[character.body_ids[0]]])
        raised = _lift(character, pairs, guess, reach)
        guess[:, adr + 2] += raised
    positions, turned = character.world(guess)

    goals: list[Goal] = []
    bearings: list[Bearing] = []
    ends: dict[str, Goal] = {}
    planted: dict[str, tuple[Point, Flags]] = {}
    toes = tuple(foot.toe for _, foot in feet.values() if foot.toe is not None)
    per_metre = 1.7 / character.height  # costs of lengths

    def goal(name: str, point: Point, places: Array, weight: float, more: Array | None = None, base: Point | None = None) -> Goal:
        full = np.full(motion.num_frames, weight * per_metre) if more is None else weight * per_metre * more
        goals.append(Goal(name=name, point=point, places=places, weight=full, base=base))
        return goals[-1]

    root = Point(joint=0)
    goal("root", root, positions[:, 0], config.root_weight)
    bearings.append(Bearing(body=0, rotations=turned[:, 0], weight=config.root_turn_weight))
    for number, pair in enumerate(pairs):
        points, limb = pair.target.points, pair.target
        start = next((i for i, (a, b) in enumerate(zip(pair.stations, pair.stations[1:], strict=False)) if b > a), 0)
        origin = points[start].places(positions, turned)
        source_origin = station_places(pair, pair.stations[start], *motion.world)
        source_end = station_places(pair, pair.source_end, *motion.world)
        end = origin + pair.ratio * (source_end - source_origin)
        point = points[pair.end]
        if limb.kind == "spine":
            end = _head(pairs, pair, motion, positions, turned, end)
            end = point.places(positions, turned) if number in loose else end
        if number in feet:
            ours, theirs = feet[number]
            contacts = sole_contacts(motion, ours, flags, config)
            loose_foot = raised * (1.0 - ramp(contacts.heel | contacts.ball, 2 * reach))
            end[:, 2] = pair.ratio * (source_end[:, 2] - ours.height) + theirs.height + loose_foot
            ends[limb.label] = Goal(name=limb.label, point=point, places=end, weight=np.ones(motion.num_frames))
            _foot(goal, bearings, planted, limb.label, point, theirs, end, world[:, theirs.ankle], contacts, reach, ours, config)
        elif limb.kind == "tail" or pair.ratio == 0.0:
            continue
        else:
            if limb.kind == "spine":
                ends[limb.label] = goal(limb.label, point, end, config.end_weight)
            else:
                on = np.zeros(motion.num_frames)
                if config.lock:
                    touch = _hand_contacts(source_end, feet, motion, config)
                    on = ramp(touch, reach)
                    goal(f"{limb.label}, hand", point, plant_hand(end, touch, reach), config.end_weight, on)
                ends[limb.label] = goal(limb.label, point, end - origin, config.end_weight, 1.0 - on, points[start])
            if not any(point.offset) or limb.kind == "spine":
                bearings.append(Bearing(body=point.joint, rotations=world[:, point.joint], weight=config.turn_weight))
        if limb.kind in ("arm", "leg") and pair.ratio > 0.0:
            _middles(goal, pair, start, origin, motion, character, config)
    return Targets(guess=guess, goals=tuple(goals), bearings=tuple(bearings), ends=ends, planted=planted, reach=reach, toes=toes)


def _roots(
    motion: Motion, character: Character, pairs: list[Pair], feet: dict[int, tuple[SourceFoot, TargetFoot]], world: Array, scale: float
) -> Array:
    """Root positions (T, 3) that put the middle of the character's hips where the source's belongs."""
    flat = character.world(character.pose(np.zeros((motion.num_frames, 3)), world))
    legs = [p for p in pairs if p.target.kind == "leg"]
    if legs:
        theirs = np.mean([p.target.points[0].places(*flat) for p in legs], axis=0)
        ours = np.mean([station_places(p, p.stations[0], *motion.world) for p in legs], axis=0)
    else:
        theirs, ours = flat[0][:, 0], motion.joint_positions[:, motion.skeleton.roots[0]]
    middle = scale * ours
    if legs and not feet:  # nothing tells the source's soles: standing is standing
        own = np.mean([station_places(p, p.stations[0], *motion.skeleton.rest) for p in legs], axis=0)
        middle[:, 2] += np.mean([p.target.points[0].places(*character.skeleton.rest)[2] for p in legs]) - scale * own[2]
    if feet:
        middle[:, 2] += np.mean([b.height for _, b in feet.values()]) - scale * np.mean([a.height for a, _ in feet.values()])
    return np.asarray(middle - theirs)


def _hand_contacts(places: Array, feet: dict[int, tuple[SourceFoot, TargetFoot]], motion: Motion, config: RetargetConfig) -> Flags:
    """When a hand of the source stands on the ground (T,)."""
    size = motion.skeleton.height / 1.7
    floor = min((min(foot.height, foot.ball_height) for foot, _ in feet.values()), default=0.0)
    return standing(places, floor + 0.03 * size, size, motion.frame_time, np.ones(motion.num_frames, dtype=bool), config)


def _head(pairs: list[Pair], pair: Pair, motion: Motion, positions: Array, turned: Array, end: Array) -> Array:
    """The head's place, from the middle of the hips where there are legs: trunk joints sit anywhere."""
    ours, theirs = hips(pairs, *motion.world, True), hips(pairs, positions, turned, False)
    if ours is None or theirs is None:
        return end
    return np.asarray(theirs + pair.ratio * (station_places(pair, pair.source_end, *motion.world) - ours))


def _lift(character: Character, pairs: list[Pair], guess: Array, reach: int) -> Array:
    """How far (T,) the trunk has to be raised for it, thighs and upper arms to lie on the ground: a thicker body lies higher."""
    below = character.skeleton.descendants
    limbs = {j for pair in pairs if pair.target.kind in ("leg", "arm") for p in pair.target.points[1:] for j in below(p.joint)}
    trunk = [int(character.body_ids[j]) for j in range(character.skeleton.num_joints) if j not in limbs]
    return rise(-lowest(character.model, guess, trunk), reach)


def _bend_toes(
    world: Array, character: Character, feet: dict[int, tuple[SourceFoot, TargetFoot]], motion: Motion, scale: float, reach: int
) -> None:
    """Toes that the source does not have stay level while the ball of the foot is on the ground and the heel is up."""
    for ours, theirs in feet.values():
        if theirs.toe is None or ours.ball is None or ours.ball.joint != ours.ankle.joint:
            continue
        ball = ours.ball.places(*motion.world)[:, 2] - ours.ball_height
        low = 1.0 - smooth(scale * ball, 0.02 * character.height, 0.08 * character.height)
        forward = quaternion.rotate(world[:, theirs.ankle], theirs.forward)
        left = quaternion.rotate(world[:, theirs.ankle], np.cross(theirs.up, theirs.forward))
        pitch = np.arcsin(np.clip(-forward[:, 2], 0.0, 1.0))
        bend = uniform_filter1d(low * pitch, reach, mode="nearest")
        turn = quaternion.exp(left * -bend[:, None])
        world[:, theirs.toe] = quaternion.multiply(turn, world[:, theirs.toe])


def _foot(
    goal: Callable[..., Goal],
    bearings: list[Bearing],
    planted: dict[str, tuple[Point, Flags]],
    label: str,
    point: Point,
    theirs: TargetFoot,
    end: Array,
    rotations: Array,
    contacts: Contacts,
    reach: int,
    ours: SourceFoot,
    config: RetargetConfig,
) -> None:
    """Goals of one foot: its ankle, its sole's points while they stand, its direction."""
    sole = ours.ball is not None
    if config.lock and sole:
        rotations, ankle = plant_foot(rotations, end, theirs, contacts, reach)
    elif config.lock:
        ankle = plant_hand(end, contacts.heel, reach)
    else:
        ankle = end
    goal(label, point, ankle, config.end_weight)
    if sole:
        bearings.append(Bearing(body=theirs.ankle, rotations=rotations, weight=config.turn_weight))
    for name, place, on in (("heel", theirs.heel, contacts.heel), ("ball", theirs.ball, contacts.ball)):
        if not on.any():
            continue
        planted[f"{label}, {name}"] = (place, on)
        if config.lock:
            where = ankle + quaternion.rotate(rotations, np.array(place.offset)) if sole else ankle
            goal(f"{label}, {name}", place, where, config.planted_weight, ramp(on, reach))


def _middles(
    goal: Callable[..., Goal], pair: Pair, start: int, origin: Array, motion: Motion, character: Character, config: RetargetConfig
) -> None:
    """Goals of elbows and knees: along the source's bones with the character's lengths."""
    points = pair.target.points
    rest = [p.places(*character.skeleton.rest) for p in points]
    place = origin
    for i in range(start + 1, pair.end):
        ours = [station_places(pair, pair.stations[j], *motion.world) for j in (i - 1, i)]
        bone = ours[1] - ours[0]
        length = float(np.linalg.norm(rest[i] - rest[i - 1]))
        place = place + length * bone / np.maximum(np.linalg.norm(bone, axis=-1, keepdims=True), 1e-9)
        goal(f"{pair.target.label}, point {i}", points[i], place, config.middle_weight)
