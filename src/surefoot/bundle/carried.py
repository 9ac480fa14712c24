"""A bundle's skill on another body with the same joints: a start for learning there."""

from __future__ import annotations

from surefoot.bundle.bundle import Bundle
from surefoot.bundle.make import performing
from surefoot.character.character import Character
from surefoot.errors import InputError
from surefoot.feedback.policy import LinearFeedback
from surefoot.feedback.transfer import carried


def carried_bundle(bundle: Bundle, character: Character) -> Bundle:
    """The bundle with its skill in the measure of `character`. Nobody has judged it yet; the source's clip stays with the old body."""
    if not isinstance(bundle.policy, LinearFeedback):
        raise InputError(f"{bundle.name} is '{bundle.policy.kind}'; only what was learned goes onto another body.")
    found = carried(bundle.policy, bundle.reference, bundle.starts, character)
    return performing(
        bundle.replace(
            character=character,
            policy=found.policy,
            reference=found.reference,
            starts=found.starts,
            success=None,
            result={"carried": f"from {bundle.character.name}"},
            curves={},
            performance=None,
            motion=None,
            start=0.0,
            sha256="",
            file=b"",
        )
    )
