# SPDX-License-Identifier: Apache-2.0
"""Compute slow results in a process of its own, so that the next caller finds them cached."""

import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from core import doctor, handwritten
from core.errors import TTMatrixError
from core.forked import collect_seldom
from core.matrix import Matrix, with_placeholder_rows
from core.matrix.cache import Cache
from core.private import keep_private
from core.proc import run_own
from core.providers import compute_columns
from core.settings import paths
from core.sources import find_checkout

FINDINGS = "findings"
"""The findings of doctor, a name beside those of the providers in `core.providers.base`."""

_WORTH_A_PROCESS = 5_000
"""From this many rows on, starting a process costs less than blocking the keys of the app."""


def prepare(cache: Cache, matrix: Matrix, names: Iterable[str]) -> None:
    """Have providers, or FINDINGS, computed and cached. If that fails, they are computed on first use."""
    names = tuple(names)
    if names and len(matrix.ids) >= _WORTH_A_PROCESS:
        with suppress(TTMatrixError):
            run_own(__name__, str(cache.checkout.root), str(cache.directory), *names)


def main(root: str, directory: str, *names: str) -> None:
    """The entry point of that process. Only here, and not in the app, the examining modules are needed."""
    collect_seldom()
    cache = Cache(find_checkout(Path(root), upward=False), Path(directory))
    matrix, reading = cache.index()
    if reading is not None:
        cache.save(reading)
    rows = with_placeholder_rows(handwritten.with_cached_handwritten(cache, matrix) or matrix)
    compute_columns(cache, rows, [name for name in names if name != FINDINGS])
    if FINDINGS in names:
        doctor.examine(cache, matrix)


if __name__ == "__main__":
    keep_private(paths())
    main(*sys.argv[1:])
