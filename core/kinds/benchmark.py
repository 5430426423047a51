# SPDX-License-Identifier: Apache-2.0
"""Benchmarks: the tests of upstream's matrix of performance, as `.github/scripts/filter-test-matrix.py` reads it."""

import json
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, ClassVar

from core import evidence, sources
from core.base import files
from core.base.errors import TTMatrixError, UsageError
from core.domain.areas import BENCHMARKS
from core.kinds.kind import EVERY, Kind, Launch, Source
from core.matrix import (
    BENCHMARK_KIND,
    DEVICE_RUN,
    RUN,
    Column,
    FlagColumn,
    JobOfRow,
    Matrix,
    OtherRows,
    OwnColumn,
    load,
    row_id,
    store,
)
from core.matrix.query import NUMBERS, Choice, Text, made, own_column, own_flags
from core.runs import planning
from core.sources import ci

if TYPE_CHECKING:
    from core.evidence import Observation
    from core.matrix.cache import Cache
    from core.runs import RunSpec
    from core.sources import Checkout
    from core.workspace import Workspace

NAME = BENCHMARK_KIND
FILE = PurePosixPath(".github/workflows/perf-bench-matrix.json")
_WORKFLOWS = FILE.parent
_CALL = "./.github/workflows/call-filtered-perf-tests.yml"
"""The workflow that runs the benchmarks which a filter leaves."""
_GROUPS = ("regular", "experimental")
"""Upstream leaves out tests of any other group."""
_FLAGS = ("no", "yes")
_LISTS = ("filter", "exclude")
_SINGLE = ("accuracy-testing", "group", "skip")


@dataclass(frozen=True)
class Benchmark:
    """One test of the matrix, with the defaults of its project."""

    id: str
    line: int
    values: Mapping[str, Any]
    jobs: dict[JobOfRow, None] = field(default_factory=dict)

    def text(self, name: str) -> str:
        """A value as text; empty: there is none."""
        value = self.values.get(name)
        return "" if value is None or isinstance(value, list | dict) else str(value)

    @property
    def runners(self) -> list[str]:
        """The machines that it is for."""
        found = self.values.get("runs-on")
        return [str(one) for one in found] if isinstance(found, list) else [found] if isinstance(found, str) else []

    @property
    def left_out(self) -> str:
        """Why upstream never runs it; empty: it does."""
        if self.values.get("skip"):
            return "skip is set"
        return "" if self.values.get("group") in _GROUPS else f"its group is not one of {', '.join(_GROUPS)}"

    def flag(self, name: str) -> str:
        """Whether a value counts as true."""
        return _FLAGS[bool(self.values.get(name))]

    @property
    def words(self) -> list[str]:
        """The arguments of pytest, as `call-perf-test.yml` has them."""
        accuracy = ["--accuracy-testing"] if self.values.get("accuracy-testing") else []
        size = self.text("batch-size")
        return ["-svv", "--confcutdir=tests/benchmark", *self.text("pytest").split(), *accuracy] + (
            ["--batch-size", size] if size else []
        )


