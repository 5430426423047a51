# SPDX-License-Identifier: Apache-2.0
"""Colours of a log line: SGR sequences become styled spans of text, every other sequence is dropped."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from core.runs.sanitize import MAX_CHARACTERS, SEQUENCES, clean, last_state

Colour = int | tuple[int, int, int] | None
"""One of the terminal's 256 by number, red, green and blue from 0 to 255, or None for the default."""


@dataclass(frozen=True, slots=True)
class Look:
    """The style that SGR codes (ECMA-48 8.3.117) have set. Blinking and hidden text is shown like any other."""

    bold: bool = False
    dim: bool = False
    italic: bool = False
    underline: bool = False
    reverse: bool = False
    colour: Colour = None
    background: Colour = None


PLAIN = Look()

_SGR = re.compile(r"(?:\x1b\[|\x9b)([0-9;:]*)m")
_ON = {1: "bold", 2: "dim", 3: "italic", 4: "underline", 7: "reverse"}
_OFF = {22: ("bold", "dim"), 23: ("italic",), 24: ("underline",), 27: ("reverse",)}
_BASES = {30: ("colour", 0), 40: ("background", 0), 90: ("colour", 8), 100: ("background", 8)}
_DEFAULTS = {39: "colour", 49: "background"}
_EXTENDED = {38: "colour", 48: "background"}


def coloured_line(text: str, limit: int = MAX_CHARACTERS) -> list[tuple[str, Look]]:
    """The spans of one line; joined they equal `plain_line` of it."""
    spans: list[tuple[str, Look]] = []
    width = 0
    for piece, look in _pieces(last_state(text)):
        shown = clean(_expanded(piece, width))
        if width + len(shown) > limit:
            # The end is cut to leave room for the mark.
            return _cut([*spans, (shown, look)], limit - 1)
        width += len(shown)
        spans.append((shown, look))
    return spans


def _cut(spans: list[tuple[str, Look]], limit: int) -> list[tuple[str, Look]]:
    left, pieces = limit, []
    for text, look in spans:
        pieces.append((text[:left], look))
        left -= len(pieces[-1][0])
    return [*pieces, ("…", PLAIN)]


def _pieces(text: str) -> Iterator[tuple[str, Look]]:
    look, position = PLAIN, 0
    for sequence in SEQUENCES.finditer(text):
        if sequence.start() > position:
            yield text[position : sequence.start()], look
        position = sequence.end()
        if sgr := _SGR.fullmatch(sequence[0]):
            look = _changed(look, sgr[1])
    if position < len(text):
        yield text[position:], look


def _expanded(piece: str, column: int) -> str:
    if "\t" not in piece:
        return piece
    lead = column % 8
    return (" " * lead + piece).expandtabs(8)[lead:]


@lru_cache(1024)
def _changed(look: Look, parameters: str) -> Look:
    codes = iter([int(code or 0) for code in re.split("[;:]", parameters)[:64] if len(code) < 6])
    for code in codes:
        look = PLAIN if code == 0 else replace(look, **_change(code, codes))
    return look


def _change(code: int, following: Iterator[int]) -> dict[str, Any]:
    """The change that one code makes; a colour from a larger palette takes parameters from the following codes."""
    if code in _ON:
        return {_ON[code]: True}
    if code in _OFF:
        return dict.fromkeys(_OFF[code], False)
    if code in _DEFAULTS:
        return {_DEFAULTS[code]: None}
    if code in _EXTENDED:
        return {_EXTENDED[code]: _extended(following)}
    name, first = _BASES.get(code - code % 10, ("", 0))
    return {name: first + code % 10} if name and code % 10 < 8 else {}


def _extended(codes: Iterator[int]) -> Colour:
    kind = next(codes, 0)
    if kind == 5:
        return min(next(codes, 0), 255)
    if kind == 2:
        red, green, blue = (min(next(codes, 0), 255) for _ in range(3))
        return red, green, blue
    return None
