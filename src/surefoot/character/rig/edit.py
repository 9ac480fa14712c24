"""Carrying out a person's edits on a blueprint (Wide band 4.3): delete, merge, another root, joints, shapes, masses.

With x_b, R_b the world place and rotation of body b at rest, a mirror plane with unit normal n turns a vector v into v - 2 (n.v) n and a
rotation's axis a into 2 (n.a) n - a. Hanging the tree from another root turns around every joint on the way: the joint between p and
its child c stays where it is, at c's origin, so that p's frame moves there and keeps its rotation.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from surefoot.character.blueprint import Blueprint, Body, Shape
from surefoot.character.rig.edits import BodyEdit, RigEdits
from surefoot.character.rig.ranges import WIDEST
from surefoot.character.servo import rest_transforms
from surefoot.errors import InputError, unknown_name
from surefoot.motion import quaternion

Array = NDArray[np.float64]
Point = tuple[float, float, float]
SOURCES = ("joints", "namesakes")
"""What a blueprint's source says of each body."""


def edit(blueprint: Blueprint, edits: RigEdits) -> Blueprint:
    """The blueprint with all edits carried out but those of mass (see `edited_masses`)."""
    known = [body.name for body in blueprint.bodies]
    named = [*edits.delete, *edits.merge, *edits.merge.values(), *edits.bodies, *([edits.root] if edits.root is not None else [])]
    for name in [*named, *(edits.end_effectors or ())]:
        if name not in known:
            raise unknown_name("body", name, known)
    both = _Mirror(blueprint, edits.symmetric)
    for name in dict.fromkeys(both.names(edits.delete)):
        blueprint = _delete(blueprint, name)
    for name, into in dict.fromkeys(both.pairs(edits.merge)):
        blueprint = _merge(blueprint, name, into)
    if edits.root is not None:
        blueprint = _reroot(blueprint, edits.root)
    left = {body.name for body in blueprint.bodies}
    for name, change in both.bodies(edits.bodies).items():
        if name in edits.bodies and name not in left:
            raise InputError(f"body '{name}' is both deleted (or merged) and edited; leave out one of the two.")
        if name in left:
            blueprint = _body(blueprint, name, change)
    ends = blueprint.end_effectors if edits.end_effectors is None else edits.end_effectors
    return blueprint.replace(end_effectors=tuple(name for name in ends if name in left))


def edited_masses(blueprint: Blueprint, edits: RigEdits) -> Blueprint:
    """The blueprint with the masses that the edits give; the rest makes up the whole, where its mass is given."""
    given = {name: change.mass_kg for name, change in _Mirror(blueprint, edits.symmetric).bodies(edits.bodies).items()}
    fixed = {body.name: mass for body in blueprint.bodies if (mass := given.get(body.name)) is not None}
    masses = {body.name: fixed.get(body.name, body.mass) for body in blueprint.bodies}
    if edits.mass_kg is not None and len(fixed) < len(masses):
        free = edits.mass_kg - sum(fixed.values())
        if free <= 0.0:
            raise InputError(f"mass_kg is {edits.mass_kg:g} and the bodies with a mass of their own weigh {sum(fixed.values()):g} already.")
        scale = free / sum(mass for name, mass in masses.items() if name not in fixed)
        masses = {name: mass if name in fixed else scale * mass for name, mass in masses.items()}
    return blueprint.replace(bodies=tuple(replace(body, mass=masses[body.name]) for body in blueprint.bodies))


