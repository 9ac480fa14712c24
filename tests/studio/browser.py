"""A real browser for the tests: Chromium without a screen, drawing in software."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = next((path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None)
FLAGS = (
    "--no-sandbox",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
SIZE = {"width": 760, "height": 560}
MIDDLE = (219, 280)
"""Where the trunk is drawn when a page has just been opened [pixels]."""
CHEAP = "fixedDpr=0.25"
"""Drawn coarsely: software rendering would otherwise take all of a small machine."""
OUT = Path(__file__).parents[2] / "out"
"""Where pictures go; git ignores it."""

needs_browser = pytest.mark.skipif(
    CHROMIUM is None or find_spec("playwright") is None or find_spec("viser") is None,
    reason="needs a browser: apt-get install -y chromium; pip install 'surefoot[studio]' playwright",
)


def launched(drive: Any) -> Any:
    """A browser."""
    return drive.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))


def opened(browser: Any, address: str) -> Any:
    """A page that shows the studio."""
    page = browser.new_page(viewport=SIZE)
    page.set_default_timeout(90_000)
    page.goto(f"{address}{'&' if '?' in address else '?'}{CHEAP}")
    page.wait_for_selector("canvas[data-engine]")
    button(page, "Step").wait_for()
    return page


def button(page: Any, name: str) -> Any:
    """A button by its whole name."""
    return page.get_by_role("button", name=name, exact=True)


def tab(page: Any, name: str) -> None:
    """Turn to a tab."""
    page.get_by_role("tab", name=name, exact=True).click()


def number(page: Any, label: str) -> Any:
    """The number beside a label."""
    return page.get_by_text(label, exact=True).locator("xpath=following::input[@inputmode='decimal' or @inputmode='numeric'][1]")


def until(wanted: Callable[[], Any], what: str, seconds: float = 90.0) -> Any:
    """What becomes true."""
    end = time.monotonic() + seconds
    while not (found := wanted()):
        assert time.monotonic() < end, f"waited {seconds:.0f} s for {what}"
        time.sleep(0.05)
    return found


def keep(page: Any, name: str) -> bytes:
    """A picture of the page, kept for people to look at."""
    OUT.mkdir(exist_ok=True)
    data: bytes = page.screenshot(path=OUT / f"studio-{name}.png")
    return data


def said(page: Any) -> str:
    """All text on the page."""
    text: str = page.inner_text("body")
    return text
