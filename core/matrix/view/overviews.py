# SPDX-License-Identifier: Apache-2.0
"""The numbers of the overview of a matrix, each with a link to the tests or findings it counts."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from core.domain.model import Finding, Status
from core.matrix.matrix import NO_ARCH, Matrix
from core.matrix.query import Learned, Query, needs, select
from core.matrix.row_kinds import RowKind, all_kinds
from core.matrix.view.grid import Grid, grid
from core.matrix.view.tally import DECLARED, Tally


class Place(StrEnum):
    """The view that a link opens."""

    TESTS = "tests"
    FINDINGS = "findings"
    RUNS = "runs"
    EDITS = "edits"
    HOSTS = "hosts"


class Part(StrEnum):
    """The titles of the sections, in the order of a morning; those of kinds of rows, such as op cases, come last."""

    NIGHT = "last night"
    DECIDE = "waits for you"
    HERE = "here"
    ARCHS = "tests by arch and status"
    WORK = "tests by parallelism and mode"
    LOOK = "worth a look"
    DOCTOR = "what doctor finds"


@dataclass(frozen=True, slots=True)
class Link:
    """The target of a number: the tests that the query `words` selects, or the findings of the kind `words`."""

    place: Place
    words: str = ""


@dataclass(frozen=True, slots=True)
class Number:
    """A count of the target of its link."""

    count: int
    link: Link


@dataclass(frozen=True, slots=True)
class Row:
    """Named numbers. A column without a number is None."""

    label: str
    numbers: tuple[Number | None, ...]
    bar: Tally = field(default_factory=dict)
    """The bar drawn for the row; empty: none."""


@dataclass(frozen=True, slots=True)
class Section:
    """Rows of numbers with the same column heads."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[Row, ...]


TO_LOOK_AT: Mapping[str, str] = {
    "xfail, no issue": "status:xfail !has:issue",
    "xfail, no reason": "status:xfail !has:reason",
    "skip, no reason": "status:skip !has:reason",
    "differs by arch": "is:mixed",
    "PCC below 0.99": "pcc:<0.99",
    "PCC not asserted": "assert_pcc:false",
    "entry, no test": "is:stray",
    "several entries": "is:duplicate",
    "status overridden": "is:shadowed",
    "entry in no CI job": "has:entry job:none",
}
"""Queries for tests that somebody should look at, by title."""

LAST_NIGHT: Mapping[str, str] = {
    "new failures": "turned:broke",
    "fixed": "turned:fixed",
    "gone": "verdict:missing",
    "as expected": "night:as-expected",
    "not as expected": "night:unexpected",
    "passed": "night:passed",
}
"""Queries for what the last day with results says: of what turned in it, of what is gone from the reports of its job,
and how the result of a test ended on any arch, where a known failure that fails is as expected.
"""

TO_DECIDE: Mapping[str, str] = {
    "fail, should pass": "verdict:regressed",
    "pass, should fail": "is:stale",
    "fail differently": "verdict:drifted",
    "crash, hang, flaky": "verdict:crash,hang,flaky",
    "PCC threshold": "verdict:pcc-loose,pcc-tight",
    "to adopt": "verdict:new",
}
"""Queries for pending decisions, as triage proposes them."""

LEARNED = tuple(
    dict.fromkeys(
        name
        for words in (*LAST_NIGHT.values(), *TO_DECIDE.values(), *TO_LOOK_AT.values())
        for name in needs(Query.parse(words))
    )
)
"""The providers of `core.providers.base` that some of the numbers need; without their facts they are left out."""


def overview(matrix: Matrix, learned: Learned = MappingProxyType({})) -> tuple[Section, ...]:
    """The numbers of the tests, as far as the facts in `learned` allow."""
    models = matrix.model_tests
    sections = (
        _asked(Part.NIGHT, LAST_NIGHT, models, learned),
        _asked(Part.DECIDE, TO_DECIDE, models, learned),
        _statuses(models),
        _work(models),
        _asked(Part.LOOK, TO_LOOK_AT, models, learned),
    )
    if matrix.models is None:
        return sections
    others = (_of_kind(kind, matrix) for name, kind in all_kinds().items() if kind.overview and matrix.kinds[name])
    return (*(_of_models(section) for section in sections), *others)


def not_counted() -> tuple[Section, ...]:
    """The sections of a morning while nothing is counted yet."""
    asked = ((Part.NIGHT, LAST_NIGHT), (Part.DECIDE, TO_DECIDE))
    return tuple(Section(title, ("",), tuple(Row(label, (None,)) for label in words)) for title, words in asked)


