# SPDX-License-Identifier: Apache-2.0
"""Which provider computes which columns. To add one: a module here with `provide`, and its line in PROVIDERS."""

import importlib
from collections.abc import Callable, Iterable, Mapping
from typing import Protocol, cast

from core.matrix import Matrix
from core.matrix.cache import Cache
from core.matrix.query import Facts, Learned, VerdictColumns

RUNS = "runs"
"""The provider that the caller passes in: the index has no runs and results."""

HISTORY = "history"
PROVIDERS: Mapping[str, str] = {
    "models": "names and groups of the models",
    "jobs": "scheduled CI jobs",
    HISTORY: "history of the entries",
    RUNS: "results of runs",
}
"""What each provider reads, in words for a person who waits."""


class Provider(Protocol):
    """A module of this package with that name; imported on first use, because few queries need one."""

    def provide(self, cache: Cache, matrix: Matrix) -> Facts:
        """The facts about the rows of `matrix`; saved in `cache` for the next start."""
        ...


def compute_columns(
    cache: Cache, matrix: Matrix, names: Iterable[str], runs: Callable[[Matrix], Facts] | None = None
) -> Learned:
    """Compute the columns of these providers. Takes seconds the first time, so do not call it on the UI thread.

    `runs` is the provider RUNS; without it, columns of runs are unknown.
    """
    return {name: _facts(cache, matrix, name, runs) for name in names}


def _facts(cache: Cache, matrix: Matrix, name: str, runs: Callable[[Matrix], Facts] | None) -> Facts:
    if name == RUNS:
        if runs:
            return runs(matrix.model_tests)
        return VerdictColumns(matrix.model_tests, {})
    return cast(Provider, importlib.import_module(f"{__package__}.{name}")).provide(cache, matrix)


def waiting_words(names: Iterable[str]) -> str:
    """What a person waits for while these providers run."""
    return f"reading the {' and the '.join(PROVIDERS[name] for name in names)} …"
