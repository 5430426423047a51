# SPDX-License-Identifier: Apache-2.0
"""Types of arguments, which argparse names in its message if a text is not one."""

import re
from argparse import ArgumentTypeError


def days(text: str) -> float:
    """A number of days. Raises ValueError, which argparse turns into a message."""
    number = float(text)
    if not 0 < number < 10_000:
        raise ValueError(text)
    return number


days.__name__ = "number of days"


def sha(text: str) -> str:
    """The name of a commit that any clone understands; empty: unknown. Raises ArgumentTypeError."""
    if text and not re.fullmatch("[0-9a-f]{7,40}", text.lower()):
        raise ArgumentTypeError(f"not a SHA (7 to 40 hexadecimal digits): {text!r}. `git rev-parse NAME` prints it")
    return text.lower()
