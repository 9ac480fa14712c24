"""The dinosaur walks from a standstill: it shifts its weight to the right, falls into a short first step, and waddles at 1.0 m/s from the
third step on. Head, hips and tail swing against each other, each joint of the tail a little later than the one before."""

from __future__ import annotations

from surefoot.material.keyframes import Keys, Pose, Score, Value, both, score

LANDS = (0.95, 1.47, 1.97, 2.47, 2.97, 3.47, 3.97)
"""When a foot lands [s]: left, right, left, ...; half a second apart once it walks."""
PLACES = (0.22, 0.66, 1.16, 1.66, 2.16, 2.66, 3.16)
"""How far ahead of the stand each lands [m]; half a metre apart once it walks."""
END = LANDS[5]
"""The motion ends in the middle of walking [s]; the step after it only shapes the splines."""
SWING, OUT, STAND = 0.40, 0.135, -0.08
"""A foot's time in the air [s], its distance from the midline and where it stands at first [m]."""


def walk() -> Score:
    """Stand, lean (0.45 s), six steps, the last foot lands at the end."""
    return score(_trunk(), _arms(), _feet("left", 0), _feet("right", 1), until=END)


def _trunk() -> Keys:
    keys: list[tuple[float, Pose]] = [
        (0.00, _body((0.00, 0.000, 0.775), 0.0, 0.0)),
        (0.20, _body((-0.01, -0.015, 0.765), 0.0, -0.2)),
        (0.45, _body((0.03, -0.075, 0.760), 0.5, -1.0, bend=4.0)),
        (0.72, _body((0.10, -0.070, 0.775), 0.9, -0.6, bend=5.0)),
    ]
    for step, (land, place) in enumerate(zip(LANDS, PLACES, strict=True)):
        side = 1.0 if step % 2 == 0 else -1.0  # +1: the left foot has landed
        back = PLACES[step - 1] if step else 0.0
        x = 0.02 + 0.5 * (place + back)
        keys.append((land, _body((x, side * 0.012, 0.752), side, -0.25 * side, bend=3.0, nod=3.0)))
        if step + 1 < len(LANDS):
            later = LANDS[step + 1] - land
            gain = 0.5 * (PLACES[step + 1] - back)
            keys.append((land + 0.30 * later, _body((x + 0.28 * gain, side * 0.050, 0.764), 0.55 * side, side, bend=2.0, nod=4.0)))
            keys.append((land + 0.62 * later, _body((x + 0.60 * gain, side * 0.052, 0.796), -0.35 * side, side, bend=0.0, nod=-4.0)))
    return keys


def _body(root: Value, turn: float, lean: float, bend: float = 0.0, nod: float = 0.0) -> Pose:
    """Hips turned against and leaning with the standing foot; `turn` and `lean` in [-1, 1] are positive for the left one."""
    return {
        "root": root,
        "pelvis": (bend, 5.0 * lean, -9.0 * turn),
        "chest": (0.5 * nod, 1.0 * lean, 10.0 * turn),
        "neck": (1.2 * nod - 0.5 * bend, -3.0 * lean, 4.0 * turn),
        "head": (-1.7 * nod - 0.5 * bend, -3.0 * lean, -5.0 * turn),
        "jaw": (3.0 + 0.8 * abs(nod),),
        "tail_1": (2.0 - 0.4 * nod, 0.0, 9.0 * turn + 2.0 * lean),
        "tail_2": (0.0, 0.0, 7.0 * turn + 7.0 * lean),
        "tail_3": (-2.0 + 0.6 * nod, 0.0, 3.0 * turn + 10.0 * lean),
        "tail_4": (-4.0 + 1.0 * nod, 0.0, -2.0 * turn + 12.0 * lean),
    }


def _arms() -> Keys:
    """They dangle, each a little forward when the other side's foot lands."""
    keys: list[tuple[float, Pose]] = []
    swings = [(0.0, 0.0), (0.5, 0.0), *((land, 14.0 if step % 2 == 0 else -14.0) for step, land in enumerate(LANDS))]
    for time, swing in swings:
        keys.append((time, {"left_shoulder": (6 - swing, 4, 0), "right_shoulder": (6 + swing, 4, 0), **both(elbow=(10,))}))
    return keys


def _feet(side: str, first: int) -> Keys:
    foot = f"{side}_foot"
    here = STAND
    keys: list[tuple[float, Pose]] = [(0.0, {foot: (here, OUT, 0, 0, 0, 4)})]
    for land, place in list(zip(LANDS, PLACES, strict=True))[first::2]:
        there, leave = STAND + place, land - SWING
        far = there - here
        keys += [
            (leave - 0.18, {foot: (here, OUT, 0, 0, 0, 4)}),
            (leave - 0.02, {foot: (here, OUT, 0, 34, 4, 4)}),
            (leave + 0.07, {foot: (here + 0.10 * far, OUT, 0.05, 34, 26, 4)}),
            (leave + 0.20, {foot: (here + 0.52 * far, OUT - 0.01, 0.12, 18, 14, 4)}),
            (land - 0.08, {foot: (here + 0.96 * far, OUT, 0.06, 0, -8, 4)}),
            (land, {foot: (there, OUT, 0, -7, 0, 4)}),
            (land + 0.05, {foot: (there, OUT, 0, 0, 0, 4)}),
        ]
        here = there
    return keys
