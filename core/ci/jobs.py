# SPDX-License-Identifier: Apache-2.0
"""Which CI jobs select which tests, with the present entries or with other ones (docs/rules.md 3.6)."""

import heapq
import posixpath
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from core.ci.markers import (
    Collection,
    Traits,
    keyword_matches,
    mark_matches,
    markers,
    placeholder_markers,
    problem,
    said_of_markers,
)
from core.domain.ids import LlmShape, TestId
from core.domain.model import TEST_MODULE, Entry, Function, Status, node_id
from core.matrix import status_on
from core.sources.ci import LB_BLACKHOLE, Job

_PLAIN = ("single_device", "tensor_parallel")
_MEGATRON = "megatron-no_dp-tensor_parallel"
_DEFAULT_MESH = "mesh_default"
_ONE_ROW_MESHES = ("mesh_1x4", "mesh_1x8")
_NO_SEQUENCE = 1


def skip_reason(id: str, traits: Traits, entry: Entry | None, arch: str | None, *, force_run: bool = False) -> str:
    """Why the body of a test does not run under `--arch arch`; empty: it does.

    The reasons are checked in upstream's order, and the first one is returned. `force_run` is `--force-run`: it lifts
    only the last one, NOT_SUPPORTED_SKIP.
    """
    if traits.skipped and arch == LB_BLACKHOLE:
        return f"skipped on {LB_BLACKHOLE}"
    if traits.function is Function.LLM and (parsed := TestId.parse(id)) and (reason := llm_skip_reason(parsed)):
        return reason
    # The op-by-op twin ignores the status: it starts the whole test without an arch, and reads the files that this
    # leaves.
    gated = traits.function not in (Function.OP_BY_OP, Function.PLACEHOLDER)
    if gated and not force_run and status_on(entry, arch) is Status.NOT_SUPPORTED_SKIP:
        return "NOT_SUPPORTED_SKIP"
    return ""


def llm_skip_reason(id: TestId) -> str:
    """Why an LLM test skips its combination of parameters; empty: it runs, or is no LLM test."""
    if id.llm is None:
        return ""
    mesh = _mesh_reason(id.parallelism, id.llm.mesh)
    return mesh or (_decode_reason(id, id.llm) if id.llm.phase == "llm_decode" else _prefill_reason(id, id.llm))


def _mesh_reason(parallelism: str, mesh: str) -> str:
    if not mesh:
        # Older checkouts give LLM tests no mesh and do not check the conditions on it.
        return ""
    if parallelism in _PLAIN:
        return "" if mesh == _DEFAULT_MESH else f"{parallelism} needs the default mesh"
    if mesh == _DEFAULT_MESH:
        return f"{parallelism} needs a mesh"
    if mesh in _ONE_ROW_MESHES and parallelism != _MEGATRON:
        return f"{parallelism} needs a mesh of several rows"
    return ""


def _decode_reason(id: TestId, shape: LlmShape) -> str:
    if shape.seq_len is None:
        # The first LLM tests have no sizes, and no conditions on sizes.
        return ""
    if shape.seq_len != _NO_SEQUENCE:
        return "decode takes no sequence length"
    if shape.batch_size != 1:
        return "decode needs batch 1"
    if id.mode == "training":
        return "decode does not train"
    return "" if id.parallelism in _PLAIN else "decode takes no explicit strategy"


def _prefill_reason(id: TestId, shape: LlmShape) -> str:
    if shape.seq_len == _NO_SEQUENCE:
        return "prefill needs a sequence length"
    if shape.mesh and id.parallelism == "tensor_parallel":
        return "prefill needs an explicit strategy"
    return ""


@cache
def covers(paths: str, function: Function) -> bool:
    """Whether pytest, given `paths` with spaces between them, collects a function of the runner.

    A path is a directory, a file or `file::function`; one that names a single item with `[id]` covers nothing.
    """
    return any(_path_covers(path, function) for path in paths.split())


def covers_models(paths: str) -> bool:
    """Whether `paths` include any test of the matrix."""
    return any(covers(paths, function) for function in Function)


def contains(job: Job, function: Function, id: str, markers: Set[str]) -> bool:
    """Whether the job's `-k` selects an item: pytest matches its name, its module and packages, and its markers."""
    if not job.contains:
        return True
    return keyword_matches(job.contains, markers | {*TEST_MODULE.split("/"), f"{function}[{id}]"})


def placeholder_jobs(jobs: Iterable[Job], name: str) -> list[Job]:
    """The jobs among `jobs` that select the placeholder of this name (docs/rules.md 2.5)."""
    function = Function.PLACEHOLDER
    found = placeholder_markers()
    return [
        job
        for job in jobs
        if covers(job.dir, function)
        and not job_problem(job)
        and mark_matches(job.test_mark, found)
        and contains(job, function, name, found)
    ]


