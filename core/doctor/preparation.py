# SPDX-License-Identifier: Apache-2.0
"""Compute in a process of its own what takes seconds, so that the next caller finds it cached."""

import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from core import doctor
from core.errors import TTMatrixError
from core.forked import collect_seldom
from core.matrix import Matrix
from core.matrix.cache import Cache
from core.private import keep_private
from core.proc import run_own
from core.providers import compute_columns
from core.settings import paths
from core.sources import find_checkout

FINDINGS = "findings"
"""What doctor finds, beside the providers of `core.providers.base`."""

_WORTH_A_PROCESS = 5_000
"""Rows of a matrix from which starting a process costs less than the keys that would wait."""


def prepare(cache: Cache, matrix: Matrix, names: Iterable[str]) -> None:
    """Have providers, or FINDINGS, computed and cached. If that fails, the work is done when asked for."""
    names = tuple(names)
    if names and len(matrix.ids) >= _WORTH_A_PROCESS:
        with suppress(TTMatrixError):
            run_own(__name__, str(cache.checkout.root), str(cache.directory), *names)


def main(root: str, directory: str, *names: str) -> None:
    """Be that process. The app, which starts it, never needs what examines."""
    collect_seldom()
    cache = Cache(find_checkout(Path(root), upward=False), Path(directory))
    matrix, reading = cache.index()
    if reading is not None:
        cache.keep(reading)
    compute_columns(cache, matrix, [name for name in names if name != FINDINGS])
    if FINDINGS in names:
        doctor.examine(cache, matrix)


if __name__ == "__main__":
    keep_private(paths())
    main(*sys.argv[1:])
