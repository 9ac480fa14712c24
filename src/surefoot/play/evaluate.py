"""How good a policy is: how near it comes to its reference, how often it stays on its feet, how hard it can be pushed.

    nominal episode       undisturbed, from the beginning: errors; the success rule, or for closed loops the falling rule
    256 episodes          from perturbed starts at all phases: share that does not fall, with Wilson's 95 % interval
    pushes                see `push`
    robustness            see `robustness`, where it is asked for

Cycles are played for a minute, skills that end to their end and two seconds more. The same seed gives the same bits at any thread count.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from surefoot.character.character import Character
from surefoot.errors import InputError, unknown_name
from surefoot.physics.batch import BatchEngine
from surefoot.physics.scene import Scene
from surefoot.play.nominal import Nominal, nominal, speed
from surefoot.play.push import PushConfig, When, tolerance
from surefoot.play.robustness import robustness
from surefoot.play.trials import RobustnessConfig, Row
from surefoot.play.trials import table as robustness_table
from surefoot.play.trials import to_json as robustness_json
from surefoot.play.wilson import wilson
from surefoot.policy import ground
from surefoot.policy.fall import FallRule
from surefoot.policy.perform import enter, perform
from surefoot.policy.policy import Memory, Policy
from surefoot.policy.reference import Reference
from surefoot.policy.states import States

Array = NDArray[np.float64]
Rule = Literal["tracking", "falling"]


@dataclass(frozen=True, kw_only=True)
class EvaluateConfig:
    """How much is tried."""

    episodes: int = 256
    """From perturbed starts at all phases."""
    seconds: float = 60.0
    """How long a cycle is played [s]."""
    hold: float = 2.0
    """How long a skill that ends is watched after its end [s]."""
    root_velocity: float = 0.1
    """Standard deviation of each component of the root's velocity at the start [m/s]."""
    root_spin: float = 0.2
    """Likewise of its angular velocity [rad/s]."""
    joint_velocity: float = 0.3
    """Likewise of every joint's [rad/s]."""
    pushes: bool = True
    """Look for the push tolerance."""
    push: PushConfig = field(default_factory=PushConfig)
    robust: RobustnessConfig | None = None
    """Try other worlds, bodies and senses; None does not."""

    def __post_init__(self) -> None:
        if not 1 <= self.episodes <= 100_000:
            raise InputError(f"an evaluation has 1 to 100000 episodes, got {self.episodes}.")
        if not (math.isfinite(self.seconds) and 0.0 < self.seconds <= 3600.0 and 0.0 <= self.hold <= 600.0):
            raise InputError("episodes of cycles last up to an hour, and the hold after a skill up to ten minutes.")

    def quick(self) -> EvaluateConfig:
        """A glance: fewer and shorter."""
        pushed = replace(self.push, episodes=8, angles=4, limit=500.0, resolution=20.0, watched=3.0)
        robust = None if self.robust is None else self.robust.quick()
        return replace(self, episodes=min(self.episodes, 32), seconds=min(self.seconds, 10.0), push=pushed, robust=robust)

    def spread(self, nv: int) -> Array:
        """Standard deviations (nv,) of velocities at the start."""
        out = np.full(nv, self.joint_velocity)
        out[:3], out[3:6] = self.root_velocity, self.root_spin
        return out


