"""Where the real clips for development live: beside the checkout, never inside the repository."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

MOTIONS = Path(os.environ.get("SUREFOOT_MOTIONS", Path(__file__).parents[2] / "shared" / "motions"))

needs_motions = pytest.mark.skipif(
    not MOTIONS.is_dir(), reason=f"no folder of real clips at {MOTIONS.name}/ beside the checkout (SUREFOOT_MOTIONS names another)"
)
