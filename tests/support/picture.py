# SPDX-License-Identifier: Apache-2.0
"""A screen as comparable text: its lines, with the styles of each line below."""

import asyncio
import functools
import time
from collections.abc import Iterable
from typing import Any

from rich.style import Style
from textual.app import App
from textual.pilot import Pilot
from textual.strip import Strip

_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZαβγδεζηθικλμνξοπρστυφχψω"
_PATIENCE_SECONDS = 60.0
_REST_SECONDS = 0.15
_SAMPLE = 24
"""Characters of a text shown beside its style."""


def lines_of(app: App[Any]) -> list[Strip]:
    """The lines of the screen in front."""
    return [strip.crop(0, app.size.width) for strip in app.screen._compositor.render_strips()]


def picture(app: App[Any]) -> str:
    """The screen in front: a line of text, a line of letters for its styles, and at the end the meaning of each letter.

    A letter is below every cell with its style; a blank is the most frequent style.
    """
    lines = lines_of(app)
    cells = [(_words(segment.style), len(segment.text)) for strip in lines for segment in strip]
    count: dict[str, int] = {}
    for words, length in cells:
        count[words] = count.get(words, 0) + length
    plain = max(count, key=lambda words: count[words])
    letters: dict[str, str] = {plain: " "}
    rows = []
    for strip in lines:
        marks = ""
        for segment in strip:
            words = _words(segment.style)
            letters.setdefault(words, _LETTERS[len(letters) - 1])
            marks += letters[words] * segment.cell_length
        rows += [strip.text.rstrip(), "`" + _short(marks.rstrip())] if marks.strip() else [strip.text.rstrip()]
    legend = [f"{letter} = {words}" for words, letter in letters.items()]
    return "\n".join([*rows, "", *legend, ""])


def colours(lines: Iterable[Strip]) -> str:
    """The styles of a screen, each with the first text in it: a picture of a theme, not of the content."""
    first: dict[str, str] = {}
    for strip in lines:
        for segment in strip:
            if text := segment.text.strip():
                first.setdefault(_words(segment.style), text)
    return "\n".join(f"{words}   {text[:_SAMPLE]}" for words, text in sorted(first.items()))


async def still(app: App[Any], pilot: Pilot[Any]) -> str:
    """The picture once no thread works for the app and the screen no longer changes."""
    deadline, before = time.monotonic() + _PATIENCE_SECONDS, list[Strip]()
    while True:
        await pilot.pause()
        now = [] if any(worker.is_running and worker._thread_worker for worker in app.workers) else lines_of(app)
        if now and now == before:
            return picture(app)
        assert time.monotonic() < deadline, "the screen never came to rest"
        before = now
        await asyncio.sleep(_REST_SECONDS)


def _short(marks: str) -> str:
    """Runs of a letter as its count and the letter: `aaaa` is `4a`."""
    out, at = "", 0
    while at < len(marks):
        end = at
        while end < len(marks) and marks[end] == marks[at]:
            end += 1
        out += (f"{end - at}" if end - at > 1 else "") + (marks[at] if marks[at] != " " else "_")
        at = end
    return out


@functools.cache
def _words(style: Style | None) -> str:
    """A style without the data that Textual hides in it."""
    return "plain" if style is None else str(style.clear_meta_and_links())
