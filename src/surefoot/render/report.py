"""A page about a bundle: what it was to do and did, side by side in pictures and over time.

    pictures    frames of the performance, the reference a ghost
    error       root height, root rotation and joints away from the reference, with the limits of success
    cost        the terms of the cost at the end of every fragment
    torque      each joint's servo torque as a part of its limit

The policy is played once more; the page is one HTML file that needs nothing else.
"""

from __future__ import annotations

import base64
import html
import io
from dataclasses import dataclass
from pathlib import Path

import mujoco
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from surefoot.bundle import Bundle, player
from surefoot.motion.files import atomic_write
from surefoot.policy.success import HEIGHT, JOINTS, ROTATION, SuccessRule
from surefoot.render.charts import Line, chart
from surefoot.render.render import RenderConfig, pictures

Array = NDArray[np.float64]

MINUTE = 60.0
"""No more of a performance is shown [s]."""
PICTURES = 10
BUSIEST = 6
"""Joints whose torque is drawn."""

STYLE = """body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:64rem;padding:0 1rem;color:#1c2430}
h1{font-size:1.5rem;margin-bottom:.2rem}h2{font-size:1.1rem;margin:2rem 0 .3rem}p{margin:.3rem 0}
table{border-collapse:collapse}td,th{padding:.15rem .9rem .15rem 0;text-align:left}img,svg{max-width:100%;height:auto}
.no{color:#b3261e}.yes{color:#1a7f37}"""


@dataclass(frozen=True, eq=False, kw_only=True)
class Replay:
    """What a policy did, period by period."""

    times: Array  # (T,) [s]
    position: Array  # (T, B, 3)
    rotation: Array  # (T, B, 4)
    torque: dict[str, Array]
    """By joint (T,), parts of the limit."""


def write_report(bundle: Bundle, path: str | Path) -> None:
    """Write the page."""
    atomic_write(path, report_html(bundle).encode())


def report_html(bundle: Bundle) -> str:
    """The page as HTML."""
    seconds = min(bundle.reference.duration, MINUTE)
    done = replay(bundle, seconds)
    verdict = {True: '<b class="yes">performed</b>', False: '<b class="no">not performed</b>', None: "not judged yet"}[bundle.success]
    facts = [(key.replace("_", " "), value) for key, value in sorted(bundle.result.items()) if isinstance(value, int | float | str)]
    rows = "".join(f"<tr><th>{html.escape(name)}</th><td>{html.escape(_said(value))}</td></tr>" for name, value in facts)
    parts = [
        f"<h1>{html.escape(bundle.name)}</h1>",
        f"<p>{html.escape(bundle.method)}: {verdict}. {html.escape(str(bundle.result.get('status', '')))}</p>",
        "<h2>What it did, the reference a ghost</h2>",
        f'<img alt="Frames of the performance, the reference a ghost" src="data:image/png;base64,{_sheet(bundle, seconds)}">',
        "<h2>Away from the reference</h2>",
        *_errors(bundle, done),
    ]
    cost = {name.removeprefix("cost/"): np.asarray(curve) for name, curve in bundle.curves.items() if name.startswith("cost/")}
    if cost:
        length = max(len(curve) for curve in cost.values())
        ends = np.minimum((np.arange(length) + 1) * bundle.reference.duration / length, bundle.reference.duration)
        parts += ["<h2>Terms of the cost, as they are weighted, at the end of every fragment</h2>"]
        parts += [chart([Line(name=name, x=ends[: len(curve)], y=curve) for name, curve in cost.items()], x="s", y="")]
    busy = sorted(done.torque, key=lambda name: -float(np.mean(done.torque[name])))[:BUSIEST]
    if busy:
        parts += ["<h2>Torque, as a part of the servo's limit: the joints that work hardest</h2>"]
        parts += [chart([Line(name=name, x=done.times, y=done.torque[name]) for name in busy], x="s", y="of the limit")]
    parts += ["<h2>Figures</h2>", f"<table>{rows}</table>"]
    title = html.escape(bundle.name)
    return f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title><style>{STYLE}</style>{"".join(parts)}</html>\n'


def replay(bundle: Bundle, seconds: float) -> Replay:
    """The policy played once more."""
    playing = player(bundle)
    engine, character = playing.engine, bundle.character
    model = engine.model
    data = mujoco.MjData(model)
    driven = [a for a in range(model.nu) if model.actuator_forcelimited[a]]
    limits = np.abs(model.actuator_forcerange[driven]).max(axis=1)
    joints = [model.joint(int(model.actuator_trnid[a, 0])).name for a in driven]
    rows, loads = [np.array(engine.state[0])], []
    for _ in range(int(np.ceil(seconds / bundle.policy.period - 1e-6))):
        playing.advance(bundle.policy.period)
        if playing.lost:
            break
        rows.append(np.array(engine.state[0]))
    for row in rows:
        data.qpos[:], data.qvel[:] = row[engine.layout.qpos], row[engine.layout.qvel]
        data.ctrl[:] = row[engine.layout.ctrl]
        mujoco.mj_forward(model, data)
        loads.append(np.abs(data.actuator_force[driven]) / limits)
    load = np.array(loads)
    torque: dict[str, Array] = {}
    for a, name in enumerate(joints):
        torque[name] = np.maximum(torque.get(name, np.zeros(len(load))), load[:, a])
    position, rotation = character.world(np.array(rows)[:, engine.layout.qpos][:, : character.model.nq])
    times = np.minimum(np.arange(len(rows)) * bundle.policy.period, seconds)
    return Replay(times=times, position=position, rotation=rotation, torque=torque)


def _errors(bundle: Bundle, done: Replay) -> list[str]:
    """Charts of the errors that success is judged by."""
    rule = SuccessRule(bundle.reference, done.times, bundle.scene)
    found = rule.errors(done.position, done.rotation)
    size = rule.size
    return [
        chart([Line(name="root height", x=done.times, y=found.height)], x="s", y="m", limit=HEIGHT * size),
        chart([Line(name="root rotation", x=done.times, y=found.rotation)], x="s", y="rad", limit=ROTATION),
        chart([Line(name="joints, mean, root-relative", x=done.times, y=found.joints)], x="s", y="m", limit=JOINTS * size),
    ]


def _sheet(bundle: Bundle, seconds: float) -> str:
    """Frames at equal steps, as a PNG in base64."""
    frames = pictures(bundle, np.linspace(0.0, seconds, PICTURES), (300, 320), RenderConfig())
    rows = [np.concatenate(frames[k : k + PICTURES // 2], axis=1) for k in range(0, PICTURES, PICTURES // 2)]
    out = io.BytesIO()
    Image.fromarray(np.concatenate(rows, axis=0)).save(out, "PNG", optimize=True)
    return base64.b64encode(out.getvalue()).decode()


def _said(value: int | float | str) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
