# SPDX-License-Identifier: Apache-2.0
"""Attributes of classes of the checkout, of their instances, and of the members of enums."""

import enum
from collections.abc import Mapping, Sequence

from core.python.interfaces import Evaluates
from core.python.operations import equal
from core.python.values import (
    Bound,
    Class,
    External,
    Function,
    Instance,
    Member,
    Opaque,
    Raises,
    Super,
    Unknown,
    Value,
    is_plain,
)

_KNOWN_BASES: Mapping[str, type] = {
    "abc.ABC": object,
    "builtins.object": object,
    "typing.Protocol": object,
    "builtins.str": str,
    "builtins.int": int,
    "enum.Enum": enum.Enum,
    "enum.IntEnum": enum.IntEnum,
    "enum.StrEnum": enum.StrEnum,
}
"""Classes outside of the tree whose attributes are known, with a class that has them all."""
_PLAIN = (External("builtins.object"), External("abc.ABC"))


_MOST_MEMBERS = 2000
"""The most members of an enum: each is compared with those before it."""


class Objects:
    """The attributes, members and instances of classes."""

    def __init__(self, expressions: Evaluates) -> None:
        self._expressions = expressions

    def attribute(self, of: Class | Instance | Member | Super, name: str) -> Value:
        """`of.name`. Raises Unknown."""
        if isinstance(of, Super):
            return self._above(of, name)
        if isinstance(of, Instance) and name in of.fields:
            return self._expressions.known(of.fields[name])
        if isinstance(of, Member) and name in ("value", "_value_", "name", "_name_"):
            return self._expressions.known(of.value) if "value" in name else of.name
        kind = of if isinstance(of, Class) else of.of
        if name in ("__name__", "__qualname__") and isinstance(of, Class):
            return of.name
        owner, value = self._find(kind, name, of)
        return self._got(owner, name, value, of)

    def _got(self, owner: Class, name: str, value: Value, of: Class | Instance | Member) -> Value:
        """The value of the attribute `name` of `of`, which `owner` binds to `value`."""
        if isinstance(value, Function):
            return self._taken(value, of)
        if owner.is_enum and not name.startswith("_") and not isinstance(value, Class):
            return self._member(owner, name, value)
        return self._expressions.known(self._expressions.sure(value, owner.scope.module))

    def _above(self, of: Super, name: str) -> Value:
        """`super().name`."""
        line = (of.receiver if isinstance(of.receiver, Class) else of.receiver.of).line()
        for one in line[line.index(of.owner) + 1 :] if of.owner in line else ():
            if isinstance(one, Class) and name in one.names:
                return self._got(one, name, one.names[name], of.receiver)
            if not isinstance(one, Class | External):
                break
            if isinstance(one, External) and one.name not in _KNOWN_BASES:
                return External(f"{one.name}.{name}")
        if hasattr(object, name):
            return External(f"builtins.object.{name}")
        raise Unknown(f"what super().{name} is is not known")

    def named_member(self, of: Class, name: str) -> Value:
        """`of[name]`. Raises Unknown."""
        try:
            return self.attribute(of, name)
        except Raises:
            raise Raises("KeyError", repr(name)) from None

    def has_own(self, of: Instance | Member, name: str) -> bool:
        """Whether a class of the checkout in the ancestry of `of` binds `name`."""
        return any(isinstance(one, Class) and name in one.names for one in of.of.line())

    def members(self, of: Class) -> list[Value]:
        """The members of an enum in order, without aliases. Raises Unknown."""
        if not of.is_enum:
            raise Unknown(f"iterates over {of.name}")
        plain = [
            name for name, value in of.names.items() if not name.startswith("_") and not isinstance(value, Function)
        ]
        return list(dict.fromkeys(self._member(of, name, of.names[name]) for name in plain))

    def make(self, of: Class, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
        """The result of calling a class. Raises Unknown."""
        if of.is_enum:
            return self._by_value(of, args)
        if any(isinstance(one, Class) and "__new__" in one.names for one in of.line()):
            return Opaque(f"{of.name} makes its instances itself", nameless=True)
        if (missing := of.abstract()) and of.is_simple:
            names = ", ".join(sorted(missing))
            raise Raises("TypeError", f"Can't instantiate abstract class {of.name} with abstract {names}")
        made = Instance(of, {})
        constructor = next((one for one in of.line() if isinstance(one, Class) and "__init__" in one.names), None)
        if constructor is not None:
            self._expressions.call(self._taken(constructor.names["__init__"], made), args, kwargs)
        elif self._keeps_fields(of):
            self._fill(made, args, kwargs)
        return made

    def _find(self, kind: Class, name: str, of: Value) -> tuple[Class, Value]:
        for one in kind.line():
            if isinstance(one, Class):
                if name in one.names:
                    return one, one.names[name]
            elif not isinstance(one, External):
                raise Unknown(f"{kind.name} has a base that is not known")
        if _is_visible(kind, name) and not isinstance(of, Instance):
            told = f"type object {kind.name!r}" if isinstance(of, Class) else f"{kind.name!r} object"
            raise Raises("AttributeError", f"{told} has no attribute {name!r}")
        raise Unknown(f"{kind.name} has no {name} in the checkout")

    def _taken(self, function: Function, of: Class | Instance | Member) -> Value:
        if function.kind == "staticmethod":
            return function
        if function.kind == "classmethod":
            return Bound(function, of if isinstance(of, Class) else of.of)
        if isinstance(of, Class):
            return function
        bound = Bound(function, of)
        return self._expressions.call(bound, [], {}) if function.kind == "property" else bound

    def _member(self, of: Class, name: str, value: Value) -> Member:
        """The member for a value: if two names have the same value, the first one is the member."""
        if name not in of.members or of.members[name].value is not value:
            of.members[name] = self._first(of, name, value)
        return of.members[name]

    def _first(self, of: Class, name: str, value: Value) -> Member:
        if len(of.names) > _MOST_MEMBERS:
            raise Unknown(f"{of.name} has too many members")
        for first, other in of.names.items():
            if first == name or isinstance(value, Opaque):
                break
            plain = not first.startswith("_") and not isinstance(other, Function | Opaque)
            if plain and equal(other, value):
                return Member(of, first, other)
        return Member(of, name, value)

    def _by_value(self, of: Class, args: Sequence[Value]) -> Value:
        members = self.members(of)
        for member in members:
            if len(args) == 1 and (args[0] == member or equal(member.value, args[0])):
                return member
        if _is_visible(of, "_missing_") and len(args) == 1 and is_plain([args[0], *(one.value for one in members)]):
            raise Raises("ValueError", f"{args[0]!r} is not a valid {of.name}")
        raise Unknown(f"{of.name} has no such member")

    def _keeps_fields(self, of: Class) -> bool:
        """Whether it is a dataclass or a named tuple."""
        named = any(isinstance(one, External) and one.name == "typing.NamedTuple" for one in of.line())
        return named or any(isinstance(one, Class) and one.is_dataclass for one in of.line())

    def _fill(self, made: Instance, args: Sequence[Value], kwargs: Mapping[str, Value]) -> None:
        order: dict[str, None] = {}
        required: dict[str, bool] = {}
        for one in reversed(made.of.line()):
            for name, has_default in one.fields if isinstance(one, Class) else ():
                order[name] = None
                required[name] = not has_default
        given = {**dict(zip(order, args, strict=False)), **kwargs}
        self._check_call(made.of, len(args) > len(order), given, required)
        made.fields.update(given)
        if self.has_own(made, "__post_init__"):
            self._finish(made)

    def _finish(self, made: Instance) -> None:
        """Run `__post_init__`, which may change any field if it cannot be followed."""
        try:
            self._expressions.call(self.attribute(made, "__post_init__"), [], {})
        except Raises:
            raise
        except Unknown as error:
            made.fields.update(dict.fromkeys(made.fields, Opaque(str(error))))

    def _check_call(self, of: Class, too_many: bool, given: Mapping[str, Value], required: Mapping[str, bool]) -> None:
        """Raise what Python raises for arguments that do not fit, if the fields are known for certain."""
        if not all((isinstance(one, Class) and one.has_plain_fields) or one in _PLAIN for one in of.line()):
            return
        if too_many:
            raise Raises("TypeError", f"{of.name}() takes {len(required)} values")
        if unknown := [name for name in given if name not in required]:
            raise Raises("TypeError", f"{of.name}() got an unexpected keyword argument {unknown[0]!r}")
        if missing := [name for name, needed in required.items() if needed and name not in given]:
            raise Raises("TypeError", f"{of.name}() misses {missing[0]!r}")


def _is_visible(kind: Class, name: str) -> bool:
    """Whether a class would be seen to have an attribute `name`."""
    return not name.startswith("__") and all(_shows(one, name) for one in kind.line())


def _shows(one: Value, name: str) -> bool:
    if isinstance(one, Class):
        return not one.doubt and "__getattr__" not in one.names and name not in one.names
    known = _KNOWN_BASES.get(one.name) if isinstance(one, External) else None
    return known is not None and (name == "_missing_" or not hasattr(known, name))
