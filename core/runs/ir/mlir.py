# SPDX-License-Identifier: Apache-2.0
"""The ops of MLIR of any dialect, in one pass over the file; their texts and places are read on request.

Two ops are equal if their texts are, without names of values, numbers of attribute aliases, and locations.
"""

import os
import re
import weakref
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from core.base.errors import TTMatrixError
from core.base.files import open_regular
from core.base.text import counted
from core.runs.ir.folding import folded_line, placed_lines
from core.runs.ir.ops import Ops

_NESTED = r"[^()]*(?:\([^()]*(?:\([^()]*(?:\([^()]*\)[^()]*)*\)[^()]*)*\)[^()]*)*"
_LOCATION = re.compile(rf"\s*\bloc\(({_NESTED})\)")
_PLACE = re.compile(r'"?([^\s"()]+\.\w+)"?:(\d+)')
_ALIAS = re.compile(r"#([A-Za-z_][\w-]*) = (.*)$")
_LOCATION_ALIAS = re.compile(r"#loc(\d*) = ")
_ALIAS_USE = re.compile(r"#([A-Za-z_][\w-]*)")
_VALUE = re.compile(r"%([A-Za-z0-9_$.-]+)(?::\d+)?")
_RESULTS = re.compile(r"(%[\w$.:-]+(?:, %[\w$.:-]+)*) = ")
_HEAD = re.compile(r"(%(?:, %)*) = ")
_OP = re.compile(r'"?([A-Za-z_][\w$-]*(?:\.[\w$-]+)+)"?|(return|call|module|func)\b')
_BLOCK = re.compile(r"\^bb\d+")
_MODULE = re.compile(r"(module|builtin\.module) @[\w.$-]+")
_DEPTH = 8
"""The largest depth of nested location aliases."""
_PLAIN = "-"
"""Used as the number of an alias without one."""
_MOST_SHAPES = 100_000
_MOST_NUMBERED = 2**24
"""Values and locations with larger numbers are stored in a dictionary."""


def read_mlir(file: Path) -> Ops:
    """The ops of a program. Raises TTMatrixError if it cannot be read."""
    return _Reading(file).ops


def count_mlir(file: Path) -> tuple[Mapping[str, int], str]:
    """The number of ops of each name, and the error in the program. Raises as `read_mlir` does."""
    regions, counts, number = Regions(file), Counter[str](), 0
    for number, (_, line) in enumerate(placed_lines(file), 1):
        if line.startswith("#"):
            continue
        stripped = line.strip()
        regions.saw(number, stripped)
        head = _RESULTS.match(stripped)
        if op := _OP.match(stripped, head.end() if head else 0):
            counts[op[1] or op[2]] += 1
    return counts, regions.broken(number, bool(counts))


class Regions:
    """Tracks brackets line by line: a truncated program leaves some of them open."""

    def __init__(self, file: Path) -> None:
        self._name = file.name
        self._open: list[int] = []
        """The lines whose brackets are still open."""
        self._wrong = ""

    def saw(self, number: int, line: str) -> None:
        """Process a line, without white space around it."""
        if line.startswith("}"):
            if self._open:
                self._open.pop()
            else:
                self._wrong = self._wrong or f"line {number:,} closes what nothing has opened"
        if line.endswith("{"):
            self._open.append(number)
        if "\0" in line or "\ufffd" in line:
            self._wrong = self._wrong or f"line {number:,} has bytes that are no text"

    def broken(self, lines: int, has_ops: bool) -> str:
        """The error and its place; empty: none. `lines` is the number of lines."""
        if not lines:
            return f"{self._name} is empty"
        if self._wrong:
            return f"{self._name} is broken: {self._wrong}"
        if self._open:
            what = f"it ends at line {lines:,}, and what line {self._open[-1]:,} opens is not closed"
            return f"{self._name} is broken: {what}"
        return "" if has_ops else f"{self._name} has no op in its {counted(lines, 'line')}"


class _Numbered:
    """A compact mapping from names to numbers, 4 or 8 bytes each, because nearly all names are numbers."""

    def __init__(self, code: str) -> None:
        self._values = array(code)
        self._others: dict[str, int] = {}

    def get(self, name: str) -> int:
        """The value of a name; 0 if none was set."""
        if name.isdecimal() and len(name) < 9 and (number := int(name)) < _MOST_NUMBERED:
            return self._values[number] if number < len(self._values) else 0
        return self._others.get(name, 0)

    def set(self, name: str, value: int) -> None:
        """Set the value of a name."""
        if name.isdecimal() and len(name) < 9 and (number := int(name)) < _MOST_NUMBERED:
            values = self._values
            if number >= len(values):
                more = max(1024, number + 1 - len(values), min(len(values), _MOST_NUMBERED - len(values)))
                values.frombytes(bytes(more * values.itemsize))
            values[number] = value
        else:
            self._others[name] = value


class _Shape(NamedTuple):
    """The common form of lines that only differ in names of values."""

    name: str
    """The name of the op; empty: there is none."""
    digest: int
    results: int
    """How many of the first values are results."""


