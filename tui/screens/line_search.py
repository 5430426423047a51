# SPDX-License-Identifier: Apache-2.0
"""Looking for a text in lines that are shown: where it is, which hit is next, and how lines with it look."""

from collections.abc import Callable, Sequence

from tui.view_models import Cell, Line


class LineSearch:
    """Lines and what is looked for in them, whatever its case."""

    def __init__(self, style_of: Callable[[str], str]) -> None:
        self._style_of = style_of
        self._lines: Sequence[str] = ()
        self._hits: Sequence[int] = ()
        self.sought = ""
        """Empty: nothing is looked for."""
        self._at = -1
        """The hit found last, by its number among the hits."""

    def show(self, lines: Sequence[str]) -> list[Line]:
        """Look in other lines; returns them with their hits."""
        self._lines = lines
        return self.seek(self.sought)

    def seek(self, text: str) -> list[Line]:
        """Look for another text; returns the lines with their hits."""
        self.sought, self._at = text, -1
        wanted = text.lower()
        self._hits = [at for at, line in enumerate(self._lines) if wanted and wanted in line.lower()]
        marked = set(self._hits)
        return [self._marked(line, wanted) if at in marked else line for at, line in enumerate(self._lines)]

    def _marked(self, line: str, wanted: str) -> Line:
        style, low = self._style_of(line), line.lower()
        if len(low) != len(line):
            # A letter whose small form is longer: the places of hits are not those of the line.
            return line
        found: list[Cell] = []
        end = 0
        while (at := low.find(wanted, end)) >= 0:
            found += [Cell(line[end:at], style), Cell(line[at : at + len(wanted)], "word")]
            end = at + len(wanted)
        return (*found, Cell(line[end:], style))

    def step(self, top: int, *, forward: bool) -> int | None:
        """The line of the next hit, at first from the line `top` on, and around the end; None: there is none."""
        if not self._hits:
            return None
        if self._at < 0:
            below = [nth for nth, at in enumerate(self._hits) if at >= top]
            self._at = below[0] if below and forward else (below[0] - 1 if below else -1) % len(self._hits)
        else:
            self._at = (self._at + (1 if forward else -1)) % len(self._hits)
        return self._hits[self._at]

    @property
    def words(self) -> str:
        """`text: 3 of 11`; empty while nothing is looked for."""
        if not self.sought:
            return ""
        count = len(self._hits)
        return f"{self.sought}: {f'{self._at + 1:,} of {count:,}' if count else 'not there'}"
