# SPDX-License-Identifier: Apache-2.0
"""Index a checkout in a process of its own: in a thread of ours it would make every key wait for the interpreter."""

import sys
from pathlib import Path

from core.errors import TTMatrixError
from core.forked import collect_seldom
from core.matrix.cache.index_cache import Cache
from core.matrix.cache_file import dumps, loads
from core.matrix.matrix import Matrix
from core.private import keep_private
from core.proc import run_own
from core.settings import paths
from core.sources import find_checkout


def reindex(cache: Cache) -> Matrix:
    """As `cache.index()`, from another process, which also keeps what it read.

    Raises TTMatrixError where the checkout is gone or there can be no such process.
    """
    matrix = loads(run_own(__name__, str(cache.checkout.root), str(cache.directory)))
    if not isinstance(matrix, Matrix):
        raise TTMatrixError("The checkout cannot be read", "The process that read it gave no answer.")
    return matrix


def main(root: Path, directory: Path) -> None:
    """Be that process: write the matrix to standard output."""
    collect_seldom()
    cache = Cache(find_checkout(root, upward=False), directory)
    matrix, reading = cache.index()
    if reading is not None:
        cache.keep(reading)
    sys.stdout.buffer.write(dumps(matrix))


if __name__ == "__main__":
    keep_private(paths())
    try:
        main(*map(Path, sys.argv[1:]))
    except TTMatrixError as error:
        sys.exit(f"{error.title}: {error.detail}")