def mirrored(change: BodyEdit, normal: Array) -> BodyEdit:
    """The same change on the other side of the body."""

    def point(v: Point | None) -> Point | None:
        return None if v is None else _point(np.asarray(v) - 2.0 * float(np.dot(v, normal)) * normal)

    def shape(s: Shape) -> Shape:
        turn = quaternion.log(s.rotation)
        center = s.center - 2.0 * float(s.center @ normal) * normal
        return replace(s, center=center, rotation=quaternion.exp(2.0 * float(turn @ normal) * normal - turn))

    axis = None if change.axis is None else _point(2.0 * float(np.dot(change.axis, normal)) * normal - np.asarray(change.axis))
    return replace(
        change,
        axis=axis,
        position=point(change.position),
        shapes=None if change.shapes is None else tuple(shape(s) for s in change.shapes),
        add_shapes=tuple(shape(s) for s in change.add_shapes),
        tips=None if change.tips is None else tuple(p for t in change.tips if (p := point(t)) is not None),
    )


class _Mirror:
    """Which other bodies an edit of one body reaches."""

    def __init__(self, blueprint: Blueprint, symmetric: bool) -> None:
        self.partners: Mapping[str, str] = blueprint.partners if symmetric else {}
        self.normal = sagittal(blueprint)

    def names(self, names: tuple[str, ...]) -> list[str]:
        return [other for name in names for other in (name, self.partners.get(name, name))]

    def pairs(self, pairs: Mapping[str, str]) -> list[tuple[str, str]]:
        out: dict[str, str] = dict(pairs)
        for a, b in pairs.items():
            out.setdefault(self.partners.get(a, a), self.partners.get(b, b))
        return list(out.items())

    def bodies(self, bodies: Mapping[str, BodyEdit]) -> dict[str, BodyEdit]:
        out = dict(bodies)
        for name, change in bodies.items():
            other = self.partners.get(name, name)
            if other not in out:
                out[other] = mirrored(change, self.normal)
        return out


def sagittal(blueprint: Blueprint) -> Array:
    """The unit vector from right to left at rest, world axes."""
    root = blueprint.bodies[0].rotation
    left = np.cross(quaternion.rotate(root, blueprint.up), quaternion.rotate(root, blueprint.forward))
    return np.asarray(left / np.linalg.norm(left))


def _delete(blueprint: Blueprint, name: str) -> Blueprint:
    gone: set[str] = set()
    for body in blueprint.bodies:
        if body.name == name or body.parent in gone:
            gone.add(body.name)
    if blueprint.bodies[0].name in gone:
        raise InputError(f"body '{name}' is the root and cannot be deleted; choose another root first.")
    return _kept(blueprint, tuple(body for body in blueprint.bodies if body.name not in gone))


def _merge(blueprint: Blueprint, name: str, into: str) -> Blueprint:
    """One body of two that are tied by a joint. The shapes stay where they are at rest."""
    a, b = blueprint.body(name), blueprint.body(into)
    if b.parent == name:
        # A parent merges into its child: the child's shapes join the parent, which takes the child's name.
        merged = _merge(blueprint, into, name)
        return _renamed(merged, name, into)
    if a.parent != into:
        tied = [body.name for body in blueprint.bodies if body.parent == name or body.name == a.parent]
        raise InputError(f"body '{name}' cannot be merged into '{into}': no joint ties them; it is tied to {', '.join(tied)}.")
    moved = tuple(_carried(shape, a.position, a.rotation) for shape in a.shapes)
    bodies = []
    for body in blueprint.bodies:
        if body.name == into:
            body = replace(body, shapes=(*body.shapes, *moved), mass=body.mass + a.mass, foot=body.foot or a.foot)
        elif body.parent == name:
            position = a.position + quaternion.rotate(a.rotation, body.position)
            body = replace(body, parent=into, position=position, rotation=quaternion.multiply(a.rotation, body.rotation))
        if body.name != name:
            bodies.append(body)
    tips = tuple((into, _point(a.position + quaternion.rotate(a.rotation, p))) if n == name else (n, p) for n, p in blueprint.tips)
    ends = tuple(dict.fromkeys(into if n == name else n for n in blueprint.end_effectors))
    return _kept(blueprint.replace(tips=tips, end_effectors=ends), tuple(bodies))


