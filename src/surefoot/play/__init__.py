"""Play: policies in charge of characters, live; pushed, recorded, replayed, evaluated.

>>> from surefoot import material
>>> from surefoot.character.rig import rig
>>> from surefoot.play import Player
>>> from surefoot.policy import Reference, track
>>> rigged = rig(material.motion("dinosaur/walk"))
>>> reference = Reference(character=rigged.character, qpos=rigged.qpos, frame_time=rigged.motion.frame_time)
>>> player = Player(rigged.character, track(rigged.character, reference), reference)
>>> player.push((200.0, 0.0, 0.0))  # the trunk, for 0.2 s from now
>>> player.advance(0.5)
>>> recording = player.recording()
>>> bool((recording.replay() == recording.states).all())
True
"""

from surefoot.play.actor import Role
from surefoot.play.evaluate import EvaluateConfig, Evaluation, evaluate
from surefoot.play.player import Player
from surefoot.play.recording import Recording

__all__ = ["EvaluateConfig", "Evaluation", "Player", "Recording", "Role", "evaluate"]
