# SPDX-License-Identifier: Apache-2.0
"""Searches end, and the limit leaves nothing behind."""

import gc
import re
import signal
import threading
import time

import pytest

from core.matrix.query import TooLong, time_limit


@pytest.mark.parametrize("pattern", ["(a+)+$", "(.*)*x$", "(a|a)*b", "(?=(a+)+$)", "(.|.)*!"])
def test_a_search_without_end_is_stopped(pattern: str) -> None:
    start = time.process_time()
    with pytest.raises(TooLong), time_limit(0.05):
        re.search(pattern, "a" * 60 + "-")
    assert time.process_time() - start < 1


def test_many_short_searches_are_stopped_too() -> None:
    with pytest.raises(TooLong), time_limit(0.05):
        while True:
            re.search("a+b", "aaa")


def test_nothing_is_left_behind() -> None:
    before = signal.getsignal(signal.SIGVTALRM)
    with time_limit(5):
        assert re.search("a+b", "aab")
    with pytest.raises(KeyError), time_limit(5):
        raise KeyError
    assert signal.getsignal(signal.SIGVTALRM) == before
    assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0.0, 0.0)


def test_other_threads_go_without_a_limit() -> None:
    done: list[int] = []

    def search() -> None:
        with time_limit(0.0001):
            done.append(sum(range(1000)))

    thread = threading.Thread(target=search)
    thread.start()
    thread.join()
    assert done == [499500]


def test_the_collector_waits_and_then_goes_on() -> None:
    phases: list[str] = []
    # Enough that it would begin, however seldom it looks.
    objects = 2 * gc.get_threshold()[0]

    def note(phase: str, info: dict[str, int]) -> None:
        phases.append(phase)

    gc.collect()
    gc.callbacks.append(note)
    try:
        with time_limit():
            _ = [[number] for number in range(objects)]
            assert phases == []
        assert gc.isenabled()
        _ = [[number] for number in range(objects)]
        assert phases
    finally:
        gc.callbacks.remove(note)
