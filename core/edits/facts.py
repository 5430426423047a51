# SPDX-License-Identifier: Apache-2.0
"""What results show about one cell, as a proposal cites it; and the lines that a person reads of such facts."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from core.base.checked_numbers import finite
from core.base.text import counted, one_line, pcc_text
from core.edits.apply import Fields, fields_after
from core.edits.operations import Operation
from core.matrix import resolve, with_fields
from core.runs import signature

MOST_GRADE = 5
"""The highest grade of evidence; the lowest is 1."""
_INDENT = "  "
_SHORT = 10
_MOST_TESTS = 20
"""So many tests whose numbers differ have a line each."""
_MOST_JOBS = 4


def grade_line(grade: int | None, why: str) -> str:
    """`grade 4 of 5: failed twice in a row on n150`; empty without a grade."""
    return f"grade {grade} of {MOST_GRADE}{f': {one_line(why)}' if why else ''}" if grade else ""


@dataclass(frozen=True, slots=True)
class RunFacts:
    """One run, as a person cites it."""

    run: str
    day: str = ""
    """`2026-11-24`; empty: unknown."""
    url: str = ""
    """The page of the run; empty: unknown, as for reports from files."""
    job_url: str = ""
    """The page of the job that ran the cell."""

    @property
    def words(self) -> str:
        """`nightly-812 (2026-11-24)`"""
        return f"{one_line(self.run)} ({self.day})" if self.day else one_line(self.run)


@dataclass(frozen=True, slots=True)
class CommitRange:
    """The commits of one repository between two results."""

    repository: str
    before: str
    after: str
    count: int | None = None
    """None: the clone does not have them."""
    url: str = ""
    """A page that compares both; empty: unknown."""

    @property
    def words(self) -> str:
        """`tt-xla 0123abcdef..4567cdef01: 7 commits, https://github.com/...`"""
        if self.before == self.after:
            return f"{self.repository} is the same: {self.after[:_SHORT]}"
        count = "" if self.count is None else f": {counted(self.count, 'commit')}"
        span = f"{self.repository} {self.before[:_SHORT]}..{self.after[:_SHORT]}{count}"
        return f"{span}, {self.url}" if self.url else span


@dataclass(frozen=True, slots=True)
class CellFacts:
    """What the results of one cell show since its behaviour changed, and what they were before."""

    id: str
    arch: str
    ending: str
    """How it ends, as people say it; `missing`: it has no result any more."""
    cause: str
    """The failure, as its newest result says it; empty: there is none, or none is said."""
    results: int
    """So many results since the change; what is missing has none."""
    agreeing: int
    """How many of them end like that."""
    hosts: tuple[str, ...]
    since: RunFacts
    """The first run that shows it."""
    before: RunFacts | None = None
    """The last run before that; None: unknown."""
    commits: tuple[CommitRange, ...] = ()
    """Between the two."""
    gate_before: float | None = None
    """The threshold of the PCC in the entry; None: it is not checked."""
    gate_after: float | None = None
    lowest: float | None = None
    """The lowest PCC; None: none was measured."""
    guidance: tuple[str, ...] = ()
    """Upstream's tags of these results."""

    @property
    def numbers(self) -> str:
        """`n150 inaccurate 3 of 3, gate 0.99 -> 0.97, lowest 0.9783`"""
        how = f" {self.agreeing} of {self.results}" if self.results else ""
        parts = [f"{self.arch} {self.ending}{how}"]
        before, after = map(_gate, (self.gate_before, self.gate_after))
        if before != after:
            parts.append(f"gate {before} -> {after}")
        elif self.lowest is not None:
            parts.append(f"gate {before}")
        if self.lowest is not None:
            parts.append(f"lowest {pcc_text(self.lowest)}")
        return ", ".join(parts)


def gate(fields: Fields | None, arch: str) -> float | None:
    """The threshold of the PCC that an entry with these fields asks for on an arch; None: it is not checked."""
    entry = with_fields(None, fields or {})
    checked = resolve(entry, "assert_pcc", arch).value is not False
    return finite(resolve(entry, "required_pcc", arch).value) if checked else None


