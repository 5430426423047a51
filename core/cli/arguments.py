# SPDX-License-Identifier: Apache-2.0
"""Types of arguments that several commands have."""


def days(text: str) -> float:
    """A number of days. Raises ValueError, which argparse turns into a message."""
    number = float(text)
    if not 0 < number < 10_000:
        raise ValueError(text)
    return number


days.__name__ = "number of days"
