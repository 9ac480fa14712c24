"""Play: a policy in charge of a character, live or many at a time; recorded, replayed, judged."""

from surefoot.play.openloop import OpenLoop, track
from surefoot.play.policy import Memory, Packed, Policy, kinds, pack, register, unpack
from surefoot.play.reference import Reference
from surefoot.play.states import States

__all__ = ["Memory", "OpenLoop", "Packed", "Policy", "Reference", "States", "kinds", "pack", "register", "track", "unpack"]