def with_gates(facts: Iterable[CellFacts], fields: Fields | None, operations: Iterable[Operation]) -> list[CellFacts]:
    """`facts` with the thresholds of an entry before and after these operations: a person may have changed them."""
    then = fields_after(fields, operations)
    return [replace(one, gate_before=gate(fields, one.arch), gate_after=gate(then, one.arch)) for one in facts]


Cited = str | CellFacts
"""What justifies a change: a line of text, or facts."""


def evidence_lines(cited: Iterable[Cited]) -> list[str]:
    """Lines of text as they are, then a paragraph for each change of behaviour, with a part for each cause.

    What tests have in common is said once. Inner lines are indented.
    """
    texts: list[str] = []
    changes: dict[str, dict[str, list[CellFacts]]] = {}
    for one in cited:
        if not isinstance(one, str):
            before = one.before.run if one.before else ""
            changes.setdefault(one.since.run, {}).setdefault(before, []).append(one)
        # Inner lines belong to the one above, so the same may come again.
        elif (line := one_line(one)) not in texts or line.startswith(_INDENT):
            texts.append(line)
    return [*texts, *(line for befores in changes.values() for line in _changes([*befores.values()]))]


def _changes(befores: Sequence[Sequence[CellFacts]]) -> Iterator[str]:
    """What began in one run, whose name is said once, after each run that came before."""
    since = befores[0][0].since
    said = ", ".join(filter(None, (f"since {since.words}" if since.run else "since an unnamed run", since.url)))
    for cells in befores:
        before = cells[0].before
        yield said + (f"; before that: {before.words}" if before else "")
        yield from _change(cells)
        said = "also since then"


def _change(cells: Sequence[CellFacts]) -> Iterator[str]:
    for commits in dict.fromkeys(span for one in cells for span in one.commits):
        yield f"{_INDENT}{commits.words}"
    causes: dict[tuple[str, str], list[CellFacts]] = {}
    for one in cells:
        causes.setdefault((one.ending, signature(one.cause)), []).append(one)
    for (ending, cause), found in causes.items():
        texts = {one.cause for one in found}
        yield from (f"{_INDENT}{line}" for line in _cause(ending, texts.pop() if len(texts) == 1 else cause, found))


def _cause(ending: str, cause: str, cells: Sequence[CellFacts]) -> Iterator[str]:
    tests: dict[str, list[CellFacts]] = {}
    for one in cells:
        tests.setdefault(one.id, []).append(one)
    hosts = {host for one in cells for host in one.hosts}
    whom = [counted(len(tests), "test")] if len(tests) > 1 else []
    where = [counted(len(hosts), "host")] if hosts else []
    yield ": ".join(filter(None, (", ".join((*whom, ending, *where)), one_line(cause))))
    yield from (f"{_INDENT}{line}" for line in _numbers(tests))
    if guidance := dict.fromkeys(tag for one in cells for tag in one.guidance):
        yield f"{_INDENT}guidance: {', '.join(map(one_line, guidance))}"
    jobs = [*dict.fromkeys(one.since.job_url for one in cells if one.since.job_url)]
    if jobs:
        more = f" and {len(jobs) - _MOST_JOBS:,} more" if len(jobs) > _MOST_JOBS else ""
        yield f"{_INDENT}{'job' if len(jobs) == 1 else 'jobs'}: {' '.join(jobs[:_MOST_JOBS])}{more}"


def _numbers(tests: Mapping[str, Sequence[CellFacts]]) -> Iterator[str]:
    """The numbers of each test by arch; once where all have the same."""
    said = {id: "; ".join(one.numbers for one in cells) for id, cells in tests.items()}
    if len(set(said.values())) == 1:
        yield next(iter(said.values()))
        return
    for id, words in list(said.items())[:_MOST_TESTS]:
        yield f"{one_line(id)}: {words}"
    rest = [one for id in list(said)[_MOST_TESTS:] for one in tests[id]]
    if rest:
        yield f"and {counted(len(said) - _MOST_TESTS, 'more test')}{_lowest(rest)}"


def _lowest(cells: Collection[CellFacts]) -> str:
    found = [one.lowest for one in cells if one.lowest is not None]
    return f", lowest {pcc_text(min(found))}" if found else ""


def _gate(value: float | None) -> str:
    return "off" if value is None else f"{value:g}"
