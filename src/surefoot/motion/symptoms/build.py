"""Trouble with the skeleton: feet that hang elsewhere, odd rest poses, bones that stretch, names twice, sizes that no human has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from surefoot.motion.anatomy.pose import reference_pose
from surefoot.motion.edit.measure import body_height
from surefoot.motion.symptoms.finding import Finding, Patient, listed


def detached(patient: Patient) -> Iterator[Finding]:
    """Joints that hang from the rig's root instead of their limb."""
    moves = patient.body.detached
    if moves:
        pairs = [f"{patient.names[j]}' under '{patient.names[p]}" for j, p in moves.items()]
        yield Finding(
            kind="detached limbs",
            severity="note",
            sentence=f"Bones that hang outside their limb: {listed([patient.names[j] for j in moves])}; "
            f"a character is rigged with {listed(pairs)}.",
            joint=patient.names[next(iter(moves))],
        )
    if patient.body.controls:
        count = len(patient.body.controls)
        yield Finding(
            kind="controls",
            severity="note",
            sentence=f"{'A joint is' if count == 1 else f'{count} joints are'} no part of the body (controls, sockets, bare ends): "
            f"{listed([patient.names[j] for j in patient.body.controls])}.",
        )


def rest_pose(patient: Patient) -> Iterator[Finding]:
    """A rest pose that shows no body, or in which the arms are not stretched out."""
    skeleton, body = patient.motion.skeleton, patient.body
    pose = reference_pose(skeleton, patient.motion)
    if pose.frame is not None:
        yield Finding(
            kind="rest pose",
            severity="note",
            sentence=f"{pose.why[0].upper()}{pose.why[1:]}; who is who was read from frame {pose.frame} instead.",
            frame=pose.frame,
        )
        return
    if len(body.arms) != 2 or len(body.legs) != 2:
        return
    drop = []
    for chain in body.arms:
        reach = skeleton.rest[0][chain[-1]] - skeleton.rest[0][chain[0]]
        drop.append(np.degrees(np.arctan2(-float(reach @ body.up), float(np.linalg.norm(reach - (reach @ body.up) * body.up)))))
    down = float(np.mean(drop))
    if abs(down) > 20.0:
        how = f"{down:.0f}° down" if down > 0.0 else f"{-down:.0f}° up"
        how += ", along the body" if down > 65.0 else ""
        yield Finding(kind="rest pose", severity="note", sentence=f"The rest pose is no T-pose: the arms point {how}.")


def stretching(patient: Patient) -> Iterator[Finding]:
    """Bones whose length changes."""
    motion, parents = patient.motion, patient.motion.skeleton.parents
    carried = set(motion.skeleton.chain(patient.body.trunk)) | set(patient.body.detached)
    lengths = np.linalg.norm(motion.translations, axis=-1)
    change = np.ptp(lengths, axis=0)
    bad = [
        j
        for j in patient.solid
        if parents[j] >= 0 and j not in carried and change[j] > 0.01 * patient.length and change[j] > 0.03 * lengths[:, j].mean()
    ]
    if bad:
        worst = max(bad, key=lambda j: change[j] / max(float(lengths[:, j].mean()), 1e-9))
        count = "1 bone stretches" if len(bad) == 1 else f"{len(bad)} bones stretch"
        low, high = float(lengths[:, worst].min()), float(lengths[:, worst].max())
        yield Finding(
            kind="stretching bones",
            severity="note",
            sentence=f"{count}: '{patient.names[worst]}' is {100 * low:.1f} to {100 * high:.1f} cm from its parent; rigid bodies cannot.",
            joint=patient.names[worst],
        )


def names(patient: Patient) -> Iterator[Finding]:
    """Names that stand twice."""
    twice = [name for name, count in Counter(patient.names).items() if count > 1]
    if twice:
        yield Finding(
            kind="names twice",
            severity="note",
            sentence=f"Names that several joints share: {listed(twice)}; the first is meant where a name is asked for.",
            joint=twice[0],
        )


def pieces(patient: Patient) -> Iterator[Finding]:
    """Several roots that are body."""
    roots = [r for r in patient.motion.skeleton.roots if r in patient.solid]
    if len(roots) > 1:
        yield Finding(
            kind="several roots",
            severity="note",
            sentence=f"The skeleton is in {len(roots)} pieces: {listed([patient.names[r] for r in roots])}.",
        )


def size(patient: Patient) -> Iterator[Finding]:
    """A two-legged body with arms that is far from human size, or any body far from what walks the earth."""
    height = body_height(patient.motion)
    human = len(patient.body.legs) == 2 and len(patient.body.arms) == 2 and not patient.body.tail
    low, high = (1.0, 2.4) if human else (0.05, 12.0)
    if not low <= height <= high:
        what = "for a human" if human else "for a living thing"
        shown = f"{height:.3g} m" if height >= 0.1 else f"{1e3 * height:.3g} mm"
        yield Finding(
            kind="size",
            severity="note",
            sentence=f"It is {shown} tall, {'small' if height < low else 'large'} {what}; if that is not meant, say the unit (--unit).",
        )


def sides(patient: Patient) -> Iterator[Finding]:
    """Left and right, front and back that could not be told."""
    for note in patient.body.notes:
        if "would have it face the other way" in note or "guess" in note or "no legs" in note:
            yield Finding(kind="anatomy", severity="note", sentence=f"{note[0].upper()}{note[1:]}.")