def _renamed(blueprint: Blueprint, old: str, new: str) -> Blueprint:
    def name(n: str) -> str:
        return new if n == old else n

    bodies = tuple(replace(b, name=name(b.name), parent=None if b.parent is None else name(b.parent)) for b in blueprint.bodies)
    kept = {key: {name(a): b for a, b in blueprint.source.get(key, {}).items()} for key in SOURCES if key in blueprint.source}
    return blueprint.replace(
        bodies=bodies,
        tips=tuple((name(n), p) for n, p in blueprint.tips),
        end_effectors=tuple(name(n) for n in blueprint.end_effectors),
        partners={**{name(a): name(b) for a, b in blueprint.partners.items()}, new: new},
        excludes=tuple((name(a), name(b)) for a, b in blueprint.excludes),
        source={**blueprint.source, **kept},
    )


def _reroot(blueprint: Blueprint, name: str) -> Blueprint:
    """The same bodies hanging from another one."""
    if name == blueprint.bodies[0].name:
        return blueprint
    positions, rotations = rest_transforms(blueprint)
    index = {body.name: i for i, body in enumerate(blueprint.bodies)}
    chain = [name]
    while (parent := blueprint.body(chain[-1]).parent) is not None:
        chain.append(parent)
    bodies = {body.name: body for body in blueprint.bodies}
    new_root = bodies[name]
    shift: dict[str, Array] = {}
    for child, parent in itertools.pairwise(chain):
        tie, hung = blueprint.body(child), bodies[parent]
        shift[parent] = tie.position  # the joint's place in the parent's frame, now its origin
        axis = None if tie.axis is None else -quaternion.rotate(tie.rotation, tie.axis)
        bodies[parent] = replace(
            hung,
            parent=child,
            position=-shift[child] if child in shift else np.zeros(3),
            rotation=quaternion.conjugate(tie.rotation),
            joint=tie.joint,
            axis=axis,
            limits=tie.limits,
            shapes=tuple(replace(s, center=s.center - tie.position) for s in hung.shapes),
        )
    root = replace(new_root, parent=None, joint="free", axis=None, limits=(0.0, np.pi))
    bodies[name] = replace(root, position=positions[index[name]], rotation=rotations[index[name]])
    for body in blueprint.bodies:
        if body.parent in shift and body.name not in chain:
            bodies[body.name] = replace(bodies[body.name], position=body.position - shift[body.parent])
    tips = tuple((n, _point(np.asarray(p) - shift[n]) if n in shift else p) for n, p in blueprint.tips)
    turn = quaternion.multiply(quaternion.conjugate(rotations[index[name]]), rotations[0])
    return blueprint.replace(
        bodies=_parents_first(bodies, name),
        tips=tips,
        forward=quaternion.rotate(turn, blueprint.forward),
        up=quaternion.rotate(turn, blueprint.up),
    )


def _parents_first(bodies: Mapping[str, Body], root: str) -> tuple[Body, ...]:
    children: dict[str, list[str]] = {name: [] for name in bodies}
    for body in bodies.values():
        if body.parent is not None:
            children[body.parent].append(body.name)
    order, stack = [], [root]
    while stack:
        name = stack.pop()
        order.append(bodies[name])
        stack.extend(reversed(children[name]))
    return tuple(order)


