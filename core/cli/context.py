# SPDX-License-Identifier: Apache-2.0
"""What every command is given: the global options, and what they lead to, read when a command first uses it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from core.cli.console import Console
from core.cli.parser import OpenApp
from core.errors import TTMatrixError
from core.matrix import Matrix, Universe, resolve_id
from core.matrix.cache import Cache
from core.matrix.query import Query
from core.matrix.view import check_arch
from core.settings import Paths, Settings, load_settings, paths
from core.sources import Checkout, find_checkout

if TYPE_CHECKING:
    from core.ci import Ci, Selected
    from core.cli.parser import OpenApp
    from core.evidence import Observation
    from core.evidence.verdicts import Policy, Verdicts
    from core.history import History
    from core.matrix.query import Facts, Learned
    from core.runs import TreeReader
    from core.runs.store import RunRecord
    from core.sources.evaluator import ModelInfos


@dataclass
class Context:
    """The global options. Nothing is read before a command uses it."""

    repo: Path | None
    arch: str
    console: Console
    open_app: OpenApp
    afterwards: list[Callable[[], None]] = field(default_factory=list)
    """Work to do after the command has answered."""

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
        """Whether there is a checkout. Raises TTMatrixError if `--repo` names a directory that is none."""
        try:
            return bool(self.checkout)
        except TTMatrixError:
            if self.repo is not None:
                raise
            return False

    @cached_property
    def cache(self) -> Cache:
        return Cache(self.checkout, self.paths.cache / "index")

    @cached_property
    def matrix(self) -> Matrix:
        """The validator's universe. Raises UsageError where `--arch` names none of the checkout's archs."""
        matrix, reading = self.cache.index()
        if reading is not None:
            # Saved after the answer is printed, in a child process: nobody waits for it.
            self.afterwards.append(lambda: self.cache.keep(reading))
        return self._checked(matrix)

    @cached_property
    def model_infos(self) -> "ModelInfos":
        """Names and groups of all models."""
        from core.providers import model_infos

        return model_infos(self.cache, self.matrix)

    def learned(self, matrix: Matrix, query: Query) -> "Learned":
        """The columns that `query` needs beside the index of a matrix; mostly none."""
        from core.matrix.query import needs

        if not (names := needs(query)):
            return {}
        from core.providers import compute_columns

        return compute_columns(self.cache, matrix, names, self._judged)

    def ids_of(self, query: str) -> "frozenset[str] | None":
        """The ids of the rows that `query` selects; None: all, because it is empty."""
        from core.matrix.query import select

        if not (asked := Query.parse(query)).terms:
            return None
        rows = select(self.matrix, asked, self.arch, self.learned(self.matrix, asked))
        return frozenset(self.matrix.ids[row] for row in rows)

    @cached_property
    def observations(self) -> "list[Observation]":
        """All results of the checkout's cells, from CI reports and from runs here, oldest first."""
        from core.evidence import evidence_store, gather

        return gather(evidence_store(self.checkout, self.paths), self.run_records, self.checkout)

    @cached_property
    def policy(self) -> "Policy":
        """The policy of the checkout. Raises TTMatrixError if it has a mistake."""
        from core.evidence import policy_of

        return policy_of(self.checkout, self.paths).policy

    @cached_property
    def verdicts(self) -> "Verdicts":
        """What the evidence says about every cell."""
        from core.evidence.verdicts import Verdicts

        return Verdicts(self.matrix, self.observations, self.policy, self.selected)

    @cached_property
    def tree(self) -> "TreeReader":
        """Reads the state of the checkout that results belong to."""
        from core.runs import TreeReader

        return TreeReader(self.checkout)

    @property
    def run_records(self) -> "list[RunRecord]":
        """The runs of the checkout, newest first."""
        from core.runs import own_runs
        from core.runs.store import RunStore

        return own_runs(RunStore(self.paths.runs).records(), self.tree)

    def _judged(self, matrix: Matrix) -> "Facts":
        from core.evidence import verdicts_on

        same = matrix is self.matrix
        found = self.verdicts if same else verdicts_on(matrix, self.cache, self.paths, self.run_records)
        return found.facts()

    @cached_property
    def selected(self) -> "Selected":
        """Which scheduled CI jobs select which tests."""
        from core.providers import selected_jobs

        return selected_jobs(self.cache, self.matrix)

    @cached_property
    def ci(self) -> "Ci":
        """The scheduled CI jobs, to ask what they would select."""
        from core.ci import read_ci

        return read_ci(self.matrix, self.model_infos)

    @cached_property
    def history(self) -> "History":
        """The entries over the git history. Raises TTMatrixError if there is none."""
        from core.history import read_history

        return read_history(self.cache, self.matrix)

    def index(self, universe: Universe) -> Matrix:
        """The matrix of a universe; only the validator's is cached."""
        if universe is Universe.VALIDATOR:
            return self.matrix
        from core.matrix import index

        return self._checked(index(self.checkout, universe))

    def _checked(self, matrix: Matrix) -> Matrix:
        check_arch(matrix, self.arch)
        return matrix

    def finish(self) -> None:
        """Do the work that was left for after the answer."""
        for work in self.afterwards:
            work()

    def resolve(self, texts: list[str]) -> list[str]:
        """The ids that arguments of a command name. Raises UsageError for one that is unknown or ambiguous."""
        return list(dict.fromkeys(resolve_id(self.matrix, text, self.ids_of_model_named) for text in texts))

    def ids_of_model_named(self, name: str) -> list[str]:
        """The ids of the tests of the models of that `model_info.name`."""
        from core.providers import ids_of_model

        return ids_of_model(self.matrix, self.model_infos, name)
