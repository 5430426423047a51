# SPDX-License-Identifier: Apache-2.0
"""Marker and keyword expressions, evaluated by pytest's own grammar (spec 3.2)."""

from collections.abc import Callable, Set
from functools import cache

from core.errors import UsageError

Evaluate = Callable[[Callable[..., bool]], bool]
"""Evaluates one expression; asks the given matcher about each name in it."""


class ExpressionError(UsageError):
    """An expression that pytest would refuse; `reason` is what it says."""

    def __init__(self, text: str, reason: str) -> None:
        super().__init__(f"Not an expression: {text!r}", reason)
        self.reason = reason


def mark_matches(expression: str, markers: Set[str]) -> bool:
    """Whether `-m expression` selects a test with these markers; names match exactly.

    Without an expression every test is selected. Raises ExpressionError.
    """

    def has(name: str, /, **arguments: object) -> bool:
        # No marker of a model test carries arguments, so a name that asks for some matches none.
        return name in markers and not arguments

    return not expression or _compiled(expression)(has)


def keyword_matches(expression: str, names: Set[str]) -> bool:
    """Whether `-k expression` selects a test with these names: any part of one, case aside. Raises ExpressionError."""
    lowered = [name.lower() for name in names]

    def has(name: str, /) -> bool:
        return any(name.lower() in one for one in lowered)

    return not expression or _keywords(expression)(has)


def problem(mark: str, keyword: str) -> str:
    """Why pytest would refuse `-m mark -k keyword`; empty: it would not."""
    try:
        _compiled(mark)
        _keywords(keyword)
    except ExpressionError as error:
        return error.reason
    return ""


def _keywords(text: str) -> Evaluate:
    # In this grammar an equals sign stands in an argument and nowhere else.
    if "=" in text:
        raise ExpressionError(text, "names of a -k expression take no arguments")
    return _compiled(text)


@cache
def _compiled(text: str) -> Evaluate:
    # Imported where it is needed: loading pytest takes longer than most commands.
    from _pytest.mark.expression import Expression

    try:
        return Expression.compile(text).evaluate
    except SyntaxError as error:
        raise ExpressionError(text, f"{error.msg} at column {error.offset}") from error
    except RecursionError as error:
        raise ExpressionError(text, "it nests too deeply") from error
