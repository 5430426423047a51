# SPDX-License-Identifier: Apache-2.0
"""The context of every command: the global options, the output, and what the words of its arguments name."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import core.matrix.query as query
import core.workspace as workspaces
from core import kinds, matrix
from core.base.checked_numbers import MOST_AHEAD, day_of
from core.base.errors import QueryError, TTMatrixError, UsageError
from core.base.settings import Paths, Settings, load_settings, paths
from core.cli.console import Console
from core.cli.parser import OpenApp
from core.domain.ids import pasted
from core.sources import Checkout, find_checkout

if TYPE_CHECKING:
    from core.edits.pending import Workbench
    from core.kinds import Kind
    from core.matrix import Matrix, Universe
    from core.matrix.cache import Cache
    from core.matrix.query import Learned, Query, Scope
    from core.workspace import Evidence, Workspace


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
    def workspace(self) -> "Workspace":
        """What is asked of the checkout."""
        return workspaces.Workspace(self.checkout, self.paths, self.settings, index=self._indexed)

    @cached_property
    def evidence(self) -> "Evidence":
        """What results say of the checkout, until the day that counts."""
        return workspaces.Evidence(self.workspace, as_of=self.as_of)

    @property
    def matrix(self) -> "Matrix":
        """The matrix of the validator's universe. Raises UsageError if `--arch` names none of the checkout's archs."""
        return self.workspace.matrix

    @contextmanager
    def sole_writer(self) -> "Iterator[Workbench]":
        """The workbench of the checkout while nobody else may write. Reports what interrupted writes have left.

        Raises TTMatrixError that names the holder if another process writes for longer than a few seconds.
        """
        bench = self.workspace.bench
        try:
            with bench.alone("writing expectations"):
                yield bench
        finally:
            for notice in bench.notices():
                self.console.note(notice)

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
        return query.Scope(self.workspace.table, self.arch, self.learned(self.workspace.table, asked))

    def learned(self, on: "Matrix", asked: "Query", *more: str) -> "Learned":
        """The columns that a query needs beyond the index of a matrix (usually none), and those of `more` providers."""
        names = (*query.needs(asked), *more)
        return self.evidence.columns(on, names) if names else {}

    def ids_of(self, text: str) -> "frozenset[str] | None":
        """The ids of the rows that a query selects; None means all: the query is empty."""
        asked = self.parse(text)
        if not asked.terms:
            return None
        table, others = self.matrix, len(self.matrix.ids)
        if query.lacking_words(asked, matrix=table):
            # What the field is of has rows of its own.
            table = self.workspace.table
        try:
            rows = query.select(table, asked, self.arch, self.learned(table, asked))
        except QueryError:
            # The value may be one that only op cases have.
            table = self.workspace.table
            rows = query.select(table, asked, self.arch, self.learned(table, asked))
        return frozenset(table.ids[row] for row in rows if row < others)

    def op_ids_of(self, text: str) -> "frozenset[str] | None":
        """The op cases that a query selects; None means all: the query is empty."""
        asked = self.parse(text)
        if not asked.terms:
            return None
        table, first = self.workspace.table, len(self.matrix.ids)
        rows = query.select(table, asked, self.arch, self.learned(table, asked))
        return frozenset(table.ids[row] for row in rows if row >= first)

    def _indexed(self, cache: "Cache", universe: "Universe") -> "Matrix":
        found, reading = cache.index(universe)
        if reading is not None:
            # Saved after the answer is printed, in a child process, so that nobody waits for it.
            self.afterwards.append(lambda: cache.save(reading, universe))
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
        for kind in kinds.kinds():
            if kind.own_commands and (id := kind.find(text, self.workspace)):
                self.refuse(kind, id)
        return matrix.resolve_id(self.matrix, text, self.workspace.ids_of_model)

    def entry_id(self, text: str) -> str:
        """The id in what an operation names. Raises UsageError if it names a test function that has no such id."""
        function, id = pasted(text)
        if function and id in self.matrix.rows:
            matrix.check_function(self.matrix, function, id)
        return id

    def refuse(self, kind: "Kind", id: str) -> None:
        """Raise UsageError if rows of a kind have commands of their own: this one is about tests of models."""
        if kind.own_commands:
            hint = f"See: {kind.own_commands}"
            raise UsageError(f"{id} is an {kind.noun}", "This command is about tests of models.", hint)
