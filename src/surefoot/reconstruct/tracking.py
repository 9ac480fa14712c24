"""How near a simulation comes to its reference, and whether that is a success.

    success:  to the end, |h - h~| <= 0.25 m and d_q(q_0, q~_0) <= 0.8 rad always, mean |(p_i - p_0) - (p~_i - p~_0)| < 0.12 m

h is the root's height above the ground below it; lengths scale with the body's height over 1.7 m. Where the clip drops to lower ground the
height is not judged. A simulation that diverged is off from there.
M simulations, T moments, J joints.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.physics.features.observation import Observation
from surefoot.physics.scene import Scene
from surefoot.reconstruct.cost import angle

Array = NDArray[np.float64]

HEIGHT, ROTATION, JOINTS = 0.25, 0.8, 0.12
"""Limits: root height [m], root rotation [rad], mean root-relative joint error [m]."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Tracking:
    """Errors of one simulation at T moments."""

    times: Array  # (T,) [s]
    height: Array  # (T,) [m]
    """Of the root above the ground, absolute; NaN where it is not judged."""
    rotation: Array  # (T,) [rad]
    joints: Array  # (T,) [m]
    """Mean over joints, root-relative."""
    joints_global: Array  # (T,) [m]
    finished: bool
    """Simulated to the end."""
    length: float
    """The body's height over 1.7 m."""

    @property
    def survived(self) -> float:
        """Seconds until a limit was first broken, or until the end."""
        ok = ~self._off
        return float(self.times[-1] if ok.all() else self.times[int(np.argmin(ok))])

    @property
    def success(self) -> bool:
        return self.finished and not self._off.any() and bool(np.nanmean(self.joints) < JOINTS * self.length)

    @property
    def _off(self) -> NDArray[np.bool_]:
        low = np.where(np.isnan(self.height), 0.0, self.height) > HEIGHT * self.length
        turned = ~(self.rotation <= ROTATION)  # NaN is off
        return low | turned

    def report(self) -> dict[str, float | bool]:
        """The errors under the names that commands write."""
        return {
            "success": self.success,
            "survived_s": self.survived,
            "mpjpe_mm": 1e3 * float(np.nanmean(self.joints)),
            "mpjpe_global_mm": 1e3 * float(np.nanmean(self.joints_global)),
            "root_height_error_m": float(np.nanmax(self.height, initial=0.0)),
            "root_rotation_error_rad": float(np.nanmax(self.rotation, initial=0.0)),
        }

    def why(self) -> str:
        """What broke the rule, in words; empty after a success."""
        if self.success:
            return ""
        at = self.survived
        if self._off.any() or not self.finished:
            k = int(np.argmax(self._off)) if self._off.any() else len(self.times) - 1
            if not np.isfinite(self.rotation[k]):
                return f"the simulation diverged at {at:.2f} s"
            if self.rotation[k] > ROTATION:
                return f"the root is turned away by {self.rotation[k]:.1f} rad at {at:.2f} s"
            return f"the root's height is off by {self.height[k]:.2f} m at {at:.2f} s"
        return f"joints are {1e3 * float(np.nanmean(self.joints)):.0f} mm off on the average"


def track(seen: Observation, wanted: Observation, period: float, length: float, scene: Scene | None = None) -> list[Tracking]:
    """Errors of M simulations seen at T moments (M, T), `period` seconds apart, against a reference (T,)."""
    place, want = seen.position, wanted.position
    above, should = place[..., 0, 2], want[..., 0, 2]
    if scene is not None:
        above = above - scene.height(place[..., 0, :2])
        should = should - scene.height(want[..., 0, :2])
    height = np.abs(above - should)
    rotation = angle(seen.rotation[..., 0, :], wanted.rotation[..., 0, :])
    apart = (place - place[..., :1, :]) - (want - want[..., :1, :])
    joints = np.linalg.norm(apart, axis=-1).mean(axis=-1)
    wide = np.linalg.norm(place - want, axis=-1).mean(axis=-1)
    times = np.arange(want.shape[0]) * period
    out = []
    for m in range(len(place)):
        done = np.isfinite(rotation[m])
        out.append(
            Tracking(
                times=times,
                height=height[m],
                rotation=rotation[m],
                joints=joints[m],
                joints_global=wide[m],
                finished=bool(done.all()),
                length=length,
            )
        )
    return out
