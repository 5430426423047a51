# SPDX-License-Identifier: Apache-2.0
"""A limit on the time of a search: some regular expressions try so many ways that they never come to an end."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

LIMIT_SECONDS = 0.25
"""Of processor time, so that a busy machine refuses nothing. An honest search of all ids takes a tenth of it."""


class TooLong(Exception):
    """The limit is over."""


@contextmanager
def time_limit(seconds: float = LIMIT_SECONDS) -> Iterator[None]:
    """Raise TooLong in a body that takes longer.

    Which patterns are dear cannot be told by their looks, so what counts is the time that they take. Python's own
    matcher looks for signals while it searches, and a timer on processor time is one that nothing else here uses.
    Signals belong to the main thread, where queries are answered; elsewhere there is no limit.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGVTALRM, _stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _stop(*_: object) -> None:
    raise TooLong
