# SPDX-License-Identifier: Apache-2.0
"""Types of arguments, which argparse names in its message if a text is not one."""

import argparse
import re
from argparse import ArgumentTypeError
from datetime import UTC, datetime, timedelta


def days(text: str) -> float:
    """A number of days. Raises ValueError, which argparse turns into a message."""
    number = float(text)
    if not 0 < number < 10_000:
        raise ValueError(text)
    return number


days.__name__ = "number of days"


def moment(text: str) -> float:
    """The end of a day `2026-11-21`, or a moment `2026-11-21T06:00`, in UTC, as seconds since the epoch."""
    found = datetime.fromisoformat(text)
    if len(text) <= len("2026-11-21"):
        found += timedelta(days=1) - timedelta(seconds=1)
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()


moment.__name__ = "date"


def add_as_of(parser: argparse.ArgumentParser) -> None:
    """Declare `--as-of`, for `Context.as_of`."""
    parser.add_argument(
        "--as-of",
        type=moment,
        metavar="DATE",
        help="what would have been said on that day (UTC): without later results, with ages counted to it",
    )


def sha(text: str) -> str:
    """The name of a commit that any clone understands; empty: unknown. Raises ArgumentTypeError."""
    if text and not re.fullmatch("[0-9a-f]{7,40}", text.lower()):
        raise ArgumentTypeError(f"not a SHA (7 to 40 hexadecimal digits): {text!r}. `git rev-parse NAME` prints it")
    return text.lower()
