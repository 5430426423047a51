# SPDX-License-Identifier: Apache-2.0
"""Conditions on numbers: `0.99`, `<0.99`, `>=0.98`, `0.97..0.99`."""

import gc
import math
import operator
import re
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date

_COMPARISON = re.compile(r"(?P<sign><=|>=|<|>|=|)(?P<number>[^<>=].*)")
_SPAN = re.compile(r"(?P<number>\d+(?:\.\d+)?)(?P<unit>[dwy]?)", re.ASCII)
_DAYS = {"": 1, "d": 1, "w": 7, "y": 365}
_COMPARES: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
    "": operator.eq,
}


def by_number(text: str) -> float:
    """Sort key of numbers; other texts come last."""
    try:
        return decimal(text)
    except ValueError:
        return math.inf


def decimal(text: str) -> float:
    """A finite number. Raises ValueError for anything else."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("not finite")
    return number


def days(text: str) -> float:
    """A number of days: `90`, `90d`, `12w` or `1y`. Raises ValueError for anything else."""
    match = _SPAN.fullmatch(text)
    if match is None:
        raise ValueError("not a number of days")
    return decimal(match["number"]) * _DAYS[match["unit"]]


def day(text: str) -> float:
    """A day such as `2026-11-01`, as a number of days. Raises ValueError for anything else."""
    return float(date.fromisoformat(text).toordinal())


def number_test(text: str, read: Callable[[str], float]) -> Callable[[float], bool]:
    """A test whether a number satisfies `text`; both ends of a range are included.

    `read` parses a number and raises ValueError; so does this function, with the reason.
    """
    low, dots, high = text.partition("..")
    if dots:
        least, most = _read(low, read), _read(high, read)
        if least > most:
            raise ValueError(f"the range {text!r} is empty")
        return lambda number: least <= number <= most
    match = _COMPARISON.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not a number")
    compare, wanted = _COMPARES[match["sign"]], _read(match["number"], read)
    return lambda number: compare(number, wanted)


def _read(text: str, read: Callable[[str], float]) -> float:
    try:
        return read(text)
    except ValueError as error:
        raise ValueError(f"{text!r} is not a number") from error


LIMIT_SECONDS = 0.25
"""Processor time, so that a busy machine rejects no valid pattern. A normal search of all ids takes a tenth of it."""


class TooLong(Exception):
    """The time limit is exceeded."""


@contextmanager
def time_limit(seconds: float = LIMIT_SECONDS) -> Iterator[None]:
    """Raise TooLong inside the block once it takes longer.

    A pattern does not show how much it costs, so its running time is limited. Python's own matcher checks for signals
    while it searches, and nothing else here uses a timer on processor time. Signals only reach the main thread, where
    queries are evaluated; in other threads there is no limit.

    Garbage collection is off meanwhile: its time is not the pattern's, and an error raised inside one of its callbacks
    is lost.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    collected = gc.isenabled()
    gc.disable()
    before = signal.signal(signal.SIGVTALRM, _stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
        if collected:
            gc.enable()


def _stop(*_: object) -> None:
    raise TooLong
