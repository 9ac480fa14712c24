"""The node tree of a glTF file, and which of its nodes are joints.

World transforms are kept exactly as 3 x 3 matrices L and positions p, so that any scale on the way is in them:

    L_n = L_parent(n) R_n S_n            p_n = p_parent(n) + L_parent(n) t_n

With a skin, joints are all joints of all skins, the nodes that some clip moves, and the nodes between those; what stands still
above them (an armature with a scale of 300) is part of the roots' world transform. Without a skin every node of the scene is one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from surefoot.errors import InputError
from surefoot.motion import quaternion
from surefoot.motion.gltf_load import Document, Tree
from surefoot.motion.limits import MAX_DEPTH, MAX_JOINTS, check_count
from surefoot.motion.skeleton import topological

Array = NDArray[np.float64]
MAX_NODES = 65536

BONE_END = re.compile(r"([_. -]|^)(end|nub|tip|leaf|end[_ ]?site)([_.]?(end|\d+|[lr]))*$", re.IGNORECASE)
"""Names that exporters give to the far end of a bone."""


@dataclass
class Nodes:
    """All nodes of a file: names, parents, and default transforms read on demand."""

    document: Document
    items: list[Tree]
    names: list[str]
    parents: list[int]
    order: list[int]
    """Every node, parents first."""
    defaults: dict[int, tuple[Array, Array, Array, Array]] = field(default_factory=dict)

    def local(self, node: int) -> tuple[Array, Array, Array, Array]:
        """A node's default translation (3,), rotation (4,), scale (3,) and L (3, 3)."""
        if node not in self.defaults:
            self.defaults[node] = self._read(node)
        return self.defaults[node]

    def _read(self, node: int) -> tuple[Array, Array, Array, Array]:
        tree, where = self.items[node], f"nodes[{node}]"
        if "matrix" in tree:
            matrix = self.document.floats(tree, "matrix", where, tuple(np.eye(4).ravel())).reshape(4, 4).T
            rotation, scale = decompose(matrix[:3, :3])
            return matrix[:3, 3], rotation, scale, matrix[:3, :3]
        translation = self.document.floats(tree, "translation", where, (0.0, 0.0, 0.0))
        x, y, z, w = self.document.floats(tree, "rotation", where, (0.0, 0.0, 0.0, 1.0))
        scale = self.document.floats(tree, "scale", where, (1.0, 1.0, 1.0))
        rotation = quaternion.normalize([w, x, y, z])
        return translation, rotation, scale, quaternion.to_matrix(rotation) * scale


def decompose(matrix: Array) -> tuple[Array, Array]:
    """The rotation (4,) and scale (3,) of a 3 x 3 matrix; the first axis carries a mirroring, a shear is lost."""
    scale = np.linalg.norm(matrix, axis=0)
    if np.any(scale < 1e-12 * max(scale.max(), 1e-300)):
        return np.array(quaternion.IDENTITY), scale
    if np.linalg.det(matrix / scale) < 0.0:
        scale[0] = -scale[0]
    u, _, v = np.linalg.svd(matrix / scale)
    return quaternion.from_matrix(u @ v), scale


def read_nodes(document: Document) -> Nodes:
    """The nodes of a file; an error when they form no forest."""
    items = document.items("nodes")
    if not items:
        raise document.fail("it has no nodes, so there is nothing that could move.")
    try:
        check_count("nodes", len(items), MAX_NODES)
    except InputError as error:
        raise document.fail(str(error)) from None
    parents = [-1] * len(items)
    for i, item in enumerate(items):
        for child in document.indices(item, "children", f"nodes[{i}]", len(items)):
            if parents[child] >= 0:
                raise document.fail(f"node {child} hangs below two nodes, {parents[child]} and {i}; glTF nodes form a tree.")
            parents[child] = i
    names = []
    for i, item in enumerate(items):
        name = item.get("name")
        # Half of a surrogate pair can stand in JSON, but in no file that we write.
        names.append(name.encode("utf-8", "replace").decode("utf-8") if isinstance(name, str) and name.strip() else f"node_{i}")
    if all(p < i for i, p in enumerate(parents)):
        return Nodes(document, items, names, parents, list(range(len(items))))
    try:
        order = topological(parents)
    except InputError:
        raise document.fail("its nodes form a cycle: some hang below themselves.") from None
    return Nodes(document, items, names, parents, order)