class BenchmarkKind(Kind):
    """The rows of the matrix of benchmarks. They expect no status."""

    name = NAME
    noun = "benchmark"
    written_in = str(FILE)
    areas = (BENCHMARKS,)
    fields = (*(one for one in EVERY if one != "status"), "job", "model", "verdict", *NUMBERS)
    own_fields = (
        Choice("runner", "machine that a benchmark is for", made(lambda matrix: own_flags(matrix, "runner"))),
        Choice("suite", "regular or experimental", made(lambda matrix: own_column(matrix, "suite"))),
        Choice("accuracy", "yes or no: whether it tests accuracy", made(lambda matrix: own_column(matrix, "accuracy"))),
        Choice("vllm", "yes or no: whether it runs through vLLM", made(lambda matrix: own_column(matrix, "vllm"))),
        Text("target", "part of the tests that pytest is given", made(lambda matrix: own_column(matrix, "target"))),
    )
    own_columns = (
        OwnColumn("runner", "runner", "machines that a benchmark is for", flags=True),
        OwnColumn("suite", "suite", "regular or experimental: the nightly of a benchmark", None),
        OwnColumn("accuracy", "accuracy", "whether a benchmark tests accuracy", None),
        OwnColumn("vllm", "vllm", "whether a benchmark runs through vLLM", None),
        OwnColumn("target", "pytest", "what pytest is given for a benchmark"),
    )
    columns = ("id", "runner", "suite", "accuracy", RUN, DEVICE_RUN, "target")
    facets = ("runner", "suite", "accuracy", "vllm", "job")
    groupings = ("model", "file")
    overview: ClassVar = {"all": "", **{group: f"suite:{group}" for group in _GROUPS}}
    launch = Launch.ALONE

    def rows_at_once(self, matrix: Matrix, cache: "Cache") -> OtherRows | None:
        if not files.is_there(cache.checkout.root / FILE):
            return None
        kept = cache.file(NAME)
        known = load(kept)
        if isinstance(known, OtherRows):
            return known
        stamps = sources.stamps_of(_files(cache.checkout))
        found = rows_of(cache.checkout)
        store(kept, found, stamps)
        return found

    def node_id(self, id: str, matrix: Matrix) -> str:
        return self.text(matrix, matrix.rows[id], "target")

    def reported_ids(self, matrix: Matrix, reported: Collection[str]) -> Mapping[str, Sequence[str]]:
        """Runs here have the id of the row, reports that of the test."""
        by_target: dict[str, list[str]] = {}
        for one in reported:
            for target in targets_of(one):
                by_target.setdefault(target, []).append(one)
        rows = matrix.of_kind(self.name)
        found = (
            {
                id: (*((id,) if id in reported else ()), *by_target.get(target, ()))
                for id, target in zip(rows.ids, rows.columns["target"].texts(), strict=True)
            }
            if rows
            else {}
        )
        return {id: names for id, names in found.items() if names}

    def own(self, matrix: Matrix, id: str, found: "Sequence[Observation]") -> "Sequence[Observation]":
        """Of rows with one test, the one that the job is named after; else the one that tests no accuracy."""
        rows = matrix.of_kind(self.name)
        if rows is None or not found:
            return found
        targets = dict(zip(rows.ids, rows.columns["target"].texts(), strict=True))
        same = [one for one in rows.ids if targets[one] == targets[id]]
        if len(same) == 1:
            return found
        accuracy = dict(zip(rows.ids, rows.columns["accuracy"].texts(), strict=True))
        usual = next((one for one in same if accuracy[one] == _FLAGS[0]), same[0])
        return [row for row in found if _meant(row, same, usual) == id]

    def results(self, id: str, on: "Workspace") -> "Sequence[Observation]":
        matrix, reports = self.add(on.matrix, on), evidence.handwritten_store(on.checkout, on.paths)
        names = self.reported_ids(matrix, {cell.test_id for cell in reports.cells()}).get(id, ())
        rows = [row for name in names if name != id for row in reports.of_test(name)]
        every = [*super().results(id, on), *self.own(matrix, id, rows)]
        return sorted(every, key=lambda row: row.when, reverse=True)

    def planner(self, source: Source) -> "Callable[[str], RunSpec]":
        known = {one.id: one for one in read_benchmarks(source.checkout)[0]}
        kind = source.kind or planning.DEVICE

        def plan_one(id: str) -> "RunSpec":
            one = known.get(id)
            if one is None:
                raise UsageError(f"There is no {self.noun} {id!r} any more", f"{FILE} has changed.", "Try again.")
            if one.left_out:
                raise UsageError(f"{id} does not run", f"In CI neither: {one.left_out}.")
            if kind != planning.DEVICE:
                raise UsageError(f"{id} needs a device", hint=f"Give --kind {planning.DEVICE}.")
            return planning.plan_own_test(
                source.checkout,
                id,
                source.settings,
                lambda artefacts: [*one.words, "--output-file", str(artefacts / "perf_report.json")],
                runs=source.runs,
                arch=source.arch,
                timeout=source.timeout,
            )

        return plan_one


