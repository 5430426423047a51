# SPDX-License-Identifier: Apache-2.0
"""What a person looks for in a log: a text or an expression, wanted or unwanted."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from core.errors import UsageError

Matcher = Callable[[str], bool]
"""Whether a line, as it is shown, is one of those looked for."""

_EXPRESSION = "re:"


@dataclass(frozen=True, slots=True)
class Pattern:
    """Text to find, or with `re:` in front a regular expression. Without capitals it finds both cases."""

    text: str
    """As it was typed, without the mark of a negation."""
    out: bool
    """Whether lines that have it are the unwanted ones."""
    regex: re.Pattern[str]

    @property
    def is_expression(self) -> bool:
        """Whether it may take any time to look for it."""
        return self.text.startswith(_EXPRESSION)

    @property
    def holds(self) -> Matcher:
        """Whether a line is wanted."""
        found = _finder(self.text, self.regex)
        return (lambda line: not found(line)) if self.out else found

    def spans(self, line: str) -> list[tuple[int, int]]:
        """Where in `line` it is found, beginning and end of each place; never empty places."""
        return [match.span() for match in self.regex.finditer(line) if match.end() > match.start()]


def parse_pattern(text: str, *, out: bool = False) -> Pattern:
    """The pattern a person typed. Raises UsageError for an expression that is none."""
    expression = text.removeprefix(_EXPRESSION) if text.startswith(_EXPRESSION) else re.escape(text)
    try:
        return Pattern(text, out, re.compile(expression, 0 if _has_capitals(text) else re.IGNORECASE))
    except re.error as error:
        where = "" if error.pos is None else f" at character {error.pos + 1}"
        raise UsageError(
            f"Not an expression: {expression}", f"{error.msg}{where}", "Without re: it is found as plain text."
        ) from error


def parse_filter(text: str) -> Pattern:
    """A filter a person typed: what lines must have or, after a `!`, must not have."""
    return parse_pattern(text.removeprefix("!"), out=text.startswith("!"))


def _has_capitals(text: str) -> bool:
    # An escape such as \S or \W is no capital that somebody asked for.
    plain = re.sub(r"\\.", "", text) if text.startswith(_EXPRESSION) else text
    return plain != plain.lower()


def _finder(text: str, regex: re.Pattern[str]) -> Matcher:
    if text.startswith(_EXPRESSION):
        return lambda line: regex.search(line) is not None
    # A plain search is several times faster than an expression that overlooks the case.
    if _has_capitals(text):
        return lambda line: text in line
    return lambda line: text in line.lower()