def scene_nodes(nodes: Nodes, joints: list[int]) -> list[bool]:
    """Whether each node belongs to a tree of the default scene, or to a tree with a skin's joint."""
    document = nodes.document
    scenes = document.items("scenes")
    top = list(range(len(nodes.items)))
    for n in nodes.order:
        if nodes.parents[n] >= 0:
            top[n] = top[nodes.parents[n]]
    if scenes:
        shown = document.whole(document.tree, "scene", "glTF", 0, len(scenes))
        wanted = {top[n] for n in document.indices(scenes[shown], "nodes", f"scenes[{shown}]", len(nodes.items))}
    else:
        wanted = set(top)
    wanted |= {top[n] for n in joints}
    return [top[n] in wanted for n in range(len(nodes.items))]


def choose_joints(nodes: Nodes, moved: set[int]) -> tuple[list[int], list[int], list[int]]:
    """The nodes that are joints (parents first), those that are bone ends, and the moving ones left out (cameras, lights)."""
    document = nodes.document
    skins = document.items("skins")
    skinned = sorted({n for i, skin in enumerate(skins) for n in document.indices(skin, "joints", f"skins[{i}]", len(nodes.items))})
    inside = scene_nodes(nodes, skinned)
    if not skinned:
        kept = [n for n in nodes.order if inside[n]] or list(nodes.order)
        return _checked(nodes, kept), [], []
    chosen = set(skinned)
    below = _with_ancestors(nodes, chosen)
    watching = {n for n in moved if n not in below and _is_view(nodes.items[n])}
    chosen |= {n for n in moved if inside[n]} - watching
    below = _with_ancestors(nodes, chosen)
    above: set[int] = set()
    for n in nodes.order:  # a node under a joint
        if nodes.parents[n] in chosen or nodes.parents[n] in above:
            above.add(n)
    joints = chosen | (above & below)
    ends = [
        n
        for n in nodes.order
        if n not in joints and nodes.parents[n] in joints and not nodes.items[n].get("children") and _is_empty(nodes.items[n])
        if BONE_END.search(nodes.names[n]) or tip_name(nodes.items[n]) is not None
    ]
    return _checked(nodes, [n for n in nodes.order if n in joints]), ends, sorted(watching)


def tip_name(item: Tree) -> str | None:
    """The name that our own writer left beside a bone's far end, "" when it had none; None at other nodes."""
    extras = item.get("extras")
    if not isinstance(extras, dict) or extras.get("bone_end") != 1:
        return None
    said = extras.get("tip", "")
    return said.encode("utf-8", "replace").decode("utf-8") if isinstance(said, str) else ""


def _is_view(item: Tree) -> bool:
    """Whether a node is a camera or a light."""
    extensions = item.get("extensions")
    return "camera" in item or (isinstance(extensions, dict) and "KHR_lights_punctual" in extensions)


def _is_empty(item: Tree) -> bool:
    return not _is_view(item) and "mesh" not in item


def _with_ancestors(nodes: Nodes, chosen: set[int]) -> set[int]:
    """The chosen nodes and everything above them."""
    out = set(chosen)
    for n in reversed(nodes.order):
        if n in out and nodes.parents[n] >= 0:
            out.add(nodes.parents[n])
    return out


def _checked(nodes: Nodes, joints: list[int]) -> list[int]:
    """The joints, or an error when there are too many or they hang too deep (their still ancestors counted)."""
    try:
        check_count("joints", len(joints), MAX_JOINTS)
        depth = dict.fromkeys(nodes.order, 0)
        for n in nodes.order:
            depth[n] = depth.get(nodes.parents[n], 0) + 1
        check_count("nodes from a root to a leaf", max(depth[n] for n in joints), MAX_DEPTH)
    except InputError as error:
        raise nodes.document.fail(str(error)) from None
    return joints


def parents_among(nodes: Nodes, joints: list[int]) -> list[int]:
    """For each joint the position of its parent in `joints`, -1 for a root."""
    slot = {n: j for j, n in enumerate(joints)}
    return [slot.get(nodes.parents[n], -1) for n in joints]


def moves_bodies(nodes: Nodes, moved: set[int]) -> bool:
    """Whether a moved node carries more than cameras and lights."""
    views, meshes = {n for n in nodes.order if _is_view(nodes.items[n])}, {n for n in nodes.order if "mesh" in nodes.items[n]}
    watching, carrying = _with_ancestors(nodes, views), _with_ancestors(nodes, meshes)
    return any(n in carrying or n not in watching for n in moved)