def _meant(row: "Observation", same: Sequence[str], usual: str) -> str:
    """The one of some rows with one test that a result is of."""
    if row.test_id in same:
        return row.test_id
    named = [one for one in same if one.partition("::")[2] in row.job]
    return max(named, key=len, default=usual)


def targets_of(id: str) -> tuple[str, ...]:
    """What pytest may have been given for a test of a report: its id, its function, its file."""
    return tuple(dict.fromkeys((id, id.partition("[")[0], id.partition("::")[0])))


def known_targets(matrix: Matrix, cache: "Cache") -> frozenset[str]:
    """What pytest is given for the benchmarks of a checkout."""
    rows = KIND.rows_at_once(matrix.model_tests, cache)
    return frozenset(rows.columns["target"].texts()) if rows else frozenset()


def _files(checkout: "Checkout") -> Iterator[str]:
    """The files that the rows are read from, and their directory."""
    yield str(checkout.root / _WORKFLOWS)
    yield from sources.files_below(checkout.root / _WORKFLOWS)


def rows_of(checkout: "Checkout") -> OtherRows:
    """The rows of a checkout that has such a matrix."""
    found, problems = read_benchmarks(checkout)
    found = sorted(found, key=lambda one: one.id)

    def column(texts: Iterable[str], vocabulary: Sequence[str] = ()) -> Column:
        return Column.of(list(texts), vocabulary)

    runners = {row: one.runners for row, one in enumerate(found) if one.runners}
    machines = sorted({name for names in runners.values() for name in names})
    return OtherRows(
        kind=NAME,
        ids=tuple(one.id for one in found),
        lines=array("I", [one.line for one in found]),
        status=column("" for _ in found),
        columns={
            "model": column(one.text("name").removesuffix("_accuracy") for one in found),
            "suite": column((one.text("group") for one in found), ("", *_GROUPS)),
            "accuracy": column((one.flag("accuracy-testing") for one in found), _FLAGS),
            "vllm": column((one.flag("vllm") for one in found), _FLAGS),
            "target": column(one.text("pytest") for one in found),
            "reason": column(one.left_out for one in found),
            "file": column(str(FILE) for _ in found),
        },
        flags={"runner": FlagColumn.sparse(len(found), (), runners, machines)},
        jobs={one.id: tuple(one.jobs) for one in found if one.jobs},
        problems=tuple(problems),
    )


def read_benchmarks(checkout: "Checkout") -> tuple[list[Benchmark], list[str]]:
    """The benchmarks of a checkout with the jobs that run them, and what is wrong with the files."""
    found: list[Benchmark] = []
    problems: list[str] = []
    try:
        text = files.read_text(checkout.root / FILE)
        document = json.loads(text)
        lines = _lines(sources.compose_yaml(text.expandtabs()))
    except (TTMatrixError, ValueError, RecursionError, sources.YAMLError) as error:
        return [], [f"{FILE} cannot be read: {' '.join(str(error).split())}"]
    if not isinstance(document, list):
        return [], [f"{FILE} is not a list of projects"]
    for at, project in enumerate(document):
        tests = project.get("tests", []) if isinstance(project, dict) else None
        defaults = project.get("test-defaults", {}) if isinstance(project, dict) else None
        if not isinstance(tests, list) or not isinstance(defaults, dict):
            problems.append(f"{FILE}: project {at + 1} has no list of tests")
            continue
        for number, test in enumerate(tests):
            line = lines.get((at, number), 1)
            if not (
                isinstance(test, dict) and isinstance(test.get("name"), str) and isinstance(test.get("pytest"), str)
            ):
                problems.append(f"{FILE}:{line}: a test without name and pytest")
                continue
            found.append(Benchmark(_new_id(test["name"], found), line, {**defaults, **test}))
    problems += _add_jobs(checkout, found)
    return found, problems


