# SPDX-License-Identifier: Apache-2.0
"""Conditions on numbers: `0.99`, `<0.99`, `>=0.98`, `0.97..0.99`."""

import math
import operator
import re
from collections.abc import Callable

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
        raise ValueError("no number of days")
    return decimal(match["number"]) * _DAYS[match["unit"]]


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
