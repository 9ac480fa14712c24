"""Charts over time as inline SVG: a few lines, a limit, ticks that a person would choose."""

from __future__ import annotations

import html
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

COLOURS = ("#2563eb", "#d97706", "#059669", "#db2777", "#7c3aed", "#0891b2", "#65a30d", "#57534e")
WIDTH, HEIGHT = 960, 240
LEFT, RIGHT, TOP, BOTTOM = 56, 12, 26, 30


@dataclass(frozen=True, eq=False, kw_only=True)
class Line:
    """A curve with its name."""

    name: str
    x: Array  # (n,)
    y: Array  # (n,)


def chart(lines: list[Line], *, x: str, y: str, limit: float | None = None) -> str:
    """An SVG of curves over a common axis; `limit` is drawn as a dashed line."""
    finite = np.concatenate([line.y[np.isfinite(line.y)] for line in lines] + [np.zeros(1), np.array([limit or 0.0])])
    low, high = min(float(finite.min()), 0.0), max(float(finite.max()), 1e-9)
    begin, end = min(float(line.x[0]) for line in lines), max(float(line.x[-1]) for line in lines)
    end = max(end, begin + 1e-9)

    def right(value: Array | float) -> Array:
        return np.asarray(LEFT + (np.asarray(value) - begin) / (end - begin) * (WIDTH - LEFT - RIGHT))

    def down(value: Array | float) -> Array:
        return np.asarray(HEIGHT - BOTTOM - (np.asarray(value) - low) / (high - low) * (HEIGHT - TOP - BOTTOM))

    out = [f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="img" font-size="12" font-family="system-ui">']
    for value in ticks(low, high):
        at = float(down(value))
        out.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{at:.1f}" y2="{at:.1f}" stroke="#e5e7eb"/>')
        out.append(f'<text x="{LEFT - 6}" y="{at + 4:.1f}" text-anchor="end">{value:g}</text>')
    for value in ticks(begin, end):
        out.append(f'<text x="{float(right(value)):.1f}" y="{HEIGHT - 10}" text-anchor="middle">{value:g}</text>')
    out.append(f'<text x="{WIDTH - RIGHT}" y="{HEIGHT - 10}" text-anchor="end">{html.escape(x)}</text>')
    out.append(f'<text x="4" y="14">{html.escape(y)}</text>')
    if limit is not None:
        at = float(down(limit))
        out.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{at:.1f}" y2="{at:.1f}" stroke="#b3261e" stroke-dasharray="6 4"/>')
    along = LEFT
    for line, colour in zip(lines, COLOURS * (len(lines) // len(COLOURS) + 1), strict=False):
        good = np.isfinite(line.y)
        path = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(right(line.x[good]), down(line.y[good]), strict=True))
        out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.6"/>')
        out.append(f'<text x="{along + 40}" y="14" fill="{colour}">{html.escape(line.name)}</text>')
        along += 16 + 7 * len(line.name)
    return "".join([*out, "</svg>"])


def ticks(low: float, high: float, about: int = 5) -> list[float]:
    """Round values within a range, about so many.

    >>> ticks(0.0, 0.25)
    [0.0, 0.05, 0.1, 0.15, 0.2, 0.25]
    """
    rough = (high - low) / about
    power = 10.0 ** np.floor(np.log10(rough))
    step = float(next(power * n for n in (1.0, 2.0, 5.0, 10.0) if power * n >= rough * 0.999))
    first = int(np.ceil(low / step - 1e-9))
    return [round(float(k * step), 12) for k in range(first, int(np.floor(high / step + 1e-9)) + 1)]
