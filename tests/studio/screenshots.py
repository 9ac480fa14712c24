"""Pictures of the studio for the README and the documentation, from built-in material alone.

    python -m tests.studio.screenshots --out docs/images          (make screenshots)

A walk is reconstructed, put into a studio, pushed, measured and worked on, and a headless Chromium takes the pictures.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

from surefoot import bundle, material, reconstruct
from surefoot.bundle.reconstructed import reconstructed
from surefoot.studio.show import Show, show_bundle
from surefoot.studio.studio import Studio
from surefoot.studio.world import FRAME, World
from tests.studio.browser import CHROMIUM, button, launched, number, tab, until

SIZE = {"width": 1180, "height": 760}
LARGEST = 300_000
"""Bytes of a picture."""


def walk() -> Show:
    """The key-framed walk, performed in physics."""
    clip = material.motion("humanoid/walk")
    fitted = reconstruct.prepare(clip)
    found = reconstruct.reconstruct(fitted, reconstruct.ReconstructConfig(method="basic", samples=600), seed=0)
    made = reconstructed(clip, fitted, found).replace(name="humanoid/walk")
    return show_bundle(bundle.performing(made))


def played(studio: Studio, seconds: float) -> None:
    """Go on while nobody plays."""

    def request(world: World) -> None:
        for _ in range(round(seconds / FRAME)):
            world.advance(FRAME)

    studio.live.ask(request, wait=60.0)


def taken(page: Any, studio: Studio, file: Path) -> None:
    """A picture of what the studio shows now."""
    wanted = f"{studio.live.sight.frame.time:.1f}"
    until(lambda: number(page, "Time [s]").input_value().startswith(wanted[:-1]), f"the page to show {wanted} s")
    page.mouse.move(300, 700)
    time.sleep(3.0)  # for the last of it to be drawn
    page.screenshot(path=file)
    if file.stat().st_size > LARGEST:
        raise SystemExit(f"{file} has {file.stat().st_size} bytes, more than {LARGEST}.")
    print(file)


def pictures(page: Any, studio: Studio, folder: Path) -> None:
    """All of them."""
    number(page, "Strength [N]").fill("150")
    played(studio, 0.5)
    studio.live.ask(lambda world: world.push(165.0, 150.0), wait=10.0)
    played(studio, 0.2)
    taken(page, studio, folder / "studio.png")
    tab(page, "Curves")
    page.get_by_text("Draw curves", exact=True).locator("xpath=following::input[@type='checkbox'][1]").check()
    studio.live.ask(lambda world: world.stand(), wait=10.0)
    played(studio, 1.0)
    taken(page, studio, folder / "studio-curves.png")
    tab(page, "Learn")
    number(page, "Samples").fill("1000")
    button(page, "Start").click()
    until(lambda: studio.live.sight.show.compare is not None and studio.learning.job.report.part > 0.4, "the best so far", 200.0)
    page.screenshot(path=folder / "studio-learning.png")
    print(folder / "studio-learning.png")


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("docs/images"))
    folder: Path = parser.parse_args().out
    if CHROMIUM is None:
        print("no browser here: the studio's pictures are left as they are; on Debian: apt-get install -y chromium", file=sys.stderr)
        return
    from playwright.sync_api import sync_playwright

    folder.mkdir(parents=True, exist_ok=True)
    studio = Studio(walk(), port=0, playing=False)
    try:
        with sync_playwright() as drive:
            browser = launched(drive)
            page = browser.new_page(viewport=SIZE)
            page.set_default_timeout(120_000)
            page.goto(studio.address)
            page.wait_for_selector("canvas[data-engine]")
            until(lambda: page.get_by_text("Software WebGL").count(), "the note about drawing in software", 30.0)
            until(lambda: not page.get_by_text("Software WebGL").count(), "it to be gone")
            pictures(page, studio, folder)
            browser.close()
    finally:
        studio.close()


if __name__ == "__main__":
    main()
