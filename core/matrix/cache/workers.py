# SPDX-License-Identifier: Apache-2.0
"""Read a checkout in a separate process: a thread here would delay every key, because it holds the interpreter lock."""

import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from pickle import UnpicklingError
from typing import TypeVar

from core.errors import TTMatrixError
from core.forked import collect_seldom
from core.matrix.cache.index_cache import Cache
from core.matrix.cache_file import dumps, loads
from core.matrix.matrix import Matrix
from core.private import keep_private
from core.proc import run_own
from core.settings import paths
from core.sources import find_checkout

_Answer = TypeVar("_Answer")


def ask_worker(module: str, cache: Cache, answer: type[_Answer], *arguments: str) -> _Answer:
    """The answer of a module that ends in `be_worker`, about the checkout of `cache`.

    Raises TTMatrixError if the checkout cannot be read or the process cannot be started.
    """
    said = run_own(module, str(cache.checkout.root), str(cache.directory), *arguments)
    with suppress(UnpicklingError, EOFError):
        if isinstance(found := loads(said), answer):
            return found
    raise TTMatrixError(f"Cannot read {cache.checkout.root}", f"{module}, a process of its own, gave no whole answer.")


def be_worker(read: Callable[[Cache, Sequence[str]], object]) -> None:
    """The worker's side of `ask_worker`: write the result of `read` to standard output."""
    root, directory, *arguments = sys.argv[1:]
    keep_private(paths())
    try:
        sys.stdout.buffer.write(dumps(read(Cache(find_checkout(Path(root), upward=False), Path(directory)), arguments)))
    except TTMatrixError as error:
        sys.exit(f"{error.title}: {error.detail}")


def reindex(cache: Cache) -> Matrix:
    """As `cache.index()`, in another process, which also saves the cache.

    Raises TTMatrixError if the checkout is gone or the process cannot be started.
    """
    return ask_worker(__name__, cache, Matrix)


def _reindex(cache: Cache, _: Sequence[str]) -> Matrix:
    collect_seldom()
    matrix, reading = cache.index()
    if reading is not None:
        cache.save(reading)
    return matrix


if __name__ == "__main__":
    be_worker(_reindex)
