# SPDX-License-Identifier: Apache-2.0
"""The two sides of a comparison: two runs, or op cases on two backends."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from core.base.errors import UsageError
from core.base.text import counted, one_line
from core.evidence.analysis import BackendComparison, BackendKind, Difference, DifferenceKind, OnTwoBackends
from core.workspace import Evidence, RunsCompared
from tui.view_models import (
    RowGroup,
    Rows,
    backend_rows,
    backend_sides,
    commit_words,
    difference_groups,
    difference_rows,
    sides,
)

Words = list[tuple[str, str]]
"""Texts with their styles, a line or a paragraph each."""
NO_RUNS = "A run is a nightly, or a batch of device runs here: `ttmatrix ingest PATH --run-name NAME` adds one."


class Pair(Protocol):
    """Two things that were compared."""

    @property
    def names(self) -> tuple[str, str]:
        """The names of both sides; empty where there are fewer than two."""
        ...

    @property
    def choices(self) -> Sequence[str]:
        """All that each could be."""
        ...

    @property
    def missing(self) -> str:
        """Advice for where there are fewer than two."""
        ...

    @property
    def heading(self) -> str:
        """Both names, and what is not listed."""
        ...

    @property
    def kinds(self) -> Sequence[str]:
        """The kinds of differences, in their order."""
        ...

    @property
    def counts(self) -> Mapping[Any, int]:
        """The number of differences of each kind."""
        ...

    def rows(self, kind: str) -> Rows[Any]:
        """The differences of a kind; empty: of all kinds."""
        ...

    def groups(self, listed: Sequence[Any]) -> Sequence[RowGroup]:
        """The rows of these differences in groups; empty: they are in none."""
        ...

    def words(self, row: int, kind: str) -> Words:
        """All about the difference in that row of these."""
        ...


@dataclass(frozen=True)
class RunPair:
    """Two runs, with the commits between them."""

    found: RunsCompared
    choices: Sequence[str]
    kinds: Sequence[str] = tuple(DifferenceKind)
    missing: str = ""

    @property
    def names(self) -> tuple[str, str]:
        return self.found.before, self.found.after

    @property
    def heading(self) -> str:
        before, after = map(one_line, self.names)
        return f"{before} → {after}   {self.found.comparison.passing:,} pass in both"

    @property
    def counts(self) -> Mapping[Any, int]:
        return self.found.comparison.counts

    def rows(self, kind: str) -> Rows[Difference]:
        return difference_rows([one for one in self.found.comparison.differences if kind in ("", one.kind)])

    def groups(self, listed: Sequence[Difference]) -> Sequence[RowGroup]:
        return difference_groups(listed)

    def words(self, row: int, kind: str) -> Words:
        listed = self.rows(kind).items
        words = sides(listed[row]) if row < len(listed) else []
        commits = commit_words("tt-xla", self.found.commits), commit_words("models", self.found.models)
        return [*words, ("", ""), *commits[0], *commits[1]]


@dataclass(frozen=True)
class BackendPair:
    """Op cases on two backends."""

    ids: Sequence[str]
    found: BackendComparison
    choices: Sequence[str]
    kinds: Sequence[str] = tuple(BackendKind)
    missing: str = ""

    @property
    def names(self) -> tuple[str, str]:
        return self.found.first, self.found.second

    @property
    def heading(self) -> str:
        first, second = map(one_line, self.names)
        return f"{counted(len(self.ids), 'op case')}: {first} → {second}"

    @property
    def counts(self) -> Mapping[Any, int]:
        return self.found.counts

    def rows(self, kind: str) -> Rows[OnTwoBackends]:
        return backend_rows([one for one in self.found.cases if kind in ("", one.kind)], self.names)

    def groups(self, listed: Sequence[OnTwoBackends]) -> Sequence[RowGroup]:
        return ()

    def words(self, row: int, kind: str) -> Words:
        listed = self.rows(kind).items
        return backend_sides(listed[row], self.names) if row < len(listed) else []


@dataclass(frozen=True)
class NoPair:
    """Nothing to compare, and why."""

    missing: str
    names: tuple[str, str] = ("", "")
    choices: Sequence[str] = ()
    heading: str = ""
    kinds: Sequence[str] = ()
    counts: Mapping[Any, int] = field(default_factory=dict)

    def rows(self, kind: str) -> Rows[Difference]:
        return difference_rows(())

    def groups(self, listed: Sequence[Difference]) -> Sequence[RowGroup]:
        return ()

    def words(self, row: int, kind: str) -> Words:
        return []


@dataclass(frozen=True)
class Question:
    """Two runs, or op cases, to compare."""

    names: tuple[str, str] | None = None
    """The two that were chosen; None: the last two runs, or eager and another backend."""
    neighbour_of: str = ""
    """A run that is to be compared with the one before it."""
    cases: tuple[str, ...] = ()
    """Op cases, to be compared on two backends; none: runs are compared."""

    def with_names(self, names: tuple[str, str]) -> "Question":
        return replace(self, names=names)

    def answer(self, evidence: Evidence) -> Pair:
        """Compare them. Not for the app's own thread."""
        if self.cases:
            return self._on_backends(evidence)
        beside = evidence.with_neighbour(self.neighbour_of) if self.neighbour_of else None
        names = self.names or beside or evidence.last_two_runs()
        return RunPair(evidence.compare(*names), evidence.results.runs()) if names else NoPair(NO_RUNS)

    def _on_backends(self, evidence: Evidence) -> Pair:
        try:
            found = evidence.compare_cases(self.cases, self.names or ())
        except UsageError as error:
            return NoPair(f"{error.detail} Run the op cases on two backends, then compare them.")
        return BackendPair(self.cases, found.comparison, found.backends)
