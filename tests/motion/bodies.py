"""Bodies that walk, made of plain matrices: the truth that readers are held against.

Metres, Z up, facing +X, left is +Y. A body's rest pose has all frames aligned with the world. The walk plants its lowest foot: the root
travels so that it neither slides nor leaves the ground.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

Array = NDArray[np.float64]

Joints = list[tuple[str, str, tuple[float, float, float]]]


@dataclass(frozen=True, kw_only=True)
class Clip:
    """A body and its poses: world rotations and positions, parents first, and the far ends of its last bones."""

    names: tuple[str, ...]
    parents: tuple[int, ...]
    offsets: Array  # (J, 3)
    tips: tuple[tuple[int, tuple[float, float, float]], ...]
    turned: Array  # (T, J, 3, 3) world rotations, the identity at rest
    root: Array  # (T, 3)
    frame_time: float

    @property
    def positions(self) -> Array:
        """World positions (T, J, 3)."""
        out = np.zeros((len(self.turned), len(self.names), 3))
        for j, p in enumerate(self.parents):
            out[:, j] = self.root if p < 0 else out[:, p] + self.turned[:, p] @ self.offsets[j]
        return out

    @property
    def tip_positions(self) -> Array:
        """World positions (T, num_tips, 3)."""
        at = self.positions
        if not self.tips:
            return np.zeros((len(at), 0, 3))
        return np.stack([at[:, j] + self.turned[:, j] @ np.array(offset) for j, offset in self.tips], axis=1)

    @property
    def height(self) -> float:
        """The tallest that the body stands [m]."""
        points = np.concatenate([self.positions, self.tip_positions], axis=1)
        return float(np.ptp(points[..., 2], axis=1).max())

    def renamed(self, names: dict[str, str]) -> Clip:
        return replace(self, names=tuple(names.get(name, name) for name in self.names))

    def frames(self, which: slice) -> Clip:
        return replace(self, turned=self.turned[which], root=self.root[which])

    def headed(self, degrees: float) -> Clip:
        """The same clip, turned about the vertical."""
        m = Rotation.from_euler("z", degrees, degrees=True).as_matrix()
        return replace(self, turned=m @ self.turned, root=self.root @ m.T)


def mirrored(joints: Joints) -> Joints:
    """Joints named with a leading 'Left' and, behind each block, their mirror images."""
    out, block = [], []
    for name, parent, (x, y, z) in [*joints, ("", "", (0.0, 0.0, 0.0))]:
        if name.startswith("Left"):
            block.append((name.replace("Left", "Right"), parent.replace("Left", "Right"), (x, -y, z)))
            out.append((name, parent, (x, y, z)))
        else:
            out += block
            block = []
            out.append((name, parent, (x, y, z)))
    return out[:-1]


PERSON: Joints = mirrored(
    [
        ("Hips", "", (0.0, 0.0, 0.95)),
        ("LeftUpLeg", "Hips", (0.0, 0.09, -0.06)),
        ("LeftLeg", "LeftUpLeg", (0.0, 0.0, -0.42)),
        ("LeftFoot", "LeftLeg", (-0.01, 0.0, -0.40)),
        ("LeftToeBase", "LeftFoot", (0.14, 0.0, -0.05)),
        ("Spine", "Hips", (0.0, 0.0, 0.10)),
        ("Spine1", "Spine", (0.0, 0.0, 0.14)),
        ("Neck", "Spine1", (0.0, 0.0, 0.26)),
        ("Head", "Neck", (0.02, 0.0, 0.09)),
        ("LeftShoulder", "Spine1", (0.0, 0.04, 0.20)),
        ("LeftArm", "LeftShoulder", (0.0, 0.14, 0.0)),
        ("LeftForeArm", "LeftArm", (0.0, 0.28, 0.0)),
        ("LeftHand", "LeftForeArm", (0.0, 0.25, 0.0)),
    ]
)
PERSON_TIPS = {"Head": (0.0, 0.0, 0.18), "LeftToeBase": (0.07, 0.0, 0.0), "RightToeBase": (0.07, 0.0, 0.0)}
FINGERS: Joints = mirrored(
    [
        entry
        for k, finger in enumerate(("Thumb", "Index", "Middle", "Ring", "Pinky"))
        for entry in [
            (f"LeftHand{finger}1", "LeftHand", (0.04 - 0.02 * k, 0.08, 0.0)),
            (f"LeftHand{finger}2", f"LeftHand{finger}1", (0.0, 0.04, 0.0)),
            (f"LeftHand{finger}3", f"LeftHand{finger}2", (0.0, 0.025, 0.0)),
        ]
    ]
)
HELPERS: Joints = [("LeftHipJoint", "Hips", (0.0, 0.0, 0.0)), ("LowerBack", "Hips", (0.0, 0.0, 0.0)), ("Neck0", "Spine1", (0.0, 0.0, 0.26))]
DOG: Joints = mirrored(
    [
        ("Pelvis", "", (0.0, 0.0, 0.50)),
        ("Spine", "Pelvis", (0.22, 0.0, 0.01)),
        ("Chest", "Spine", (0.22, 0.0, 0.0)),
        ("Neck", "Chest", (0.08, 0.0, 0.06)),
        ("Head", "Neck", (0.12, 0.0, 0.12)),
        ("LeftFrontLeg", "Chest", (0.02, 0.07, -0.06)),
        ("LeftFrontKnee", "LeftFrontLeg", (-0.04, 0.0, -0.2)),
        ("LeftFrontPaw", "LeftFrontKnee", (0.02, 0.0, -0.2)),
        ("LeftHindLeg", "Pelvis", (-0.02, 0.07, -0.03)),
        ("LeftHindKnee", "LeftHindLeg", (0.05, 0.0, -0.2)),
        ("LeftHindPaw", "LeftHindKnee", (-0.05, 0.0, -0.22)),
        ("Tail", "Pelvis", (-0.12, 0.0, 0.03)),
        ("Tail1", "Tail", (-0.15, 0.0, 0.05)),
    ]
)
DOG_TIPS = dict.fromkeys(("LeftFrontPaw", "RightFrontPaw", "LeftHindPaw", "RightHindPaw"), (0.04, 0.0, -0.04))
CRAB: Joints = mirrored(
    [
        ("Body", "", (0.0, 0.0, 0.25)),
        *(
            entry
            for k in range(4)
            for entry in [
                (f"LeftLeg{k}A", "Body", (0.15 - 0.1 * k, 0.25, 0.0)),
                (f"LeftLeg{k}B", f"LeftLeg{k}A", (0.0, 0.3, 0.12)),
                (f"LeftLeg{k}C", f"LeftLeg{k}B", (0.0, 0.2, -0.35)),
            ]
        ),
        ("LeftPincer", "Body", (0.25, 0.2, 0.0)),
        ("LeftPincerTip", "LeftPincer", (0.25, 0.05, 0.0)),
    ]
)


def _swings(name: str, phase: Array) -> Array:
    """Rotation vectors (T, 3) of a joint relative to its parent."""
    side = -1.0 if "Right" in name else 1.0
    beat = phase + (0.0 if side > 0 else np.pi)
    if "Hind" in name:
        beat = beat + 0.8 * np.pi
    pitch, roll, yaw = np.zeros_like(phase), np.zeros_like(phase), np.zeros_like(phase)
    if "Knee" in name or name in ("LeftLeg", "RightLeg"):
        pitch = (0.5 + 0.45 * np.sin(beat + 1.5)) * (-1.0 if "Hind" in name and "Knee" in name else 1.0)
    elif name.endswith(("UpLeg", "FrontLeg", "HindLeg")):
        pitch, roll = -0.45 * np.sin(beat) - 0.15, 0.05 * side + 0.02 * np.sin(beat)
    elif name.endswith(("Foot", "Paw")):
        pitch = 0.25 * np.sin(beat + 0.4)
    elif name.endswith("Shoulder"):
        roll = -0.1 * side + 0.02 * np.sin(beat)
    elif name in ("LeftArm", "RightArm"):  # down from the T-pose, then swinging
        return np.asarray(
            (
                Rotation.from_rotvec(np.stack([0 * phase, 0.4 * np.sin(beat), 0 * phase], -1)) * Rotation.from_euler("x", -1.1 * side)
            ).as_rotvec()
        )
    elif "ForeArm" in name:
        yaw = 0.4 * side * (-1.0 - 0.5 * np.sin(beat))
    elif name[:-1].endswith(("Leg0", "Leg1", "Leg2", "Leg3")):  # a crab's, sideways
        k = int(name[-2])
        roll = 0.15 * np.sin(beat + 1.6 * k + "ABC".index(name[-1]))
    elif name in ("Spine", "Spine1", "Chest", "Neck", "Head", "Tail", "Tail1"):
        yaw, pitch = 0.06 * np.sin(phase + len(name)), 0.04 + 0.03 * np.sin(2 * phase)
    elif "Hand" in name and name[-1].isdigit():
        roll = -0.3 * side + 0.1 * np.sin(phase)
    return np.stack([roll, pitch, yaw], axis=-1)


def walk(
    joints: Joints = PERSON,
    tips: dict[str, tuple[float, float, float]] | None = None,
    *,
    frames: int = 60,
    fps: float = 30.0,
    scale: float = 1.0,
) -> Clip:
    """A walk of about one step a second; `scale` scales the body."""
    names = tuple(name for name, *_ in joints)
    parents = tuple(names.index(parent) if parent else -1 for _, parent, _ in joints)
    offsets = scale * np.array([offset for *_, offset in joints])
    ends = tuple((names.index(j), tuple(scale * c for c in offset)) for j, offset in (tips or {}).items() if j in names)
    phase = np.asarray(2.0 * np.pi * np.arange(frames) / fps, dtype=np.float64)
    turned = np.zeros((frames, len(names), 3, 3))
    for j, p in enumerate(parents):
        vectors = _swings(names[j], phase) if p >= 0 else np.stack([0.03 * np.sin(phase), 0.05 + 0 * phase, 0.08 * np.cos(phase)], -1)
        local = Rotation.from_rotvec(vectors).as_matrix()
        turned[:, j] = local if p < 0 else turned[:, p] @ local
    clip = Clip(names=names, parents=parents, offsets=offsets, tips=ends, turned=turned, root=np.zeros((frames, 3)), frame_time=1.0 / fps)  # type: ignore[arg-type]
    points = np.concatenate([clip.positions, clip.tip_positions], axis=1)
    root = np.zeros((frames, 3))
    for t in range(frames):
        low = int(np.argmin(points[t, :, 2]))
        if t:
            root[t, :2] = root[t - 1, :2] - (points[t, low, :2] - points[t - 1, low, :2])
        root[t, 2] = -points[t, low, 2]
    return replace(clip, root=root)


def person(
    *, fingers: bool = False, helpers: bool = False, tips: bool = True, frames: int = 60, fps: float = 30.0, scale: float = 1.0
) -> Clip:
    joints = PERSON + (FINGERS if fingers else []) + (HELPERS if helpers else [])
    return walk(joints, PERSON_TIPS if tips else None, frames=frames, fps=fps, scale=scale)