class _Reading:
    """One pass over a program."""

    def __init__(self, file: Path) -> None:
        self._aliases: dict[str, str] = {}
        self._expanded: dict[str, str] = {}
        self._shapes: dict[str, _Shape] = {}
        """By the text without names: most ops of a program resemble many others."""
        self._made = _Numbered("I")
        """The line that made each value; names of an earlier function are overwritten."""
        self._offsets = array("Q")
        """The offset of each op's line."""
        self._locations = _Numbered("Q")
        """The offset of each location alias, plus one."""
        self.ops = Ops(_Texts(file, self._offsets, self._locations))
        regions, number = Regions(file), 0
        for number, (offset, line) in enumerate(placed_lines(file), 1):
            if line.startswith("#"):
                self._alias(line, offset)
            else:
                stripped = line.strip()
                regions.saw(number, stripped)
                self._line(number, offset, stripped)
        self.ops.broken = regions.broken(number, bool(self.ops))

    def _alias(self, line: str, offset: int) -> None:
        if location := _LOCATION_ALIAS.match(line):
            self._locations.set(location[1] or _PLAIN, offset + 1)
        elif alias := _ALIAS.match(line):
            self._aliases[alias[1]] = alias[2]
            self._expanded.clear()
            self._shapes.clear()

    def _line(self, number: int, offset: int, line: str) -> None:
        text = _split_location(line)[0]
        # Texts and names of values, alternating.
        parts = _VALUE.split(text)
        names = parts[1::2]
        without_names = "%".join(parts[::2])
        shape = self._shapes.get(without_names)
        if shape is None:
            if len(self._shapes) > _MOST_SHAPES:
                self._shapes.clear()
            shape = self._shapes[without_names] = self._shape(without_names)
        made = self._made
        if shape.name:
            self._offsets.append(offset)
            self.ops.add(number, shape.name, shape.digest, [made.get(name) for name in names[shape.results :]])
            for name in names[: shape.results]:
                made.set(name, number)
        elif text.startswith("^bb"):
            for name in names:
                made.set(name, 0)

    def _shape(self, text: str) -> _Shape:
        head = _HEAD.match(text)
        body = text[head.end() :] if head else text
        if (op := _OP.match(body)) is None:
            return _Shape("", 0, 0)
        return _Shape(op[1] or op[2], hash(self._without_names(body)), head[1].count("%") if head else 0)

    def _without_names(self, body: str) -> str:
        if "#" in body:
            body = _ALIAS_USE.sub(self._meaning, body)
        if "^bb" in body:
            body = _BLOCK.sub("^bb", body)
        return _MODULE.sub(r"\1", body, count=1) if body.startswith(("module", "builtin")) else body

    def _meaning(self, match: re.Match[str]) -> str:
        """The text of an attribute alias, whose number differs in each program."""
        name = match[1]
        if name not in self._expanded:
            self._expanded[name] = self._expand(match)
        return self._expanded[name]

    def _expand(self, match: re.Match[str], depth: int = 0) -> str:
        text = self._aliases.get(match[1])
        if text is None or depth > _DEPTH:
            return match[0]
        return _ALIAS_USE.sub(lambda inner: self._expand(inner, depth + 1), text)


class _Texts:
    """Reads lines of a program again. The open file stays readable when it is removed."""

    def __init__(self, file: Path, offsets: Sequence[int], locations: _Numbered) -> None:
        self._offsets, self._locations = offsets, locations
        try:
            self._descriptor = open_regular(file)
        except OSError as error:
            raise TTMatrixError(f"Cannot read {file}", error.strerror or str(error)) from error
        weakref.finalize(self, os.close, self._descriptor)
        self._places: dict[str, str] = {"": ""}

    def text(self, position: int) -> str:
        """The text of an op."""
        return _split_location(self._line(self._offsets[position]))[0]

    def place(self, position: int) -> str:
        """The place of an op."""
        return self._place(_split_location(self._line(self._offsets[position]))[1])

    def _line(self, offset: int) -> str:
        return folded_line(self._descriptor, offset).strip()

    def _place(self, location: str, depth: int = 0) -> str:
        """`FILE:LINE` of a location; if it leads through several files, the innermost one outside of libraries."""
        if location in self._places:
            return self._places[location]
        places = [f"{file}:{line}" for file, line in _PLACE.findall(location)]
        if depth < _DEPTH:
            places += filter(None, (self._place(inner, depth + 1) for inner in self._named(location)))
        own = [one for one in places if "site-packages" not in one and "dist-packages" not in one]
        self._places[location] = next(iter(own or places), "")
        return self._places[location]

    def _named(self, location: str) -> Iterator[str]:
        """The locations that a location refers to by aliases."""
        for name in _ALIAS_USE.findall(location):
            offset = self._locations.get(name.removeprefix("loc") or _PLAIN) if name.startswith("loc") else 0
            if offset and (text := _LOCATION.match(self._line(offset - 1).partition(" = ")[2])):
                yield text[1]


def _split_location(line: str) -> tuple[str, str]:
    """A line without its locations, and the last of these."""
    at = line.find(" loc(")
    if at < 0:
        return line, ""
    if line.endswith(")") and " loc(" not in line[at + 1 :]:
        # The most frequent case.
        return line[:at], line[at + 5 : -1]
    locations = _LOCATION.findall(line)
    return _LOCATION.sub("", line), locations[-1] if locations else ""
