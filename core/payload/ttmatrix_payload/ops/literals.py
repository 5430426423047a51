# SPDX-License-Identifier: Apache-2.0
"""Python literals in manifests, read by a parser of our own: nothing is evaluated.

Supported are numbers, quoted texts, tuples, lists, `slice(...)` of whole numbers and None, and the names None, True,
False, Ellipsis (also `...`), inf and nan.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from .tokens import NotRead, Reader

MOST_ELEMENTS = 4096
"""Most elements of one literal, counted over all its tuples and lists."""

_NAMES: dict[str, object] = {
    "None": None,
    "True": True,
    "False": False,
    "Ellipsis": ...,
    "inf": math.inf,
    "nan": math.nan,
}


def read_literal(text: str) -> object:
    """The value of a literal. Raises NotRead, a ValueError, for any other text."""
    if not text.strip():
        raise NotRead("it is empty")
    return _Literal(text).whole()


class _Literal:
    def __init__(self, text: str) -> None:
        self._reader = Reader(text)
        self._elements = 0

    def whole(self) -> object:
        value = self._value()
        # `1, 2` is a tuple without parentheses.
        if self._reader.next.text == ",":
            return (value, *self._after_first(""))
        self._reader.finish()
        return value

    def _value(self) -> object:
        reader = self._reader
        reader.deeper()
        word = reader.next
        if word.kind == "number":
            value: object = reader.take().number()
        elif word.kind == "text":
            value = reader.take().string()
        elif word.kind == "name":
            value = self._named()
        else:
            value = self._signed()
        reader.back()
        return value

    def _named(self) -> object:
        name = self._reader.take()
        if self._reader.next.text == "(" and name.text != "slice":
            raise NotRead(f"only slice(...) may be called, not {name.text[:40]}", name.column)
        if name.text == "slice":
            return self._slice()
        if name.text not in _NAMES:
            raise NotRead(f"unknown name {name.text[:40]!r}; there are {', '.join(_NAMES)}", name.column)
        return _NAMES[name.text]

    def _slice(self) -> slice:
        column = self._reader.next.column
        self._reader.expect("(")
        arguments = self._until(")")
        if not 1 <= len(arguments) <= 3 or not all(one is None or type(one) is int for one in arguments):
            raise NotRead("slice takes one to three whole numbers or None", column)
        return slice(*arguments)

    def _signed(self) -> object:
        reader = self._reader
        handlers: dict[str, Callable[[], object]] = {
            "(": self._parenthesis,
            "[": lambda: self._until("]"),
            "...": lambda: ...,
            "-": lambda: -self._number(),
            "+": self._number,
        }
        sign = reader.sign(*handlers)
        if not sign:
            raise reader.refused("expected a literal")
        return handlers[sign]()

    def _number(self) -> int | float:
        column = self._reader.next.column
        value = self._value()
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise NotRead("a sign needs a number after it", column)
        return value

    def _parenthesis(self) -> object:
        if self._reader.sign(")"):
            return ()
        first = self._value()
        if self._reader.sign(")"):
            return first
        return (first, *self._after_first(")"))

    def _after_first(self, closing: str) -> list[object]:
        """The other elements of a tuple."""
        self._reader.expect(",")
        self._count()
        return self._until(closing)

    def _until(self, closing: str) -> list[object]:
        """Values up to `closing`, which is consumed; an empty `closing` means the end of the text."""
        reader, values = self._reader, list[object]()
        while not self._closes(closing):
            self._count()
            values.append(self._value())
            if not self._closes(closing):
                reader.expect(",")
        reader.take()
        return values

    def _closes(self, closing: str) -> bool:
        word = self._reader.next
        return word.text == closing and word.kind == ("sign" if closing else "end")

    def _count(self) -> None:
        self._elements += 1
        if self._elements > MOST_ELEMENTS:
            raise NotRead(f"it has more than {MOST_ELEMENTS:,} elements", self._reader.next.column)
