"""What joint names hint at: the side, the part of the body, and which name is the other side's.

Names come from every tool there is (`mixamorig:LeftUpLeg`, `Bip01 L Thigh`, `thigh.L`, `lfemur`, `b_LeftLeg01_015`), so
nothing here believes a name alone: a side counts only when the name with the sides swapped exists, too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

SIDES = {"left": "right", "lft": "rgt", "lt": "rt", "l": "r", "lf": "rf", "lh": "rh", "links": "rechts", "gauche": "droite"}
SWAP = SIDES | {right: left for left, right in SIDES.items()}

PARTS: dict[str, tuple[str, ...]] = {
    "control": (
        "pole", "target", "ik", "ctrl", "control", "socket", "slot", "handslot", "handle", "effector", "locator", "attach", "weapon",
        "prop", "footstep", "footsteps", "floor", "shadow", "camera"
    ),
    "end": ("end", "nub", "site", "tip"),
    "toe": ("toe", "toes", "toebase", "ball"),
    "foot": ("foot", "feet", "ankle", "paw", "hoof"),
    "leg": (
        "leg", "upleg", "lowleg", "thigh", "calf", "shin", "knee", "femur", "tibia", "upperleg", "lowerleg", "hipjoint", "hock", "stifle"
    ),
    "finger": ("finger", "fingers", "thumb", "index", "middle", "ring", "pinky", "little", "digit", "metacarpal", "fingerbase"),
    "hand": ("hand", "palm", "wrist"),
    "arm": ("arm", "forearm", "elbow", "shoulder", "clavicle", "collar", "humerus", "radius", "upperarm", "lowerarm", "uparm", "lowarm"),
    "head": ("head", "skull"),
    "neck": ("neck",),
    "tail": ("tail",),
    "spine": ("spine", "chest", "torso", "back", "abdomen", "lowerback", "upperback", "thorax", "waist", "ribs", "belly"),
    "pelvis": ("pelvis", "hips", "hip"),
    "wing": ("wing", "feather"),
    "face": (
        "eye", "eyes", "jaw", "ear", "ears", "brow", "eyebrow", "lip", "cheek", "tongue", "nose", "mouth", "lid", "horn", "antenna"
    ),
    "soft": (
        "hair", "ponytail", "pigtail", "braid", "bang", "skirt", "cloth", "cape", "cloak", "coat", "sleeve", "ribbon", "bust", "breast"
    ),
}  # fmt: skip
NO_SIDE = frozenset({"rear"})
"""Words whose first letter is no side: a rear leg has no ear."""
_PART_OF = {word: part for part, words in PARTS.items() for word in words}
_ORDER = tuple(PARTS)


@lru_cache(maxsize=16384)
def tokens(name: str) -> tuple[str, ...]:
    """The words of a name, in lower case: split at punctuation, digits and capitals; a namespace before a colon is dropped."""
    tail = name.rsplit(":", 1)[-1].rsplit("|", 1)[-1]
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", tail)
    return tuple(word.lower() for word in re.findall(r"[^\W\d_]+|\d+", spaced))


@lru_cache(maxsize=16384)
def parts(name: str) -> frozenset[str]:
    """The parts of the body (keys of `PARTS`) that a name speaks of."""
    found = set()
    words = [w for w in tokens(name) if not w.isdigit()]
    for word in words + [a + b for a, b in pairwise(words)]:
        sideless = word[1:] if word[:1] in "lr" and word not in NO_SIDE else word
        for form in (word, sideless, word.removesuffix("s")):
            if form in _PART_OF:
                found.add(_PART_OF[form])
                break
    if "hip" in words and side(name):
        found.add("leg")  # a "left hip" is the joint of a leg
    return frozenset(found)


@lru_cache(maxsize=16384)
def side(name: str) -> int:
    """+1 when the name says left, -1 right, 0 neither. Single letters count only as words of their own."""
    for word in tokens(name):
        if word in SIDES:
            return 1
        if word in SWAP:
            return -1
    return 0


def _bare(name: str) -> tuple[str, ...]:
    """Tokens without a trailing serial number such as `_015`, which differs between the sides."""
    words = tokens(name)
    stripped = re.sub(r"_0*\d+$", "", name)
    return tokens(stripped) if stripped != name and len(words) > 1 else words


def swaps(words: Sequence[str]) -> list[tuple[tuple[str, ...], int]]:
    """All ways to name the other side of `words`, most certain first, with the side (+1 left) that `words` then has."""
    out = []
    for i, word in enumerate(words):
        if word in SWAP:
            out.append(((*words[:i], SWAP[word], *words[i + 1 :]), 1 if word in SIDES else -1))
    for i, word in enumerate(words):
        for left, right in (("left", "right"), ("l", "r")):
            for mine, other, sign in ((left, right, 1), (right, left, -1)):
                if word.startswith(mine) and len(word) > len(mine) + 1:
                    out.append(((*words[:i], other + word[len(mine) :], *words[i + 1 :]), sign))
                if len(mine) > 1 and word.endswith(mine) and len(word) > len(mine) + 1:
                    out.append(((*words[:i], word[: -len(mine)] + other, *words[i + 1 :]), sign))
    return out


def named_partners(names: Sequence[str], parents: Sequence[int]) -> tuple[list[int], list[int]]:
    """For each joint the index of the joint of the other side's name (-1 without one) and the side the name says (+1, -1, 0)."""
    for words_of in (tokens, _bare):
        by_words: dict[tuple[str, ...], list[int]] = {}
        for j, name in enumerate(names):
            by_words.setdefault(words_of(name), []).append(j)
        partner, sides = [-1] * len(names), [0] * len(names)
        for j, name in enumerate(names):
            for other, sign in swaps(words_of(name)):
                mates = [k for k in by_words.get(other, []) if k != j]
                if not mates:
                    continue
                own = by_words[words_of(name)]
                if len(mates) == len(own):  # several joints of one name stand in the same order on both sides
                    partner[j], sides[j] = mates[own.index(j)], sign
                    break
        for j, k in enumerate(partner):
            if k >= 0 and partner[k] != j:
                partner[j], sides[j] = -1, 0
        if any(k >= 0 for k in partner):
            return partner, sides
    return partner, sides
