"""What drives a character and by what it is judged: policies, the states they see, the reference they perform, success and falling.

file          what it holds
policy        the protocol: start, act; kinds of policies as plain values
states        what a policy sees
openloop      a plan's targets in time
reference     the poses that are to be performed
perform       a policy in charge of rows of simulations
success, fall the two rules; ground: how far shapes are above it
"""

from surefoot.policy.openloop import OpenLoop, track
from surefoot.policy.policy import Memory, Packed, Policy, kinds, pack, register, unpack
from surefoot.policy.reference import Reference
from surefoot.policy.states import States

__all__ = ["Memory", "OpenLoop", "Packed", "Policy", "Reference", "States", "kinds", "pack", "register", "track", "unpack"]