@dataclass(frozen=True, eq=False, kw_only=True)
class Evaluation:
    """What was found."""

    judged: Rule
    """By which rule success was judged."""
    nominal: Nominal
    survived: Array  # (episodes,)
    """How long each episode lasted [s]."""
    standing: NDArray[np.bool_]  # (episodes,)
    """Which did not fall to their end."""
    push_tolerance: dict[str, float] | None
    """[N] by angle [degrees]; None when it was not looked for."""
    physics_steps: int
    core_s: float
    wall_s: float
    seed: int
    speed: float = float("nan")
    """Of the nominal episode of a cycle [m/s]; NaN for skills that end."""
    reference_speed: float = float("nan")
    """Of the reference [m/s]."""
    push_begun: When = "any"
    """At any phase, or in flight."""
    robustness: list[Row] | None = None
    """Survival in other worlds; None when it was not looked for."""

    @property
    def success(self) -> bool:
        """The nominal episode's."""
        return self.nominal.success

    @property
    def survival_rate(self) -> float:
        """Share of the episodes that did not fall."""
        return float(self.standing.mean())

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval of the survival rate."""
        return wilson(int(self.standing.sum()), len(self.standing))

    def to_json(self) -> dict[str, Any]:
        """Plain values under the names that DESIGN gives; versions are the caller's to add."""
        mine = self.nominal
        return {
            **mine.judgement.to_json(),
            "success": self.success,
            "survived_s": mine.survived,
            "judged": self.judged,
            "why": mine.why,
            "duration_s": mine.duration,
            "episodes": len(self.standing),
            "survival_rate": self.survival_rate,
            "survival_interval": list(self.interval),
            "survived_median_s": float(np.median(self.survived)),
            "push_tolerance_n": self.push_tolerance,
            "push_begun": self.push_begun,
            **({} if self.robustness is None else {"robustness": robustness_json(self.robustness)}),
            "speed_m_s": None if math.isnan(self.speed) else self.speed,
            "reference_speed_m_s": None if math.isnan(self.reference_speed) else self.reference_speed,
            "physics_steps": self.physics_steps,
            "core_s": self.core_s,
            "wall_s": self.wall_s,
            "seed": self.seed,
        }

    def table(self) -> str:
        """The same for people."""
        mine, low_high = self.nominal, self.interval
        found = mine.judgement
        rows = [
            ("success", f"{'yes' if self.success else 'no'}{f', {mine.why}' if mine.why else ''} (judged by {self.judged})"),
            ("survived", f"{mine.survived:.2f} s of {mine.duration:.2f} s"),
            ("joints", f"{1e3 * found.joints:.0f} mm off relative to the root, {1e3 * found.world:.0f} mm in the world (means)"),
            ("root", f"{found.height:.3f} m off in height, {found.rotation:.2f} rad turned away (largest)"),
            (
                "episodes",
                f"{self.standing.sum()} of {len(self.standing)} stay on their feet from perturbed starts: "
                f"{100 * self.survival_rate:.0f} % (95 %: {100 * low_high[0]:.0f} to {100 * low_high[1]:.0f} %)",
            ),
        ]
        if not math.isnan(self.speed):
            rows.append(("speed", f"{self.speed:.2f} m/s, the reference's is {self.reference_speed:.2f} m/s"))
        if self.push_tolerance is not None:
            begun = ", begun in flight" if self.push_begun == "flight" else ""
            rows.append(("pushes", ", ".join(f"{angle}°: {force:.0f} N" for angle, force in self.push_tolerance.items()) + begun))
        if self.robustness is not None:
            rows += [("robustness", ""), *[("", line) for line in robustness_table(self.robustness)]]
        rows.append(("cost", f"{self.physics_steps:,} physics steps, {self.core_s:.1f} core-seconds, {self.wall_s:.1f} s"))
        return "\n".join(f"  {name:<10}{value}".rstrip() for name, value in rows)


