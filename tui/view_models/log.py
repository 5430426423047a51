# SPDX-License-Identifier: Apache-2.0
"""How a line of a log looks: its own colours over ours, hits over both, and a mark in the gutter."""

from collections.abc import Callable, Sequence
from functools import lru_cache

from rich.color import Color
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from rich.text import Text

from core.runs.log import PLAIN, Colour, Look, Pattern, SignKind, coloured_line, sign_of

GUTTER = 2
"""Cells before each line."""

_CONSOLE = Console(color_system="truecolor")
"""Nothing is printed on it."""
_MARKS = {SignKind.ERROR: "✗", SignKind.PHASE: "▶", SignKind.STAGE: "◆"}
_STYLES = {SignKind.ERROR: "error", SignKind.PHASE: "heading", SignKind.STAGE: "hunk"}


def log_style(line: str) -> str:
    """The name of the style of one line, safe to show, of a run's log."""
    return _style_and_mark(line)[0]


def log_segments(line: str, styles: Callable[[str], Style], search: Pattern | None) -> list[Segment]:
    """One line as it was written, safe to show, after its gutter; `styles` gives our styles by name."""
    spans = coloured_line(line)
    plain = "".join(span for span, _ in spans)
    name, mark = _style_and_mark(plain)
    base = styles(name)
    segments = [Segment(span, base if look == PLAIN else _over(base, look)) for span, look in spans]
    hits = search.spans(plain) if search is not None and not search.out else ()
    if hits:
        segments = _with_hits(segments, hits, styles("hit"))
    return [Segment(mark.ljust(GUTTER), base), *segments]


def _style_and_mark(line: str) -> tuple[str, str]:
    sign = sign_of(line)
    if sign is not None:
        return _STYLES[sign.kind], _MARKS[sign.kind]
    return "dim" if line.startswith(("  File ", "TTMATRIX-RESULT")) else "", " "


def _with_hits(segments: Sequence[Segment], hits: Sequence[tuple[int, int]], style: Style) -> list[Segment]:
    text = Text(end="")
    for segment in segments:
        text.append(segment.text, segment.style)
    for start, end in hits:
        text.stylize(style, start, end)
    return list(text.render(_CONSOLE))


@lru_cache(1024)
def _over(base: Style, look: Look) -> Style:
    # What is not set must stay None, so that the line's own style shows.
    return base + Style(
        bold=look.bold or None,
        dim=look.dim or None,
        italic=look.italic or None,
        underline=look.underline or None,
        reverse=look.reverse or None,
        color=_colour(look.colour),
        bgcolor=_colour(look.background),
    )


def _colour(colour: Colour) -> Color | None:
    if colour is None:
        return None
    return Color.from_ansi(colour) if isinstance(colour, int) else Color.from_rgb(*colour)
