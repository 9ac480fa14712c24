"""From channels to joint rotations: anatomical angles for trunk and arms, two-bone inverse kinematics for planted feet and hands.

Channels, angles in degrees, places in metres, +X forward, +Y left, Z up:
    root                 (x, y, z) of the pelvis
    pelvis, waist, ...   (bend forwards, lean to the left, turn to the left); the same for neck, head, tail
    left_shoulder        (raise forwards, spread outwards, twist inwards), zero is an arm that hangs straight down
    left_elbow, jaw      (bend,)
    left_wrist           (towards the palm, towards the thumb, twist)
    left_foot            (x, out, z, roll, tip, yaw): the place of the flat foot's ankle, `out` from the midline and z above the floor, as
                         in an animator's reverse-foot rig: roll > 0 lifts the heel about the ball while the toes stay flat, roll < 0 lifts
                         the toes about the heel, tip lifts the foot about the tip of the toes, yaw turns the toes outwards
    left_knee            (out,) turns the knee outwards
    left_reach           (forward, out, up, elbow) of the wrist from its shoulder in the chest's frame, `elbow` lifts the elbow sideways
    left_fist            (forward, out, up, elbow) the same from the middle between the shoulders, along the world's axes
    left_grip            (x, out, z, weight, pitch): wrist at a place in the world, hand palm down with its fingers `pitch` below the
                         horizon; weight blends it over the other ways to pose the arm
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.material.keyframes import Score
from surefoot.material.skeletons import Point
from surefoot.motion import quaternion
from surefoot.motion.motion import Motion, Source
from surefoot.motion.skeleton import Skeleton

Array = NDArray[np.float64]
X, Y, Z = np.eye(3)
FPS = 30.0
SIDES = (("left", 1.0), ("right", -1.0))


def about(axis: Array, degrees: Array) -> Array:
    """The rotations (T, 4) by `degrees` (T,) about an axis."""
    return quaternion.about(axis, np.radians(degrees))


def product(*factors: Array) -> Array:
    """The product of rotations, the last one applied first."""
    out = factors[0]
    for factor in factors[1:]:
        out = quaternion.multiply(out, factor)
    return out


def unit(v: Array) -> Array:
    return v / np.linalg.norm(v, axis=-1, keepdims=True)


def frame(along: Array, normal: Array) -> Array:
    """The rotation (..., 4) whose columns are a direction, a normal made square to it, and their cross product."""
    along = unit(along)
    normal = unit(normal - np.sum(normal * along, -1, keepdims=True) * along)
    return quaternion.from_matrix(np.stack([along, normal, np.cross(along, normal)], axis=-1))


@dataclass(frozen=True, kw_only=True)
class Puppet:
    """A skeleton with what its controls need to know."""

    skeleton: Skeleton
    hinges: dict[str, Point]
    name: str
    arm_end: str
    """Ending of the joint or tip at the end of the arm's second bone."""
    heel_on: str
    """Ending of the joint that carries the heel: "ankle" where the sole is stiff, "toe" where only the toes are flat."""
    arm_spread: float = 0.0
    """How far the arms stand out at rest [degrees]."""

    def place(self, name: str) -> Array:
        """Where a joint or a tip is at rest (3,)."""
        if name in self.skeleton.names:
            return self.skeleton.rest[0][self.skeleton.index(name)]
        tips = [tip.name for tip in self.skeleton.tips]
        return self.skeleton.tip_positions(*self.skeleton.rest)[tips.index(name)]

    def animate(self, clip: str, score: Score) -> Motion:
        """The motion through all keys at 30 frames a second."""
        frames = round(score.duration * FPS) + 1
        times = np.arange(frames) / FPS
        channels = score.sample(times)
        skeleton = self.skeleton
        world = np.tile([1.0, 0.0, 0.0, 0.0], (frames, skeleton.num_joints, 1))
        places = np.zeros((frames, skeleton.num_joints, 3))
        local = np.array(world)
        translations = np.tile(skeleton.translations, (frames, 1, 1))
        translations[:, 0] = channels["root"]
        for j, name in enumerate(skeleton.names):  # parents first, so that a hip knows where it is when its leg is solved
            local[:, j] = self._angles(name, channels, frames)
            self._stand(j, places, world, local, translations)
            side = name.split("_")[0]
            if name.endswith("_hip"):
                self._leg(side, j, channels, places, world, local)
            elif name.endswith("_shoulder"):
                self._arm(side, j, channels, places, world, local)
        local = quaternion.continuous(local)
        motion = Motion(skeleton, translations, local, 1.0 / FPS, name=clip)
        source = Source(clip=clip, loop=score.stride is not None, extra={"key_times": [round(t, 6) for t in score.key_times]})
        return motion.replace(contacts=self._contacts(motion), source=source)

    def _stand(self, j: int, places: Array, world: Array, local: Array, translations: Array) -> None:
        """World place and rotation of joint j from its parent's. Joints that inverse kinematics has set keep their local rotation."""
        p = self.skeleton.parents[j]
        if p < 0:
            places[:, j], world[:, j] = translations[:, j], local[:, j]
        else:
            places[:, j] = places[:, p] + quaternion.rotate(world[:, p], translations[:, j])
            world[:, j] = quaternion.multiply(world[:, p], local[:, j])

    def _angles(self, name: str, channels: dict[str, Array], frames: int) -> Array:
        """The local rotations (T, 4) that a joint's own channel asks for."""
        side, sign, part = "", 1.0, name
        for word, s in SIDES:
            if name.startswith(word):
                side, sign, part = word, s, name[len(word) + 1 :]
        if part in ("hip", "knee", "ankle", "toe"):
            solved = channels.get(f"={name}")
            return np.tile([1.0, 0.0, 0.0, 0.0], (frames, 1)) if solved is None else solved
        if f"={name}" in channels:
            return channels[f"={name}"]
        spread = about(X, np.full(frames, sign * self.arm_spread))
        angles = channels.get(name)
        if angles is None:
            angles = np.zeros((frames, 3))
        if not side:
            if name in self.hinges:
                return about(np.array(self.hinges[name]), angles[:, 0])
            return product(about(Z, angles[:, 2]), about(X, -angles[:, 1]), about(Y, angles[:, 0]))
        if part == "shoulder":
            raised = product(about(Y, -angles[:, 0]), about(X, sign * angles[:, 1]), about(Z, -sign * angles[:, 2]))
            return product(raised, quaternion.conjugate(spread))
        if part == "elbow":
            return about(np.array(self.hinges[name]), angles[:, 0])
        turned = product(about(X, -sign * angles[:, 0]), about(Y, -angles[:, 1]), about(Z, -sign * angles[:, 2]))
        return product(spread, turned, quaternion.conjugate(spread))

    def _bend(self, start: Array, end: Array, pole: Array, names: tuple[str, str, str]) -> tuple[Array, Array, Array]:
        """Two bones from `start` to `end` (T, 3), the joint between them towards `pole`: world rotations (T, 4) of both, and the gap
        [m] by which `end` is out of reach."""
        a, b, c = (self.place(name) for name in names)
        first, second = float(np.linalg.norm(b - a)), float(np.linalg.norm(c - b))
        distance = np.linalg.norm(end - start, axis=-1)
        reach = np.clip(distance, abs(first - second) * 1.02, (first + second) * 0.9995)
        along = unit(end - start)
        normal = unit(np.cross(pole, along))
        out = np.cross(along, normal)
        step = (first**2 - second**2 + reach**2) / (2.0 * reach)
        height = np.sqrt(np.maximum(first**2 - step**2, 0.0))
        middle = start + step[:, None] * along + height[:, None] * out
        last = start + reach[:, None] * along
        hinge = np.array(self.hinges[names[1]])
        upper = product(frame(middle - start, normal), quaternion.conjugate(frame(b - a, hinge)))
        lower = product(frame(last - middle, normal), quaternion.conjugate(frame(c - b, hinge)))
        return upper, lower, distance - reach

    def _leg(self, side: str, j: int, channels: dict[str, Array], places: Array, world: Array, local: Array) -> None:
        """Solve a leg for its foot's place; the answers become channels named "=joint"."""
        sign = dict(SIDES)[side]
        names = (f"{side}_hip", f"{side}_knee", f"{side}_ankle")
        x, out, z, roll, tip, yaw = channels[f"{side}_foot"].T
        ankle, ball, end, heel = (self.place(f"{side}_{part}") for part in ("ankle", "toe", "toe_tip", "heel"))
        ground = ankle * [1.0, 1.0, 0.0]  # all places of the sole below are taken from the flat foot's ankle on the floor
        turn = about(Z, sign * yaw)
        back, lift, over = about(Y, np.minimum(roll, 0.0)), about(Y, np.maximum(roll, 0.0)), about(Y, tip)
        ankle_at = heel + quaternion.rotate(back, ball + quaternion.rotate(lift, ankle - ball) - heel)
        ankle_at = end + quaternion.rotate(over, ankle_at - end)
        base = np.stack([x, sign * out, z], -1)
        target = base + quaternion.rotate(turn, ankle_at - ground)
        foot, toes = product(turn, over, back, lift), product(turn, over, back)
        splay = channels[f"{side}_knee"][:, 0] if f"{side}_knee" in channels else np.full(len(x), 4.0)
        facing = np.degrees(np.unwrap(np.arctan2(*quaternion.rotate(world[:, 0], X)[:, 1::-1].T)))
        level = channels["pelvis"][:, 0] if "pelvis" in channels else np.zeros(len(x))
        # The knee looks where the foot does, half turned by the pelvis; tilted with the trunk when that lies on the floor.
        pole = product(about(Z, 0.5 * facing + 0.5 * sign * yaw + sign * splay), about(Y, 0.5 * level))
        thigh, shank, _ = self._bend(places[:, j], target, quaternion.rotate(pole, X), names)
        inverse = quaternion.conjugate
        local[:, j] = product(inverse(world[:, self.skeleton.parents[j]]), thigh)
        world[:, j] = thigh
        channels[f"={names[1]}"] = product(inverse(thigh), shank)
        channels[f"={names[2]}"] = product(inverse(shank), foot)
        channels[f"={side}_toe"] = product(inverse(foot), toes)

    def _arm(self, side: str, j: int, channels: dict[str, Array], places: Array, world: Array, local: Array) -> None:
        """Solve an arm that reaches or grips; without such channels its angles stand."""
        sign = dict(SIDES)[side]
        names = (f"{side}_shoulder", f"{side}_elbow", f"{side}_{self.arm_end}")
        chest = world[:, self.skeleton.parents[j]]
        inverse = quaternion.conjugate
        frames = len(chest)
        elbow = self._angles(names[1], channels, frames)
        if f"{side}_reach" in channels or f"{side}_fist" in channels:
            if f"{side}_reach" in channels:
                forward, out, up, lift = channels[f"{side}_reach"].T
                end = places[:, j] + quaternion.rotate(chest, np.stack([forward, sign * out, up], -1))
            else:
                forward, out, up, lift = channels[f"{side}_fist"].T
                half = self.skeleton.translations[j] * [0.0, -1.0, 0.0]
                end = places[:, j] + quaternion.rotate(chest, half) + np.stack([forward, sign * out, up], -1)
            swing = np.radians(lift)
            pole = np.stack([np.full(frames, -0.4), sign * np.sin(swing), -np.cos(swing)], -1)
            upper, lower, _ = self._bend(places[:, j], end, quaternion.rotate(chest, pole), names)
            local[:, j], elbow = product(inverse(chest), upper), product(inverse(upper), lower)
        if f"{side}_grip" in channels:
            x, out, z, weight, pitch = channels[f"{side}_grip"].T
            end = np.stack([x, sign * out, z], -1)
            pole = np.tile([-0.75, sign * 0.65, 0.5], (frames, 1))
            upper, lower, _ = self._bend(places[:, j], end, pole, names)
            local[:, j] = quaternion.slerp(local[:, j], product(inverse(chest), upper), weight)
            angle = quaternion.log(elbow), quaternion.log(product(inverse(upper), lower))
            elbow = quaternion.exp(angle[0] + weight[:, None] * (angle[1] - angle[0]))
            wrist = f"{side}_wrist"
            if wrist in self.skeleton.names:
                reach = quaternion.multiply(chest, local[:, j])
                hand = frame(self.place(f"{side}_hand") - self.place(wrist), -sign * Y)
                fingers = np.stack([np.cos(np.radians(pitch)), np.zeros(frames), -np.sin(np.radians(pitch))], -1)
                flat = product(frame(fingers, np.tile(-Z, (frames, 1))), inverse(hand))
                free = self._angles(wrist, channels, frames)
                channels[f"={wrist}"] = quaternion.slerp(free, product(inverse(product(reach, elbow)), flat), weight)
        world[:, j] = quaternion.multiply(chest, local[:, j])
        channels[f"={names[1]}"] = elbow

    def _contacts(self, motion: Motion) -> NDArray[np.bool_]:
        """(T, J) True where a foot stands: its sole within 8 mm of the floor and slower than 8 cm/s."""
        contacts = np.zeros((motion.num_frames, self.skeleton.num_joints), dtype=bool)
        tips = [tip.name for tip in self.skeleton.tips]
        for side, _ in SIDES:
            toe = self.skeleton.index(f"{side}_toe")
            ball = motion.joint_positions[:, toe] - [0.0, 0.0, self.place(f"{side}_toe")[2]]
            heel = motion.tip_positions[:, tips.index(f"{side}_heel")]
            for joint, point in ((toe, ball), (self.skeleton.index(f"{side}_{self.heel_on}"), heel)):
                speed = np.linalg.norm(np.gradient(point, motion.frame_time, axis=0), axis=-1)
                contacts[:, joint] |= (point[:, 2] < 0.008) & (speed < 0.08)
        return contacts