def has_results(sections: Iterable[Section]) -> bool:
    """Whether any test has a result, or this is not known yet."""
    night = next((one for one in sections if one.title == Part.NIGHT), None)
    return night is None or any(number is None or number.count for row in night.rows for number in row.numbers)


def _of_models(section: Section) -> Section:
    """A section with links that leave out op cases, as its numbers do."""
    rows = (
        Row(
            row.label,
            tuple(None if one is None else _tests(one.count, f"kind:model {one.link.words}") for one in row.numbers),
            row.bar,
        )
        for row in section.rows
    )
    return Section(section.title, section.heads, tuple(rows))


def _of_kind(kind: RowKind, matrix: Matrix) -> Section:
    """The numbers of the rows of one kind."""
    queries = ((label, Query.parse(f"kind:{kind.name} {terms}")) for label, terms in kind.overview.items())
    found = ((label, len(select(matrix, query)), str(query)) for label, query in queries)
    return Section(
        f"{kind.noun}s", ("",), tuple(Row(one, (_tests(count, text),)) for one, count, text in found if count)
    )


def findings_section(findings: Iterable[Finding]) -> Section:
    """The number of findings of each kind, the most frequent kind first."""
    counted = Counter(one.kind for one in findings).most_common()
    rows = tuple(Row(kind, (Number(count, Link(Place.FINDINGS, kind)),)) for kind, count in counted)
    everything = Row("all kinds", (Number(sum(count for _, count in counted), Link(Place.FINDINGS)),))
    return Section(Part.DOCTOR, ("",), (everything, *rows))


def _statuses(matrix: Matrix) -> Section:
    """A row for each arch, and one for the tests with a status on any arch."""
    by_arch = grid(matrix, Query(), NO_ARCH, "parallelism")
    words = [("all", ""), *((status, f"status:{status.lower()}") for status in Status)]
    anywhere = [_tests(len(select(matrix, Query.parse(terms))), terms) for _, terms in words]
    rows = [
        Row(
            "any arch",
            tuple(anywhere),
            _declared({word: one.count for (word, _), one in zip(words, anywhere, strict=True)}),
        )
    ]
    for at, arch in enumerate(by_arch.heads):
        numbers = tuple(_cell(by_arch, at, word, terms) for word, terms in words)
        rows.append(Row(arch, numbers, _declared(by_arch.at(0, at))))
    return Section(Part.ARCHS, tuple(word for word, _ in words), tuple(rows))


def _cell(by_arch: Grid, column: int, word: str, terms: str) -> Number:
    counts = by_arch.at(0, column)
    count = counts.get(word, 0) if terms else sum(counts.values())
    return _tests(count, f"{terms} arch:{by_arch.heads[column]}".strip())


def _declared(counts: Tally) -> Tally:
    """The counts of tests with an entry: with the others included, a bar would show nothing else."""
    return {word: counts[word] for word in DECLARED if counts.get(word)}


def _work(matrix: Matrix) -> Section:
    """All tests and those with an entry, by parallelism and mode."""
    every, written = (grid(matrix, Query.parse(terms), NO_ARCH, "work") for terms in ("", "has:entry"))
    heads = tuple(head for mode in every.heads for head in (mode, "entries"))
    rows = []
    for row in range(len(every)):
        numbers: list[Number | None] = []
        for column in range(len(every.heads)):
            query = every.query_of(row, column)
            numbers.append(_tests(sum(every.at(row, column).values()), str(query)))
            entries = _count(written, every.label(row) if row else "", every.heads[column])
            numbers.append(_tests(entries, f"has:entry {query}"))
        rows.append(Row(every.label(row), tuple(numbers)))
    return Section(Part.WORK, heads, tuple(rows))


def _count(cells: Grid, label: str, head: str) -> int:
    """The number of tests in the cell of that label and head; an empty label means the row of totals."""
    row = next((at for at in range(1, len(cells)) if cells.label(at) == label), None) if label else 0
    return 0 if row is None or head not in cells.heads else sum(cells.at(row, cells.heads.index(head)).values())


def _asked(title: str, asked: Mapping[str, str], matrix: Matrix, learned: Learned) -> Section:
    """A row for each query; a query that waits for facts has no number yet."""

    def count(query: Query) -> Number | None:
        if not learned.keys() >= {*needs(query)}:
            return None
        return _tests(len(select(matrix, query, learned=learned)), str(query))

    return Section(title, ("",), tuple(Row(label, (count(Query.parse(words)),)) for label, words in asked.items()))


def _tests(count: int, words: str) -> Number:
    return Number(count, Link(Place.TESTS, words.strip()))
