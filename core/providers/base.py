# SPDX-License-Identifier: Apache-2.0
"""Which provider computes which columns. To add one: a module here with `provide`, and its line in PROVIDERS."""

import importlib
from collections.abc import Callable, Iterable, Mapping
from typing import Protocol, cast

from core.matrix import Matrix
from core.matrix.cache import Cache
from core.matrix.query import Facts, Judged, Learned

RUNS = "runs"
"""The provider that the caller brings along: the index knows nothing of runs and their results."""

PROVIDERS: Mapping[str, str] = {
    "models": "names and groups of the models",
    "jobs": "scheduled CI jobs",
    "history": "history of the entries",
    RUNS: "results of runs",
}
"""What each provider reads, for a person who waits."""


class Provider(Protocol):
    """A module of this package with that name; imported when first asked, which few queries do."""

    def provide(self, cache: Cache, matrix: Matrix) -> Facts:
        """What is known of every row of `matrix`; saved in `cache` for the next start."""
        ...


def compute_columns(
    cache: Cache, matrix: Matrix, names: Iterable[str], runs: Callable[[Matrix], Facts] | None = None
) -> Learned:
    """Ask the providers of these names. Can take seconds the first time: not for a thread that a person waits on.

    `runs` is the provider RUNS; without it, nothing is known of runs.
    """
    return {name: _facts(cache, matrix, name, runs) for name in names}


def _facts(cache: Cache, matrix: Matrix, name: str, runs: Callable[[Matrix], Facts] | None) -> Facts:
    if name == RUNS:
        if runs:
            return runs(matrix)
        return Judged(matrix, {})
    return cast(Provider, importlib.import_module(f"{__package__}.{name}")).provide(cache, matrix)


def waiting_words(names: Iterable[str]) -> str:
    """What a person waits for while these providers are asked."""
    return f"reading the {' and the '.join(PROVIDERS[name] for name in names)} …"
