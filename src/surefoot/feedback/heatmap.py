"""A picture of linear feedback: for every joint a map of its gains, features downwards, the phase to the right.

Red turns a joint the positive way for more of a feature, blue the other way; colours say how far a common disturbance does (`readable`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from surefoot.feedback.readable import Readable

Array = NDArray[np.float64]

INK, PALE = (50, 56, 64), (120, 126, 134)
STOPS = np.array([[33, 82, 160], [118, 170, 214], [247, 247, 247], [232, 142, 106], [170, 30, 40]], dtype=float)
"""From the most negative to the most positive."""
ROW, GAP, TITLE = 15, 18, 26
"""Height of a feature's row, space between maps and above them [pixels]."""
WIDE = 216
"""Width of a map [pixels]."""
ACROSS = 4
"""Maps in a row."""


def colours(values: Array, largest: float) -> NDArray[np.uint8]:
    """Colours (..., 3) of values within +- largest."""
    at = np.clip(0.5 + 0.5 * np.asarray(values) / max(largest, 1e-12), 0.0, 1.0) * (len(STOPS) - 1)
    low = np.minimum(at.astype(np.int64), len(STOPS) - 2)
    part = (at - low)[..., None]
    return np.asarray(np.round(STOPS[low] + part * (STOPS[low + 1] - STOPS[low])), dtype=np.uint8)


def heatmap(read: Readable, title: str = "") -> Image.Image:
    """The picture: a map for every joint."""
    effect = read.degrees * read.common  # (F, d, n)
    # A few entries may be far larger than the rest: the colours end at what one of two hundred exceeds.
    largest = float(np.quantile(np.abs(effect), 0.995)) or float(np.abs(effect).max()) or 1.0
    num = len(read.joints)
    across = min(ACROSS, num)
    down = -(-num // across)
    high = ROW * len(read.features)
    small, large = ImageFont.load_default(11), ImageFont.load_default(15)
    labels = [f"{name}, {size:.2g} {unit}" for name, unit, size in zip(read.features, read.units, read.common, strict=True)]
    margin = 18 + int(max(small.getlength(label) for label in labels))
    width = margin + across * (WIDE + GAP)
    height = 2 * TITLE + down * (high + TITLE + GAP) + 40
    image = Image.new("RGB", (width, height), "white")
    draw = ImageDraw.Draw(image)
    draw.text((10, 8), title or "feedback", fill=INK, font=large)
    about = "features downwards, phase to the right; colours: how far a common disturbance of the feature turns the joint"
    draw.text((10, 8 + TITLE), about, fill=PALE, font=small)
    for i, joint in enumerate(read.joints):
        left, top = margin + i % across * (WIDE + GAP), 2 * TITLE + TITLE + i // across * (high + TITLE + GAP)
        draw.text((left, top - 17), joint, fill=INK, font=small)
        tile = Image.fromarray(colours(effect[:, i].T, largest), "RGB")
        image.paste(_stretched(tile, read.phases), (left, top))
        draw.rectangle((left - 1, top - 1, left + WIDE, top + high), outline=PALE)
        draw.text((left, top + high + 2), "0", fill=PALE, font=small)
        draw.text((left + WIDE - 26, top + high + 2), "100 %", fill=PALE, font=small)
        if i % across == 0:
            for j, label in enumerate(labels):
                draw.text((margin - 8 - draw.textlength(label, font=small), top + j * ROW + 1), label, fill=INK, font=small)
    _legend(image, draw, largest, (margin, height - 34))
    return image


def _stretched(tile: Image.Image, phases: Array) -> Image.Image:
    """A map of one pixel a fragment and feature at its size; fragments are as wide as they last."""
    edges = np.round(np.concatenate([phases, [1.0]]) * WIDE).astype(np.int64)
    columns = np.repeat(np.arange(len(phases)), np.diff(edges))
    return Image.fromarray(np.repeat(np.asarray(tile)[:, columns], ROW, axis=0), "RGB")


def _legend(image: Image.Image, draw: ImageDraw.ImageDraw, largest: float, place: tuple[int, int]) -> None:
    left, top = place
    bar = colours(np.linspace(-largest, largest, WIDE)[None].repeat(12, axis=0), largest)
    image.paste(Image.fromarray(bar, "RGB"), (left, top))
    font = ImageFont.load_default(11)
    for part, text in ((0.0, f"-{largest:.2g} degrees"), (0.5, "0"), (1.0, f"+{largest:.2g} degrees")):
        wide = draw.textlength(text, font=font)
        draw.text((left + part * (WIDE - wide), top + 14), text, fill=PALE, font=font)
