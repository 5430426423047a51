# SPDX-License-Identifier: Apache-2.0
"""Tests that people write by hand, beside those of models."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from core import ci, handwritten, kinds, workspace
from core.domain.areas import AREAS, BENCHMARKS, MODELS, OPS
from core.kinds.kind import EVERY, Apart, Kind, Launch, Page, Section, Source, Table, here
from core.matrix import DEVICE_RUN, HANDWRITTEN_KIND, LEVELS, RUN, JobOfRow, Matrix, OtherRows, OwnColumn, OwnLayout
from core.matrix.query import Choice, made, own_column
from core.sources import ci as ci_files, handwritten as handwritten_files

if TYPE_CHECKING:
    from core.base.files import Record
    from core.base.settings import Settings
    from core.kinds.records import Row
    from core.matrix.cache import Cache
    from core.runs import RunSpec
    from core.sources.ci import Job
    from core.sources.handwritten import HandwrittenTest
    from core.workspace import Workspace, once


class HandwrittenKind(Kind):
    """Tests below `tests/jax`, `tests/torch`, `tests/integrations` and `tests/examples` (`core.handwritten`)."""

    name = HANDWRITTEN_KIND
    noun = "hand-written test"
    written_in = "tests/jax, tests/torch, tests/integrations and tests/examples"
    areas = tuple(area for area in AREAS if area not in (MODELS, BENCHMARKS, OPS))
    fields = (*EVERY, "marker", "job", "verdict")
    own_fields = (
        Choice(
            "level",
            "what a hand-written test runs: op, graph or other",
            made(lambda matrix: own_column(matrix, "level", LEVELS)),
        ),
        Choice(
            "known",
            "yes or no: whether the parameters of a hand-written test are known",
            made(lambda matrix: own_column(matrix, "known", ("yes", "no"))),
        ),
    )
    own_columns = (OwnColumn("level", "level", "what a hand-written test runs: op, graph or other", None),)
    columns = ("id", "level", "status", RUN, DEVICE_RUN, "mark", "reason")
    facets = ("status", "level", "marker", "area")
    groupings = ("file", "level", "status", "reason")
    layouts = (OwnLayout("handwritten", "file", "level", "files of hand-written tests by level"),)
    overview: ClassVar = {"all": "", **{level: f"level:{level}" for level in LEVELS}}
    launch = Launch.ALONE
    in_views = False

    def cached(self, matrix: Matrix, cache: "Cache", settings: "Settings") -> Matrix | None:
        return handwritten.with_cached_handwritten(cache, matrix)

    def read(self, matrix: Matrix, cache: "Cache", settings: "Settings", apart: Apart = here) -> Matrix:
        return handwritten.with_handwritten(cache, matrix, read=lambda cache: apart(handwritten.read_rows, cache))

    def directories(self, settings: "Settings") -> Sequence[str]:
        return handwritten_files.ROOTS

    def add(self, matrix: Matrix, on: "Workspace") -> Matrix:
        return handwritten.with_handwritten(on.cache, matrix)

    def selected_by(self, rows: OtherRows) -> object:
        # Of the rows, not of the tests: to read these takes a tenth of a second and megabytes with each re-index.
        marks = rows.flags["mark"]
        return [(id, marks[row]) for row, id in enumerate(rows.ids)]

    def selected(self, rows: OtherRows, jobs: Iterable["Job"], cache: "Cache") -> Mapping[str, Iterable["Job"]]:
        return handwritten.jobs_by_id(jobs, handwritten.read_tests(cache).tests)

    def find(self, text: str, on: "Workspace") -> str:
        """By node id, or by a part of one that names a Python file."""
        return handwritten.named(handwritten.read_tests(on.cache), text).node_id if handwritten.is_place(text) else ""

    def details(self) -> "Sequence[once[Any]]":
        return (workspace.Workspace.handwritten,)

    def sections(self, matrix: Matrix, id: str, on: "Workspace") -> Sequence[Section]:
        known = self._known(id, on)
        if known is None:
            row = matrix.rows[id]
            return (Section("", (("file", f"{matrix.columns['file'][row]}:{matrix.line_of(row)}"),)),)
        return (Section("", tuple(handwritten.test_lines(known.by_id[id]))),)

    def job_lines(self, matrix: Matrix, id: str, on: "Workspace") -> Sequence[str] | None:
        known = self._known(id, on)
        return None if known is None else [ci.job_name(job) for job in known.jobs_of(id)]

    @staticmethod
    def _known(id: str, on: "Workspace") -> "handwritten.Known | None":
        """The tests in full; None: they are not read yet, or are older than the row."""
        known = on.known(workspace.Workspace.handwritten)
        return known if known is not None and id in known.by_id else None

    def records(
        self, matrix: Matrix, ids: Sequence[str], on: "Workspace", arch: str = "", *, broken: bool = False
    ) -> "Sequence[Row]":
        tests = {test.node_id: test for test in handwritten.read_tests(on.cache).tests} if ids else {}
        return [kinds.handwritten_test(tests[id]) for id in ids]

    def table(self, matrix: Matrix, ids: Sequence[str], on: "Workspace", *, broken: bool = False) -> Table:
        return kinds.handwritten_table(handwritten.read_tests(on.cache), ids)

    def problems(self, on: "Workspace") -> Sequence[str]:
        return [f"{one.kind}: {one.message} ({one.file})" for one in handwritten.read_tests(on.cache).findings]

    def words_of_before(self, words: Sequence[str], understood: "Callable[[str], object]") -> list[str]:
        return kinds.handwritten_words(words, understood)

    def page(self, matrix: Matrix, id: str, on: "Workspace") -> Page | None:
        facts = handwritten.test_lines(self._test(id, on))
        return kinds.handwritten_page(facts, self.jobs(matrix, id, on), self.results(id, on))

    def shown(self, matrix: Matrix, id: str, on: "Workspace") -> "Record":
        return kinds.shown_handwritten(self._test(id, on), self.jobs(matrix, id, on), self.results(id, on))

    def jobs(self, matrix: Matrix, id: str, on: "Workspace") -> Sequence[JobOfRow]:
        triggers, _ = ci_files.read_jobs(on.checkout)
        return [
            JobOfRow(job.name, job.file, job.runs_on, ci_files.cadence_text(triggers[job]), job.test_mark)
            for job in handwritten.jobs_of(triggers, self._test(id, on))
        ]

    @staticmethod
    def _test(id: str, on: "Workspace") -> "HandwrittenTest":
        return handwritten.named(handwritten.read_tests(on.cache), id)

    def chosen(self, text: str, on: "Workspace") -> Sequence[str]:
        """Of a function, a class or a file all of its tests."""
        if not handwritten.is_place(text):
            return ()
        return [test.node_id for test in handwritten.items(handwritten.read_tests(on.cache), text)]

    def planner(self, source: Source) -> "Callable[[str], RunSpec]":
        suite, (jobs, _) = handwritten.read_tests(source.cache), ci_files.read_jobs(source.checkout)
        known = {test.node_id: test for test in suite.tests}

        def plan_one(id: str) -> "RunSpec":
            return handwritten.plan_handwritten(
                source.checkout,
                known.get(id) or handwritten.named(suite, id),
                source.settings,
                jobs,
                runs=source.runs,
                kind=source.kind,
                arch=source.arch,
                timeout=source.timeout,
            )

        return plan_one


KIND = HandwrittenKind()
