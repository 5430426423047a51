# SPDX-License-Identifier: Apache-2.0
"""How a line of a log looks: its own colours over ours, hits over both, and a mark in the gutter."""

from functools import lru_cache

from rich.color import Color
from rich.style import Style
from rich.text import Text

from core.runs.ansi import PLAIN, Colour, Look, coloured_line
from core.runs.log_pattern import Pattern
from core.runs.log_signs import Kind, sign_of

GUTTER = 2
"""Cells before each line."""

_MARKS = {Kind.ERROR: "✗", Kind.PHASE: "▶", Kind.STAGE: "◆"}
_STYLES = {Kind.ERROR: "error", Kind.PHASE: "heading", Kind.STAGE: "hunk"}


def log_style(line: str) -> str:
    """The name of the style of one line, safe to show, of a run's log."""
    sign = sign_of(line)
    if sign is not None:
        return _STYLES[sign.kind]
    return "dim" if line.startswith(("  File ", "TTMATRIX-RESULT")) else ""


def gutter_mark(line: str) -> str:
    """What stands before a line: where the errors, phases and bring-up stages are."""
    sign = sign_of(line)
    return _MARKS[sign.kind] if sign else " "


def log_text(line: str, search: Pattern | None, hit: Style) -> Text:
    """One line as it was written, safe to show, what is searched in the style `hit`."""
    text = Text(end="", no_wrap=True)
    for span, look in coloured_line(line):
        text.append(span, None if look == PLAIN else _style(look))
    if search is not None and not search.out:
        for start, end in search.spans(text.plain):
            text.stylize(hit, start, end)
    return text


@lru_cache(1024)
def _style(look: Look) -> Style:
    # What is not set must stay None, so that the line's own style shows.
    return Style(
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
