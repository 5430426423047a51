# SPDX-License-Identifier: Apache-2.0
"""Attributes of the classes, enum members and dataclass instances of the models tree, evaluated on request."""

import ast
from collections.abc import Callable, Mapping, Sequence

from core.sources.evaluator.namespace import Bound, Unclear
from core.sources.evaluator.statements import TEXT_METHODS
from core.sources.evaluator.tree import TreeNames
from core.sources.evaluator.values import (
    Dictionary,
    EnumMember,
    External,
    Get,
    Lazy,
    Method,
    Record,
    Scope,
    Super,
    TextMethod,
    TreeClass,
    Unknown,
    Value,
)

_CONSTRUCTORS = ("__new__", "__init__", "__post_init__")


class Objects:
    """The classes of `tree` and their instances; `evaluate` gives the value of an expression."""

    def __init__(self, tree: TreeNames, evaluate: Callable[[ast.expr, Scope], Value]) -> None:
        self._tree = tree
        self._evaluate = evaluate
        self._class_values: dict[tuple[TreeClass, str], Value] = {}

    def forget(self) -> None:
        """Clear the cached attributes of classes."""
        self._class_values.clear()

    def attribute(self, of: Value, name: str) -> Value:
        """`of.name`."""
        match of:
            case TreeClass():
                return self.class_attribute(of, *self._tree.attribute(of, name), name)
            case Super(owner=owner, receiver=receiver):
                return self.class_attribute(receiver, *self._tree.attribute(receiver, name, after=owner), name)
            case Record():
                return self._field(of, name)
            case EnumMember(text=value) if name == "value":
                return value
            case External():
                return External(f"{of.name}.{name}")
            case Dictionary() if name == "get":
                return Get(of)
            case str() if name in TEXT_METHODS:
                return TextMethod(of, name)
        raise Unknown(f"the attribute {name} of a value that has none here")

    def record(self, kind: TreeClass, given: Sequence[Lazy], named: Mapping[str, Lazy]) -> Record:
        """The dataclass instance that calling `kind` makes. Raises Unknown if `kind` does more than store fields."""
        line = [one for one in self._tree.ancestors(kind) if isinstance(one, TreeClass)]
        if self._tree.is_enum(kind) or any(name in one.source.names for one in line for name in _CONSTRUCTORS):
            raise Unknown(f"{kind.name} makes its instances itself")
        order = list(dict.fromkeys(name for one in reversed(line) for name in one.source.fields))
        if len(given) > len(order):
            raise Unknown(f"calls {kind.name} with more values than it has fields")
        return Record(kind, {**dict(zip(order, given, strict=False)), **named})

    def force(self, value: Lazy | Value) -> Value:
        """The value of something that may not have been evaluated yet."""
        return self._evaluate(value.node, value.scope) if isinstance(value, Lazy) else value

    def class_attribute(self, receiver: TreeClass, owner: TreeClass, bound: Bound, name: str) -> Value:
        """The attribute `name` of `receiver` that `owner` binds to `bound`."""
        match bound:
            case ast.FunctionDef():
                return Method(bound, owner, receiver)
            case ast.expr():
                return self._class_value(owner, bound, name)
            case Unclear(reason=reason):
                raise Unknown(f"{name} {reason}")
        raise Unknown(f"{name} is not assigned a value")

    def _class_value(self, owner: TreeClass, bound: ast.expr, name: str) -> Value:
        key = (owner, name)
        if key not in self._class_values:
            value = self._evaluate(bound, Scope(owner.path, owner))
            self._class_values[key] = self._member(owner, value) if self._tree.is_enum(owner) else value
        return self._class_values[key]

    def _member(self, enum: TreeClass, value: Value) -> EnumMember:
        if isinstance(value, EnumMember) and value.enum == enum:
            return value
        if not isinstance(value, str) or not self._tree.prints_value(enum):
            raise Unknown(f"the members of {enum.name} do not print as their values")
        return EnumMember(enum, value, self._tree.is_text(enum))

    def _field(self, record: Record, name: str) -> Value:
        if name in record.fields:
            return self.force(record.fields[name])
        return self.class_attribute(record.kind, *self._tree.attribute(record.kind, name), name)
