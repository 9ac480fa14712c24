"""Contact sheets of our own material, and the title picture of the documentation.

python -m surefoot.material.sheets --out docs/images
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from PIL import Image

from surefoot import material
from surefoot.picture import View, contact_sheet, picture

MOMENTS: dict[str, tuple[View, tuple[float, ...]]] = {
    "humanoid/walk": ("side", (0.0, 0.13, 0.27, 0.4, 0.53, 0.67, 0.8, 0.93)),
    "humanoid/run": ("side", (0.0, 0.09, 0.18, 0.27, 0.37, 0.46, 0.55, 0.64)),
    "humanoid/jump": ("side", (0.0, 0.7, 0.93, 1.15, 1.5, 1.9, 2.4, 3.5)),
    "humanoid/box": ("quarter", (0.0, 0.5, 0.76, 1.2, 1.47, 2.05, 2.24, 3.5)),
    "humanoid/getup": ("side", (0.0, 0.7, 1.1, 1.6, 2.35, 2.9, 3.3, 4.3)),
    "dinosaur/walk": ("side", (0.0, 0.7, 1.0, 1.25, 1.5, 1.75, 2.0, 2.25)),
    "dinosaur/box": ("quarter", (0.0, 0.62, 0.82, 0.97, 1.43, 1.9, 2.14, 3.0)),
    "dinosaur/jump": ("side", (0.0, 0.7, 1.0, 1.2, 1.5, 1.9, 2.4, 3.5)),
}
"""From where each motion is best seen, and when [s]."""
CELL = (170, 190)


def sheet(name: str) -> Image.Image:
    """The eight moments of a motion in a row."""
    view, times = MOMENTS[name]
    return contact_sheet(material.motion(name), times=times, view=view, size=CELL, columns=len(times))


def title() -> Image.Image:
    """One moment of each motion, side by side."""
    moments = {
        "humanoid/run": 0.15,
        "humanoid/jump": 1.25,
        "humanoid/box": 0.78,
        "dinosaur/walk": 2.3,
        "dinosaur/jump": 1.35,
        "dinosaur/box": 1.43,
    }
    pictures = [picture(material.motion(name), time, view="quarter", size=(200, 240)) for name, time in moments.items()]
    strip = Image.new("RGB", (200 * len(pictures), 240))
    for n, image in enumerate(pictures):
        strip.paste(image, (200 * n, 0))
    return strip


def main(arguments: Sequence[str] | None = None) -> None:
    """Write all sheets."""
    parser = argparse.ArgumentParser(prog="python -m surefoot.material.sheets", description="Contact sheets of the built-in motions.")
    parser.add_argument("--out", type=Path, default=Path("docs/images"), help="folder for the PNG files")
    folder: Path = parser.parse_args(arguments).out
    folder.mkdir(parents=True, exist_ok=True)
    made = {name.replace("/", "-"): sheet(name) for name in material.names()} | {"material": title()}
    for stem, image in made.items():
        image.save(folder / f"{stem}.png", optimize=True)
    print(f"{len(made)} pictures in {folder}")


if __name__ == "__main__":
    main()
