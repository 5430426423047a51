# SPDX-License-Identifier: Apache-2.0
"""When two names are the same but for how they are written."""


def letters(text: str) -> str:
    """The letters and digits of `text` in lower case: what is left of a name in every style of spelling."""
    return "".join(filter(str.isalnum, text.lower()))


def digits(text: str) -> str:
    """The digits of `text`: where they differ, names mean different things however alike they look."""
    return "".join(filter(str.isdigit, text))
