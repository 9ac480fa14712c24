"""How fast the studio's page comes up, how well it keeps real time, and whether it grows.

    python -m benchmarks.studio --minutes 60 [--what walk.surefoot] [--slow-viewer] [--json out/studio.json]

`surefoot play` runs in a process of its own, by default on built-in material, in physics; a headless Chromium with software rendering
looks on. `--slow-viewer` has it draw one small picture a second, which takes a tenth of the work and gets the same messages: for the hour.

    first paint      from the browser's own clock, and until the character is drawn
    factor           seconds simulated over seconds passed, with a viewer and with none
    pictures         that a viewer is sent in a second
    work             processor seconds of the studio for each second played
    growth           resident memory at the end of the minutes less that after the first three, the viewer pushing now and then

The time line tells how far the simulation is: it is read over the page's own widgets, as a person would.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

CHROMIUM = ("--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-background-networking")
CHROMIUM += ("--disable-component-update", "--disable-sync", "--no-first-run")
WARM = 180.0
"""Seconds before memory counts: the kept past fills within one minute."""
EVERY = 10.0
"""Seconds between two looks at memory."""


@contextmanager
def playing(what: str, *flags: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """`surefoot play` and its address."""
    command = [sys.executable, "-m", "surefoot.cli.main", "play", what, "--port", "0", *flags]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        found = re.search(r"http\S+", process.stdout.readline())
        assert found is not None
        yield process, found.group(0)
    finally:
        process.terminate()
        process.wait(20)


def resident(pid: int) -> float:
    """Resident memory [MB]."""
    text = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return int(re.search(r"VmRSS:\s+(\d+)", text).group(1)) / 1024.0  # type: ignore[union-attr]


def worked(pid: int) -> float:
    """Processor seconds of a process so far."""
    import os

    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def moment(page: Any) -> float:
    """Where the time line stands [s]."""
    return float(page.get_by_text("Time [s]", exact=True).locator("xpath=following::input[@inputmode='decimal'][1]").input_value())


def pushed(page: Any, k: int) -> None:
    """A push in the k-th direction, or a ball."""
    if k % 9 == 8:
        page.get_by_role("button", name="Throw a ball").dispatch_event("click")
    else:
        page.get_by_role("button", name="↑↗→↘↓↙←↖"[k % 9], exact=True).dispatch_event("click")


def status_factor(page: Any) -> float | None:
    """The real-time factor that the page tells."""
    found = re.search(r"Real time × ([\d.]+)", page.inner_text("body"))
    return float(found.group(1)) if found else None


SLOW = """
window.requestAnimationFrame = (draw) => setTimeout(() => draw(performance.now()), 1000);
window.cancelAnimationFrame = clearTimeout;
"""


def measure(what: str, minutes: float, slow: bool, say: Any) -> dict[str, Any]:
    """Everything."""
    from playwright.sync_api import sync_playwright

    out: dict[str, Any] = {"what": what, "slow_viewer": slow}
    with playing(what) as (process, address), sync_playwright() as drive:
        browser = drive.chromium.launch(executable_path="/usr/bin/chromium", args=list(CHROMIUM))
        page = browser.new_page(viewport={"width": 760, "height": 560} if slow else {"width": 1280, "height": 800})
        if slow:
            page.add_init_script(SLOW)
            address += "?fixedDpr=0.1"
        began = time.perf_counter()
        page.goto(address)
        page.wait_for_selector("canvas")
        out["canvas_s"] = time.perf_counter() - began
        out["first_paint_s"] = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime") / 1e3
        say(f"first paint {out['first_paint_s']:.2f} s, canvas {out['canvas_s']:.2f} s")
        pushed(page, 0)
        time.sleep(5.0)
        looked = [factor for _ in range(20) if (factor := (time.sleep(1.0), status_factor(page))[1]) is not None]
        out["factor_told_with_viewer"] = sorted(looked)[len(looked) // 2] if looked else None
        out["factor_with_viewer"], out["work_with_viewer"] = pace(process.pid, page, 30.0)
        say(f"with a viewer: factor {out['factor_with_viewer']:.3f}, {out['work_with_viewer']:.2f} s of work a second")
        out["pictures_per_s"] = pictures(address, 10.0)
        say(f"{out['pictures_per_s']:.1f} pictures a second are sent")
        out["factor_without_viewer"], out["work_without_viewer"] = alone(process.pid, page, address, 30.0)
        say(f"without: factor {out['factor_without_viewer']:.3f}, {out['work_without_viewer']:.2f} s of work a second")
        if minutes > 0.0:
            out["growth"] = soak(process.pid, page, minutes, say)
        browser.close()
    return out


def pace(pid: int, page: Any, seconds: float) -> tuple[float, float]:
    """Factor and work while the page looks on; its time line is the witness."""
    began, first, work = time.perf_counter(), moment(page), worked(pid)
    time.sleep(seconds)
    passed = time.perf_counter() - began
    return (moment(page) - first) / passed, (worked(pid) - work) / passed


def pictures(address: str, seconds: float) -> float:
    """How often one more viewer is told where the character is."""
    from tests.studio.viewer import connected, looks, messages

    told, begin = 0, None
    with connected(int(address.split("?")[0].rstrip("/").rsplit(":", 1)[1])) as line:
        looks(line)
        while begin is None or time.perf_counter() < begin + seconds:
            said = messages(line.recv(timeout=20.0))
            begin = begin or time.perf_counter() + 2.0  # the scene comes first
            if time.perf_counter() > begin:
                told += sum(message["type"] == "SetPositionMessage" and message["name"] == "/stage/body/1" for message in said)
    return told / seconds


def alone(pid: int, page: Any, address: str, seconds: float) -> tuple[float, float]:
    """Factor and work while nobody looks on: the page leaves and comes back."""
    began, first, work = time.perf_counter(), moment(page), worked(pid)
    page.goto("about:blank")
    time.sleep(seconds)
    spent, quiet = worked(pid) - work, time.perf_counter() - began
    page.goto(address)
    page.wait_for_selector("canvas")
    time.sleep(1.0)
    last, passed = moment(page), time.perf_counter() - began
    return (last - first) / passed, spent / quiet


def soak(pid: int, page: Any, minutes: float, say: Any) -> dict[str, Any]:
    """Memory over minutes of playing with a viewer who pushes now and then."""
    began, k, rows = time.monotonic(), 0, []
    while time.monotonic() - began < 60.0 * minutes:
        time.sleep(EVERY)
        with suppress(Exception):  # a page that is busy for longer than half a minute is asked again
            pushed(page, k)
        k += 1
        rows.append((time.monotonic() - began, resident(pid)))
        if k % 30 == 0:
            say(f"{rows[-1][0] / 60:.1f} min: {rows[-1][1]:.1f} MB")
    after = [memory for at, memory in rows if at >= min(WARM, 30.0 * minutes)]
    return {
        "minutes": minutes,
        "begin_mb": after[0],
        "end_mb": after[-1],
        "most_mb": max(after),
        "growth_mb": after[-1] - after[0],
        "rows": rows,
    }


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--what", default="humanoid/walk")
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--slow-viewer", action="store_true")
    parser.add_argument("--json", type=Path, default=None)
    given = parser.parse_args()
    out = measure(given.what, given.minutes, given.slow_viewer, lambda text: print(text, flush=True))
    if "growth" in out:
        out["growth_mb"] = out["growth"]["growth_mb"]
        print(f"grew by {out['growth_mb']:.1f} MB in {given.minutes:g} minutes (from {out['growth']['begin_mb']:.1f} MB)")
    if given.json is not None:
        given.json.parent.mkdir(parents=True, exist_ok=True)
        given.json.write_text(json.dumps(out, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
