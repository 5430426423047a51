# SPDX-License-Identifier: Apache-2.0
"""Rows as tables for people. Loaded when rows of another kind than model tests are printed."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from core import edits
from core.base.errors import QueryError
from core.base.text import counted, one_line
from core.kinds import documents, records
from core.kinds.kind import Page, Table
from core.matrix import Matrix
from core.matrix.query import Query, plain

if TYPE_CHECKING:
    from collections.abc import Callable

    from core.evidence import Observation
    from core.kinds.kind import Kind
    from core.matrix import JobOfRow
    from core.sources import ModelInfos
    from core.sources.handwritten import HandwrittenTest, Suite

_SHOWN_TESTS = 12


def own_table(kind: "Kind", matrix: Matrix, ids: Sequence[str]) -> Table:
    """Rows with the columns that only their kind has."""
    names = [one.name for one in kind.own_columns]
    lines = [
        (one_line(id), *(kind.text(matrix, matrix.rows[id], name) for name in names), _place(matrix, id)) for id in ids
    ]
    note = f"{len(ids):,} of {counted(len(matrix.kinds[kind.name]), kind.noun)}"
    return Table(("id", *names, "file:line"), lines, note)


def _place(matrix: Matrix, id: str) -> str:
    row = matrix.rows[id]
    file = matrix.columns["file"][row]
    return f"{file}:{matrix.line_of(row)}" if file else ""


# Op cases


def case_table(found: Sequence[records.OpCase]) -> Table:
    """Op cases, each with what is wrong with it or which other one it is the same as."""
    same = sum(1 for one in found if one.dup_of)
    note = f"{counted(len(found), 'op case')}, {same:,} the same as another"
    lines = [(one.id, one.op or "", one.dtype or "", f"{one.file}:{one.line}", _note(one)) for one in found]
    return Table(("id", "op", "dtype", "file:line", "note"), lines, note, empty="no op cases")


def _note(one: records.OpCase) -> str:
    if one.problem:
        return one.problem
    if one.skip:
        return f"skip: {one.skip}"
    return f"same as {one.dup_of}" if one.dup_of else ""


# Hand-written tests


def handwritten_table(suite: "Suite", ids: Sequence[str]) -> Table:
    """Hand-written tests with their level, their markers, and what is not known of them."""
    tests = {test.node_id: test for test in suite.tests}
    found = [tests[id] for id in ids]
    doubtful = sum(1 for test in found if test.unknown)
    unknown = f"; parameters of {counted(doubtful, 'function')} are not known" if doubtful else ""
    note = f"{len(found):,} of {counted(len(suite.tests), 'hand-written test')}{unknown}"
    return Table(("id", "level", "markers", "file:line", "note"), [*map(_handwritten_cells, found)], note)


def _handwritten_cells(test: "HandwrittenTest") -> tuple[str, ...]:
    markers = " ".join(sorted(test.markers - {"parametrize", "record_test_properties"}))
    note = f"not known: {test.unknown}" if test.unknown else ""
    return one_line(test.node_id), test.level, markers, f"{test.path}:{test.line}", note


def handwritten_page(
    facts: Sequence[tuple[str, str]], jobs: "Sequence[JobOfRow]", found: "Sequence[Observation]"
) -> Page:
    """The facts about a hand-written test, then its jobs and its newest results."""
    lines = [
        *facts,
        *(("job", f"{job.file}: {job.name} on {job.runs_on} ({job.when})") for job in jobs),
        *(("result", documents.result_text(one)) for one in found[: documents.SHOWN_RESULTS]),
    ]
    return Page(lines, note="" if jobs else "No job of CI selects it.")


def handwritten_words(words: Sequence[str], understood: "Callable[[str], object]") -> list[str]:
    """Words as hand-written tests had them before there was one language: a dash excludes, parentheses are letters."""
    words = [f"!{word[1:]}" if word.startswith("-") else word for word in words]
    try:
        understood(" ".join(words))
    except QueryError:
        return [
            str(Query((plain(word),))) if set("()").intersection(word) and ":" not in word else word for word in words
        ]
    return words


# Placeholders


def placeholder_page(matrix: Matrix, infos: "ModelInfos", id: str) -> Page:
    """The fields of a placeholder, and the tests of its model; where it has none, the models that are most like it."""
    (one,) = documents.placeholders_with_tests(matrix, infos, [id])
    fields = ("model", "bringup_status", "reason")
    facts = [*((name, str(getattr(one, name))) for name in fields), ("place", f"{one.file}:{one.line}")]
    if not one.tests:
        near = ", ".join(edits.nearest_models(id, edits.read_models(matrix.model_tests, infos)))
        return Page(facts, note=f"No loader has exactly this model. The nearest: {near or 'none is like it'}")
    left = len(one.tests) - _SHOWN_TESTS
    return Page(
        facts,
        [
            f"\n{counted(len(one.tests), 'test')} of this model can be collected:",
            *(
                f"  {one_line(test)}{'  has an entry' if test in matrix.entries else ''}"
                for test in one.tests[:_SHOWN_TESTS]
            ),
            *([f"  and {left:,} more"] if left > 0 else []),
        ],
    )