def _new_id(name: str, known: Sequence[Benchmark]) -> str:
    same = sum(one.text("name") == name for one in known)
    return row_id(NAME, name) + (f"#{same + 1}" if same else "")


def _lines(document: Any) -> dict[tuple[int, int], int]:
    """The line of each test, by the positions of project and test."""
    projects = document.value if _is(document, "sequence") else []
    return {
        (at, number): test.start_mark.line + 1
        for at, project in enumerate(projects)
        if _is(project, "mapping")
        for key, tests in project.value
        if key.value == "tests" and _is(tests, "sequence")
        for number, test in enumerate(tests.value)
    }


def _add_jobs(checkout: "Checkout", found: Sequence[Benchmark]) -> Iterator[str]:
    """Note with each benchmark the jobs that run it; what is wrong with filters is returned."""
    workflows, _ = ci.read_workflows(checkout)
    for name, workflow in workflows.items():
        if PurePosixPath(_CALL).name not in workflow.calls:
            continue
        cadence = ci.cadence_of(name, workflow)
        for job, text in _filters(sources.compose_yaml(files.read_text(checkout.root / _WORKFLOWS / name))):
            if "${{" in text:
                continue  # A person chooses it at the start.
            try:
                conditions = _conditions(json.loads(text), found)
            except ValueError as error:
                yield f"{_WORKFLOWS / name}: the filter of {job} is wrong: {error}"
                continue
            for one in found:
                for runner in one.runners:
                    if not one.left_out and _selects(conditions.get(runner), one):
                        one.jobs[JobOfRow(job, name, runner, cadence)] = None


def _filters(document: Any) -> Iterator[tuple[str, str]]:
    """The jobs of a workflow that run benchmarks, each with its filter."""
    for job, parts in _pairs(_value(document, "jobs")):
        uses, given = _value(parts, "uses"), _value(_value(parts, "with"), "adv_filter")
        if _is(uses, "scalar") and uses.value == _CALL and _is(given, "scalar"):
            yield job, str(given.value)


def _is(node: Any, form: str) -> bool:
    # By name: to import the classes takes longer than a start that has the rows cached.
    return node is not None and node.id == form


def _pairs(node: Any) -> list[tuple[str, Any]]:
    return [(str(key.value), value) for key, value in node.value] if _is(node, "mapping") else []


def _value(node: Any, name: str) -> Any:
    return dict(_pairs(node)).get(name)


def _conditions(document: object, found: Iterable[Benchmark]) -> dict[str, dict[str, Any]]:
    """What the filter asks for on each machine. Raises ValueError if it is no such filter."""
    if not isinstance(document, list) or not all(isinstance(one, dict) for one in document):
        raise ValueError("it is not a list of objects")
    every = {runner for one in found if not one.left_out for runner in one.runners}
    asked: dict[str, dict[str, Any]] = {runner: {"skip": True} for runner in every}
    for condition in document:
        given = condition.get("runs-on")
        named = given if isinstance(given, list) else [given] if given else []
        if unknown := [one for one in named if one not in asked]:
            raise ValueError(f"no benchmark is for {unknown[0]}")
        for runner in named or every:
            if named:
                asked[runner]["skip"] = False
            for key in _LISTS:
                if (value := condition.get(key)) is not None:
                    words = value if isinstance(value, list) else str(value).split(",")
                    asked[runner].setdefault(key, []).extend(str(one).lower() for one in words)
            asked[runner].update({key: condition[key] for key in _SINGLE if condition.get(key) is not None})
    return asked


def _selects(asked: Mapping[str, Any] | None, one: Benchmark) -> bool:
    if asked is None or asked["skip"]:
        return False
    name = one.text("name").lower()
    if asked.get("filter") and not any(word in name for word in asked["filter"]):
        return False
    if any(word in name for word in asked.get("exclude", ())):
        return False
    accuracy = asked.get("accuracy-testing")
    if accuracy is not None and accuracy != one.values.get("accuracy-testing", False):
        return False
    return asked.get("group") in (None, one.values.get("group"))


KIND = BenchmarkKind()
