# SPDX-License-Identifier: Apache-2.0
"""The painting of program lines: ops, types, values, locations, and large constants folded."""

import re
from collections.abc import Callable, Iterator

from rich.segment import Segment
from rich.style import Style

from core.runs import plain_line
from core.runs.ir import fold
from core.runs.log import Pattern
from tui.widgets.log_painting import GUTTER, with_hits

_PIECES = re.compile(
    r"(?P<dim>\s*//.*$|\s*# .*$|\bloc\(.*$|;  \w+ = .*None$|…[\d,]+ bytes #\w+…)"
    r'|(?P<heading>"?\b[A-Za-z_]\w*(?:\.\w+)+"?(?=[\s(])|\b(?:return|call|def|class)\b)'
    r"|(?P<hunk>\b(?:tensor|memref|vector|array)<[^>]*>+|\"[a-z]+\d+\[[^\]]*\]\"|\b(?:bf16|f16|f32|f64|i1|i8|i16|i32|i64)\b)"
    r"|(?P<word>%[\w#.$-]+|@[\w.$-]+)"
)


class ProgramPainter:
    """Makes the pieces of a line of a program."""

    def __init__(self) -> None:
        self.folded = True
        """Whether large constants are shown by their length and a digest."""

    def __call__(self, line: str, styles: Callable[[str], Style], search: Pattern | None) -> list[Segment]:
        shown = plain_line(fold(line) if self.folded else line)
        base = styles("")
        segments = [Segment(text, styles(name) if name else base) for text, name in pieces(shown)]
        hits = search.spans(shown) if search is not None and not search.out else ()
        if hits:
            segments = with_hits(segments, hits, styles("hit"))
        return [Segment(" " * GUTTER, base), *segments]


def pieces(line: str) -> Iterator[tuple[str, str]]:
    """The pieces of a line with the names of their styles; together they are the line."""
    end = 0
    for match in _PIECES.finditer(line):
        if match.start() > end:
            yield line[end : match.start()], ""
        yield match[0], match.lastgroup or ""
        end = match.end()
    if end < len(line):
        yield line[end:], ""
