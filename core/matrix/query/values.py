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
    """Whether a number is what `text` asks for; both ends of a range belong to it.

    `read` makes a number of its text and raises ValueError, as this does with the reason.
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
"""Of processor time, so that a busy machine refuses nothing. An honest search of all ids takes a tenth of it."""


class TooLong(Exception):
    """The limit is over."""


@contextmanager
def time_limit(seconds: float = LIMIT_SECONDS) -> Iterator[None]:
    """Raise TooLong in a body that takes longer.

    A pattern does not show how much it costs, so its running time is limited. Python's own
    matcher looks for signals while it searches, and a timer on processor time is one that nothing else here uses.
    Signals belong to the main thread, where queries are answered; elsewhere there is no limit.

    The collector waits meanwhile: its time is not the pattern's, and what is raised in a callback of it is lost.
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