def job_problem(job: Job) -> str:
    """Why pytest would reject the expressions of `job`; empty: it would not."""
    return problem(job.test_mark, job.contains)


def _path_covers(path: str, function: Function) -> bool:
    where, _, name = path.partition("::")
    where = posixpath.normpath(where)
    if name:
        return where == TEST_MODULE and name == function
    return where in (".", TEST_MODULE) or TEST_MODULE.startswith(f"{where}/")


_UNKNOWN_SECONDS = 1.0


def least_duration(names: Sequence[str], durations: Mapping[str, float], groups: int) -> dict[str, int]:
    """The group of each test, from 1, when `groups` copies of a job share them.

    `names` are items in the order of their collection, as `function[id]`; `durations` are seconds by node id. Longest
    first, each test goes to the group with the least to do so far; a test without a duration counts as the mean of the
    others.
    """
    seconds = {name: durations[node] for name in names if (node := f"{TEST_MODULE}::{name}") in durations}
    unknown = sum(seconds.values()) / len(seconds) if seconds else _UNKNOWN_SECONDS
    # Ties are ordered by the name of pytest's item, whose closing bracket sorts `f[ab]` and `f[a]` differently from
    # ids.
    by_text = sorted(names, key=lambda name: f"<Function {name}>")
    load = [(0.0, group) for group in range(1, groups + 1)]
    placed: dict[str, int] = {}
    for name in sorted(by_text, key=lambda name: seconds.get(name, unknown), reverse=True):
        total, group = load[0]
        heapq.heapreplace(load, (total + seconds.get(name, unknown), group))
        placed[name] = group
    return placed


class Item(NamedTuple):
    """One test that pytest collects: a row of the matrix under one of its functions."""

    row: int
    function: Function


@dataclass(frozen=True, slots=True)
class Selection:
    """One job that selects a test."""

    job: Job
    function: Function
    group: int
    """Which of the job's `parallel_groups` copies runs the test, from 1."""
    skipped: str
    """Why the test skips itself there; empty: it runs."""


_Alike = Mapping[tuple[Traits, frozenset[str]], Sequence[int]]
"""Rows by their traits and markers."""


