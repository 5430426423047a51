# SPDX-License-Identifier: Apache-2.0
"""The differences between two runs as rows, and the commits between them as lines."""

from collections import defaultdict
from collections.abc import Sequence

from core.base.text import counted, one_line, pcc_text, short_number
from core.domain.model import BringupStatus
from core.evidence import Observation, signature
from core.evidence.analysis import BackendKind, Between, Difference, DifferenceKind, OnTwoBackends
from tui.view_models.headings import Part
from tui.view_models.rows import Row, RowGroup, Rows
from tui.view_models.style import RESULT_LOOKS, Cell, TableColumn

KIND_STYLES = {
    DifferenceKind.NEW: "fail",
    DifferenceKind.REASON: "xfail",
    DifferenceKind.FIXED: "pass",
    DifferenceKind.MISSING: "fail",
    DifferenceKind.NOT_RUN: "skip",
    DifferenceKind.PERSISTING: "dim",
}
_NUMBERS = {
    "max abs": "max_abs",
    "max rel": "max_rel",
    "PCC": "pcc",
    "differ %": "mismatched",
    "seconds": "seconds",
}
"""Fields shown of an op case on both backends, with the difference."""
_GONE = (DifferenceKind.FIXED, DifferenceKind.MISSING, DifferenceKind.NOT_RUN)
"""Differences that the earlier result tells of."""
_SHORT = 10
"""Shown characters of a commit id."""


_DIFFERENCES = (
    TableColumn("what", 14),
    TableColumn("test", 22, share=2, elide=True, ids=True),
    TableColumn("arch", 13, yields=1),
    TableColumn("host", 12, yields=2, elide=True),
    TableColumn("why", 18, yields=3, share=2),
)


def difference_rows(differences: Sequence[Difference]) -> Rows[Difference]:
    """The differences of two runs."""
    return Rows(differences, _DIFFERENCES, _cells, key=lambda one: f"{one.arch} {one.id}", id=lambda one: one.id)


def _cells(one: Difference) -> Row:
    return (
        [Cell(one.kind, KIND_STYLES[one.kind])],
        [Cell(one_line(one.id))],
        [Cell(one_line(one.arch))],
        [Cell(one_line(_host(one)), "dim")],
        [Cell(one_line(_why(one)), "dim")],
    )


def _telling(one: Difference) -> Observation | None:
    """The result that a difference is about."""
    return one.before if one.kind in _GONE else one.after


def _why(one: Difference) -> str:
    row = _telling(one)
    return (row.reason or row.ending.words) if row else ""


def _host(one: Difference) -> str:
    row = _telling(one)
    return row.host if row else ""


def difference_groups(differences: Sequence[Difference]) -> list[RowGroup]:
    """Groups of differences with the same kind, error and host: by kind, the largest group first."""
    found: dict[tuple[DifferenceKind, str, str], list[int]] = defaultdict(list)
    for at, one in enumerate(differences):
        found[one.kind, signature(_why(one)), _host(one)].append(at)
    order = list(DifferenceKind)
    ordered = sorted(found.items(), key=lambda item: (order.index(item[0][0]), -len(item[1])))
    return [_difference_group(differences, kind, host, rows) for (kind, _, host), rows in ordered]


def _difference_group(differences: Sequence[Difference], kind: DifferenceKind, host: str, rows: list[int]) -> RowGroup:
    why, where = one_line(_why(differences[rows[0]])), f" on {one_line(host)}" if host else ""
    heading = Cell(f"{kind}{where}  ", KIND_STYLES[kind]), Cell(why)
    return RowGroup(f"{kind} {host} {why}", heading, rows, (Part(len(rows), KIND_STYLES[kind]),))


