"""What looks wrong with a motion, in sentences that say what to do about it."""

from __future__ import annotations

from dataclasses import replace

from surefoot.motion.anatomy import Anatomy
from surefoot.motion.files import without_first_frame
from surefoot.motion.leading import leading_frames
from surefoot.motion.motion import Motion
from surefoot.motion.symptoms import build, capture, ground
from surefoot.motion.symptoms.finding import Finding, Patient

__all__ = ["Finding", "diagnose"]

CHECKS = (
    capture.few_frames,
    capture.jumps,
    capture.noise,
    ground.floor,
    ground.below,
    ground.skating,
    ground.tilt,
    ground.flights,
    build.detached,
    build.pieces,
    build.rest_pose,
    build.stretching,
    build.size,
    build.sides,
    capture.frozen,
    build.names,
)


def diagnose(motion: Motion, *, body: Anatomy | None = None) -> tuple[Finding, ...]:
    """All findings, warnings before notes. A leading rest frame is told and left out of all else."""
    found: list[Finding] = []
    if skipped := leading_frames(motion):
        found.append(capture.REST_FRAME)
        motion = without_first_frame(motion, skipped)
    patient = Patient(motion, body, skipped)
    for check in CHECKS:
        for finding in check(patient):
            at = finding.frame
            found.append(finding if at is None else replace(finding, frame=at + skipped))
    return tuple(sorted(found, key=lambda finding: finding.severity != "warning"))
