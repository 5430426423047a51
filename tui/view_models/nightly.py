# SPDX-License-Identifier: Apache-2.0
"""A nightly as rows of a table: the lines of its page in their sections, and all about one of them."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from core.base.text import one_line
from core.evidence.github import LogPart
from core.evidence.nightly import Line, Section, Speed, SpeedTrend
from tui.view_models.headings import Part
from tui.view_models.rows import Row, RowGroup, Rows
from tui.view_models.style import Cell, TableColumn

_STYLES = {
    "died": "fail",
    "new": "fail",
    "changed": "xfail",
    "missing": "xfail",
    "machine": "xfail",
    "fixed": "pass",
    "pcc": "xfail",
    "red": "fail",
    "green": "pass",
    "still": "dim",
    "unread": "dim",
}
_SPEEDS = {
    SpeedTrend.REGRESSED: ("slower", "fail"),
    SpeedTrend.IMPROVED: ("faster", "pass"),
    SpeedTrend.OTHER_UNIT: ("unsure", "dim"),
    SpeedTrend.UNPROVEN: ("unsure", "dim"),
}
_COLUMNS = (
    TableColumn("what", 8),
    TableColumn("area", 11, yields=1),
    TableColumn("which", 26, share=2, elide=True, ids=True),
    TableColumn("why", 24, share=3),
)


class NightRow(NamedTuple):
    """One line of the page."""

    section: Section
    line: Line

    @property
    def key(self) -> str:
        """The identity of the line in any night."""
        line = self.line
        first = line.links[0].text if line.links else ""
        return f"{self.section.word} {line.area} {line.said or line.text} {first}"


def night_list(page: Sequence[Section]) -> list[NightRow]:
    """The lines of all sections."""
    return [NightRow(section, line) for section in page for line in section.lines]


def night_rows(listed: Sequence[NightRow]) -> Rows[NightRow]:
    """The rows of a table."""
    return Rows(listed, _COLUMNS, _cells, key=lambda one: one.key, id=lambda one: _words(one.line)[0])


def night_groups(listed: Sequence[NightRow]) -> list[RowGroup]:
    """The rows by section."""
    found: dict[str, list[int]] = {}
    for at, one in enumerate(listed):
        found.setdefault(one.section.word, []).append(at)
    return [
        RowGroup(
            word,
            (Cell(listed[rows[0]].section.title, _STYLES.get(word, "running")),),
            rows,
            (Part(len(rows), _STYLES.get(word, "running")),),
        )
        for word, rows in found.items()
    ]


def _cells(one: NightRow) -> Row:
    word, style = _look(one)
    which, why = _words(one.line)
    return [Cell(word, style)], [Cell(one.line.area, "dim")], [Cell(one_line(which))], [Cell(one_line(why), "dim")]


def _look(one: NightRow) -> tuple[str, str]:
    about = one.line.about
    if isinstance(about, Speed):
        return _SPEEDS.get(about.trend, ("", "dim"))
    return one.section.word, _STYLES.get(one.section.word, "")


def _words(line: Line) -> tuple[str, str]:
    """The name of the line and what happened, each in a few words."""
    cells = line.cells
    if cells and len({cell.id for cell in cells}) > 1:
        return line.text, line.said or line.note
    first = line.links[0].text if line.links else ""
    if cells or line.job is not None or isinstance(line.about, Speed):
        told = line.text if not cells or not line.said else ""
        return first, ": ".join(filter(None, (told, line.said))) or line.note
    name, colon, rest = line.text.partition(": ")
    if colon:
        return name, " ".join(filter(None, (rest, line.said)))
    told = line.said or line.note
    return (line.text.rstrip(":"), told) if told else ("", line.text)


def night_words(one: NightRow) -> Iterator[tuple[str, str]]:
    """All about a line, as texts with their styles."""
    line = one.line
    yield ": ".join(filter(None, (line.area, line.text))), ""
    if line.said:
        yield line.said, "error" if _look(one)[1] in ("fail", "xfail") else ""
    if line.note:
        yield line.note, "dim"
    for link in line.links:
        yield f"{one_line(link.text)}  {link.url}".rstrip(), ""


def fetched_words(part: LogPart) -> str:
    """The progress of a fetched log: `fetching 3.1 of 8.0 MB, the end of 2,048.0`."""
    done, wanted, total = (f"{size / 1e6:,.1f}" for size in (part.done, part.wanted, part.total))
    if not part.wanted:
        return f"fetching, {done} MB"
    return f"fetching {done} of {wanted} MB{f', the end of {total} MB' if part.begin else ''}"
