# SPDX-License-Identifier: Apache-2.0
"""Composed YAML nodes as checked values. The node trees of PyYAML and of ruamel.yaml have the same shape."""

from __future__ import annotations

import difflib
import functools
import math
import re
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeVar

from .cases import Correction, How, Problem
from .tokens import MOST_INTEGER, NotRead

Node = Any
"""A node of either library, with `id`, `tag`, `value`, `style` and `start_mark`."""
T = TypeVar("T")

_STANDARD = "tag:yaml.org,2002:"
_KNOWN_TAGS = frozenset(
    f"{_STANDARD}{name}"
    for name in ["str", "int", "float", "bool", "null", "map", "seq", "merge", "value", "timestamp"]
)
_INTEGER = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_WORDS: dict[str, object] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), math.inf),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), -math.inf),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan),
}


class Bad(Exception):
    """A mistake at a node."""

    def __init__(self, message: str, node: Node, hint: str = "", correction: Correction | None = None) -> None:
        super().__init__(message)
        self.message, self.node, self.hint, self.correction = message, node, hint, correction


class Noted(Exception):
    """There is no value; the reason has been noted."""


class Notes:
    """The problems of one case, or of the part outside the cases."""

    def __init__(self, case: str = "", above: int = 0) -> None:
        self.case = case
        self.above = above
        """Number of lines in the file above the text of the nodes."""
        self.found: list[Problem] = []

    @property
    def failed(self) -> bool:
        """Whether there is any problem beyond warnings."""
        return not all(problem.warning for problem in self.found)

    def add(
        self, message: str, node: Node, hint: str = "", correction: Correction | None = None, *, warning: bool = False
    ) -> None:
        """Note a mistake at a node."""
        place = node.start_mark.line + self.above + 1, node.start_mark.column + 1
        self.found.append(Problem(message, *place, self.case, hint, warning, correction))

    @contextmanager
    def catch(self) -> Iterator[None]:
        """Note a `Bad` raised in the block, and go on after the block."""
        try:
            yield
        except Noted:
            pass
        except Bad as bad:
            self.add(bad.message, bad.node, bad.hint, bad.correction)


class Field(NamedTuple):
    """A key of a mapping with its value."""

    key: Node
    value: Node


def fields(node: Node, known: Collection[str], notes: Notes, what: str) -> dict[str, Field]:
    """The keys of a mapping that are not null. Unknown and duplicate keys are noted. Raises Bad."""
    check_tag(node)
    if node.id != "mapping":
        raise Bad(f"{what} must be a mapping of {', '.join(list(known)[:6])}, ...", node)
    found: dict[str, Field] = {}
    seen: dict[str, Node] = {}
    present = {key.value for key, _ in node.value if key.id == "scalar"}
    for key, value in node.value:
        name = _key(key, notes)
        if name in seen:
            same = Correction(How.REMOVE) if says_same(value, seen[name]) else None
            notes.add(f"{name} is there twice", key, "", same)
        elif name and name not in known:
            hint, correction = near(name, known, How.RENAME)
            taken = correction is not None and correction.text in present
            notes.add(f"unknown key {name[:60]!r} in {what}", key, hint, None if taken else correction)
        elif name and (not is_null(value) or name == "value"):
            found[name] = Field(key, value)
        seen.setdefault(name, value)
    return found


def says_same(one: Node, other: Node) -> bool:
    """Whether two nodes are written with the same content, in the same order."""
    if one.id != other.id or one.tag != other.tag:
        return False
    if one.id == "scalar":
        return bool(one.value == other.value and is_plain(one) == is_plain(other))
    if len(one.value) != len(other.value):
        return False
    pairs = zip(one.value, other.value, strict=True)
    if one.id == "mapping":
        return all(says_same(left[0], right[0]) and says_same(left[1], right[1]) for left, right in pairs)
    return all(says_same(left, right) for left, right in pairs)


def _key(key: Node, notes: Notes) -> str:
    if key.id != "scalar":
        notes.add("a key must be a word", key)
        return ""
    if key.tag and key.tag not in _KNOWN_TAGS:
        notes.add(f"the tag {key.tag[:60]} is not allowed", key)
        return ""
    return str(key.value)


def near_key(name: str, known: Collection[str]) -> str:
    """A hint for an unknown key."""
    return near(name, known, How.RENAME)[0]


def near(name: str, known: Collection[str], how: How) -> tuple[str, Correction | None]:
    """A hint for a value that is not in `known`, with a correction if a similar one exists."""
    if name == "<<":
        return "merge keys are not read; write the keys out", None
    close = difflib.get_close_matches(name.lower(), known, 1, 0.6)
    if not close:
        return f"there are {', '.join(known)}", None
    return f"did you mean {close[0]}?", Correction(how, close[0])


