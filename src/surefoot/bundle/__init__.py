"""Bundles: a character and its skill in one file; saved, loaded, described, exported."""

from surefoot.bundle.bundle import SUFFIX, Bundle, Performance, decode, encode, load, save
from surefoot.bundle.export import Exported, export, performed, performed_motion
from surefoot.bundle.make import bundle_of, performing
from surefoot.bundle.perform import perform, player

__all__ = [
    "SUFFIX",
    "Bundle",
    "Exported",
    "Performance",
    "bundle_of",
    "decode",
    "encode",
    "export",
    "load",
    "perform",
    "performed",
    "performed_motion",
    "performing",
    "player",
    "save",
]
