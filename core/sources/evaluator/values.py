# SPDX-License-Identifier: Apache-2.0
"""Values that are known without running a loader, and the reason if one is not."""

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from core.sources.evaluator.namespace import ClassSource


class Unknown(Exception):
    """Why a value cannot be known statically; `place` is `file:line` below the models root."""

    def __init__(self, reason: str, place: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.place = place

    def __str__(self) -> str:
        return f"{self.place}: {self.reason}" if self.place else self.reason

    def at(self, place: str) -> "Unknown":
        """The same reason, with the place where it occurred first."""
        return self if self.place else Unknown(self.reason, place)


@dataclass(frozen=True, slots=True)
class TreeClass:
    """A class of the models tree."""

    path: str
    """File relative to the models root."""
    name: str
    source: ClassSource = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class External:
    """Something the tree imports from elsewhere, by its full name: `dataclasses.replace`, `builtins.any`."""

    name: str


@dataclass(frozen=True, slots=True)
class EnumMember:
    """A member of a string enum. Two names for one text are one member, as in Python."""

    enum: TreeClass
    text: str
    is_text: bool | None = field(default=None, compare=False)
    """Whether it is also a text and equals that; None: the enum has its own equality, or an unknown base."""


@dataclass(frozen=True, slots=True)
class Scope:
    """The context of an expression: a module, a class body (`owner`), or a method of `owner` (`names` not None)."""

    path: str
    owner: TreeClass | None = None
    names: "Mapping[str, Value] | None" = None
    """Local names with their values; if they exist, class names are not visible."""
    receiver: TreeClass | None = None
    """The class on which a method was called."""


@dataclass(frozen=True, slots=True)
class Lazy:
    """An expression that is evaluated on demand: much of a configuration is never needed."""

    node: ast.expr
    scope: Scope


@dataclass(frozen=True, slots=True)
class Dictionary:
    """A dict display."""

    items: "tuple[tuple[Value, Lazy], ...]"


@dataclass(frozen=True, slots=True)
class Record:
    """An instance of a dataclass of the tree, with the fields that were passed to it."""

    kind: TreeClass
    fields: "Mapping[str, Lazy | Value]"


@dataclass(frozen=True, slots=True)
class Super:
    """`super()` in a method of `owner`, called on `receiver`."""

    owner: TreeClass
    receiver: TreeClass


@dataclass(frozen=True, slots=True)
class Method:
    """A class method or static method of `owner`, accessed through `receiver`."""

    function: ast.FunctionDef
    owner: TreeClass
    receiver: TreeClass


@dataclass(frozen=True, slots=True)
class Get:
    """The method `get` of a dictionary."""

    of: Dictionary


@dataclass(frozen=True, slots=True)
class TextMethod:
    """A method of a text."""

    of: str
    name: str


Plain: TypeAlias = bool | int | float | str | EnumMember | None
Value: TypeAlias = (
    Plain | External | TreeClass | Dictionary | Record | Super | Method | Get | TextMethod | tuple["Value", ...]
)


MAX_TEXT = 10_000
"""The longest text that may be built: no name is that long, and repeated doubling would fill the memory."""


def find(mapping: Dictionary, key: Value) -> Lazy | None:
    """The value of `key` in `mapping`; of equal keys the last counts. None: there is none."""
    return next((value for own, value in reversed(mapping.items) if equal(own, key)), None)


def equal(left: Value, right: Value) -> bool:
    """`left == right`. Raises Unknown if that depends on more than these values."""
    if not _is_plain(left) or not _is_plain(right):
        raise Unknown("compares what is neither a constant nor an enum member")
    for member, text in ((left, right), (right, left)):
        if isinstance(member, EnumMember) and isinstance(text, str):
            if member.is_text is None:
                raise Unknown("compares an enum member with a text")
            return member.is_text and member.text == text
    return left == right


def same(left: Value, right: Value) -> bool:
    """`left is right`, for values that exist only once."""
    if not any(value is None or isinstance(value, bool | EnumMember) for value in (left, right)):
        raise Unknown("asks whether two values are one object")
    return type(left) is type(right) and left == right


def contains(container: Value, item: Value) -> bool:
    """`item in container`."""
    if isinstance(container, str) and isinstance(item, str):
        return item in container
    if isinstance(container, Dictionary):
        return find(container, item) is not None
    if isinstance(container, tuple):
        return any(equal(item, one) for one in container)
    raise Unknown("asks for membership in what is neither a text nor a collection")


def truth(value: Value) -> bool:
    """`bool(value)`. An enum member is always true, as upstream's enums inherit from Enum alone."""
    if isinstance(value, Dictionary):
        return bool(value.items)
    if _is_plain(value) or isinstance(value, tuple):
        return bool(value)
    raise Unknown("asks whether something is true that is neither a constant nor a collection")


def text(value: Value) -> str:
    """`str(value)`; the text of an enum member is its value (docs/rules.md 1.2)."""
    if isinstance(value, EnumMember):
        return value.text
    if _is_plain(value):
        return limited(str(value))
    raise Unknown("makes a text of what is neither a constant nor an enum member")


def limited(made: str) -> str:
    """`made`; raises Unknown if it is longer than MAX_TEXT."""
    if len(made) > MAX_TEXT:
        raise Unknown(f"makes a text of more than {MAX_TEXT} characters")
    return made


def _is_plain(value: Value) -> bool:
    return value is None or isinstance(value, bool | int | float | str | EnumMember)
