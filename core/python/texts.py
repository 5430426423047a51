# SPDX-License-Identifier: Apache-2.0
"""Texts of values, as `str` and `repr` give them."""

from collections.abc import Callable

from core.python import known
from core.python.values import (
    MOST_TEXT,
    Class,
    External,
    Function,
    Instance,
    Member,
    Unknown,
    Value,
)

CallMethod = Callable[[Value, str], Value]
"""Calls the method of that name of an instance or a member; returns None if its class does not define it."""

_PLAIN = (bool, int, float, complex, str, bytes)


def limited(made: str) -> str:
    """`made`; raises Unknown if it is too long."""
    if len(made) > MOST_TEXT:
        raise Unknown(f"makes a text of more than {MOST_TEXT} characters")
    return made


def text(value: Value, call: CallMethod) -> str:
    """`str(value)`. Raises Unknown if that is not known."""
    if isinstance(value, str):
        return value
    if isinstance(value, Member):
        return _member_text(value, call)
    if isinstance(value, Instance):
        made = call(value, "__str__")
        return made if isinstance(made, str) else shown(value, call)
    return shown(value, call)


def shown(value: Value, call: CallMethod) -> str:
    """`repr(value)`. Raises Unknown if that is not known."""
    if value is None or value is Ellipsis or isinstance(value, _PLAIN):
        return limited(repr(value))
    if isinstance(value, slice):
        return f"slice({shown(value.start, call)}, {shown(value.stop, call)}, {shown(value.step, call)})"
    if isinstance(value, tuple | list | dict | set | frozenset | range):
        return limited(_collection(value, call))
    if isinstance(value, External):
        return known.text_of(value)
    if isinstance(value, Member | Instance):
        made = call(value, "__repr__")
        if isinstance(made, str):
            return made
        if isinstance(value, Member) and not value.of.externals() - {"enum.Enum", "builtins.str", "builtins.int"}:
            return f"<{value.of.name}.{value.name}: {shown(value.value, call)}>"
    raise Unknown(f"the text of {describe(value)} is not known")


def describe(value: Value) -> str:
    """A description of a value, for a reason."""
    if isinstance(value, Class | Function):
        return value.name
    return type(value).__name__.lower()


def _collection(value: Value, call: CallMethod) -> str:
    if isinstance(value, range):
        return repr(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{shown(key, call)}: {shown(one, call)}" for key, one in value.items()) + "}"
    parts = [shown(one, call) for one in value]
    if isinstance(value, tuple):
        return f"({parts[0]},)" if len(parts) == 1 else f"({', '.join(parts)})"
    if isinstance(value, list):
        return f"[{', '.join(parts)}]"
    if len(parts) > 1:
        raise Unknown("a set has no order")
    inner = "{" + parts[0] + "}" if parts else "set()"
    return f"frozenset({inner if parts else ''})" if isinstance(value, frozenset) else inner


def _member_text(member: Member, call: CallMethod) -> str:
    """The text of an enum member (docs/rules.md 1.2)."""
    made = call(member, "__str__")
    if isinstance(made, str):
        return made
    outside = member.of.externals()
    if outside & {"enum.StrEnum", "enum.IntEnum", "enum.IntFlag"}:
        return text(member.value, call)
    if outside <= {"enum.Enum", "builtins.str", "builtins.int", "builtins.object"}:
        return f"{member.of.name}.{member.name}"
    raise Unknown(f"how {member.of.name} prints its members is not known")
