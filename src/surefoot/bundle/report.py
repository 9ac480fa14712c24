"""What is in a bundle, for people and as JSON: the keys of a motion's report, and what was learned."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from surefoot.bundle.bundle import Bundle, load
from surefoot.character.report import CharacterReport
from surefoot.errors import InputError
from surefoot.feedback.policy import LinearFeedback
from surefoot.feedback.readable import Readable, readable


@dataclass(frozen=True, kw_only=True)
class BundleReport:
    """A description of a bundle."""

    bundle: Bundle

    def feedback(self) -> Readable | None:
        """The gains of linear feedback with names; None where the policy is something else."""
        policy = self.bundle.policy
        return readable(policy, self.bundle.character) if isinstance(policy, LinearFeedback) else None

    def plot(self, path: str | Path) -> None:
        """Write the heat map of the gains as .png."""
        from io import BytesIO

        from surefoot.feedback.heatmap import heatmap
        from surefoot.motion.files import atomic_write

        read = self.feedback()
        if read is None:
            raise InputError(f"{self.bundle.name} is '{self.bundle.policy.kind}', which has no gains to plot; learn it first.")
        file = BytesIO()
        heatmap(read, self.bundle.name).save(file, "PNG")
        atomic_write(path, file.getvalue())

    def to_json(self) -> dict[str, Any]:
        """The description as JSON values."""
        bundle, source = self.bundle, self.bundle.motion.source if self.bundle.motion is not None else None
        reference, done = bundle.reference, bundle.performance
        clips = [("reference", reference.duration, reference.frame_time, len(reference.qpos))]
        if done is not None:
            clips.append(("performance", done.duration, done.frame_time, len(done.qpos)))
        return {
            "kind": "bundle",
            "name": bundle.name,
            "clips": [{"name": n, "duration_s": d, "fps": 1.0 / step, "frames": frames} for n, d, step, frames in clips],
            "joints": list(bundle.character.skeleton.names),
            "height_m": bundle.character.height,
            "up_axis": "Z",
            "unit_m": 1.0,
            "guesses": [],
            "warnings": [],
            "method": bundle.method,
            "policy": bundle.policy.kind,
            "numbers": bundle.numbers,
            "success": bundle.success,
            "feedback": None if (read := self.feedback()) is None else read.to_json(),
            "turns": getattr(bundle.policy, "turn", None) is not None,
            "cycle": reference.cycle,
            "seed": bundle.seed,
            "config": bundle.config,
            "result": bundle.result,
            "curves": {name: curve.tolist() for name, curve in bundle.curves.items()},
            "versions": bundle.versions,
            "scene": bundle.scene.to_json(),
            "mass_kg": bundle.character.mass,
            "source": {
                "file": source.file if source is not None else "",
                "clip": source.clip if source is not None else "",
                "sha256": bundle.sha256,
                "joints": list(bundle.motion.skeleton.names) if bundle.motion is not None else [],
                "carried_bytes": len(bundle.file),
            },
        }

    def text(self) -> str:
        """The description for a person."""
        bundle, said = self.bundle, self.to_json()
        verdict = {True: "it succeeded", False: "it did not succeed", None: "nobody has judged it yet"}[bundle.success]
        clip = f"#{said['source']['clip']}" if said["source"]["clip"] else ""
        origin = said["source"]["file"] and f" of {said['source']['file']}{clip}"
        lines = [
            f"{bundle.name}: a bundle{origin}",
            f"  method      {bundle.method}; {verdict}",
            f"  policy      {bundle.policy.kind}, {bundle.numbers} numbers, every {1e3 * bundle.policy.period:.0f} ms",
            f"  reference   {bundle.reference.duration:.2f} s{', a cycle' if bundle.reference.cycle else ''}",
        ]
        if bundle.performance is not None:
            lines.append(f"  performance {bundle.performance.duration:.2f} s of simulation")
        if bundle.motion is not None:
            mesh = f", with its file of {len(bundle.file) / 1e6:.1f} MB" if bundle.file else ""
            lines.append(f"  source      {bundle.motion.skeleton.num_joints} joints{mesh}; sha256 {bundle.sha256[:12] or 'unknown'}")
        lines += [
            f"  {key:<11} {value}" for key, value in sorted(bundle.result.items()) if isinstance(value, int | float | str) and value != ""
        ]
        if getattr(bundle.policy, "turn", None) is not None:
            lines.append("  turns       it obeys a turn rate")
        read = self.feedback()
        if read is not None:
            lines += ["", read.text(), ""]
        made = ", ".join(f"{name} {version}" for name, version in sorted(bundle.versions.items()))
        return "\n".join([*lines, f"  made with   {made}; seed {bundle.seed}", "", CharacterReport.of(bundle.character).text()])


def report(file: str | Path | Bundle) -> BundleReport:
    """The description of a bundle, or of the one in a file."""
    return BundleReport(bundle=file if isinstance(file, Bundle) else load(file))
