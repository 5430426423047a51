# SPDX-License-Identifier: Apache-2.0
"""The context of every command: the global options, and data of the checkout, read when a command first uses it.

Packages are imported by their `__init__`, which loads a module when one of its names is first used: a command that
needs no verdicts does not import them (`show` imports twice the modules of `list`, 400 ms against 150).
"""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import core.edits.pending as pending
import core.evidence.analysis as analysis
import core.evidence.verdicts as verdicts
import core.matrix.cache as cache
import core.matrix.query as query
import core.runs.store as store
from core import ci, edits, evidence, handwritten, history, matrix, ops, providers, runs
from core.cli.console import Console
from core.cli.parser import OpenApp
from core.errors import QueryError, TTMatrixError, UsageError
from core.ids import pasted
from core.numbers import MOST_AHEAD, day_of
from core.settings import Paths, Settings, load_settings, paths
from core.sources import Checkout, find_checkout
from core.text import counted

if TYPE_CHECKING:
    from core.ci import Ci, Selected
    from core.edits.pending import Change, Workbench
    from core.evidence import Results
    from core.evidence.analysis import IssueState
    from core.evidence.verdicts import OpVerdicts, Policy, Verdicts
    from core.history import History
    from core.matrix import Matrix, Universe
    from core.matrix.cache import Cache
    from core.matrix.query import Judged, Learned, Query, Scope
    from core.ops import OpTests
    from core.runs import TreeReader
    from core.runs.store import RunRecord
    from core.sources import ModelInfos


