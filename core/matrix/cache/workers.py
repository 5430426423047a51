# SPDX-License-Identifier: Apache-2.0
"""Call a function about a checkout in a process of its own.

A thread would delay every key, because it holds the interpreter lock.
"""

import importlib
import pickle
import sys
import threading
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

from core.base.errors import TTMatrixError
from core.base.fork import collect_seldom
from core.base.locks import locked
from core.base.permissions import keep_private
from core.base.processes import run_own
from core.base.settings import paths
from core.matrix.cache.index_cache import Cache
from core.matrix.cache_file import dumps, loads
from core.matrix.matrix import Matrix
from core.sources import find_checkout

_P = ParamSpec("_P")
_Answer = TypeVar("_Answer")

_PATIENCE = 30.0
"""Seconds to wait for another process that reads the same checkout."""


def in_worker(
    work: Callable[Concatenate[Cache, _P], _Answer], cache: Cache, *args: _P.args, **kwargs: _P.kwargs
) -> _Answer:
    """What a function of a module answers there, where garbage is collected seldom and files are private.

    It is found by its name; arguments and answer are pickled. Raises TTMatrixError if the checkout cannot be read, the
    process cannot be started, or gives no whole answer.
    """
    return in_worker_until(None, work, cache, *args, **kwargs)


def in_worker_until(
    stop: threading.Event | None,
    work: Callable[Concatenate[Cache, _P], _Answer],
    cache: Cache,
    *args: _P.args,
    **kwargs: _P.kwargs,
) -> _Answer:
    """As `in_worker`; raises Cancelled, and the process is ended, once `stop` is set."""
    asked = work.__module__, work.__qualname__, str(cache.checkout.root), str(cache.directory)
    said = run_own(__name__, *asked, given=dumps((args, kwargs)), stop=stop)
    try:
        answer: _Answer = loads(said)
    except (pickle.UnpicklingError, EOFError) as error:
        broken = f"{work.__qualname__}, in a process of its own, gave no whole answer."
        raise TTMatrixError(f"Cannot read {cache.checkout.root}", broken) from error
    return answer


def _answer(module: str, name: str, root: str, directory: str) -> object:
    """The other side of `in_worker`."""
    keep_private(paths())
    collect_seldom()
    args, kwargs = loads(sys.stdin.buffer.read())
    cache = Cache(find_checkout(Path(root), upward=False), Path(directory))
    return getattr(importlib.import_module(module), name)(cache, *args, **kwargs)


def read_index(cache: Cache) -> Matrix:
    """As `cache.index()`, and the cache is saved. Of processes that find none the first one reads, the others wait."""
    with ExitStack() as turn:
        # Without the lock it is read twice, which is no harm.
        with suppress(TTMatrixError):
            turn.enter_context(locked(cache.file("index.lock"), "reading the checkout", wait=_PATIENCE))
        matrix, reading = cache.index()
        if reading is not None:
            cache.save(reading)
    return matrix


def reindex(cache: Cache) -> Matrix:
    """`read_index` in another process. Raises TTMatrixError if the checkout is gone or that cannot be started."""
    return in_worker(read_index, cache)


if __name__ == "__main__":
    try:
        sys.stdout.buffer.write(dumps(_answer(*sys.argv[1:])))
    except TTMatrixError as error:
        sys.exit(f"{error.title}: {error.detail}")
