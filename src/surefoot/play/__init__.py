"""Play: a policy in charge of a character, live or many at a time; recorded, replayed, judged.

>>> from surefoot import material
>>> from surefoot.character.rig import rig
>>> from surefoot.play import Player, Reference, track
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
from surefoot.play.openloop import OpenLoop, track
from surefoot.play.player import Player
from surefoot.play.policy import Memory, Packed, Policy, kinds, pack, register, unpack
from surefoot.play.recording import Recording
from surefoot.play.reference import Reference
from surefoot.play.states import States

__all__ = [
    "Memory",
    "OpenLoop",
    "Packed",
    "Player",
    "Policy",
    "Recording",
    "Reference",
    "Role",
    "States",
    "kinds",
    "pack",
    "register",
    "track",
    "unpack",
]
