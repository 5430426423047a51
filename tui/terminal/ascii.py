# SPDX-License-Identifier: Apache-2.0
"""ASCII for terminals and fonts that support nothing else: each character becomes as many as its width in cells."""

import re
import unicodedata
from functools import cache

from rich.cells import cell_len
from textual.scrollbar import ScrollBarRender

_LIKE = {
    **dict(zip("…·•–—‹›←→↑↓µ±", "~.*--<><>^vu+", strict=True)),
    **dict(zip("▾▸▼▲▶◆●◐○✓✗✎", "v>v^>o#%o+x!", strict=True)),
    **dict(zip("▌▖█▓▒░▞▔▁■□", "*+#=-:~-_#.", strict=True)),
    "━": "=",
    **dict(zip("▂▃▄▅▆▇", ".:-=+*", strict=True)),
    **dict(zip("▏▎▍▋▊▉", ".:-***", strict=True)),
}
"""Our glyphs, each with the most similar ASCII."""
_LINES, _BLOCKS = range(0x2500, 0x2580), range(0x2580, 0x25A0)
_BEYOND = re.compile(r"[^\x00-\x7f]")


def ascii_only(text: str) -> str:
    """`text`, which may contain terminal sequences, in ASCII and of the same width."""
    return text if text.isascii() else _BEYOND.sub(lambda match: _alike(match[0]), text)


class WholeCells(ScrollBarRender):
    """A scroll bar of whole cells: the sign of a part of a cell would look like text beside it."""

    VERTICAL_BARS = HORIZONTAL_BARS = [" "]  # noqa: RUF012 - declared there


@cache
def _alike(character: str) -> str:
    code = ord(character)
    if character in _LIKE:
        return _LIKE[character]
    if code in _LINES:
        name = unicodedata.name(character)
        return "+" if " AND " in name else "-" if "HORIZONTAL" in name else "|"
    if code in _BLOCKS:
        return "#"
    return "?" * cell_len(character)
