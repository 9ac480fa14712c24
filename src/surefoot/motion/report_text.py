"""A motion's report as a person reads it."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from surefoot.motion.report import MotionReport

WIDTH = 110
MOST_CLIPS = 40
MOST_JOINTS = 400


def report_text(report: MotionReport) -> str:
    """All of it, in sections."""
    sections = [_head(report)]
    if report.kind == "motion":
        sections.append(_body(report))
        sections.append(_movement(report))
    sections.append(_tree(report))
    if report.guesses:
        guesses = [
            f"  {g.what}: {g.value} ({100 * g.confidence:.0f} % sure: {g.why})" + (f"; {g.override} overrides it" if g.override else "")
            for g in report.guesses
        ]
        sections.append(["Guessed", *_wrapped(guesses)])
    trouble = [f"  ! {warning}" for warning in report.warnings]
    trouble += [f"  - {finding.sentence}" for finding in report.findings if finding.severity == "note"]
    if trouble:
        sections.append(["What looks wrong (!) or is good to know (-)", *_wrapped(trouble)])
    elif report.kind == "motion":
        sections.append(["Nothing looks wrong."])
    return "\n\n".join("\n".join(section) for section in sections if section)


def _head(report: MotionReport) -> list[str]:
    name = report.file or report.clip or "a motion in memory"
    if report.kind != "motion":
        return [f"{name}: no motion"]
    lines = [f"{name}: {_a_body(report)}, {report.duration_s:.2f} s at {report.fps:.4g} frames a second ({report.frames} frames)"]
    if len(report.clips) > 1:
        lines.append(f"  {len(report.clips)} clips; described is '{report.clip}':")
        wide = max(len(clip.name) for clip in report.clips[:MOST_CLIPS])
        for clip in report.clips[:MOST_CLIPS]:
            mark = "*" if clip.name == report.clip else " "
            lines.append(f"  {mark} {clip.name:<{wide}}  {clip.duration:6.2f} s  {clip.frames:5d} frames at {clip.fps:.4g}")
        if len(report.clips) > MOST_CLIPS:
            lines.append(f"    … and {len(report.clips) - MOST_CLIPS} more")
    return lines


def _a_body(report: MotionReport) -> str:
    """A body in a word or two."""
    legs = report.anatomy.split(" leg")[0] if " leg" in report.anatomy else "0"
    word = {"0": "a body without legs", "2": "a biped", "4": "a quadruped"}.get(legs, f"a body on {legs} legs")
    return f"{word} {_metres(report.height_m)} tall"


def _body(report: MotionReport) -> list[str]:
    unit = f"1 file unit = {report.unit_m:.4g} m" if report.unit_m != 1.0 else "in metres"
    even = "left and right match" if report.symmetric else "left and right do not match everywhere"
    tips = f" and {report.tips} tips" if report.tips else ""
    return [
        "Body",
        f"  {len(report.joints)} joints{tips}: {report.anatomy}; {even}",
        f"  {_metres(report.height_m)} tall, {unit}, up is {report.up_axis} in the file (Z here)",
    ]


def _movement(report: MotionReport) -> list[str]:
    low, high = report.trunk_height_m
    lines = ["Movement"]
    if report.in_place:
        lines.append(f"  walks on the spot; its feet imply {report.implied_speed_m_s:.2f} m/s (edit.give_travel adds that)")
    else:
        lines.append(
            f"  travels {_metres(report.travel_m)} (along a path of {_metres(report.path_m)}), at {report.speed_m_s:.2f} m/s on average, "
            f"{report.top_speed_m_s:.2f} at most"
        )
    if abs(report.turn_deg) >= 12.0:
        lines.append(f"  turns by {abs(report.turn_deg):.0f}° to the {'left' if report.turn_deg > 0 else 'right'}")
    lines.append(f"  the trunk is {_metres(low)} to {_metres(high)} high")
    if report.feet:
        stands = "; ".join(
            f"{foot.joint} {100 * foot.contact_share:.0f} % of the time" + (f" in {foot.contacts} contacts" if foot.contacts > 1 else "")
            for foot in report.feet
        )
        lines.append(f"  stands on {stands}" + (" (as the file says)" if report.contacts_from == "file" else ""))
        if report.airborne_share > 0.02:
            lines.append(f"  no foot stands {100 * report.airborne_share:.0f} % of the time")
    if report.cycle is not None:
        cycle = report.cycle
        whole = cycle.start <= 0.0 and cycle.end >= report.duration_s - 1e-6
        what = "the whole clip repeats" if whole else f"repeats from {cycle.start:.2f} to {cycle.end:.2f} s"
        lines.append(f"  {what}, every {cycle.duration:.2f} s ({100 * cycle.confidence:.0f} % sure: {cycle.why})")
    elif report.loop:
        lines.append("  the file says that it repeats, but its ends do not meet")
    else:
        lines.append("  no cycle was found in it")
    return _wrapped(lines)


def _tree(report: MotionReport) -> list[str]:
    if not report.tree:
        return []
    wide = min(max(2 * min(joint.depth, 20) + len(joint.name) for joint in report.tree[:MOST_JOINTS]), 60)
    lines = ["Joints" if report.kind == "motion" else "Nodes"]
    for joint in report.tree[:MOST_JOINTS]:
        name = "  " * min(joint.depth, 20) + joint.name
        lines.append(f"  {name:<{wide}}  {joint.part}".rstrip())
    if len(report.tree) > MOST_JOINTS:
        lines.append(f"  … and {len(report.tree) - MOST_JOINTS} more")
    return lines


def _metres(value: float) -> str:
    if abs(value) >= 0.995 or value == 0.0:
        return f"{value:.2f} m"
    return f"{100 * value:.0f} cm" if abs(value) >= 0.0995 else f"{1e3 * value:.0f} mm"


def _wrapped(lines: list[str]) -> list[str]:
    """Lines broken at WIDTH, what follows indented below its beginning."""
    out: list[str] = []
    for line in lines:
        indent = " " * (len(line) - len(line.lstrip(" !-*")))
        out += textwrap.wrap(line, WIDTH, subsequent_indent=indent + ("" if line[:4].strip() else "  "), break_long_words=False) or [line]
    return out