def evaluate(
    policy: Policy,
    reference: Reference,
    config: EvaluateConfig | None = None,
    *,
    seed: int = 0,
    threads: int = 0,
    scene: Scene | None = None,
    starts: Reference | None = None,
    judged: Rule | None = None,
    progress: Callable[[str], None] | None = None,
) -> Evaluation:
    """Evaluate a policy. `starts` are poses that it really passes through, in the reference's time (by default the reference's own).

    Judged by tracking where the policy is an open loop, by falling where it has feedback (`closed = True` in its class), or by `judged`.
    """
    config, scene = config or EvaluateConfig(), scene or Scene()
    rule = judged or ("falling" if getattr(policy, "closed", False) else "tracking")
    if rule not in ("tracking", "falling"):
        raise unknown_name("rule", rule, ("tracking", "falling"))
    starts = starts or reference
    say = progress or (lambda text: None)
    wall, core = time.perf_counter(), time.process_time()
    streams = [np.random.default_rng(child) for child in np.random.SeedSequence(seed).spawn(2)]
    falls = FallRule(reference, scene)
    say("the nominal episode")
    length = config.seconds if reference.cycle else reference.duration
    hold = 0.0 if reference.cycle else config.hold
    first = nominal(policy, reference, falls, length, hold=hold, closed=rule == "falling", scene=scene, starts=starts)
    say(f"{config.episodes} episodes from perturbed starts")
    survived, standing, steps = episodes(policy, starts, falls, config, streams[0], threads=threads, scene=scene)
    pushed: dict[str, float] | None = None
    if config.pushes:
        pushed, more = tolerance(policy, starts, falls, config.push, streams[1], threads=threads, scene=scene, progress=say)
        steps += more
    robust: list[Row] | None = None
    if config.robust is not None:
        spread = config.spread(reference.character.model.nv)
        child = np.random.SeedSequence([seed, 9])
        robust, more = robustness(
            policy, reference, starts, config.robust, spread, hold=config.hold, seed=child, threads=threads, progress=say
        )
        steps += more
    return Evaluation(
        robustness=robust,
        push_begun=config.push.begun,
        judged=rule,
        nominal=first,
        survived=survived,
        standing=standing,
        push_tolerance=pushed,
        physics_steps=steps + first.physics_steps,
        core_s=time.process_time() - core,
        wall_s=time.perf_counter() - wall,
        seed=seed,
        speed=speed(first.qpos, policy.period, reference.duration) if reference.cycle else math.nan,
        reference_speed=speed(reference.qpos, reference.frame_time, reference.duration) if reference.cycle else math.nan,
    )


def episodes(
    policy: Policy, starts: Reference, rule: FallRule, config: EvaluateConfig, rng: np.random.Generator, *, threads: int, scene: Scene
) -> tuple[Array, NDArray[np.bool_], int]:
    """How long each episode lasted (N,) [s], which did not fall (N,), and the physics steps."""
    character, num = starts.character, config.episodes
    phase = starts.duration * (np.arange(num) + rng.uniform(0.0, 1.0, num)) / num
    phase = policy.period * np.floor(phase / policy.period)
    noise = config.spread(character.model.nv) * rng.standard_normal((num, character.model.nv))
    engine = BatchEngine(character, num, threads, scene)
    qpos, qvel = starts.at(phase), starts.velocity_at(phase) + noise
    qpos[:, 2] += depth(character, qpos, scene)
    enter(engine, policy, phase, qpos, qvel)
    lasting = config.seconds if starts.cycle else starts.duration - phase + config.hold
    periods = np.broadcast_to(np.ceil(lasting / policy.period - 1e-9), (num,)).astype(np.int64)
    standing = np.zeros(num, dtype=bool)

    def watch(k: int, x: States, t: Array, memory: Memory) -> NDArray[np.bool_]:
        fell, ended = rule(x, memory.get("time", t)), periods[x.sims] <= k + 1
        standing[x.sims[ended & ~fell]] = True
        return np.asarray(fell | ended)

    done = perform(engine, policy, phase, int(periods.max()), watch=watch)
    return np.asarray(done.periods * policy.period, dtype=np.float64), standing, engine.physics_steps


def depth(character: Character, qpos: Array, scene: Scene) -> Array:
    """How far poses (N, nq) sink into the ground [m] (N,): they are lifted by it, or they would be thrown out."""
    gaps = ground.gaps(ground.surface(character), scene, *character.world(qpos))
    return np.maximum(0.0, -gaps.min(axis=-1, initial=np.inf))