def _body(blueprint: Blueprint, name: str, change: BodyEdit) -> Blueprint:
    index = [body.name for body in blueprint.bodies].index(name)
    body = blueprint.bodies[index]
    frame = rest_transforms(blueprint)[1][index]
    inverse = quaternion.conjugate(frame)

    def local(shape: Shape) -> Shape:
        return replace(shape, center=quaternion.rotate(inverse, shape.center), rotation=quaternion.multiply(inverse, shape.rotation))

    body = _joint(body, change, inverse)
    shapes = list(body.shapes) if change.shapes is None else [local(s) for s in change.shapes]
    beyond = [n for n in change.remove_shapes if n >= len(shapes)]
    if beyond:
        raise InputError(f"body '{name}' has {len(shapes)} shapes, numbered from 0; there is no shape {beyond[0]} to remove.")
    shapes = [s for n, s in enumerate(shapes) if n not in change.remove_shapes] + [local(s) for s in change.add_shapes]
    if not shapes:
        raise InputError(f"body '{name}' would have no shape left; a body needs one to have a mass. Delete or merge the body instead.")
    if change.scale is not None:
        shapes = [replace(s, size=tuple(change.scale * x for x in s.size)) for s in shapes]
    foot = body.foot if change.foot is None else change.foot
    position = body.position
    if change.position is not None and body.parent is not None:
        parent = [b.name for b in blueprint.bodies].index(body.parent)
        position = quaternion.rotate(quaternion.conjugate(rest_transforms(blueprint)[1][parent]), change.position)
    tips = blueprint.tips
    if change.tips is not None:
        tips = (*((n, p) for n, p in tips if n != name), *((name, _point(quaternion.rotate(inverse, t))) for t in change.tips))
    bodies = list(blueprint.bodies)
    bodies[index] = replace(body, shapes=tuple(shapes), foot=foot, position=position)
    return blueprint.replace(bodies=tuple(bodies), tips=tips)


def _joint(body: Body, change: BodyEdit, inverse: Array) -> Body:
    kind = change.joint or body.joint
    if body.joint == "free":
        if change.joint is not None or change.axis is not None or change.limits_deg is not None:
            raise InputError(f"body '{body.name}' is the root: it floats freely and has no joint to edit.")
        return body
    low, high = body.limits
    if kind == "ball":
        if change.axis is not None:
            raise InputError(f'body \'{body.name}\' turns like a ball and has no axis; say "joint": "hinge" to give it one.')
        high = max(-low, high)
        if change.limits_deg is not None:
            high = float(np.radians(max(abs(x) for x in change.limits_deg)))
        return replace(body, joint="ball", axis=None, limits=(0.0, min(high, WIDEST)))
    axis = body.axis if change.axis is None else quaternion.rotate(inverse, change.axis)
    if axis is None:
        raise InputError(f"body '{body.name}' becomes a hinge and needs an axis: \"axis\": [x, y, z], world axes in the rest pose.")
    if change.limits_deg is not None:
        low, high = (float(np.radians(x)) for x in change.limits_deg)
    elif body.joint == "ball":
        low = -high
    if not low <= 0.0 <= high:
        raise InputError(f"body '{body.name}': limits must hold 0, the rest pose; got {np.degrees(low):.0f} to {np.degrees(high):.0f}.")
    return replace(body, joint="hinge", axis=axis, limits=(low, high))


def _carried(shape: Shape, position: Array, rotation: Array) -> Shape:
    center = position + quaternion.rotate(rotation, shape.center)
    return replace(shape, center=center, rotation=quaternion.multiply(rotation, shape.rotation))


def _kept(blueprint: Blueprint, bodies: tuple[Body, ...]) -> Blueprint:
    """A blueprint with fewer bodies, and nothing left that names the others."""
    names = {body.name for body in bodies}
    kept = {key: {a: b for a, b in blueprint.source.get(key, {}).items() if a in names} for key in SOURCES if key in blueprint.source}
    return blueprint.replace(
        bodies=bodies,
        end_effectors=tuple(n for n in blueprint.end_effectors if n in names),
        partners={a: b for a, b in blueprint.partners.items() if a in names and b in names},
        tips=tuple((n, p) for n, p in blueprint.tips if n in names),
        gains={n: g for n, g in blueprint.gains.items() if n in names},
        excludes=tuple((a, b) for a, b in blueprint.excludes if a in names and b in names),
        source={**blueprint.source, **kept},
    )


def _point(vector: Array) -> Point:
    return float(vector[0]), float(vector[1]), float(vector[2])
