# SPDX-License-Identifier: Apache-2.0
"""Attributes of classes of the checkout, of their instances, and of the members of enums."""

import ast
from collections.abc import Mapping, Sequence

from core.sources.handwritten.interfaces import Evaluates
from core.sources.handwritten.operations import equal
from core.sources.handwritten.values import (
    Bound,
    Class,
    External,
    Function,
    Instance,
    Member,
    Opaque,
    Unknown,
    Value,
)


class Objects:
    """The attributes, members and instances of classes."""

    def __init__(self, expressions: Evaluates) -> None:
        self._expressions = expressions

    def attribute(self, of: Class | Instance | Member, name: str) -> Value:
        """`of.name`. Raises Unknown."""
        if isinstance(of, Instance) and name in of.fields:
            return self._known(of.fields[name])
        if isinstance(of, Member) and name in ("value", "_value_", "name", "_name_"):
            return self._known(of.value) if "value" in name else of.name
        kind = of if isinstance(of, Class) else of.of
        if name in ("__name__", "__qualname__") and isinstance(of, Class):
            return of.name
        owner, value = self._find(kind, name)
        if isinstance(value, Function):
            return self._taken(value, of)
        if owner.is_enum and not name.startswith("_") and not isinstance(value, Class):
            return self._member(owner, name, value)
        return self._known(self._expressions.sure(value, owner.scope.module))

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
        made = Instance(of, {})
        constructor = next((one for one in of.line() if isinstance(one, Class) and "__init__" in one.names), None)
        if any(isinstance(one, Class) and "__new__" in one.names for one in of.line()):
            return Opaque(f"{of.name} makes its instances itself", nameless=True)
        if constructor is not None:
            bound = self._taken(constructor.names["__init__"], made)
            self._expressions.call(bound, args, kwargs)
        elif self._keeps_fields(of):
            self._fill(made, args, kwargs)
        else:
            made.fields.clear()
        return made

    def _find(self, kind: Class, name: str) -> tuple[Class, Value]:
        for one in kind.line():
            if isinstance(one, Class):
                if name in one.names:
                    return one, one.names[name]
            elif not isinstance(one, External):
                raise Unknown(f"{kind.name} has a base that is not known")
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
        for first, other in of.names.items():
            if first == name or isinstance(value, Opaque):
                break
            plain = not first.startswith("_") and not isinstance(other, Function | Opaque)
            if plain and equal(other, value):
                return Member(of, first, other)
        return Member(of, name, value)

    def _by_value(self, of: Class, args: Sequence[Value]) -> Value:
        for member in self.members(of):
            if len(args) == 1 and (args[0] == member or equal(member.value, args[0])):
                return member
        raise Unknown(f"{of.name} has no such member")

    def _keeps_fields(self, of: Class) -> bool:
        """Whether it is a dataclass or a named tuple."""
        decorators = [ast.unparse(one) for one in of.node.decorator_list]
        named = any(isinstance(one, External) and one.name == "typing.NamedTuple" for one in of.line())
        return named or any("dataclass" in one for one in decorators)

    def _fill(self, made: Instance, args: Sequence[Value], kwargs: Mapping[str, Value]) -> None:
        order: dict[str, None] = {}
        for one in reversed(made.of.line()):
            if isinstance(one, Class):
                fields = (node.target for node in one.node.body if isinstance(node, ast.AnnAssign))
                order.update(dict.fromkeys(field.id for field in fields if isinstance(field, ast.Name)))
        made.fields.update(zip(order, args, strict=False))
        made.fields.update(kwargs)

    def _known(self, value: Value) -> Value:
        if isinstance(value, Opaque):
            raise Unknown(value.reason)
        return value
