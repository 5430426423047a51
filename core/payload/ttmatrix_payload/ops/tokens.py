# SPDX-License-Identifier: Apache-2.0
"""Tokens of the small expressions in manifests. Python's own parser never sees these texts."""

from __future__ import annotations

import re
from typing import NamedTuple

MOST_CHARACTERS = 4096
MOST_DEPTH = 32
MOST_INTEGER = 2**64
"""Upper bound of whole numbers: no tensor holds larger ones."""

_WORDS = re.compile(
    r"""\s*(?:
    (?P<number>(?:\d+(?:_\d+)*(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?(?!\w|\.))
    | (?P<name>[^\W\d]\w*)
    | (?P<text>'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")
    | (?P<sign>\.\.\.|==|!=|<=|>=|[-+()\[\],.<>])
    | (?P<end>\Z)
    )""",
    re.VERBOSE | re.ASCII,
)
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)", re.DOTALL)
_SHORT = {"\\": "\\", "'": "'", '"': '"', "n": "\n", "t": "\t", "r": "\r", "0": "\0"}


class NotRead(ValueError):
    """The text is not a valid expression of this kind. `column` counts from 1 in the text."""

    def __init__(self, message: str, column: int = 1) -> None:
        super().__init__(message)
        self.column = column


class Word(NamedTuple):
    """One token, and where it begins."""

    kind: str
    """`number`, `name`, `text`, `sign` or `end`."""
    text: str
    column: int

    def number(self) -> int | float:
        """The value of a number."""
        if not re.fullmatch(r"\d+(_\d+)*", self.text):
            return float(self.text.replace("_", ""))
        if len(self.text) > 1 and self.text.startswith("0") and self.text.strip("0_"):
            raise NotRead(f"{self.text} begins with 0", self.column)
        # A text of thousands of digits is not converted at all.
        if len(self.text) > 32 or (value := int(self.text)) >= MOST_INTEGER:
            raise NotRead("the whole number needs more than 64 bits", self.column)
        return value

    def string(self) -> str:
        """The contents of a quoted text."""
        return _ESCAPE.sub(self._unescape, self.text[1:-1])

    def _unescape(self, escape: re.Match[str]) -> str:
        code = escape[1]
        if code in _SHORT:
            return _SHORT[code]
        if len(code) == 1 or int(code[1:], 16) > 0x10FFFF:
            raise NotRead(f"unknown escape {escape[0]!r}", self.column + 1 + escape.start())
        return chr(int(code[1:], 16))


def words(text: str) -> list[Word]:
    """The words of `text`, an `end` last. Raises NotRead."""
    if len(text) > MOST_CHARACTERS:
        raise NotRead(f"it has {len(text):,} characters; at most {MOST_CHARACTERS:,} are read")
    found: list[Word] = []
    at = 0
    while True:
        match = _WORDS.match(text, at)
        if match is None:
            begin = at + len(text[at:]) - len(text[at:].lstrip())
            raise NotRead(f"cannot read {text[begin : begin + 12]!r}", begin + 1)
        kind = str(match.lastgroup)
        found.append(Word(kind, match[kind], match.start(kind) + 1))
        if kind == "end":
            return found
        at = match.end()


class Reader:
    """Reads words one after the other."""

    def __init__(self, text: str) -> None:
        self._words = words(text)
        self._at = 0
        self._depth = 0

    @property
    def next(self) -> Word:
        """The next word, without consuming it."""
        return self._words[self._at]

    def take(self) -> Word:
        """Consume the next word and return it."""
        word = self._words[self._at]
        if word.kind != "end":
            self._at += 1
        return word

    def sign(self, *signs: str) -> str:
        """Consume the next sign if it is one of these; else return an empty text."""
        word = self.next
        return self.take().text if word.kind == "sign" and word.text in signs else ""

    def keyword(self, *names: str) -> str:
        """Like `sign`, for a name."""
        word = self.next
        return self.take().text if word.kind == "name" and word.text in names else ""

    def expect(self, sign: str) -> None:
        """Consume this sign. Raises NotRead if something else comes next."""
        if not self.sign(sign):
            raise self.refused(f"expected {sign!r}")

    def finish(self) -> None:
        """Raises NotRead if any words are left."""
        if self.next.kind != "end":
            raise self.refused("expected the end")

    def refused(self, message: str) -> NotRead:
        """The error to raise about the next word."""
        word = self.next
        return NotRead(
            f"{message}, not {word.text[:40]!r}" if word.text else f"{message}, but the text ends", word.column
        )

    def deeper(self) -> None:
        """Enter a bracket or a sign. Raises NotRead if the nesting is too deep."""
        self._depth += 1
        if self._depth > MOST_DEPTH:
            raise NotRead(f"it nests more than {MOST_DEPTH} deep", self.next.column)

    def back(self) -> None:
        """Leave the bracket or sign."""
        self._depth -= 1
