# SPDX-License-Identifier: Apache-2.0
"""Findings of the doctor as rows of a table."""

import os
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

from core.base.text import one_line
from core.domain.model import Finding
from tui.view_models.fitting import short_file
from tui.view_models.headings import Part
from tui.view_models.rows import Row, RowGroup, Rows
from tui.view_models.style import Cell, TableColumn

_LEAST_SHARED = 16
"""Fewer characters are no sentence without the rest."""
_ENDS = (" ", "/")
"""The characters behind which a text can be divided."""
_COLUMNS = (
    TableColumn("what is wrong", 32, share=2),
    TableColumn("fix", 4),
    TableColumn("test", 28, yields=1, elide=True, ids=True),
    TableColumn("where", 20, yields=2, elide=True),
)


def finding_rows(findings: Sequence[Finding], shared: Mapping[str, str], fixed: Collection[str] = ()) -> Rows[Finding]:
    """Findings without their `shared_words`, which are above them.

    `fixed` are the keys of those whose fix is among the pending changes.
    """

    def cells(one: Finding) -> Row:
        # The line below has the whole path.
        file = short_file(one.file).rpartition("/")[2]
        fix = "done" if _key(one) in fixed else "yes" if one.fix else ""
        return (
            [Cell(one_line(one.message)[len(shared.get(one.kind, "")) :])],
            [Cell(fix, "pass" if one.fix else "")],
            [Cell(one_line(one.id), "dim")],
            [Cell(f"{file}:{one.line}" if one.line else file, "dim")],
        )

    return Rows(findings, _COLUMNS, cells, key=_key, id=lambda one: one.id, marked=lambda one: _key(one) in fixed)


def _key(one: Finding) -> str:
    return f"{one.kind} {one.file}:{one.line}:{one.column} {one.message}"


def shared_words(findings: Sequence[Finding]) -> Mapping[str, str]:
    """The words that all messages of a kind begin with, by kind, if there are any."""
    return {kind: words for kind, rows in _by_kind(findings).items() if (words := _beginning(findings, rows))}


def _by_kind(findings: Sequence[Finding]) -> Mapping[str, Sequence[int]]:
    by_kind: dict[str, list[int]] = defaultdict(list)
    for row, one in enumerate(findings):
        by_kind[one.kind].append(row)
    return by_kind


def _beginning(findings: Sequence[Finding], rows: Sequence[int]) -> str:
    """The whole words, or directories, that the messages of several findings begin with."""
    messages = [one_line(findings[row].message) for row in rows]
    if len(messages) < 2:
        return ""
    same = os.path.commonprefix(messages)  # noqa: RUF071 - of texts, letter by letter
    if len({*messages}) == 1:
        return same
    words = same[: max(map(same.rfind, _ENDS)) + 1]
    return words if len(words) >= _LEAST_SHARED else ""


def said_of_all(words: str) -> str:
    """A shared beginning as a sentence, with a sign that the rows go on."""
    return f"{words}…" if words.endswith(_ENDS) else words


def finding_groups(findings: Sequence[Finding], shared: Mapping[str, str], helps: Mapping[str, str]) -> list[RowGroup]:
    """The findings by kind, in their order; `helps` says what each kind is, where no `shared_words` say it."""

    def heading(kind: str) -> Sequence[Cell]:
        words = said_of_all(shared[kind]) if kind in shared else helps.get(kind, "")
        return Cell(kind, "running"), Cell(f"  {words}", "dim")

    return [RowGroup(kind, heading(kind), rows, _parts(findings, rows)) for kind, rows in _by_kind(findings).items()]


def _parts(findings: Sequence[Finding], rows: Sequence[int]) -> Sequence[Part]:
    """Those with a fix, and the others."""
    fixes = sum(bool(findings[row].fix) for row in rows)
    return Part(fixes, "pass"), Part(len(rows) - fixes, "dim", "░")