@dataclass
class Context:
    """The global options. Nothing is read before a command uses it."""

    repo: Path | None
    arch: str
    console: Console
    open_app: OpenApp
    afterwards: list[Callable[[], None]] = field(default_factory=list)
    """Work to do after the command has answered."""
    as_of: float | None = None
    """The moment that counts as now, in seconds since the epoch: later results are left out. None: the clock."""

    @property
    def now(self) -> float:
        """The moment that ages are counted to, in seconds since the epoch."""
        return time.time() if self.as_of is None else self.as_of

    def count_to(self, moment: float | None) -> None:
        """Answer as of a moment: without later results, with ages counted to it. None: as of now."""
        self.as_of = moment
        if moment is not None and moment > time.time() + MOST_AHEAD:
            self.console.note(f"{day_of(moment)} is in the future: ages are counted to it")

    @cached_property
    def paths(self) -> Paths:
        return paths()

    @cached_property
    def settings(self) -> Settings:
        return load_settings(self.paths.settings_file)

    @cached_property
    def checkout(self) -> Checkout:
        """The checkout of `--repo`, else the nearest one upward from the current directory."""
        return find_checkout(self.repo or Path.cwd(), upward=self.repo is None)

    @property
    def in_checkout(self) -> bool:
        """Whether there is a checkout. Raises TTMatrixError if `--repo` names a directory that is not one."""
        try:
            return bool(self.checkout)
        except TTMatrixError:
            if self.repo is not None:
                raise
            return False

    @cached_property
    def cache(self) -> "Cache":
        return cache.Cache(self.checkout, self.paths.cache / "index")

    @cached_property
    def matrix(self) -> "Matrix":
        """The matrix of the validator's universe. Raises UsageError if `--arch` names none of the checkout's archs."""
        return self._indexed(matrix.Universe.VALIDATOR)

    @cached_property
    def table(self) -> "Matrix":
        """The matrix with a row per op case after the model tests, if the checkout has op manifests."""
        directories = self.settings.ops_dirs
        if not self.checkout.has_any(directories):
            return self.matrix
        return ops.with_ops(self.cache, self.matrix, directories)

    @cached_property
    def whole_table(self) -> "Matrix":
        """`table` with a row per hand-written test at its end."""
        return handwritten.with_handwritten(self.cache, self.table)

    @contextmanager
    def sole_writer(self) -> "Iterator[Workbench]":
        """The workbench of the checkout while nobody else may write. Reports what interrupted writes have left.

        Raises TTMatrixError that names the holder if another process writes for longer than a few seconds.
        """
        bench = pending.Workbench(self.checkout, self.paths.journal)
        try:
            with bench.alone("writing expectations"):
                yield bench
        finally:
            for notice in bench.notices():
                self.console.note(notice)

    @property
    def issue_states(self) -> "Mapping[str, IssueState]":
        """What is known of issues, by name; none was closed after the day that counts."""
        states = analysis.read_states(self.paths.issues_file)
        return states if self.as_of is None else analysis.states_on(states, day_of(self.as_of))

    @cached_property
    def reminders(self) -> "tuple[Change, ...]":
        """The ways back of entries that are to be as before once an issue is closed, as far as they lead."""
        bench = pending.Workbench(self.checkout, self.paths.journal)
        return bench.reminders(edits.Present(self.matrix.files))

    @cached_property
    def model_infos(self) -> "ModelInfos":
        """Names and groups of all models."""
        return providers.model_infos(self.cache, self.matrix)

    def parse(self, text: str) -> "Query":
        """Parse a query. Raises QueryError; if a value is missing, its hint lists the values of the field."""
        try:
            return query.parsed(text)
        except QueryError as error:
            end = error.column + len(error.token)
            values = query.values_wanted(self.scope(error.token.partition(":")[0]), text[:end])
            if not values:
                raise
            raise QueryError(error.title, error.column, error.token, hint=values) from error

    def scope(self, field: str) -> "Scope":
        """The data on which terms on `field` are evaluated: all rows, the arch, and the columns that they need."""
        asked = self.parse(f"{field}:{query.NONE}") if field in query.BY_NAME else query.Query()
        return query.Scope(self.table, self.arch, self.learned(self.table, asked))

    def learned(self, on: "Matrix", asked: "Query", *more: str) -> "Learned":
        """The columns that a query needs beyond the index of a matrix (usually none), and those of `more` providers."""
        names = (*query.needs(asked), *more)
        if not names:
            return {}
        ages = providers.HISTORY if self.as_of is not None else ""
        found = providers.compute_columns(self.cache, on, [one for one in names if one != ages], self.judged)
        # The provider itself counts ages to the present.
        return {**found, ages: providers.history_columns(self.history, self.now)} if ages in names else found

    def ids_of(self, text: str) -> "frozenset[str] | None":
        """The ids of the rows that a query selects; None means all: the query is empty."""
        asked = self.parse(text)
        if not asked.terms:
            return None
        table, others = self.matrix, len(self.matrix.ids)
        try:
            rows = query.select(table, asked, self.arch, self.learned(table, asked))
        except QueryError:
            # The value may be one that only op cases have.
            table = self.table
            rows = query.select(table, asked, self.arch, self.learned(table, asked))
        return frozenset(table.ids[row] for row in rows if row < others)

    def op_ids_of(self, text: str) -> "frozenset[str] | None":
        """The op cases that a query selects; None means all: the query is empty."""
        asked = self.parse(text)
        if not asked.terms:
            return None
        table, first = self.table, len(self.matrix.ids)
        rows = query.select(table, asked, self.arch, self.learned(table, asked))
        return frozenset(table.ids[row] for row in rows if row >= first)

    @cached_property
    def results(self) -> "Results":
        """All results of the checkout's cells, from CI reports and from runs here."""
        known, counts = evidence.evidence_store(self.checkout, self.paths), self.policy.cpu_counts_as_device
        found = evidence.results_of(known, self.ended_runs, self.checkout, cpu_counts=counts)
        return found if self.as_of is None else found.until(self.as_of)

    @cached_property
    def policy(self) -> "Policy":
        """The policy of the checkout. Raises TTMatrixError if it has a mistake."""
        return evidence.policy_of(self.checkout, self.paths).policy

    @cached_property
    def verdicts(self) -> "Verdicts":
        """What the evidence says about every cell."""
        saved = evidence.saved_verdicts(self.checkout, self.paths) if self.as_of is None else None
        found = self.matrix, self.results, self.policy, self.selected, saved
        return verdicts.Verdicts(*found, lambda: self.op_verdicts)

    @cached_property
    def op_tests(self) -> "OpTests":
        """The op cases in the directories that the settings name."""
        return ops.read_op_tests(self.checkout.root, self.settings.ops_dirs)

    @cached_property
    def op_verdicts(self) -> "OpVerdicts":
        """What the evidence says about op cases, by backend."""
        return verdicts.OpVerdicts(self.op_tests, self.results.of_cases(), self.policy)

    @cached_property
    def tree(self) -> "TreeReader":
        """Reads the state of the checkout that results belong to."""
        return runs.TreeReader(self.checkout)

    @cached_property
    def run_records(self) -> "list[RunRecord]":
        """The runs of the checkout as the command found them, newest first."""
        return runs.own_runs(store.RunStore(self.paths.runs).records(), self.tree)

    @cached_property
    def ended_runs(self) -> "list[RunRecord]":
        """The runs of the checkout that have ended, newest first: what evidence and numbers are made of."""
        return runs.own_runs(store.RunStore(self.paths.runs).ended(), self.tree)

    def judged(self, on: "Matrix") -> "Judged":
        """What the results say about every row, with the newest performance numbers."""
        records = [one for one in self.ended_runs if self.as_of is None or (one.started or 0.0) <= self.as_of]
        if on is self.matrix or self.as_of is not None:
            facts = self.verdicts.facts()
        else:
            facts = evidence.verdicts_on(on, self.cache, self.paths, records, op_tests=lambda: self.op_tests).facts()
        reports = evidence.performance_store(self.checkout, self.paths).read()
        known = [one for one in reports if self.as_of is None or one.when <= self.as_of]
        return analysis.with_numbers(facts, records, known)

    @cached_property
    def selected(self) -> "Selected":
        """Which scheduled CI jobs select which tests."""
        return providers.selected_jobs(self.cache, self.matrix)

    @cached_property
    def ci(self) -> "Ci":
        """The scheduled CI jobs, to ask what they would select."""
        return ci.read_ci(self.matrix, self.model_infos)

    @cached_property
    def history(self) -> "History":
        """The entries over the git history. Raises TTMatrixError if there is none."""
        return history.read_history(self.cache, self.matrix)

    def index(self, universe: "Universe") -> "Matrix":
        """The matrix of a universe. Raises UsageError if `--arch` names none of the checkout's archs."""
        return self.matrix if universe is matrix.Universe.VALIDATOR else self._indexed(universe)

    def _indexed(self, universe: "Universe") -> "Matrix":
        found, reading = self.cache.index(universe)
        if reading is not None:
            # Saved after the answer is printed, in a child process, so that nobody waits for it.
            self.afterwards.append(lambda: self.cache.save(reading, universe))
        found.check_arch(self.arch)
        return found

    def finish(self) -> None:
        """Do the work that was deferred until after the answer."""
        for work in self.afterwards:
            work()

    def resolve(self, texts: list[str]) -> list[str]:
        """The model tests that arguments of a command name. Raises UsageError for one that is unknown or ambiguous."""
        return list(dict.fromkeys(map(self._resolved, texts)))

    def _resolved(self, text: str) -> str:
        self.refuse_op_case(text)
        return matrix.resolve_id(self.matrix, text, self.ids_of_model_named)

    def entry_id(self, text: str) -> str:
        """The id in what an operation names. Raises UsageError if it names a test function that has no such id."""
        function, id = pasted(text)
        if function and id in self.matrix.rows:
            matrix.check_function(self.matrix, function, id)
        return id

    def refuse_op_case(self, text: str) -> None:
        """Raise UsageError if an argument of a command about model tests names an op case."""
        if id := self.op_case(text):
            raise UsageError(f"{id} is an op case", "This command is about tests of models.", "See: ttmatrix ops -h")

    def op_case(self, text: str) -> str:
        """The op case that an argument names by id, or by a part that contains `::`; empty if it names none.

        Raises UsageError if it names several.
        """
        if "::" not in text or text in self.matrix.rows:
            return ""
        cases = self.table.ops.ids if self.table.ops else ()
        found = [id for id in cases if text.lower() in id.lower()]
        if text in found or len(found) < 2:
            return text if text in found else "".join(found)
        title = f"{text!r} matches {counted(len(found), 'op case')}"
        raise UsageError(title, "\n".join(found[:5]), "Give the whole id.")

    def ids_of_model_named(self, name: str) -> list[str]:
        """The ids of the tests of all models with that `model_info.name`."""
        return providers.ids_of_model(self.matrix, self.model_infos, name)
