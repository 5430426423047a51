# SPDX-License-Identifier: Apache-2.0
"""Line charts as SVG, for a page that loads nothing."""

from collections.abc import Sequence
from html import escape
from itertools import groupby
from typing import NamedTuple

from core.base.text import printable

_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _TOP, _RIGHT = 860, 240, 48, 24, 10, 130
_DASHES = ("", "6 3", "2 2", "8 3 2 3", "1 3", "12 4", "4 4 1 4", "10 2")
"""Lines differ by dash pattern, not only by colour."""
_COLOURS = 8


class Line(NamedTuple):
    """One line; a None is a gap."""

    name: str
    values: Sequence[float | None]


def chart(lines: Sequence[Line], days: Sequence[str], *, unit: str = "", lowest: float | None = None) -> str:
    """The lines over days, on a scale from `lowest` (default: the least value) to the greatest value."""
    known = [value for line in lines for value in line.values if value is not None]
    if not known or not days:
        return '<p class="none">Nothing to show.</p>'
    top = max(known)
    bottom = min(known) if lowest is None else lowest
    # Keep the scale from having zero length.
    bottom, top = (bottom, top) if top > bottom else (max(0.0, bottom - 1), top + 1)
    plot = _Plot(bottom, top, len(days))
    parts = [f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img">']
    for at in range(5):
        value = bottom + (top - bottom) * at / 4
        y = plot.y(value)
        parts.append(f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text class="tick" x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{value:.0f}{unit}</text>')
    for at in sorted({0, len(days) // 2, len(days) - 1}):
        anchor = "end" if at and at == len(days) - 1 else "start"
        place = f'x="{plot.x(at):.1f}" y="{_HEIGHT - 6}" text-anchor="{anchor}"'
        parts.append(f'<text class="tick" {place}>{escape(days[at])}</text>')
    parts += [_line(line, number, plot) for number, line in enumerate(lines)]
    parts += _labels(lines, plot)
    return "".join([*parts, "</svg>"])


class _Plot(NamedTuple):
    bottom: float
    top: float
    days: int

    def x(self, at: int) -> float:
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * at / max(1, self.days - 1)

    def y(self, value: float) -> float:
        return _TOP + (_HEIGHT - _TOP - _BOTTOM) * (self.top - value) / (self.top - self.bottom)


def _line(line: Line, number: int, plot: _Plot) -> str:
    parts = []
    for there, points in groupby(enumerate(line.values), lambda point: point[1] is not None):
        if there:
            places = [f"{plot.x(at):.1f},{plot.y(value):.1f}" for at, value in points if value is not None]
            # A single point would not be a visible line.
            places = places if len(places) > 1 else [*places, *places]
            parts.append(f'<polyline class="l{number % _COLOURS}" points="{" ".join(places)}" {_dash(number)}/>')
    return f"<g><title>{escape(printable(line.name))}</title>{''.join(parts)}</g>"


def _labels(lines: Sequence[Line], plot: _Plot) -> list[str]:
    """The name of each line at its end, moved apart where the ends are close."""
    ends = []
    for number, line in enumerate(lines):
        if values := [value for value in line.values if value is not None]:
            ends.append((plot.y(values[-1]), number, line.name))
    found, below = [], 0.0
    for y, number, name in sorted(ends):
        below = max(y, below + 14)
        x = _WIDTH - _RIGHT + 8
        found.append(
            f'<line class="l{number % _COLOURS}" x1="{x}" x2="{x + 22}" y1="{below:.1f}" y2="{below:.1f}" '
            f'{_dash(number)}/><text class="tick" x="{x + 28}" y="{below + 4:.1f}">{escape(printable(name))}</text>'
        )
    return found


def _dash(number: int) -> str:
    dash = _DASHES[number % len(_DASHES)]
    return f'stroke-dasharray="{dash}"' if dash else ""
