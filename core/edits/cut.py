# SPDX-License-Identifier: Apache-2.0
"""Which lines go with removed entries: their own, their comments, and the blank line that set them apart."""

from bisect import bisect_left
from collections.abc import Iterable

from core.edits.document import Document, extent, lines_between


def removed_spans(document: Document, indexes: Iterable[int]) -> list[tuple[int, int]]:
    """Spans of whole lines to cut for the entries at `indexes`, in order and without overlap.

    Of the blank lines before and after an entry as many go as the neighbours do not need: what set the entry
    apart on its weaker side. Below the header nothing needs to be set apart, and at the end of the file neither.
    """
    lines = list(lines_between(document.text, 0, len(document.text)))
    starts = [start for start, _ in lines]
    blank = [not document.text[start:stop].strip() for start, stop in lines]
    kept = [True] * len(lines)
    header = bisect_left(starts, document.header_end)
    for index in sorted(indexes):
        start, end = extent(document, index)
        first, last = bisect_left(starts, start), bisect_left(starts, end)
        kept[first:last] = [False] * (last - first)
        before, at_header = _blanks(blank, kept, range(first - 1, header - 1, -1))
        after, at_end = _blanks(blank, kept, range(last, len(lines)))
        if at_end:
            gone = before
        elif at_header:
            gone = after
        else:
            gone = before[: len(after)]
        for line in gone:
            kept[line] = False
    return [span for span, keep in zip(lines, kept, strict=True) if not keep]


def _blanks(blank: list[bool], kept: list[bool], lines: range) -> tuple[list[int], bool]:
    """The kept blank lines up to the next line with text, and whether there is no such line."""
    found: list[int] = []
    for line in lines:
        if kept[line]:
            if not blank[line]:
                return found, False
            found.append(line)
    return found, True
