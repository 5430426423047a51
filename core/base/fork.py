# SPDX-License-Identifier: Apache-2.0
"""Forked copies of this process, for pure work on a second core and for work in the background; garbage collection."""

import gc
import os
import pickle
import threading
from collections.abc import Callable
from typing import NoReturn, TypeVar

T = TypeVar("T")

_SELDOM = (20_000, 20, 50)
"""Thresholds of the collector: a cold index of 21,072 tests takes 580 ms with Python's, 510 with these, 500 without."""


def collect_seldom() -> None:
    """Enable garbage collection, but run it seldom and skip the objects that exist by now."""
    gc.freeze()
    gc.set_threshold(*_SELDOM)
    gc.enable()


def in_fork(work: Callable[[], T]) -> Callable[[], T]:
    """Start `work` in a forked copy of this process; call the returned function once to get the result.

    Half of all loaders are read this way: a cold index of 21,072 tests takes 480 ms on two cores instead of 620.

    The result must be picklable, and `work` must only compute: what it changes is lost with the copy. With one core,
    with other threads (a lock they hold would stay locked in the copy), or if the copy fails, the returned function
    does the work itself.
    """
    if threading.active_count() > 1 or len(os.sched_getaffinity(0)) < 2:
        return work
    reading, writing = os.pipe()
    try:
        pid = os.fork()
    except OSError:
        os.close(reading)
        os.close(writing)
        return work
    if pid == 0:
        os.close(reading)
        _answer(work, writing)
    os.close(writing)

    def result() -> T:
        with os.fdopen(reading, "rb") as pipe:
            answer = pipe.read()
        _, status = os.waitpid(pid, 0)
        if status != 0:
            return work()
        found: T = pickle.loads(answer)
        return found

    return result


def in_background(work: Callable[[], object]) -> None:
    """Do `work` in a forked copy of this process; nothing waits for the copy, and it may outlive this process.

    A command that has read a changed checkout answers 105 ms earlier, because the copy writes the cache.

    The copy has no terminal, and its exit status is ignored. With other threads (a lock they hold would stay locked in
    the copy), or if fork fails, the work is done before this returns.
    """
    if threading.active_count() > 1:
        work()
        return
    try:
        pid = os.fork()
    except OSError:
        work()
        return
    if pid == 0:
        _vanish(work)


def _vanish(work: Callable[[], object]) -> NoReturn:
    """Run `work` as the background copy, with the standard streams closed so that readers of our output see its end."""
    try:
        os.setsid()
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(nowhere, stream)
        work()
    except BaseException:  # noqa: BLE001 - nobody is left to report to
        os._exit(1)
    os._exit(0)


def _answer(work: Callable[[], object], writing: int) -> NoReturn:
    """Send the result of `work` from the forked copy: no exit handler runs and no buffered output is written."""
    try:
        with os.fdopen(writing, "wb") as pipe:
            pickle.dump(work(), pipe, pickle.HIGHEST_PROTOCOL)
    except BaseException:  # noqa: BLE001 - whatever it was, the caller meets it when it does the work itself
        os._exit(1)
    os._exit(0)
