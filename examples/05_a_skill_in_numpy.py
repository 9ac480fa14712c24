"""A learned skill in NumPy and MuJoCo, from `surefoot export walk.surefoot --out policy.json`: our player's states, bit for bit.
python 05_a_skill_in_numpy.py policy.json [seconds [degrees/s of turn]] writes time, qpos and qvel after every period to states.npy."""

import json
import sys
from pathlib import Path

import mujoco
import numpy as np


def times(a, b):  # of quaternions
    (w, x, y, z), (v, i, j, k) = np.moveaxis(a, -1, 0), np.moveaxis(b, -1, 0)
    out = w * v - x * i - y * j - z * k, w * i + x * v + y * k - z * j, w * j - x * k + y * v + z * i, w * k + x * j - y * i + z * v
    return np.stack(out, -1)


def exp(v):
    half = 0.5 * np.linalg.norm(v, axis=-1, keepdims=True)
    return np.concatenate([np.cos(half), 0.5 * v * np.sinc(half / np.pi)], -1)


def log(q, near, far):  # of equal rotation vectors the one nearest to another, not further than `far`
    q = np.where(q[..., :1] < 0, -q, q)
    sine = np.linalg.norm(q[..., 1:], axis=-1, keepdims=True)
    v = q[..., 1:] * np.where(sine < 1e-12, 2, 2 * np.arctan2(sine, q[..., :1]) / np.maximum(sine, 1e-12))
    angle = np.linalg.norm(v, axis=-1, keepdims=True)
    axis = v / np.maximum(angle, 1e-9)
    turns = np.where(angle < 1e-9, 0, np.round((np.sum(near * axis, -1, keepdims=True) - angle) / (2 * np.pi)))
    return np.where(np.abs(angle + 2 * np.pi * turns) > far, v, v + 2 * np.pi * turns * axis)


def features(data, k):  # what the feedback of fragment k sees, in the frame that faces where the body faces
    mujoco.mj_forward(model, data)  # subtree velocities with it, which the model's sensors ask for
    root = data.body(p["root"])
    com, to = data.subtree_com[root.id], p["facing"]
    w, x, y, z = front = times(root.xquat, np.array(to["front"]))
    x, y, up, down = x / to["scale"], y / to["scale"], w * w + z * z, (x / to["scale"]) ** 2 + (y / to["scale"]) ** 2
    part, side = down / (up + down), to["sideways"]
    real = (w * w - z * z) + part * (-side * (w * y + z * x) - (x * x - y * y))
    imaginary = 2 * w * z + part * (side * (w * x - z * y) - 2 * x * y)
    c, s = np.array([real, imaginary]) / np.sqrt(real * real + imaginary * imaginary)
    big = np.sqrt(0.5 * (1 + abs(c)))
    small = 0.5 * abs(s) / big
    half = np.array([big if c >= 0 else small, 0, 0, -np.copysign(small if c >= 0 else big, s)])
    feet = [sum(m * data.body(body).xipos for body, m in zip(foot["bodies"], foot["weights"], strict=True)) for foot in p["feet"]]
    v = np.array([com - root.xpos, root.subtree_linvel, *[foot - com for foot in feet], root.subtree_angmom])
    faced = np.stack([c * v[:, 0] + s * v[:, 1], c * v[:, 1] - s * v[:, 0], v[:, 2]], -1)
    return np.concatenate([log(times(half, front), p["tilts"][k], np.inf)[:2], root.xpos[2:], faced[0, :2], com[2:], faced[1:].ravel()])


file, seconds, rate = (*sys.argv[1:], *("policy.json", "2", "0")[len(sys.argv) - 1 :])
if len(sys.argv) == 1:  # a run that is hardly learned, and soon falls
    from surefoot.cli.main import main

    main(["learn", "humanoid/run", "--out", "run.surefoot", "--samples=12", "--rounds=1", "--warm-up=2", "--iterations=2", "--horizon=3"])
    main(["export", "run.surefoot", "--out", file])
p = json.loads(Path(file).read_text())
p |= {name: np.array(p[name]) for name in ("gain", "center", "action", "tilts", "reference", "turn")}
model = mujoco.MjModel.from_xml_string(p["model"]["xml"])
data, seen, states, balls = mujoco.MjData(model), mujoco.MjData(model), [], np.array(p["balls"], dtype=int).reshape(-1, 3)
data.qpos[:], data.qvel[:], data.ctrl[:] = (p["start"][name] for name in ("qpos", "qvel", "ctrl"))
last, back, steps, asked = p["edges"][-1], p["edges"][p["again"]], p["substeps"], np.radians(float(rate))
for n in range(round(float(seconds) / p["period_s"])):
    at = n if n < last else back + (n - back) % (last - back)
    if at in p["edges"]:  # a fragment begins
        k, seen.qpos[:], seen.qvel[:] = p["edges"].index(at), data.qpos, data.qvel
        feedback = np.einsum("ndf,nf->nd", p["gain"][k][None], (features(seen, k) - p["center"][k])[None])[0]
        action = feedback + p["action"][k] + (np.interp(asked, *p["answers"]) if p["answers"] else asked) * p["turn"][k]
    offset, base, held = np.zeros(model.nu), p["reference"][at], data.ctrl.copy()
    offset[p["columns"]] = action
    target, turn, before = base + offset, offset[balls], base[balls]
    target[balls] = np.where(np.any(turn != 0, -1, keepdims=True), log(times(exp(turn), exp(before)), before, 1.5 * np.pi), before)
    for i in range(1, steps + 1):  # reached linearly
        data.ctrl[:] = target if i == steps else held + i / steps * (target - held)
        mujoco.mj_step(model, data)
    states.append([data.time, *data.qpos, *data.qvel])
np.save("states.npy", states)
print(f"{states[-1][0]:.2f} s, root at ({states[-1][1]:.2f}, {states[-1][2]:.2f}, {states[-1][3]:.2f}) m; wrote states.npy")