def check_tag(node: Node) -> None:
    """Raises Bad for an explicit tag: tags never construct anything."""
    if node.tag and node.tag not in _KNOWN_TAGS:
        raise Bad(f"the tag {str(node.tag)[:60]} is not allowed", node, "tags are not read; remove it")


def is_null(node: Node) -> bool:
    """Whether a node is null or empty."""
    return bool(node.id == "scalar" and is_plain(node) and _WORDS.get(node.value, "") is None)


def is_plain(node: Node) -> bool:
    """Whether a scalar is written without quotes."""
    return node.style in (None, "")


@functools.lru_cache(maxsize=8192)
def plain_value(text: str) -> object:
    """The value of an unquoted scalar in YAML 1.2 (core schema): null, a truth value, a number or a text.

    Raises NotRead for a whole number that needs more than 64 bits.
    """
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.fullmatch(text):
        # A text of thousands of digits is not converted at all.
        value = int(text, 0 if text[1:2] in ("o", "x") else 10) if len(text) <= 24 else None
        if value is None or abs(value) >= MOST_INTEGER:
            raise NotRead("the whole number needs more than 64 bits")
        return value
    return float(text) if _FLOAT.fullmatch(text) else text


def scalar(node: Node, what: str) -> object:
    """The value of a scalar. Raises Bad for a collection."""
    check_tag(node)
    if node.id != "scalar":
        raise Bad(f"{what} must be a single value", node)
    if not is_plain(node):
        return str(node.value)
    try:
        return plain_value(node.value)
    except NotRead as error:
        raise Bad(str(error), node) from None


def items(node: Node, what: str, most: int) -> list[Node]:
    """The items of a list. Raises Bad for anything else, and for more than `most`."""
    check_tag(node)
    if node.id != "sequence":
        raise Bad(f"{what} must be a list", node)
    if len(node.value) > most:
        raise Bad(f"{what} has {len(node.value):,} items; at most {most:,} are read", node)
    return list(node.value)


def text(node: Node, what: str, most: int) -> str:
    """The text of a scalar as it is written, numbers too. Raises Bad."""
    check_tag(node)
    if node.id != "scalar":
        raise Bad(f"{what} must be a text", node)
    if len(node.value) > most:
        raise Bad(f"{what} has {len(node.value):,} characters; at most {most:,} are read", node)
    return str(node.value)


def integer(node: Node, what: str, low: int, high: int) -> int:
    """A whole number from `low` to `high`; truth values are not accepted. Raises Bad."""
    value = scalar(node, what)
    if isinstance(value, bool) or not isinstance(value, int):
        raise Bad(f"{what} must be a whole number, not {shown(value)}", node)
    if not low <= value <= high:
        raise Bad(f"{what} must be from {low} to {high}, not {value}", node)
    return value


def number(node: Node, what: str, low: float = -math.inf, high: float = math.inf) -> float:
    """A finite number from `low` to `high`; truth values are not accepted. Raises Bad."""
    value = scalar(node, what)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise Bad(f"{what} must be a number, not {shown(value)}", node)
    if not math.isfinite(value) or not low <= value <= high:
        bounds = "finite" if math.isinf(high) else f"from {low:g} to {high:g}"
        raise Bad(f"{what} must be {bounds}, not {value}", node)
    return float(value)


def truth(node: Node, what: str) -> bool:
    """True or false. Raises Bad."""
    value = scalar(node, what)
    if not isinstance(value, bool):
        raise Bad(f"{what} must be true or false, not {shown(value)}", node)
    return value


def integers(node: Node, what: str, most: int, low: int, high: int) -> tuple[int, ...]:
    """A list of whole numbers. Raises Bad at the item that is not one."""
    return tuple(integer(item, what, low, high) for item in items(node, what, most))


def only(read: Callable[[str], T], node: Node, value: str, what: str) -> T:
    """The result of `read` for a text in a node. Its NotRead becomes a Bad at the right column."""
    try:
        return read(value)
    except NotRead as error:
        raise Bad(f"{what}: {error}", _at(node, error.column)) from None


class Place(NamedTuple):
    """Counted from 0, as the marks of both libraries."""

    line: int
    column: int


class Spot(NamedTuple):
    """A place within a node, usable instead of the node."""

    start_mark: Place


def _at(node: Node, column: int) -> Node:
    """The place of a character in a scalar, if the scalar is written literally on one line."""
    start, end = node.start_mark, node.end_mark
    quotes = 0 if is_plain(node) else 2
    if start.line != end.line or end.column - start.column != len(node.value) + quotes:
        return node
    return Spot(Place(start.line, start.column + quotes // 2 + column - 1))


def shown(value: object) -> str:
    """A value as messages show it."""
    return repr(value) if len(repr(value)) <= 60 else f"{repr(value)[:57]}..."