class Selector:
    """Evaluates jobs over one collection with one set of entries; results are cached.

    For a what-if, see `with_entries`.
    """

    def __init__(
        self, collection: Collection, entries: Mapping[str, Entry], durations: Mapping[str, float] | None = None
    ) -> None:
        """`entries` are by id; `durations` are seconds by node id, and only needed for groups."""
        self.collection = collection
        self.entries = entries
        self._durations = durations or {}
        self._alike: dict[str | None, _Alike] = {}
        self._marked: dict[tuple[Traits, str, str | None], frozenset[str] | None] = {}
        self._items: dict[Job, tuple[Item, ...]] = {}
        self._groups: dict[Job, dict[str, int]] = {}

    def with_entries(self, entries: Mapping[str, Entry]) -> "Selector":
        """A selector with `entries` in place of the present ones."""
        return Selector(self.collection, entries, self._durations)

    def items(self, job: Job) -> tuple[Item, ...]:
        """The tests that `job` selects, in the order of the rows; none if pytest would end with an error."""
        if job not in self._items:
            self._items[job] = () if self._is_refused(job) else tuple(sorted(self._select(job)))
        return self._items[job]

    def jobs(self, jobs: Iterable[Job], id: str) -> list[tuple[Job, Traits]]:
        """The jobs among `jobs` that select a test id, once for each function; none for an id that is not collected."""
        row = self.collection.matrix.rows.get(id, -1)
        return [
            (job, traits)
            for job in jobs
            for traits in self.collection.traits.get(row, ())
            if covers(job.dir, traits.function) and not self._is_refused(job) and self._selects(job, row, traits)
        ]

    def kind(self, id: str) -> Hashable:
        """Equal for tests that every job without `-k` selects alike, also in a selector with other entries."""
        row = self.collection.matrix.rows.get(id, -1)
        return self.collection.traits.get(row, ()), said_of_markers(self.entries.get(id))

    def markers(self, id: str, arch: str | None) -> frozenset[str]:
        """The markers of a test under its own function; none if it is not collected."""
        traits = self.collection.traits.get(self.collection.matrix.rows.get(id, -1), ())
        return (markers(traits[0], self.entries.get(id), arch) or frozenset()) if traits else frozenset()

    def seconds(self, id: str) -> float | None:
        """The seconds that a test took in CI under its own function; None: it was never timed."""
        matrix = self.collection.matrix
        row = matrix.rows.get(id)
        return None if row is None else self._durations.get(node_id(matrix.function(row), id))

    def selections(self, jobs: Iterable[Job], id: str) -> list[Selection]:
        """As `jobs`, with the copy of the job that runs the test, and whether the test skips itself."""
        return [self._selection(job, traits, id) for job, traits in self.jobs(jobs, id)]

    def all_selections(self, jobs: Iterable[Job]) -> dict[str, tuple[Selection, ...]]:
        """`selections` of every test that any of `jobs` selects: each job is evaluated once, for all tests."""
        ids, traits = self.collection.matrix.ids, self.collection.traits
        found: dict[int, list[Selection]] = {}
        for job in jobs:
            for row, items in groupby(self.items(job), key=attrgetter("row")):
                functions = {item.function for item in items}
                here = (self._selection(job, one, ids[row]) for one in traits[row] if one.function in functions)
                found.setdefault(row, []).extend(here)
        return {ids[row]: tuple(found[row]) for row in sorted(found)}

    def _selection(self, job: Job, traits: Traits, id: str) -> Selection:
        group = self._group(job, f"{traits.function}[{id}]")
        skipped = skip_reason(id, traits, self.entries.get(id), job.arch, force_run=job.force_run)
        return Selection(job, traits.function, group, skipped)

    def _group(self, job: Job, name: str) -> int:
        if job.parallel_groups == 1:
            return 1
        if job not in self._groups:
            ids = self.collection.matrix.ids
            names = [f"{item.function}[{ids[item.row]}]" for item in self.items(job)]
            self._groups[job] = least_duration(names, self._durations, job.parallel_groups)
        return self._groups[job][name]

    def _is_refused(self, job: Job) -> bool:
        """Whether pytest ends with an error before any test: for its expressions, or for an arch that it refuses."""
        return bool(job_problem(job)) or job.arch not in (None, *self.collection.matrix.schema.archs)

    def _selects(self, job: Job, row: int, traits: Traits) -> bool:
        id = self.collection.matrix.ids[row]
        entry = self.entries.get(id)
        found = self._markers(traits, entry, job.arch) if entry else markers(traits, None, job.arch)
        return found is not None and mark_matches(job.test_mark, found) and contains(job, traits.function, id, found)

    def _select(self, job: Job) -> Iterator[Item]:
        ids = self.collection.matrix.ids
        for (traits, found), rows in self._rows_by_markers(job.arch).items():
            if not covers(job.dir, traits.function) or not mark_matches(job.test_mark, found):
                continue
            for row in rows:
                if contains(job, traits.function, ids[row], found):
                    yield Item(row, traits.function)

    def _rows_by_markers(self, arch: str | None) -> _Alike:
        """Rows grouped by equal markers under `arch`, so that an expression is evaluated once for each group."""
        if arch not in self._alike:
            alike: dict[tuple[Traits, frozenset[str]], list[int]] = {}
            for traits, rows in self._without_entry.items():
                found = markers(traits, None, arch)
                if found is not None:
                    alike[traits, found] = list(rows)
            for row, entry in self._with_entry():
                for traits in self.collection.traits[row]:
                    found = self._markers(traits, entry, arch)
                    if found is not None:
                        alike.setdefault((traits, found), []).append(row)
            self._alike[arch] = alike
        return self._alike[arch]

    def _markers(self, traits: Traits, entry: Entry, arch: str | None) -> frozenset[str] | None:
        """As `markers`; computed once for all archs on which the entry says the same."""
        differs = arch in entry.overrides or traits.skipped
        key = (traits, entry.id, arch if differs else None)
        if key not in self._marked:
            self._marked[key] = markers(traits, entry, key[2])
        return self._marked[key]

    def _with_entry(self) -> Iterator[tuple[int, Entry]]:
        rows = self.collection.matrix.rows
        for id, entry in self.entries.items():
            if (row := rows.get(id, -1)) in self.collection.traits:
                yield row, entry

    @cached_property
    def _without_entry(self) -> dict[Traits, list[int]]:
        written = {row for row, _ in self._with_entry()}
        return {traits: [row for row in rows if row not in written] for traits, rows in self.collection.rows.items()}


def gained_and_lost(before: Selector, after: Selector, jobs: Sequence[Job], id: str) -> tuple[list[Job], list[Job]]:
    """The jobs that select a test id only after the entries change, and those that select it only before."""
    old = dict.fromkeys(job for job, _ in before.jobs(jobs, id))
    new = dict.fromkeys(job for job, _ in after.jobs(jobs, id))
    return [job for job in new if job not in old], [job for job in old if job not in new]
