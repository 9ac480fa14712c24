"""The studio: see a character perform, push it, compare it, in the browser.

    file -> show -> world -> live (its own thread) -> stage, panels, plots (viser) -> any number of browsers

It knows what plays (`Policy`, `Player`, `Reference`, `Outcome`) and holds no algorithm of its own.
"""

from surefoot.studio.live import Live
from surefoot.studio.show import Show, open_show
from surefoot.studio.world import Frame, World

__all__ = ["Frame", "Live", "Show", "World", "open_show"]