def backend_rows(cases: Sequence[OnTwoBackends], names: tuple[str, str]) -> Rows[OnTwoBackends]:
    """Op cases on two backends: both outcomes, and how the second one's numbers differ."""
    first, second = (one_line(name) or "-" for name in names)
    columns = (
        TableColumn("op case", 20, share=2, elide=True, ids=True),
        TableColumn(first, 11),
        TableColumn(second, 11),
        TableColumn("max abs", 9, yields=1, right=True),
        TableColumn("± first", 9, yields=2, right=True),
        TableColumn("PCC", 9, yields=3, right=True),
        TableColumn("± first", 9, yields=4, right=True),
        TableColumn("s", 7, yields=6, right=True),
        TableColumn("± first", 8, yields=7, right=True),
        TableColumn("why", 18, yields=5, share=2),
    )
    return Rows(cases, columns, _case_cells, key=lambda one: one.id, id=lambda one: one.id)


def _case_cells(one: OnTwoBackends) -> Row:
    cells = [[Cell(one_line(one.id))], *(_status(row) for row in (one.first, one.second))]
    for name in ("max_abs", "pcc", "seconds"):
        change = one.change(name)
        cells += [
            [Cell(short_number(one.numbers(name)[1]))],
            [Cell("" if change is None else f"{change:+.3g}", "dim")],
        ]
    row = one.first if one.kind is BackendKind.ONLY_FIRST else one.second
    return [*cells, [Cell(one_line(row.reason) if row else "", "dim")]]


def _status(row: Observation | None) -> list[Cell]:
    if row is None or row.op is None:
        return [Cell("-", "dim")]
    look = RESULT_LOOKS.get(row.op.status)
    return [Cell(one_line(row.op.status), look.style if look else "")]


def backend_sides(one: OnTwoBackends, names: tuple[str, str]) -> list[tuple[str, str]]:
    """An op case on both backends: outcome, tolerances, each number on both and the difference, and the messages."""
    rows = one.first, one.second
    first, second = (row.op.status if row and row.op else "-" for row in rows)
    lines = [(one.id, "heading"), (_line("", names, "difference"), "hunk")]
    lines.append((_line("outcome", (first, second), "" if first == second else "differs"), ""))
    for title in ("rtol", "atol"):
        known = [short_number(getattr(row.op, title) if row and row.op else None) for row in rows]
        lines.append((_line(title, known), "dim"))
    for title, name in _NUMBERS.items():
        known, change = list(map(short_number, one.numbers(name))), one.change(name)
        lines.append((_line(title, known, "" if change is None else f"{change:+.4g}"), ""))
    for name, row in zip(names, rows, strict=True):
        if row is not None:
            lines += [(name, "hunk"), *([(f"  {row.reason}", "")] if row.reason else [])]
            lines.append((f"  {row.job or row.run}", "dim"))
    return lines


def _line(title: str, both: Sequence[str], change: str = "") -> str:
    first, second = map(one_line, both)
    return f"  {title:10} {first:>12} {second:>12} {change:>12}"


def sides(one: Difference) -> list[tuple[str, str]]:
    """Both results of a cell, as texts with their styles."""
    name = (f"{one.id} on {one.arch}", "heading")
    return [name, ("before", "hunk"), *_side(one.before), ("after", "hunk"), *_side(one.after)]


def _side(row: Observation | None) -> list[tuple[str, str]]:
    if row is None:
        return [("  no result", "dim")]
    pcc = f", pcc {pcc_text(row.pcc)}" if row.pcc is not None else ""
    stage = "" if row.stage in (BringupStatus.UNKNOWN, BringupStatus.PASSED) else f", {row.stage}"
    result = [(f"  {row.ending.words}{pcc} on {row.host or 'unknown host'}{stage}", "dim")]
    return [*result, (f"  {row.reason}", "")] if row.reason else result


def commit_words(name: str, one: Between) -> list[tuple[str, str]]:
    """The commits in between, one per line."""
    if one.unknown:
        return [(f"{name}: {one.unknown}", "dim")]
    head = f"{name}: {counted(len(one.commits), 'commit')}, {one.before[:_SHORT]} to {one.after[:_SHORT]}"
    lines = (f"  {commit.id[:_SHORT]} {commit.day} {commit.subject}" for commit in one.commits)
    return [(head, "heading"), *((line, "") for line in lines)]
