# SPDX-License-Identifier: Apache-2.0
"""Compute slow results in a process of its own, so that the next caller finds them cached."""

from collections.abc import Iterable
from contextlib import suppress

from core import doctor, handwritten
from core.base.errors import TTMatrixError
from core.matrix import Matrix, with_placeholder_rows
from core.matrix.cache import Cache, in_worker, read_index
from core.providers import compute_columns

FINDINGS = "findings"
"""The findings of doctor, a name beside those of the providers in `core.providers.base`."""

_WORTH_A_PROCESS = 5_000
"""From this many rows on, starting a process costs less than blocking the keys of the app."""


def prepare(cache: Cache, matrix: Matrix, names: Iterable[str]) -> None:
    """Have providers, or FINDINGS, computed and cached. If that fails, they are computed on first use."""
    names = tuple(names)
    if names and len(matrix.ids) >= _WORTH_A_PROCESS:
        with suppress(TTMatrixError):
            in_worker(fill_cache, cache, names)


def fill_cache(cache: Cache, names: Iterable[str]) -> None:
    """Compute what is named. Only that process, and not the app, loads the modules that this needs."""
    matrix = read_index(cache)
    rows = with_placeholder_rows(handwritten.with_cached_handwritten(cache, matrix) or matrix)
    compute_columns(cache, rows, [name for name in names if name != FINDINGS])
    if FINDINGS in names:
        doctor.examine(cache, matrix)
