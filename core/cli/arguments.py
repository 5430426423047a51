# SPDX-License-Identifier: Apache-2.0
"""Types of arguments, which argparse names in its message if a text is not one."""

import argparse
import re
from argparse import ArgumentTypeError
from datetime import UTC, date, datetime, time

from core.base.checked_numbers import LAST_MOMENT
from core.sessions import MOST_HOURS


def days(text: str) -> float:
    """A number of days. Raises ValueError, which argparse turns into a message."""
    number = float(text)
    if not 0 < number < 10_000:
        raise ValueError(text)
    return number


days.__name__ = "number of days"


def minutes(text: str) -> float:
    """A number of minutes, at least one. Raises ValueError, which argparse turns into a message."""
    number = float(text)
    if not 1 <= number < 100_000:
        raise ValueError(text)
    return number


minutes.__name__ = "number of minutes"


def hours(text: str) -> float:
    """A number of hours. Raises ValueError, which argparse turns into a message."""
    number = float(text)
    if not 0 < number <= MOST_HOURS:
        raise ValueError(text)
    return number


hours.__name__ = "number of hours"


def moment(text: str) -> float:
    """The end of a day `2026-11-21`, or a moment `2026-11-21T06:00`, in UTC unless it names a zone.

    In seconds since the epoch. Raises ArgumentTypeError.
    """
    try:
        return min(_moment(text), LAST_MOMENT)
    except (ValueError, OverflowError) as error:
        forms = "2026-11-21, 2026-11-21T06:00 (UTC) or 2026-11-21T06:00+02:00"
        raise ArgumentTypeError(f"not a date: {text!r}. Give {forms}") from error


_LAST = time(23, 59, 59, 999_000)
"""Of a day, as a float can hold it in any year."""


def _moment(text: str) -> float:
    try:
        day = date.fromisoformat(text)
    except ValueError:
        found = datetime.fromisoformat(text)
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
    return datetime.combine(day, _LAST, UTC).timestamp()


def add_as_of(parser: argparse.ArgumentParser) -> None:
    """Declare `--as-of`, for `Context.as_of`."""
    parser.add_argument(
        "--as-of",
        type=moment,
        metavar="DATE",
        help="the answer as of the end of that day (UTC): later results are ignored, and ages end there",
    )


def sha(text: str) -> str:
    """The name of a commit that any clone understands; empty: unknown. Raises ArgumentTypeError."""
    if text and not re.fullmatch("[0-9a-f]{7,40}", text.lower()):
        raise ArgumentTypeError(f"not a SHA (7 to 40 hexadecimal digits): {text!r}. `git rev-parse NAME` prints it")
    return text.lower()
