# SPDX-License-Identifier: Apache-2.0
"""What every kind of rows is, with what most of them have in common."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import core.evidence.verdicts as verdicts
from core import evidence, kinds
from core.base.errors import TTMatrixError, UsageError
from core.domain.model import Function, Status
from core.matrix import NO_ARCH, JobOfRow, Matrix, OtherRows, OwnColumn, OwnLayout, with_rows_at_once
from core.matrix.query import Field, Query
from core.runs import planning

if TYPE_CHECKING:
    from core.base.files import Record
    from core.base.settings import Settings
    from core.domain.ids import TestId
    from core.domain.model import ModelInfo
    from core.evidence import Observation, Results
    from core.evidence.verdicts import Judgement, Policy
    from core.kinds.records import Row
    from core.matrix.cache import Cache
    from core.runs import RunSpec
    from core.runs.planning import LaunchPlan
    from core.runs.store import RunRecord
    from core.sources import Checkout
    from core.sources.ci import Job
    from core.workspace import Workspace, once

EVERY = ("status", "kind", "area", "is", "reason", "file")
"""The fields that all kinds have, besides their ids."""


class Written(Enum):
    """Where what is expected of rows is written, which decides how it is edited."""

    ENTRY = "entries of test_config"
    MANIFEST = "cases of manifests"
    PLACEHOLDER = "the file of placeholders"
    ELSEWHERE = "files that are not edited here"


class Launch(Enum):
    """How runs of rows are chosen."""

    TEST = "with the options of tests of models"
    BACKENDS = "on backends"
    ALONE = "nothing is to be chosen: `Kind.plan` needs nothing but ids"
    NEVER = "there is nothing to run"


class Section(NamedTuple):
    """A part of what is said about a row: lines of a name and a value, under a title."""

    title: str
    lines: tuple[tuple[str, str], ...]


Apart = Callable[..., Any]
"""Calls a function with arguments, perhaps in a process of its own."""


def here(function: Callable[..., Any], *given: Any) -> Any:
    """Call it here."""
    return function(*given)


class Table(NamedTuple):
    """Rows of one kind in columns of their own."""

    head: tuple[str, ...]
    lines: Sequence[tuple[str, ...]]
    note: str
    """How many they are, of how many."""
    empty: str = ""
    """What is said instead of a table without lines; empty: nothing."""


class Page(NamedTuple):
    """What is said about a row as a table of facts, and what follows it."""

    facts: Sequence[tuple[str, str]]
    more: Sequence[str] = ()
    note: str = ""


@dataclass(frozen=True)
class Source:
    """What the runs of rows are planned from."""

    cache: "Cache"
    settings: "Settings"
    runs: Path
    arch: str = ""
    kind: str = ""
    timeout: float | None = None
    records: "Iterable[RunRecord]" = field(default=())
    """Earlier runs, newest first: they give the expected durations."""

    @property
    def checkout(self) -> "Checkout":
        return self.cache.checkout


class Kind:
    """One kind of rows. A module of a kind has one instance, `KIND`."""

    name: ClassVar[str]
    noun: ClassVar[str]
    written_in: ClassVar[str]
    fields: ClassVar[Collection[str]] = EVERY
    own_fields: ClassVar[Sequence[Field]] = ()
    own_columns: ClassVar[Sequence[OwnColumn]] = ()
    columns: ClassVar[tuple[str, ...]] = ("id", "reason", "file")
    short_ids: ClassVar[bool] = False
    facets: ClassVar[tuple[str, ...]] = ()
    groupings: ClassVar[tuple[str, ...]] = ()
    layouts: ClassVar[Sequence[OwnLayout]] = ()
    overview: ClassVar[Mapping[str, str]] = {}
    same_in_all: ClassVar[Mapping[str, str]] = {}
    areas: ClassVar[tuple[str, ...]] = ()
    """The areas of its rows: a query for one of them asks for the kind. Of several, the path of a row decides."""
    listed: ClassVar[bool] = False
    """Whether a list has its rows even if the query does not ask for them."""
    real: ClassVar[bool] = True
    """Whether there is something to run or to edit, not only a plan to add it."""
    collected: ClassVar[bool] = False
    """Whether the runner of models collects its rows, so that presets select them as they do model tests."""
    launch: ClassVar[Launch] = Launch.NEVER
    written: ClassVar[Written] = Written.ELSEWHERE
    on_backends: ClassVar[bool] = False
    """Whether its rows run on backends, several of which can be compared, not on archs."""
    no_ops: ClassVar[str] = "This works only for tests of models."
    """Why the ops of a row cannot be extracted; empty: they can."""

    from_reports: ClassVar[bool] = False
    """Whether its rows are known from reports, and change with these."""

    own_table: ClassVar[bool] = True
    """Whether a list of such rows alone is printed as `table` has it, not in the columns of model tests."""
    in_views: ClassVar[bool] = True
    """Whether a list of such rows takes a saved view."""
    own_commands: ClassVar[str] = ""
    """How to see the commands that are about its rows, where those about tests of models are not; empty: none are."""

    @property
    def id_title(self) -> str:
        """The title of a column of its ids."""
        return self.noun

    def asked_by(self, query: Query) -> bool:
        """Whether a query asks for rows of this kind: by its name, by what all of them have, by an area, or by a field
        that no other kind has.
        """
        wanted = [value.lower() for value in query.values_of("area")]
        if any(value in area.lower() for value in wanted for area in self.areas):
            return True
        named = {**self.same_in_all, "kind": self.name}
        own = (one.name for one in self.own_fields)
        return any(query.asks(field, text) for field, text in named.items()) or any(map(query.values_of, own))

    def rows_at_once(self, matrix: Matrix, cache: "Cache") -> OtherRows | None:
        """The rows that go with `matrix`, if reading them takes no noticeable time; None: there are none."""
        return None

    def cached(self, matrix: Matrix, cache: "Cache", settings: "Settings") -> Matrix | None:
        """`matrix` with the rows of this kind; None: their files would have to be read."""
        return with_rows_at_once(matrix, cache, (self.name,))

    def read(self, matrix: Matrix, cache: "Cache", settings: "Settings", apart: Apart = here) -> Matrix:
        """As `cached`; what would have to be read is read by a function that `apart` calls."""
        return self.cached(matrix, cache, settings) or matrix

    def awaited(self, query: Query) -> bool:
        """Whether the first frame waits for rows that are not cached, as they are what a query is about."""
        return bool(query.terms) if self.listed else self.asked_by(query)

    def directories(self, settings: "Settings") -> Sequence[str]:
        """The directories of its files, in which a change is noticed; those of CI and of entries are watched anyway."""
        return ()

    def add(self, matrix: Matrix, on: "Workspace") -> Matrix:
        """`matrix` with the rows of this kind; reads them, if they are not cached."""
        return with_rows_at_once(matrix, on.cache, (self.name,))

    def find(self, text: str, on: "Workspace") -> str:
        """The id of the row that a text names, wholly or in part; empty: of none. Raises UsageError if of several."""
        if not text.startswith(f"{self.name}::"):
            return ""
        rows = self.add(on.matrix, on).of_kind(self.name)
        ids = rows.ids if rows else ()
        found = [text] if text in ids else [id for id in ids if text.lower() in id.lower()]
        if len(found) > 1:
            raise UsageError(f"{text!r} matches {len(found)} rows", "\n".join(found[:5]), "Give the whole id.")
        if not found:
            raise UsageError(f"There is no {self.noun} {text!r}", hint=f"See: ttmatrix list --kind {self.name}")
        return found[0]

    def chosen(self, text: str, on: "Workspace") -> Sequence[str]:
        """The ids of the rows that an argument of `run` names; empty: of none. Raises as `find` does."""
        id = "" if self.launch is Launch.NEVER else self.find(text, on)
        return (id,) if id else ()

    def details(self) -> "Sequence[once[Any]]":
        """What of the workspace is said about a row besides what its columns hold: it is read first."""
        return ()

    def sections(self, matrix: Matrix, id: str, on: "Workspace") -> Sequence[Section]:
        """What is known of a row by now, besides its jobs. Never waits."""
        row = matrix.rows[id]
        file = matrix.columns["file"][row]
        own = [(one.title, value) for one in self.own_columns if (value := self.text(matrix, row, one.name))]
        reason = [("reason", text)] if (text := matrix.columns["reason"][row]) else []
        return (Section("", (*own, *reason, ("written in", f"{file}:{matrix.line_of(row)}"))),)

    def records(
        self, matrix: Matrix, ids: Sequence[str], on: "Workspace", arch: str = "", *, broken: bool = False
    ) -> "Sequence[Row]":
        """Rows as `list` prints them as JSON, in the order of `ids`; `arch` is the one whose values count, and `broken`
        includes what its files have and what is no row because of a mistake.
        """
        return [kinds.other_row(self, matrix, id, on) for id in ids]

    def table(self, matrix: Matrix, ids: Sequence[str], on: "Workspace", *, broken: bool = False) -> Table:
        """Rows as `list` prints them alone; `broken` as for `records`."""
        return kinds.own_table(self, matrix, ids)

    def problems(self, on: "Workspace") -> Sequence[str]:
        """What a list of such rows says of mistakes in their files."""
        return ()

    def words_of_before(self, words: Sequence[str], understood: "Callable[[str], object]") -> list[str]:
        """Words of a query as they are written now; `understood` raises QueryError for a text that is no query."""
        return [*words]

    def page(self, matrix: Matrix, id: str, on: "Workspace") -> Page | None:
        """What `show` prints of a row; None: its sections, jobs and results."""
        return None

    def shown(self, matrix: Matrix, id: str, on: "Workspace") -> "Record":
        """Everything about a row as `show` prints it as JSON."""
        return kinds.shown_row(self, matrix, id, on)

    def results(self, id: str, on: "Workspace") -> "Sequence[Observation]":
        """The results of a row in reports and of runs here, newest first, that the verdicts on the matrix leave out."""
        if self.launch is not Launch.ALONE:
            return ()
        return evidence.handwritten_observations(on.checkout, on.paths, on.store.ended(), id)

    def reported_ids(self, matrix: Matrix, reported: Collection[str]) -> Mapping[str, Sequence[str]]:
        """By row the ids that its results have, of those that are `reported` or of runs here; only rows with any whose
        results are not those of the verdicts on the matrix.
        """
        rows = matrix.of_kind(self.name) if self.launch is Launch.ALONE else None
        return {id: (id,) for id in rows.ids if id in reported} if rows else {}

    def all_judged(self, on: "Workspace", results: "Results", policy: "Policy") -> "Mapping[str, Sequence[Judgement]]":
        """The verdicts on all rows of which `results` of tests beside the matrix say something, by id."""
        if not results.cells:
            return {}
        matrix = self.add(on.whole_table, on)
        ids = self.reported_ids(matrix, results.cells)
        window, least = max(policy.window, policy.minimum_runs), policy.minimum_runs
        wanted = [one for names in ids.values() for one in names]
        recent = results.recent(wanted, (Function.HANDWRITTEN,), window, least, count_older=False)
        rows = {id: found.rows for id, found in recent}
        seen = {id: [row for one in names for row in rows.get(one, ())] for id, names in ids.items()}
        newest_first = {id: sorted(found, key=lambda row: row.when, reverse=True) for id, found in seen.items()}
        return {id: self.judged(matrix, id, self.own(matrix, id, found), policy) for id, found in newest_first.items()}

    def row_ids(self, on: "Workspace", found: "Sequence[Observation]") -> Sequence[str]:
        """The id of the row of each result; of one that is of no row of the kind, that of the result."""
        matrix = self.add(on.whole_table, on)
        rows: dict[str, list[str]] = {}
        for id, names in self.reported_ids(matrix, {row.test_id for row in found}).items():
            for name in names:
                rows.setdefault(name, []).append(id)
        return [
            next((id for id in rows.get(row.test_id, ()) if self.own(matrix, id, [row])), row.test_id) for row in found
        ]

    def own(self, matrix: Matrix, id: str, found: "Sequence[Observation]") -> "Sequence[Observation]":
        """Those of results with its ids that are of a row: several may have one test."""
        return found

    def judged(self, matrix: Matrix, id: str, found: "Sequence[Observation]", policy: "Policy") -> "list[Judgement]":
        """What results of a row, newest first, mean for what is expected of it: a verdict on each arch."""
        status = Status(matrix.status[NO_ARCH][matrix.rows[id]] or Status.EXPECTED_PASSING)
        return verdicts.judge_alone(id, status, reversed(found), policy)

    def text(self, matrix: Matrix, row: int, name: str) -> str:
        """The value of a column of the kind's own."""
        return " ".join(matrix.flags[name][row]) if name in matrix.flags else matrix.columns[name][row]

    def of_model(self, test: "TestId", info: "ModelInfo | None", on: "Workspace") -> tuple[str, str] | None:
        """What rows of this kind say about a test of a model, with the name of that; None: nothing."""
        return None

    def job_lines(self, matrix: Matrix, id: str, on: "Workspace") -> Sequence[str] | None:
        """A line for each job of CI that runs a row; None: that is not read yet. Never waits."""
        return [job.text for job in self.jobs(matrix, id, on)]

    def jobs(self, matrix: Matrix, id: str, on: "Workspace") -> Sequence[JobOfRow]:
        """The jobs of CI that run a row."""
        rows = matrix.of_kind(self.name)
        return rows.jobs.get(id, ()) if rows else ()

    def selected_by(self, rows: OtherRows) -> object:
        """What decides which jobs of the presets select each of `rows`, as a value; None: presets select none."""
        return None

    def selected(self, rows: OtherRows, jobs: Iterable["Job"], cache: "Cache") -> Mapping[str, Iterable["Job"]]:
        """Those of `jobs`, which presets define, that select each of `rows`, by id."""
        return {}

    def model_texts(self, rows: OtherRows) -> Mapping[str, Iterable[str]]:
        """Texts of columns of models (`core.providers.models`) for each of `rows`."""
        return {}

    def node_id(self, id: str, matrix: Matrix) -> str:
        """What pytest takes for a row."""
        return id

    def planner(self, source: Source) -> "Callable[[str], RunSpec]":
        """Plans a run of one row, which it raises TTMatrixError for if that cannot run; what all need is read once."""
        raise UsageError(f"A {self.noun} cannot be run so")

    def plan(self, ids: Iterable[str], source: Source) -> "LaunchPlan":
        """Runs of rows as one batch, with warnings, and why others cannot run. Not for the UI thread."""
        plan_one = self.planner(source)
        specs: list[RunSpec] = []
        refused: list[TTMatrixError] = []
        for id in ids:
            try:
                specs.append(plan_one(id))
            except TTMatrixError as error:
                refused.append(error)
        batch = planning.as_batch(planning.with_estimates(specs, source.records, {}))
        return planning.look_ahead(batch, source.settings, refused, runs=source.runs)
