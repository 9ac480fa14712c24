"""A policy in twenty lines runs in the player, the evaluator, the renderer and a bundle like ours do: python 04_a_policy_of_your_own.py

It tracks the dinosaur's walk and bends every joint against the tilt of the root. That is too simple to walk; it shows where yours goes.
"""

from dataclasses import dataclass

import numpy as np

import surefoot
from surefoot import material
from surefoot.play import EvaluateConfig, Player, evaluate
from surefoot.policy import OpenLoop, Reference, register, track
from surefoot.render import RenderConfig, render


@register
@dataclass(frozen=True)
class Leaning:
    follow: OpenLoop  # what the servos are told beside the feedback
    gain: float = 0.1  # radians of every joint for each radian of tilt
    kind, closed, period, linear = "leaning", True, 0.025, True

    def start(self, t, x):
        return {"tilt": np.zeros(len(t))}  # memory: arrays of one row a simulation

    def act(self, t, x, memory):
        pitch = x.features[:, 1]  # computed when asked for, for all simulations at once
        smooth = 0.8 * memory["tilt"] + 0.2 * pitch
        return self.follow.targets(t) - self.gain * smooth[:, None], {"tilt": smooth}

    def to_arrays(self):
        arrays, facts = self.follow.to_arrays()
        return arrays, {"follow": facts, "gain": self.gain}

    @classmethod
    def from_arrays(cls, arrays, facts, character):
        return cls(OpenLoop.from_arrays(arrays, facts["follow"], character), float(facts["gain"]))


motion = material.motion("dinosaur/walk")
rigged = surefoot.rig(motion)
reference = Reference(character=rigged.character, qpos=rigged.qpos, frame_time=motion.frame_time)
policy = Leaning(track(rigged.character, reference))

player = Player(rigged.character, policy, reference)
player.push((50.0, 0.0, 0.0))
player.advance(2.0)
print("played:", *player.events, sep="\n  ")
assert np.array_equal(player.recording().replay(), player.recording().states)

found = evaluate(policy, reference, EvaluateConfig(episodes=16, pushes=False), threads=1)
print(found.table())

bundle = surefoot.bundle_of(motion, rigged, policy, method="leaning")
surefoot.save(bundle, "leaning.surefoot")
again = surefoot.load("leaning.surefoot")
assert isinstance(again.policy, Leaning)
render(again, "leaning.png", RenderConfig(seconds=1.5, draw="painter", size="200x200"))
print(f"wrote leaning.surefoot ({again.numbers} numbers) and leaning.png")
